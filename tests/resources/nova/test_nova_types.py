from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from stoker.errors import CloudError, Invalid
from stoker.lang.expression import Call
from stoker.lang.unknown import UNKNOWN
from stoker.resources.nova.server_body import create_body, mark_tag
from stoker.resources.nova.server_state import attributes
from stoker.resources.polling import poll
from stoker.sdk.fault import Fault, fault
from stoker.sdk.resource import Next, Wanted
from tests.resources.recorded import Recorded, Template
from tests.resources.stepping import Life, kind_of, standing
from tests.resources.toy_cloud import ToyCloud

SERVER, KEY = "OS::Nova::Server", "OS::Nova::KeyPair"
SMALL = {"image": "ubuntu", "flavor": "small"}
PUBLIC = "ssh-rsa AAAA ann@home"


def body(given: Mapping[str, Any], ports: Mapping[str, str] | None = None) -> dict[str, Any]:
    cloud: Any = ToyCloud()
    return create_body(standing(SERVER, given), ports or {}, cloud)


def problems(given: Mapping[str, Any]) -> list[str]:
    kind = kind_of(SERVER)
    return [str(each) for each in kind.validate(kind.Props.parse(given))]


def test_a_server_is_asked_for_by_ids_with_its_mark() -> None:
    assert body({**SMALL, "tags": ["t"], "networks": [{"network": "net-x"}]})["server"] == {
        "name": "stack-res-abc",
        "flavorRef": "flavor:small",
        "imageRef": "image-1",
        "networks": [{"uuid": "net-x"}],
        "tags": ["stoker-mark-1", "t"],
    }


def test_everything_else_goes_where_nova_wants_it() -> None:
    given = {
        **SMALL,
        "name": "web",
        "key_name": "k",
        "availability_zone": "nova",
        "metadata": {"a": "x", "b": 5, "c": {"d": [1]}},
        "config_drive": True,
        "diskConfig": "AUTO",
        "admin_pass": "pw",
        "user_data": "#!/bin/sh",
        "security_groups": ["default", 5],
        "scheduler_hints": {"group": "g"},
    }
    sent = body(given)
    server = sent["server"]
    assert sent["os:scheduler_hints"] == {"group": "g"}
    assert server["name"] == "web"
    assert server["metadata"] == {"a": "x", "b": "5", "c": '{"d": [1]}'}
    assert base64.b64decode(server["user_data"]) == b"#!/bin/sh"
    assert server["security_groups"] == [{"name": "default"}, {"name": "5"}]
    assert (server["adminPass"], server["OS-DCF:diskConfig"]) == ("pw", "AUTO")
    assert (server["config_drive"], server["key_name"]) == (True, "k")


@pytest.mark.parametrize(
    ("networks", "ports", "sent"),
    [
        (None, {}, "auto"),
        ([], {}, "auto"),
        ([{"allocate_network": "none"}], {}, "none"),
        ([{"allocate_network": "auto"}], {}, "auto"),
        (
            [{"uuid": "net-x", "fixed_ip": "10.0.0.7"}],
            {},
            [{"uuid": "net-x", "fixed_ip": "10.0.0.7"}],
        ),
        ([{"port": "port-x", "tag": "nic"}], {}, [{"port": "port-x", "tag": "nic"}]),
        (
            [{"network": "net-x"}, {"subnet": "sub-x"}],
            {"1": "made"},
            [{"uuid": "net-x"}, {"port": "made"}],
        ),
    ],
)
def test_each_way_to_name_a_network_is_understood(
    networks: Any, ports: Mapping[str, str], sent: Any
) -> None:
    assert body({**SMALL, "networks": networks}, ports)["server"]["networks"] == sent


