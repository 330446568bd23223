"""Updates that look at what there is (``converge``): what is gone is made anew, what has been
changed by others is brought back.

Rule: as in Heat, an object that cannot be looked at is taken to be as recorded; only a service
that is away is waited for.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from stoker.errors import CloudError, CloudNotFound
from stoker.sdk.drift import drifted

if TYPE_CHECKING:
    from stoker.engine.job import Job
    from stoker.plan.decide import Recorded
    from stoker.sdk.cloud import Cloud

OBSERVES: Final = "observes"
"""Beside a row's definition: in which traversal its object is to be looked at before anything is
decided. It is no part of the progress, which is the step's that is under way."""

_LOG = logging.getLogger(__name__)


def is_due(job: Job) -> bool:
    """Tell whether the object is to be looked at first."""
    row = job.row
    is_same = job.definition["implementation"] == row.implementation
    is_asked = job.definition.get(OBSERVES) == row.traversal_id
    return is_asked and is_same and row.physical_id is not None


def observed(job: Job, recorded: Recorded, cloud: Cloud) -> Recorded:
    """Return what is recorded with what the cloud says. Raises CloudError where it is away."""
    kind, at = job.made_kind, job.at("check")
    try:
        if kind.supports("live"):
            found = drifted(job.wanted_kind.Props, job.wanted, kind.live(at, cloud))
            return replace(recorded, touched=recorded.touched | found)
        if kind.supports("check"):
            kind.check(at, cloud)
    except CloudNotFound:
        return replace(recorded, gone=True)
    except CloudError as error:
        if error.is_away:
            raise
        # Not its words: a service may repeat what it was given.
        _LOG.warning("%s cannot be looked at (%s)", job.row.name, error.status)
    return recorded
