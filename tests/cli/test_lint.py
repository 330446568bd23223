"""``stoker lint``: everything that is wrong, at the place that people wrote."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, NoReturn

import pytest
from typer.testing import CliRunner, Result

from stoker.app.checking import Checking
from stoker.classic import installed
from stoker.cli.findings import Form, written
from stoker.cli.lint import Report, lint
from stoker.cli.main import program
from stoker.errors import Code, Place, Problem, Severity

HEAD = "heat_template_version: 2021-04-16\n"
NET = HEAD + "resources:\n  net:\n    type: OS::Neutron::Net\n    properties:\n      nam: blue\n"
STRIDE = 12
"""Of the corpus each twelfth template is looked at."""


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def unasked(*_anything: object) -> NoReturn:
    raise AssertionError("lint asks nobody")


def ran(*arguments: str) -> Result:
    return CliRunner().invoke(program(unasked, (), unasked, Checking), ["lint", *arguments])


def report(*files: str, environments: Sequence[str] = (), disabled: Sequence[Code] = ()) -> Report:
    return lint(files, tuple(environments), frozenset(disabled), Checking())


def told(found: Report) -> list[tuple[str, str]]:
    """Return each problem's place and code."""
    return [(str(each.place), each.code.value) for each in found.problems]


def write(name: str, text: str) -> str:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return name


def test_a_sound_template_has_no_problems() -> None:
    write("a.yaml", NET.replace("nam", "name"))
    result = ran("a.yaml")
    assert (result.exit_code, result.stdout) == (0, "No problems in 1 file.\n")


PLUGIN = """
from heat.engine import properties, resource

class Plugged(resource.Resource):
    properties_schema = {"size": properties.Schema(properties.Schema.INTEGER, required=True)}

def resource_mapping():
    return {"My::Plugged": Plugged}
"""


def test_types_of_plugins_are_known_where_their_directory_is_named() -> None:
    write("plugins/plugged.py", PLUGIN)
    write("a.yaml", HEAD + "resources:\n  a: {type: My::Plugged, properties: {size: [1]}}\n")
    assert "[unknown-type]" in ran("a.yaml").stdout
    result = ran("a.yaml", "--plugin-dir", "plugins")
    assert result.exit_code == 1
    assert "[property-value]" in result.stdout
    assert "1 error and" in result.stdout
    write("a.yaml", HEAD + "resources:\n  a: {type: My::Plugged, properties: {size: 1}}\n")
    assert ran("a.yaml", "--plugin-dir", "plugins").exit_code == 0


def install(monkeypatch: pytest.MonkeyPatch, name: str, what: str) -> None:
    there = EntryPoint(name, what, "heat.engine.resources")
    monkeypatch.setattr(
        installed, "entry_points", lambda group: [there] if group == there.group else []
    )


def test_types_of_installed_plugins_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, "My::Value", "stoker.classic.resource:Resource")
    write("a.yaml", HEAD + "resources:\n  a: {type: My::Value}\n  b: {type: My::Other}\n")
    assert told(report("a.yaml")) == [("a.yaml:4:7", "unknown-type")]


@pytest.mark.parametrize("what", ["replacing:Plugged", "replacing"])
def test_an_installed_plugin_replaces_a_type_of_the_same_name(
    what: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write("replacing.py", PLUGIN.replace("My::Plugged", "OS::Neutron::Net"))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "replacing", raising=False)
    write("a.yaml", HEAD + "resources:\n  a: {type: OS::Neutron::Net, properties: {size: 1}}\n")
    assert told(report("a.yaml")) == [("a.yaml:3:44", "unknown-property")]
    install(monkeypatch, "OS::Neutron::Net", what)
    assert report("a.yaml").problems == ()


def test_a_plugin_of_a_directory_replaces_a_type_of_the_same_name() -> None:
    write("plugins/plugged.py", PLUGIN.replace("My::Plugged", "OS::Neutron::Net"))
    write("a.yaml", HEAD + "resources:\n  a: {type: OS::Neutron::Net, properties: {size: 1}}\n")
    assert ran("a.yaml").exit_code == 1
    assert ran("a.yaml", "--plugin-dir", "plugins").exit_code == 0


