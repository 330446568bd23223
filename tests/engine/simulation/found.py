"""Programs that have once broken a promise, shrunk: each is a test from then on."""

from __future__ import annotations

from tests.engine.simulation import found_of_looks, found_of_snapshots
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

WOKEN_EARLY = Program(
    seed=3572,
    requests=(
        Request(
            "t",
            "create",
            (Piece("b", "S::Nest", 5, "y", inner=(Piece("a", "S::Chosen", 9, "x"),)),),
            pause=2.6521296297374217,
        ),
        Request("t", "suspend", pause=1.5689750910899316),
        Request("t", "resume", waits=False, pause=0.8752134347529804, undoes=True),
    ),
    workers=1,
)
"""A resume came while a child was suspended, which was then suspended once more."""

_INNER = (
    Piece("a", "S::Tagged", 8, "x"),
    Piece(
        "b",
        "S::Nest",
        5,
        "y",
        inner=(Piece("a", "S::Relation", 2, "x"), Piece("b", "S::Slow", 4, "x")),
    ),
)
NO_NEST_ANY_MORE = Program(
    seed=3711,
    requests=(
        Request(
            "t",
            "create",
            (
                Piece("a", "S::Tagged", 8, "y"),
                Piece("b", "S::Nest", 2, "y", on=("a",), inner=_INNER),
                Piece("c", "S::Renamed", 8, "y", on=("a",), near=("b",)),
            ),
            pause=2.8329023943514353,
        ),
        Request(
            "t",
            "update",
            (
                Piece("a", "S::Tagged", 3, "y"),
                Piece("c", "S::Renamed", 8, "x", on=("a",)),
                Piece("b", "S::Slow", 7, "x", on=("c",)),
            ),
            pause=12.553891133716542,
        ),
        Request("t", "undo", waits=False, pause=18.771687378470364),
    ),
    workers=1,
    trouble=0.3,
    deaths=1,
    pauses=2,
)
"""What had failed was looked at as the type that it was to become."""

HEARD_WITHOUT_INTENT = Program(
    seed=90,
    requests=(
        Request(
            "s",
            "create",
            (
                Piece("b", "S::Chosen", 9, "y"),
                Piece("c", "S::Ear", 3, "x"),
                Piece("d", "S::Renamed", 5, "x"),
            ),
            pause=1.7633711034804411,
        ),
        Request("s", "delete", waits=False, pause=17.41429578169128),
    ),
    workers=2,
    pauses=2,
    losses=1,
)
"""A signal whose hearing had lost its lease was heard later with no intent to hear it."""

TOLD_WHAT_IS_LEFT = Program(
    seed=1948,
    requests=(
        Request(
            "s",
            "create",
            (
                Piece("a", "S::Hark", 1, "y"),
                Piece("c", "S::Chosen", 7, "x", near=("a",)),
            ),
            pause=1.1796594212203693,
            undoes=True,
        ),
    ),
    workers=2,
    deaths=1,
    losses=2,
)
"""A signal went to what could not be deleted, and not to what had come in its place."""

INTENT_LEFT = Program(
    seed=46757,
    requests=(
        Request("s", "create", (Piece("a", "S::Chosen", 1, "y"),), pause=1.1215577152070062),
        Request(
            "s", "update", (Piece("a", "S::Chosen", 8, "y"),), waits=False, pause=2.778268493985748
        ),
        Request(
            "s",
            "update",
            (Piece("a", "S::Chosen", 8, "y"),),
            waits=False,
            pause=0.016688218932493303,
        ),
    ),
    workers=1,
    beside=True,
)
"""What ended an older goal's work had the next step's intent, which had nothing to do."""

_LAST = (
    Piece("c", "S::Relation", 1, "x"),
    Piece("d", "S::Renamed", 8, "x"),
    Piece("e", "S::Ear", 2, "x"),
    Piece("a", "S::Ear", 2, "y", on=("c", "d")),
)
USED_BY_NAME = Program(
    seed=59168,
    requests=(
        Request(
            "s",
            "create",
            (
                Piece("a", "S::Slow", 8, "x"),
                Piece("b", "S::Tagged", 7, "y", on=("a",)),
                Piece("c", "S::Relation", 7, "x", on=("b",)),
                Piece("d", "S::Renamed", 8, "y", on=("b",)),
                Piece("e", "S::Ear", 2, "x"),
            ),
            pause=2.375409947050393,
        ),
        Request("s", "update", _LAST, pause=0.07933895189742746),
        Request("s", "cancel", waits=False, pause=16.216157145526658),
    ),
    workers=3,
    pauses=3,
    losses=2,
    beside=True,
)
"""An object was to go before one that used it: it seemed to have used a later one of the name."""

_ALIKE = tuple(
    Piece(name, f"S::{kind}", 1, "here")
    for name, kind in zip(
        "abcdefgh", ("Tagged", *["Renamed"] * 5, "Tagged", "Renamed"), strict=True
    )
)
ALL_HANDS_FULL = Program(
    seed=58939,
    requests=(
        Request("s", "create", _ALIKE),
        Request("s", "delete", waits=False, pause=13.540424884805216),
    ),
    workers=1,
    trouble=1.8,
    deaths=1,
    pauses=1,
)
"""The only worker's steps were all in slow calls, and a row waited its turn behind others."""

_JOINING = (Piece("a", "S::Relation", 3, "y"),)
TAKEN_FROM_A_SUCCESSOR = Program(
    seed=19195,
    requests=(
        Request(
            "s",
            "create",
            (
                Piece("a", "S::Ear", 8, "y"),
                Piece("b", "S::Relation", 1, "y"),
                Piece("c", "S::Nest", 8, "x", near=("b",), inner=_JOINING),
            ),
            pause=1.0052874048853753,
            undoes=True,
        ),
        Request(
            "s",
            "update",
            (
                Piece("a", "S::Ear", 3, "y"),
                Piece("b", "S::Relation", 3, "y"),
                Piece("c", "S::Nest", 8, "x", inner=_JOINING),
            ),
            pause=12.14720081045757,
        ),
    ),
    workers=1,
    trouble=0.3,
    deaths=1,
    pauses=2,
    losses=1,
)
"""What a nested stack, left over, was perhaps making was made by its successor, and taken."""

FOUND = {
    "taken from a successor": TAKEN_FROM_A_SUCCESSOR,
    "intent left": INTENT_LEFT,
    "used by name": USED_BY_NAME,
    "all hands full": ALL_HANDS_FULL,
    "told what is left": TOLD_WHAT_IS_LEFT,
    "heard without intent": HEARD_WITHOUT_INTENT,
    "turned round": TURNED_ROUND,
    "taken back": TAKEN_BACK,
    "woken early": WOKEN_EARLY,
    "no nest any more": NO_NEST_ANY_MORE,
    **found_of_snapshots.FOUND,
    **found_of_looks.FOUND,
}
