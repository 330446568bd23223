"""The command line: how it is read, and how errors are told."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import pytest
from typer.testing import CliRunner

from stoker import __version__
from stoker.cli.main import program, run
from stoker.cli.options import ServeOptions
from stoker.errors import CloudError, Conflict, StokerError


class Asked:
    """Takes the place of ``serve`` and remembers what it was asked."""

    def __init__(self, error: Exception | None = None) -> None:
        self.options: list[ServeOptions] = []
        self._error = error

    def __call__(self, options: ServeOptions) -> None:
        self.options.append(options)
        if self._error is not None:
            raise self._error


def nowhere(_cloud: str | None, _region: str | None) -> NoReturn:
    """Take the place of what connects; nothing here needs a cloud."""
    raise AssertionError("a cloud was asked for")


def unchecked(*_anything: object) -> NoReturn:
    """Take the place of what checks templates; nothing here needs it."""
    raise AssertionError("a check was asked for")


def test_serve_takes_its_options(tmp_path: Path) -> None:
    asked = Asked()
    arguments = ["serve", "--state", str(tmp_path), "--port", "1", "--cfn-port", "2"]
    result = CliRunner().invoke(
        program(asked, (), nowhere, unchecked), [*arguments, "--devcloud-port", "0"]
    )
    assert result.exit_code == 0
    assert asked.options == [ServeOptions(tmp_path, 1, 2, 0)]


def test_serve_has_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    asked = Asked()
    assert CliRunner().invoke(program(asked, (), nowhere, unchecked), ["serve"]).exit_code == 0
    assert asked.options == [ServeOptions(Path("~/.local/state/stoker"), 8004, 8000, 5000)]


def test_the_environment_takes_the_place_of_options(tmp_path: Path) -> None:
    asked = Asked()
    environment = {"STOKER_STATE": str(tmp_path), "STOKER_PORT": "9"}
    assert (
        CliRunner()
        .invoke(program(asked, (), nowhere, unchecked), ["serve"], env=environment)
        .exit_code
        == 0
    )
    assert asked.options == [ServeOptions(tmp_path, 9)]


def test_the_state_is_kept_where_the_desktop_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    asked = Asked()
    CliRunner().invoke(program(asked, (), nowhere, unchecked), ["serve"])
    assert asked.options[0].state == tmp_path / "stoker"


@pytest.mark.parametrize("port", ["-1", "65536", "http"])
def test_a_port_that_cannot_be_is_wrong_usage(port: str) -> None:
    asked = Asked()
    result = CliRunner().invoke(program(asked, (), nowhere, unchecked), ["serve", "--port", port])
    assert result.exit_code == 2
    assert "--port" in result.output
    assert asked.options == []


def test_help_tells_each_option_but_not_what_is_for_programs() -> None:
    text = CliRunner().invoke(program(Asked(), (), nowhere, unchecked), ["serve", "--help"]).output
    assert all(option in text for option in ("--state", "--port", "--cfn-port", "--devcloud-port"))
    assert "--until-eof" not in text


def test_without_a_command_the_help_is_shown() -> None:
    text = CliRunner().invoke(program(Asked(), (), nowhere, unchecked), []).output
    assert all(
        command in text
        for command in ("serve", "demo", "deploy", "delete", "status", "events", "version")
    )


def test_version_is_told() -> None:
    assert (
        CliRunner().invoke(program(Asked(), (), nowhere, unchecked), ["version"]).output
        == f"stoker {__version__}\n"
    )


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (StokerError("it broke"), 1),
        (CloudError("it broke", service="compute"), 1),
        (Conflict("it broke"), 3),
    ],
)
def test_an_error_is_one_line_and_an_exit_code(
    error: StokerError,
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("sys.argv", ["stoker", "serve"])
    with pytest.raises(SystemExit) as caught:
        run(program(Asked(error), (), nowhere, unchecked))
    assert caught.value.code == status
    assert capsys.readouterr().err == "stoker: it broke\n"