def test_where_there_are_no_plugins_what_reads_them_is_not_imported() -> None:
    known = "from stoker.app.checking import Checking; import sys; Checking()"
    code = f"{known}; sys.exit('stoker.classic.loader' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_schema_has_the_types_of_plugins() -> None:
    write("plugins/plugged.py", PLUGIN)
    command = program(unasked, (), unasked, Checking)
    result = CliRunner().invoke(command, ["schema", "--plugin-dir", "plugins"])
    assert "My::Plugged" in result.stdout


def test_the_line_is_shown_with_a_caret_and_what_was_meant() -> None:
    write("a.yaml", NET)
    result = ran("a.yaml")
    first, *others = result.stdout.splitlines()
    assert result.exit_code == 1
    assert first.startswith("a.yaml:6:7: error: Unknown Property nam; there are: admin_state_up")
    assert first.endswith("[unknown-property]")
    assert others == [
        "    6 |       nam: blue",
        "      |       ^",
        "      = did you mean name?",
        "",
        "1 error and 0 warnings in 1 file.",
    ]


def test_warnings_alone_are_no_failure() -> None:
    write("a.yaml", HEAD + "outputs: {o: {value: 1}}\n")
    result = ran("a.yaml")
    assert result.exit_code == 0
    assert "0 errors and 1 warning in 1 file." in result.stdout


def test_all_that_is_wrong_is_told_across_sections_and_nested_templates() -> None:
    inner = "parameters: {n: {type: number}}\nresources: {v: {type: OS::Heat::Valu}}\n"
    write("inner/b.yaml", HEAD + inner)
    write(
        "a.yaml",
        NET
        + "  in: {type: inner/b.yaml, properties: {n: x}}\n"
        + "outputs:\n  o: {value: {get_attr: [net, mtus]}}\n  f: {value: {get_file: gone.txt}}\n",
    )
    assert told(report("a.yaml")) == [
        ("a.yaml:6:7", "unknown-property"),
        ("a.yaml:7:41", "property-value"),
        ("a.yaml:9:14", "unknown-attribute"),
        ("a.yaml:10:15", "missing-file"),
        ("inner/b.yaml:2:14", "unused-parameter"),
        ("inner/b.yaml:3:17", "unknown-type"),
    ]


def test_templates_of_nested_stacks_are_told_of_where_they_are_written() -> None:
    write("child.yaml", HEAD + "resources:\n  v: {type: OS::Heat::Valu}\n")
    write(
        "a.yaml",
        HEAD
        + "resources:\n"
        + "  file: {type: OS::Heat::Stack, properties: {template: {get_file: child.yaml}}}\n"
        + "  text: {type: OS::Heat::Stack, properties: {template: 'resources: {}'}}\n"
        + "  group: {type: OS::Heat::ResourceGroup, properties: {resource_def: {type: Gone}}}\n",
    )
    assert told(report("a.yaml")) == [
        ("a.yaml:4:3", "template-version"),
        ("a.yaml:5:70", "unknown-type"),
        ("child.yaml:3:7", "unknown-type"),
    ]


def test_what_is_wrong_with_members_is_told_once_in_the_definition_of_the_group() -> None:
    write(
        "a.yaml",
        HEAD
        + "parameters: {p: {type: boolean}}\n"
        + "resources:\n"
        + "  group:\n"
        + "    type: OS::Heat::ResourceGroup\n"
        + "    properties:\n"
        + "      count: 3\n"
        + "      resource_def:\n"
        + "        type: OS::Neutron::Net\n"
        + "        properties:\n"
        + "          nam: {get_param: p}\n"
        + "          shared: [1]\n",
    )
    assert told(report("a.yaml")) == [
        ("a.yaml:11:11", "unknown-property"),
        ("a.yaml:12:11", "property-value"),
    ]


def test_what_two_templates_lead_to_is_told_once() -> None:
    write("inner.yaml", HEAD + "resources: {v: {type: OS::Heat::Valu}}\n")
    for name in ("a.yaml", "b.yaml"):
        write(name, HEAD + "resources: {in: {type: inner.yaml}}\n")
    assert told(report("a.yaml", "b.yaml")) == [("inner.yaml:2:17", "unknown-type")]


