"""What operators say in configuration files and the environment, read and checked as a whole.

Rule: a value of the wrong type is told at once, with its file; what means nothing here is
accepted, for the files are Heat's.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oslo_config import cfg

from stoker.api.settings import Settings as ApiSettings
from stoker.app.account_options import key_checker, service_user
from stoker.app.listener import Tls
from stoker.app.misconfigured import Misconfigured
from stoker.app.offer import registry_of, web
from stoker.app.options import AUTHTOKEN, ENVIRONMENT_DIR, GROUPS, PLUGIN_DIRS
from stoker.app.sealing_key import sealing_key
from stoker.app.unread import told
from stoker.app.yaql import YaqlLimits
from stoker.clouds.budget import Limits, default_at_once
from stoker.clouds.connect import CloudSettings
from stoker.engine.offer import Offer
from stoker.engine.settings import Settings
from stoker.engine.stored import PASSWORD

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from stoker.clouds.credential import Credential
    from stoker.engine.trusts import ServiceUser

DEFAULT_FILES = ("/etc/stoker/stoker.conf", "/etc/heat/heat.conf")
"""The first of these that exists is read where none is named, with the directory ``….d``."""

_DRIVERS = {
    "mysql": "mysql+pymysql",
    "mariadb": "mariadb+pymysql",
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg2": "postgresql+psycopg",
}
"""Drivers that are meant where none is named, or one that we do not use."""

_DATABASES = ("sqlite", "mysql", "mariadb", "postgresql")
_MODULES = {"mysqldb": "MySQLdb"}
_EXTRAS = {"pymysql": "mysql", "psycopg": "postgresql"}


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the configuration is; later files win."""

    files: tuple[str, ...] = ()
    dirs: tuple[str, ...] = ()

    def all_files(self) -> list[Path]:
        """Return every file that is read."""
        found = [Path(each) for each in self.files]
        for each in self.dirs:
            found += sorted(Path(each).glob("*.conf"))
        return found


def default_sources(candidates: Sequence[str] = DEFAULT_FILES) -> Sources:
    """Return what is read where nothing is named: the first file that is there, if any."""
    for file in candidates:
        if Path(file).exists():
            directory = f"{file}.d"
            return Sources((file,), (directory,) if Path(directory).is_dir() else ())
    return Sources()


