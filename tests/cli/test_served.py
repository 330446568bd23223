"""The commands as real processes, against a Stoker that is served."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.app.serving import Serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECONDS = 60.0
INNER = """
heat_template_version: 2018-08-31
parameters: {length: {type: number}}
resources:
  word: {type: OS::Heat::RandomString, properties: {length: {get_param: length}}}
outputs: {word: {value: {get_attr: [word, value]}}}
"""
TEMPLATE = """
heat_template_version: 2018-08-31
parameters: {length: {type: number, default: 8}, count: {type: number, default: 1}}
resources:
  inner:
    type: inner.yaml
    properties: {length: {get_param: length}}
  file:
    type: OS::Heat::Value
    properties: {value: {get_file: text.txt}}
  mapped: {type: My::Word, properties: {length: 4}}
outputs:
  word: {value: {get_attr: [inner, word]}}
  file: {value: {get_attr: [file, value]}}
"""
FAILING = """
heat_template_version: 2018-08-31
resources:
  net: {type: OS::Neutron::Net}
  subnet:
    type: OS::Neutron::Subnet
    properties: {network: {get_resource: net}, cidr: 10.1.0.0/24}
  one: &port
    type: OS::Neutron::Port
    depends_on: subnet
    properties: {network: {get_resource: net}, fixed_ips: [{ip_address: 10.1.0.9}]}
  two: {<<: *port, depends_on: one}
"""


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    served = Serving(tmp_path_factory.mktemp("served") / "state")
    yield served
    served.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (
        ("t.yaml", TEMPLATE),
        ("inner.yaml", INNER),
        ("text.txt", "hello"),
        ("fail.yaml", FAILING),
        ("e.yaml", "resource_registry: {'My::Word': inner.yaml}\nparameters: {length: 6}\n"),
    ):
        (tmp_path / name).write_text(text)
    return tmp_path


class Stoker:
    """Runs the command line in a folder, on the cloud that is served."""

    def __init__(self, serving: Serving, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            **os.environ,
            "OS_CLIENT_CONFIG_FILE": str(serving.state / "clouds.yaml"),
            "OS_CLOUD": "demo",
            "TERM": "xterm-256color",
            "COLUMNS": "100",
        }

    def __call__(self, *arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        ran = self.ran(self.command(*arguments))
        assert ran.returncode == code, (ran.stdout, ran.stderr)
        assert "Traceback" not in ran.stderr
        return ran

    def ran(self, command: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
        """Run a command to its end, whatever that is."""
        return subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    def told(self, *arguments: str, code: int = 0) -> Any:
        """Run it and return its JSON."""
        return json.loads(self(*arguments, "-o", "json", code=code).stdout)

    @staticmethod
    def command(*arguments: str) -> tuple[str, ...]:
        return (sys.executable, "-m", "stoker.app", *arguments)

    def terminal(self, *arguments: str) -> tuple[subprocess.Popen[bytes], int]:
        """Start it on a terminal of its own; return it and our end of the terminal."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            self.command(*arguments),
            cwd=self.folder,
            env=self.environment,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        return process, ours


@pytest.fixture
def stoker(serving: Serving, folder: Path) -> Stoker:
    return Stoker(serving, folder)


def read(terminal: int, until: bytes = b"") -> bytes:
    """Return what comes, up to ``until`` or the end."""
    said, deadline = b"", time.monotonic() + SECONDS
    while not until or until not in said:
        ready, _, _ = select.select([terminal], [], [], deadline - time.monotonic())
        try:
            more = os.read(terminal, 65536) if ready else b""
        except OSError:  # the other end is closed
            break
        if not more:
            break
        said += more
    return said


def test_a_stack_lives_from_deploy_to_delete(stoker: Stoker) -> None:
    made = stoker.told("deploy", "life", "-t", "t.yaml", "-e", "e.yaml", "-p", "length=5")
    assert made["stack"]["status"] == "CREATE_COMPLETE"
    assert made["outputs"]["file"] == "hello"
    assert len(made["outputs"]["word"]) == 5  # the command line wins over the environment
    assert [each["path"] for each in made["resources"]] == [
        "file",
        "inner",
        "inner.word",
        "mapped",
        "mapped.word",
    ]
    changed = stoker.told("deploy", "life", "-t", "t.yaml", "-e", "e.yaml", "-p", "length=9")
    assert (changed["action"], changed["stack"]["status"]) == ("UPDATE", "UPDATE_COMPLETE")
    assert len(changed["outputs"]["word"]) == 9
    assert [each["path"] for each in changed["resources"] if not each["changed"]] == [
        "file",
        "mapped.word",  # what holds it is a template, which is looked through in any case
    ]
    gone = stoker.told("delete", "-y", "life")
    assert gone["stacks"][0]["stack"]["status"] == "DELETE_COMPLETE"


def test_a_stack_is_shown_until_it_is_gone(stoker: Stoker) -> None:
    options = ("-t", "t.yaml", "-e", "e.yaml")
    assert "CREATE_COMPLETE" in stoker("deploy", "seen", *options).stdout
    assert "UPDATE_COMPLETE" in stoker("deploy", "seen", *options).stdout
    assert "inner.yaml" in stoker("status", "seen").stdout
    events = stoker.told("events", "seen")["events"]
    assert {each["path"] for each in events} >= {"", "file", "inner", "inner.word"}
    stoker("delete", "-y", "seen")
    assert stoker.told("status", "seen", code=2)["error"]["exit_code"] == 2


def test_a_failure_names_its_cause_and_its_place(stoker: Stoker) -> None:
    ran = stoker("deploy", "bad", "-t", "fail.yaml", code=1)
    assert "First cause  two  OS::Neutron::Port" in ran.stdout
    assert "10.1.0.9" in ran.stdout
    assert "Template     fail.yaml:12:3" in ran.stdout
    assert stoker.told("status", "bad", code=1)["stack"]["status"] == "CREATE_FAILED"
    stoker("delete", "-y", "bad")


