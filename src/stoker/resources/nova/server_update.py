"""Changes of a server in place, one call a step.

Rule: what is still due is read from the server itself; only what cannot be read there (a
password, user data) is ticked off in the step's data. A change that Nova took and did not
carry out is an error, not a loop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

from stoker.errors import CloudError
from stoker.resources.nova.server_body import MARK, metadata_text, user_data
from stoker.resources.nova.server_props import ServerProps
from stoker.resources.nova.server_state import VERIFY, user_tags
from stoker.resources.polling import poll
from stoker.sdk.cloud import Cloud
from stoker.sdk.copies import RESTORES
from stoker.sdk.resource import At, Next, Wait

Due = Next | Wait | None
Server = Mapping[str, Any]

_USER_DATA_AT: Final = "2.57"
_NOT_DONE: Final = 422


def due(at: At[ServerProps], server: Server, cloud: Cloud) -> Due:
    """Make the next call that the update needs; None when nothing but interfaces is due."""
    if server["status"] == VERIFY:
        cloud.compute.post(f"{_path(at)}/action", {"confirmResize": None})
        return poll(at.data)
    for change in CHANGES:
        if (step := change(at, server, cloud)) is not None:
            return step
    return None


def _metadata(at: At[ServerProps], server: Server, cloud: Cloud) -> Due:
    if "metadata" not in at.changed:
        return None
    live: Mapping[str, str] = server.get("metadata") or {}
    wanted = metadata_text(at.props.metadata)
    before = at.old.metadata if at.old is not None else {}
    for key in sorted(before.keys() - wanted.keys()):
        if key in live:
            cloud.compute.remove(f"{_path(at)}/metadata/{quote(key, safe='')}")
            return Next(data=at.data)
    if any(live.get(key) != value for key, value in wanted.items()):
        cloud.compute.post(f"{_path(at)}/metadata", {"metadata": wanted})
        return Next(data=at.data)
    return None


def _tags(at: At[ServerProps], server: Server, cloud: Cloud) -> Due:
    wanted = list(dict.fromkeys(at.props.tags or ()))
    if "tags" not in at.changed or sorted(user_tags(server)) == sorted(wanted):
        return None
    ours = [tag for tag in server.get("tags") or () if tag.startswith(MARK)]
    cloud.compute.put(f"{_path(at)}/tags", {"tags": [*ours, *wanted]})
    return Next(data=at.data)


def _name(at: At[ServerProps], server: Server, cloud: Cloud) -> Due:
    wanted = at.props.name or at.name
    if "name" not in at.changed or server["name"] == wanted:
        return None
    cloud.compute.put(_path(at), {"server": {"name": wanted}})
    return Next(data=at.data)


def _flavor(at: At[ServerProps], server: Server, cloud: Cloud) -> Due:
    if "flavor" not in at.changed:
        return None
    flavor_id = cloud.compute.find("flavor", at.props.flavor)
    wanted = cloud.compute.get(f"/flavors/{quote(flavor_id, safe='')}")["flavor"]["name"]
    if server["flavor"].get("original_name") == wanted:
        return None
    return _action(at, cloud, "resized", {"resize": {"flavorRef": flavor_id}})


def _image(at: At[ServerProps], server: Server, cloud: Cloud) -> Due:
    if "image" not in at.changed or at.props.image is None:
        return None
    image_id = cloud.image.find("image", at.props.image)
    is_there = (server.get("image") or {}).get("id") == image_id
    if is_there and (RESTORES not in at.data or "rebuilt" in at.data):
        return None
    rebuild: dict[str, Any] = {"imageRef": image_id}
    if at.props.image_update_policy == "REBUILD_PRESERVE_EPHEMERAL":
        rebuild["preserve_ephemeral"] = True
    if at.props.admin_pass is not None:
        rebuild["adminPass"] = at.props.admin_pass
    return _action(at, cloud, "rebuilt", {"rebuild": rebuild})


def _user_data(at: At[ServerProps], server: Server, cloud: Cloud) -> Due:
    rebuilds = at.props.user_data_update_policy == "REBUILD"
    if "user_data" not in at.changed or not rebuilds or at.data.get("user_data"):
        return None
    rebuild = {"imageRef": server["image"]["id"], "user_data": user_data(at)}
    cloud.compute.post_at(_USER_DATA_AT, f"{_path(at)}/action", {"rebuild": rebuild})
    return poll({**at.data, "user_data": True})


def _password(at: At[ServerProps], server: Server, cloud: Cloud) -> Due:
    if "admin_pass" not in at.changed or at.data.get("password") or at.props.admin_pass is None:
        return None
    action = {"changePassword": {"adminPass": at.props.admin_pass}}
    cloud.compute.post(f"{_path(at)}/action", action)
    return Next(data={**at.data, "password": True})


CHANGES: Final[Sequence[Callable[[At[ServerProps], Server, Cloud], Due]]] = (
    _metadata,
    _tags,
    _name,
    _flavor,
    _image,
    _user_data,
    _password,
)


def _action(at: At[ServerProps], cloud: Cloud, ticked: str, action: Mapping[str, Any]) -> Due:
    """Ask for a change that takes its time, once."""
    if at.data.get(ticked):
        text = f"Nova took the request and the server was not {ticked}: see its events"
        raise CloudError(text, service="compute", status=_NOT_DONE)
    cloud.compute.post(f"{_path(at)}/action", action)
    return poll({**at.data, ticked: True, "polls": 0})


def _path(at: At[ServerProps]) -> str:
    return f"/servers/{at.owned}"
