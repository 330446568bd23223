"""The named instants between effects: where a test can stop, delay or end a worker.

Each lies between two things that the world can see. In production nothing listens.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stoker.store.claims import Claim


class Instant(StrEnum):
    """In the order in which a step meets them; the last two belong to no single step."""

    CLAIMED = "rows claimed"
    INTENT_COMMITTED = "intent committed"
    CALL_ABOUT_TO_BE_SENT = "call about to be sent"
    CALL_SENT = "call sent"  # the service has done it; its answer is not seen yet
    ANSWER_RECEIVED = "answer received"
    RESULT_READY = "result ready"
    RESULT_COMMITTED = "result committed"  # and dependents released: it is one commit
    COMMIT_ABOUT_TO_BEGIN = "commit about to begin"
    BEAT_ABOUT_TO_BEGIN = "beat about to begin"


Listen = Callable[[Instant, "Claim | None"], None]
"""Told the instant and the claim whose step it is (None for a batch)."""


def nobody(_instant: Instant, _claim: Claim | None) -> None:
    """Listen to nothing."""
