"""The errors of a use case as values that cross, and back.

Rule: a class of the tree arrives as itself. What is not of it is told to the log of the engine,
and crosses without its text, which may hold anything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from stoker.errors import (
    Bug,
    CloudError,
    CloudNotFound,
    Conflict,
    Forbidden,
    Invalid,
    LimitExceeded,
    MissingCredential,
    NotFound,
    Refused,
    StokerError,
    TooLarge,
    Unavailable,
    Unfetched,
    Unsupported,
    UserError,
    WrongCredential,
)
from stoker.rpc.codec import OtherVersion
from stoker.usecases.change_sets import Spent
from stoker.usecases.stacks import Deaf

Form = tuple[Callable[[Any], dict[str, Any]], Callable[..., StokerError]]
"""What is sent of an error, and what makes it of that."""


def _text(error: StokerError) -> dict[str, Any]:
    return {"text": str(error)}


def _plain(kind: type[StokerError]) -> Form:
    return _text, kind


def _of_cloud(error: CloudError) -> dict[str, Any]:
    names = ("service", "status", "sent", "retry_after", "code")
    return {**_text(error), **{name: getattr(error, name) for name in names}}


def _from_cloud(kind: type[CloudError]) -> Form:
    return _of_cloud, kind


_PLAIN: Final = (
    LimitExceeded,
    Forbidden,
    Conflict,
    Deaf,
    Spent,
    Unsupported,
    WrongCredential,
    Unfetched,
    TooLarge,
    Unavailable,
    Bug,
)
FORMS: Final[dict[type[StokerError], Form]] = {
    Invalid: (lambda e: {"problems": list(e.problems), "warnings": list(e.warnings)}, Invalid),
    Refused: (lambda e: {**_text(e), "status": e.status}, Refused),
    NotFound: (lambda e: {"kind": e.kind, "name": e.name}, NotFound),
    MissingCredential: (lambda e: {"required": e.required}, MissingCredential),
    CloudError: _from_cloud(CloudError),
    CloudNotFound: _from_cloud(CloudNotFound),
    **{each: _plain(each) for each in _PLAIN},
    UserError: _plain(UserError),
    StokerError: _plain(StokerError),
}
"""Each class of the tree; one that is not here crosses as the nearest above it."""

_BY_NAME: Final = {each.__name__: each for each in FORMS}


def told(error: StokerError) -> dict[str, Any]:
    """Return an error as a value that can be encoded."""
    kind = next(each for each in type(error).__mro__ if each in FORMS)
    return {"error": kind.__name__, **FORMS[kind][0](error)}


def heard(said: dict[str, Any]) -> StokerError:
    """Return the error that was told; raises OtherVersion where it is not known here."""
    more = dict(said)
    try:
        kind = _BY_NAME[more.pop("error")]
        text = [more.pop("text")] if "text" in more else []
        return FORMS[kind][1](*text, **more)
    except (KeyError, TypeError) as error:
        raise OtherVersion from error