@pytest.mark.parametrize(
    ("device", "sent"),
    [
        (
            {"volume_id": "vol", "boot_index": 0, "delete_on_termination": False},
            {
                "uuid": "volume-1",
                "source_type": "volume",
                "destination_type": "volume",
                "boot_index": 0,
                "delete_on_termination": False,
            },
        ),
        (
            {"image_id": "ubuntu", "boot_index": 0, "volume_size": 1},
            {
                "uuid": "image-1",
                "source_type": "image",
                "destination_type": "volume",
                "boot_index": 0,
                "volume_size": 1,
            },
        ),
        (
            {"swap_size": 64},
            {
                "source_type": "blank",
                "destination_type": "local",
                "boot_index": -1,
                "delete_on_termination": True,
                "volume_size": 64,
                "guest_format": "swap",
            },
        ),
        (
            {"ephemeral_size": 2, "ephemeral_format": "ext4"},
            {
                "source_type": "blank",
                "destination_type": "local",
                "boot_index": -1,
                "delete_on_termination": True,
                "volume_size": 2,
                "guest_format": "ext4",
            },
        ),
        (
            {"volume_size": 3},
            {"source_type": "blank", "destination_type": "volume", "volume_size": 3},
        ),
    ],
)
def test_block_devices_say_where_their_data_come_from(
    device: Mapping[str, Any], sent: Mapping[str, Any]
) -> None:
    server = body({"flavor": "small", "block_device_mapping_v2": [device]})["server"]
    assert server["block_device_mapping_v2"] == [sent]
    assert server["imageRef"] == ""


def test_an_image_beside_devices_is_the_first_of_them() -> None:
    given = {**SMALL, "block_device_mapping_v2": [{"volume_id": "vol"}]}
    first = body(given)["server"]["block_device_mapping_v2"][0]
    assert (first["uuid"], first["boot_index"]) == ("image-1", 0)


def test_a_long_mark_still_is_a_tag() -> None:
    assert mark_tag("a/b,c") == "stoker-a_b_c"
    assert len(mark_tag("x" * 90)) <= 60
    assert mark_tag("x" * 90) != mark_tag("x" * 91)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"flavor": "small"}, "nothing to boot"),
        ({"flavor": "small", "block_device_mapping_v2": [{"boot_index": 1}]}, "nothing to boot"),
        ({**SMALL, "user_data_format": "SOFTWARE_CONFIG"}, "not supported yet"),
        ({**SMALL, "reservation_id": "r-1"}, "names reservations itself"),
        (
            {**SMALL, "block_device_mapping_v2": [{"volume_id": "v", "boot_index": 0}]},
            "more than one source to boot",
        ),
        (
            {
                **SMALL,
                "personality": {"/etc/x": "y"},
                "block_device_mapping_v2": [{"volume_id": "v", "volume_type": "t"}],
            },
            "cannot go with personality",
        ),
        (
            {
                "flavor": "small",
                "block_device_mapping_v2": [{"volume_id": "v"}, {"snapshot_id": "s"}],
            },
            "more than one device could be booted",
        ),
        ({**SMALL, "networks": [{"fixed_ip": "10.0.0.1"}]}, "give one of network"),
        ({**SMALL, "networks": [{"port": "p", "fixed_ip": "10.0.0.1"}]}, "give port alone"),
        ({**SMALL, "networks": [{"allocate_network": "auto"}, {"network": "n"}]}, "stands alone"),
    ],
)
def test_what_cannot_be_is_told(given: Mapping[str, Any], text: str) -> None:
    (found,) = problems(given)
    assert text in found


def test_what_is_not_known_yet_is_not_judged() -> None:
    for given in (
        {"image": UNKNOWN, "flavor": UNKNOWN, "networks": UNKNOWN, "personality": UNKNOWN},
        {
            "flavor": UNKNOWN,
            "networks": [UNKNOWN, {"port": UNKNOWN}],
            "block_device_mapping_v2": UNKNOWN,
        },
        {"flavor": "f", "block_device_mapping_v2": [{"boot_index": UNKNOWN}]},
        {**SMALL, "user_data_format": UNKNOWN, "user_data": UNKNOWN},
    ):
        assert problems(given) == []
        kind = kind_of(SERVER)
        assert kind.exclusive(kind.Props.parse(given)) == frozenset()


