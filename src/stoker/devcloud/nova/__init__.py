"""Nova v2.1 with microversions up to 2.96: servers and what they are made of.

The rule: a server goes through the states of the real service, and refuses in each what that one
refuses; its ports are Neutron's and follow Neutron's rules.
"""

from stoker.devcloud.nova import (
    aggregate,
    document,
    flavor,
    interface,
    keypair,
    quota,
    server_action,
    server_create,
    server_group,
    server_metadata,
    servers,
    volume_attachment,
)
from stoker.devcloud.nova.flavor import seed

CALLS = (
    aggregate,
    document,
    flavor,
    interface,
    keypair,
    quota,
    server_action,
    server_create,
    server_group,
    server_metadata,
    servers,
    volume_attachment,
)
"""The modules whose calls are in the table of routes, once they are imported."""

__all__ = ["CALLS", "seed"]
