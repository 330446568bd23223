"""Security groups, and the one that every project has by default."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.devcloud.cloud import new_id
from stoker.devcloud.neutron import problem, quota
from stoker.devcloud.neutron.attribute import Attribute
from stoker.devcloud.neutron.collection import Collection
from stoker.devcloud.neutron.convert import boolean, text
from stoker.devcloud.state import index

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stoker.devcloud.neutron.call import Call
    from stoker.devcloud.state import Doc

GROUP, RULE = "network.security_group", "network.security_group_rule"
_DEFAULT = "default"
_ADDRESS_FAMILIES = ("IPv4", "IPv6")

index(RULE, "security_group_id")
index(RULE, "remote_group_id")

ATTRIBUTES = {
    "name": Attribute(text(), ""),
    "description": Attribute(text(), ""),
    "stateful": Attribute(boolean, default=True),
}


def ensure_default(call: Call, project_id: str) -> str:
    """Give the id of a project's default group, made when it is asked for first."""
    found = call.state.list(GROUP, project=project_id, name=_DEFAULT)
    if found:
        return str(found[0]["id"])
    moment = call.moment()
    group = {
        "id": new_id(),
        "name": _DEFAULT,
        "description": "Default security group",
        "stateful": True,
        "project_id": project_id,
        "tenant_id": project_id,
        "tags": [],
        "created_at": moment,
        "updated_at": moment,
        "revision_number": 1,
    }
    call.state.insert(GROUP, {**group, "shared": False})
    _default_rules(call, group, is_default=True)
    return str(group["id"])


def complete(call: Call, doc: Doc) -> Doc:
    """Refuse a second group called ``default``, and what its rules have no quota for."""
    ensure_default(call, doc["project_id"])
    _check_name(doc["name"])
    quota.check(call.state, doc["project_id"], {"security_group_rule": len(_ADDRESS_FAMILIES)})
    return {**doc, "shared": False, "revision_number": 1}


def created(call: Call, doc: Doc) -> None:
    """Let everything out."""
    _default_rules(call, doc, is_default=False)


def change(_call: Call, old: Doc, new: Doc) -> Doc:
    """Keep the default group's name."""
    if new["name"] != old["name"]:
        if old["name"] == _DEFAULT:
            raise problem.conflict(
                "SecurityGroupCannotUpdateDefault", "Updating default security group not allowed."
            )
        _check_name(new["name"])
    return new


def release(call: Call, doc: Doc) -> None:
    """Refuse while ports have the group; take the rules along, also those that point at it."""
    if doc["name"] == _DEFAULT and not call.is_admin:
        raise problem.conflict(
            "SecurityGroupCannotRemoveDefault",
            "Insufficient rights for removing default security group.",
        )
    if call.state.count("network.port", where={"security_group": doc["id"]}):
        raise problem.conflict("SecurityGroupInUse", f"Security Group {doc['id']} in use.")
    for field in ("security_group_id", "remote_group_id"):
        for rule in call.state.list(RULE, where={field: doc["id"]}):
            call.state.delete(RULE, rule["id"])


def shown(call: Call, doc: Doc) -> Doc:
    """Add the rules."""
    rules = call.state.list(RULE, where={"security_group_id": doc["id"]})
    return {**doc, "security_group_rules": rules}


def looked_for(call: Call) -> None:
    """Give a project its own group when it looks for any, whatever it asks for."""
    if call.project_id:
        ensure_default(call, call.project_id)


def check_exist(call: Call, ids: Iterable[str]) -> None:
    """Refuse ids that are no group which the caller sees."""
    for id in ids:
        GROUPS.get(call, id)


GROUPS = Collection(
    singular="security_group",
    plural="security_groups",
    path="security-groups",
    missing=("SecurityGroupNotFound", "Security group {} does not exist"),
    attributes=ATTRIBUTES,
    complete=complete,
    created=created,
    change=change,
    release=release,
    shown=shown,
    looked_for=looked_for,
    computed=("shared",),
    quota="security_group",
)


def _check_name(name: str) -> None:
    if name == _DEFAULT:
        raise problem.conflict(
            "SecurityGroupDefaultAlreadyExists", "Default security group already exists."
        )


def _default_rules(call: Call, group: Doc, *, is_default: bool) -> None:
    for family in _ADDRESS_FAMILIES:
        _add_rule(call, group, "egress", family, None)
        if is_default:
            _add_rule(call, group, "ingress", family, group["id"])


def _add_rule(call: Call, group: Doc, direction: str, family: str, remote: str | None) -> None:
    moment = call.moment()
    rule = {
        "id": new_id(),
        "project_id": group["project_id"],
        "tenant_id": group["project_id"],
        "security_group_id": group["id"],
        "ethertype": family,
        "direction": direction,
        "protocol": None,
        "port_range_min": None,
        "port_range_max": None,
        "remote_ip_prefix": None,
        "remote_address_group_id": None,
        "normalized_cidr": None,
        "remote_group_id": remote,
        "belongs_to_default_sg": group["name"] == _DEFAULT,
        "description": None,
        "tags": [],
        "created_at": moment,
        "updated_at": moment,
        "revision_number": 0,
    }
    call.state.insert(RULE, rule)
