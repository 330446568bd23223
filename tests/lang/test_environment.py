from __future__ import annotations

from typing import Any

import pytest

from stoker.errors import Invalid, Kind
from stoker.lang.environment import NONE_TYPE, Environment, is_template, merge, read_environment
from tests.lang.writing import only_problem, problems_of, summary


def with_registry(**sections: Any) -> Environment:
    return read_environment({"resource_registry": sections.get("user", sections)})


def test_all_sections_are_read_and_shown_again() -> None:
    raw = {
        "parameters": {"a": 1},
        "parameter_defaults": {"b": 2},
        "resource_registry": {"A": "B", "resources": {"r": {"A": "x.yaml"}}},
        "event_sinks": [{"type": "zaqar-queue", "target": "q", "ttl": 60}],
        "encrypted_param_names": ["a"],
    }
    environment = read_environment(raw)
    assert environment.as_dict() == raw
    assert read_environment(environment.as_dict()) == environment


def test_an_empty_environment_shows_its_sections() -> None:
    assert Environment().as_dict() == {
        "parameters": {},
        "parameter_defaults": {},
        "resource_registry": {"resources": {}},
        "event_sinks": [],
        "encrypted_param_names": [],
    }


@pytest.mark.parametrize(
    "text", ["", "{}", "parameters:\nresource_registry:\nevent_sinks:\nparameter_defaults:\n"]
)
def test_an_empty_section_counts_as_absent(text: str) -> None:
    assert read_environment(text) == Environment()


WRONG = """\
parametrs: {a: 1}
parameters: [a]
event_sinks: {a: b}
resource_registry:
  A: 5
  B: {c: d}
  resources:
    r: {hooks: pre-bake, restricted_actions: [update, sleep], T: 5}
    s: x
    t: {u: {hooks: {}}}
"""


def test_every_problem_is_told_at_once_each_with_its_place() -> None:
    found = problems_of(read_environment, WRONG)
    assert all(each.kind is Kind.ENVIRONMENT for each in found)
    assert {summary(each)[1:] for each in found} == {
        ("parametrs", "1:1"),
        ("parameters", "2:1"),
        ("event_sinks", "3:1"),
        ("resource_registry.A", "5:3"),
        ("resource_registry.B", "6:3"),
        ("resource_registry.resources.r.hooks", "8:9"),
        ("resource_registry.resources.r.restricted_actions", "8:26"),
        ("resource_registry.resources.r.T", "8:63"),
        ("resource_registry.resources.s", "9:5"),
        ("resource_registry.resources.t.u.hooks", "10:13"),
    }


def test_an_environment_that_is_no_map_is_told() -> None:
    assert summary(only_problem(read_environment, "- a")) == (Kind.ENVIRONMENT, "", "1:1")


def test_is_template() -> None:
    assert is_template("file:///a/b.yaml")
    assert is_template("x.template")
    assert not is_template("OS::Nova::Server")


REGISTRY = {
    "OS::Quantum*": "OS::Neutron*",
    "OS::Quantum::Special*": "special.yaml",
    "OS::Quantum::Port": "port.yaml",
    "OS::Neutron::Net": "My::Net",
    "My::Net": "net.yaml",
    "Loop::A": "Loop::B",
    "Loop::B": "Loop::A",
    "Self": "Self",
    "Gone": None,
    "Gone*": "gone.yaml",
    "Off::*": "OS::Heat::None",
    "resources": {
        "mine": {"Any": "mine.yaml", "Star*": "star.yaml", "hooks": "pre-create"},
        "web*": {"Any": "web.yaml"},
        "web_1": {"Any": "first.yaml", "OS::Quantum::Port": None},
    },
}


@pytest.mark.parametrize(
    ("type_name", "resource", "target"),
    [
        ("OS::Nova::Server", "r", None),
        ("OS::Quantum::Subnet", "r", "OS::Neutron::Subnet"),
        ("OS::Quantum::SpecialPort", "r", "special.yaml"),
        ("OS::Quantum::Port", "r", "port.yaml"),
        ("OS::Quantum::Net", "r", "net.yaml"),
        ("OS::Neutron::Net", "r", "net.yaml"),
        ("Loop::A", "r", "Loop::A"),
        ("Self", "r", "Self"),
        ("Gone", "r", "gone.yaml"),
        ("Gone::Too", "r", "gone.yaml"),
        ("Off::Anything", "r", NONE_TYPE),
        ("Any", "r", None),
        ("Any", "mine", "mine.yaml"),
        ("StarTrek", "mine", "star.yaml"),
        ("Any", "web_2", "web.yaml"),
        ("Any", "web_1", "first.yaml"),
        ("OS::Quantum::Port", "web_1", "port.yaml"),
        ("resources", "r", None),
    ],
)
def test_resolve(type_name: str, resource: str, target: Any) -> None:
    assert with_registry(user=REGISTRY).resolve(type_name, resource) == target


