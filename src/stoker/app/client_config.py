"""The ``clouds.yaml`` for clients of the embedded cloud.

Rule: it follows from key and ports alone, so that it can be written anew at any start.
"""

from __future__ import annotations

REGION = "RegionOne"
USERS = (("demo", "demo", "demo"), ("admin", "admin", "admin"), ("heat-service", "heat", "service"))
"""Name of the cloud, user, project."""

_HEAD = """\
# Written by `stoker serve` at every start; what you change here is lost.
# Use it:  export OS_CLIENT_CONFIG_FILE=<this file>; openstack --os-cloud demo stack list
clouds:
"""
_CLOUD = """\
  {cloud}:
    auth:
      auth_url: {auth_url}
      username: {user}
      password: "{password}"
      project_name: {project}
      user_domain_id: default
      project_domain_id: default
    region_name: {region}
    identity_api_version: "3"
"""


def clouds_yaml(auth_url: str, password: str) -> str:
    """Return the file's text; all users of an embedded cloud have one password."""
    clouds = (
        _CLOUD.format(
            cloud=cloud,
            user=user,
            project=project,
            auth_url=auth_url,
            password=password,
            region=REGION,
        )
        for cloud, user, project in USERS
    )
    return _HEAD + "".join(clouds)