class Configuration:
    """The options' values; each part is checked as a whole when it is asked for."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self._conf = cfg.ConfigOpts()
        for group, options in GROUPS:
            self._conf.register_opts(options, group=None if group == "DEFAULT" else group)
        _parse(self._conf, sources)
        for group, options in GROUPS:
            for option in options:
                self._value(group, option.dest)

    def __getitem__(self, group: str) -> Mapping[str, Any]:
        """Return the values of a section."""
        options = dict(GROUPS)[group]
        return {each.dest: self._value(group, each.dest) for each in options}

    @cached_property
    def url(self) -> str:
        """The database's URL, with a driver that we have."""
        url = self["database"]["connection"]
        if not url:
            raise Misconfigured("[database] connection is not set: it is the database's URL")
        scheme, separator, rest = str(url).partition("://")
        if not separator or scheme.partition("+")[0] not in _DATABASES:
            raise Misconfigured(
                f"[database] connection must begin with one of {', '.join(_DATABASES)}, and ://"
            )
        return f"{_with_driver(scheme)}://{rest}"

    @cached_property
    def key(self) -> bytes:
        """The key that seals the database."""
        return sealing_key(self["DEFAULT"]["auth_encryption_key"])

    @cached_property
    def former_keys(self) -> tuple[bytes, ...]:
        """The keys that open what they have sealed, and seal nothing any more."""
        texts = self["stoker"]["former_encryption_keys"]
        return tuple(sealing_key(each, "[stoker] former_encryption_keys") for each in texts)

    @cached_property
    def is_rpc(self) -> bool:
        """Whether engines carry requests out, asked through the broker."""
        is_rpc = str(self["stoker"]["bearer"]) == "rpc"
        if is_rpc and not self["DEFAULT"]["transport_url"]:
            raise Misconfigured("[stoker] bearer is rpc, and [DEFAULT] transport_url is not set")
        return is_rpc

    def check(self, *, database: bool = True) -> None:
        """Raise Misconfigured unless all is there that a service needs."""
        own = ("url", "user") if database else ()
        for each in (*own, "is_rpc", "key", "former_keys", "settings", "api", "clouds"):
            getattr(self, each)
        self.tls_of("heat_api")

    def check_api(self) -> None:
        """Raise Misconfigured unless all is there that the native API needs."""
        self.check(database=not self.is_rpc)

    def check_cfn(self) -> None:
        """Raise Misconfigured unless all is there that the CloudFormation API needs."""
        self.check_api()
        self.tls_of("heat_api_cfn")
        self.key_checker  # noqa: B018 - it raises

    @cached_property
    def user(self) -> ServiceUser:
        """The service's own user, who takes up trusts."""
        return service_user(self._conf, self["clients_keystone"]["auth_uri"])

    @property
    def deferred_auth_method(self) -> str:
        """How work goes on for a stack's owner when the request is over: trusts, or password."""
        return str(self["DEFAULT"]["deferred_auth_method"])

    @cached_property
    def key_checker(self) -> Credential:
        """The user who asks Keystone about signatures."""
        if self["ec2authtoken"]["multi_cloud"]:
            raise Misconfigured(
                "[ec2authtoken] multi_cloud is not available: one Keystone is asked"
            )
        own, other = self["ec2authtoken"]["auth_uri"], self["clients_keystone"]["auth_uri"]
        return key_checker(self._conf, own, other).credential

    @property
    def settings(self) -> Settings:
        """The engine's."""
        default, own = self["DEFAULT"], self["stoker"]
        timeout = own["client_timeout"]
        return Settings(
            threads=own["threads"],
            look_seconds=own["look_seconds"],
            linger_seconds=own["linger_seconds"],
            # A service may go on as long again after its client has hung up.
            in_doubt_seconds=own["in_doubt_seconds"] or 2 * timeout,
            client_timeout=timeout,
            action_retry_limit=default["action_retry_limit"],
            stack_action_timeout=default["stack_action_timeout"],
            max_resources_per_stack=default["max_resources_per_stack"],
            max_nested_stack_depth=default["max_nested_stack_depth"],
            max_stacks_per_tenant=default["max_stacks_per_tenant"],
            max_snapshots_per_stack=default["max_snapshots_per_stack"],
            max_software_configs_per_tenant=default["max_software_configs_per_tenant"],
            max_software_deployments_per_tenant=default["max_software_deployments_per_tenant"],
            enable_stack_abandon=default["enable_stack_abandon"],
            enable_stack_adopt=default["enable_stack_adopt"],
            max_template_size=default["max_template_size"],
            max_events_per_stack=default["max_events_per_stack"],
            observe_on_update=default["observe_on_update"],
            hidden_stack_tags=tuple(default["hidden_stack_tags"]),
            offer=self.offer,
        )

    @cached_property
    def offer(self) -> Offer:
        """What every stack may be made of; Heat's own place need not be there."""
        default, named = self["DEFAULT"], Path(self["DEFAULT"]["environment_dir"])
        private = self["stoker"]["fetch_private_addresses"]
        is_there = str(named) != ENVIRONMENT_DIR or named.is_dir()
        found = registry_of(named, Path(default["template_dir"])) if is_there else Offer()
        return replace(
            found,
            fetch=web(default["max_template_size"], private=private),
            seconds=default["template_fetch_timeout"],
        )

    @property
    def yaql(self) -> YaqlLimits:
        """How much expressions may take, by yaql's own measures."""
        return YaqlLimits(self["yaql"]["limit_iterators"], self["yaql"]["memory_quota"])

    @property
    def api(self) -> ApiSettings:
        """The HTTP door's."""
        default = self["DEFAULT"]
        return ApiSettings(
            max_json_body_size=default["max_json_body_size"],
            max_template_size=default["max_template_size"],
            template_fetch_timeout=default["template_fetch_timeout"],
            max_nested_stack_depth=default["max_nested_stack_depth"],
            enable_proxy_headers_parsing=self["oslo_middleware"]["enable_proxy_headers_parsing"],
            fetch_private_addresses=self["stoker"]["fetch_private_addresses"],
            reads_passwords=self.deferred_auth_method == PASSWORD,
            heat_revision=self["revision"]["heat_revision"],
        )

    def tls_of(self, section: str) -> Tls | None:
        """Return what the HTTP door of this section shows; None: it speaks in the clear."""
        options = self[section]
        cert, key = options["cert_file"], options["key_file"]
        for name, file in (("cert_file", cert), ("key_file", key)):
            if file and not os.access(file, os.R_OK):
                raise Misconfigured(f"[{section}] {name}: {file} cannot be read")
        if key and not cert:
            raise Misconfigured(f"[{section}] key_file is set, and cert_file is not")
        return Tls(cert, key or cert, section) if cert else None

    @property
    def clouds(self) -> CloudSettings:
        """How services are reached."""
        clients, own = self["clients"], self["stoker"]
        cert, key = clients["cert_file"], clients["key_file"]
        at_once = own["calls_at_once"] or default_at_once(own["threads"])
        return CloudSettings(
            limits=Limits(at_once, own["calls_per_second"]),
            interface=clients["endpoint_type"].removesuffix("URL"),
            region=self["DEFAULT"]["region_name_for_services"],
            verify=False if clients["insecure"] else clients["ca_file"] or True,
            cert=(cert, key) if cert and key else cert,
        )

    @property
    def plugin_dirs(self) -> tuple[Path, ...]:
        """Where plugins are; one of Heat's own places that is not there is nothing to tell."""
        named = self["DEFAULT"]["plugin_dirs"]
        return tuple(Path(d) for d in named if d not in PLUGIN_DIRS or Path(d).is_dir())

    @property
    def engine_workers(self) -> int:
        """How many engine processes this machine has."""
        if self["DEFAULT"]["num_engine_workers"]:
            return int(self["DEFAULT"]["num_engine_workers"])
        return 1 if self.url.startswith("sqlite") else _cpus()

    def workers_of(self, section: str) -> int:
        """Return how many processes answer requests at the door of this section."""
        return int(self[section]["workers"]) or _cpus()

    def unused(self, libraries: Collection[str]) -> list[str]:
        """Return the options of Heat in the files that mean nothing here, as ``[group] name``,
        and what holds instead.

        ``libraries`` are the options in ``[DEFAULT]`` that libraries read for themselves.
        """
        known = {(g, n) for g, options in GROUPS for o in options for n in _names(o)}
        known |= {("DEFAULT", name) for name in libraries}
        said = {
            (group, name)
            for file in self.sources.all_files()
            for group, options in _sections(file).items()
            for name in options
            if not group.startswith(("oslo_", AUTHTOKEN))
        }
        return [told(group, name) for group, name in sorted(said - known)]

    def _value(self, group: str, name: str) -> Any:
        try:
            return self._conf[name] if group == "DEFAULT" else self._conf[group][name]
        except (cfg.ConfigSourceValueError, cfg.TemplateSubstitutionError) as error:
            where, text = self._where(group, name), str(error).rpartition("is not valid: ")[2]
            raise Misconfigured(f"{where}: [{group}] {name}: {text}") from error

    def _where(self, group: str, name: str) -> str:
        variable = f"OS_{group.upper()}__{name.upper()}"
        if variable in os.environ:
            return f"environment variable {variable}"
        for file in reversed(self.sources.all_files()):
            if name in _sections(file).get(group, {}):
                return str(file)
        return "the configuration"


