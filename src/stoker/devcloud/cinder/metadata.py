"""The metadata of volumes and of snapshots, item by item.

The rule: both kinds of things have the same calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.devcloud.cinder import problem, progress, snapshot, volume
from stoker.devcloud.cinder.ask import Ask, read_map, volume_route
from stoker.devcloud.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from stoker.devcloud.state import Doc


def declare() -> None:
    """Say that this module's calls are in the table: they are, once it is imported."""


def _expose(noun: str, kind: str, find: Callable[[Ask], Doc]) -> None:
    path = f"{noun}s/{{{noun}_id}}/metadata"

    def show(ask: Ask) -> Doc:
        return {"metadata": find(ask)["metadata"]}

    def merge(ask: Ask) -> Doc:
        doc = find(ask)
        return _put(ask, kind, doc, {**doc["metadata"], **_wanted(ask)})

    def replace(ask: Ask) -> Doc:
        return _put(ask, kind, find(ask), _wanted(ask))

    def show_item(ask: Ask) -> Doc:
        key, metadata = ask.params["key"], find(ask)["metadata"]
        return {"meta": {key: _item(metadata, key)}}

    def put_item(ask: Ask) -> Doc:
        doc, key = find(ask), ask.params["key"]
        meta = read_map(ask.request.object(), "meta")
        if key not in meta or len(meta) > 1:
            raise problem.bad_request("Request body and URI mismatch")
        _put(ask, kind, doc, {**doc["metadata"], **meta})
        return {"meta": meta}

    def delete_item(ask: Ask) -> None:
        doc, key = find(ask), ask.params["key"]
        _item(doc["metadata"], key)
        _put(ask, kind, doc, {k: v for k, v in doc["metadata"].items() if k != key})

    for method, function, suffix in (
        ("GET", show, ""), ("POST", merge, ""), ("PUT", replace, ""),
        ("GET", show_item, "/{key}"), ("PUT", put_item, "/{key}"),
        ("DELETE", delete_item, "/{key}"),
    ):  # fmt: skip
        function.__name__ = f"{function.__name__}_{noun}_metadata"
        volume_route(method, f"{path}{suffix}")(function)


def _wanted(ask: Ask) -> dict[str, str]:
    body = ask.request.object()
    if "metadata" not in body:
        raise problem.invalid_field("metadata", None, "'metadata' is a required property")
    return read_map(body, "metadata")


def _put(ask: Ask, kind: str, doc: Doc, metadata: dict[str, str]) -> Doc:
    progress.store(ask.cloud, kind, {**doc, "metadata": metadata})
    return {"metadata": metadata}


def _item(metadata: dict[str, str], key: str) -> str:
    if key not in metadata:
        raise Refusal(404, f"Metadata item {key} was not found.")
    return metadata[key]


_expose("volume", volume.KIND, volume.find)
_expose("snapshot", snapshot.KIND, snapshot.find)
