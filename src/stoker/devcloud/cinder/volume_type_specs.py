"""A volume type's extra specs and its encryption.

The rule: the encryption of a type that volumes have is not changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.devcloud.cinder import problem
from stoker.devcloud.cinder import volume_type as types
from stoker.devcloud.cinder.ask import Ask, moment, read_name, read_text, volume_route
from stoker.devcloud.cinder.volume_type import find
from stoker.devcloud.cinder.volume_types import read_specs, store
from stoker.devcloud.cloud import new_id
from stoker.devcloud.refusal import Refusal

if TYPE_CHECKING:
    from stoker.devcloud.state import Doc

_SPECS, _ENCRYPTION = "types/{type_id}/extra_specs", "types/{type_id}/encryption"
_LOCATIONS = ("front-end", "back-end")


@volume_route("GET", _SPECS)
def list_extra_specs(ask: Ask) -> Doc:
    """Give a type's extra specs."""
    return {"extra_specs": types.shown(ask, find(ask))["extra_specs"]}


@volume_route("POST", _SPECS)
def create_extra_specs(ask: Ask) -> Doc:
    """Set extra specs; those not named stay."""
    ask.only_admin("volume_extension:types_extra_specs:create")
    type = find(ask)
    specs = read_specs(ask.request.object(), "extra_specs")
    if not specs:
        raise problem.invalid_field("extra_specs", specs, "'extra_specs' is a required property")
    type["extra_specs"] |= specs
    store(ask, type)
    return {"extra_specs": specs}


@volume_route("GET", f"{_SPECS}/{{key}}")
def show_extra_spec(ask: Ask) -> Doc:
    """Give one extra spec."""
    specs = types.shown(ask, find(ask))["extra_specs"]
    return {ask.params["key"]: _spec(ask, specs)}


@volume_route("PUT", f"{_SPECS}/{{key}}")
def update_extra_spec(ask: Ask) -> Doc:
    """Set one extra spec."""
    ask.only_admin("volume_extension:types_extra_specs:update")
    type, body, key = find(ask), ask.request.object(), ask.params["key"]
    if list(body) != [key]:
        raise problem.bad_request("Request body and URI mismatch")
    specs = read_specs({"extra_specs": body}, "extra_specs")
    type["extra_specs"] |= specs
    store(ask, type)
    return specs


@volume_route("DELETE", f"{_SPECS}/{{key}}", status=202)
def delete_extra_spec(ask: Ask) -> None:
    """Remove one extra spec."""
    ask.only_admin("volume_extension:types_extra_specs:delete")
    type = find(ask)
    _spec(ask, type["extra_specs"])
    del type["extra_specs"][ask.params["key"]]
    store(ask, type)


def _spec(ask: Ask, specs: Doc) -> Any:
    key = ask.params["key"]
    if key not in specs:
        raise Refusal(
            404, f"Volume Type {ask.params['type_id']} has no extra specs with key {key}."
        )
    return specs[key]


@volume_route("GET", _ENCRYPTION)
def show_encryption(ask: Ask) -> Doc:
    """Give a type's encryption, whole and bare; empty where it has none."""
    ask.only_admin("volume_extension:volume_type_encryption:get")
    return dict(find(ask)["encryption"] or {})


@volume_route("GET", f"{_ENCRYPTION}/{{key}}")
def show_encryption_item(ask: Ask) -> Doc:
    """Give one item of a type's encryption."""
    ask.only_admin("volume_extension:volume_type_encryption:get")
    key, encryption = ask.params["key"], find(ask)["encryption"] or {}
    if key not in encryption:
        raise Refusal(404, f"Volume type encryption has no {key}.")
    return {key: encryption[key]}


@volume_route("POST", _ENCRYPTION)
def create_encryption(ask: Ask) -> Doc:
    """Give a type its encryption."""
    ask.only_admin("volume_extension:volume_type_encryption:create")
    type, body = find(ask), ask.body("encryption")
    if type["encryption"]:
        raise problem.bad_request(f"Volume type encryption for type {type['id']} already exists.")
    _check_unused(ask, type, "create")
    read_name(body, "provider")
    asked = _read(body)
    blank = dict.fromkeys(("cipher", "key_size"))
    own = {"control_location": "front-end", "volume_type_id": type["id"]}
    encryption = {**blank, **own, "encryption_id": new_id(), **asked}
    times = {"created_at": moment(ask.cloud), "updated_at": None}
    gone = {"deleted": False, "deleted_at": None}
    store(ask, {**type, "encryption": {**encryption, **times, **gone}})
    return {"encryption": encryption}


@volume_route("PUT", f"{_ENCRYPTION}/{{encryption_id}}")
def update_encryption(ask: Ask) -> Doc:
    """Change a type's encryption."""
    ask.only_admin("volume_extension:volume_type_encryption:update")
    type, body = find(ask), ask.body("encryption")
    encryption = _encryption(type)
    _check_unused(ask, type, "update")
    changes = _read(body)
    now = {"updated_at": moment(ask.cloud)}
    store(ask, {**type, "encryption": {**encryption, **changes, **now}})
    return {"encryption": changes}


@volume_route("DELETE", f"{_ENCRYPTION}/{{encryption_id}}", status=202)
def delete_encryption(ask: Ask) -> None:
    """Take a type's encryption away."""
    ask.only_admin("volume_extension:volume_type_encryption:delete")
    type = find(ask)
    _encryption(type)
    _check_unused(ask, type, "delete")
    store(ask, {**type, "encryption": None})


def _encryption(type: Doc) -> Doc:
    if not type["encryption"]:
        raise Refusal(404, f"Volume type encryption for type {type['id']} does not exist.")
    return dict(type["encryption"])


def _check_unused(ask: Ask, type: Doc, verb: str) -> None:
    if types.is_used(ask.state, type):
        raise problem.bad_request(f"Cannot {verb} encryption specs. Volume type in use.")


def _read(body: Doc) -> Doc:
    """Give what a body says of an encryption; refuse what it may not say."""
    asked: Doc = {name: read_text(body, name) for name in ("provider", "cipher") if name in body}
    size, location = body.get("key_size"), body.get("control_location", "front-end")
    if size is not None and (isinstance(size, bool) or not str(size).isdigit()):
        raise problem.invalid_field("key_size", size, f"{size!r} is not of type 'integer'")
    if location not in _LOCATIONS:
        raise problem.invalid_field("control_location", location, f"not one of {_LOCATIONS}")
    numbers = {"key_size": None if size is None else int(size)} if "key_size" in body else {}
    places = {"control_location": location} if "control_location" in body else {}
    return {**asked, **numbers, **places}
