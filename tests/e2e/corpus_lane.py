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
    from tests.e2e.rest import Json
    from tests.e2e.tenant import Tenant

_READS = {"GET", "HEAD", "OPTIONS"}


@dataclass(frozen=True, slots=True)
class Lane:
    """A :class:`tests.e2e.corpus_driver.Project`."""

    tenant: Tenant

    def objects(self) -> set[tuple[str, str]]:
        return self.tenant.objects()

    def mark(self) -> int:
        return int(controls(self.tenant.controls, "log?since=999999999")["seq"])

    def changes(self, since: int) -> list[str]:
        found = controls(self.tenant.controls, f"log?since={since}")["requests"]
        return [
            f"{each['method']} {each['path']} {each['status']}"
            for each in found
            if each["project"] == self.tenant.project and not _changes_nothing(each)
        ]

    def given(self, needs: tuple[Named, ...]) -> AbstractContextManager[dict[Named, str]]:
        return given(self.tenant.conn, needs)


def _changes_nothing(request: Json) -> bool:
    """Tell whether a request only reads: a log-in does; so does the end of another's trust.

    The trust of a stack that is gone is taken back a little later, which may be now.
    """
    path = urlsplit(request["path"]).path
    method = request["method"]
    is_login = (method, path) == ("POST", "/identity/v3/auth/tokens")
    is_end_of_trust = method == "DELETE" and path.startswith("/identity/v3/OS-TRUST/trusts/")
    return method in _READS or is_login or is_end_of_trust
