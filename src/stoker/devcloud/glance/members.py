"""The members of a shared image: other projects that may see it, and list it once they accept it.

Rule: the owner adds and removes, only the member decides whether the image is in its lists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.devcloud import clock
from stoker.devcloud.glance.image import MEMBER, own, visible
from stoker.devcloud.refusal import Refusal
from stoker.devcloud.router import route

if TYPE_CHECKING:
    from stoker.devcloud.exchange import Request
    from stoker.devcloud.state import Doc

_ALL = "/image/v2/images/{image_id}/members"
_ONE = f"{_ALL}/{{member_id}}"
_STATUSES = ("pending", "accepted", "rejected")


@route("GET", _ALL)
def list_image_members(request: Request) -> Doc:
    """Give an image's members to its owner, and to a member itself alone."""
    image = visible(request)
    members = request.state.list(MEMBER, where={"image_id": image["id"]})
    shown = [_shown(each) for each in members if _is_told(request, image, each)]
    return {"members": shown, "schema": "/v2/schemas/members"}


@route("GET", _ONE)
def show_image_member(request: Request) -> Doc:
    """Give one member."""
    return _shown(_found(request, visible(request)))


@route("POST", _ALL)
def add_image_member(request: Request) -> Doc:
    """Let another project see a shared image."""
    image = own(request)
    project = request.object().get("member")
    if not isinstance(project, str) or not project:
        raise Refusal(400, "Expected a 'member' that is not empty.")
    if image["visibility"] != "shared":
        raise Refusal(403, "Only shared images have members.")
    id = f"{image['id']}/{project}"
    if request.state.get(MEMBER, id) is not None:
        raise Refusal(409, f"Member {project} is duplicated for image {image['id']}")
    now = clock.iso(request.cloud.now())
    held = {"image_id": image["id"], "member_id": project, "status": "pending"}
    doc = {"id": id, "project_id": image["owner"], **held, "created_at": now, "updated_at": now}
    request.state.insert(MEMBER, doc)
    return _shown(doc)


@route("PUT", _ONE)
def decide_on_image(request: Request) -> Doc:
    """Accept or reject an image for the lists of one's project."""
    doc = _found(request, visible(request))
    if doc["member_id"] != request.caller.project_id and not request.caller.is_admin:
        raise Refusal(403, "You are not permitted to modify 'status' on this image member.")
    status = request.object().get("status")
    if status not in _STATUSES:
        raise Refusal(400, f"Status {status} is none of {', '.join(_STATUSES)}.")
    changed = {**doc, "status": status, "updated_at": clock.iso(request.cloud.now())}
    return _shown(request.state.update(MEMBER, changed))


@route("DELETE", _ONE)
def remove_image_member(request: Request) -> None:
    """Let a project see a shared image no more."""
    doc = _found(request, own(request))
    request.state.delete(MEMBER, doc["id"])


def _found(request: Request, image: Doc) -> Doc:
    doc = request.state.get(MEMBER, f"{image['id']}/{request.params['member_id']}")
    if doc is None or not _is_told(request, image, doc):
        raise Refusal(404, f"{request.params['member_id']} not found in the member list")
    return doc


def _is_told(request: Request, image: Doc, doc: Doc) -> bool:
    project = request.caller.project_id
    return request.caller.is_admin or project in (image["owner"], doc["member_id"])


def _shown(doc: Doc) -> Doc:
    names = ("image_id", "member_id", "status", "created_at", "updated_at")
    return {**{name: doc[name] for name in names}, "schema": "/v2/schemas/member"}
