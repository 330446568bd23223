"""A template and all that it names: the same as python-heatclient gathers."""

from __future__ import annotations

import importlib
import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from stoker.cli.gather import Gathered, gathered
from stoker.errors import Invalid

template_utils: Any = importlib.import_module("heatclient.common.template_utils")  # no types
HOT = "heat_template_version: 2018-08-31\n"


def write(folder: Path, name: str, text: str | bytes) -> str:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def as_sent(value: Any) -> Any:
    """Return a value as it is when it has come through JSON."""
    return json.loads(json.dumps(value, default=lambda each: each.decode()))


def parsed(files: Any) -> dict[str, Any]:
    """Return files with those that are JSON read, as the order of keys means nothing."""
    found = {}
    for url, text in as_sent(dict(files)).items():
        found[url] = json.loads(text) if text.startswith("{") else text
    return found


def agrees(template: str | None, *environments: str) -> Gathered:
    """Assert that python-heatclient gathers the same, and return it."""
    ours = gathered(template, environments)
    tracker: list[str] = []
    files, theirs = {}, None
    if template is not None:
        files, theirs = template_utils.process_template_path(template)
    more, environment = template_utils.process_multiple_environments_and_files(
        list(environments), env_list_tracker=tracker
    )
    assert ours.template == as_sent(theirs)
    assert ours.environment == as_sent(environment)
    assert parsed(ours.files) == parsed({**files, **more})
    assert list(ours.environment_files) == tracker
    return ours


def test_a_template_alone_has_no_files(tmp_path: Path) -> None:
    template = write(tmp_path, "a.yaml", HOT + "resources: {a: {type: OS::Heat::Value}}\n")
    assert agrees(template).files == {}


def test_dates_numbers_and_words_stay_what_they_are(tmp_path: Path) -> None:
    values = "outputs: {a: {value: [2020-01-01, 08:30, yes, 1.0, 017, null, ~, 'x', 1e3, on]}}\n"
    agrees(write(tmp_path, "a.yaml", f"{HOT}{values}parameters: {{80: {{type: string}}}}\n"))


def test_templates_may_be_json(tmp_path: Path) -> None:
    text = json.dumps({"AWSTemplateFormatVersion": "2010-09-09", "Resources": {}})
    agrees(write(tmp_path, "a.template", text))


def test_short_forms_of_cloudformation_are_sent_as_long_ones(tmp_path: Path) -> None:
    """python-heatclient refuses them."""
    text = "AWSTemplateFormatVersion: '2010-09-09'\nOutputs: {o: {Value: !Sub '${AWS::Region}'}}\n"
    inner = write(tmp_path, "inner.template", text)
    template = write(tmp_path, "a.yaml", HOT + "resources: {a: {type: inner.template}}\n")
    outputs = {"o": {"Value": {"Fn::Sub": "${AWS::Region}"}}}
    assert (gathered(inner).template or {})["Outputs"] == outputs
    (sent,) = gathered(template).files.values()
    assert json.loads(sent)["Outputs"] == outputs


def test_short_forms_have_no_meaning_elsewhere(tmp_path: Path) -> None:
    template = write(tmp_path, "a.yaml", HOT + "outputs: {o: {value: !Ref a}}\n")
    with pytest.raises(Invalid, match="the YAML tag '!Ref' has no meaning"):
        gathered(template)


def test_files_are_read_from_beside_the_template_that_names_them(tmp_path: Path) -> None:
    write(tmp_path, "sub/inner.yaml", HOT + "outputs: {a: {value: {get_file: deep/x.txt}}}\n")
    write(tmp_path, "sub/deep/x.txt", "deep")
    write(tmp_path, "x.txt", "high äöü")
    template = write(
        tmp_path,
        "a.yaml",
        HOT
        + """
resources:
  one: {type: sub/inner.yaml}
  two: {type: sub/inner.yaml, properties: {a: {get_file: x.txt}, b: [{c: {get_file: x.txt}}]}}
  three: {type: OS::Heat::ResourceGroup, properties: {resource_def: {type: sub/inner.yaml}}}
""",
    )
    found = agrees(template)
    assert {url.rpartition("/")[2] for url in found.files} == {"inner.yaml", "x.txt"}
    assert len(found.files) == 3
    assert found.template is not None
    assert found.template["resources"]["one"]["type"] == (tmp_path / "sub/inner.yaml").as_uri()


def test_odd_names_are_read(tmp_path: Path) -> None:
    write(tmp_path, "with space.sh", "a")
    write(tmp_path, "ü.sh", "b")
    refs = "[{get_file: with space.sh}, {get_file: ./ü.sh}, {get_file: ''}]"
    write(tmp_path, "c/a.yaml", "")
    template = write(tmp_path, "a.yaml", f"{HOT}outputs: {{a: {{value: {refs[:-15]}]}}}}\n")
    assert len(agrees(template).files) == 2


