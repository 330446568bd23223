"""Cases from ONAP: servers with several ports in networks of other stacks, and environments.

Their environments leave the names of a cloud's own things open; here they are filled in.
"""

from __future__ import annotations

from typing import Final

from tests.e2e.corpus_case import FLAVOR, IMAGE, KEY, LARGER, OTHER_IMAGE, Case, Named
from tests.e2e.corpus_stock import PUBLIC_KEY

_ONAP: Final = "onap+demo/heat"
_OWN: Final = Named("network", "onap-net")
_UNPROTECTED: Final = Named("network", "unprotected-net")
_PROTECTED: Final = Named("network", "protected-net")
_PKTGEN: Final = Named("network", "pktgen-net")
_SIGNAL: Final = Named("network", "cpe-signal-net")
_CPE: Final = Named("network", "cpe-public-net")
_BNG: Final = Named("network", "bng-net")
_TEST: Final = Named("image", "test")
_IN_ONAP: Final = {
    "public_net_id": "shared",
    "onap_private_net_id": _OWN.name,
    "onap_private_subnet_id": _OWN.name,
    "onap_private_net_cidr": "10.0.0.0/16",
    "cloud_env": "openstack",
}
_GROUPED: Final = {**_IN_ONAP, "sec_group": "default"}
_VCPE: Final = {
    "vcpe_image_name": IMAGE,
    "vcpe_flavor_name": FLAVOR,
    "public_net_id": "shared",
    "cloud_env": "openstack",
}

CASES: Final = (
    Case(
        f"{_ONAP}/vFW/base_vfw.yaml",
        {
            **_GROUPED,
            "vfw_image_name": IMAGE,
            "vpg_image_name": IMAGE,
            "vsn_image_name": IMAGE,
            "vfw_flavor_name": FLAVOR,
            "vpg_flavor_name": FLAVOR,
            "vsn_flavor_name": FLAVOR,
            "pub_key": PUBLIC_KEY,
        },
        env=f"{_ONAP}/vFW/base_vfw.env",
        changes={"vsn_flavor_name": LARGER, "vnf_name": "another"},
        replaced=frozenset({"my_keypair", "vfw_server_0", "vpg_server_0", "vsn_server_0"}),
        needs=(_OWN,),
        real=True,
    ),
    Case(
        f"{_ONAP}/vFWCL/vPKG/base_vpkg.yaml",
        {
            **_GROUPED,
            "vpg_image_name": IMAGE,
            "vpg_flavor_name": FLAVOR,
            "unprotected_private_net_id": _UNPROTECTED.name,
            "unprotected_private_subnet_id": _UNPROTECTED.name,
            "pub_key": PUBLIC_KEY,
        },
        env=f"{_ONAP}/vFWCL/vPKG/base_vpkg.env",
        changes={"vpg_unprotected_private_ip_0": "192.168.10.201"},
        replaced=frozenset({"vpg_server_0"}),
        needs=(_OWN, _UNPROTECTED),
        real=True,
    ),
    Case(
        f"{_ONAP}/vFW_NextGen/templates/vsn.yaml",
        {
            **_GROUPED,
            "vsn_image_name": IMAGE,
            "vsn_flavor_name": FLAVOR,
            "int_private2_net_id": _PROTECTED.name,
            "int_private2_subnet_id": _PROTECTED.name,
            "key_name": KEY.name,
        },
        env=f"{_ONAP}/vFW_NextGen/templates/vsn.env",
        changes={"vnf_name": "another", "vsn_name_0": "vsn"},
        needs=(KEY, _OWN, _PROTECTED),
        real=True,
    ),
    Case(
        f"{_ONAP}/vFW_CNF_CDS/templates/base_dummy/base_template.yaml",
        {"vnf_name": "n", "vnf_id": "i", "vf_module_id": "m"},
        needs=(_TEST,),
        flavors=("test",),
    ),
    Case(
        f"{_ONAP}/vLB_CDS/vpkg.yaml",
        {
            **_GROUPED,
            "vpg_image_name": IMAGE,
            "vpg_flavor_name": FLAVOR,
            "int_pktgen_private_net_id": _PKTGEN.name,
            "int_pktgen_private_subnet_id": _PKTGEN.name,
            "vpg_onap_private_ip_0": "10.0.101.12",
            "keypair": KEY.name,
        },
        env=f"{_ONAP}/vLB_CDS/vpkg.env",
        changes={"vpg_image_name": OTHER_IMAGE},
        needs=(KEY, _OWN, _PKTGEN),
        real=True,
    ),
    Case(
        f"{_ONAP}/vLBMS/base_vlb.yaml",
        {
            **_GROUPED,
            **dict.fromkeys(("vlb_image_name", "vdns_image_name", "vpg_image_name"), IMAGE),
            **dict.fromkeys(("vlb_flavor_name", "vdns_flavor_name", "vpg_flavor_name"), FLAVOR),
            "vlb_onap_private_ip_0": "10.0.101.21",
            "vdns_onap_private_ip_0": "10.0.101.22",
            "vpg_onap_private_ip_0": "10.0.101.23",
        },
        env=f"{_ONAP}/vLBMS/base_vlb.env",
        changes={"vdns_name_0": "vdns", "vpg_flavor_name": LARGER},
        needs=(_OWN,),
        real=True,
    ),
    Case(
        f"{_ONAP}/vCPE/infra/base_vcpe_infra.yaml",
        {
            **_IN_ONAP,
            **_VCPE,
            "cpe_signal_net_id": _SIGNAL.name,
            "cpe_signal_subnet_id": _SIGNAL.name,
            "cpe_public_net_id": _CPE.name,
            "cpe_public_subnet_id": _CPE.name,
            "vdhcp_private_ip_0": "10.4.0.11",
            "vdns_private_ip_0": "10.2.0.11",
            "pub_key": PUBLIC_KEY,
        },
        env=f"{_ONAP}/vCPE/infra/base_vcpe_infra.env",
        needs=(_OWN, _SIGNAL, _CPE),
        real=True,
    ),
    Case(
        f"{_ONAP}/vCPE/vbrgemu/base_vcpe_vbrgemu.yaml",
        {
            **_VCPE,
            "vbrgemu_bng_private_net_id": _BNG.name,
            "vbrgemu_bng_private_subnet_id": _BNG.name,
            "pub_key": PUBLIC_KEY,
        },
        env=f"{_ONAP}/vCPE/vbrgemu/base_vcpe_vbrgemu.env",
        changes={"vcpe_flavor_name": LARGER},
        needs=(_BNG,),
        real=True,
    ),
    Case(
        f"{_ONAP}/vCPE_build/vgw/build_vcpe_vgw.yaml",
        {**_VCPE, "pub_key": PUBLIC_KEY},
        env=f"{_ONAP}/vCPE_build/vgw/build_vcpe_vgw.env",
        changes={"vcpe_image_name": OTHER_IMAGE, "vgw_name_0": "vgw"},
        real=True,
    ),
)
