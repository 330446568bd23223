"""Measure what an engine does when there is nothing to do: its CPU beside many stacks at rest.

usage: python -m benchmarks.idle URL [STACKS [SECONDS]]   (10,000 stacks of 10 resources, 30 s)
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from benchmarks.engine import SETTINGS, NoCloud
from stoker.engine.engine import Engine
from stoker.resources.index import Index
from stoker.store import tables as t
from stoker.store.beginning import new_row
from stoker.store.bulk import insert, uuids
from stoker.store.database import Database
from stoker.store.goal import NewRow
from stoker.store.migrate import upgrade
from stoker.store.seal import KEY_BYTES, Sealer
from stoker.store.traversal import moment

if TYPE_CHECKING:
    from collections.abc import Iterator

RESOURCES = 10
PART = 500  # stacks written in one transaction


def main(url: str, stacks: int = 10_000, seconds: float = 30.0) -> None:
    """Fill the database, let an engine stand beside it, print the part of a core that it took."""
    database = Database(url, Sealer(b"k" * KEY_BYTES))
    upgrade(database)
    for start in range(0, stacks, PART):
        _write(database, min(PART, stacks - start))
    engine = Engine(database, Index(), NoCloud(), SETTINGS)
    engine.start()
    time.sleep(5.0)  # the start is not what is asked for
    cpu, began = time.process_time(), time.monotonic()
    time.sleep(seconds)
    used, passed = time.process_time() - cpu, time.monotonic() - began
    engine.stop()
    database.close()
    print(f"{stacks} stacks at rest: {100 * used / passed:.2f} % of a core over {passed:.0f} s")


def _write(database: Database, count: int) -> None:
    ids, sealed, now = uuids(count), database.sealer.seal({"some": "text" * 50}), database.now()
    with database.write() as connection:
        insert(connection, t.stack, [_stack(id, sealed, now) for id in ids])
        insert(connection, t.resource, [row for id in ids for row in _rows(id, sealed, now)])


def _stack(id: str, sealed: bytes, now: float) -> dict[str, Any]:
    text = {"name": id, "taken_name": f"p/{id}", "project_id": "p", "user_id": "u", "username": "u"}
    state = {"action": "CREATE", "status": "COMPLETE", "status_reason": "", "version": 1}
    counts = {"remaining": 0, "failures": 0, "template_id": 1, "nested_depth": 0}
    shown = {"description": "", "parameters": sealed, "outputs": sealed, "disable_rollback": True}
    times = {"created_at": moment(now), "updated_at": moment(now)}
    return {"id": id, "root_id": id, **text, **state, **counts, **shown, **times}


def _rows(stack_id: str, sealed: bytes, now: float) -> Iterator[dict[str, Any]]:
    for position, uuid in enumerate(uuids(RESOURCES)):
        row = NewRow(f"r{position}", "OS::Heat::None", "OS::Heat::None", uuid, position, sealed, ())
        yield {**new_row(stack_id, row, now), "action": "CREATE", "physical_id": uuid}


if __name__ == "__main__":
    if len(sys.argv) == 1:
        raise SystemExit(__doc__)
    _, where, *numbers = sys.argv
    main(where, *(int(number) for number in numbers))
