"""A cloud as ``clouds.yaml`` or ``OS_*`` describe it, read as every OpenStack client reads it."""

from __future__ import annotations

from typing import Any, Final

from keystoneauth1.exceptions import ClientException
from openstack.config import OpenStackConfig
from openstack.config.cloud_region import CloudRegion
from openstack.exceptions import ConfigException

from stoker.errors import Invalid, bad_request

_HINT: Final = (
    "name a cloud of clouds.yaml with --os-cloud or OS_CLOUD, "
    "or set OS_AUTH_URL and what belongs to it"
)


def configured(name: str | None, region: str | None = None) -> CloudRegion:
    """Return the cloud; without a name the one that the environment or the file implies.

    Raises Invalid where there is none of that name, or where nothing implies one.
    """
    chosen: dict[str, Any] = {"region_name": region} if region else {}
    try:
        cloud: CloudRegion = OpenStackConfig(app_name="stoker").get_one(cloud=name, **chosen)
    except (ConfigException, ClientException) as error:
        raise cannot_log_in(error) from error
    return cloud


def cannot_log_in(error: Exception) -> Invalid:
    """Return the refusal that says why, and what to do."""
    return bad_request(f"cannot log in: {str(error).rstrip('.')}; {_HINT}")
