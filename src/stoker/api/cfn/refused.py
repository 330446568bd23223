"""A call that is refused by a code of AWS's own, before anything is asked of a use case."""

from __future__ import annotations

from typing import Final

from stoker.api.remedies import BY_STATUS, OF_MISSING
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


REMEDIES: Final = {
    "AccessDenied": BY_STATUS[403],
    "ChangeSetNotFound": OF_MISSING["change set"],
    "IncompleteSignature": "Sign the request with an EC2 key, in version 2 or 4 of AWS's way.",
    "InternalFailure": BY_STATUS[500],
    "InvalidAction": "Use an action that the service has; its documents list them.",
    "InvalidClientTokenId": "Use an EC2 key of this cloud: `openstack ec2 credentials list`.",
    "InvalidParameterCombination": "Leave one of the parameters out that exclude each other.",
    "MalformedQueryString": "Send the parameters as a form in UTF-8, each once.",
    "MissingAction": "Name the action in the parameter Action.",
    "MissingAuthenticationToken": "Sign the request with an EC2 key, or send a token.",
    "MissingParameter": "Give the parameter that the message names.",
    "RequestExpired": "Set the clock of the machine that signs, and sign the request anew.",
    "ServiceUnavailable": BY_STATUS[503],
    "SignatureDoesNotMatch": "Check the secret of the key, and that nobody changes the request.",
}
"""What to do about a code that is no error of a use case."""


class Refused(UserError):
    """``code`` is AWS's name for what is wrong; without a ``remedy`` the code's own is told."""

    def __init__(self, code: str, text: str, remedy: str | None = None) -> None:
        self.code, self.remedy = code, remedy or REMEDIES[code]
        super().__init__(text)
