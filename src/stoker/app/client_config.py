"""The ``clouds.yaml`` for clients on this machine.

Rule: it can be written anew at any start, and holds no secret but the one that opens this service.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from stoker.clouds.identity import Whose

REGION = "RegionOne"
USERS = (("demo", "demo", "demo"), ("admin", "admin", "admin"), ("heat-service", "heat", "service"))
"""Name of the cloud, user, project."""

_HEAD = """\
# Written by `stoker serve` at every start; what you change here is lost.
# Use it:  export OS_CLIENT_CONFIG_FILE=<this file>; openstack --os-cloud {first} stack list
"""


def embedded_clouds(auth_url: str, password: str) -> str:
    """Return the file's text; all users of an embedded cloud have one password."""
    return _text(
        {
            cloud: _cloud(auth_url, user, password, (project, "default"), REGION)
            for cloud, user, project in USERS
        }
    )


def account_clouds(
    name: str, auth_url: str, password: str, whose: Whose, region: str | None
) -> str:
    """Return the file's text for the one account that the service works as."""
    domain = str(whose.project_domain_id)
    cloud = _cloud(auth_url, whose.user_name, password, (str(whose.project_name), domain), region)
    return _text({name: cloud})


def _cloud(
    auth_url: str, user: str, password: str, project: tuple[str, str], region: str | None
) -> dict[str, Any]:
    name, domain_id = project
    auth = {
        "auth_url": auth_url,
        "username": user,
        "password": password,
        "project_name": name,
        "user_domain_id": "default",
        "project_domain_id": domain_id,
    }
    return {"auth": auth, "region_name": region, "identity_api_version": "3"}


def _text(clouds: dict[str, Any]) -> str:
    return _HEAD.format(first=next(iter(clouds))) + yaml.safe_dump(
        {"clouds": clouds}, sort_keys=False
    )