def test_an_environment_maps_types_and_its_own_problems_are_told_in_it() -> None:
    write("a.yaml", HEAD + "resources: {a: {type: My::Net}}\n")
    write("e.yaml", "resource_registry: {My::Net: OS::Neutron::Net}\nparameters:\n  size: 1\n")
    assert told(report("a.yaml")) == [("a.yaml:2:17", "unknown-type")]
    found = report("a.yaml", environments=["e.yaml"])
    assert told(found) == [("e.yaml:3:3", "unknown-parameter")]


def test_a_template_of_more_than_a_million_letters_has_its_places() -> None:
    big = "".join(f"  r{i}: {{type: T, metadata: {{a: {'x' * 1000}}}}}\n" for i in range(1100))
    write("a.yaml", HEAD + "resources:\n" + big)
    found = report("a.yaml").problems
    assert [each.place and each.place.line for each in found] == list(range(3, 1103))


def test_what_can_be_read_of_an_environment_counts_and_the_rest_is_told_once() -> None:
    size = "parameters: {size: {type: number, constraints: [{range: {min: 5}}]}}\n"
    write("a.yaml", HEAD + size + "outputs: {o: {value: {get_param: size}}}\n")
    write("e.yaml", "parameters: {size: 1}\nparametres: {}\n")
    found = report("a.yaml", environments=["e.yaml"])
    assert told(found) == [("a.yaml:2:14", "parameter-value"), ("e.yaml:2:1", "unknown-section")]
    assert found.problems[1].hint == "did you mean parameters?"


def test_a_property_that_is_missing_is_told_at_the_properties() -> None:
    write(
        "a.yaml",
        HEAD + "resources:\n  p:\n    type: OS::Neutron::Port\n    properties:\n      name: x\n",
    )
    assert told(report("a.yaml")) == [("a.yaml:5:5", "missing-property")]


def test_what_is_deprecated_is_told_wherever_it_is_used() -> None:
    write(
        "a.yaml",
        HEAD
        + "parameters: {p: {type: boolean}}\n"
        + "conditions: {c: {get_param: p}}\n"
        + "resources:\n"
        + "  a:\n"
        + "    type: OS::Nova::Server\n"
        + "    properties:\n"
        + "      flavor: f\n"
        + "      image: i\n"
        + "      networks:\n"
        + "        if:\n"
        + "          - c\n"
        + "          - - uuid: x\n"
        + "          - - network: x\n"
        + "outputs:\n"
        + "  o:\n"
        + "    value: {get_attr: [a, accessIPv4]}\n",
    )
    found = report("a.yaml").problems
    assert [(str(e.place), e.code.value, e.text, e.hint) for e in found] == [
        (
            "a.yaml:13:15",
            "deprecated",
            "the property uuid is deprecated since 2014.1",
            "use network",
        ),
        ("a.yaml:17:13", "deprecated", "the attribute accessIPv4 is deprecated", ""),
    ]
    assert {each.severity for each in found} == {Severity.WARNING}


def test_a_cloudformation_template_has_places_too_and_so_have_its_short_forms() -> None:
    text = "AWSTemplateFormatVersion: 2010-09-09\nResources:\n  a:\n    Type: OS::Nova::Sever\n"
    value = "  b:\n    Type: OS::Heat::Value\n    Properties: {value: !Sub '${Lost.x} ${Gone}'}\n"
    write("a.template", text + value)
    assert told(report("a.template")) == [
        ("a.template:4:5", "unknown-type"),
        ("a.template:7:25", "unknown-resource"),
        ("a.template:7:25", "undeclared-parameter"),
    ]


def test_a_template_that_cannot_be_read_is_told_at_its_place() -> None:
    write("a.yaml", HEAD + "resources: [\n")
    assert told(report("a.yaml")) == [("a.yaml:3:1", "malformed")]


def test_a_file_that_is_not_there_is_told() -> None:
    result = ran("gone.yaml")
    assert result.exit_code == 1
    assert result.stdout.startswith("gone.yaml:1:1: error: cannot read gone.yaml: No such file")


