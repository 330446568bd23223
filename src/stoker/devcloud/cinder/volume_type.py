"""Volume types: found, shown, seen by whom.

The rule: a type is public, or its administrator says which projects see it; what is in use keeps
its type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from stoker.devcloud.cinder import problem, quota
from stoker.devcloud.cinder.ask import Ask, moment
from stoker.devcloud.cloud import new_id
from stoker.devcloud.refusal import Refusal
from stoker.devcloud.state import index

if TYPE_CHECKING:
    from stoker.devcloud.cloud import Cloud
    from stoker.devcloud.state import Doc, State

KIND = quota.TYPE
DEFAULT, FALLBACK = "fake", "__DEFAULT__"
_FOR_EVERYBODY = ("RESKEY:availability_zones", "multiattach", "replication_enabled")
_MULTIATTACH = "multiattach"

index(quota.VOLUME, "type_id")
index(KIND, "qos_specs_id")


def fresh(cloud: Cloud, name: str, description: str | None, *, is_public: bool) -> Doc:
    """Make a new type's document."""
    return {
        "id": new_id(),
        "name": name,
        "description": description,
        "is_public": is_public,
        "extra_specs": {},
        "qos_specs_id": None,
        "encryption": None,
        "projects": [],
        "project_id": "",
        "created_at": moment(cloud),
        "updated_at": None,
    }


def seed(cloud: Cloud) -> None:
    """Make the types of a new cloud: the default one, and the one for what has none."""
    cloud.state.insert(KIND, fresh(cloud, DEFAULT, None, is_public=True))
    fallback = fresh(cloud, FALLBACK, "Default Volume Type", is_public=True)
    cloud.state.insert(KIND, fallback)


def sees(ask: Ask, type: Doc) -> bool:
    """Tell whether the caller may use a type."""
    is_open = type["is_public"] or ask.caller.is_admin
    return bool(is_open or ask.caller.project_id in type["projects"])


def find(ask: Ask, name: str = "type_id") -> Doc:
    """Give the type that the path names, or 404."""
    id = ask.params[name]
    type = ask.state.get(KIND, id)
    if type is None or not sees(ask, type):
        raise problem.missing("Volume type", id)
    return type


def chosen(ask: Ask, wanted: str | None) -> Doc:
    """Give the type that a body names by its name or id; the default one where it names none."""
    if not wanted:
        return default(ask.state)
    type = ask.state.get(KIND, wanted)
    if type is None:
        type = next(iter(ask.state.list(KIND, name=wanted)), None)
    if type is None or not sees(ask, type):
        noun = "Volume type" if _is_id(wanted) else "Volume type with name"
        raise problem.missing(noun, wanted)
    return type


def default(state: State) -> Doc:
    """Give the type of volumes that are made without one."""
    for name in (DEFAULT, FALLBACK):
        found = state.list(KIND, name=name)
        if found:
            return found[0]
    raise Refusal(500, "Default volume type can not be found.")


def _is_id(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


def is_used(state: State, type: Doc) -> bool:
    """Tell whether volumes have a type."""
    return state.count(quota.VOLUME, where={"type_id": type["id"]}) > 0


def is_shared(type: Doc) -> bool:
    """Tell whether a type's volumes may be attached more than once."""
    return str(type["extra_specs"].get(_MULTIATTACH)).lower() == "<is> true"


def shown(ask: Ask, type: Doc) -> Doc:
    """Give a type as answers show it."""
    body = {
        "id": type["id"],
        "name": type["name"],
        "is_public": type["is_public"],
        "description": type["description"],
        "extra_specs": _specs(ask, type),
    }
    if ask.caller.is_admin:
        body["qos_specs_id"] = type["qos_specs_id"]
    return body | {"os-volume-type-access:is_public": type["is_public"]}


def _specs(ask: Ask, type: Doc) -> Doc:
    specs: Doc = type["extra_specs"]
    if ask.caller.is_admin:
        return specs
    return {name: value for name, value in specs.items() if name in _FOR_EVERYBODY}
