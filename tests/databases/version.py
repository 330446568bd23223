"""A program of some version beside a database: its use cases, and an engine once it is asked.

Run with the sources of that version before all others; it reads words from its standard input
(``migrate``, ``engine``, ``create NAME``, ``delete NAME ID``) and answers each with a line.
"""

from __future__ import annotations

import sys

from benchmarks.engine import ANN, SETTINGS, NoCloud
from stoker.engine.engine import Engine
from stoker.engine.usecases.stacks import StackUseCases
from stoker.resources.index import Index
from stoker.store.database import Database
from stoker.store.migrate import upgrade
from stoker.store.seal import KEY_BYTES, Sealer
from stoker.usecases.stacks import CreateStack, Goal, StackRef

TEMPLATE = {
    "heat_template_version": "2021-04-16",
    "resources": {
        "first": {"type": "OS::Heat::RandomString"},
        "last": {
            "type": "OS::Heat::Value",
            "properties": {"value": {"get_attr": ["first", "value"]}},
        },
        "group": {
            "type": "OS::Heat::ResourceGroup",
            "depends_on": "last",
            "properties": {"count": 2, "resource_def": {"type": "OS::Heat::RandomString"}},
        },
    },
}


class Version:
    """What is done for each word."""

    def __init__(self, url: str) -> None:
        self._database = Database(url, Sealer(b"k" * KEY_BYTES))
        self._engine = Engine(self._database, Index(), NoCloud(), SETTINGS)
        self._stacks = StackUseCases(
            self._database, Index(), NoCloud(), SETTINGS, self._engine.wake
        )

    def migrate(self) -> str:
        """Bring the tables to this version."""
        upgrade(self._database)
        return "migrated"

    def engine(self) -> str:
        """Start the engine."""
        self._engine.start()
        return "started"

    def create(self, name: str) -> str:
        """Begin to create a stack; return its id."""
        return self._stacks.create(ANN, CreateStack(name, Goal(TEMPLATE))).id

    def delete(self, name: str, stack_id: str) -> str:
        """Begin to delete a stack."""
        self._stacks.delete(ANN, StackRef(stack_id, name, ANN.project_id))
        return "begun"

    def end(self) -> None:
        """Stop the engine, if it was started."""
        if self._engine._threads:  # noqa: SLF001 - both versions have them
            self._engine.stop()
        self._database.close()


def main() -> None:
    """Do what is asked until the input ends."""
    version = Version(sys.argv[1])
    try:
        for line in sys.stdin:
            word, *rest = line.split()
            sys.stdout.write(f"{getattr(version, word)(*rest)}\n")
            sys.stdout.flush()
    finally:
        version.end()


if __name__ == "__main__":
    main()
