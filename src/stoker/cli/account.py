"""An account on a cloud, as an entry of ``clouds.yaml`` gives it.

Rule: only what a password log-in needs is read; the rest of the file is other programs' business.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from stoker.errors import Invalid, Kind, NotFound, Problem

_DOMAINS = ("user_domain_id", "user_domain_name", "project_domain_id", "project_domain_name")


@dataclass(frozen=True, slots=True)
class Account:
    """``region`` None takes the catalog's first."""

    auth_url: str
    username: str
    password: str = field(repr=False)
    project: str
    region: str | None = None
    domains: tuple[tuple[str, str], ...] = ()

    def login(self) -> dict[str, Any]:
        """Return the body of a request for a token."""
        user = {"name": self.username, "password": self.password, "domain": self._domain("user")}
        return {
            "auth": {
                "identity": {"methods": ["password"], "password": {"user": user}},
                "scope": {"project": {"name": self.project, "domain": self._domain("project")}},
            }
        }

    def _domain(self, of: str) -> dict[str, str]:
        said = dict(self.domains)
        for key in ("id", "name"):
            if f"{of}_domain_{key}" in said:
                return {key: said[f"{of}_domain_{key}"]}
        return {"id": "default"}


def account(path: Path, cloud: str) -> Account:
    """Return the account named ``cloud``; raises NotFound, or Invalid where it lacks something."""
    clouds = yaml.safe_load(path.read_text(encoding="utf-8")).get("clouds") or {}
    if cloud not in clouds:
        raise NotFound("cloud", f"{cloud} in {path}")
    entry = clouds[cloud]
    auth: dict[str, str] = entry.get("auth") or {}
    wanted = ("auth_url", "username", "password", "project_name")
    problems = [
        Problem(f"is missing in {path}", ("clouds", cloud, "auth", name), kind=Kind.REQUEST)
        for name in wanted
        if name not in auth
    ]
    if problems:
        raise Invalid(problems)
    return Account(
        auth_url=str(auth["auth_url"]),
        username=str(auth["username"]),
        password=str(auth["password"]),
        project=str(auth["project_name"]),
        region=entry.get("region_name"),
        domains=tuple((name, str(auth[name])) for name in _DOMAINS if name in auth),
    )
