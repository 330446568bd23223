"""``deploy``, ``delete``, ``status`` and ``events``, on a small Heat of the test's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from typer.testing import CliRunner, Result

from stoker.cli import watch
from stoker.cli.main import program
from stoker.errors import CloudError, Invalid, Problem
from tests.cli.heat import ID, Heat
from tests.cli.rows import event, row

if TYPE_CHECKING:
    from stoker.cli.options import ServeOptions
    from stoker.cli.session import Session

TEMPLATE = "heat_template_version: 2018-08-31\nresources:\n  a: {type: OS::Heat::Value}\n"


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(watch, "LOOK_SECONDS", (0.0, 0.0))
    monkeypatch.chdir(tmp_path)
    Path("t.yaml").write_text(TEMPLATE)


def unchecked(*_anything: object) -> NoReturn:
    """Take the place of what checks templates; nothing here needs it."""
    raise AssertionError("a check was asked for")


def serve(_options: ServeOptions) -> None:
    raise AssertionError("serve was asked for")


def ran(heat: Heat | Exception, *arguments: str, said: str | None = None) -> Result:
    """Run the command line with a cloud that is ``heat``, or cannot be connected to."""

    def connect(cloud: str | None, region: str | None) -> Session:
        if isinstance(heat, Exception):
            raise heat
        heat.calls.append(("CONNECT", f"{cloud} {region}", None))
        return heat

    return CliRunner().invoke(program(serve, (), connect, unchecked), arguments, input=said)


def document(result: Result) -> Any:
    return json.loads(result.stdout)


# deploy


def test_a_stack_that_is_not_there_is_created() -> None:
    heat = Heat(ends=["CREATE_IN_PROGRESS", "CREATE_COMPLETE"])
    heat.outputs = [
        {"output_key": "url", "output_value": "http://x", "description": "Where it is"},
        {"output_key": "ids", "output_value": ["1", "2"], "description": "No description given"},
    ]
    result = ran(heat, "deploy", "web", "-t", "t.yaml", "-p", "x=1", "--tags", "a,b")
    assert (result.exit_code, result.stderr) == (0, "")
    (body,) = heat.bodies("POST")
    assert (body["stack_name"], body["parameters"], body["tags"]) == ("web", {"x": "1"}, "a,b")
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["✔", "a", "OS::Heat::Value", "<0.1", "s", "CREATE_COMPLETE"]
    assert lines[1].startswith("✔ web is CREATE_COMPLETE after ")
    assert lines[2:] == ["Outputs", "  url  http://x", "       Where it is", '  ids  ["1", "2"]']


def test_a_stack_that_is_there_is_updated() -> None:
    heat = Heat(ends=["UPDATE_IN_PROGRESS", "UPDATE_COMPLETE"])
    heat.add("web")
    result = ran(heat, "deploy", "web", "-t", "t.yaml")
    assert result.exit_code == 0
    assert heat.bodies("POST") == []
    (body,) = heat.bodies("PUT")
    assert body["template"]["resources"] == {"a": {"type": "OS::Heat::Value"}}
    assert "1 resources, 1 unchanged" in result.stdout


def test_an_update_may_keep_what_is_not_said() -> None:
    heat = Heat(ends=["UPDATE_IN_PROGRESS", "UPDATE_COMPLETE"])
    heat.add("web")
    assert ran(heat, "deploy", "web", "--existing", "-p", "x=2").exit_code == 0
    (body,) = heat.bodies("PATCH")
    assert body == {"files": {}, "environment": {}, "parameters": {"x": "2"}}


def test_a_failure_is_told_with_cause_place_and_what_to_do() -> None:
    heat = Heat(ends=["CREATE_FAILED"])
    heat.fails()
    result = ran(heat, "deploy", "web", "-t", "t.yaml")
    assert result.exit_code == 1
    assert [" ".join(line.split()) for line in result.stdout.splitlines()[2:]] == [
        "First cause a OS::Heat::Value",
        "CREATE_FAILED: no room",
        "Template t.yaml:3:3",
        "Next Correct the cause and deploy again: what is there already stays.",
        "stoker events web",
    ]


def test_a_program_is_told_all_in_one_document() -> None:
    heat = Heat(ends=["CREATE_FAILED"])
    heat.fails()
    result = ran(heat, "deploy", "web", "-t", "t.yaml", "--output", "json")
    assert (result.exit_code, result.stderr) == (1, "")
    found = document(result)
    assert found["stack"] == {
        "name": "web",
        "id": ID,
        "status": "CREATE_FAILED",
        "reason": "because",
    }
    assert found["failure"] == {
        "path": "a",
        "type": "OS::Heat::Value",
        "status": "CREATE_FAILED",
        "reason": "no room",
        "place": "t.yaml:3:3",
        "next": "Correct the cause and deploy again: what is there already stays.",
    }
    assert [each["path"] for each in found["resources"]] == ["a"]


def test_a_program_is_told_the_outputs() -> None:
    heat = Heat(ends=["CREATE_COMPLETE"], outputs=[{"output_key": "n", "output_value": {"a": 1}}])
    found = document(ran(heat, "deploy", "web", "-t", "t.yaml", "-o", "json"))
    assert (found["outputs"], found["failure"]) == ({"n": {"a": 1}}, None)


def test_nobody_need_wait() -> None:
    heat = Heat()
    result = ran(heat, "deploy", "web", "-t", "t.yaml", "--no-wait", "-o", "json")
    assert result.exit_code == 0
    assert document(result)["stack"]["status"] == "CREATE_IN_PROGRESS"


def test_waiting_has_an_end() -> None:
    result = ran(Heat(), "deploy", "web", "-t", "t.yaml", "--max-wait", "0", "-o", "json")
    assert result.exit_code == 4
    assert "still CREATE_IN_PROGRESS" in result.stderr
    assert document(result)["error"]["exit_code"] == 4


def test_ctrl_c_ends_the_watching_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("time.sleep", interrupted)
    result = ran(Heat(), "deploy", "web", "-t", "t.yaml")
    assert result.exit_code == 130
    assert result.stderr == (
        "stoker: not watching any more; the create of web goes on; "
        "watch it again with `stoker status --follow web`\n"
    )


def test_the_place_of_what_the_service_refuses_is_told() -> None:
    error = CloudError("resources.a.properties: bad", service="orchestration", status=400)
    result = ran(Heat(refuses={"POST /stacks": error}), "deploy", "web", "-t", "t.yaml")
    assert result.exit_code == 2
    assert result.stderr == "stoker: resources.a.properties: bad (t.yaml:3:3)\n"


def test_all_that_is_wrong_here_is_told_before_the_cloud_is_asked() -> None:
    Path("t.yaml").write_text(TEMPLATE + "  b: {type: no.yaml}\n  c: {type: nor.yaml}\n")
    heat = Heat()
    result = ran(heat, "deploy", "web", "-t", "t.yaml")
    assert result.exit_code == 2
    assert [line.strip() for line in result.stderr.splitlines()] == [
        "stoker:",
        "resources.b.type: cannot read no.yaml: No such file or directory (t.yaml:4:7)",
        "resources.c.type: cannot read nor.yaml: No such file or directory (t.yaml:5:7)",
    ]
    assert [call[0] for call in heat.calls] == ["CONNECT"]


@pytest.mark.parametrize("arguments", [("web",), ("web", "--existing")])
def test_a_new_stack_needs_a_template(arguments: tuple[str, ...]) -> None:
    assert ran(Heat(), "deploy", *arguments).exit_code == 2


def test_what_would_be_done_is_shown_and_not_done() -> None:
    heat = Heat()
    result = ran(heat, "deploy", "web", "-t", "t.yaml", "--dry-run")
    assert [line.split()[:2] for line in result.stdout.splitlines()[:2]] == [["+", "a"], ["+", "0"]]
    heat.add("web")
    found = document(ran(heat, "deploy", "web", "-t", "t.yaml", "--dry-run", "-o", "json"))
    assert found["updated"] == [{"path": "a", "type": "OS::Heat::Value"}]
    assert heat.stacks["web"]["stack_status"] == "CREATE_COMPLETE"


# Exit codes of clouds that do not answer as they should


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (CloudError("x", service="identity"), 3),
        (CloudError("x", service="identity", status=401), 3),
        (CloudError("x", service="orchestration", status=403), 3),
        (CloudError("x", service="orchestration", status=503), 3),
        (CloudError("x", service="orchestration", status=409), 2),
        (Invalid([Problem("x")]), 2),
    ],
)
def test_an_exit_code_tells_what_went_wrong(error: Exception, code: int) -> None:
    for heat in (error, Heat(refuses={".*": error} if isinstance(error, CloudError) else {})):
        if isinstance(heat, Heat) and not heat.refuses:
            continue
        result = ran(heat, "status", "-o", "json")
        assert (result.exit_code, result.stderr) == (code, "stoker: x\n")
        assert document(result) == {"error": {"text": "x", "exit_code": code}}


def test_the_cloud_and_its_region_can_be_named() -> None:
    heat = Heat()
    ran(heat, "status", "--os-cloud", "one", "--os-region-name", "two")
    assert heat.calls[0] == ("CONNECT", "one two", None)
    ran(heat, "status")
    assert ("CONNECT", "None None", None) in heat.calls


# delete


def test_stacks_are_deleted_and_followed() -> None:
    heat = Heat(ends=["DELETE_IN_PROGRESS", "DELETE_COMPLETE"])
    heat.add("web")
    result = ran(heat, "delete", "-y", "web")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1].startswith("✔ web is DELETE_COMPLETE")


def test_nothing_is_deleted_where_one_is_not_there() -> None:
    heat = Heat()
    heat.add("web")
    result = ran(heat, "delete", "-y", "web", "nope", "nor")
    assert result.exit_code == 2
    assert "nope, nor" in result.stderr
    assert "DELETE" not in {call[0] for call in heat.calls}


def test_without_a_terminal_nothing_is_deleted_unasked() -> None:
    heat = Heat()
    heat.add("web")
    result = ran(heat, "delete", "web")
    assert (result.exit_code, result.stderr) == (
        2,
        "stoker: there is no terminal to ask on: say --yes\n",
    )
    assert "DELETE" not in {call[0] for call in heat.calls}


def test_a_delete_that_fails_says_so() -> None:
    heat = Heat(ends=["DELETE_IN_PROGRESS", "DELETE_FAILED"])
    heat.add("web")
    result = ran(heat, "delete", "-y", "web", "-o", "json")
    assert result.exit_code == 1
    assert document(result)["stacks"][0]["failure"]["next"].startswith("Correct the cause")


def test_nobody_need_wait_for_a_delete() -> None:
    heat = Heat()
    heat.add("web")
    result = ran(heat, "delete", "-y", "web", "--no-wait", "-o", "json")
    assert document(result)["stacks"][0]["stack"]["status"] == "DELETE_IN_PROGRESS"


# status


def test_all_stacks_are_listed() -> None:
    heat = Heat()
    assert ran(heat, "status").stdout == "no stacks\n"
    heat.add("web")
    heat.add("db", "UPDATE_FAILED")
    result = ran(heat, "status")
    assert result.exit_code == 0
    assert [line.split()[:3] for line in result.stdout.splitlines()] == [
        ["name", "status", "changed"],
        ["✔", "web", "CREATE_COMPLETE"],
        ["✘", "db", "UPDATE_FAILED"],
    ]
    assert [each["name"] for each in document(ran(heat, "status", "-o", "json"))["stacks"]] == [
        "web",
        "db",
    ]


@pytest.mark.parametrize(
    ("status", "code"), [("CREATE_COMPLETE", 0), ("UPDATE_IN_PROGRESS", 0), ("CREATE_FAILED", 1)]
)
def test_one_stack_is_shown_as_a_tree(status: str, code: int) -> None:
    heat = Heat(outputs=[{"output_key": "n", "output_value": None, "output_error": "not yet"}])
    heat.add("web", status)
    heat.resources = [
        row("grp", "CREATE_COMPLETE", nested="g"),
        row("0", "CREATE_FAILED", within="g", resource_status_reason="no room"),
    ]
    result = ran(heat, "status", "web")
    assert result.exit_code == code
    text = result.stdout.splitlines()
    assert text[0][2:] == f"web  {status}  {ID}"
    assert [" ".join(line.split()) for line in text[2:]] == [
        "✔ grp OS::Heat::Value CREATE_COMPLETE",
        "✘ 0 OS::Heat::Value CREATE_FAILED: no room",
        "Outputs",
        "n no value: not yet",
    ]
    found = document(ran(heat, "status", "web", "-o", "json"))
    assert [each["path"] for each in found["resources"]] == ["grp", "grp.0"]


def test_a_stack_that_is_not_there_is_wrong_usage() -> None:
    for arguments in (("status", "nope"), ("status", "-f", "nope"), ("events", "nope")):
        assert ran(Heat(), *arguments).exit_code == 2


@pytest.mark.parametrize(
    ("action", "end", "code"),
    [
        ("CREATE", "CREATE_COMPLETE", 0),
        ("UPDATE", "UPDATE_FAILED", 1),
        ("DELETE", "DELETE_COMPLETE", 0),
        ("ROLLBACK", "ROLLBACK_COMPLETE", 1),
    ],
)
def test_what_is_under_way_can_be_followed(action: str, end: str, code: int) -> None:
    heat = Heat(ends=[f"{action}_IN_PROGRESS", f"{action}_IN_PROGRESS", end])
    heat.add("web", f"{action}_IN_PROGRESS")
    result = ran(heat, "status", "--follow", "web", "-o", "json")
    assert result.exit_code == code
    assert document(result)["stack"]["status"] == end


def test_where_nothing_is_under_way_there_is_nothing_to_follow() -> None:
    heat = Heat()
    heat.add("web")
    assert ran(heat, "status", "--follow", "web").stdout.startswith("✔ web  CREATE_COMPLETE")


# events


def test_events_are_told_oldest_first_with_their_paths() -> None:
    heat = Heat()
    heat.add("web")
    heat.resources = [row("grp", "CREATE_COMPLETE", nested="g")]
    heat.events = [
        event("web", "CREATE_IN_PROGRESS", of=ID),
        event("web-grp", "CREATE_IN_PROGRESS", of="g", within="g"),
        event("0", "CREATE_FAILED", within="g", of="x", reason="no room"),
    ]
    lines = ran(heat, "events", "web").stdout.splitlines()
    assert [line.split()[1:3] for line in lines] == [
        ["CREATE_IN_PROGRESS", "(stack)"],
        ["CREATE_IN_PROGRESS", "grp"],
        ["CREATE_FAILED", "grp.0"],
    ]
    assert lines[2].endswith("no room")
    found = document(ran(heat, "events", "web", "-o", "json"))["events"]
    assert [each["path"] for each in found] == ["", "grp", "grp.0"]


def test_events_are_followed_until_the_stack_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    heat = Heat()
    heat.add("web")
    heat.events = [event("a", "CREATE_COMPLETE")]

    def something_happens(_seconds: float) -> None:
        heat.events.append(event("a", "DELETE_COMPLETE"))
        heat.stacks["web"]["stack_status"] = "DELETE_COMPLETE"

    monkeypatch.setattr("time.sleep", something_happens)
    result = ran(heat, "events", "web", "--follow", "-o", "json")
    assert result.exit_code == 0
    told = [json.loads(line)["status"] for line in result.stdout.splitlines()]
    assert told == ["CREATE_COMPLETE", "DELETE_COMPLETE"]


def test_a_stack_that_vanishes_ends_the_following(monkeypatch: pytest.MonkeyPatch) -> None:
    heat = Heat()
    heat.add("web")
    heat.events = [event("a", "CREATE_COMPLETE")]
    monkeypatch.setattr("time.sleep", lambda _seconds: heat.stacks.clear())
    result = ran(heat, "events", "web", "--follow")
    assert (result.exit_code, len(result.stdout.splitlines())) == (0, 1)


def test_ctrl_c_ends_the_following(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_seconds: float) -> None:
        raise KeyboardInterrupt

    heat = Heat()
    heat.add("web")
    monkeypatch.setattr("time.sleep", interrupted)
    assert ran(heat, "events", "web", "-f").exit_code == 130