def test_what_is_not_text_goes_in_base64(tmp_path: Path) -> None:
    write(tmp_path, "x.bin", bytes(range(256)))
    write(tmp_path, "empty", b"")
    template = write(
        tmp_path, "a.yaml", HOT + "outputs: {a: {value: [{get_file: x.bin}, {get_file: empty}]}}\n"
    )
    agrees(template)


def test_a_template_that_is_a_file_is_sent_as_a_template(tmp_path: Path) -> None:
    write(tmp_path, "inner.yaml", HOT + "outputs: {a: {value: {get_file: x.txt}}}\n")
    write(tmp_path, "x.txt", "x")
    write(tmp_path, "broken.yaml", "a: [\n")
    value = "[{get_file: inner.yaml}, {get_file: broken.yaml}]"
    agrees(write(tmp_path, "a.yaml", f"{HOT}outputs: {{a: {{value: {value}}}}}\n"))


def test_what_is_computed_is_no_file_name(tmp_path: Path) -> None:
    text = "outputs: {a: {value: {get_file: {get_param: p}}}, b: {value: {type: string}}}\n"
    agrees(write(tmp_path, "a.yaml", HOT + text))


def test_environments_are_merged_in_depth_and_the_later_wins(tmp_path: Path) -> None:
    write(tmp_path, "e/t.yaml", HOT)
    write(tmp_path, "e/u.template", HOT)
    first = write(
        tmp_path,
        "e/one.yaml",
        """
parameters: {a: 1, b: {c: 1, d: 2}, when: 2020-01-01}
parameter_defaults: {x: y}
resource_registry:
  A::B: t.yaml
  C::D: OS::Heat::Value
  hooks: pre-create
  resources:
    web: {"E::F": t.yaml, hooks: [pre-create, pre-update], restricted_actions: replace}
    db: {base_url: BASE, "E::F": u.template}
""".replace("BASE", (tmp_path / "e").as_uri()),
    )
    second = write(tmp_path, "two.yaml", "parameters: {b: {c: 3}, a: null}\nparameter_defaults:\n")
    found = agrees(None, first, second)
    assert found.environment["parameters"]["b"] == {"c": 3, "d": 2}
    assert found.environment["parameter_defaults"] == {"x": "y"}
    assert len(found.files) == 4


def test_an_empty_environment_is_one(tmp_path: Path) -> None:
    assert agrees(None, write(tmp_path, "e.yaml", "# nothing\n")).environment == {}


def test_a_base_url_says_where_a_registry_s_files_are(tmp_path: Path) -> None:
    write(tmp_path, "far/t.yaml", HOT)
    base = (tmp_path / "far").as_uri()
    registry = f"resource_registry: {{base_url: '{base}', 'A::B': t.yaml}}\n"
    agrees(None, write(tmp_path, "e.yaml", registry))


def test_a_null_in_a_registry_is_kept(tmp_path: Path) -> None:
    found = gathered(None, (write(tmp_path, "e.yaml", "resource_registry: {'A::B': null}\n"),))
    assert found.environment == {"resource_registry": {"A::B": None}}


def test_every_example_and_its_files_are_gathered_as_heatclient_does(root: Path) -> None:
    templates = sorted((root / "examples").glob("*.yaml"))
    assert templates
    for template in templates:
        agrees(str(template))


def test_templates_that_people_have_written_are_gathered_as_heatclient_does(shared: Path) -> None:
    templates = sorted((shared / "corpus" / "templates").rglob("*.yaml"))[::20]
    assert sum(_agrees_too(template) for template in templates) > 30


def _agrees_too(template: Path) -> bool:
    """Compare one that both can read; what we refuse, python-heatclient refuses."""
    try:
        gathered(str(template))
    except Invalid:
        with pytest.raises(Exception):  # noqa: B017, PT011 - whatever it raises
            template_utils.process_template_path(str(template))
        return False
    agrees(str(template))
    return True


def test_the_last_newline_is_left_out_as_heatclient_does(tmp_path: Path) -> None:
    write(tmp_path, "inner.yaml", HOT + "outputs: {}\ndescription: |\n  text\n")
    text = "resources: {a: {type: inner.yaml}}\ndescription: |\n  text\n\n"
    found = agrees(write(tmp_path, "a.yaml", HOT + text))
    assert found.template is not None
    assert found.template["description"] == "text"


