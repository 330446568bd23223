"""Programs: what is asked of some stacks, and how much goes wrong meanwhile. Values, to be pasted.

A program's own seed decides who acts when and what goes wrong; the rest is written in it.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_WEIGHTS = {
    "S::Tagged": 5, "S::Renamed": 4, "S::Chosen": 3, "S::Slow": 4, "S::Relation": 3,
    "S::Quiet": 3, "S::Nest": 3, "S::Kept": 4, "S::Hark": 1, "S::Ear": 2, "S::Group": 2,
}  # fmt: skip
_MEMBERS = ("S::Tagged", "S::Renamed", "S::Chosen", "S::Slow", "S::Slow", "S::Relation", "S::Kept")
Shape = frozenset[tuple[tuple[str, ...], str]]
"""Resources of a stack and below: the names that lead to each, and its type."""
_NAMES = "abcdefgh"
NO_THINGS = frozenset({"S::Quiet", "S::Nest", "S::Group"})
"""What has no object in the cloud to refer to: others only come after it."""
COMPUTING = frozenset({"S::Quiet"})
"""What calls nothing, and is ended in the commit that releases it."""
UNSEEN = frozenset({"S::Chosen"})
"""Of what the cloud says whether it is there, and not what it is."""
HEARING = frozenset({"S::Ear"})
"""What does something with a signal, whenever one comes."""
_ASK_WEIGHTS = {
    "update": 9, "delete": 2, "cancel": 1, "undo": 2, "check": 2, "suspend": 2, "resume": 2,
    "snapshot": 3, "restore": 3, "forget": 1,
}  # fmt: skip


@dataclass(frozen=True)
class Pace:
    """How a group's members change: ``batch`` at a time, ``in_service`` all the while, seconds of
    ``pause`` between; ``first`` of them are made at a time, 0: all."""

    batch: int = 1
    in_service: int = 0
    pause: float = 0.0
    first: int = 0


@dataclass(frozen=True)
class Piece:
    """A resource; ``on`` and ``near`` name others that it refers to, ``inner`` are those of its
    child stack; of a group it is the one of which there are ``count``."""

    name: str
    type: str
    size: int = 1
    place: str = "here"
    on: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    inner: tuple[Piece, ...] = ()
    count: int = 1
    pace: Pace | None = None

    def needs(self) -> frozenset[str]:
        """Return the names of what it refers to."""
        return frozenset(self.on) | frozenset(self.near)


@dataclass(frozen=True)
class Request:
    """Something that is asked of a stack; ``pause`` seconds pass before it, and before that
    the end of the stack's operation where it ``waits``."""

    stack: str
    ask: str  # "create", or one of _ASK_WEIGHTS; of snapshots, the newest restored, any forgotten
    pieces: tuple[Piece, ...] = ()
    waits: bool = True
    pause: float = 0.0
    undoes: bool = False
    converges: bool = False


@dataclass(frozen=True)
class Program:
    """``trouble`` from 0 to 2 is what goes wrong in the cloud; ``deaths`` and ``pauses`` are how
    often a worker is killed or stands still, ``faults`` how often a commit fails, ``losses`` how
    many trusts are lost, ``meddling`` how many objects others take away or change. Workers are
    ``beside`` each other on one machine, or each on its own; where seconds are given in
    ``kill_every``, one of them is killed as regularly, and nobody may be waited for long."""

    seed: int
    requests: tuple[Request, ...]
    workers: int = 2
    trouble: float = 0.0
    deaths: int = 0
    pauses: int = 0
    faults: float = 0.0
    losses: int = 0
    meddling: int = 0
    beside: bool = False
    kill_every: float = 0.0


def shape(pieces: tuple[Piece, ...], above: tuple[str, ...] = ()) -> Shape:
    """Return the shape of a stack of some pieces."""
    found: Shape = frozenset()
    for each in pieces:
        way = (*above, each.name)
        found |= {(way, each.type)} | shape(below(each), way)
    return found


