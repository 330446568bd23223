"""Programs that have once broken a promise about snapshots, shrunk: more of ``found``."""

from __future__ import annotations

from tests.engine.simulation.program import Piece, Program, Request

LOST_WHILE_TAKEN = Program(
    seed=43761,
    requests=(
        Request(
            "t",
            "create",
            (
                Piece("a", "S::Slow", 9, "x"),
                Piece("b", "S::Kept", 2, "x"),
            ),
            pause=0.9551115340703036,
        ),
        Request("t", "snapshot", waits=False, pause=19.156556687306267),
    ),
    workers=2,
    deaths=1,
    pauses=3,
    losses=2,
)
"""A trust was lost while a snapshot was taken, which could then not be deleted."""

LOST_AND_RESUMED = Program(
    seed=45512,
    requests=(
        Request(
            "s",
            "create",
            (
                Piece(
                    "b",
                    "S::Nest",
                    6,
                    "x",
                    inner=(
                        Piece("a", "S::Renamed", 4, "x"),
                        Piece("b", "S::Kept", 7, "x"),
                    ),
                ),
            ),
            pause=1.9691283186533703,
        ),
        Request("s", "snapshot", pause=0.025055656359950895),
        Request("s", "resume", pause=2.2904407038391876),
    ),
    workers=2,
    trouble=0.3,
    deaths=2,
    losses=1,
)
"""The same of a nested stack; a resume that had nothing to do came between."""

LOST_BEFORE_AN_UPDATE = Program(
    seed=46720,
    requests=(
        Request(
            "s",
            "create",
            (
                Piece("a", "S::Chosen", 9, "y"),
                Piece("b", "S::Kept", 4, "y"),
            ),
            pause=0.31255106396907806,
        ),
        Request(
            "s",
            "update",
            (
                Piece("a", "S::Chosen", 9, "y"),
                Piece("b", "S::Kept", 3, "y"),
            ),
            waits=False,
            pause=14.515025770018655,
        ),
        Request("s", "snapshot", waits=False, pause=0.24706959527411865),
        Request(
            "s", "update", (Piece("b", "S::Kept", 8, "y"),), waits=False, pause=7.2580388771489694
        ),
    ),
    workers=2,
    trouble=0.1,
    deaths=2,
    losses=1,
)
"""The same, where an update came too early to be accepted."""

LOST_AND_CHECKED = Program(
    seed=49332,
    requests=(
        Request(
            "s",
            "create",
            (
                Piece("a", "S::Tagged", 8, "x"),
                Piece("b", "S::Kept", 7, "y"),
            ),
            pause=1.3959208052086813,
        ),
        Request("s", "snapshot", pause=0.7189497596235405),
        Request("s", "check", waits=False, pause=10.440567203548362),
    ),
    workers=1,
    deaths=2,
    pauses=1,
    losses=2,
)
"""The same, where a check went on with the trust that was lost."""

LOST_BESIDE_OTHERS = Program(
    seed=54944,
    requests=(
        Request(
            "s",
            "create",
            (
                Piece("a", "S::Kept", 5, "x"),
                Piece(
                    "b",
                    "S::Nest",
                    5,
                    "y",
                    inner=(
                        Piece("a", "S::Nest", 7, "x", inner=(Piece("a", "S::Tagged", 7, "x"),)),
                    ),
                ),
                Piece("c", "S::Ear", 6, "x"),
            ),
            pause=2.3625918214423076,
        ),
        Request("s", "snapshot", waits=False, pause=14.101798858016108),
    ),
    workers=3,
    trouble=0.1,
    pauses=2,
    faults=0.02,
    losses=1,
    beside=True,
)
"""The same, with three workers on one machine."""

LOST_WHILE_FORGOTTEN = Program(
    seed=51462,
    requests=(
        Request(
            "s",
            "create",
            (
                Piece("b", "S::Tagged", 3, "x"),
                Piece("c", "S::Kept", 5, "x", near=("b",)),
            ),
            pause=2.523665052014644,
        ),
        Request("s", "snapshot", waits=False, pause=9.348833639458269),
        Request("s", "forget", waits=False, pause=3.765328768249984),
    ),
    workers=2,
    deaths=1,
    losses=2,
)
"""A trust was lost while a snapshot was deleted, which could not be deleted again."""

