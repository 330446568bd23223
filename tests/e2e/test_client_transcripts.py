"""What the clients print with Stoker is what they print with Heat: transcripts, line by line.

``transcripts/`` holds what a real Heat gave (``client_record.py`` wrote it), ``differences.txt``
there what is otherwise here, each with its reason. Every command that the installed clients know
is in a transcript, or in the table of what is not built yet: what is built moves from there into a
transcript; ``transcripts/later/`` has what Heat printed, ready to be moved up.
"""

from __future__ import annotations

import re
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
NAME = "not-yet"
SWALLOWED = {"software config delete", "software deployment delete"}
"""Commands of which the client tells only how many it could not do."""
ADMIN = ("--os-cloud", "admin")
NOT_YET = r"(is not available in this version of Stoker\.|OS::Heat::SoftwareConfig.*)"
ID = "0b9f8ad4-3a0d-4ee4-8a0a-5c0e2e4a0f00"

LATER = {
    "software config create": ("--config-file", "child.yaml", "c"),
    "software config delete": (ID,),
    "software config list": (),
    "software config show": (ID,),
    "software deployment create": ("--server", ID, "--config", ID, "d"),
    "software deployment delete": (ID,),
    "software deployment list": (),
    "software deployment metadata show": (ID,),
    "software deployment output show": (ID, "o"),
    "software deployment show": (ID,),
}


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


def test_every_command_is_in_a_transcript_or_in_the_table(program: OpenStackProgram) -> None:
    helps = (program.ok(group, "--help").out.splitlines() for group in GROUPS)
    commands = {line.strip() for out in helps for line in out if line.startswith("  ")}
    played = {
        command
        for path in PATHS
        for step in read(path)
        for command in commands
        if step.is_command and f"{' '.join(step.words)} ".startswith(f"{command} ")
    }
    assert played.isdisjoint(LATER)
    assert commands == played | LATER.keys()


@pytest.fixture(scope="module")
def not_yet(program: OpenStackProgram) -> None:
    """Make the stack that the commands of the table are about, where no transcript sees it."""
    program.ok(*ADMIN, "stack", "create", "-t", "long.yaml", NAME)


@pytest.mark.usefixtures("not_yet")
@pytest.mark.parametrize("command", sorted(LATER))
def test_what_is_not_built_yet_says_so_in_one_line(program: OpenStackProgram, command: str) -> None:
    ran = program.run(*ADMIN, *command.split(), *LATER[command])
    assert ran.code == 1
    lines = f"{ran.out}{ran.err}".splitlines()
    if command in SWALLOWED:
        assert re.fullmatch(r"Unable to delete 1 of the 1 .*\.", lines[-1])
        assert len(lines) <= 2
    else:
        assert len(lines) == 1
        assert re.fullmatch(rf"ERROR: .*{NOT_YET}", lines[0])