def test_a_duplicate_key_is_told_with_both_lines() -> None:
    write(
        "a.yaml", HEAD + "resources:\n  a:\n    type: OS::Heat::Value\n    type: OS::Heat::None\n"
    )
    (problem,) = report("a.yaml").problems
    assert problem.place == Place("a.yaml", 5, 5)
    assert problem.at == ("resources", "a", "type")
    assert "line 4" in problem.text


def test_what_is_wrong_in_a_branch_not_taken_is_a_warning() -> None:
    write(
        "a.yaml",
        HEAD
        + "conditions: {never: false}\nresources:\n  net:\n    type: OS::Neutron::Net\n"
        + "    properties: {name: {if: [never, {get_resource: nowhere}, blue]}}\n",
    )
    (problem,) = report("a.yaml").problems
    assert (problem.code, problem.severity) == (Code.UNKNOWN_RESOURCE, Severity.WARNING)
    assert problem.place == Place("a.yaml", 6, 37)


def test_what_is_wrong_in_a_branch_that_is_taken_is_an_error_once() -> None:
    write(
        "a.yaml",
        HEAD
        + "conditions: {always: true}\nresources:\n  net:\n    type: OS::Neutron::Net\n"
        + "    properties: {name: {if: [always, {get_resource: nowhere}, blue]}}\n",
    )
    (problem,) = report("a.yaml").problems
    assert (problem.code, problem.severity) == (Code.UNKNOWN_RESOURCE, Severity.ERROR)


@pytest.mark.parametrize(
    "text",
    [
        NET.replace("blue", "blue # stoker: disable=unknown-property"),
        NET.replace("blue", "blue # stoker: disable=name, unknown-property"),
        f"# stoker: disable=unknown-property\n{NET}",
    ],
)
def test_a_comment_switches_a_rule_off(text: str) -> None:
    write("a.yaml", text)
    assert told(report("a.yaml")) == []


def test_a_comment_counts_for_its_line_alone() -> None:
    write("a.yaml", NET.replace("Net\n", "Net # stoker: disable=unknown-property\n"))
    assert told(report("a.yaml")) == [("a.yaml:6:7", "unknown-property")]


def test_an_option_switches_rules_off() -> None:
    write("a.yaml", NET)
    assert ran("a.yaml", "--disable", "name,unknown-property").exit_code == 0


def test_a_code_that_does_not_exist_is_refused() -> None:
    write("a.yaml", NET)
    result = ran("a.yaml", "--disable", "nonsense")
    assert result.exit_code == 2
    assert "nonsense is no code" in result.stderr.replace("\n", " ")


def test_json_has_everything() -> None:
    write("a.yaml", NET)
    said = json.loads(ran("a.yaml", "--format", "json").stdout)
    assert (said["errors"], said["warnings"]) == (1, 0)
    (problem,) = said["problems"]
    assert problem.pop("text").startswith("Unknown Property nam")
    assert problem == {
        "code": "unknown-property",
        "severity": "error",
        "hint": "did you mean name?",
        "path": "resources.net.properties.nam",
        "file": "a.yaml",
        "line": 6,
        "column": 7,
    }


def test_sarif_has_rules_and_places() -> None:
    write("a.yaml", NET)
    (run,) = json.loads(ran("a.yaml", "--format", "sarif").stdout)["runs"]
    (result,) = run["results"]
    assert result["ruleId"] in {each["id"] for each in run["tool"]["driver"]["rules"]}
    assert result["level"] == "error"
    assert result["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "a.yaml"},
        "region": {"startLine": 6, "startColumn": 7},
    }


def test_github_gets_commands_with_nothing_of_the_text_taken_for_one() -> None:
    text = "100%\nwrong"
    problem = Problem(text, ("a",), Place("a,b.yaml", 1, 2), severity=Severity.WARNING)
    said = written(Report((problem,), {}), Form.GITHUB)
    assert said == "::warning file=a%2Cb.yaml,line=1,col=2,title=invalid::100%25%0Awrong\n"