LOST_FOR_THE_SECOND = Program(
    seed=54944,
    requests=(
        Request(
            "s",
            "create",
            (
                Piece("a", "S::Kept", 5, "x"),
                Piece(
                    "b",
                    "S::Nest",
                    5,
                    "y",
                    inner=(
                        Piece("a", "S::Nest", 7, "x", inner=(Piece("a", "S::Tagged", 7, "x"),)),
                    ),
                ),
                Piece("c", "S::Ear", 6, "x"),
            ),
            pause=2.3625918214423076,
        ),
        Request("s", "snapshot", waits=False, pause=14.101798858016108),
        Request("s", "snapshot", pause=1.7373854308926904),
        Request("s", "check", waits=False, pause=18.315324727088655),
    ),
    workers=3,
    trouble=0.1,
    pauses=2,
    faults=0.02,
    losses=1,
    beside=True,
)
"""A copy was expected to be whole of which the snapshot had failed, and was left."""

COPIED_BEFORE_A_NEST = Program(
    seed=50164,
    requests=(
        Request(
            "s",
            "create",
            (
                Piece("a", "S::Renamed", 6, "x"),
                Piece("b", "S::Kept", 9, "y"),
            ),
            pause=2.69144540263288,
        ),
        Request("s", "suspend", waits=False, pause=3.5766507619257686),
        Request(
            "s",
            "update",
            (
                Piece("a", "S::Renamed", 6, "y"),
                Piece(
                    "b", "S::Nest", 9, "y", near=("a",), inner=(Piece("a", "S::Chosen", 7, "y"),)
                ),
            ),
            pause=16.06920548182511,
        ),
        Request("s", "snapshot", waits=False, pause=5.186364511211032),
    ),
    workers=2,
    trouble=0.5,
    deaths=1,
    pauses=1,
    faults=0.02,
    losses=1,
)
"""What an update was to replace by a nested stack was copied, and that told of the copy."""

COPIED_UNDER_ANOTHER_GOAL = Program(
    seed=54826,
    requests=(
        Request(
            "s",
            "create",
            (
                Piece("a", "S::Kept", 4, "x"),
                Piece("b", "S::Tagged", 8, "x"),
            ),
            pause=1.6796100318990157,
        ),
        Request(
            "s",
            "update",
            (
                Piece("b", "S::Tagged", 8, "y"),
                Piece(
                    "a",
                    "S::Nest",
                    7,
                    "x",
                    on=("b",),
                    inner=(
                        Piece("a", "S::Chosen", 2, "y"),
                        Piece("b", "S::Renamed", 9, "y"),
                        Piece("c", "S::Renamed", 2, "y", near=("a",)),
                    ),
                ),
            ),
            pause=2.4242651755914393,
        ),
        Request("s", "snapshot", waits=False, pause=19.865221996121175),
    ),
    workers=2,
    trouble=0.5,
    deaths=1,
    pauses=3,
)
"""The same, where what the nested stack was to stand on could not be made."""

NESTED_AND_LEFT_BEHIND = Program(
    seed=1,
    requests=(
        Request("s", "create", (Piece("n", "S::Nest", inner=(Piece("k", "S::Kept"),)),)),
        Request(
            "s",
            "update",
            (
                Piece("x", "S::Slow"),
                Piece("n", "S::Nest", 2, "here", on=("x",), inner=(Piece("k", "S::Tagged"),)),
            ),
        ),
        Request("s", "cancel", waits=False, pause=2.0),
        Request("s", "snapshot"),
    ),
    workers=2,
)
"""A thing was expected to come back of which the goal has another in a nested stack."""

FOUND = {
    "lost while taken": LOST_WHILE_TAKEN,
    "lost and resumed": LOST_AND_RESUMED,
    "lost before an update": LOST_BEFORE_AN_UPDATE,
    "lost and checked": LOST_AND_CHECKED,
    "lost beside others": LOST_BESIDE_OTHERS,
    "lost while forgotten": LOST_WHILE_FORGOTTEN,
    "lost for the second": LOST_FOR_THE_SECOND,
    "copied before a nest": COPIED_BEFORE_A_NEST,
    "copied under another goal": COPIED_UNDER_ANOTHER_GOAL,
    "nested and left behind": NESTED_AND_LEFT_BEHIND,
}
