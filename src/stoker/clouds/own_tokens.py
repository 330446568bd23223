"""Tokens of a Keystone that this service has no rights at.

Rule: a token is asked about with itself, for a user may validate only his own.
"""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING, Final

from stoker.clouds.credential import Token
from stoker.clouds.identity import Whose
from stoker.clouds.memory import Memory
from stoker.errors import CloudError

if TYPE_CHECKING:
    from stoker.clouds.connect import Clouds

SECONDS: Final = 60.0
"""How long an answer is believed: a token that is revoked meanwhile still opens the door."""
_VOID: Final = frozenset({401, 404})


class OwnTokens:
    """Tells whose a token is."""

    def __init__(self, clouds: Clouds, auth_url: str) -> None:
        self._clouds, self._auth_url = clouds, auth_url
        self._known = Memory()

    def whose(self, token: str) -> Whose | None:
        """Return whose it is, None for one that is no good; raises CloudError."""
        key = hashlib.sha256(token.encode()).digest()
        known: Whose | None = self._known.get(key)
        if known is None and (known := self._asked(token)) is not None:
            self._known.keep(key, known, min(SECONDS, known.expires_at - time.time()))
        return known

    def _asked(self, token: str) -> Whose | None:
        credential = Token(self._auth_url, token)
        try:
            return self._clouds.cloud(credential).identity.whose()
        except CloudError as error:
            if error.status in _VOID:
                return None
            raise
        finally:
            # What is asked again must reach Keystone again.
            self._clouds.forget(credential)
