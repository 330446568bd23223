"""What is noted of a job: its events, and what its steps leave, sealed."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from stoker.engine.configs import config_row
from stoker.engine.job import ACTED, data_key
from stoker.store.work import EventRow

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stoker.engine.job import Job
    from stoker.store.database import Database
    from stoker.store.software import ConfigRow
    from stoker.usecases.software import NewConfig


class Notes:
    """Writes notes for a database; keeps none."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def event(
        self, job: Job, verb: str, status: str, *, reason: str = "state changed",
        physical_id: str | None = None, properties: bool = False,
    ) -> EventRow:  # fmt: skip
        """Return an event of the resource; with ``properties`` it shows the wanted ones."""
        if properties:
            sealed = self.seal(job.shown(job.wanted))
        elif job.sent is not None and (job.secrets or job.definition["hidden"]):
            sealed = self.seal(job.shown(job.sent))
        else:
            sealed = job.row.sent
        # Clients find the parent of a nested stack by the name told when it began.
        id = physical_id or job.row.physical_id or job.name
        return EventRow(verb.upper(), status, reason, id, sealed)

    def progress(self, job: Job, data: Mapping[str, Any]) -> bytes:
        """Return the row's progress with what a step of its verb has left."""
        return self.seal({**job.progress, data_key(job.row.verb): dict(data)})

    def without_steps(self, job: Job) -> dict[str, Any]:
        """Return the column that forgets an action's steps, and only these, if there are any."""
        if ACTED not in job.progress:
            return {}
        left = {key: value for key, value in job.progress.items() if key != ACTED}
        return {"progress": self.seal(left) if left else None}

    def config(self, job: Job, id: str, config: NewConfig) -> ConfigRow:
        """Return the row of a software config that a resource keeps."""
        at = datetime.fromtimestamp(self._database.now(), UTC)
        return config_row(self._database.sealer, id, job.stack.project_id, config, at)

    def sealed_data(self, data: Mapping[str, Any]) -> dict[str, bytes]:
        """Return what a resource keeps for life, each value sealed."""
        return {key: self.seal(value) for key, value in data.items()}

    def seal(self, value: Any) -> bytes:
        """Return the value as it is stored where it may hold a secret."""
        return self._database.sealer.seal(value)