def test_the_users_registry_counts_before_the_operators() -> None:
    shared = {"A": "shared.yaml", "B": "shared.yaml", "C": "shared.yaml"}
    user = {"A": "user.yaml", "C": None}
    environment = Environment(registry=user, shared=shared)
    found = {name: environment.resolve(name, "r") for name in "ABC"}
    assert found == {"A": "user.yaml", "B": "shared.yaml", "C": "shared.yaml"}
    assert environment.candidates("A", "r") == ("user.yaml", "shared.yaml")
    assert "shared.yaml" not in str(environment.as_dict())


def test_hooks_and_restrictions_go_by_patterns() -> None:
    environment = read_environment(
        {
            "resource_registry": {
                "resources": {
                    "web*": {"hooks": ["pre-create", "post-update"]},
                    "web_1": {"hooks": "pre-delete", "restricted_actions": "replace"},
                }
            }
        }
    )
    assert environment.hooks("web_1") == {"pre-create", "post-update", "pre-delete"}
    assert environment.hooks("Web_1") == frozenset()
    assert environment.restricted_actions("web_1") == {"replace"}
    assert environment.restricted_actions("web_2") == frozenset()


def test_a_child_gets_what_is_meant_for_it() -> None:
    environment = read_environment(
        {
            "parameters": {"a": 1},
            "parameter_defaults": {"b": 2},
            "encrypted_param_names": ["a"],
            "event_sinks": [{"type": "zaqar-queue", "target": "q"}],
            "resource_registry": {
                "T": "t.yaml",
                "U": "u.yaml",
                "base_url": "http://x",
                "resources": {
                    "outer": {
                        "T": "other.yaml",
                        "hooks": "pre-create",
                        "inner": {"U": "inner.yaml", "hooks": "pre-update"},
                    },
                    "out*": {"deep": {"U": "deep.yaml"}},
                    "else": {"inner": {"U": "no.yaml"}},
                },
            },
        }
    )
    child = environment.for_child("outer", "T")
    assert child.parameters == {}
    assert child.parameter_defaults == {"b": 2}
    assert child.encrypted_param_names == ()
    assert child.event_sinks == environment.event_sinks
    assert child.resolve("T", "x") is None
    assert child.resolve("U", "x") == "u.yaml"
    assert child.resolve("U", "inner") == "inner.yaml"
    assert child.resolve("U", "deep") == "deep.yaml"
    assert child.hooks("inner") == {"pre-update"}
    assert child.hooks("outer") == frozenset()


def test_a_child_may_use_the_type_that_the_operator_mapped_to_it() -> None:
    environment = Environment(shared={"T": "t.yaml", "U": "u.yaml"})
    child = environment.for_child("r", "T")
    assert (child.resolve("T", "x"), child.resolve("U", "x")) == (None, "u.yaml")


def test_an_update_overlays_what_there_is() -> None:
    sink = {"type": "zaqar-queue", "target": "q"}
    old = read_environment(
        {
            "parameters": {"a": 1, "b": 1},
            "parameter_defaults": {"c": 1},
            "resource_registry": {"T": "t.yaml", "resources": {"r": {"T": "x.yaml", "U": "u"}}},
            "event_sinks": [sink],
        }
    )
    new = read_environment(
        {
            "parameters": {"b": 2},
            "resource_registry": {"T": "u.yaml", "resources": {"r": {"T": "y.yaml"}, "s": {}}},
            "event_sinks": [sink],
        }
    )
    both = old.overlaid(new)
    assert both.parameters == {"a": 1, "b": 2}
    assert both.parameter_defaults == {"c": 1}
    assert both.registry == {
        "T": "u.yaml",
        "resources": {"r": {"T": "y.yaml", "U": "u"}, "s": {}},
    }
    assert both.event_sinks == (sink, sink)
    assert both.without_parameters(frozenset("a")).parameters == {"b": 2}


