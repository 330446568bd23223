"""A project of the embedded cloud in which one case after the other is deployed.

Rule: a project has its own log, so cases in other projects can run at the same time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tests.e2e.corpus_stock import given
from tests.e2e.tenant import controls

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from tests.e2e.corpus_case import Named
    from tests.e2e.tenant import Tenant

OF_AN_ADMINISTRATOR = ("compute.flavor", "volume.type")
_READS = {"GET", "HEAD", "OPTIONS"}


@dataclass(frozen=True, slots=True)
class Lane:
    """A :class:`tests.e2e.corpus_driver.Project`; ``kinds`` are objects that belong to nobody.

    Key pairs are a user's, not the project's.
    """

    tenant: Tenant
    kinds: tuple[str, ...] = ()

    def objects(self) -> set[tuple[str, str]]:
        keys = {("keypair", each.name) for each in self.tenant.conn.compute.keypairs()}
        everybodys = {
            (kind, each["id"])
            for kind in self.kinds
            for each in controls(self.tenant.controls, f"objects?kind={kind}")["objects"]
        }
        return self.tenant.objects() | keys | everybodys

    def mark(self) -> int:
        return int(controls(self.tenant.controls, "log?since=999999999")["seq"])

    def changes(self, since: int) -> list[str]:
        found = controls(self.tenant.controls, f"log?since={since}")["requests"]
        return [
            f"{each['method']} {each['path']} {each['status']}"
            for each in found
            if each["project"] == self.tenant.project
            and not only_reads(each["method"], each["path"])
        ]

    def given(self, needs: tuple[Named, ...]) -> AbstractContextManager[dict[Named, str]]:
        return given(self.tenant.conn, needs)


def only_reads(method: str, url: str) -> bool:
    """Tell whether a request changes nothing: a log-in does not; nor does another's end of trust.

    The trust of a stack that is gone is taken back a little later, which may be now.
    """
    path = urlsplit(url).path
    is_login = (method, path) == ("POST", "/identity/v3/auth/tokens")
    is_end_of_trust = method == "DELETE" and path.startswith("/identity/v3/OS-TRUST/trusts/")
    # Nova makes the address of a console when somebody looks, which is a POST.
    is_look = method == "POST" and path.endswith("/remote-consoles")
    return method in _READS or is_login or is_end_of_trust or is_look
