"""Programs of updates that look, and of groups in batches, that have once broken a promise, shrunk:
more of ``found``."""

from __future__ import annotations

from tests.engine.simulation.program import Pace, Piece, Program, Request

_RENAMED = Piece("a", "S::Renamed", 1, "y")
ASKED_WHILE_MADE = Program(
    seed=330,
    requests=(
        Request("s", "create", (_RENAMED,), pause=1.0),
        Request("s", "update", (_RENAMED,), waits=False, pause=0.6345454644122382, converges=True),
    ),
    workers=1,
    meddling=4,
)
"""That a row is to be looked at was written over what the step under way had left there, or
forgotten with that."""

_SOUND = (
    Piece("a", "S::Group", 1, inner=(Piece("m", "S::Slow", 9, "x"),), pace=Pace(2, 2, 5, first=1)),
    Piece("b", "S::Ear", 1, "x"),
    Piece("c", "S::Tagged", 7, "x"),
)
SOUND_AND_CHANGED = Program(
    seed=216,
    requests=(
        Request("s", "create", _SOUND, pause=1.0),
        Request("s", "update", _SOUND, waits=False, pause=8.446109711308074),
    ),
    workers=2,
    trouble=0.3,
    deaths=2,
    pauses=2,
    faults=0.02,
    losses=1,
    meddling=4,
)
"""What had failed and was sound was not looked at any further."""

_PAIR = (Piece("a", "S::Group", inner=(Piece("m", "S::Chosen", 2, "y"),), count=2),)
BACK_TO_WHAT_IS_GONE = Program(
    seed=176,
    requests=(
        Request("s", "create", _PAIR, pause=1.0),
        Request("s", "update", _PAIR, waits=False, pause=10.530369879589475, converges=True),
        Request("s", "update", _PAIR, waits=False, pause=0.07690501104063537, converges=True),
    ),
    workers=3,
    trouble=0.1,
    deaths=1,
    pauses=3,
    meddling=6,
)
"""An update that took over went back to an object that its predecessor had found to be gone, and
deleted the one that was made in its place."""

RETURNED_UNSEEN = Program(
    seed=308,
    requests=(
        Request(
            "s",
            "create",
            (
                Piece("a", "S::Kept", 1, "x"),
                Piece("b", "S::Quiet", 7, "x", on=("a",)),
                Piece("c", "S::Tagged", 1, "y", on=("b",), near=("a",)),
                Piece("d", "S::Renamed", 1, "x", near=("a", "b", "c")),
            ),
            pause=1.0,
            undoes=True,
        ),
        Request(
            "s",
            "update",
            (
                Piece("c", "S::Tagged", 9, "x"),
                Piece("d", "S::Renamed", 1, "x", near=("c",)),
                Piece("a", "S::Kept", 1, "y"),
            ),
            pause=9.788734124902911,
        ),
    ),
    workers=2,
    deaths=2,
    pauses=1,
    losses=2,
    meddling=7,
    beside=True,
)
"""A replaced object that took its name back was not looked at."""

_BATCHES = Piece(
    "a", "S::Group", inner=(Piece("m", "S::Kept", 2, "y"),), count=2, pace=Pace(2, 3, 20)
)
RESTORED_IN_BATCHES = Program(
    seed=1322,
    requests=(
        Request("s", "create", (_BATCHES,), pause=0.7186390825524002, undoes=True),
        Request("s", "snapshot", waits=False, pause=8.757562027348433, undoes=True),
    ),
    workers=1,
    trouble=0.1,
    pauses=1,
    faults=0.02,
    meddling=4,
)
"""A group that is changed in batches never found itself to be what a restore makes of it."""

