"""The demo, whole and as a person runs it, and what it says to do next."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import yaml

from stoker.cli.demo import EXAMPLE, EXAMPLES, following, shortest, stack_name

COMMAND = (sys.executable, "-m", "stoker.app", "demo")
SECONDS = 90


def environment(temporary: Path) -> dict[str, str]:
    return {**os.environ, "TMPDIR": str(temporary)}


def test_it_tells_a_stack_s_life_and_leaves_nothing_behind(tmp_path: Path) -> None:
    ran = subprocess.run(
        COMMAND,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    lines = [" ".join(line.split()) for line in ran.stdout.splitlines()]
    begun = [line.split(".")[0] for line in lines if line[:2] in ("1.", "2.", "3.", "4.", "5.")]
    assert begun == ["1", "2", "3", "4", "5"]
    assert any("OS::Nova::Server" in line and "CREATE_COMPLETE" in line for line in lines)
    assert any("OS::Nova::Server" in line and "DELETE_COMPLETE" in line for line in lines)
    assert any(line.startswith("url http://172.24.4.") for line in lines)
    assert any(line.endswith("the cloud holds nothing of it any more") for line in lines)
    assert list(tmp_path.iterdir()) == []


def test_a_template_that_fails_is_told_and_leaves_nothing_behind(tmp_path: Path) -> None:
    template, temporary = tmp_path / "bad.yaml", tmp_path / "temporary"
    temporary.mkdir()
    template.write_text("heat_template_version: 2018-08-31\nresources: {a: {type: No::Such}}\n")
    ran = subprocess.run(
        (*COMMAND, "--template", str(template)),
        env=environment(temporary),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert ran.returncode == 1
    assert "No::Such" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert list(temporary.iterdir()) == []


def test_a_template_that_is_not_there_is_told() -> None:
    ran = subprocess.run(
        (*COMMAND, "--template", "/no/such.yaml"), capture_output=True, text=True, check=False
    )
    assert ran.returncode == 1
    assert "/no/such.yaml" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_ctrl_c_takes_everything_away(tmp_path: Path) -> None:
    with subprocess.Popen(
        COMMAND,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        process_group=0,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if b"CREATE_IN_PROGRESS" in line:
                break
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=SECONDS)
    assert process.returncode == 130
    assert b"Traceback" not in errors
    assert list(tmp_path.iterdir()) == []


def test_what_to_try_next_is_our_own_command_before_the_client_s() -> None:
    said = "\n".join(following(EXAMPLE))
    places = [said.index(each) for each in ("serve", "deploy", "status", "delete", "stack create")]
    assert places == sorted(places)
    assert f"-t {shortest(EXAMPLE)}" in said
    assert shortest(EXAMPLES / "README.md") in said


def test_a_command_that_is_to_be_tried_can_be_pasted() -> None:
    said = following(Path("/of mine/a b.yaml"))
    assert any(line.endswith("deploy demo -t '/of mine/a b.yaml'") for line in said)
    assert not any("volume_size" in line for line in said)


def test_a_stack_is_called_as_its_file_is_where_that_can_be() -> None:
    assert [stack_name(Path(each)) for each in ("web.yaml", "a-1.yaml", "3.yaml", "a b.yaml")] == [
        "web",
        "a-1",
        "demo",
        "demo",
    ]


def test_the_picture_in_the_readme_is_of_the_example(root: Path) -> None:
    text = (root / "README.md").read_text(encoding="utf-8")
    shown = dict(re.findall(r"^ [●✔·] (\w+) +(OS::\w+::\w+)", text, re.MULTILINE))
    resources = yaml.safe_load(EXAMPLE.read_text(encoding="utf-8"))["resources"]
    assert shown == {name: each["type"] for name, each in resources.items()}


def test_a_path_is_short_below_the_working_directory_only() -> None:
    assert shortest(Path.cwd() / "a" / "b") == str(Path("a", "b"))
    assert shortest(Path("/no/such")) == "/no/such"
