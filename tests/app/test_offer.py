"""The operator's environments and templates, as they are read when a process starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from stoker.app import offer
from stoker.app.misconfigured import Misconfigured
from stoker.app.offer import registry_of, web
from stoker.errors import Unfetched
from stoker.fetch import Limits
from tests.app.test_configuration import read, refused

TEMPLATE = "heat_template_version: 2018-08-31\n"


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    environments, templates = tmp_path / "environment.d", tmp_path / "templates"
    environments.mkdir()
    templates.mkdir()
    (templates / "one.yaml").write_text(TEMPLATE)
    return environments, templates


def test_registries_of_all_files_are_one_and_later_names_count_more(
    folders: tuple[Path, Path],
) -> None:
    environments, templates = folders
    (environments / "10.yaml").write_text("resource_registry: {'A::*': 'B::*', C: D}\n")
    (environments / "20.yaml").write_text("resource_registry: {C: E}\nparameters: {x: 1}\n")
    (environments / "folder").mkdir()
    found = registry_of(environments, templates)
    assert found.registry == {"A::*": "B::*", "C": "E"}
    assert found.texts == {}


def test_a_null_takes_out_what_files_before_it_have(folders: tuple[Path, Path]) -> None:
    environments, templates = folders
    (environments / "10.yaml").write_text("""
resource_registry:
  A: T
  B1: gone.yaml
  B2: T
  resources: {web: {C: T, D: T}, db: {C: T}, none: null}
""")
    (environments / "20.yaml").write_text("""
resource_registry: {A: null, 'B*': null, B2: U, B3: T, resources: {web: {C: null}}}
""")
    found = registry_of(environments, templates)
    assert found.registry == {
        "B2": "U",
        "B3": "T",
        "resources": {"web": {"D": "T"}, "db": {"C": "T"}},
    }
    assert found.texts == {}


def test_what_changes_no_stack_is_told(
    folders: tuple[Path, Path], caplog: pytest.LogCaptureFixture
) -> None:
    environments, templates = folders
    (environments / "10.yaml").write_text("resource_registry: {A: T, resources: null}\n")
    file = environments / "20.yaml"
    file.write_text("""
parameters: {x: 1}
parameter_defaults: {y: 1}
event_sinks: [{type: zaqar-queue, target: q}]
encrypted_param_names: [x]
resource_registry: {resources: {web: {hooks: pre-create, A: T}, db: {restricted_actions: update}}}
""")
    registry_of(environments, templates)
    assert caplog.messages == [
        (
            f"{file}: this changes no stack: parameters, parameter_defaults, event_sinks,"
            " encrypted_param_names, hooks, restricted_actions"
        )
    ]


def test_templates_are_read_by_url_and_by_name_at_every_level(folders: tuple[Path, Path]) -> None:
    environments, templates = folders
    url = (templates / "one.yaml").as_uri()
    (environments / "a.yaml").write_text(f"""
resource_registry:
  A: {url}
  B: one.yaml
  C: https://there.example/x.yaml
  resources: {{web: {{D: one.yaml, hooks: pre-create}}}}
""")
    found = registry_of(environments, templates)
    assert found.texts == {url: TEMPLATE, "one.yaml": TEMPLATE}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("resource_registry: [", "is no environment"),
        ("nonsense: {}", "nonsense is no key"),
        ("resource_registry: {A: {}}", "is no environment"),
        ("resource_registry: {A: none.yaml}", "none.yaml: No such file"),
        ("resource_registry: {A: 'file:///none/x.yaml'}", "/none/x.yaml: No such file"),
        ("resource_registry: {A: 'ftp://there/x.yaml'}", "only file, http and https"),
        ("resource_registry: {A: bad.yaml}", "bad.yaml is no template: Template version"),
        ("resource_registry: {A: binary.yaml}", "is not text in UTF-8"),
    ],
)
def test_what_is_wrong_is_told_with_the_files_name(
    folders: tuple[Path, Path], text: str, why: str
) -> None:
    environments, templates = folders
    (templates / "bad.yaml").write_text("a: b")
    (templates / "binary.yaml").write_bytes(b"\xff")
    file = environments / "a.yaml"
    file.write_text(text)
    with pytest.raises(Misconfigured) as raised:
        registry_of(environments, templates)
    assert str(raised.value).startswith(str(file))
    assert why in str(raised.value)


def test_a_file_that_is_no_text_is_told(folders: tuple[Path, Path]) -> None:
    environments, templates = folders
    (environments / "a.yaml").write_bytes(b"\xff")
    with pytest.raises(Misconfigured, match=r"a\.yaml: it is not text"):
        registry_of(environments, templates)


def test_the_options_have_heats_names(folders: tuple[Path, Path], tmp_path: Path) -> None:
    environments, templates = folders
    (environments / "a.yaml").write_text("resource_registry: {A: one.yaml}")
    text = f"[DEFAULT]\nenvironment_dir = {environments}\ntemplate_dir = {templates}\n"
    found = read(tmp_path, f"{text}template_fetch_timeout = 3\n").settings.offer
    assert (found.registry, found.texts) == ({"A": "one.yaml"}, {"one.yaml": TEMPLATE})
    assert found.seconds == 3
    told = refused(tmp_path, "[DEFAULT]\nenvironment_dir = /none\n", "settings")
    assert told == "environment_dir: /none: No such file or directory"


def test_heats_own_place_need_not_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = read(tmp_path, "")
    assert found["DEFAULT"]["environment_dir"] == "/etc/heat/environment.d"
    assert found["DEFAULT"]["template_dir"] == "/etc/heat/templates"
    monkeypatch.setattr("stoker.app.configuration.Path.is_dir", lambda _path: False)
    assert found.offer.registry == {}


@pytest.mark.parametrize("private", [False, True])
def test_only_an_operator_lets_private_addresses_be_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, private: bool
) -> None:
    asked = []

    def fetched(_url: str, limits: Limits) -> bytes:
        asked.append(limits)
        return b"text"

    monkeypatch.setattr(offer, "fetch", fetched)
    text = f"[DEFAULT]\nmax_template_size = 7\n[stoker]\nfetch_private_addresses = {private}\n"
    found = read(tmp_path, text)
    assert found.settings.offer.fetch("http://there/", 2.0) == "text"
    assert asked == [Limits(7, 2.0, private)]
    assert found.api.fetch_private_addresses is private


def test_what_is_no_text_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offer, "fetch", lambda _url, _limits: b"\xff")
    with pytest.raises(Unfetched, match="not text"):
        web(10, private=False)("http://there/", 1.0)
