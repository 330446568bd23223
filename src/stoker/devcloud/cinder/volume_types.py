"""The calls of volume types: list, show, create, change, delete, and which projects see one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.devcloud.cinder import problem, quota, search
from stoker.devcloud.cinder import volume_type as types
from stoker.devcloud.cinder.ask import Ask, moment, read_flag, read_name, read_text, volume_route
from stoker.devcloud.cinder.volume_type import KIND, find, fresh, shown
from stoker.devcloud.refusal import Refusal

if TYPE_CHECKING:
    from stoker.devcloud.state import Doc

_IS_PUBLIC = "os-volume-type-access:is_public"
_ONE = "types/{type_id}"


@volume_route("GET", "types")
def list_volume_types(ask: Ask) -> Doc:
    """Give the types that the caller sees."""
    wanted = ask.request.first("is_public", "none" if ask.caller.is_admin else "true").lower()
    docs = [type for type in ask.state.list(KIND) if types.sees(ask, type)]
    if ask.caller.is_admin and wanted != "none":
        docs = [type for type in docs if type["is_public"] == (wanted in ("true", "1"))]
    names = {name: values[-1] for name, values in ask.request.query.items() if name == "name"}
    docs = [type for type in docs if type["name"] == names.get("name", type["name"])]
    found, page = search.paged(ask, docs, "types", "volume_types")
    return {"volume_types": [shown(ask, type) for type in found], **page}


@volume_route("GET", "types/default")
def show_default_volume_type(ask: Ask) -> Doc:
    """Give the type of volumes that are made without one."""
    return {"volume_type": shown(ask, types.default(ask.state))}


@volume_route("GET", _ONE)
def show_volume_type(ask: Ask) -> Doc:
    """Give one type."""
    return {"volume_type": shown(ask, find(ask))}


@volume_route("POST", "types")
def create_volume_type(ask: Ask) -> Doc:
    """Make a type."""
    ask.only_admin("volume_extension:type_create")
    body = ask.body("volume_type")
    name = read_name(body)
    _check_name(ask, name, "")
    is_public = read_flag(body, _IS_PUBLIC, default=True)
    type = fresh(ask.cloud, name, read_text(body, "description"), is_public=is_public)
    type["extra_specs"] = read_specs(body, "extra_specs")
    return {"volume_type": _brief(ask.state.insert(KIND, type)) | {_IS_PUBLIC: is_public}}


@volume_route("PUT", _ONE)
def update_volume_type(ask: Ask) -> Doc:
    """Change name, description or visibility."""
    ask.only_admin("volume_extension:type_update")
    type, body = find(ask), ask.body("volume_type")
    name, description = read_text(body, "name"), read_text(body, "description")
    if name == "" or {"name", "description", "is_public"}.isdisjoint(body):
        raise problem.bad_request(
            "Specify volume type name, description, is_public or a combination thereof."
        )
    if name is not None:
        _check_name(ask, name, type["id"])
        quota.rename(ask.state, type["name"], name)
        type["name"] = name
    if description is not None:
        type["description"] = description
    type["is_public"] = read_flag(body, "is_public", default=type["is_public"])
    return {"volume_type": _brief(store(ask, type))}


@volume_route("DELETE", _ONE, status=202)
def delete_volume_type(ask: Ask) -> None:
    """Delete a type that no volume has."""
    ask.only_admin("volume_extension:type_delete")
    type = find(ask)
    if types.is_used(ask.state, type):
        raise problem.bad_request("Target volume type is still in use.")
    if type["id"] == types.default(ask.state)["id"]:
        raise problem.bad_request(
            f"The volume type {type['id']} is the default volume type and cannot be deleted."
        )
    ask.state.delete(KIND, type["id"])


@volume_route("GET", f"{_ONE}/os-volume-type-access")
def list_volume_type_access(ask: Ask) -> Doc:
    """Give the projects that see a private type."""
    ask.only_admin("volume_extension:volume_type_access:get_all_for_type")
    type = find(ask)
    if type["is_public"]:
        raise Refusal(404, "Access list not available for public volume types.")
    access = [{"volume_type_id": type["id"], "project_id": each} for each in type["projects"]]
    return {"volume_type_access": access}


@volume_route("POST", f"{_ONE}/action", status=202)
def act_on_volume_type(ask: Ask) -> None:
    """Let a project see a type, or no longer."""
    type = find(ask)
    body = ask.request.object()
    action = next(iter(body), "")
    if action not in ("addProjectAccess", "removeProjectAccess"):
        raise problem.bad_request(f"There is no such action: {action}")
    ask.only_admin(f"volume_extension:volume_type_access:{action}")
    project = read_name(ask.body(action), "project")
    if type["is_public"]:
        raise problem.conflict("Type access modification is not applicable to public volume type.")
    _change_access(type, project, action)
    store(ask, type)


def _change_access(type: Doc, project: str, action: str) -> None:
    projects = type["projects"]
    if action == "removeProjectAccess":
        if project not in projects:
            text = f"Volume type access not found for {type['id']} / {project} combination."
            raise Refusal(404, text)
        projects.remove(project)
        return
    if project in projects:
        text = f"Volume type access for {type['id']} / {project} combination already exists."
        raise problem.conflict(text)
    projects.append(project)


def store(ask: Ask, type: Doc) -> Doc:
    """Store a changed type."""
    return ask.state.update(KIND, {**type, "updated_at": moment(ask.cloud)})


def read_specs(body: Any, name: str) -> dict[str, str]:
    """Give a map of extra specs of a body: texts, or nothing."""
    specs = body.get(name) or {}
    if not isinstance(specs, dict) or not all(isinstance(v, str | None) for v in specs.values()):
        raise problem.invalid_field(name, specs, f"{specs!r} is not of type 'object'")
    return dict(specs)


def _check_name(ask: Ask, name: str, own_id: str) -> None:
    if any(type["id"] != own_id for type in ask.state.list(KIND, name=name)):
        raise problem.conflict(f"Volume Type {name} already exists.")


def _brief(type: Doc) -> Doc:
    names = ("id", "name", "is_public", "extra_specs", "description")
    return {name: type[name] for name in names}