@pytest.mark.parametrize(
    ("old", "new", "forced"),
    [
        ({}, {"name": "n", "metadata": {"a": 1}, "tags": ["t"], "admin_pass": "x"}, set()),
        ({}, {"key_name": "k"}, {"key_name"}),
        ({}, {"flavor": "big"}, set()),
        ({}, {"flavor": "big", "flavor_update_policy": "REPLACE"}, {"flavor"}),
        ({}, {"image": "cirros"}, set()),
        ({}, {"image": "cirros", "image_update_policy": "REPLACE"}, {"image"}),
        ({}, {"image": None}, {"image"}),
        ({}, {"user_data": "x"}, {"user_data"}),
        ({}, {"user_data": "x", "user_data_update_policy": "IGNORE"}, set()),
        ({}, {"networks": [{"network": "n"}]}, set()),
    ],
)
def test_what_cannot_change_in_place_is_named(
    old: Mapping[str, Any], new: Mapping[str, Any], forced: set[str]
) -> None:
    kind = kind_of(SERVER)
    before, after = kind.Props.parse({**SMALL, **old}), kind.Props.parse({**SMALL, **new})
    assert kind.replaces(before, after, after.changed(before)) == forced


def test_a_port_that_is_plugged_in_is_held() -> None:
    kind = kind_of(SERVER)
    one = kind.Props.parse({**SMALL, "networks": [{"port": "p"}, {"network": "n"}]})
    assert kind.exclusive(one) == {("plugged port", "p")}
    assert kind.exclusive(kind.Props.parse(SMALL)) == frozenset()


def test_addresses_of_its_own_are_held() -> None:
    kind = kind_of(SERVER)
    nics = [
        {"network": "n", "fixed_ip": "10.0.0.7", "floating_ip": "f"},
        {"subnet": "s", "port_extra_properties": {"mac_address": "fa:16:3e:00:00:01"}},
    ]
    assert kind.exclusive(kind.Props.parse({**SMALL, "networks": nics})) == {
        ("address", "n", "10.0.0.7"),
        ("floating IP led", "f"),
        ("address", "s", "fa:16:3e:00:00:01"),
    }


def test_files_are_sent_in_the_last_version_that_takes_them() -> None:
    cloud = ToyCloud()
    Life(SERVER, cloud).create({**SMALL, "personality": {"/etc/x": "y", "/etc/z": {"a": 1}}})
    [sent] = [each for path, each in cloud.compute.calls if path == "/servers"]
    assert [
        (each["path"], base64.b64decode(each["contents"])) for each in sent["server"]["personality"]
    ] == [("/etc/x", b"y"), ("/etc/z", b'{"a": 1}')]
    assert cloud.compute.versions == ["2.56"]


SUBNETS = Template(
    one=("OS::Neutron::Subnet", {"network": "net"}),
    two=("OS::Neutron::Subnet", {"network": "other"}),
)


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({"networks": [{"network": "net"}]}, ["one"]),
        ({"networks": [{"uuid": "net"}, {"network": "other"}]}, ["one", "two"]),
        ({"networks": [{"port": Call("get_resource", "p", "2021-04-16", None)}]}, []),
        ({}, ["one", "two"]),
    ],
)
def test_a_server_comes_after_the_subnets_of_its_networks(
    properties: Any, expected: list[str]
) -> None:
    assert list(kind_of(SERVER).after(Wanted("s", SERVER, properties), SUBNETS)) == expected


def test_the_wait_grows_to_five_seconds_and_keeps_the_data() -> None:
    data: Mapping[str, Any] = {"ports": {"0": "p"}}
    seconds = []
    for _ in range(30):
        wait = poll(data)
        seconds.append(wait.seconds)
        data = wait.data or {}
    assert seconds[0] == 0.5
    assert seconds == sorted(seconds)
    assert seconds[-1] == 5.0
    assert data["ports"] == {"0": "p"}


def test_a_server_in_error_tells_novas_reason_and_is_broken() -> None:
    cloud = ToyCloud()
    cloud.compute.fault = "No valid host was found."
    with pytest.raises(CloudError, match="No valid host was found") as caught:
        Life(SERVER, cloud).create(SMALL)
    assert fault(caught.value) is Fault.BROKEN