def below(piece: Piece) -> tuple[Piece, ...]:
    """Return the pieces of the child stack of one."""
    if piece.type != "S::Group":
        return piece.inner
    return tuple(replace(piece.inner[0], name=str(index)) for index in range(piece.count))


def template(pieces: tuple[Piece, ...], path: str = "") -> dict[str, Any]:
    """Return the template of some pieces; ``path`` tells what only one can have apart."""
    things = {each.name: each.type for each in pieces if each.type not in NO_THINGS}
    return {
        "heat_template_version": "2021-04-16",
        "resources": {each.name: _resource(each, f"{path}-{each.name}", things) for each in pieces},
    }


def _resource(piece: Piece, path: str, things: Mapping[str, str]) -> dict[str, Any]:
    # What is replaced by another that cannot be there beside it must not be stood upon.
    fixed = {name for name in piece.on if things.get(name) != "S::Relation"}
    others = sorted(piece.needs() - things.keys())
    if piece.type == "S::Group":
        return {**_group(piece, path), "depends_on": sorted(piece.needs())}
    properties: dict[str, Any] = {
        "size": piece.size,
        "place": piece.place,
        "on": [{"get_resource": name} for name in sorted(fixed) if name in things],
        "near": [
            {"get_resource": name} for name in sorted(piece.needs() - fixed) if name in things
        ],
    }
    if piece.type == "S::Relation":
        properties["key"] = path
    if piece.type == "S::Nest":
        properties["inner"] = json.dumps(template(piece.inner, path))
    return {"type": piece.type, "properties": properties, "depends_on": others}


def _group(piece: Piece, path: str) -> dict[str, Any]:
    member, pace = _resource(piece.inner[0], f"{path}-%index%", {}), piece.pace
    del member["depends_on"]
    policy: dict[str, Any] = {}
    if pace is not None:
        words = {"max_batch_size": pace.batch, "pause_time": pace.pause}
        policy = {"rolling_update": {**words, "min_in_service": pace.in_service}}
        if pace.first:
            policy["batch_create"] = {**words, "max_batch_size": pace.first}
    properties = {"count": piece.count, "resource_def": member}
    return {"type": piece.type, "properties": properties, "update_policy": policy}


# random programs


def deadly(seed: int, *, beside: bool = False) -> Program:
    """Return a program in which nothing goes wrong but that a worker of three dies every few
    seconds; what holds of that is not excused by anything."""
    return replace(
        program(seed), workers=3, trouble=0.1, deaths=0, pauses=0, faults=0.0, losses=0,
        meddling=0, beside=beside, kill_every=2.5,
    )  # fmt: skip


def program(seed: int) -> Program:
    """Return the program of a seed."""
    chance = random.Random(f"program {seed}")  # noqa: S311 - no secret
    if seed % 10 == 9:
        return _crowd(chance, seed)
    if seed % 10 in _DENSE:
        return _DENSE[seed % 10](chance, seed)
    stacks = ["s", "t"][: chance.choice((1, 1, 1, 2))]
    requests: list[Request] = []
    for stack in stacks:
        requests += _life(chance, stack)
    if len(stacks) > 1:
        requests = _shuffled(chance, requests)
    meddling = chance.choice((0, 0, 1, 2, 4))
    return _troubled(chance, seed, requests, meddling)


def _troubled(chance: random.Random, seed: int, requests: list[Request], meddling: int) -> Program:
    calm = chance.random() < 0.1
    return Program(
        seed=seed,
        requests=tuple(requests),
        workers=chance.choice((1, 2, 2, 3)),
        trouble=0.0 if calm else chance.choice((0.1, 0.3, 0.5)),
        deaths=0 if calm else chance.randint(0, 3),
        pauses=0 if calm else chance.randint(0, 3),
        faults=0.0 if calm else chance.choice((0.0, 0.0, 0.02)),
        losses=0 if calm else chance.choice((0, 0, 0, 1, 2)),
        meddling=meddling,
        beside=chance.random() < 0.3,
    )