def _with_driver(scheme: str) -> str:
    found = _DRIVERS.get(scheme, scheme)
    driver = found.partition("+")[2]
    if driver and find_spec(_MODULES.get(driver, driver)) is None:
        extra = f" (stoker[{_EXTRAS[driver]}])" if driver in _EXTRAS else ""
        raise Misconfigured(f"[database] connection needs {driver}: install it{extra}")
    return found


def _parse(conf: cfg.ConfigOpts, sources: Sources) -> None:
    try:
        conf(
            [],
            project="stoker",
            default_config_files=list(sources.files),
            default_config_dirs=list(sources.dirs),
        )
    except (cfg.ConfigFilesNotFoundError, cfg.ConfigFilesPermissionDeniedError) as error:
        raise Misconfigured(f"{error}: name another with --config-file") from error
    except cfg.Error as error:
        raise Misconfigured(str(error)) from error


def _sections(file: Path) -> dict[str, Any]:
    sections: dict[str, Any] = {}
    with suppress(OSError, cfg.ParseError):  # told when it was read
        cfg.ConfigParser(str(file), sections).parse()
    return sections


def _names(option: cfg.Opt) -> set[str]:
    return {option.dest, *(str(each.name) for each in option.deprecated_opts)}


def _cpus() -> int:
    return len(os.sched_getaffinity(0))
