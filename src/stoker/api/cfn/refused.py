"""A call that is refused by a code of AWS's own, before anything is asked of a use case."""

from __future__ import annotations

from typing import Final

from stoker.errors import UserError

STATUSES: Final = {
    "AccessDenied": 403,
    "ChangeSetNotFound": 404,
    "InternalFailure": 500,
    "InvalidClientTokenId": 403,
    "MalformedQueryString": 404,
    "MissingAuthenticationToken": 403,
    "ServiceUnavailable": 503,
    "SignatureDoesNotMatch": 403,
}
"""The statuses of the codes that have another one than 400."""


class Refused(UserError):
    """``code`` is AWS's name for what is wrong."""

    def __init__(self, code: str, text: str) -> None:
        self.code = code
        super().__init__(text)
