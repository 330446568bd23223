"""Programs that have once broken a promise, shrunk: each is a test from then on."""

from __future__ import annotations

from tests.engine.simulation.program import Piece, Program, Request

TURNED_ROUND = Program(
    seed=168,
    requests=(
        Request(
            "t",
            "create",
            (
                Piece("a", "S::Renamed", 3, "y"),
                Piece("e", "S::Slow", 9, "y", on=("a",)),
            ),
            pause=1.9452689058172026,
        ),
        Request(
            "t",
            "update",
            (
                Piece("e", "S::Slow", 9, "y"),
                Piece("a", "S::Chosen", 3, "x", on=("e",)),
            ),
            pause=15.936632459856595,
        ),
        Request("t", "cancel", waits=False, pause=5.239973917857514),
    ),
    workers=1,
    trouble=0.5,
    pauses=1,
)
"""The old objects waited for each other, as their successors were to stand the other way round."""

FOUND = {"turned round": TURNED_ROUND}
