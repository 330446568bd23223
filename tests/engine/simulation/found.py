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

TAKEN_BACK = Program(
    seed=1573,
    requests=(
        Request(
            "s",
            "create",
            (Piece("a", "S::Slow", 9, "x"), Piece("b", "S::Renamed", 7, "x")),
            pause=2.6430666835179686,
        ),
        Request("s", "check", waits=False, pause=1.430514644928353),
    ),
    workers=2,
    trouble=0.5,
    faults=0.02,
)
"""Giving back rows whose claim was not answered was itself taken back, and not tried again."""

FOUND = {"turned round": TURNED_ROUND, "taken back": TAKEN_BACK}
