"""Somebody else with rights in the cloud, who takes away and changes what stacks have made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from stoker.errors import CloudError
from tests.engine.simulation.program import UNSEEN
from tests.engine.simulation.sky import COPY

if TYPE_CHECKING:
    from tests.engine.simulation.records import Records, Row
    from tests.engine.simulation.sky import Sky


@dataclass
class Outsider:
    """``touched`` says when objects were last taken away or changed, by their ids; so often
    ``left`` is that going to happen.

    What he touches is recorded: of anything else nobody can know that it was ever there. A copy
    in a snapshot is nothing that an update would look at.
    """

    sky: Sky
    left: int
    touched: dict[str, float] = field(default_factory=dict)

    def meddle(self, records: Records) -> None:
        """Take away or change one object that is recorded, if there is one."""
        there = {thing.id: thing for thing in self.sky.living() if thing.kind != COPY}
        rows = [row for row in records.rows.values() if row.physical_id in there]
        if not rows:
            return
        self.left -= 1
        row = self.sky.chance.choice(rows)
        if not self._is_taken(row):
            body = there[str(row.physical_id)].body
            body["size"] += self.sky.chance.randint(1, 9)
            body["near"] = []
        self.touched[str(row.physical_id)] = self.sky.stage.now

    def _is_taken(self, row: Row) -> bool:
        if row.type not in UNSEEN and self.sky.chance.random() < 0.5:
            return False
        try:
            self.sky.take(str(row.physical_id), slow=False)
        except CloudError:  # others are on it
            return row.type in UNSEEN
        return True
