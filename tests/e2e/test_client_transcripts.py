"""What the clients print with Stoker is what they print with Heat: transcripts, line by line.

``transcripts/`` holds what a real Heat gave (``client_record.py`` wrote it), ``differences.txt``
there what is otherwise here, each with its reason. Every command that the installed clients know
is in a transcript; ``transcripts/later/`` has more of what Heat printed, ready to be moved up.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.app.serving import Serving
from tests.e2e.client_transcript import Player, read, written
from tests.e2e.openstack_program import OpenStackProgram

if TYPE_CHECKING:
    from collections.abc import Iterator

TEMPLATES = Path(__file__).parent / "templates" / "client"
TRANSCRIPTS = Path(__file__).parent / "transcripts"
_OTHERWISE = TRANSCRIPTS / "differences.txt"
PATHS = sorted(set(TRANSCRIPTS.glob("*.txt")) - {_OTHERWISE})
DIFFERENCES = {step.line: step for step in read(_OTHERWISE)}
GROUPS = ("stack", "orchestration", "software")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenStackProgram]:
    """Return the program with an installation of its own: lists show all that is there."""
    state = tmp_path_factory.mktemp("clients") / "state"
    with (
        closing(Serving(state)),
        closing(OpenStackProgram(state / "clouds.yaml", TEMPLATES)) as found,
    ):
        yield found


@pytest.mark.timeout(300)
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_it_prints_what_it_prints_with_heat(program: OpenStackProgram, path: Path) -> None:
    player, steps = Player(program), read(path)
    played = [player.play(step) for step in steps]
    assert written(played) == written(step.otherwise(DIFFERENCES) for step in steps)


def test_what_is_otherwise_has_a_reason_and_is_otherwise() -> None:
    recorded = {step.line: step for path in PATHS for step in read(path)}
    assert DIFFERENCES.keys() <= recorded.keys()
    assert [line for line, step in DIFFERENCES.items() if not step.note] == []
    same = [line for line, step in DIFFERENCES.items() if step.printed == recorded[line].printed]
    assert same == []


def test_every_command_is_in_a_transcript(program: OpenStackProgram) -> None:
    helps = (program.ok(group, "--help").out.splitlines() for group in GROUPS)
    commands = {line.strip() for out in helps for line in out if line.startswith("  ")}
    played = {
        command
        for path in PATHS
        for step in read(path)
        for command in commands
        if step.is_command and f"{' '.join(step.words)} ".startswith(f"{command} ")
    }
    assert commands == played