_SLOW = Piece("a", "S::Slow", 3, "x")
_QUIET = Piece("c", "S::Quiet", 2, "x", on=("b",), near=("a",))
_TAGGED = Piece("d", "S::Tagged", 8, "x", on=("a",), near=("c",))
_JOINED = (
    Piece("a", "S::Nest", 2, "x", inner=(_SLOW,)),
    Piece("c", "S::Quiet", 2, "x", near=("a",)),
    Piece(
        "b",
        "S::Nest",
        7,
        "x",
        near=("c",),
        inner=(
            Piece("a", "S::Slow", 8, "y"),
            Piece("b", "S::Ear", 4, "y", on=("a",)),
            Piece("c", "S::Relation", 1, "y", on=("a",)),
        ),
    ),
)
MADE_JUST_NOW = Program(
    seed=1686,
    requests=(
        Request(
            "s",
            "create",
            (
                Piece("a", "S::Renamed", 6, "x"),
                Piece("b", "S::Chosen", 8, "x"),
                _QUIET,
                Piece("d", "S::Ear", 4, "x", on=("b",)),
            ),
            pause=1.0,
        ),
        Request(
            "s",
            "update",
            (
                Piece("a", "S::Nest", 4, "x", inner=(_SLOW,)),
                Piece("b", "S::Chosen", 8, "y"),
                _QUIET,
                _TAGGED,
            ),
            waits=False,
            pause=11.266964065329251,
            converges=True,
        ),
        Request(
            "s",
            "update",
            (
                Piece("a", "S::Nest", 6, "x", inner=(_SLOW,)),
                Piece("b", "S::Chosen", 8, "x"),
                _QUIET,
                _TAGGED,
            ),
            pause=6.186904618209806,
            converges=True,
        ),
        Request("s", "update", _JOINED, pause=1.7060000992448532, converges=True),
        Request("s", "undo", waits=False, pause=4.920101568964905),
        Request("s", "update", _JOINED, waits=False, pause=5.28978708610251),
    ),
    workers=1,
    trouble=0.3,
    pauses=1,
    meddling=5,
)
"""What a nested stack, on its way out, was perhaps making was taken by it when its successor had
just made it, and not recorded yet."""
_PACED = Piece(
    "a",
    "S::Group",
    1,
    "here",
    inner=(Piece("m", "S::Relation", 3, "x"),),
    count=2,
    pace=Pace(batch=2, in_service=1, pause=3, first=2),
)
ACCEPTED_LATE = Program(
    seed=10080,
    requests=(
        Request(
            "s",
            "create",
            (_PACED, Piece("b", "S::Tagged", 7, "y", on=("a",))),
            pause=1.8440860793517326,
        ),
        Request(
            "s",
            "update",
            (_PACED, Piece("b", "S::Tagged", 7, "y")),
            waits=False,
            pause=2.7626828955089207,
            converges=True,
        ),
    ),
    workers=2,
    trouble=0.3,
    deaths=1,
    pauses=1,
    meddling=4,
    beside=True,
)
"""What was made, and changed by others, between the planning of an update and its being accepted,
by a process that stood still meanwhile, was not looked at."""

_RELATED = Piece("m", "S::Relation", 1, "x")
_DEEP = (
    Piece("a", "S::Relation", 4, "x"),
    Piece(
        "b",
        "S::Nest",
        5,
        "x",
        inner=(
            Piece("a", "S::Hark", 8, "y"),
            Piece("b", "S::Ear", 6, "x", near=("a",)),
            Piece("c", "S::Slow", 4, "y", on=("a", "b")),
        ),
    ),
)
CHILD_OF_BEFORE = Program(
    seed=14620,
    requests=(
        Request(
            "s",
            "create",
            (
                Piece("a", "S::Ear", 4, "x"),
                Piece("b", "S::Kept", 7, "y", on=("a",)),
                Piece(
                    "c", "S::Group", 1, on=("b",), inner=(_RELATED,), count=2, pace=Pace(pause=3)
                ),
                Piece("d", "S::Nest", 8, "x", on=("b",), inner=_DEEP),
            ),
            pause=0.019816544479964504,
        ),
        Request(
            "s",
            "update",
            (
                Piece("a", "S::Ear", 1, "x"),
                Piece("b", "S::Hark", 3, "x"),
                Piece("c", "S::Group", 1, inner=(_RELATED,), count=0, pace=Pace(pause=3)),
                Piece("d", "S::Nest", 7, "x", inner=_DEEP),
            ),
            waits=False,
            pause=11.087881256985204,
            converges=True,
        ),
    ),
    workers=1,
    pauses=1,
    faults=0.02,
    losses=1,
    meddling=4,
)
"""A nested stack was begun with the trust that its owner had when the worker looked, and no longer
when it wrote; later requests found the tree's trust good, and that one stayed lost."""

