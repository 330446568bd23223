"""Making a program that fails smaller, as long as it still fails, and telling it as a test."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.engine.simulation.program import Piece, Program, Request
    from tests.engine.simulation.trial import Verdict

_LUCK = 3
"""Under so many seeds a smaller program is tried: another one is another order of things."""


def shrunk(found: Verdict, run: Callable[[Program], Verdict], tries: int = 150) -> Verdict:
    """Return a smaller program that breaks the same promise, after so many runs at most."""
    promise, left = _promise(found), tries
    smaller = True
    while smaller and left > 0:
        smaller = False
        for candidate in _smaller(found.program):
            if candidate == found.program:
                continue
            for seed in range(candidate.seed, candidate.seed + _LUCK):
                left -= 1
                verdict = run(replace(candidate, seed=seed))
                if verdict.wrongs and _promise(verdict) == promise:
                    found, smaller = verdict, True
                    break
            if smaller or left <= 0:
                break
    return found


def test_of(verdict: Verdict) -> str:
    """Return a test to paste, with what was wrong."""
    wrongs = "".join(f"\n    # {each}" for each in verdict.wrongs[:5])
    text = "def test_a_program_that_broke_a_promise(database: Database) -> None:"
    program = f"    program = {verdict.program!r}"
    return f"{text}{wrongs}\n{program}\n    assert run(program, database).wrongs == ()"


def _promise(verdict: Verdict) -> str:
    """Return what tells one sort of wrong from another: ``P4``, say, or its first words."""
    text = verdict.wrongs[0].partition(" ")[2]
    return text.partition(":")[0] if text.startswith("P") else " ".join(text.split()[1:3])


def _smaller(program: Program) -> Iterator[Program]:
    requests = program.requests
    for i in reversed(range(len(requests))):
        if len(requests) > 1:
            yield replace(program, requests=requests[:i] + requests[i + 1 :])
    for name in sorted({piece.name for each in requests for piece in each.pieces}):
        fewer = tuple(replace(each, pieces=_without(each.pieces, name)) for each in requests)
        if all(
            each.pieces or was.ask not in ("create", "update")
            for each, was in zip(fewer, requests, strict=True)
        ):
            yield replace(program, requests=fewer)
    if program.workers > 1:
        yield replace(program, workers=program.workers - 1)
    yield replace(program, deaths=max(0, program.deaths - 1))
    yield replace(program, pauses=max(0, program.pauses - 1))
    yield replace(program, trouble=0.0)
    yield replace(program, faults=0.0)
    yield from _plainer(program)


def _plainer(program: Program) -> Iterator[Program]:
    for i, request in enumerate(program.requests):
        for other in _plainer_request(request):
            if other != request:
                yield replace(
                    program, requests=(*program.requests[:i], other, *program.requests[i + 1 :])
                )


def _plainer_request(request: Request) -> Iterator[Request]:
    yield replace(request, undoes=False)
    yield replace(request, pieces=tuple(replace(piece, near=()) for piece in request.pieces))
    yield replace(request, pieces=tuple(replace(piece, on=()) for piece in request.pieces))


def _without(pieces: tuple[Piece, ...], name: str) -> tuple[Piece, ...]:
    """Return the pieces without those of that name, and without what refers to them."""
    return tuple(
        replace(
            piece,
            on=tuple(each for each in piece.on if each != name),
            near=tuple(each for each in piece.near if each != name),
            inner=_without(piece.inner, name) or piece.inner,
        )
        for piece in pieces
        if piece.name != name
    )
