"""Options of Heat that mean nothing here: whoever sets one is told what holds instead.

Rule: an option of Heat's is read, or stands here; nobody finds out at night that it was neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_CACHED: Final = "answers of the cloud are kept as long as they are safe to be"
_DOMAIN: Final = "stacks have no users of their own yet"
_GUESTS: Final = "servers are not told how to reach this service yet"
_STORED: Final = "what outlives a request, long or short, goes on with stored credentials"
_VERSIONS: Final = "each call asks for the version that it needs"
_SHARED: Final = "all services are those of one region"
_TOKENS: Final = "requests bring a token of the one Keystone that [keystone_authtoken] names"
_PIPELINE: Final = "the parts of the service are put together by it alone"

UNREAD: Final[Mapping[tuple[str, str], str]] = {
    ("DEFAULT", "allow_trusts_redelegation"): "a trust is for the trustee alone",
    ("DEFAULT", "client_retry_limit"): "what can succeed later is tried as long as there is time",
    ("DEFAULT", "cloud_backend"): "the clients of services are built in",
    ("DEFAULT", "convergence_engine"): "there is one engine",
    ("DEFAULT", "default_deployment_signal_transport"): "it is CFN_SIGNAL",
    ("DEFAULT", "default_notification_level"): "it is INFO, and ERROR for what failed",
    ("DEFAULT", "default_publisher_id"): "it is orchestration.<host>",
    ("DEFAULT", "default_software_config_transport"): "it is POLL_SERVER_CFN",
    ("DEFAULT", "default_user_data_format"): "it is HEAT_CFNTOOLS",
    ("DEFAULT", "encrypt_parameters_and_properties"): "they are always encrypted",
    ("DEFAULT", "engine_life_check_timeout"): "an engine whose beat has stopped is dead",
    ("DEFAULT", "error_wait_time"): "what is superseded is waited for as long as there is time",
    ("DEFAULT", "event_purge_batch_size"): "no stack has more than max_events_per_stack",
    ("DEFAULT", "heat_metadata_server_url"): _GUESTS,
    ("DEFAULT", "heat_stack_user_role"): _DOMAIN,
    ("DEFAULT", "heat_waitcondition_server_url"): _GUESTS,
    ("DEFAULT", "host"): "an engine is known by the name of its machine",
    ("DEFAULT", "instance_connection_https_validate_certificates"): _GUESTS,
    ("DEFAULT", "instance_connection_is_secure"): _GUESTS,
    ("DEFAULT", "keystone_backend"): "the client of Keystone is built in",
    ("DEFAULT", "loadbalancer_template"): "the type that it is for is not built yet",
    ("DEFAULT", "max_cinder_api_microversion"): _VERSIONS,
    ("DEFAULT", "max_interface_check_attempts"): "interfaces are waited for while there is time",
    ("DEFAULT", "max_ironic_api_microversion"): _VERSIONS,
    ("DEFAULT", "max_nova_api_microversion"): _VERSIONS,
    ("DEFAULT", "max_server_name_length"): "it is 53",
    ("DEFAULT", "metadata_put_timeout"): _GUESTS,
    ("DEFAULT", "periodic_interval"): "an engine's beat has its own pace",
    ("DEFAULT", "reauthentication_auth_method"): _STORED,
    ("DEFAULT", "region_name_for_shared_services"): _SHARED,
    ("DEFAULT", "server_keystone_endpoint_type"): _GUESTS,
    ("DEFAULT", "shared_services_types"): _SHARED,
    ("DEFAULT", "stack_domain_admin"): _DOMAIN,
    ("DEFAULT", "stack_domain_admin_password"): _DOMAIN,
    ("DEFAULT", "stack_scheduler_hints"): "servers and volumes get the hints of their templates",
    ("DEFAULT", "stack_user_domain_id"): _DOMAIN,
    ("DEFAULT", "stack_user_domain_name"): _DOMAIN,
    ("auth_password", "allowed_auth_uris"): _TOKENS,
    ("auth_password", "multi_cloud"): _TOKENS,
    ("clients_cinder", "http_log_debug"): "[DEFAULT] debug is for all clients",
    ("clients_heat", "url"): "the catalog says where Heat is in other regions",
    ("clients_nova", "http_log_debug"): "[DEFAULT] debug is for all clients",
    ("constraint_validation_cache", "caching"): _CACHED,
    ("constraint_validation_cache", "expiration_time"): _CACHED,
    ("ec2authtoken", "clouds"): _TOKENS,
    ("noauth", "token_response"): _TOKENS,
    ("paste_deploy", "api_paste_config"): _PIPELINE,
    ("paste_deploy", "flavor"): _PIPELINE,
    ("resource_finder_cache", "caching"): _CACHED,
    ("resource_finder_cache", "expiration_time"): _CACHED,
    ("service_extension_cache", "caching"): _CACHED,
    ("service_extension_cache", "expiration_time"): _CACHED,
    ("volumes", "backups_enabled"): "Cinder is asked for backups where a template wants them",
}


def told(group: str, name: str) -> str:
    """Return an option that is not read, with what holds instead where Heat has it."""
    instead = UNREAD.get((group, name))
    return f"[{group}] {name}" + (f" ({instead})" if instead else "")
