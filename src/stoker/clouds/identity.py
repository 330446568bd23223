"""Keystone: who the caller is, trusts for work that outlives his token, and look-ups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from keystoneauth1.access import AccessInfoV3

from stoker.clouds.rest import Rest, by_id_or_name, existing, segment
from stoker.errors import CloudError, CloudNotFound

_UNAUTHORIZED: Final = 401
_FORBIDDEN: Final = 403
_BAD_GATEWAY: Final = 502
_NEW: Final = timedelta(minutes=1)
"""How old a token may be that was surely good when it was sent."""


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
    in_admin_project: bool = True
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
            bool(access.is_admin_project),
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

    def ec2_token(self, signed: Mapping[str, Any]) -> tuple[str, Whose]:
        """Return a token of whoever has signed a request, and whose it is; raises CloudError.

        Keystone says 401 of a bad signature as of a bad token of ours: only an old one is renewed.
        """
        issued = self._connection.access().issued
        try:
            return self._ec2_token(signed)
        except CloudError as e:
            is_old = datetime.now(UTC) - issued > _NEW
            if e.status != _UNAUTHORIZED or not is_old or not self._connection.auth.invalidate():
                raise
        return self._ec2_token(signed)

    def _ec2_token(self, signed: Mapping[str, Any]) -> tuple[str, Whose]:
        answer = self._change_once("POST", "/ec2tokens", {"ec2Credentials": signed}, None)
        token = answer.headers.get("X-Subject-Token")
        if token is None:
            text = "the answer to a signature has no token"
            raise CloudError(text, service=self.service, status=_BAD_GATEWAY)
        return token, Whose.of(AccessInfoV3(self._body(answer), auth_token=token))

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

    def lent_to(self, trustee_user_id: str) -> str | None:
        """Return the trust of this user that the credential is itself the use of, if it is."""
        access = self._connection.access()
        return access.trust_id if access.trustee_user_id == trustee_user_id else None

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