def test_a_server_shows_its_addresses_by_network_name_and_id_with_ports() -> None:
    life = Life(SERVER, ToyCloud())
    life.create({**SMALL, "networks": [{"network": "net-x"}], "tags": ["t"]})
    networks = life.attributes["networks"]
    assert networks["net-x"] == networks["name of net-x"]
    assert life.attributes["first_address"] == networks["net-x"][0]
    assert life.attributes["addresses"]["net-x"][0]["port"] == "nova-port-2"
    assert life.attributes["tags"] == ["t"], "the mark is ours alone"
    assert life.attributes["instance_id"] == life.id
    assert (
        kind_of(SERVER).attribute(Recorded(attributes=life.attributes), "console_urls", ()) is None
    )


def test_a_server_without_a_network_has_no_address() -> None:
    shown = attributes({"name": "n", "id": "i", "status": "ACTIVE"}, [])
    assert (shown["first_address"], shown["networks"]) == ("", {})


def test_every_change_in_place_is_made() -> None:
    cloud = ToyCloud()
    life = Life(SERVER, cloud)
    life.create({**SMALL, "metadata": {"old": "1", "same": "2"}, "tags": ["t"]})
    id = life.id
    life.update(
        {
            "image": "cirros",
            "flavor": "big",
            "name": "web",
            "metadata": {"same": "2", "new": 3},
            "tags": ["u"],
            "admin_pass": "pw",
            "user_data": "again",
            "user_data_update_policy": "REBUILD",
        }
    )
    server = cloud.compute.servers[id or ""]
    assert life.id == id
    assert server["metadata"] == {"same": "2", "new": "3"}
    assert server["tags"] == ["stoker-mark-1", "u"]
    assert (server["name"], server["image"]) == ("web", {"id": "image-2"})
    assert server["flavor"] == {"original_name": "flavor:big"}
    assert server["status"] == "ACTIVE"
    actions = [next(iter(sent)) for path, sent in cloud.compute.calls if path.endswith("/action")]
    assert actions == ["resize", "confirmResize", "rebuild", "rebuild", "changePassword"]


def test_a_change_that_nova_took_and_did_not_make_is_an_error() -> None:
    cloud = ToyCloud()
    life = Life(SERVER, cloud)
    life.create(SMALL)
    kind = kind_of(SERVER)
    new = {**SMALL, "flavor": "big"}
    at = standing(SERVER, new, id=life.id, old=kind.Props.parse(SMALL), data={"resized": True})
    at = replace(at, changed=frozenset({"flavor"}))
    with pytest.raises(CloudError, match="was not resized") as caught:
        kind.update(at, cloud)  # type: ignore[arg-type]
    assert fault(caught.value) is Fault.FATAL


def interfaces(cloud: ToyCloud, id: str | None) -> list[tuple[str, str]]:
    rows = cloud.compute.servers[id or ""]["interfaces"]
    return [(row["port_id"], row["net_id"]) for row in rows]


def test_interfaces_are_taken_off_and_put_on_and_foreign_ones_stay() -> None:
    cloud = ToyCloud()
    life = Life(SERVER, cloud)
    life.create({**SMALL, "networks": [{"network": "a-x"}, {"port": "p-x"}]})
    by_hand = {"interfaceAttachment": {"net_id": "hand-x"}}
    cloud.compute.post(f"/servers/{life.id}/os-interface", by_hand)
    life.update({**SMALL, "networks": [{"network": "b-x"}, {"port": "p-x"}, {"subnet": "s-x"}]})
    ports, nets = zip(*interfaces(cloud, life.id), strict=True)
    assert sorted(nets) == ["b-x", "hand-x", "net-x", "net-x"]
    assert "p-x" in ports
    own = life.stored["ports"]["0"]
    assert own in ports
    assert cloud.network.show("port", own)["name"] == "stack-res-abc-port-0"
    life.update({**SMALL, "networks": [{"port": "p-x"}]})
    assert sorted(net for _, net in interfaces(cloud, life.id)) == ["hand-x", "net-x"]
    assert life.stored == {"ports": {}}
    assert cloud.network.rows.get("port") == {}


