"""Refusals in AWS's shape: which code and status each error of ours has.

Rule: codes are those that AWS's clients know: boto3 makes its exceptions of them and its waiters
end by them. An error without a line here is a fault of this program: 500, without text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from stoker.api.cfn.refused import STATUSES, Refused
from stoker.api.remedies import remedy_of
from stoker.errors import (
    CloudError,
    Conflict,
    Forbidden,
    Invalid,
    LimitExceeded,
    NotFound,
    StokerError,
    Unavailable,
    UserError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

INTERNAL: Final = "InternalFailure"
_BAD = "ValidationError"
_AWAY = "ServiceUnavailable"
_CODES: tuple[tuple[type[UserError], str], ...] = (
    (LimitExceeded, "LimitExceededException"),
    (Forbidden, "AccessDenied"),
    (UserError, _BAD),
)
_MISSING: Mapping[str, tuple[str, str]] = {
    "stack": (_BAD, "Stack with id {name} does not exist"),
    "change set": ("ChangeSetNotFound", "ChangeSet [{name}] does not exist"),
    "resource": (_BAD, "Resource {name} does not exist"),
}
_SIGNATURE: tuple[tuple[str, str], ...] = (
    ("access key not found", "InvalidClientTokenId"),
    ("signature not supplied", "SignatureDoesNotMatch"),
    ("invalid ec2 signature", "SignatureDoesNotMatch"),
    ("too old", "RequestExpired"),
    ("expired", "RequestExpired"),
    ("timestamp", "RequestExpired"),
)
"""What Keystone says of a signature, where it says it, in small letters."""


def refused_of(error: StokerError, codes: Mapping[type[UserError], str] | None = None) -> Refused:
    """Return the refusal that says ``error``; a Bug is raised again.

    ``codes`` gives an error class another code than usual, for the one action that needs it.
    """
    if isinstance(error, Refused):
        return error
    code, text = _told(error, codes or {})
    return Refused(code, text, remedy_of(error))


def _told(error: StokerError, codes: Mapping[type[UserError], str]) -> tuple[str, str]:
    if isinstance(error, Invalid):
        return _BAD, "\n".join(map(str, error.problems))
    if isinstance(error, NotFound):
        code, text = _MISSING.get(error.kind.lower(), (_BAD, str(error)))
        return code, text.format(name=error.name)
    if isinstance(error, CloudError):
        return (_AWAY if error.is_away else _BAD), str(error)
    if isinstance(error, Unavailable):
        return _AWAY, str(error)
    for kind, code in (*codes.items(), *_CODES):
        if isinstance(error, kind):
            return code, str(error)
    raise error


def unproved(error: CloudError) -> Refused:
    """Return the refusal of a request whose signature Keystone does not confirm."""
    if error.is_away:
        return Refused(_AWAY, str(error))
    told = str(error).lower()
    code = next((code for words, code in _SIGNATURE if words in told), "AccessDenied")
    return Refused(code, str(error))


def status_of(code: str) -> int:
    """Return the HTTP status of a code."""
    return STATUSES.get(code, 400)


ALREADY_EXISTS: Mapping[type[UserError], str] = {Conflict: "AlreadyExistsException"}
"""For what makes something under a name that is taken."""
