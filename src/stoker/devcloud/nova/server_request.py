"""The body of a server's creation, read and checked against what exists.

The rule: every refusal that Nova's API makes before it says 202 is made here; nothing is changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stoker.devcloud.nova import flavor as flavors
from stoker.devcloud.nova import host, keypair, plug, problem, quota
from stoker.devcloud.nova.ask import Ask, read_list, read_text
from stoker.devcloud.nova.server import GROUP, IMAGE, is_id
from stoker.devcloud.nova.server_form import check_form, check_tags

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stoker.devcloud.state import Doc

_NICS_NEEDED = 37


@dataclass(frozen=True, slots=True)
class Nic:
    """One wish for a network interface: a port, or a network with perhaps an address."""

    port_id: str = ""
    network_id: str = ""
    fixed_ip: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a checked body asks for."""

    body: Mapping[str, Any]
    name: str
    flavor: Doc
    image: Doc | None
    nics: tuple[Nic, ...]
    group_ids: tuple[str, ...]
    group: Doc | None
    zone: str
    forced_host: str
    count: int


def read(ask: Ask, body: Doc, hints: Mapping[str, Any]) -> Wanted:
    """Read and check a body."""
    check_form(ask, body)
    flavor = _flavor(ask, body)
    image = _image(ask, body, flavor)
    zone, forced = _zone(ask, body)
    _check_key(ask, body)
    count = _count(body)
    quota.check_metadata(ask.state, ask.caller.project_id, body.get("metadata") or {})
    quota.check_servers(ask.state, ask.caller.project_id, flavor, count)
    return Wanted(
        body=body,
        name=read_text(body, "name"),
        flavor=flavor,
        image=image,
        nics=_nics(ask, body, count),
        group_ids=_security_groups(ask, body),
        group=_group(ask, hints),
        zone=zone,
        forced_host=forced,
        count=count,
    )


def _flavor(ask: Ask, body: Doc) -> Doc:
    wanted = body.get("flavorRef")
    if wanted in (None, ""):
        raise problem.invalid("server", body.get("name"), "'flavorRef' is a required property")
    id = str(wanted).rstrip("/").rpartition("/")[2]
    project, is_admin = ask.caller.project_id, ask.caller.is_admin
    flavor = flavors.usable(ask.state, project, id, is_admin=is_admin)
    if flavor is None:
        raise problem.bad_request(f"Flavor {id} could not be found.")
    return flavor


def _image(ask: Ask, body: Doc, flavor: Doc) -> Doc | None:
    wanted = str(body.get("imageRef") or "").rstrip("/").rpartition("/")[2]
    if not wanted:
        boots = any(str(each.get("boot_index")) == "0" for each in devices(body))
        if not boots and not body.get("block_device_mapping"):
            raise problem.bad_request(
                "Invalid imageRef provided."
                if body.get("imageRef")
                else "Block Device Mapping is Invalid: You specified no boot device."
            )
        return None
    return check_image(ask, wanted, flavor)


def check_image(ask: Ask, id: str, flavor: Doc) -> Doc:
    """Give the image that a user wants to boot with a flavor, or refuse it."""
    if not is_id(id):
        raise problem.bad_request("Invalid imageRef provided.")
    image = ask.state.get(IMAGE, id)
    seen = image is not None and (
        ask.caller.is_admin
        or image.get("visibility") in ("public", "community")
        or image.get("owner") == ask.caller.project_id
    )
    if image is None or not seen:
        raise problem.bad_request(f"Image {id} could not be found.")
    if image["status"] != "active":
        raise problem.bad_request(f"Image {id} is not active.")
    if image.get("min_ram", 0) > flavor["ram"]:
        raise problem.bad_request("Flavor's memory is too small for requested image.")
    if image.get("min_disk", 0) > flavor["disk"] > 0:
        raise problem.bad_request("Flavor's disk is too small for requested image.")
    return image


def devices(body: Mapping[str, Any]) -> list[Doc]:
    """Give the block devices that a body names, in the second form."""
    return read_list(body, "block_device_mapping_v2", dict)


