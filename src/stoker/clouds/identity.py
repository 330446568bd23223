"""Keystone: who the caller is, trusts for work that outlives his token, and look-ups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from stoker.clouds.rest import Rest, by_id_or_name, existing, segment
from stoker.errors import CloudNotFound

_FORBIDDEN: Final = 403


@dataclass(frozen=True, slots=True)
class Whose:
    """Whom a token stands for, and until when (seconds since the epoch)."""

    user_id: str
    user_name: str
    project_id: str | None
    project_name: str | None
    roles: tuple[str, ...]
    user_domain_id: str | None = None
    project_domain_id: str | None = None
    expires_at: float = 0.0
    restricted: bool = False  # to certain calls, by an application credential's access rules

    @classmethod
    def of(cls, access: Any) -> Whose:
        """Return what keystoneauth knows of a token (its AccessInfo)."""
        return cls(
            access.user_id,
            access.username,
            access.project_id,
            access.project_name,
            tuple(access.role_names),
            access.user_domain_id,
            access.project_domain_id,
            access.expires.timestamp(),
            bool(access.application_credential_access_rules),
        )


class Identity(Rest):
    """Keystone v3."""

    service = "identity"
    version = "v3"

    def whose(self) -> Whose:
        """Return whom the credential stands for."""
        return Whose.of(self._connection.access())

    def token(self) -> str:
        """Return the token that the credential's calls are made with."""
        return str(self._connection.access().auth_token)

    def create_trust(
        self, trustee_user_id: str, roles: Iterable[str] = (), *, redelegate: bool = False
    ) -> str:
        """Trust another user with roles (all, when none are named); return the trust's id.

        Made by the user himself; the trustee acts as he does, in his project.
        """
        me = self.whose()
        body = {
            "trustor_user_id": me.user_id,
            "trustee_user_id": trustee_user_id,
            "project_id": me.project_id,
            "impersonation": True,
            "allow_redelegation": redelegate,
            "roles": [{"name": name} for name in roles or me.roles],
        }
        return str(self.post("/OS-TRUST/trusts", {"trust": body})["trust"]["id"])

    def delete_trust(self, id: str) -> None:
        """Take a trust back; one that is gone already is no error."""
        try:
            self.remove(f"/OS-TRUST/trusts/{segment(id)}")
        except CloudNotFound:
            return

    def trusts(self, trustee_user_id: str | None = None) -> Sequence[dict[str, Any]]:
        """Return the trusts that the caller has given."""
        query = {"trustor_user_id": self.whose().user_id, "trustee_user_id": trustee_user_id}
        trusts: list[dict[str, Any]] = self.get("/OS-TRUST/trusts", **query)["trusts"]
        return trusts

    def _found(self, kind: str, name_or_id: str) -> str:
        name, _, domain = name_or_id.partition("{")  # Heat's way to name a domain: bob{ops}
        domain_id = self.find("domain", domain.removesuffix("}")) if domain else None
        return by_id_or_name(
            kind, name, self._by_id(kind, name), self._by_name(kind, name, domain_id)
        )

    def _by_id(self, kind: str, id: str) -> Iterator[str]:
        own = {"project": self.whose().project_id, "user": self.whose().user_id}
        if own.get(kind) == id:  # anybody may know himself
            yield id
            return
        shown = existing(lambda: self.get(f"/{kind}s/{segment(id)}"))
        if shown is not None:
            yield str(shown[kind]["id"])

    def _by_name(self, kind: str, name: str, domain_id: str | None) -> Iterator[str]:
        if kind == "region":  # its id is its name
            return
        rows = self.get(f"/{kind}s", name=name, domain_id=domain_id)[f"{kind}s"]
        yield from (str(row["id"]) for row in rows)