def _crowd(chance: random.Random, seed: int) -> Program:
    """Return a program with more to do than there are hands, so that calls are made long after
    they were intended; or with many hands that are through at about the same time."""
    types = ("S::Tagged", "S::Renamed", "S::Chosen")
    pieces = tuple(Piece(name, chance.choice(types)) for name in _NAMES)
    requests = [Request("s", "create", pieces)]
    if chance.random() < 0.5:
        requests.append(Request("s", "delete", waits=False, pause=chance.uniform(0.0, 20.0)))
    deaths = chance.randint(0, 1)
    if seed % 20 == 9:
        return Program(seed, tuple(requests), workers=3, trouble=0.2, deaths=deaths)
    return Program(seed, tuple(requests), workers=1, trouble=1.8, deaths=deaths, pauses=1)


def _rolling(chance: random.Random, seed: int) -> Program:
    """Return a program of groups whose updates take over from each other."""
    groups = tuple(_group_piece(chance, name) for name in "ab"[: chance.randint(1, 2)])
    around = (_piece(chance, "c", [], 2),) if chance.random() < 0.3 else ()
    pieces = (*around, *groups)
    undoes = chance.random() < 0.4
    life = [Request("s", "create", pieces, pause=1.0, undoes=undoes)]
    for _ in range(chance.randint(1, 3)):
        ask = chance.choices(["update", "cancel", "undo"], [8, 1, 1])[0]
        if ask == "update":
            groups = tuple(_other_group(chance, each) for each in groups)
        goal = (*around, *groups) if ask == "update" else ()
        waits, looks = chance.random() < 0.5, chance.random() < 0.2
        life.append(Request("s", ask, goal, waits, chance.random() * 30, undoes, looks))
    return _troubled(chance, seed, life, chance.choice((0, 0, 0, 2)))


def _converging(chance: random.Random, seed: int) -> Program:
    """Return a program of updates that look, while others meddle."""
    pieces = _pieces(chance, chance.randint(1, 4), depth=0)
    undoes = chance.random() < 0.4
    life = [Request("s", "create", pieces, pause=1.0, undoes=undoes)]
    for _ in range(chance.randint(2, 4)):
        was, waits, looks = pieces, chance.random() < 0.5, chance.random() < 0.7
        if chance.random() < 0.15:
            ask, pause = chance.choice(("cancel", "undo")), chance.random() * 9
            life.append(Request("s", ask, waits=False, pause=pause))
        if chance.random() < 0.5:
            pieces = _changed(chance, pieces, depth=0)
        elif chance.random() < 0.3:  # back to what was, while what was may be there still
            pieces = next((e.pieces for e in reversed(life) if e.pieces not in ((), was)), was)
        life.append(Request("s", "update", pieces, waits, chance.random() ** 2 * 20, undoes, looks))
    return _troubled(chance, seed, life, chance.randint(3, 8))


_DENSE: dict[int, Callable[[random.Random, int], Program]] = {3: _rolling, 6: _converging}
"""What programs are about by the last digit of their seeds: too rare if it came by chance."""


def _life(chance: random.Random, stack: str) -> list[Request]:
    pieces = _pieces(chance, chance.choice((2, 2, 3, 3, 4, 5)), depth=0)
    undoes = chance.random() < 0.4
    life = [Request(stack, "create", pieces, pause=chance.random() * 3, undoes=undoes)]
    for _ in range(chance.choice((1, 1, 2, 2, 3, 4))):
        ask = chance.choices([*_ASK_WEIGHTS], [*_ASK_WEIGHTS.values()])[0]
        if ask == "update" and chance.random() < 0.9:
            pieces = _changed(chance, pieces, depth=0)
        waits = chance.random() < 0.4
        pause = chance.random() ** 2 * 20
        looks = ask == "update" and chance.random() < 0.4
        goal = pieces if ask == "update" else ()
        life.append(Request(stack, ask, goal, waits, pause, undoes, looks))
        if ask == "delete" and chance.random() < 0.3:
            pieces = _pieces(chance, chance.randint(1, 3), depth=0)
            life.append(Request(stack, "create", pieces, pause=chance.random() * 3, undoes=undoes))
    return life