INTENT_OF_BEFORE = Program(
    seed=6717,
    requests=(
        Request(
            "t",
            "create",
            (
                Piece("a", "S::Slow", 6, "x"),
                Piece("b", "S::Slow", 4, "x", near=("a",)),
                Piece("c", "S::Relation", 2, "x"),
                Piece("d", "S::Ear", 5, "x", on=("b",)),
                Piece("e", "S::Chosen", 6, "x", on=("c",)),
            ),
            pause=0.5264300228297226,
        ),
        Request("t", "snapshot", pause=16.11216098572179),
        Request(
            "s",
            "create",
            (Piece("a", "S::Kept", 5, "x"), Piece("b", "S::Kept", 3, "x")),
            pause=0.05827690219877224,
        ),
        Request("s", "cancel", waits=False, pause=3.388765423891006),
        Request(
            "s",
            "update",
            (Piece("a", "S::Kept", 5, "x"), Piece("b", "S::Kept", 3, "y")),
            waits=False,
            pause=4.823754122585461,
            converges=True,
        ),
        Request(
            "s",
            "update",
            (
                Piece("a", "S::Kept", 5, "x"),
                Piece("b", "S::Kept", 3, "x"),
                Piece("c", "S::Kept", 7, "x"),
            ),
            waits=False,
            pause=0.03846387252685283,
        ),
    ),
    beside=True,
)
"""An object that was about to be deleted, and taken back, was left with that intent for ever."""

_RENEST = Piece(
    "a",
    "S::Nest",
    1,
    "y",
    inner=(Piece("a", "S::Renamed", 7, "x"), Piece("b", "S::Relation", 1, "y")),
)
NEST_TAKEN_BACK = Program(
    seed=7018,
    requests=(
        Request(
            "s",
            "create",
            (Piece("a", "S::Relation", 8, "x"), Piece("b", "S::Renamed", 4, "y")),
            pause=1.758922463801657,
            undoes=True,
        ),
        Request(
            "s",
            "update",
            (_RENEST, Piece("b", "S::Renamed", 1, "y", on=("a",))),
            pause=0.8771289992948608,
            undoes=True,
        ),
    ),
    workers=1,
    deaths=1,
    pauses=1,
    meddling=4,
)
"""A nested stack that a rollback had not come to delete did not take its name back: another was to
be made beside it, of things that only one can have."""

_SURE = (
    Piece("a", "S::Kept", 6, "y"),
    Piece(
        "b",
        "S::Group",
        1,
        inner=(Piece("m", "S::Renamed", 2, "y"),),
        count=3,
        pace=Pace(in_service=1, first=2),
    ),
    Piece("c", "S::Relation", 6, "y", on=("a", "b")),
    Piece("d", "S::Kept", 5, "y", on=("a", "b", "c")),
)
FOUND_GONE_MEANWHILE = Program(
    seed=7706,
    requests=(
        Request("s", "create", _SURE, pause=1.0),
        Request("s", "update", _SURE, pause=14.485505171710336, converges=True),
        Request("s", "update", _SURE, waits=False, pause=2.069687659463526),
    ),
    workers=1,
    trouble=0.3,
    pauses=1,
    meddling=7,
)
"""What an update that had been taken over from found to be gone was to be replaced, and the plan,
sure of it before, had no clean-up for it."""

FOUND = {
    "intent of before": INTENT_OF_BEFORE,
    "nest taken back": NEST_TAKEN_BACK,
    "found gone meanwhile": FOUND_GONE_MEANWHILE,
    "child of before": CHILD_OF_BEFORE,
    "accepted late": ACCEPTED_LATE,
    "made just now": MADE_JUST_NOW,
    "asked while made": ASKED_WHILE_MADE,
    "sound and changed": SOUND_AND_CHANGED,
    "back to what is gone": BACK_TO_WHAT_IS_GONE,
    "returned unseen": RETURNED_UNSEEN,
    "restored in batches": RESTORED_IN_BATCHES,
}
