"""Every error this project raises on purpose.

StokerError
├── UserError        the caller's fault: bad template, bad request, conflict (4xx)
│   ├── Invalid      carries one or more Problems, each with a place
│   ├── LimitExceeded
│   ├── Forbidden
│   ├── NotFound
│   ├── Conflict
│   ├── MissingCredential  nothing is brought with which work could go on after the request
│   ├── WrongCredential    what is brought for that is no good
│   └── Unsupported  understood, but cannot be done (yet, or in this state)
├── Unfetched        what stands at an address cannot be had
│   ├── TooLarge     there is more than may be read
│   └── Refused      it was answered with another status than that of success
├── CloudError       the cloud said no, or is away (carries service and status)
│   └── CloudNotFound
└── Bug              an invariant broke; never shown to a user with its text (500)
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

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


class Code(StrEnum):
    """The rule that is broken: what users name to switch it off, and look up in docs/problems.

    A word that was once given out stays, with its meaning.
    """

    ABSENT_CONDITION = "absent-condition"
    ATTRIBUTE_UNAVAILABLE = "attribute-unavailable"
    CIRCULAR_CONDITION = "circular-condition"
    CIRCULAR_DEPENDENCY = "circular-dependency"
    CONDITION_FORM = "condition-form"
    CONSTANT_OUTPUT = "constant-output"
    DELETION_POLICY = "deletion-policy"
    DEPRECATED = "deprecated"
    DUPLICATE_KEY = "duplicate-key"
    ENVIRONMENT = "environment"
    EXTERNAL_ID = "external-id"
    FACADE = "facade"
    FUNCTION_ARGUMENTS = "function-arguments"
    FUNCTION_RESULT = "function-result"
    FUNCTION_UNAVAILABLE = "function-unavailable"
    IGNORED_KEY = "ignored-key"
    IMMUTABLE_PARAMETER = "immutable-parameter"
    INVALID = "invalid"
    KEY_NOT_TEXT = "key-not-text"
    LIMIT = "limit"
    MALFORMED = "malformed"
    MISSING_FILE = "missing-file"
    MISSING_KEY = "missing-key"
    MISSING_PARAMETER = "missing-parameter"
    MISSING_PROPERTY = "missing-property"
    NAME = "name"
    NEWER_KEY = "newer-key"
    PARAMETER_DECLARATION = "parameter-declaration"
    PARAMETER_DEFAULT = "parameter-default"
    PARAMETER_GROUP = "parameter-group"
    PARAMETER_VALUE = "parameter-value"
    PROPERTY_VALUE = "property-value"
    REQUEST = "request"
    SINK_TYPE = "sink-type"
    STACK_ELSEWHERE = "stack-elsewhere"
    TEMPLATE_VERSION = "template-version"
    UNAVAILABLE_TYPE = "unavailable-type"
    UNDECLARED_PARAMETER = "undeclared-parameter"
    UNKNOWN_ATTRIBUTE = "unknown-attribute"
    UNKNOWN_CODE = "unknown-code"
    UNKNOWN_KEY = "unknown-key"
    UNKNOWN_PARAMETER = "unknown-parameter"
    UNKNOWN_PROPERTY = "unknown-property"
    UNKNOWN_RESOURCE = "unknown-resource"
    UNKNOWN_SECTION = "unknown-section"
    UNKNOWN_TYPE = "unknown-type"
    UNUSED_CONDITION = "unused-condition"
    UNUSED_PARAMETER = "unused-parameter"
    WRONG_SHAPE = "wrong-shape"


_CODES: Final = {
    Kind.TEMPLATE: Code.MALFORMED,
    Kind.VERSION: Code.TEMPLATE_VERSION,
    Kind.SECTION: Code.UNKNOWN_SECTION,
    Kind.REFERENCE: Code.UNKNOWN_RESOURCE,
    Kind.ATTRIBUTE: Code.UNKNOWN_ATTRIBUTE,
    Kind.SCHEMA: Code.PARAMETER_DECLARATION,
    Kind.PARAMETER: Code.PARAMETER_VALUE,
    Kind.PARAMETER_UNKNOWN: Code.UNKNOWN_PARAMETER,
    Kind.PARAMETER_MISSING: Code.MISSING_PARAMETER,
    Kind.IMMUTABLE: Code.IMMUTABLE_PARAMETER,
    Kind.CIRCULAR: Code.CIRCULAR_DEPENDENCY,
    Kind.ENVIRONMENT: Code.ENVIRONMENT,
    Kind.TYPE: Code.UNKNOWN_TYPE,
    Kind.PROPERTY: Code.PROPERTY_VALUE,
    Kind.REQUEST: Code.REQUEST,
    Kind.VALIDATION: Code.INVALID,
}
"""What is broken where a problem says no more than its kind."""


class Severity(StrEnum):
    """Whether a problem is a reason to refuse."""

    ERROR = "error"
    WARNING = "warning"


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
    """One thing wrong, and where.

    ``code`` follows from the kind unless it is given; ``hint`` says what may have been meant.
    ``files`` are the templates of the nested stacks on the way to it, the outermost first.
    ``source``: where the template at hand has what the problem's own template was made of.
    """

    text: str
    at: Path = ()
    place: Place | None = None
    kind: Kind = Kind.VALIDATION
    code: Code = Code.INVALID
    severity: Severity = Severity.ERROR
    hint: str = ""
    files: tuple[str, ...] = ()
    source: Path = ()

    def __post_init__(self) -> None:
        if self.code is Code.INVALID:
            object.__setattr__(self, "code", _CODES[self.kind])

    def told(self) -> dict[str, Any]:
        """Return it for programs; the path is ``resources.web.networks.0.port``."""
        file, line, column = astuple(self.place) if self.place else (None, None, None)
        return {
            "code": self.code.value,
            "severity": self.severity.value,
            "text": self.text,
            "hint": self.hint or None,
            "path": ".".join(map(str, self.at)),
            "file": file,
            "line": line,
            "column": column,
        }

    def __str__(self) -> str:
        path = path_text(self.at)
        where = f"{path}: " if path else ""
        return f"{where}{self.text}" + (f" ({self.place})" if self.place else "")


@dataclass(frozen=True, slots=True)
class MissingFile(Problem):
    """A template that stands for a type, and that no file of the request holds."""

    file: str = ""

    def plain(self, why: str) -> Problem:
        """Return it as a problem like others, with the reason why it cannot be had, if any."""
        text = f"{self.text}: {why}" if why else self.text
        more = self.code, self.severity, self.hint, self.files, self.source
        return Problem(text, self.at, self.place, self.kind, *more)


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
    """A template, a parameter or a request that cannot be accepted.

    ``warnings`` are no reason for that; whoever lists the problems may list them too.
    """

    def __init__(self, problems: Sequence[Problem], warnings: Sequence[Problem] = ()) -> None:
        self.problems, self.warnings = tuple(problems), tuple(warnings)
        super().__init__("; ".join(map(str, self.problems)))


def bad_request(text: str, at: Path = ()) -> Invalid:
    """Return the error for a request that is wrong in itself, not in its template."""
    return Invalid([Problem(text, at, kind=Kind.REQUEST)])


class LimitExceeded(UserError):
    """More than this installation allows: resources, stacks, bytes, depth.

    ``at`` and ``place`` are of what is too much in a template, where it is one thing.
    """

    def __init__(self, text: str, at: Path = (), place: Place | None = None) -> None:
        self.at, self.place = at, place
        super().__init__(text)


class Forbidden(UserError):
    """The caller may not do this."""


class NotFound(UserError):
    """The named thing is not there."""

    def __init__(self, kind: str, name: str) -> None:
        self.kind, self.name = kind, name
        super().__init__(f"The {kind} ({name}) could not be found.")


class Conflict(UserError):
    """The thing is there, in a state that forbids the request."""


class MissingCredential(UserError):
    """The request does not bring what work goes on with when it is over; ``required`` is the
    header that it lacks."""

    def __init__(self, required: str) -> None:
        self.required = required
        super().__init__(f"Missing required credential: {required}")


class WrongCredential(UserError):
    """What the request brings for work that goes on when it is over is no good."""


class Unsupported(UserError):
    """A request that is understood but cannot be carried out."""


class Unavailable(StokerError):
    """What this service itself stands on does not answer; the same may succeed a little later."""


class Unfetched(StokerError):
    """Nothing can be had at an address of the web; the text says why."""


class TooLarge(Unfetched):
    """There is more than may be read."""


class Refused(Unfetched):
    """The answer has another status than that of success."""

    def __init__(self, text: str, status: int) -> None:
        self.status = status
        super().__init__(text)


_REFUSALS: Final = frozenset(range(400, 500)) - {429}
"""HTTP statuses; who answers 429 has too many requests just now."""


class CloudError(StokerError):
    """A cloud service refused, or did not answer.

    ``status`` is the HTTP status; None when no answer came. ``sent`` is False when
    it is certain that the request never reached the service. ``code`` is the service's own
    name for the error (``IpAddressInUse``), or one of those in :mod:`stoker.sdk.fault`. ``words``
    are the service's own, without what is said of where they come from.
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
        words: str = "",
    ) -> None:
        super().__init__(text)
        self.words = words or text
        self.service = service
        self.status = status
        self.sent = sent
        self.retry_after = retry_after
        self.code = code

    @property
    def is_away(self) -> bool:
        """Whether the service did not answer, or not now: no refusal, and the same may succeed."""
        return self.status not in _REFUSALS


class CloudNotFound(CloudError):
    """The service's own 404 for an object asked for by its id."""


class Bug(StokerError):
    """An invariant broke."""
