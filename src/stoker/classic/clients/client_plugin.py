"""The base of client plugins: a client, and what its errors mean.

Rule: an error is read by the HTTP status that it carries, whatever client it is of. A 404 is
"not found" only when the service itself said so: the session lets no other pass.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType, TracebackType
from typing import Any, ClassVar, Protocol

from stoker.classic.exception import ClientNotAvailable
from stoker.clouds.session import GuardedSession, http_status
from stoker.errors import CloudNotFound, StokerError

_NOT_FOUND, _CONFLICT, _OVER_LIMIT = 404, 409, 413


class Context(Protocol):
    """What a client plugin needs of a context."""

    @property
    def keystone_session(self) -> GuardedSession: ...
    @property
    def clients(self) -> Any: ...


class Ignoring:
    """Lets some errors pass: ``with plugin.ignore_not_found:``, or called with an error, which
    it raises again unless it is one of them."""

    def __init__(self, is_ignored: Callable[[BaseException], bool]) -> None:
        self._is_ignored = is_ignored

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> bool:
        return error is not None and self._is_ignored(error)

    def __call__(self, error: BaseException) -> None:
        if not self._is_ignored(error):
            raise error


class ClientPlugin:
    """Gives a client of one service; subclasses override ``_create``."""

    exceptions_module: ClassVar[Any] = None
    service_types: ClassVar[Any] = []
    supported_versions: ClassVar[Any] = []
    default_version: ClassVar[str | None] = None

    def __init__(self, context: Context) -> None:
        self.context = context
        self.clients = context.clients
        self._clients: dict[str | None, Any] = {}

    def client(self, version: str | None = None) -> Any:
        version = version or self.default_version
        if version not in self._clients:
            takes_version = self._create.__code__.co_argcount > 1
            made = self._create(version) if takes_version else self._create()
            self._clients[version] = made
        return self._clients[version]

    def _create(self, version: str | None = None) -> Any:
        raise ClientNotAvailable(client_name=type(self).__name__)

    @property
    def auth_token(self) -> str | None:
        return self.context.keystone_session.get_token()

    def url_for(self, **kwargs: Any) -> str | None:
        return self.context.keystone_session.get_endpoint(**self._asked(kwargs))

    def does_endpoint_exist(self, service_type: str, service_name: str | None = None) -> bool:
        asked = self._asked({"service_type": service_type, "service_name": service_name})
        return self.context.keystone_session.has_endpoint(**asked)

    def _asked(self, given: dict[str, Any]) -> dict[str, Any]:
        session = self.context.keystone_session
        asked = {"interface": given.pop("endpoint_type", session.interface), **given}
        return {"region_name": session.region, **asked}

    def _get_region_name(self) -> str | None:
        return self.context.keystone_session.region

    def _get_client_option(self, client: str, option: str) -> Any:
        session = self.context.keystone_session
        verify = session.verify
        options = {
            "endpoint_type": session.interface,
            "insecure": verify is False,
            "ca_file": verify if isinstance(verify, str) else None,
        }
        return options.get(option)

    # what an error means

    def is_client_exception(self, ex: BaseException) -> bool:
        modules = self._exception_modules()
        if not modules:
            return http_status(ex) is not None
        return any(isinstance(ex, vars(module).get(type(ex).__name__, ())) for module in modules)

    def is_not_found(self, ex: BaseException) -> bool:
        if isinstance(ex, StokerError):
            return isinstance(ex, CloudNotFound)
        return http_status(ex) == _NOT_FOUND

    def is_over_limit(self, ex: BaseException) -> bool:
        return http_status(ex) == _OVER_LIMIT

    def is_conflict(self, ex: BaseException) -> bool:
        return http_status(ex) == _CONFLICT

    @property
    def ignore_not_found(self) -> Ignoring:
        return Ignoring(self.is_not_found)

    @property
    def ignore_conflict_and_not_found(self) -> Ignoring:
        return Ignoring(lambda ex: self.is_conflict(ex) or self.is_not_found(ex))

    def _exception_modules(self) -> list[ModuleType]:
        named = self.exceptions_module
        return [] if named is None else list(named) if isinstance(named, list | tuple) else [named]


def imported(package: str, distribution: str) -> Any:
    """Return a client's package; raises ClientNotAvailable where it is not installed."""
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as e:
        if e.name is None or not package.startswith(e.name):
            raise
        wanted = f"{distribution}, which is not installed (pip install 'stoker[classic]')"
        raise ClientNotAvailable(client_name=wanted) from e
