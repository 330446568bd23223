"""Volume types, their specs, encryption and access; QoS specs."""

from __future__ import annotations

import itertools
from typing import Any

from tests.devcloud.cinder.block import NOBODY, Block, fault

_NUMBERS = itertools.count(1)


def new_type(chief: Block, **body: Any) -> Any:
    return chief.post("types", {"name": f"type-{next(_NUMBERS)}", **body})


def new_qos(chief: Block, **specs: str) -> Any:
    return chief.post("qos-specs", {"name": f"qos-{next(_NUMBERS)}", **specs})


def test_a_new_cloud_has_a_default_type(block: Block) -> None:
    assert {"fake", "__DEFAULT__"} <= {each["name"] for each in block.listed("types")}
    assert block.listed("types/default")["name"] == "fake"


def test_only_administrators_change_types(block: Block, chief: Block) -> None:
    type = new_type(chief)
    path = f"types/{type['id']}"
    encryption = {"encryption": {"provider": "luks"}}
    for method, at, body in (
        ("POST", "types", {"volume_type": {"name": "x"}}),
        ("PUT", path, {"volume_type": {"name": "x"}}),
        ("DELETE", path, None),
        ("POST", f"{path}/extra_specs", {"extra_specs": {"a": "b"}}),
        ("POST", f"{path}/encryption", encryption),
        ("POST", f"{path}/action", {"addProjectAccess": {"project": block.project_id}}),
        ("GET", f"{path}/os-volume-type-access", None),
        ("GET", "qos-specs", None),
        ("POST", "qos-specs", {"qos_specs": {"name": "x"}}),
    ):
        status, told = block.refused(method, at, body)
        assert (status, told.startswith("Policy doesn't allow")) == (403, True), (method, at)


def test_a_type_is_made_changed_and_deleted(chief: Block) -> None:
    type = new_type(chief, description="d", extra_specs={"a": "b"})
    path = f"types/{type['id']}"
    assert type["os-volume-type-access:is_public"] is True
    clash = chief.refusal("types", name=type["name"])
    assert clash == (409, f"Volume Type {type['name']} already exists.")
    changed = chief.call("PUT", path, {"volume_type": {"name": f"{type['name']}-b"}})
    assert changed.body["volume_type"]["description"] == "d"
    assert chief.refused("PUT", path, {"volume_type": {}})[0] == 400
    assert chief.refused("PUT", path, {"volume_type": {"name": "fake"}})[0] == 409
    assert chief.refusal("types", name="")[0] == 400
    assert chief.call("DELETE", path).status == 202
    assert chief.refused("GET", path) == (404, f"Volume type {type['id']} could not be found.")
    (fake,) = (each for each in chief.listed("types") if each["name"] == "fake")
    assert chief.refused("DELETE", f"types/{fake['id']}")[0] == 400


def test_extra_specs_are_set_one_by_one_and_hidden_from_members(block: Block, chief: Block) -> None:
    type = new_type(chief)
    path = f"types/{type['id']}/extra_specs"
    specs = {"volume_backend_name": "x", "multiattach": "<is> True"}
    assert chief.call("POST", path, {"extra_specs": specs}).body == {"extra_specs": specs}
    assert chief.call("PUT", f"{path}/a", {"a": "b"}).body == {"a": "b"}
    assert chief.refused("PUT", f"{path}/a", {"c": "b"})[0] == 400
    assert chief.call("GET", f"{path}/a").body == {"a": "b"}
    assert chief.call("DELETE", f"{path}/a").status == 202
    assert chief.refused("DELETE", f"{path}/a")[0] == 404
    assert chief.listed(path) == specs
    assert block.listed(path) == {"multiattach": "<is> True"}
    assert block.volume(volume_type=type["name"])["multiattach"] is True


def test_a_private_type_is_seen_by_whom_it_was_opened_to(
    block: Block, other: Block, chief: Block
) -> None:
    private = {"os-volume-type-access:is_public": False}
    type = new_type(chief, **private)
    path = f"types/{type['id']}"
    assert block.refused("GET", path)[0] == 404
    assert block.refusal("volumes", size=1, volume_type=type["name"])[0] == 404
    access = {"project": block.project_id}
    assert chief.call("POST", f"{path}/action", {"addProjectAccess": access}).status == 202
    again = chief.refused("POST", f"{path}/action", {"addProjectAccess": access})
    assert again[0] == 409
    (granted,) = chief.listed(f"{path}/os-volume-type-access")
    assert granted["project_id"] == block.project_id
    assert block.show("types", type["id"])["name"] == type["name"]
    assert type["name"] in {each["name"] for each in block.listed("types")}
    assert type["name"] not in {each["name"] for each in other.listed("types")}
    assert type["name"] in {each["name"] for each in chief.listed("types?is_public=false")}
    assert type["name"] not in {each["name"] for each in chief.listed("types?is_public=true")}
    assert chief.call("POST", f"{path}/action", {"removeProjectAccess": access}).status == 202
    gone = chief.refused("POST", f"{path}/action", {"removeProjectAccess": access})
    assert gone[0] == 404
    public = new_type(chief)
    action = {"addProjectAccess": access}
    assert chief.refused("POST", f"types/{public['id']}/action", action)[0] == 409
    assert chief.refused("GET", f"types/{public['id']}/os-volume-type-access")[0] == 404