def test_a_port_that_stays_takes_on_what_is_said_of_it() -> None:
    cloud = ToyCloud()
    life = Life(SERVER, cloud)
    nic = {"network": "net-x", "port_extra_properties": {"value_specs": {"description": "a"}}}
    life.create({**SMALL, "networks": [nic]})
    changed = {"network": "net-x", "port_extra_properties": {"value_specs": {"description": "b"}}}
    before = interfaces(cloud, life.id)
    life.update({**SMALL, "networks": [changed]})
    assert interfaces(cloud, life.id) == before
    assert cloud.network.show("port", before[0][0])["description"] == "b"


def test_a_server_that_was_never_made_leaves_no_port_behind() -> None:
    cloud = ToyCloud(lose=0)
    kind: Any = kind_of(SERVER)
    at = standing(SERVER, {**SMALL, "networks": [{"subnet": "s-x"}]})
    with pytest.raises(CloudError):
        kind.create(at, cloud)
    assert ("port", "stack-res-abc-port-0") in cloud.objects()
    assert isinstance(kind.delete(at, cloud), Next)
    assert cloud.objects() == ToyCloud().objects()


def test_a_key_pair_of_that_name_that_is_not_ours_is_left_alone() -> None:
    cloud = ToyCloud()
    cloud.compute.post("/os-keypairs", {"keypair": {"name": "k", "public_key": "ssh-rsa BBBB"}})
    with pytest.raises(Invalid, match="exists already"):
        Life(KEY, cloud).create({"name": "k", "public_key": PUBLIC})
    assert cloud.compute.keypairs["k"]["public_key"] == "ssh-rsa BBBB"


def test_a_key_pair_made_by_somebody_in_between_is_not_adopted() -> None:
    cloud: Any = ToyCloud()
    kind = kind_of(KEY)
    at = standing(KEY, {"name": "k", "public_key": PUBLIC}, data={"absent": True})
    cloud.compute.post("/os-keypairs", {"keypair": {"name": "k", "public_key": "ssh-rsa BBBB"}})
    assert kind.find(at, cloud) is None
    with pytest.raises(Invalid):
        kind.create(at, cloud)


def test_a_generated_key_is_kept_only_if_asked_for() -> None:
    for save, secret in ((True, "secret 1"), (False, "")):
        life = Life(KEY, ToyCloud())
        life.create({"name": "k", "save_private_key": save})
        assert life.attributes["private_key"] == secret
        assert life.id == "k"


def test_a_generated_key_whose_answer_was_lost_is_made_again() -> None:
    cloud = ToyCloud(lose=0)
    life = Life(KEY, cloud)
    life.create({"name": "k", "save_private_key": True})
    assert [method for method, _ in cloud.changes] == ["POST", "DELETE", "POST"]
    assert life.attributes["private_key"] == "secret 2"


def test_show_keeps_the_secret_to_itself() -> None:
    view = Recorded(id="k", attributes={"name": "k", "private_key": "s"})
    kind = kind_of(KEY)
    assert kind.attribute(view, "show", ()) == {"name": "k"}
    assert kind.attribute(view, "private_key", ()) == "s"
    assert kind.reference(view) == "k"


def test_a_key_pair_may_belong_to_another_user() -> None:
    cloud = ToyCloud()
    life = Life(KEY, cloud)
    life.create({"name": "k", "public_key": PUBLIC, "user": "ann"})
    assert cloud.compute.calls[0][1]["keypair"]["user_id"] == "user-1"
    life.delete()
    assert cloud.changes[-1] == ("DELETE", "/os-keypairs/k?user_id=user-1")


def test_the_name_of_a_key_pair_is_exclusive() -> None:
    kind = kind_of(KEY)
    one, two = (kind.Props.parse({"name": "k", "public_key": key}) for key in ("a", "b"))
    assert kind.exclusive(one) == kind.exclusive(two)
    assert kind.replaces(one, two, two.changed(one)) == {"public_key"}
