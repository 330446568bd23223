"""What is arranged between projects: RBAC policies, address scopes and groups, segments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.devcloud.neutron import problem
from stoker.devcloud.neutron.attribute import REQUIRED, Attribute
from stoker.devcloud.neutron.collection import Collection, everybodys
from stoker.devcloud.neutron.convert import (
    boolean,
    choice,
    identifier,
    integer,
    loose_cidr,
    many,
    maybe,
    text,
)
from stoker.devcloud.neutron.network import NETWORKS, RBAC
from stoker.devcloud.neutron.qos import POLICIES
from stoker.devcloud.neutron.security_group import GROUPS
from stoker.devcloud.state import index

if TYPE_CHECKING:
    from stoker.devcloud.neutron.call import Call
    from stoker.devcloud.state import Doc

_SEGMENT = "network.segment"
index(_SEGMENT, "network_id")
_SHARED = {"network": NETWORKS, "qos_policy": POLICIES, "security_group": GROUPS}


def _rbac_complete(call: Call, doc: Doc) -> Doc:
    collection = _SHARED[doc["object_type"]]
    collection.owned(call, doc["object_id"], "update")
    if doc["target_tenant"] == "*" and not call.is_admin:
        raise problem.not_authorized(
            "(rule:create_rbac_policy and rule:create_rbac_policy:target_tenant)"
        )
    for other in call.state.list(RBAC, where={"object_id": doc["object_id"]}):
        if all(other[name] == doc[name] for name in ("target_tenant", "action")):
            raise problem.conflict(
                "DuplicateRbacPolicy", "An RBAC policy already exists with those values."
            )
    return doc


def _rbac_release(call: Call, doc: Doc) -> None:
    """Refuse while somebody uses what he sees by this policy alone."""
    users = call.state.list("network.port", where={"network_id": doc["object_id"]})
    network = call.state.get(NETWORKS.kind, doc["object_id"])
    for port in users:
        is_his = doc["target_tenant"] in ("*", port["project_id"])
        if network is not None and is_his and port["project_id"] != network["project_id"]:
            raise problem.conflict(
                "RbacPolicyInUse",
                f"RBAC policy on object {doc['object_id']} cannot be removed because other"
                " objects depend on it.",
            )


RBAC_POLICIES = Collection(
    singular="rbac_policy",
    plural="rbac_policies",
    path="rbac-policies",
    missing=("RbacPolicyNotFound", "RBAC policy of type unknown with ID {} not found"),
    attributes={
        "object_type": Attribute(choice(*_SHARED), REQUIRED, put=False),
        "object_id": Attribute(identifier, REQUIRED, put=False),
        "action": Attribute(choice("access_as_shared", "access_as_external"), REQUIRED, put=False),
        "target_tenant": Attribute(text(), REQUIRED),
    },
    complete=_rbac_complete,
    release=_rbac_release,
    indexed=("object_id",),
    quota="rbac_policy",
    is_standard=False,
    has_tags=False,
)


def _scope_release(call: Call, doc: Doc) -> None:
    for pool in call.state.list("network.subnetpool"):
        if pool["address_scope_id"] == doc["id"]:
            raise problem.conflict(
                "AddressScopeInUse",
                f"Unable to complete operation on address scope {doc['id']}. There are one or"
                " more subnet pools in use on the address scope",
            )


ADDRESS_SCOPES = Collection(
    singular="address_scope",
    plural="address_scopes",
    path="address-scopes",
    missing=("AddressScopeNotFound", "Address scope {} could not be found."),
    attributes={
        "name": Attribute(text(), REQUIRED),
        "shared": Attribute(boolean, default=False, admin=True),
        "ip_version": Attribute(choice(4, 6), REQUIRED, put=False),
    },
    release=_scope_release,
    candidates=everybodys,
    is_standard=False,
    has_tags=False,
)

ADDRESS_GROUPS = Collection(
    singular="address_group",
    plural="address_groups",
    path="address-groups",
    missing=("AddressGroupNotFound", "Address group {} could not be found."),
    attributes={
        "name": Attribute(text(), ""),
        "description": Attribute(text(), ""),
        "addresses": Attribute(many(loose_cidr), [], put=False),
        "shared": Attribute(boolean, default=False, admin=True),
    },
    candidates=everybodys,
    has_tags=False,
)


def _segment_complete(call: Call, doc: Doc) -> Doc:
    if not call.is_admin:
        raise problem.not_authorized("rule:create_segment")
    NETWORKS.get(call, doc["network_id"])
    return doc


def _segment_shown(_call: Call, doc: Doc) -> Doc:
    return {name: value for name, value in doc.items() if name not in ("project_id", "tenant_id")}


SEGMENTS = Collection(
    singular="segment",
    plural="segments",
    path="segments",
    missing=("SegmentNotFound", "Segment {} could not be found."),
    attributes={
        "name": Attribute(maybe(text()), None),
        "description": Attribute(maybe(text()), ""),
        "network_id": Attribute(identifier, REQUIRED, put=False),
        "network_type": Attribute(text(), REQUIRED, put=False),
        "physical_network": Attribute(maybe(text()), None, put=False),
        "segmentation_id": Attribute(maybe(integer(1)), None, put=False),
    },
    complete=_segment_complete,
    shown=_segment_shown,
    indexed=("network_id",),
    has_tags=False,
)