def test_encryption_is_kept_until_the_type_is_used(block: Block, chief: Block) -> None:
    type = new_type(chief)
    path = f"types/{type['id']}/encryption"
    assert chief.call("GET", path).body == {}
    assert chief.refused("POST", path, {"encryption": {"key_size": 256}})[0] == 400
    body = {"provider": "luks", "cipher": "aes-xts-plain64", "key_size": 256}
    made = chief.call("POST", path, {"encryption": body}).body["encryption"]
    assert (made["control_location"], made["volume_type_id"]) == ("front-end", type["id"])
    assert chief.refused("POST", path, {"encryption": body})[0] == 400
    change = {"encryption": {"key_size": 512}}
    assert chief.call("PUT", f"{path}/provider", change).body == change
    assert chief.call("GET", f"{path}/key_size").body == {"key_size": 512}
    wrong = {"encryption": {"control_location": "nowhere"}}
    assert chief.refused("PUT", f"{path}/provider", wrong)[0] == 400
    assert block.volume(volume_type=type["id"])["encrypted"] is True
    told = "Cannot delete encryption specs. Volume type in use."
    assert chief.refused("DELETE", f"{path}/provider") == (400, told)
    unused = new_type(chief)
    path = f"types/{unused['id']}/encryption"
    assert chief.call("POST", path, {"encryption": body}).status == 200
    assert chief.call("DELETE", f"{path}/provider").status == 202
    assert chief.refused("DELETE", f"{path}/provider")[0] == 404
    assert chief.call("GET", path).body == {}


def test_a_type_in_use_stays_until_its_volumes_have_another(block: Block, chief: Block) -> None:
    type = new_type(chief)
    volume = block.volume(volume_type=type["name"])
    told = "Target volume type is still in use."
    assert chief.refused("DELETE", f"types/{type['id']}") == (400, told)
    for wish, status in (({"new_type": type["name"]}, 400), ({"new_type": NOBODY}, 404), ({}, 400)):
        assert fault(block.act(volume["id"], "os-retype", wish))[0] == status
    wish = {"new_type": "fake", "migration_policy": "on-demand"}
    assert block.act(volume["id"], "os-retype", wish).status == 202
    assert block.until("volumes", volume["id"], "available")["volume_type"] == "fake"
    assert chief.call("DELETE", f"types/{type['id']}").status == 202


def test_qos_specs_are_set_and_removed(chief: Block) -> None:
    qos = new_qos(chief, read_iops_sec="100")
    assert (qos["consumer"], qos["specs"]) == ("back-end", {"read_iops_sec": "100"})
    path = f"qos-specs/{qos['id']}"
    more = {"qos_specs": {"write_iops_sec": "5"}}
    assert chief.call("PUT", path, more).body == more
    keys = {"keys": ["read_iops_sec"]}
    assert chief.call("PUT", f"{path}/delete_keys", keys).status == 202
    assert chief.refused("PUT", f"{path}/delete_keys", keys)[0] == 400
    assert chief.show("qos-specs", qos["id"])["specs"] == {"write_iops_sec": "5"}
    assert chief.refusal("qos-specs", name=qos["name"])[0] == 409
    assert chief.refusal("qos-specs", name="x", consumer="nobody")[0] == 400
    assert qos["id"] in {each["id"] for each in chief.listed("qos-specs")}
    assert chief.call("DELETE", path).status == 202
    told = f"No such QoS spec {qos['id']}."
    assert chief.refused("GET", path) == (404, told)
    assert chief.refused("GET", f"{path}/disassociate_all") == (404, told)


def test_qos_specs_stay_while_types_are_associated(chief: Block) -> None:
    qos, second, type = new_qos(chief), new_qos(chief), new_type(chief)
    path, query = f"qos-specs/{qos['id']}", f"?vol_type_id={type['id']}"
    assert chief.call("GET", f"{path}/associate{query}").status == 202
    assert chief.show("types", type["id"])["qos_specs_id"] == qos["id"]
    (found,) = chief.listed(f"{path}/associations")
    assert (found["association_type"], found["id"]) == ("volume_type", type["id"])
    assert chief.refused("DELETE", path)[0] == 400
    assert chief.refused("GET", f"qos-specs/{second['id']}/associate{query}")[0] == 400
    assert chief.refused("GET", f"{path}/associate?vol_type_id={NOBODY}")[0] == 404
    assert chief.refused("GET", f"{path}/associate")[0] == 400
    assert chief.call("GET", f"{path}/disassociate{query}").status == 202
    assert chief.listed(f"{path}/associations") == []
    assert chief.call("GET", f"{path}/associate{query}").status == 202
    assert chief.call("GET", f"{path}/disassociate_all").status == 202
    assert chief.call("GET", f"{path}/associate{query}").status == 202
    assert chief.call("DELETE", f"{path}?force=true").status == 202
    assert chief.show("types", type["id"])["qos_specs_id"] is None