def _pieces(chance: random.Random, count: int, depth: int) -> tuple[Piece, ...]:
    made: tuple[Piece, ...] = ()
    for name in _NAMES[:count]:
        made += (_piece(chance, name, [each.name for each in made], depth),)
    return made


def _piece(chance: random.Random, name: str, before: list[str], depth: int) -> Piece:
    type_ = chance.choices([*_WEIGHTS], [*_WEIGHTS.values()])[0]
    if type_ in ("S::Nest", "S::Group") and depth == 2:
        type_ = "S::Tagged"
    inner = _pieces(chance, chance.choice((1, 1, 2, 3)), depth + 1) if type_ == "S::Nest" else ()
    on = tuple(sorted(each for each in before if chance.random() < 0.35))
    near = tuple(sorted(each for each in before if each not in on and chance.random() < 0.2))
    if type_ == "S::Group":
        return replace(_group_piece(chance, name), on=on, near=near)
    return Piece(name, type_, chance.randint(1, 9), chance.choice("xy"), on, near, inner)


def _group_piece(chance: random.Random, name: str) -> Piece:
    member = Piece("m", chance.choice(_MEMBERS), chance.randint(1, 9), chance.choice("xy"))
    count, pace = chance.randint(1, 4), _pace(chance)
    return Piece(name, "S::Group", inner=(member,), count=count, pace=pace)


def _pace(chance: random.Random) -> Pace | None:
    if chance.random() < 0.2:
        return None
    pause = chance.choice((0, 0, 3, 8))
    return Pace(chance.randint(1, 2), chance.randint(0, 3), pause, chance.randint(0, 2))


def _changed(chance: random.Random, pieces: tuple[Piece, ...], depth: int) -> tuple[Piece, ...]:
    """Return the pieces with some changed, gone or added."""
    left: list[Piece] = []
    for piece in pieces:
        if chance.random() < 0.15:
            continue
        names = {each.name for each in left}
        kept = replace(
            piece,
            on=tuple(each for each in piece.on if each in names),
            near=tuple(each for each in piece.near if each in names),
        )
        left.append(_other(chance, kept, sorted(names), depth) if chance.random() < 0.5 else kept)
    free = [name for name in _NAMES if all(name != each.name for each in left)]
    if (free and chance.random() < 0.5) or not left:
        left.append(_piece(chance, free[0], [each.name for each in left], depth))
    return tuple(left)


def _other(chance: random.Random, piece: Piece, before: list[str], depth: int) -> Piece:
    if piece.type == "S::Group":
        is_new = chance.random() < 0.1
        return _piece(chance, piece.name, before, depth) if is_new else _other_group(chance, piece)
    match chance.randrange(5):
        case 0:
            return replace(piece, place="y" if piece.place == "x" else "x")
        case 1:
            return _piece(chance, piece.name, before, depth)
        case 2 if piece.inner:
            return replace(piece, inner=_changed(chance, piece.inner, depth + 1))
        case _:
            return replace(piece, size=chance.randint(1, 9))


def _other_group(chance: random.Random, group: Piece) -> Piece:
    count = group.count if chance.random() < 0.6 else chance.randint(0, 4)
    pace = group.pace if chance.random() < 0.8 else _pace(chance)
    member = group.inner[0]
    match chance.randrange(4):
        case 0:
            member = replace(member, place="y" if member.place == "x" else "x")
        case 1 | 2:
            member = replace(member, size=chance.randint(1, 9))
    return replace(group, inner=(member,), count=count, pace=pace)


def _shuffled(chance: random.Random, requests: list[Request]) -> list[Request]:
    """Return them in another order, each stack's own kept."""
    queues = {stack: [r for r in requests if r.stack == stack] for stack in ("s", "t")}
    mixed = []
    while any(queues.values()):
        stack = chance.choice([name for name, left in queues.items() if left])
        mixed.append(queues[stack].pop(0))
    return mixed
