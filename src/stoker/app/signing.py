"""Who has signed a request to the CloudFormation API: Keystone knows the keys.

Rule: Keystone answers this only to a service's own user; where that user may not ask, the log
says so, too, since it is the operator who can put it right.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from stoker.api.cfn.door import Signer
from stoker.errors import CloudError, Forbidden
from stoker.usecases.caller import Caller

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from stoker.api.cfn.door import Prove
    from stoker.clouds.connect import Clouds
    from stoker.clouds.credential import Credential
    from stoker.clouds.identity import Whose

_FORBIDDEN = 403
_NOT_ALLOWED = (
    "Keystone lets this service check no signatures: its user needs the role service there."
    " Until then send a token, as X-Auth-Token."
)
_LOG = logging.getLogger(__name__)


def prover(
    clouds: Clouds, own: Credential, check: Callable[[str], object] = lambda _token: None
) -> Prove:
    """Return what asks Keystone as the user ``own``; ``check`` refuses tokens by raising."""

    def prove(signed: Mapping[str, Any]) -> Signer:
        try:
            token, whose = clouds.cloud(own).identity.ec2_token(signed)
        except CloudError as error:
            if error.status != _FORBIDDEN:
                raise
            _LOG.error("Keystone lets this service check no signatures: %s", error)
            raise Forbidden(_NOT_ALLOWED) from error
        check(token)
        return Signer(caller_of(whose, token), in_admin_project=whose.in_admin_project)

    return prove


def caller_of(whose: Whose, token: str = "") -> Caller:
    """Return the caller that a token in a project stands for."""
    return Caller(
        whose.user_id,
        whose.user_name,
        str(whose.project_id),
        str(whose.project_name),
        frozenset(whose.roles),
        token,
        user_domain_id=str(whose.user_domain_id),
        project_domain_id=str(whose.project_domain_id),
    )
