"""Files that are put into a server as it boots (``personality``).

Rule: Nova takes them up to microversion 2.56 and no later. A server with files is asked for at
that version, and nothing that needs a later one can go with it.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from stoker.errors import Kind, Problem
from stoker.resources.nova.server_props import ServerProps
from stoker.sdk.cloud import Cloud
from stoker.sdk.value import is_open, thaw

_LAST_WITH_FILES: Final = "2.56"


def files(personality: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return files as Nova takes them."""
    return [
        {"path": path, "contents": base64.b64encode(_text(value).encode()).decode()}
        for path, value in personality.items()
    ]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(thaw(value))


def post_server(body: Mapping[str, Any], cloud: Cloud) -> Mapping[str, Any]:
    """Ask for a server at the version that takes its body; return the answer."""
    if "personality" in body["server"]:
        return cloud.compute.post_at(_LAST_WITH_FILES, "/servers", body)
    return cloud.compute.post("/servers", body)


def file_problems(props: ServerProps) -> Iterable[Problem]:
    """Yield what cannot go with files."""
    devices = props.block_device_mapping_v2
    if is_open(props.personality) or not props.personality or is_open(devices):
        return
    for i, device in enumerate(devices or ()):
        if device.volume_type is not None:
            text = "volume_type cannot go with personality: Nova takes them in different versions"
            at = ("block_device_mapping_v2", i, "volume_type")
            yield Problem(text, at, None, Kind.PROPERTY)
