"""Who asks: what a token says about its bearer.

Rule: a value, worked out by Keystone when the token is shown and cached until anything that it
was worked out from changes.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A token's bearer and scope; the ids of what a token is not scoped to are empty."""

    token_id: str
    user_id: str
    user_name: str
    user_domain_id: str
    roles: frozenset[str]
    expires_at: float
    project_id: str = ""
    project_name: str = ""
    project_domain_id: str = ""
    domain_id: str = ""
    trust_id: str = ""
    application_credential_id: str = ""
    restricted: bool = False

    @property
    def is_admin(self) -> bool:
        return "admin" in self.roles


NOBODY = Caller(
    token_id="",
    user_id="",
    user_name="",
    user_domain_id="",
    roles=frozenset(),
    expires_at=0.0,
)
"""The caller of a public call that came without a token."""
