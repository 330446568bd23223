"""The options of ``stoker.conf`` and ``heat.conf`` that mean something here.

Rule: what Heat has under some name, with some type and default, has the same here; what only we
have is in the section ``[stoker]``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oslo_config import cfg

from stoker.engine.settings import LINGER_SECONDS
from stoker.engine.stored import PASSWORD, TRUSTS

if TYPE_CHECKING:
    from collections.abc import Sequence

PLUGIN_DIRS = (
    "/usr/lib64/heat",
    "/usr/lib/heat",
    "/usr/local/lib/heat",
    "/usr/local/lib64/heat",
)
ENVIRONMENT_DIR = "/etc/heat/environment.d"
_INTERFACES = ("publicURL", "internalURL", "adminURL", "public", "internal", "admin")

DEFAULT: tuple[cfg.Opt, ...] = (
    cfg.StrOpt(
        "auth_encryption_key",
        secret=True,
        help="What everything secret in the database is sealed with: 32 characters (16 and 24 do,"
        " too). All processes need the same one. To change it see former_encryption_keys.",
    ),
    cfg.IntOpt(
        "num_engine_workers",
        min=1,
        help="Engine processes on this machine. Unset: one a CPU, and one alone with SQLite.",
    ),
    cfg.IntOpt("max_resources_per_stack", default=1000, help="In a tree of stacks; -1: any."),
    cfg.IntOpt("max_stacks_per_tenant", default=512, help="Root stacks of a project; -1: any."),
    cfg.IntOpt("max_events_per_stack", default=1000, min=0, help="The newest ones; 0: any."),
    cfg.IntOpt("max_snapshots_per_stack", default=32, help="Of one stack; -1: any."),
    cfg.IntOpt("max_software_configs_per_tenant", default=4096, help="Of a project; -1: any."),
    cfg.IntOpt("max_software_deployments_per_tenant", default=4096, help="The same; -1: any."),
    cfg.BoolOpt(
        "enable_stack_abandon",
        default=False,
        help="Let stacks be exported and abandoned; whoever may do so gets their secrets, too.",
    ),
    cfg.BoolOpt(
        "observe_on_update",
        default=False,
        help="Look at what there is with each update, as clients ask for with converge.",
    ),
    cfg.BoolOpt("enable_stack_adopt", default=False, help="Let exported stacks be adopted."),
    cfg.IntOpt("max_nested_stack_depth", default=5, help="How deep stacks may be nested."),
    cfg.IntOpt("max_template_size", default=524_288, help="Bytes of a template."),
    cfg.IntOpt("max_json_body_size", default=1_048_576, help="Bytes of a request."),
    cfg.FloatOpt(
        "template_fetch_timeout", default=60, min=0, help="Seconds to fetch a template by URL."
    ),
    cfg.IntOpt(
        "stack_action_timeout",
        default=3600,
        help="Seconds that an operation may take whose request does not say.",
    ),
    cfg.IntOpt(
        "action_retry_limit",
        default=5,
        help="How often a resource that comes up in an error is made again.",
    ),
    cfg.StrOpt(
        "environment_dir",
        default=ENVIRONMENT_DIR,
        help="Where environments are whose resource_registry every stack has under its own; they"
        " are read when a process starts, in the order of their names. What else is in them"
        " changes no stack.",
    ),
    cfg.StrOpt(
        "template_dir",
        default="/etc/heat/templates",
        help="Where those environments' templates are that are named without a path.",
    ),
    cfg.ListOpt("plugin_dirs", default=list(PLUGIN_DIRS), help="Where Heat's plugins are."),
    cfg.ListOpt(
        "hidden_stack_tags",
        default=["data-processing-cluster"],
        help="Stacks with one of these tags are in no list that does not ask for hidden ones.",
    ),
    cfg.StrOpt("region_name_for_services", help="The region whose services are used."),
    cfg.StrOpt(
        "deferred_auth_method",
        choices=(
            (TRUSTS, "with a trust of that user's, which Keystone knows and can end"),
            (
                PASSWORD,
                "as that user: requests bring his name and password, in X-Auth-User and X-Auth-Key",
            ),
        ),
        default=TRUSTS,
        help="How work goes on for a stack's owner when the request is over. API and engines need"
        " the same. Passwords are stored, sealed: whoever has the database and auth_encryption_key"
        " can be those users everywhere. Prefer trusts; what is stored already stays good.",
    ),
    cfg.ListOpt(
        "trusts_delegated_roles",
        default=[],
        help="The roles of a stack's owner that are given to the trustee; empty: all.",
    ),
    cfg.StrOpt(
        "transport_url",
        secret=True,
        help="A message broker that carries wake-ups between processes. Nothing depends on it:"
        " without one, work is found at the next look (look_seconds).",
    ),
)
DATABASE: tuple[cfg.Opt, ...] = (
    cfg.StrOpt("connection", secret=True, help="The URL of the database."),
)
CLIENTS: tuple[cfg.Opt, ...] = (
    cfg.StrOpt("endpoint_type", default="public", choices=_INTERFACES, help="Of the catalog."),
    cfg.StrOpt("ca_file", help="The certificates that sign those of services."),
    cfg.StrOpt("cert_file", help="The certificate that this service shows."),
    cfg.StrOpt("key_file", help="Its key."),
    cfg.BoolOpt("insecure", default=False, help="Believe any certificate."),
)
KEYSTONE: tuple[cfg.Opt, ...] = (
    cfg.StrOpt("auth_uri", help="Keystone, where neither [trustee] nor the other section says."),
)
HEAT_API: tuple[cfg.Opt, ...] = (
    cfg.StrOpt("bind_host", default="0.0.0.0", help="The address to listen on."),  # noqa: S104 - Heat's default
    cfg.PortOpt("bind_port", default=8004, help="The port; 0 takes a free one and logs it."),
    cfg.IntOpt("workers", default=0, min=0, help="Processes; 0: one a CPU."),
    cfg.StrOpt("cert_file", help="The certificate, with those above it; set: speak TLS."),
    cfg.StrOpt("key_file", help="The certificate's key; unset: it is in cert_file."),
)
HEAT_API_CFN: tuple[cfg.Opt, ...] = (
    cfg.StrOpt("bind_host", default="0.0.0.0", help="The address to listen on."),  # noqa: S104 - Heat's default
    cfg.PortOpt("bind_port", default=8000, help="The port; 0 takes a free one and logs it."),
    cfg.IntOpt("workers", default=1, min=0, help="Processes; 0: one a CPU."),
    cfg.StrOpt("cert_file", help="The certificate, with those above it; set: speak TLS."),
    cfg.StrOpt("key_file", help="The certificate's key; unset: it is in cert_file."),
)
REVISION: tuple[cfg.Opt, ...] = (
    cfg.StrOpt("heat_revision", default="unknown", help="What build_info says."),
)
PROXY: tuple[cfg.Opt, ...] = (
    cfg.BoolOpt(
        "enable_proxy_headers_parsing",
        default=False,
        help="Believe X-Forwarded-*: only where a proxy that sets them is the only way in.",
    ),
)
NOTIFICATIONS: tuple[cfg.Opt, ...] = (
    cfg.MultiStrOpt(
        "driver",
        default=[],
        help="How others are told of what becomes of stacks: messagingv2, messaging or log; unset:"
        " nobody is. The rest of this section is oslo.messaging's.",
    ),
)
YAQL: tuple[cfg.Opt, ...] = (
    cfg.IntOpt(
        "limit_iterators", default=200, help="Items that an expression may go over; -1: any."
    ),
    cfg.IntOpt(
        "memory_quota",
        default=10_000,
        help="Bytes of what an expression makes, as yaql counts them; -1: any. A second of"
        " processor time and 256 MiB are the limits in any case.",
    ),
)
STOKER: tuple[cfg.Opt, ...] = (
    cfg.StrOpt(
        "bearer",
        default="in-process",
        choices=("in-process", "rpc"),
        help="Who carries requests out. in-process: stoker-api itself, which also accepts them"
        " while no engine is up. rpc: an engine, asked through transport_url; stoker-api then needs"
        " no database. All processes need the same value.",
    ),
    cfg.ListOpt(
        "former_encryption_keys",
        default=[],
        secret=True,
        help="Keys that open what they have sealed, and seal nothing. To change"
        " auth_encryption_key: name the new one here for all processes, then make it"
        " auth_encryption_key and name the old one here, then run `stoker-manage key rotate`,"
        " then leave the old one out. Restart the processes each time, one after the other.",
    ),
    cfg.IntOpt("threads", default=32, min=1, help="Calls to clouds at a time, an engine process."),
    cfg.IntOpt(
        "calls_at_once",
        min=1,
        help="Calls to one service of a cloud at a time, of a process. Unset: three quarters of"
        " threads, so that one that hangs leaves some for the others.",
    ),
    cfg.FloatOpt(
        "calls_per_second",
        default=0.0,
        min=0,
        help="Calls to one service in a second, of a process; 0: any number.",
    ),
    cfg.FloatOpt("look_seconds", default=1.0, min=0.05, help="The longest pause between looks."),
    cfg.FloatOpt(
        "linger_seconds",
        default=LINGER_SECONDS,
        min=0,
        max=5,
        help="How long the answer to a request that asks no cloud may wait for the stack to be"
        " done, so that clients find it so at their first look; 0: not at all.",
    ),
    cfg.FloatOpt("client_timeout", default=60.0, min=1, help="Seconds for a service's answer."),
    cfg.BoolOpt(
        "fetch_private_addresses",
        default=False,
        help="Let templates be fetched (template_url, http(s) names in a resource_registry) from"
        " addresses that are not public, and events be sent there (event_sinks): whoever may make"
        " stacks can then have this machine ask whatever it reaches.",
    ),
    cfg.FloatOpt(
        "in_doubt_seconds",
        min=1,
        help="After so long a call without an answer can have no effect any more: the time-outs"
        " of client and service. Unset: client_timeout twice.",
    ),
)
ACCOUNT: tuple[cfg.Opt, ...] = (
    cfg.StrOpt("auth_section", help="Another section that has all this."),
    cfg.StrOpt("auth_type", help="How to log in: password."),
    cfg.StrOpt("auth_url", help="The URL of Keystone."),
    cfg.StrOpt("username", deprecated_name="user_name", help="The user's name."),
    cfg.StrOpt("password", secret=True, help="His password."),
    cfg.StrOpt("user_domain_id", help="The user's domain, by id."),
    cfg.StrOpt("user_domain_name", help="The user's domain, by name."),
    cfg.StrOpt("project_name", deprecated_name="tenant_name", help="His project."),
    cfg.StrOpt("project_domain_id", help="The project's domain, by id."),
    cfg.StrOpt("project_domain_name", help="The project's domain, by name."),
)
EC2AUTHTOKEN = "ec2authtoken"
EC2: tuple[cfg.Opt, ...] = (
    *ACCOUNT,
    cfg.StrOpt("auth_uri", help="Keystone, where this section's auth_url does not say."),
    cfg.BoolOpt("multi_cloud", default=False, help="Not available: one Keystone is asked."),
)
TRUSTEE = "trustee"
AUTHTOKEN = "keystone_authtoken"

GROUPS: tuple[tuple[str, tuple[cfg.Opt, ...]], ...] = (
    ("DEFAULT", DEFAULT),
    ("database", DATABASE),
    ("clients", CLIENTS),
    ("clients_keystone", KEYSTONE),
    ("heat_api", HEAT_API),
    ("heat_api_cfn", HEAT_API_CFN),
    ("revision", REVISION),
    ("oslo_middleware", PROXY),
    ("oslo_messaging_notifications", NOTIFICATIONS),
    ("yaql", YAQL),
    ("stoker", STOKER),
    (TRUSTEE, ACCOUNT),
    (EC2AUTHTOKEN, EC2),
)
"""Each section's name and options; ``[keystone_authtoken]`` is keystonemiddleware's."""


def listed() -> Sequence[tuple[str, Sequence[cfg.Opt]]]:
    """Return all options as ``oslo-config-generator`` wants them."""
    return GROUPS
