"""Who asks: the authenticated caller of a request."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Caller:
    """A user in a project by a token.

    ``token`` and ``password`` leave the process sealed, or not at all. ``login`` is the name that
    comes with the password, empty where the request brings none.
    """

    user_id: str
    user_name: str
    project_id: str
    project_name: str
    roles: frozenset[str]
    token: str = field(default="", repr=False)
    is_admin: bool = False
    user_domain_id: str = "default"
    project_domain_id: str = "default"
    request_id: str = ""
    region: str | None = None
    is_within: bool = False
    """Whether it is an orchestrator that asks, for a stack of its own."""
    login: str = ""
    password: str = field(default="", repr=False)