def test_what_means_nothing_any_more_keeps_what_it_stood_for() -> None:
    former = {
        "My::Old": "old.yaml",
        "My::Both": "old.yaml",
        "Star::A*": "old.yaml",
        "OS::N*": "old.yaml",
        "OS::Heat::Value": "old.yaml",
        "The::Operators": "old.yaml",
        "Off": None,
        "base_url": "http://old",
        "resources": {"r": {"My::New": "old.yaml", "hooks": "pre-create"}},
    }
    new = {"My::Both": "new.yaml", "Star::*": "new.yaml"}
    environment = Environment(registry=new, shared={"The::*": "the.yaml"})
    types = ["OS::Heat::Value", "OS::Nova::Server"]
    known = environment.knowing(Environment(registry=former), types)
    assert known.registry == {**new, "My::Old": "old.yaml"}


def test_a_null_on_top_takes_out_what_is_below_it_and_not_what_comes_with_it() -> None:
    below = {"resource_registry": {"A1": "T", "A2": "T", "resources": {"r": {"B1": "T"}}}}
    above = {"A*": None, "A1": "U", "resources": {"r": {"B*": None, "B1": "U"}}}
    both = read_environment(below).overlaid(read_environment({"resource_registry": above}))
    assert both.as_dict()["resource_registry"] == {"A1": "U", "resources": {"r": {"B1": "U"}}}


def merged(*files: dict[str, Any], types: Any = None) -> Environment:
    return merge([read_environment(each) for each in files], types)


def test_a_null_chooses_no_way_to_merge() -> None:
    number = {"parameters": {"n": 1}}
    null = {"parameters": {"n": None}, "parameter_merge_strategies": {"n": "merge"}}
    assert merged(number, null).parameters == {"n": 1}
    assert merged(null, number, {"parameters": {"n": 2}}).parameters == {"n": 2}
    again = {"parameters": {"n": 2}, "parameter_merge_strategies": {"n": "merge"}}
    with pytest.raises(Invalid, match="choose one for all"):
        merged(number, again)
    assert merged(number, again, types={"m": "number"}).parameters == {"n": 1}


def test_json_that_is_merged_in_as_text_is_read_as_in_heat() -> None:
    types = {"j": "json", "s": "string"}
    strategies = {"parameter_merge_strategies": {"default": "merge"}}

    def both(text: str, first: dict[str, Any]) -> Any:
        files = ({"parameters": first, **strategies}, {"parameters": {"j": text}, **strategies})
        return merged(*files, types=types).parameters["j"]

    assert both('{"a": 1}', {"s": "x"}) == {"a": 1}
    assert both('{"a": 1}', {}) == '{"a": 1}'
    assert both("", {"s": "x"}) == ""
    with pytest.raises(Invalid, match="cannot be merged by merge"):
        both("{", {"s": "x"})


def test_a_later_file_wins_also_with_falsy_values() -> None:
    one = {"parameters": {"n": 3, "s": "x", "b": True}, "resource_registry": {"T": "a", "U": "b"}}
    other = {
        "parameters": {"n": 0, "s": "", "b": False},
        "parameter_defaults": {"d": 1},
        "resource_registry": {"T": "c", "U": None},
    }
    both = merged(one, other)
    assert both.parameters == {"n": 0, "s": "", "b": False}
    assert both.parameter_defaults == {"d": 1}
    assert both.registry == {"T": "c", "U": "b"}


def test_null_never_counts() -> None:
    assert merged({"parameters": {"a": 1}}, {"parameters": {"a": None}}).parameters == {"a": 1}


