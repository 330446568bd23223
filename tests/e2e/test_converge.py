"""Updates with converge: what others have taken away or changed meanwhile is brought back."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openstack.connection import Connection

    from tests.e2e.rest import Rest

TEMPLATE = """
heat_template_version: 2021-04-16
resources:
  net: {type: OS::Neutron::Net, properties: {name: NAME-net, tags: [a]}}
  subnet:
    type: OS::Neutron::Subnet
    properties: {network: {get_resource: net}, cidr: 10.7.0.0/24, dns_nameservers: [10.0.0.1]}
  port: {type: OS::Neutron::Port, properties: {network: {get_resource: net}}}
  server:
    type: OS::Nova::Server
    properties:
      image: cirros-0.6.2-x86_64-disk
      flavor: m1.tiny
      metadata: {a: b}
      networks: [{port: {get_resource: port}}]
  volume: {type: OS::Cinder::Volume, properties: {size: 1, description: ours}}
  group:
    type: OS::Heat::ResourceGroup
    properties: {count: 2, resource_def: {type: OS::Neutron::SecurityGroup}}
outputs:
  groups: {value: {get_attr: [group, refs]}}
"""


def test_what_others_changed_is_brought_back_and_what_is_gone_made_anew(
    rest: Rest, conn: Connection, name: str
) -> None:
    template = TEMPLATE.replace("NAME", name)
    stack = rest.create(name, template)
    stack.wait("CREATE_COMPLETE")
    before, groups = stack.physical_ids(), stack.outputs()["groups"]
    conn.network.update_network(before["net"], name="theirs")
    conn.network.update_subnet(before["subnet"], dns_nameservers=["9.9.9.9"])
    conn.block_storage.update_volume(before["volume"], description="theirs")
    conn.compute.delete_server(before["server"])
    conn.compute.wait_for_delete(conn.compute.get_server(before["server"]))
    conn.network.delete_security_group(groups[0])

    stack.updated(template)  # an update that does not look changes nothing
    assert (stack.physical_ids(), stack.outputs()["groups"]) == (before, groups)
    assert conn.network.get_network(before["net"]).name == "theirs"

    stack.updated(template, converge=True)
    after, members = stack.physical_ids(), stack.outputs()["groups"]
    assert {key for key in after if after[key] != before[key]} == {"server"}
    assert conn.compute.get_server(after["server"]).metadata["a"] == "b"
    assert conn.network.get_network(after["net"]).name == f"{name}-net"
    assert conn.network.get_subnet(after["subnet"]).dns_nameservers == ["10.0.0.1"]
    assert conn.block_storage.get_volume(after["volume"]).description == "ours"
    assert (members[0] != groups[0], members[1]) == (True, groups[1])
    assert conn.network.get_security_group(members[0]).id == members[0]

    count = len(stack.events(1))
    stack.updated(template, converge=True)  # all is as it should be
    told = [each["resource_name"] for each in stack.events(1)[count:]]
    assert [each for each in told if each in before.keys() - {"group"} or each.isdigit()] == []
    stack.deleted()


def test_a_patch_without_a_template_can_converge(rest: Rest, conn: Connection, name: str) -> None:
    template = TEMPLATE.replace("NAME", name)
    stack = rest.create(name, template)
    stack.wait("CREATE_COMPLETE")
    volume = stack.physical_ids()["volume"]
    conn.block_storage.update_volume(volume, description="theirs")
    body = {"converge": True, "template": template}
    planned = rest.call("PUT", f"{stack.path}/preview?show_nested=True", body).json
    seen = [each["resource_name"] for each in planned["resource_changes"]["updated"]]
    assert {"net", "port", "server", "volume", "0", "1"} <= set(seen)
    assert stack.update(method="PATCH", converge=True).status == 202
    stack.wait("UPDATE_COMPLETE")
    assert conn.block_storage.get_volume(volume).description == "ours"
    stack.deleted()
