"""A Galera cluster of the tests' own: two MariaDB nodes on the loopback, each with its own data.

The first node has a vote more, so that it goes on alone when the second one dies; a node that is
started again joins the other and takes what it has missed, or everything.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from tests.databases.server import MariaDB
from tests.databases.server import why_not as why_no_mariadb
from tools import daemons

if TYPE_CHECKING:
    from collections.abc import Sequence

PROVIDERS = ("/usr/lib/galera/libgalera_smm.so", "/usr/lib64/galera-4/libgalera_smm.so")
WORDS = "gmcast.listen_addr=tcp://127.0.0.1:{gossip};ist.recv_addr=127.0.0.1:{more};{rest}"
SYNCED = "SHOW STATUS LIKE 'wsrep_local_state_comment'"


class Node(MariaDB):
    """One node; ``address`` names the ports at which all of them meet."""

    def __init__(self, folder: Path, gossip: int, peers: Sequence[int], weight: int) -> None:
        self._gossip, self._peers, self._weight = gossip, peers, weight
        self._more, self._whole = daemons.free_port(), daemons.free_port()
        self.founds = weight > 1
        folder.mkdir()
        super().__init__(folder)
        self.founds = False

    def _command(self) -> tuple[str, ...]:
        rest = f"pc.weight={self._weight};gcache.size=64M"
        options = WORDS.format(gossip=self._gossip, more=self._more, rest=rest)
        peers = ",".join(f"127.0.0.1:{port}" for port in self._peers)
        return (
            *super()._command(),
            "--wsrep-on=ON",
            f"--wsrep-provider={provider()}",
            f"--wsrep-provider-options={options}",
            f"--wsrep-cluster-address=gcomm://{peers}",
            "--wsrep-cluster-name=stoker",
            f"--wsrep-node-name=node{self._gossip}",
            "--wsrep-node-address=127.0.0.1",
            "--wsrep-sst-method=rsync",
            f"--wsrep-sst-receive-address=127.0.0.1:{self._whole}",
            "--binlog-format=ROW",
            "--innodb-autoinc-lock-mode=2",
            *(("--wsrep-new-cluster",) if self.founds else ()),
        )

    def _is_ready(self, connection: sa.Connection) -> bool:
        """Tell whether it has joined the others; until then it refuses to answer."""
        row = connection.exec_driver_sql(SYNCED).one()
        return str(row[1]) == "Synced"

    def url(self, name: str) -> str:
        """Return a database's URL at this node."""
        return self._url(name)


class Galera:
    """Two nodes."""

    def __init__(self, folder: Path) -> None:
        ports = [daemons.free_port(), daemons.free_port()]
        first = Node(folder / "one", ports[0], ports, 2)
        self.nodes = [first, Node(folder / "two", ports[1], ports, 1)]

    def database(self) -> list[str]:
        """Make an empty database and return its URL at each node."""
        name = str(sa.engine.make_url(self.nodes[0].database()).database)
        return [node.url(name) for node in self.nodes]

    def close(self) -> None:
        """End both, the one that goes on alone last."""
        for node in reversed(self.nodes):
            node.stop()


def provider() -> str:
    """Return the library's place."""
    return next(each for each in PROVIDERS if Path(each).exists())


def why_not() -> str | None:
    """Return why there can be no cluster here, or None."""
    if (reason := why_no_mariadb("mariadb")) is not None:
        return reason
    if not any(Path(each).exists() for each in PROVIDERS):
        return "galera-4 is not installed"
    missing = [each for each in ("rsync", "wsrep_sst_rsync") if shutil.which(each) is None]
    return f"{', '.join(missing)} is not installed" if missing else None
