"""A request to Cinder: its microversion, and the way into the table of routes.

The rule: every call is there twice, with the project in its path and without; a project that is
not the caller's is refused, and what has come due is settled before the handler runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from stoker.devcloud import ask, clock
from stoker.devcloud.cinder import problem
from stoker.devcloud.cinder.microversion import requested
from stoker.devcloud.exchange import Reply
from stoker.devcloud.neutron import agenda
from stoker.devcloud.router import route

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stoker.devcloud.cloud import Cloud
    from stoker.devcloud.exchange import Request
    from stoker.devcloud.state import Doc

ROOT = "/volume/v3"
_LONGEST = 255


class Ask(ask.Ask):
    """One request with the minor number of its microversion."""

    __slots__ = ()
    root = ROOT
    bookmark = "/volume"

    def sees(self, doc: Doc) -> bool:
        """Tell whether a thing is the caller's."""
        return self.caller.is_admin or doc["project_id"] == self.caller.project_id


Handler = Callable[[Ask], Any]


def volume_route(
    method: str, path: str, *, status: int = 200, since: int = 0
) -> Callable[[Handler], Handler]:
    """Have the decorated function answer ``path`` from microversion 3.``since`` on.

    A handler that returns None answers with ``status`` and no body.
    """

    def add(handler: Handler) -> Handler:
        def answer(request: Request) -> Any:
            minor = _version(request)
            if minor < since:
                raise problem.missing("API route for version", f"3.{minor}")
            _check_project(request)
            agenda.settle(request.cloud)
            result = handler(Ask(request, minor))
            return Reply(b"", status=status, type="application/json") if result is None else result

        answer.__name__ = handler.__name__
        route(method, f"{ROOT}/{path}", status=status)(answer)
        route(method, f"{ROOT}/{{path_project_id}}/{path}", status=status)(answer)
        return handler

    return add


def _version(request: Request) -> int:
    minor = requested(request.header("OpenStack-API-Version"))
    request.answer_headers["OpenStack-API-Version"] = f"volume 3.{minor}"
    request.answer_headers["Vary"] = "OpenStack-API-Version"
    return minor


def _check_project(request: Request) -> None:
    named = request.params.get("path_project_id")
    if named is not None and named != request.caller.project_id:
        raise problem.bad_request("Malformed request url")


def moment(cloud: Cloud) -> str:
    """Give the time as Cinder writes it."""
    return f"{clock.iso(cloud.now()).rstrip('Z')}.000000"


def read_text(body: Mapping[str, Any], *names: str) -> str | None:
    """Give the first of an optional text's names that a body has; None where it has none."""
    for name in names:
        value = body.get(name)
        if value is None:
            continue
        if not isinstance(value, str):
            raise problem.invalid_field(name, value, f"{value!r} is not of type 'string'")
        if len(value) > _LONGEST:
            raise problem.invalid_field(name, value, f"{value!r} is too long")
        return value.strip()
    return None


def read_name(body: Mapping[str, Any], name: str = "name") -> str:
    """Give a required, non-empty text of a body."""
    value = read_text(body, name)
    if not value:
        raise problem.invalid_field(name, value, f"'{name}' is a required property")
    return value


def read_flag(body: Mapping[str, Any], name: str, *, default: bool = False) -> bool:
    """Give a boolean of a body, in any of the spellings that Cinder takes."""
    value = body.get(name)
    word = str(value).lower()
    if value is None:
        return default
    if word in ("true", "1", "t", "yes", "on", "y"):
        return True
    if word in ("false", "0", "f", "no", "off", "n"):
        return False
    raise problem.invalid_field(name, value, f"{value!r} is not a 'boolean'")


def read_map(body: Mapping[str, Any], name: str) -> dict[str, str]:
    """Give a map of texts of a body, such as metadata; empty where there is none."""
    value = body.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise problem.invalid_field(name, value, f"{value!r} is not of type 'object'")
    for key, text in value.items():
        if not isinstance(text, str) or not 0 < len(key) <= _LONGEST or len(text) > _LONGEST:
            raise problem.invalid_field(key, text, f"{text!r} is not of type 'string'")
    return dict(value)


def read_size(value: Any, name: str) -> int:
    """Give a size in gigabytes, a number or its digits."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if not is_number and not (isinstance(value, str) and value.isdigit()):
        raise problem.invalid_field(name, value, f"{value!r} is not of type 'integer', 'string'")
    if int(value) < 1:
        raise problem.invalid_field(name, value, f"{value} is less than the minimum of 1")
    return int(value)
