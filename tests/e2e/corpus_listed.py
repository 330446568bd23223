"""A project as its own clients see it, in any cloud that speaks the OpenStack APIs.

Who deploys the cases in a cloud of another kind brings a connection and a log of its requests.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from tests.e2e.corpus_stock import given

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from tests.e2e.corpus_case import Named

NETWORK_KINDS = (
    "networks",
    "subnets",
    "ports",
    "routers",
    "ips",
    "security_groups",
    "security_group_rules",
)


class Log(Protocol):
    """What was asked of a cloud on behalf of one project."""

    def mark(self) -> Any:
        """Return a moment, to be given to ``changes``."""

    def changes(self, since: Any) -> list[str]:
        """Return the requests since then that change something (no log-ins), as short lines."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A :class:`tests.e2e.corpus_driver.Project`; ``conn`` is openstacksdk's connection."""

    conn: Any
    log: Log

    def objects(self) -> set[tuple[str, str]]:
        return set(self._rows())

    def mark(self) -> Any:
        return self.log.mark()

    def changes(self, since: Any) -> list[str]:
        return self.log.changes(since)

    def given(self, needs: tuple[Named, ...]) -> AbstractContextManager[dict[Named, str]]:
        return given(self.conn, needs)

    def _rows(self) -> Iterator[tuple[str, str]]:
        conn, project = self.conn, self.conn.current_project_id
        for kind in NETWORK_KINDS:
            yield from ((kind, each.id) for each in getattr(conn.network, kind)(project_id=project))
        yield from (("servers", each.id) for each in conn.compute.servers())
        yield from (("keypairs", each.name) for each in conn.compute.keypairs())
        yield from (("server_groups", each.id) for each in conn.compute.server_groups())
        yield from (("volumes", each.id) for each in conn.block_storage.volumes())
        yield from (("snapshots", each.id) for each in conn.block_storage.snapshots())
        yield from (("images", each.id) for each in conn.image.images(owner=project))
