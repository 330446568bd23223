"""Every example does what the list of examples says: the commands there are run as they stand."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from stoker.cli.account import account
from stoker.cli.objects import Objects, objects, objects_before
from tests.app.serving import Serving, eventually

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples"
LIST = (FOLDER / "README.md").read_text(encoding="utf-8")
EXAMPLES = {path.name for path in FOLDER.glob("*.yaml")}
SECTION = re.compile(r"(?ms)^## \[(?P<name>[^]]+)\]\((?P=name)\)\n(?P<text>.*?)(?=^## |\Z)")
COMMANDS = {
    each["name"]: re.findall(r"^stoker (deploy .*)$", each["text"], re.MULTILINE)
    for each in SECTION.finditer(LIST)
}
SECONDS = 120
AT_ONCE = 4
PARTS = sorted(FOLDER.rglob("*.yaml"))

Told = dict[str, Any]
"""What a deploy tells a program."""


class Stoker:
    """The command line on the cloud that is served, from the repository's root."""

    def __init__(self, serving: Serving) -> None:
        account = {"OS_CLIENT_CONFIG_FILE": str(serving.state / "clouds.yaml"), "OS_CLOUD": "demo"}
        self._environment = {**os.environ, **account}

    def __call__(self, *arguments: str) -> Told:
        ran = subprocess.run(
            (sys.executable, "-m", "stoker.app", *arguments, "--output", "json"),
            cwd=ROOT,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert ran.returncode == 0, f"{arguments}: {ran.stdout}{ran.stderr}"
        told: Told = json.loads(ran.stdout)
        return told

    def life(self, name: str) -> list[Told]:
        """Run an example's commands, delete its stack, and return what was told."""
        told = [self(*shlex.split(each)) for each in COMMANDS[name]]
        return [*told, self("delete", "--yes", told[0]["stack"]["name"])]


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with closing(Serving(tmp_path_factory.mktemp("examples") / "state")) as found:
        yield found


@pytest.fixture(scope="module")
def before(serving: Serving) -> Objects:
    """Return what the cloud holds before any example."""
    return objects_before(account(serving.state / "clouds.yaml", "demo"))


@pytest.fixture(scope="module")
def lives(serving: Serving, before: Objects) -> Iterator[dict[str, Future[list[Told]]]]:
    """Return what comes of each example; several are under way at the same time."""
    assert before
    stoker = Stoker(serving)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield {name: pool.submit(stoker.life, name) for name in COMMANDS}


@pytest.mark.parametrize("name", COMMANDS)
def test_an_example_is_made_changed_and_deleted(
    lives: dict[str, Future[list[Told]]], name: str
) -> None:
    made, *changed, gone = lives[name].result(SECONDS)
    assert (made["action"], changed[0]["action"]) == ("CREATE", "UPDATE")
    declared = yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))["outputs"]
    for each in (made, *changed):
        assert each["outputs"].keys() == declared.keys()
        empty = {key for key, value in each["outputs"].items() if value in (None, "", [], {})}
        assert empty <= {key for key, output in declared.items() if "condition" in output}
    assert len(gone["stacks"]) == 1


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("first-stack.yaml", [{"server"}]),
        ("three-tier.yaml", [{"data_volume", "web_server"}]),
        ("groups.yaml", [{"servers", "servers.2"}, {"servers", "servers.0", "servers.3"}]),
        ("nested.yaml", [{"network", "server", "server.server", "notes", "notes.kept"}]),
        (
            "conditions.yaml",
            [{"server", "volume", "attachment"}, {"server", "volume", "attachment"}],
        ),
        ("environments.yaml", [{"server", "backup_volume"}]),
        ("security-groups.yaml", [{"database"}]),
        ("functions.yaml", [{"settings"}]),
    ],
)
def test_an_update_of_an_example_touches_what_it_means_to(
    lives: dict[str, Future[list[Told]]], name: str, changes: list[set[str]]
) -> None:
    _, *changed, _ = lives[name].result(SECONDS)
    touched = [
        {resource["path"] for resource in each["resources"] if resource["changed"]}
        for each in changed
    ]
    assert touched == changes


def test_another_environment_makes_a_type_of_something_else(
    lives: dict[str, Future[list[Told]]],
) -> None:
    types = [
        {resource["path"]: resource["type"] for resource in each["resources"]}
        for each in lives["providers.yaml"].result(SECONDS)[:-1]
    ]
    assert [each["blue.server"] for each in types] == ["OS::Nova::Server", "OS::Heat::None"]
    assert [each["blue"] for each in types] == ["My::Machine", "My::Machine"]


def test_what_the_examples_are_for_is_seen_in_their_outputs(
    lives: dict[str, Future[list[Told]]],
) -> None:
    def outputs(name: str) -> list[dict[str, Any]]:
        return [each["outputs"] for each in lives[name].result(SECONDS)[:-1]]

    assert [list(each["names"]) for each in outputs("groups.yaml")] == [
        ["0", "1"],
        ["0", "1", "2"],
        ["1", "2", "3"],
    ]
    assert [each["notes"].split()[0] for each in outputs("nested.yaml")] == ["world", "you"]
    assert [bool(each["volume"]) for each in outputs("conditions.yaml")] == [False, True, False]
    assert [(each["flavor"], each["volume_size"]) for each in outputs("environments.yaml")] == [
        ("m1.nano", 1),
        ("m1.tiny", 2),
    ]
    assert [len(each["addresses"]) for each in outputs("providers.yaml")] == [2, 2]


def test_the_examples_leave_nothing_behind(
    serving: Serving, before: Objects, lives: dict[str, Future[list[Told]]]
) -> None:
    for each in lives.values():
        each.result(SECONDS)
    who = account(serving.state / "clouds.yaml", "demo")
    eventually(lambda: objects(who) <= before)  # a trust is taken back soon after the delete


def test_the_list_of_examples_is_whole() -> None:
    assert COMMANDS.keys() == EXAMPLES
    assert all(len(commands) > 1 for commands in COMMANDS.values())
    for name, commands in COMMANDS.items():
        assert all(f"-t examples/{name}" in each for each in commands)


@pytest.mark.parametrize("path", PARTS, ids=lambda path: str(path.relative_to(FOLDER)))
def test_an_example_says_what_it_shows(path: Path) -> None:
    template = yaml.safe_load(path.read_text(encoding="utf-8"))
    if "heat_template_version" not in template:
        assert path.read_text(encoding="utf-8").startswith("# ")
        return
    assert len(template["description"].split()) > 2
    for each in (template.get("parameters", {}), template["outputs"]):
        assert all("description" in one for one in each.values())
