"""Relations and volumes in the embedded cloud: what was there before, and what others do."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import pytest

from stoker.errors import CloudError, Invalid
from stoker.sdk.fault import Fault, fault
from stoker.sdk.resource import Done, Wait
from tests.resources.scene import IMAGE, LATENCY, Scene
from tests.resources.stepping import kind_of
from tests.resources.troubled import Losing, Troubled, census

LED, INTERFACE = "OS::Neutron::FloatingIPAssociation", "OS::Neutron::RouterInterface"
RULE, FIP = "OS::Neutron::SecurityGroupRule", "OS::Neutron::FloatingIP"
VOLUME, ON = "OS::Cinder::Volume", "OS::Cinder::VolumeAttachment"
TYPE, ENCRYPTED = "OS::Cinder::VolumeType", "OS::Cinder::EncryptedVolumeType"
GROUP, FLAVOR, WEB = "OS::Nova::ServerGroup", "OS::Nova::Flavor", "OS::Glance::WebImage"
ROUTER = "OS::Neutron::Router"
BARE = {"disk_format": "raw", "container_format": "bare"}

RELATIONS: list[tuple[str, str, Mapping[str, Any]]] = [
    ("demo", LED, {"floatingip_id": "$fip1", "port_id": "$port1"}),
    ("demo", INTERFACE, {"router": "$router2", "subnet": "$subnet2"}),
    ("demo", RULE, {"security_group": "group", "protocol": "udp", "description": "a"}),
    ("demo", ON, {"instance_uuid": "$server1", "volume_id": "volume1"}),
    ("admin", ENCRYPTED, {"volume_type": "type1", "provider": "luks"}),
    ("admin", FLAVOR, {"ram": 64, "vcpus": 1, "flavorid": "mine"}),
    (
        "demo",
        WEB,
        {**BARE, "location": "$url", "id": "11111111-2222-4333-8444-555555555555"},
    ),
]


def life(scene: Scene, type_name: str, user: str = "demo") -> Troubled:
    guard = Losing()
    return Troubled(scene.cloud(user, guard), guard, type_name)


@pytest.mark.parametrize(("user", "type_name", "given"), RELATIONS, ids=lambda each: str(each)[:40])
def test_what_was_there_before_is_a_conflict_and_stays(
    user: str, type_name: str, given: Mapping[str, Any], scene: Scene
) -> None:
    first, second = life(scene, type_name, user), life(scene, type_name, user)
    first.create(scene.filled(given))
    before = census(scene.url)
    with pytest.raises(Invalid, match="is not this resource's"):
        second.create(scene.filled(given))
    assert second.guard.calls == [], "a conflict is seen before any call"
    second.applied = scene.filled(given)
    second.delete()
    assert census(scene.url) == before
    first.delete()


def test_a_name_that_is_taken_is_no_reason_to_wait_and_leaves_what_can_be_deleted(
    scene: Scene,
) -> None:
    given = {"name": "type2"}
    before = census(scene.url)
    mine = life(scene, TYPE, "admin")
    with pytest.raises(CloudError) as caught:
        mine.create(given)
    assert fault(caught.value) is Fault.FATAL
    found = kind_of(TYPE).find(mine._at(given), mine.cloud)  # noqa: SLF001 - as the engine does
    assert found is not None
    mine.id, mine.applied = found.id, given
    mine.delete()
    assert census(scene.url) == before


def test_a_server_group_of_a_name_that_others_have_is_one_more(scene: Scene) -> None:
    first, second = life(scene, GROUP), life(scene, GROUP)
    first.create({"name": "same"})
    second.create({"name": "same"})
    assert first.id != second.id
    second.delete()
    cloud = scene.cloud("demo")
    assert cloud.compute.get(f"/os-server-groups/{first.id}")["server_group"]["name"] == "same"
    first.delete()


def test_a_floating_ip_that_others_led_elsewhere_is_left_to_them(scene: Scene) -> None:
    mine = life(scene, LED)
    mine.create(scene.filled({"floatingip_id": "$fip1", "port_id": "$port1"}))
    network = scene.cloud("demo").network
    network.update("floatingip", scene.ids["fip1"], {"port_id": scene.ids["port2"]})
    mine.delete()
    assert network.show("floatingip", scene.ids["fip1"])["port_id"] == scene.ids["port2"]
    network.update("floatingip", scene.ids["fip1"], {"port_id": None})


@pytest.mark.parametrize("then", ["$fip1", "$fip2"])
def test_an_association_that_was_about_to_change_is_undone_where_it_leads(
    then: str, scene: Scene
) -> None:
    """The row keeps the id and the data of the last step; the engine hands both to delete."""
    mine = life(scene, LED)
    mine.create(scene.filled({"floatingip_id": "$fip1", "port_id": "$port1"}))
    wanted = scene.filled({"floatingip_id": then, "port_id": "$port2"})
    network = scene.cloud("demo").network
    if then == "$fip2":
        network.update("floatingip", scene.ids["fip1"], {"port_id": None})
    network.update("floatingip", scene.ids[then[1:]], {"port_id": scene.ids["port2"]})
    mine.id, mine.applied = scene.ids[then[1:]], wanted
    mine.stored = {**mine.stored, "to": scene.ids["port2"]}
    mine.delete()
    for name in ("fip1", "fip2"):
        assert network.show("floatingip", scene.ids[name])["port_id"] is None


def test_a_volume_that_others_moved_where_it_is_wanted_is_taken_as_it_is(scene: Scene) -> None:
    mine = life(scene, ON)
    mine.create(scene.filled({"instance_uuid": "$server1", "volume_id": "volume1"}))
    cloud = scene.cloud("demo")
    server, volume = scene.ids["server2"], scene.ids["volume1"]
    cloud.compute.remove(f"/servers/{scene.ids['server1']}/os-volume_attachments/{volume}")
    _settled(scene, volume, "available")
    body = {"volumeAttachment": {"volumeId": volume}}
    cloud.compute.post(f"/servers/{server}/os-volume_attachments", body)
    mine.update(scene.filled({"instance_uuid": "$server2", "volume_id": "volume1"}))
    assert mine.attributes["serverId"] == server
    mine.delete()
    _settled(scene, volume, "available")


def test_an_attachment_named_otherwise_is_left_in_place(scene: Scene) -> None:
    mine = life(scene, ON)
    mine.create(scene.filled({"instance_uuid": "$server1", "volume_id": "volume1"}))
    before = list(mine.guard.calls)
    mine.update(scene.filled({"instance_uuid": "$server1", "volume_id": "$volume1"}))
    assert mine.guard.calls == before
    mine.delete()


def test_attachments_to_two_servers_are_two_though_they_have_the_id_of_one_volume() -> None:
    kind = kind_of(ON)
    to = [kind.Props.parse({"instance_uuid": each, "volume_id": "v"}) for each in ("s1", "s2")]
    assert kind.is_one(to[0], to[0])
    assert not kind.is_one(*to)


def _settled(scene: Scene, id: str, status: str, kind: str = "volume") -> None:
    volume = scene.cloud("demo").volume
    for _ in range(500):
        if volume.get(f"/{kind}s/{id}")[kind]["status"] == status:
            return
        time.sleep(LATENCY)
    raise AssertionError(f"the {kind} is not {status}")


def test_a_volume_in_use_changes_in_place_and_is_busy_for_its_deletion(scene: Scene) -> None:
    volume, on = life(scene, VOLUME), life(scene, ON)
    volume.create({"size": 1, "metadata": {"a": "b"}})
    on.create(scene.filled({"instance_uuid": "$server1", "volume_id": volume.id}))
    assert volume.id is not None
    own = scene.cloud("demo").volume
    own.post(f"/volumes/{volume.id}/metadata", {"metadata": {"theirs": "x"}})
    volume.update({"size": 3, "read_only": True, "metadata": {"c": "d"}})
    shown = volume.attributes
    assert shown["size"] == "3"
    assert shown["metadata_values"] == {"c": "d", "theirs": "x", "readonly": "True"}
    (attached,) = shown["attachments_list"]
    assert attached["server_id"] == scene.ids["server1"], "it was put back"
    with pytest.raises(CloudError, match="is in use by") as caught:
        kind_of(VOLUME).delete(volume._at({}), volume.cloud)  # noqa: SLF001 - one step
    assert fault(caught.value) is Fault.BUSY
    on.delete()
    volume.delete()


def test_a_volume_does_not_shrink(scene: Scene) -> None:
    volume = life(scene, VOLUME)
    volume.create({"size": 2})
    with pytest.raises(Invalid, match="write 2 or more"):
        volume.update({"size": 1})
    volume.delete()


def test_a_volume_that_fails_is_broken_and_can_be_deleted(scene: Scene) -> None:
    given = {"size": 1, "metadata": {"devcloud:error": "yes"}}
    volume = life(scene, VOLUME)
    with pytest.raises(CloudError, match="went to status error") as caught:
        volume.create(given)
    assert fault(caught.value) is Fault.BROKEN
    found = kind_of(VOLUME).find(volume._at(given), volume.cloud)  # noqa: SLF001 - its mark
    assert found is not None
    volume.id, volume.applied = found.id, given
    volume.delete()


def test_a_backup_becomes_a_volume_and_is_restored_into_one(scene: Scene) -> None:
    cloud = scene.cloud("demo")
    body = {"backup": {"volume_id": scene.ids["volume2"], "name": "kept"}}
    backup = cloud.volume.post("/backups", body)["backup"]["id"]
    _settled(scene, scene.ids["volume2"], "available")
    _settled(scene, backup, "available", "backup")
    first, other = life(scene, VOLUME), life(scene, VOLUME)
    first.create({"backup_id": "kept", "name": "from it"})
    assert (first.attributes["display_name"], first.attributes["size"]) == ("from it", "1")
    other.create({"size": 1})
    before = list(other.guard.calls)
    other.update({"size": 1, "backup_id": backup})
    restores = [call for call in other.guard.calls[len(before) :] if "restore" in call]
    assert len(restores) == 1
    first.delete()
    other.delete()
    cloud.volume.remove(f"/backups/{backup}")


def test_an_image_that_cannot_be_fetched_is_not_tried_again(scene: Scene) -> None:
    image = life(scene, WEB)
    with pytest.raises(CloudError, match="could not be fetched") as caught:
        image.create({**BARE, "location": "http://127.0.0.1:9/none.img"})
    assert fault(caught.value) is Fault.FATAL
    given = {**BARE, "location": "http://127.0.0.1:9/none.img"}
    found = kind_of(WEB).find(image._at(given), image.cloud)  # noqa: SLF001 - its mark
    assert found is not None
    image.id, image.applied = found.id, given
    image.delete()


def test_a_port_is_reached_through_a_router_of_its_own(scene: Scene) -> None:
    """All of it comes, is in each other's way while in use, and goes in reverse order."""
    router = life(scene, ROUTER)
    router.create({"external_gateway_info": {"network": "public"}, "tags": ["t"]})
    assert router.attributes["external_gateway_info"]["enable_snat"] is True
    interface = life(scene, INTERFACE)
    interface.create(scene.filled({"router": router.id, "subnet": "$subnet2"}))
    assert interface.id == f"{router.id}:subnet_id={scene.ids['subnet2']}"
    port = life(scene, "OS::Neutron::Port")
    port.create(scene.filled({"network": "net2", "fixed_ips": [{"subnet": "$subnet2"}]}))
    address = life(scene, FIP)
    address.create({"floating_network": "public", "port_id": port.id})
    assert address.attributes["router_id"] == router.id
    for user in (interface, router):
        with pytest.raises(CloudError) as caught:
            kind_of(user.type_name).delete(user._at(user.applied or {}), user.cloud)  # noqa: SLF001
        assert fault(caught.value) is Fault.BUSY
    address.update({"floating_network": "public"})
    assert address.attributes["port_id"] is None
    router.update({"name": "r", "tags": []})
    assert router.attributes["external_gateway_info"] is None
    for each in (address, port, interface, router):
        each.delete()


def test_an_interface_may_be_a_port_of_the_users(scene: Scene) -> None:
    port = life(scene, "OS::Neutron::Port")
    port.create(scene.filled({"network": "net2", "name": "door"}))
    interface = life(scene, INTERFACE)
    interface.create(scene.filled({"router": "$router2", "port": "door"}))
    assert interface.id == f"{scene.ids['router2']}:port_id={port.id}"
    assert interface.attributes["port_id"] == port.id
    interface.delete()
    step: Any = Wait()
    while isinstance(step, Wait):  # Neutron may have taken the port along
        step = kind_of("OS::Neutron::Port").delete(port._at(port.applied or {}), port.cloud)  # noqa: SLF001
    assert isinstance(step, Done)


def test_a_volume_of_an_image_boots(scene: Scene) -> None:
    volume = life(scene, VOLUME)
    volume.create({"size": 1, "image": IMAGE})
    assert volume.attributes["bootable"] == "true"
    volume.delete()
