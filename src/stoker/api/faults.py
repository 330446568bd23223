"""Refusals in Heat's shape: which status and fault type each error of ours has, and the text.

Clients read ``error.message`` and ``explanation``, some compare ``error.type``; so the names are
Heat's. An error without a line in the tables here is a fault of this program: 500, without text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from stoker.api.remedies import BY_STATUS, remedy_of
from stoker.api.reply import Reply, send
from stoker.errors import (
    CloudError,
    Code,
    Conflict,
    Forbidden,
    Invalid,
    Kind,
    LimitExceeded,
    MissingCredential,
    NotFound,
    Problem,
    StokerError,
    Unavailable,
    Unsupported,
    UserError,
    path_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from wsgiref.types import StartResponse, WSGIEnvironment

_BAD = (
    "The server could not comply with the request since it is either malformed or otherwise"
    " incorrect."
)
_TITLES = {
    400: ("Bad Request", _BAD),
    401: ("Unauthorized", "The request needs a valid token."),
    403: ("Forbidden", "Access was denied to this resource."),
    404: ("Not Found", "The resource could not be found."),
    405: ("Method Not Allowed", _BAD),
    409: ("Conflict", "There was a conflict when trying to complete your request."),
    500: (
        "Internal Server Error",
        "The server has either erred or is incapable of performing the requested operation.",
    ),
    503: ("Service Unavailable", "The server is currently unavailable. Please try again later."),
}

_INVALID: Mapping[Kind, str] = {
    Kind.TEMPLATE: "HTTPBadRequest",
    Kind.VERSION: "InvalidTemplateVersion",
    Kind.SECTION: "StackValidationFailed",
    Kind.REFERENCE: "InvalidTemplateReference",
    Kind.ATTRIBUTE: "StackValidationFailed",
    Kind.SCHEMA: "InvalidSchemaError",
    Kind.PARAMETER: "StackValidationFailed",
    Kind.PARAMETER_UNKNOWN: "UnknownUserParameter",
    Kind.PARAMETER_MISSING: "UserParameterMissing",
    Kind.IMMUTABLE: "ImmutableParameterModified",
    Kind.CIRCULAR: "CircularDependencyException",
    Kind.ENVIRONMENT: "HTTPBadRequest",
    Kind.TYPE: "StackValidationFailed",
    Kind.PROPERTY: "StackValidationFailed",
    Kind.REQUEST: "HTTPBadRequest",
    Kind.VALIDATION: "StackValidationFailed",
}

_MISSING: Mapping[str, tuple[str, str]] = {
    "resource": (
        "ResourceNotFound",
        "The Resource ({name}) could not be found in Stack {stack}.",
    ),
    "output": ("NotFound", "Specified output key {name} not found."),
    "snapshot": ("NotFound", "Snapshot with id {name} not found"),
    "software config": ("NotFound", "Software config with id {name} not found"),
    "deployment": ("NotFound", "Deployment with id {name} not found"),
    "event": ("HTTPNotFound", "No event {name} found"),
    "events": ("HTTPNotFound", "No events found for resource {name}"),
}


@dataclass(frozen=True, slots=True)
class _Plain:
    status: int
    type: str
    lead: str = ""


_PLAIN: tuple[tuple[type[UserError], _Plain], ...] = (
    (LimitExceeded, _Plain(400, "RequestLimitExceeded", "Request limit exceeded: ")),
    (Forbidden, _Plain(403, "Forbidden")),
    (Conflict, _Plain(409, "ActionInProgress")),
    (Unsupported, _Plain(400, "NotSupported")),
    (MissingCredential, _Plain(400, "MissingCredentialError")),
    (UserError, _Plain(400, "Invalid")),
)


def fault(
    status: int, type: str, message: str | None = None, headers: Mapping[str, str] | None = None
) -> Reply:
    """Return a refusal; without a message none is shown."""
    title, explanation = _TITLES[status]
    error: dict[str, Any] = {"type": type, "traceback": None}
    if message is not None:
        error["message"] = message
    body = {"code": status, "title": title, "explanation": explanation, "error": error}
    return Reply(status, {**body, "remedy": BY_STATUS[status]}, headers or {})


def fault_of(error: StokerError, path: Mapping[str, str], types: Mapping[Any, str]) -> Reply:
    """Return the refusal that says ``error``; a Bug is raised again.

    ``path`` holds what the request's path names; ``types`` gives an error class another fault
    type than usual, for the one verb that needs it.
    """
    refusal = _fault_of(error, path, types)
    return replace(refusal, body={**refusal.body, "remedy": remedy_of(error)})


def _fault_of(error: StokerError, path: Mapping[str, str], types: Mapping[Any, str]) -> Reply:
    if isinstance(error, Invalid):
        usual = _type_of(error.problems[0]) if error.problems else "Invalid"
        refusal = fault(400, types.get(Invalid, usual), "\n".join(map(_told, error.problems)))
        listed = [each.told() for each in (*error.problems, *error.warnings)]
        return replace(refusal, body={**refusal.body, "problems": listed})
    if isinstance(error, NotFound):
        return _missing(error, path)
    if isinstance(error, CloudError):
        return _cloud(error)
    if isinstance(error, Unavailable):
        return fault(503, "ServiceUnavailable", str(error))
    for kind, plain in _PLAIN:
        if isinstance(error, kind):
            text = str(error)
            message = text if text.startswith(plain.lead) else plain.lead + text
            named = next((types[each] for each in type(error).mro() if each in types), plain.type)
            return fault(plain.status, named, message)
    raise error


def _type_of(problem: Problem) -> str:
    if problem.code is Code.UNAVAILABLE_TYPE:
        return "ResourceTypeUnavailable"
    return _INVALID[Kind.PROPERTY if _is_of_a_property(problem) else problem.kind]


def _told(problem: Problem) -> str:
    """Return a problem as its line in the message; of a property as clients look for it."""
    if problem.code is Code.STACK_ELSEWHERE:  # it says itself of where it tells
        return problem.text
    if problem.files and _is_of_a_property(problem, 2 * len(problem.files)):
        return _nested(problem)
    if not _is_of_a_property(problem):
        return str(problem)
    way = problem.at[:-1] if problem.at[-1] == "get_param" else problem.at
    bare = replace(problem, text=f": {problem.text}", at=way)
    return f"Property error: : {bare}"


def _nested(problem: Problem) -> str:
    """Return a problem of a property in a nested template: as clients look for it, with the file of
    each template on the way; what is more exact comes after it."""
    names = problem.at[1::2]
    way = "".join(
        f"resources.{name}<{file}>." for name, file in zip(names, problem.files, strict=False)
    )
    depth = 2 * len(problem.files)
    exact = path_text(problem.at[depth + 2 :])
    where = f"{exact}, {problem.place}" if problem.place else exact
    return f"{way}resources.{problem.at[depth + 1]}: : {problem.text} ({where})"


def _is_of_a_property(problem: Problem, depth: int = 0) -> bool:
    at = problem.at[depth:]
    in_properties = at[:1] == ("resources",) and at[2:3] in (("properties",), ("update_policy",))
    return in_properties and problem.kind in (Kind.PROPERTY, Kind.PARAMETER_MISSING)


def not_found() -> Reply:
    """Return the answer to a path that means nothing."""
    return _page(404, "The resource could not be found.<br /><br />\n\n\n")


def accepted() -> Reply:
    """Return the answer to a change that goes on after it."""
    return _page(202, "The request is accepted for processing.<br /><br />\n\n\n")


def found(location: str) -> Reply:
    """Return the redirection to where a thing that was named loosely really is."""
    page = (
        f'The resource was found at <a href="{location}">{location}</a>;\n'
        "you should be redirected automatically.\n\n"
    )
    return _page(302, page, {"Location": location})


def crash(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
    """Answer for a program that failed: 500, and nothing of what went wrong."""
    del environ
    return send(fault(500, "InternalError"), start)


_PAGES = {202: "Accepted", 302: "Found", 404: "Not Found"}


def _page(status: int, message: str, headers: Mapping[str, str] | None = None) -> Reply:
    """Return what the library under Heat makes of a bare status."""
    title = _PAGES[status]
    body = {"message": message, "code": f"{status} {title}", "title": title}
    if status in BY_STATUS:
        body["remedy"] = BY_STATUS[status]
    return Reply(status, body, headers or {})


def _missing(error: NotFound, path: Mapping[str, str]) -> Reply:
    known = _MISSING.get(error.kind.lower())
    if known is None:
        return fault(404, "EntityNotFound", str(error))
    type, text = known
    return fault(404, type, text.format(name=error.name, stack=path.get("name", "")))


def _cloud(error: CloudError) -> Reply:
    """A refusal by a service is the caller's to put right; its absence is not."""
    if not error.is_away:
        return fault(400, "Invalid", str(error))
    headers = {}
    if error.retry_after is not None:
        headers["Retry-After"] = str(round(error.retry_after))
    return fault(503, "ServiceUnavailable", str(error), headers)
