"""A server's metadata and tags: small things that change by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.devcloud.exchange import Reply
from stoker.devcloud.nova import problem, quota
from stoker.devcloud.nova.ask import Ask, compute_route, read_list
from stoker.devcloud.nova.server import find, store
from stoker.devcloud.nova.servers import check_unlocked

if TYPE_CHECKING:
    from stoker.devcloud.state import Doc

_METADATA = "servers/{server_id}/metadata"
_TAGS = "servers/{server_id}/tags"
_TAGS_CAME = 26
_MOST_TAGS, _LONGEST_TAG = 50, 60


@compute_route("GET", _METADATA)
def list_server_metadata(ask: Ask) -> Doc:
    """Give all metadata."""
    return {"metadata": find(ask)["metadata"]}


@compute_route("POST", _METADATA)
def update_server_metadata(ask: Ask) -> Doc:
    """Set some metadata."""
    return _put(ask, lambda old, new: {**old, **new})


@compute_route("PUT", _METADATA)
def replace_server_metadata(ask: Ask) -> Doc:
    """Set all metadata."""
    return _put(ask, lambda _old, new: new)


@compute_route("GET", f"{_METADATA}/{{key}}")
def show_server_metadata(ask: Ask) -> Doc:
    """Give one item."""
    key = _known(ask, find(ask))
    return {"meta": {key: find(ask)["metadata"][key]}}


@compute_route("PUT", f"{_METADATA}/{{key}}")
def set_server_metadata(ask: Ask) -> Doc:
    """Set one item."""
    wanted, key = ask.body("meta"), ask.params["key"]
    if list(wanted) != [key]:
        raise problem.bad_request("Request body and URI mismatch")
    _store(ask, find(ask), {**find(ask)["metadata"], **checked(wanted)})
    return {"meta": wanted}


@compute_route("DELETE", f"{_METADATA}/{{key}}")
def delete_server_metadata(ask: Ask) -> Reply:
    """Remove one item."""
    server = find(ask)
    key = _known(ask, server)
    _store(ask, server, {name: value for name, value in server["metadata"].items() if name != key})
    return Reply(status=204)


def _put(ask: Ask, merged: Any) -> Doc:
    server = find(ask)
    metadata = merged(server["metadata"], checked(ask.body("metadata")))
    _store(ask, server, metadata)
    return {"metadata": metadata}


def _store(ask: Ask, server: Doc, metadata: Doc) -> None:
    check_unlocked(ask, server)
    quota.check_metadata(ask.state, server["project_id"], metadata)
    store(ask.cloud, {**server, "metadata": metadata})


def checked(metadata: Doc) -> Doc:
    """Give metadata; refuse names and values that are too long or no text."""
    for name, value in metadata.items():
        if not name or len(name) > 255 or not isinstance(value, str) or len(value) > 255:  # noqa: PLR2004
            raise problem.invalid(name, value, f"{value!r} is not a valid metadata value")
    return metadata


def _known(ask: Ask, server: Doc) -> str:
    key = ask.params["key"]
    if key not in server["metadata"]:
        raise problem.missing("Metadata item was not found")
    return key


@compute_route("GET", _TAGS, since=_TAGS_CAME)
def list_server_tags(ask: Ask) -> Doc:
    """Give all tags."""
    return {"tags": find(ask)["tags"]}


@compute_route("PUT", _TAGS, since=_TAGS_CAME)
def replace_server_tags(ask: Ask) -> Doc:
    """Set all tags."""
    body = ask.request.json()
    if not isinstance(body, dict) or not isinstance(body.get("tags"), list):
        raise problem.bad_request("Invalid input: 'tags' is not of type 'array'")
    tags = read_list(body, "tags", str)
    return {"tags": _store_tags(ask, list(dict.fromkeys(tags)))}


@compute_route("DELETE", _TAGS, since=_TAGS_CAME)
def delete_server_tags(ask: Ask) -> Reply:
    """Remove all tags."""
    _store_tags(ask, [])
    return Reply(status=204)


@compute_route("GET", f"{_TAGS}/{{tag}}", since=_TAGS_CAME)
def show_server_tag(ask: Ask) -> Reply:
    """Tell whether a server has a tag."""
    _known_tag(ask, find(ask))
    return Reply(status=204)


@compute_route("PUT", f"{_TAGS}/{{tag}}", since=_TAGS_CAME)
def add_server_tag(ask: Ask) -> Reply:
    """Add one tag."""
    tag, old = ask.params["tag"], find(ask)["tags"]
    if tag in old:
        return Reply(status=204)
    _store_tags(ask, [*old, tag])
    return Reply(
        status=201, headers={"Location": ask.href(f"servers/{find(ask)['id']}/tags/{tag}")}
    )


@compute_route("DELETE", f"{_TAGS}/{{tag}}", since=_TAGS_CAME)
def delete_server_tag(ask: Ask) -> Reply:
    """Remove one tag."""
    server = find(ask)
    tag = _known_tag(ask, server)
    _store_tags(ask, [each for each in server["tags"] if each != tag])
    return Reply(status=204)


def _known_tag(ask: Ask, server: Doc) -> str:
    tag = ask.params["tag"]
    if tag not in server["tags"]:
        raise problem.missing(f"Server {server['id']} has no tag '{tag}'")
    return tag


def _store_tags(ask: Ask, tags: list[Any]) -> list[str]:
    for tag in tags:
        if not isinstance(tag, str) or not 0 < len(tag) <= _LONGEST_TAG or set(tag) & set(",/"):
            raise problem.invalid("tags", tag, f"{tag!r} is not a valid tag")
    if len(tags) > _MOST_TAGS:
        raise problem.bad_request(f"The number of tags exceeded the per-server limit {_MOST_TAGS}")
    store(ask.cloud, {**find(ask), "tags": tags})
    return tags