def test_text_keeps_to_the_width_and_shows_the_part_of_a_long_line() -> None:
    line = "x" * 200 + "HERE" + "y" * 200
    problem = Problem("much is wrong " * 10, ("a",), Place("a.yaml", 1, 201), code=Code.NAME)
    said = written(Report((problem,), {"a.yaml": line}), Form.TEXT, 80)
    lines = said.splitlines()
    assert max(map(len, lines)) <= 80
    shown = next(each for each in lines if each.startswith("    1 | "))
    caret = next(each for each in lines if each.endswith("^"))
    assert shown[len(caret) - 1 :].startswith("HERE")


def each_of_the_corpus(shared: Path) -> Iterator[tuple[str, Problem]]:
    folder = shared / "corpus" / "templates"
    cases: list[dict[str, Any]] = [
        json.loads(line) for line in (shared / "corpus" / "verdicts.jsonl").read_text().splitlines()
    ]
    for path in sorted({each["path"] for each in cases})[::STRIDE]:
        for problem in report(str(folder / path)).problems:
            yield path, problem


def test_every_problem_of_the_corpus_has_a_code_a_path_and_a_place(shared: Path) -> None:
    found = list(each_of_the_corpus(shared))
    of_the_whole = {Code.MALFORMED, Code.TEMPLATE_VERSION}
    assert len({each.code for _, each in found}) > 10
    for path, each in found:
        assert each.code not in (Code.INVALID, Code.REQUEST), (path, each)
        assert each.at or each.code in of_the_whole, (path, each)
        assert each.place is not None, (path, each)
        assert each.place.line > 1 or each.code in of_the_whole, (path, each)


def test_properties_are_checked_in_branches_and_resources_that_are_not_there() -> None:
    write(
        "a.yaml",
        HEAD
        + "conditions: {never: false}\nresources:\n  a:\n    type: OS::Neutron::Net\n"
        + "    condition: never\n    properties: {nam: blue}\n"
        + "  b: {type: OS::Neutron::Nett, condition: never}\n"
        + "  c:\n    type: OS::Neutron::Net\n"
        + "    properties: {shared: {if: [never, maybe, true]}}\n",
    )
    found = report("a.yaml")
    assert told(found) == [
        ("a.yaml:7:18", "unknown-property"),
        ("a.yaml:8:7", "unknown-type"),
        ("a.yaml:11:39", "property-value"),
    ]
    assert found.count(Severity.WARNING) == 3


def test_what_is_wrong_in_a_branch_that_is_taken_is_not_told_of_the_branch_too() -> None:
    net = "resources: {a: {type: OS::Neutron::Net, properties: {shared: {if: [c, maybe, true]}}}}\n"
    write("a.yaml", HEAD + "conditions: {c: true}\n" + net)
    assert told(report("a.yaml")) == [("a.yaml:3:54", "property-value")]


@pytest.mark.parametrize(
    ("value", "takes"),
    [
        ("{get_param: names}", "shared"),
        ("{get_attr: [other, fixed_ips]}", "name"),
        ("{str_split: [',', {get_param: text}]}", "name"),
        ("{list_join: [',', [a, {get_param: text}]]}", "tags"),
        ("{map_merge: [{a: {get_param: text}}]}", "tags"),
    ],
)
def test_a_function_that_gives_another_type_is_told(value: str, takes: str) -> None:
    parameters = "parameters: {names: {type: comma_delimited_list}, text: {type: string}}\n"
    write(
        "a.yaml",
        HEAD
        + parameters
        + "resources:\n  other: {type: OS::Neutron::Port, properties: {network: x}}\n"
        + f"  net: {{type: OS::Neutron::Net, properties: {{{takes}: {value}}}}}\n",
    )
    found = report("a.yaml", disabled=[Code.UNUSED_PARAMETER]).problems
    assert [each.code for each in found] == [Code.FUNCTION_RESULT]


def test_the_examples_have_no_problems(root: Path) -> None:
    folder = root / "examples"
    given = {"environments": "environments/base.yaml", "providers": "providers/registry.yaml"}
    found = {
        path.name: told(report(str(path), environments=[str(folder / name) for name in names]))
        for path in folder.glob("*.yaml")
        for names in [[given[path.stem]] if path.stem in given else []]
    }
    assert len(found) > 7
    assert [name for name, problems in found.items() if problems] == []
