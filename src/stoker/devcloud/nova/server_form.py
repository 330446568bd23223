"""The form of a request for a server: what the schema of its microversion takes.

The rule: form is checked before anything that it names is looked for.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING, Any

from stoker.devcloud.nova import problem, quota
from stoker.devcloud.nova.ask import Ask, read_dict, read_list
from stoker.devcloud.nova.server_metadata import checked

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stoker.devcloud.state import Doc

_FILES_GONE, _DESCRIBED, _TAGGED, _HOSTNAMED = 57, 19, 52, 90
_LONGEST, _LONGEST_TAG, _MOST_TAGS, _LONGEST_USER_DATA = 255, 60, 50, 65535
_TAG = re.compile(r"[^,/]+")
_BOOLEANS = ("true", "false", "1", "0", "on", "off", "yes", "no", "t", "f", "y", "n")
_KNOWN = {
    "name", "imageRef", "flavorRef", "key_name", "metadata", "networks", "security_groups",
    "availability_zone", "user_data", "config_drive", "min_count", "max_count", "adminPass",
    "accessIPv4", "accessIPv6", "block_device_mapping", "block_device_mapping_v2",
    "OS-DCF:diskConfig", "return_reservation_id", "os:scheduler_hints", "personality",
    "description", "tags", "trusted_image_certificates", "host", "hypervisor_hostname",
    "hostname",
}  # fmt: skip


def check_form(ask: Ask, body: Doc) -> None:
    """Refuse a body that the schema does not take."""
    known = _KNOWN - ({"personality"} if ask.since(_FILES_GONE) else set())
    for name, least in (("description", _DESCRIBED), ("tags", _TAGGED), ("hostname", _HOSTNAMED)):
        if not ask.since(least):
            known = known - {name}
    unknown = sorted(set(body) - known)
    if unknown:
        names = ", ".join(map(repr, unknown))
        text = f"Additional properties are not allowed ({names} was unexpected)"
        raise problem.invalid("server", body.get("name"), text)
    for name, is_right in _RULES.items():
        if body.get(name) is not None and not is_right(body[name]):
            raise problem.invalid(name, body[name], f"{body[name]!r} is not a valid {name}")
    checked(read_dict(body, "metadata"))
    tags = read_list(body, "tags", str)
    if len(tags) > _MOST_TAGS:
        raise problem.invalid("tags", tags, f"{tags} is too long")
    check_tags(tags)
    check_user_data(body.get("user_data"))
    _check_files(ask, read_list(body, "personality", dict))


def _is_boolean(value: Any) -> bool:
    return isinstance(value, bool) or str(value).lower() in _BOOLEANS


def _is_short(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST


def _is_count(value: Any) -> bool:
    return str(value).isdigit() and int(value) >= 1


_RULES = {
    "config_drive": _is_boolean,
    "OS-DCF:diskConfig": ("AUTO", "MANUAL").__contains__,
    "description": _is_short,
    "min_count": _is_count,
    "max_count": _is_count,
}


def check_tags(tags: Iterable[str]) -> None:
    """Refuse tags, of servers or devices, that are none."""
    for tag in tags:
        if not _TAG.fullmatch(tag) or len(tag) > _LONGEST_TAG:
            raise problem.invalid("0", tag, f"{tag!r} does not match '^[^,/]*$', or is too long")


def _check_files(ask: Ask, files: list[Doc]) -> None:
    """Refuse files that are none, or are more or longer than the project may put in."""
    allowed = quota.limits(ask.state, ask.caller.project_id)
    if len(files) > allowed["injected_files"]:
        raise problem.forbidden("Personality file limit exceeded")
    for each in files:
        contents = str(each.get("contents", ""))
        if set(each) != {"path", "contents"} or not _is_base64(contents):
            raise problem.invalid("personality", each, "a path and base64 contents are required")
        most = allowed["injected_file_content_bytes"]
        if len(base64.b64decode(contents)) > most:
            raise problem.forbidden(f"Personality file content exceeds maximum {most}")


def _is_base64(text: str) -> bool:
    """Tell whether Nova takes text as base64: it passes over characters that are none."""
    try:
        base64.b64decode(text)
    except (binascii.Error, ValueError):
        return False
    return True


def check_user_data(text: Any) -> None:
    """Refuse user data that is not base64, or too long."""
    if text is None:
        return
    if not isinstance(text, str) or not _is_base64(text):
        raise problem.invalid("user_data", text, f"'{text}' is not a 'base64'")
    if len(text) > _LONGEST_USER_DATA:
        raise problem.invalid("user_data", "...", "is too long")
