"""The bodies of creates and updates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stoker.cli.gather import Gathered
from stoker.cli.options import DeployOptions
from stoker.cli.request import parameters, to_create, to_update, wanted
from stoker.errors import Invalid

SOURCE = Gathered({"heat_template_version": "2018-08-31"}, "file:///a/t.yaml", {"file:///f": "x"})


def test_a_create_has_no_rollback_unless_told() -> None:
    body = to_create(DeployOptions("n"), wanted(DeployOptions("n"), SOURCE))
    assert body == {
        "stack_name": "n",
        "disable_rollback": True,
        "template": SOURCE.template,
        "files": {"file:///f": "x"},
        "environment": {},
        "parameters": {},
    }
    assert to_create(DeployOptions("n", rollback=True), {})["disable_rollback"] is False


@pytest.mark.parametrize(
    ("rollback", "said"),
    [(None, {}), (True, {"disable_rollback": False}), (False, {"disable_rollback": True})],
)
def test_an_update_says_of_the_rollback_only_what_was_said(
    *, rollback: bool | None, said: dict[str, bool]
) -> None:
    assert to_update(DeployOptions("n", rollback=rollback), {}) == said
    assert to_update(DeployOptions("n", rollback=rollback, converge=True), {}) == {
        **said, "converge": True,
    }  # fmt: skip


def test_what_is_not_said_is_not_sent() -> None:
    body = wanted(DeployOptions("n", existing=True), Gathered())
    assert body == {"files": {}, "environment": {}, "parameters": {}}
    body = wanted(DeployOptions("n", tags="a,b", timeout=5), Gathered())
    assert (body["tags"], body["timeout_mins"]) == ("a,b", 5)


def test_the_command_line_wins_over_every_environment() -> None:
    environment = {"parameters": {"a": 1, "b": 2}, "parameter_defaults": {"a": 3}}
    source = Gathered(
        environment=environment,
        files={"file:///e": json.dumps(environment)},
        environment_files=("file:///e",),
    )
    body = wanted(DeployOptions("n", parameters=("a=9",)), source)
    left = {"parameters": {"b": 2}, "parameter_defaults": {"a": 3}}
    assert body["parameters"] == {"a": "9"}
    assert body["environment"] == left
    assert json.loads(body["files"]["file:///e"]) == left
    assert body["environment_files"] == ["file:///e"]


def test_values_are_taken_whole_and_a_key_given_again_makes_a_list() -> None:
    given = ("a=x=y;b=z", "c=1", "c=2", "c=", "d=")
    assert parameters(given, (), None) == {"a": "x=y;b=z", "c": ["1", "2", ""], "d": ""}


def test_a_value_may_come_from_a_file_beside_the_template(tmp_path: Path) -> None:
    (tmp_path / "key.pub").write_text("ssh-rsa AAAA\n")
    template = (tmp_path / "t.yaml").as_uri()
    assert parameters((), ("key=key.pub",), template) == {"key": "ssh-rsa AAAA\n"}


def test_a_value_s_file_is_beside_us_where_there_is_no_template(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "key.pub").write_text("k")
    monkeypatch.chdir(tmp_path)
    assert parameters((), ("key=key.pub",), None) == {"key": "k"}


def test_what_is_wrong_with_parameters_is_told_at_once() -> None:
    with pytest.raises(Invalid) as caught:
        parameters(("a", "=b"), ("c=/no/such", "d"), None)
    assert [str(problem) for problem in caught.value.problems] == [
        "--parameter a: is not key=value",
        "--parameter =b: is not key=value",
        "--parameter-file c: cannot read /no/such: No such file or directory",
        "--parameter-file d: is not key=value",
    ]