def test_templates_that_lead_back_to_themselves_end(tmp_path: Path) -> None:
    write(tmp_path, "b.yaml", HOT + "resources: {b: {type: a.yaml}}\n")
    template = write(tmp_path, "a.yaml", HOT + "resources: {a: {type: b.yaml}}\n")
    assert len(gathered(template).files) == 2


def test_text_that_speaks_of_a_version_is_no_template(tmp_path: Path) -> None:
    write(tmp_path, "x.txt", "heat_template_version is a key")
    template = write(tmp_path, "a.yaml", HOT + "outputs: {a: {value: {get_file: x.txt}}}\n")
    assert list(gathered(template).files.values()) == ["heat_template_version is a key"]


def problems(template: str | None, *environments: str) -> list[str]:
    with pytest.raises(Invalid) as caught:
        gathered(template, environments)
    return [str(problem) for problem in caught.value.problems]


def test_all_that_is_missing_is_told_at_once_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "a.yaml", HOT + "resources:\n  a: {type: no.yaml}\n  b: [{get_file: gone}]\n")
    write(tmp_path, "e.yaml", "nope: 1\nresource_registry:\n  A: lost.yaml\n")
    reason = "No such file or directory"
    assert problems("a.yaml", "e.yaml", "none.yaml") == [
        f"resources.a.type: cannot read no.yaml: {reason} (a.yaml:3:7)",
        f"resources.b[0].get_file: cannot read gone: {reason} (a.yaml:4:8)",
        (
            "nope: nope is no key of an environment; known are parameters, parameter_defaults, "
            "resource_registry, event_sinks, encrypted_param_names, parameter_merge_strategies "
            "(e.yaml:1:1)"
        ),
        f"resource_registry.A: cannot read lost.yaml: {reason} (e.yaml:3:3)",
        f"cannot read none.yaml: {reason}",
    ]


@pytest.mark.parametrize("text", ["resources: {}\n", "- a\n", "word\n", ""])
def test_what_is_no_template_is_told(text: str, tmp_path: Path) -> None:
    (told,) = problems(write(tmp_path, "a.yaml", text))
    assert "is no template" in told


def test_a_nested_template_that_cannot_be_read_is_told_with_its_place(tmp_path: Path) -> None:
    inner = write(tmp_path, "inner.yaml", HOT + "resources: [\n")
    template = write(tmp_path, "a.yaml", HOT + "resources: {a: {type: inner.yaml}}\n")
    (told,) = problems(template)
    assert f"{inner}:3:1" in told


def test_an_environment_that_is_no_map_is_told(tmp_path: Path) -> None:
    (told,) = problems(None, write(tmp_path, "e.yaml", "[1]\n"))
    assert "is no environment" in told


def test_each_template_s_places_are_known_by_its_url(tmp_path: Path) -> None:
    write(tmp_path, "inner.yaml", HOT + "resources:\n  x: {type: T}\n")
    template = write(tmp_path, "a.yaml", HOT + "resources:\n  a: {type: inner.yaml}\n")
    found = gathered(template)
    inner = found.places[(tmp_path / "inner.yaml").as_uri()]
    assert str(inner["resources", "x"]).endswith("inner.yaml:3:3")
    assert found.url in found.places


def test_yaml_and_json_are_read_alike(tmp_path: Path) -> None:
    value = yaml.safe_load(HOT.replace("2018-08-31", "'2018-08-31'") + "outputs: {a: {value: 1}}")
    one = gathered(write(tmp_path, "a.yaml", yaml.safe_dump(value)))
    other = gathered(write(tmp_path, "b.yaml", json.dumps(value)))
    assert one.template == other.template == value


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """Give the address of a site that has the files of the folder."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_names_in_templates_of_the_web_are_meant_beside_them(site: str, tmp_path: Path) -> None:
    write(tmp_path, "far/x.txt", "far")
    write(tmp_path, "x.txt", "near")
    write(tmp_path, "far/deep/inner.yaml", HOT + "outputs: {a: {value: {get_file: ../x.txt}}}\n")
    write(tmp_path, "far/top.yaml", HOT + "resources: {r: {type: deep/inner.yaml}}\n")
    write(
        tmp_path,
        "far/env.yaml",
        "resource_registry: {A: deep/inner.yaml, resources: {r: {B: top.yaml}}}\n",
    )
    near = HOT + f"resources: {{n: {{type: '{site}/far/top.yaml'}}, m: {{type: A}}}}\n"
    for template in (f"{site}/far/top.yaml", write(tmp_path, "near.yaml", near)):
        found = agrees(template, f"{site}/far/env.yaml")
        assert found.files[f"{site}/far/x.txt"] == "far"
        assert f"{site}/far/deep/inner.yaml" in found.files
