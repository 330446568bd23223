"""Every error this project raises on purpose.

StokerError
├── UserError        the caller's fault: bad template, bad request, conflict (4xx)
│   ├── Invalid      carries one or more Problems, each with a place
│   ├── LimitExceeded
│   ├── Forbidden
│   ├── NotFound
│   ├── Conflict
│   └── Unsupported  understood, but cannot be done (yet, or in this state)
├── CloudError       the cloud said no, or is away (carries service and status)
│   └── CloudNotFound
└── Bug              an invariant broke; never shown to a user with its text (500)
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

Path = tuple[str | int, ...]
"""Where in a document: ``("resources", "web", "properties", "networks", 0)``."""


class Kind(StrEnum):
    """What sort of thing is wrong; the API's edge turns it into Heat's fault names."""

    TEMPLATE = "template"  # not readable: YAML, size, shape
    VERSION = "version"  # unknown or missing template version, function not in it
    SECTION = "section"  # unknown top-level section
    REFERENCE = "reference"  # get_resource, get_attr or depends_on names nothing
    ATTRIBUTE = "attribute"  # the named resource has no such attribute
    SCHEMA = "schema"  # a parameter's declaration is wrong
    PARAMETER = "parameter"  # a parameter's value is wrong
    PARAMETER_UNKNOWN = "parameter_unknown"
    PARAMETER_MISSING = "parameter_missing"
    IMMUTABLE = "immutable"  # an immutable parameter changed
    CIRCULAR = "circular"
    ENVIRONMENT = "environment"
    TYPE = "type"  # unknown resource type
    PROPERTY = "property"  # a property's name or value is wrong
    REQUEST = "request"  # the request itself (body, query) is wrong
    VALIDATION = "validation"  # anything else


@dataclass(frozen=True, slots=True)
class Place:
    """A spot in a source file; line and column count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong, and where."""

    text: str
    at: Path = ()
    place: Place | None = None
    kind: Kind = Kind.VALIDATION

    def __str__(self) -> str:
        path = path_text(self.at)
        where = f"{path}: " if path else ""
        return f"{where}{self.text}" + (f" ({self.place})" if self.place else "")


def path_text(at: Path) -> str:
    """Return ``resources.web.networks[0]`` for the path of the same name."""
    text = ""
    for item in at:
        text += f"[{item}]" if isinstance(item, int) else f".{item}" if text else item
    return text


class StokerError(Exception):
    """Base of every error raised on purpose."""


class UserError(StokerError):
    """The caller can put it right."""


class Invalid(UserError):
    """A template, a parameter or a request that cannot be accepted."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(map(str, self.problems)))


class LimitExceeded(UserError):
    """More than this installation allows: resources, stacks, bytes, depth."""


class Forbidden(UserError):
    """The caller may not do this."""


class NotFound(UserError):
    """The named thing is not there."""

    def __init__(self, kind: str, name: str) -> None:
        self.kind, self.name = kind, name
        super().__init__(f"The {kind} ({name}) could not be found.")


class Conflict(UserError):
    """The thing is there, in a state that forbids the request."""


class Unsupported(UserError):
    """A request that is understood but cannot be carried out."""


class Unavailable(StokerError):
    """What this service itself stands on does not answer; the same may succeed a little later."""


class CloudError(StokerError):
    """A cloud service refused, or did not answer.

    ``status`` is the HTTP status; None when no answer came. ``sent`` is False when
    it is certain that the request never reached the service. ``code`` is the service's own
    name for the error (``IpAddressInUse``), or one of those in :mod:`stoker.sdk.fault`.
    """

    def __init__(
        self,
        text: str,
        *,
        service: str,
        status: int | None = None,
        sent: bool = True,
        retry_after: float | None = None,
        code: str = "",
    ) -> None:
        super().__init__(text)
        self.service = service
        self.status = status
        self.sent = sent
        self.retry_after = retry_after
        self.code = code


class CloudNotFound(CloudError):
    """The service's own 404 for an object asked for by its id."""


class Bug(StokerError):
    """An invariant broke."""