def test_a_failure_deep_inside_is_told_on_one_screen(stoker: Stoker) -> None:
    (stoker.folder / "outer.yaml").write_text(
        "heat_template_version: 2018-08-31\n"
        "resources:\n"
        "  deep: {type: fail.yaml}\n"
        "  after: {type: OS::Heat::Value, depends_on: deep, properties: {value: x}}\n"
    )
    stoker.environment |= {"COLUMNS": "80", "LINES": "24"}
    process, terminal = stoker.terminal("deploy", "deep", "-t", "outer.yaml")
    try:
        said = re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", read(terminal)).decode()
        assert process.wait(SECONDS) == 1
    finally:
        os.close(terminal)
    stoker("delete", "-y", "deep")
    screen = said[said.rindex("✘ deep is CREATE_FAILED") :].splitlines()
    assert len(screen) < 24
    assert all(len(line) <= 80 for line in screen)
    words = [" ".join(line.split()) for line in screen]
    assert words[1] == "First cause deep.two OS::Neutron::Port"
    assert words[2].startswith("CREATE_FAILED: ")
    assert "10.1.0.9" in " ".join(words)
    assert "Template fail.yaml:12:3" in words
    assert "Never begun after" in words
    assert not any(line.startswith("Failed, too") for line in words)
    assert words[-2:] == [
        "Next Correct the cause and deploy again: what is there already stays.",
        "stoker events deep",
    ]


def test_what_the_service_refuses_has_its_place(stoker: Stoker, folder: Path) -> None:
    (folder / "t.yaml").write_text(TEMPLATE.replace("inner.yaml", "OS::Heat::Value"))
    ran = stoker("deploy", "refused", "-t", "t.yaml", "-e", "e.yaml", code=2)
    assert "(t.yaml:7:18)" in ran.stderr or "(t.yaml:7:5)" in ran.stderr


def test_each_of_several_problems_has_a_line_and_its_place(stoker: Stoker) -> None:
    (stoker.folder / "rules.yaml").write_text(
        "heat_template_version: 2018-08-31\n"
        "parameters:\n"
        "  size: {type: string, constraints: [{allowed_values: [small, large]}]}\n"
        "resources: {a: {type: OS::Heat::RandomString}}\n"
    )
    ran = stoker("deploy", "x", "-t", "rules.yaml", "-p", "size=big", "-p", "nope=1", code=2)
    head, *problems = ran.stderr.splitlines()
    assert head.rstrip() == "stoker:"
    assert all(line.startswith("  parameters.") for line in problems)
    assert [("small, large" in line, line.endswith("(rules.yaml:3:3)")) for line in problems] == [
        (False, False),
        (True, True),
    ]


def test_a_wrong_account_is_told(stoker: Stoker) -> None:
    assert "nope" in stoker("status", "--os-cloud", "nope", code=2).stderr
    here, cloud = stoker.environment["OS_CLIENT_CONFIG_FILE"], stoker.environment.pop("OS_CLOUD")
    stoker.environment["OS_CLIENT_CONFIG_FILE"] = "/none"
    nothing = stoker("status", code=2).stderr
    assert "auth_url" in nothing
    assert "--os-cloud" in nothing
    stoker.environment |= {"OS_CLIENT_CONFIG_FILE": here, "OS_CLOUD": cloud}
    stoker.environment |= {"OS_CLIENT_CONFIG_FILE": "/none", "OS_AUTH_URL": "http://127.0.0.1:1/v3"}
    for name in ("USERNAME", "PASSWORD", "PROJECT_NAME", "USER_DOMAIN_ID", "PROJECT_DOMAIN_ID"):
        stoker.environment[f"OS_{name}"] = "default"
    del stoker.environment["OS_CLOUD"]
    ran = stoker("status", code=3)
    assert len(ran.stderr.splitlines()) == 1


def test_a_terminal_shows_a_picture_and_ctrl_c_leaves_the_stack_to_go_on(stoker: Stoker) -> None:
    process, terminal = stoker.terminal("deploy", "shown", "-t", "fail.yaml")
    try:
        said = read(terminal, b"net")
        os.killpg(process.pid, signal.SIGINT)
        said += read(terminal)
        assert process.wait(SECONDS) == 130
    finally:
        os.close(terminal)
    assert b"CREATE shown" in said
    assert b"\x1b[" in said
    assert said.rstrip().endswith(b"`stoker status --follow shown`")
    assert b"Traceback" not in said
    stoker("status", "--follow", "shown", code=1)
    stoker("delete", "-y", "shown")


def test_who_is_asked_may_say_no(stoker: Stoker) -> None:
    stoker("deploy", "kept", "-t", "t.yaml", "-e", "e.yaml")
    process, terminal = stoker.terminal("delete", "kept")
    try:
        assert b"Delete kept?" in read(terminal, b"]: ")
        os.write(terminal, b"n\n")
        assert b"nothing was deleted" in read(terminal)
        assert process.wait(SECONDS) == 2
    finally:
        os.close(terminal)
    stoker("delete", "-y", "kept")


def test_a_dry_run_tells_what_would_be_made_or_that_the_service_cannot(stoker: Stoker) -> None:
    command = stoker.command("deploy", "dry", "-t", "t.yaml", "-e", "e.yaml", "--dry-run")
    ran = stoker.ran(command)
    if ran.returncode == 0:
        assert "inner" in ran.stdout
    else:
        assert (ran.returncode, "preview" in ran.stderr) == (2, True)
    assert "dry" not in {each["name"] for each in stoker.told("status")["stacks"]}