@pytest.mark.parametrize(
    ("kind", "strategy", "old", "new", "made"),
    [
        ("json", "merge", {"a": {"x": 1}}, {"a": {"y": 1}}, {"a": {"y": 1}}),
        ("json", "merge", '{"a": 1}', {"b": 2}, {"a": 1, "b": 2}),
        (
            "json",
            "deep_merge",
            {"a": {"x": [1], "s": "a"}, "b": 1},
            {"a": {"x": [2], "s": "b"}, "b": 2},
            {"a": {"x": [1, 2], "s": "ab"}, "b": 2},
        ),
        ("comma_delimited_list", "merge", ["a"], ["b"], ["a", "b"]),
        ("json", "deep_merge", {"a": "x", "b": 1}, {"a": {}, "b": None}, {"a": "x", "b": 1}),
        ("json", "deep_merge", {"a": {"b": 1}}, {"a": {"k": None}}, {"a": {"b": 1}}),
        ("json", "deep_merge", {"a": {}}, {"a": {"k": None}}, {"a": {"k": None}}),
        ("json", "deep_merge", {"a": 1}, {"k": None}, {"a": 1}),
        ("json", "merge", {"a": 1}, {"k": None}, {"a": 1}),
        ("json", "merge", {}, {"k": None}, {"k": None}),
        ("json", "merge", "{}", {"k": None}, {}),
        ("json", "merge", {}, "", ""),
        ("json", "merge", "", {"a": 1}, {"a": 1}),
        ("json", "deep_merge", {"a": ""}, {"a": {}}, {"a": {}}),
        ("comma_delimited_list", "merge", "a,b", "c", "a,b,c"),
        ("comma_delimited_list", "merge", "", ["c"], ["c"]),
        ("comma_delimited_list", "merge", "a", "", "a,"),
        ("comma_delimited_list", "merge", "a", [], "a"),
        ("string", "merge", "a", "b", "ab"),
        ("number", "merge", 1, "2", 3),
        ("number", "merge", 1, "2.5", 3.5),
        ("string", "overwrite", "a", "b", "b"),
    ],
)
def test_merge_strategies(kind: str, strategy: str, old: Any, new: Any, made: Any) -> None:
    strategies = {"parameter_merge_strategies": {"p": strategy}}
    for section in ("parameters", "parameter_defaults"):
        both = merged(
            {section: {"p": old}, **strategies},
            {section: {"p": new}, **strategies},
            types={"p": kind},
        )
        assert getattr(both, section) == {"p": made}


@pytest.mark.parametrize(
    ("old", "new", "made"),
    [({"a": 1}, {"b": 2}, {"a": 1, "b": 2}), ([1], [2], [1, 2]), ("a", "b", "ab"), (1, 2, 3)],
)
def test_without_types_a_value_goes_by_its_looks(old: Any, new: Any, made: Any) -> None:
    strategies = {"parameter_merge_strategies": {"default": "merge"}}
    both = merged(
        {"parameters": {"p": old}, **strategies}, {"parameters": {"p": new}, **strategies}
    )
    assert both.parameters == {"p": made}


@pytest.mark.parametrize("later", [{}, {"default": "overwrite"}, {"other": "overwrite"}])
def test_a_file_that_does_not_name_a_parameter_goes_along(later: dict[str, str]) -> None:
    first = {"parameters": {"p": "a"}, "parameter_merge_strategies": {"p": "merge"}}
    second = {"parameters": {"p": "b"}, "parameter_merge_strategies": later}
    merged = merge([read_environment(first), read_environment(second)], {"p": "string"})
    assert merged.parameters == {"p": "ab"}


@pytest.mark.parametrize(
    ("registry", "target"),
    [
        ({"A*": "all.yaml", "A::B": None}, "all.yaml"),
        ({"A::B": "one.yaml", "A*": None}, None),
        ({"A*": None, "A::B": "one.yaml"}, "one.yaml"),
        ({"A::B": "one.yaml", "resources": {"r": {"A::B": None}}}, "one.yaml"),
    ],
)
def test_a_null_takes_out_what_stands_before_it_in_its_section(
    registry: dict[str, Any], target: str | None
) -> None:
    environment = read_environment({"resource_registry": registry})
    assert environment.resolve("A::B", "r") == target
    assert None not in environment.as_dict()["resource_registry"].values()


def test_the_first_file_fixes_the_strategy() -> None:
    one = {"parameters": {"p": "a"}}
    other = {"parameters": {"p": "b"}, "parameter_merge_strategies": {"p": "merge"}}
    problem = only_problem(merged, one, other)
    assert problem.kind is Kind.ENVIRONMENT
    assert "choose one for all" in problem.text


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [("boolean", True, False), ("json", [1], {"a": 1}), ("number", "x", 1), ("json", "{", "{}")],
)
def test_what_cannot_be_merged_is_told(kind: str, old: Any, new: Any) -> None:
    strategies = {"parameter_merge_strategies": {"p": "merge"}}
    problem = only_problem(
        merged,
        {"parameters": {"p": old}, **strategies},
        {"parameters": {"p": new}, **strategies},
        types={"p": kind},
    )
    assert "cannot be merged by merge" in problem.text


def test_an_unknown_strategy_is_told() -> None:
    strategies = {"parameter_merge_strategies": {"p": "mix"}}
    assert "is no strategy" in only_problem(merged, strategies).text


def test_names_that_no_template_declares_come_in_only_first() -> None:
    one = {"parameters": {"known": 1, "first": 1}}
    other = {"parameters": {"known": 2, "late": 2}}
    assert merged(one, other, types={"known": "number"}).parameters == {"known": 2, "first": 1}
