"""A request to Nova: its microversion, and the way into the table of routes.

The rule: the version is settled before the handler runs, and told in every answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from stoker.devcloud import ask, clock
from stoker.devcloud.neutron import agenda
from stoker.devcloud.neutron.call import Call
from stoker.devcloud.nova import problem
from stoker.devcloud.nova.microversion import (
    LOWEST,
    Microversion,
    Unreadable,
    Unsupported,
    requested,
)
from stoker.devcloud.refusal import Refusal
from stoker.devcloud.router import route

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stoker.devcloud.exchange import Request

ROOT, LEGACY = "/compute/v2.1", "/compute/v2"
"""Under the older root the same calls are answered, without microversions."""


class Ask(ask.Ask):
    """One request with the minor number of its microversion."""

    __slots__ = ()
    root = ROOT
    bookmark = "/compute"
    policy = "os_compute_api:"

    @property
    def as_user(self) -> Call:
        """The caller's own call to Neutron."""
        return Call(self.cloud, self.caller.project_id, self.caller.is_admin)

    @property
    def as_service(self) -> Call:
        """Nova's call to Neutron on behalf of the caller's project."""
        return Call(self.cloud, self.caller.project_id, is_admin=True)

    def now(self) -> str:
        """Give the time as Nova writes it."""
        return clock.iso(self.cloud.now())


Handler = Callable[[Ask], Any]


def compute_route(
    method: str, path: str, *, status: int = 200, since: int = 1, until: int = 10_000
) -> Callable[[Handler], Handler]:
    """Have the decorated function answer ``path`` at microversions 2.``since`` to 2.``until``."""

    def add(handler: Handler) -> Handler:
        def answer(request: Request) -> Any:
            version = _version(request)
            if not since <= version.minor <= until:
                raise problem.missing("The resource could not be found.")
            agenda.settle(request.cloud)
            return handler(Ask(request, version.minor))

        answer.__name__ = handler.__name__
        for root in (ROOT, LEGACY):
            route(method, f"{root}/{path}", status=status)(answer)
        return handler

    return add


def _version(request: Request) -> Microversion:
    if request.path.startswith(f"{LEGACY}/"):
        return LOWEST
    generic = request.header("OpenStack-API-Version") or None
    legacy = request.header("X-OpenStack-Nova-API-Version") or None
    try:
        version = requested(generic, legacy)
    except Unreadable as error:
        raise problem.bad_request(str(error)) from None
    except Unsupported as error:
        raise Refusal(406, str(error)) from None
    names = ("OpenStack-API-Version", "X-OpenStack-Nova-API-Version")
    request.answer_headers[names[0]] = f"compute {version}"
    request.answer_headers[names[1]] = str(version)
    request.answer_headers["Vary"] = ", ".join(names)
    return version


def read_list(body: Mapping[str, Any], name: str, kind: type) -> list[Any]:
    """Give a list of a body, of items of one kind; empty where there is none."""
    value = body.get(name) or []
    if not isinstance(value, list) or not all(isinstance(each, kind) for each in value):
        raise problem.invalid(name, value, f"{value!r} is not of type 'array'")
    return value


def read_dict(body: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Give an object of a body; empty where there is none."""
    value = body.get(name) or {}
    if not isinstance(value, dict):
        raise problem.invalid(name, value, f"{value!r} is not of type 'object'")
    return value


def read_text(body: Any, name: str, *, limit: int = 255) -> str:
    """Give a required, non-empty text of a body."""
    value = body.get(name) if isinstance(body, dict) else None
    if value is None:
        raise problem.invalid(name, value, f"'{name}' is a required property")
    if not isinstance(value, str) or not value.strip() or len(value) > limit:
        raise problem.invalid(name, value, f"{value!r} is not a valid {name}")
    return value.strip()
