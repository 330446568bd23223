"""What only computes, ended in the very transaction that has released it.

A chain of values would else cost a claim, a thread and a commit for each link. Rule: nothing is
called, nobody is told before the commit, and whatever is not over at once is left to a claim: it
has then not happened. An expression that may take long is left, too, for the stack is held.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from stoker.engine.instants import nobody
from stoker.engine.lease import CallGuard
from stoker.lang.evaluation import is_slow
from stoker.lang.expression import load
from stoker.sdk.copies import kind_of
from stoker.store.database import DatabaseError
from stoker.store.work import AtOnce

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from stoker.engine.job import Job
    from stoker.engine.lease import Lease
    from stoker.engine.worker import Worker
    from stoker.sdk.resource import Types
    from stoker.store.claims import Claim
    from stoker.store.database import Joined
    from stoker.store.stacks import Connection
    from stoker.store.work import Result

SECONDS: Final = 0.03
"""For so long one transaction follows what it releases: others wait for it."""
_EXPRESSIONS: Final = ("properties", "metadata")
_LOG = logging.getLogger(__name__)


class Following:
    """Gives what one transaction after the other does at once; ``worker`` reads of ``joined``."""

    def __init__(
        self, worker: Worker, joined: Joined, types: Types, lease: Lease, clock: Callable[[], float]
    ) -> None:
        self._worker, self._joined, self._types = worker, joined, types
        self._lease, self._clock = lease, clock
        self._known: set[str] = set()

    def met(self, claims: Iterable[Claim]) -> None:
        """Come to know the types of these rows: there may be more of them."""
        for implementation in {claim.row.implementation for claim in claims} - self._known:
            kind = kind_of(self._types, implementation)
            if kind is not None and kind.computes:
                self._known.add(implementation)

    @contextmanager
    def within(self, connection: Connection) -> Iterator[AtOnce]:
        """Give what this transaction does at once."""
        until = self._clock() + SECONDS

        def perform(claim: Claim) -> Result | None:
            return None if self._clock() > until else self._computed(claim)

        with self._joined.through(connection):
            yield AtOnce(frozenset(self._known), perform)

    def _computed(self, claim: Claim) -> Result | None:
        job = self._worker.job(claim)
        try:
            if not _is_quick(job):
                return None
            return self._worker.carry(job, CallGuard(self._lease, nobody, claim))
        except DatabaseError:  # the transaction is no more
            raise
        except Exception:  # noqa: BLE001 - the step of a claim meets it again, and tells of it
            _LOG.debug("%s is left to a claim", claim.row.name, exc_info=True)
            return None


def _is_quick(job: Job) -> bool:
    kinds = (job.made_kind, job.wanted_kind)
    slow = (is_slow(load(job.definition[each])) for each in _EXPRESSIONS)
    return all(kind.computes for kind in kinds) and not any(slow)