def _zone(ask: Ask, body: Doc) -> tuple[str, str]:
    """Give the zone and the host that a body names; ``zone:host`` is for administrators."""
    zone, _, forced = str(body.get("availability_zone") or "").partition(":")
    forced = forced.partition(":")[0] or str(body.get("host") or "")
    if forced:
        ask.only_admin("servers:create:forced_host")
    if zone and zone != host.ZONE:
        raise problem.bad_request("The requested availability zone is not available")
    return zone, forced


def _check_key(ask: Ask, body: Doc) -> None:
    name = body.get("key_name")
    if not isinstance(name, str | None):
        raise problem.invalid("key_name", name, f"{name!r} is not of type 'string'")
    if name and keypair.find(ask.state, ask.caller.user_id, name) is None:
        raise problem.bad_request("Invalid key_name provided.")


def _count(body: Doc) -> int:
    least, most = body.get("min_count") or 1, body.get("max_count") or body.get("min_count") or 1
    if not str(least).isdigit() or not str(most).isdigit():
        raise problem.invalid("min_count", least, "is not of type 'integer'")
    if int(least) > int(most):
        raise problem.bad_request("min_count must be <= max_count")
    return int(most)


def _nics(ask: Ask, body: Doc, count: int) -> tuple[Nic, ...]:
    wanted = body.get("networks")
    if wanted is None and ask.since(_NICS_NEEDED):
        raise problem.invalid(
            "server",
            body.get("name"),
            "'networks' is a required property: nics are required after microversion 2.36",
        )
    if wanted in ("auto", "none"):
        if not ask.since(_NICS_NEEDED):
            raise problem.invalid("networks", wanted, f"'{wanted}' is not of type 'array'")
        return () if wanted == "none" else _automatic(ask)
    if not wanted:
        return _automatic(ask)
    if not isinstance(wanted, list) or not all(isinstance(each, dict) for each in wanted):
        raise problem.invalid("networks", wanted, "is not of type 'array'")
    nics = tuple(read_nic(ask, each) for each in wanted)
    if count > 1 and any(nic.port_id for nic in nics):
        raise problem.bad_request(
            "Unable to launch multiple instances with a single configured port ID. Please launch"
            " your instance one by one with different ports."
        )
    if len({nic.port_id for nic in nics if nic.port_id}) < sum(bool(n.port_id) for n in nics):
        raise problem.bad_request("Port is given twice.")
    return nics


def read_nic(ask: Ask, wanted: Mapping[str, Any]) -> Nic:
    """Read and check one wish for a network interface."""
    if wanted.get("tag") is not None:
        check_tags([str(wanted["tag"])])
    if wanted.get("port"):
        port = plug.check_port(ask.as_user, str(wanted["port"]))
        return Nic(port_id=port["id"])
    network, address = wanted.get("uuid"), wanted.get("fixed_ip")
    if not network:
        raise problem.invalid("networks", wanted, "a network or a port is required")
    if not is_id(network):
        raise problem.bad_request(
            f"Bad networks format: network uuid is not in proper format ({network})"
        )
    plug.check_network(ask.as_user, network)
    if address:
        plug.check_address(ask.as_user, network, address)
    return Nic(network_id=network, fixed_ip=address or "")


def _automatic(ask: Ask) -> tuple[Nic, ...]:
    found = plug.available(ask.as_user)
    if len(found) > 1:
        raise problem.conflict(
            "Multiple possible networks found, use a Network ID to be more specific."
        )
    return tuple(Nic(network_id=network["id"]) for network in found)


def _security_groups(ask: Ask, body: Doc) -> tuple[str, ...]:
    names = [read_text(each, "name") for each in read_list(body, "security_groups", dict)]
    return tuple(plug.security_group(ask.as_user, name) for name in names)


def _group(ask: Ask, hints: Mapping[str, Any]) -> Doc | None:
    id = hints.get("group")
    if not id:
        return None
    group = ask.state.get(GROUP, str(id))
    if group is None or group["project_id"] != ask.caller.project_id:
        raise problem.bad_request(f"Instance group {id} could not be found.")
    allowed = quota.limits(ask.state, ask.caller.project_id)["server_group_members"]
    if 0 <= allowed <= len(group["members"]):
        raise problem.forbidden("Quota exceeded, too many servers in group")
    return group
