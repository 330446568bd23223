from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from stoker.errors import Invalid
from stoker.lang.template import read
from stoker.lang.unknown import UNKNOWN
from stoker.resources.heat.nesting import Literals
from stoker.sdk.resource import Child, ChildGone, ChildState, Done, Walked
from stoker.sdk.variants import recorded_as
from tests.resources.recorded import Inner, Recorded
from tests.resources.stepping import INDEX, kind_of, standing

NO_CLOUD: Any = None
GROUP = "OS::Heat::ResourceGroup"
MEMBER = {"type": "OS::Heat::Value", "properties": {"value": "v%index%"}}
MEMBERS = {"0": Inner("a"), "2": Inner("b")}


def child(given: Mapping[str, Any], **more: Any) -> Child:
    found = kind_of(GROUP).child(standing(GROUP, given, **more))
    assert found is not None
    return found


def members(given: Mapping[str, Any], **more: Any) -> list[str]:
    template = child(given, **more).template
    assert isinstance(template, Mapping)
    return list(template["resources"])


def test_a_group_is_a_stack_of_numbered_members() -> None:
    template = child({"count": 2, "resource_def": MEMBER}).template
    assert isinstance(template, Mapping)
    assert template["resources"] == {
        "0": {"type": "OS::Heat::Value", "properties": {"value": "v0"}},
        "1": {"type": "OS::Heat::Value", "properties": {"value": "v1"}},
    }
    read(template)


def test_the_index_is_replaced_in_values_alone_and_nulls_are_left_out() -> None:
    values = {"k%index%": ["a-%index%", {"b": "%index%%index%"}], "gone": None, "n": 5}
    given = {"resource_def": {"type": "T", "properties": values, "metadata": {"m": "%index%"}}}
    template = child(given).template
    assert isinstance(template, Mapping)
    assert template["resources"]["0"] == {
        "type": "T",
        "properties": {"k%index%": ["a-0", {"b": "00"}], "n": 5},
        "metadata": {"m": "%index%"},
    }


def test_another_text_can_stand_for_the_index() -> None:
    given = {"index_var": "#I#", "resource_def": {"type": "T", "properties": {"a": "#I#%index%"}}}
    template = child(given).template
    assert isinstance(template, Mapping)
    assert template["resources"]["0"]["properties"] == {"a": "0%index%"}


STORED = {"refs": {"0": "id-0", "1": "id-1", "2": "id-2"}, "removed": []}


@pytest.mark.parametrize(
    ("policies", "mode", "before", "expected"),
    [
        ([], "append", [], ["0", "1"]),
        ([{"resource_list": ["0"]}], "append", [], ["1", "2"]),
        ([{"resource_list": [0]}], "append", [], ["1", "2"]),
        ([{"resource_list": ["id-1"]}], "append", [], ["0", "2"]),
        ([{"resource_list": ["nobody", "77"]}], "append", [], ["0", "1"]),
        ([], "append", ["0"], ["1", "2"]),
        ([{"resource_list": ["2"]}], "append", ["0"], ["1", "3"]),
        ([{"resource_list": ["2"]}], "update", ["0"], ["0", "1"]),
        ([], "update", ["0"], ["0", "1"]),
    ],
)
def test_removed_names_are_skipped_from_then_on(
    policies: list[Any], mode: str, before: list[str], expected: list[str]
) -> None:
    given = {
        "count": 2,
        "resource_def": MEMBER,
        "removal_policies": policies,
        "removal_policies_mode": mode,
    }
    assert members(given, stored={**STORED, "removed": before}) == expected


def test_a_group_may_be_empty() -> None:
    assert members({"count": 0, "resource_def": MEMBER}) == []


def test_a_group_keeps_the_removed_names_and_the_references() -> None:
    given = {"resource_def": MEMBER, "removal_policies": [{"resource_list": ["id-0"]}]}
    state = ChildState("c", {"refs_map": {"1": "id-1"}})
    at = standing(GROUP, given, id="c", stored=STORED, child=state)
    assert kind_of(GROUP).update(at, NO_CLOUD) == Done(
        data={"removed": ["0"], "refs": {"1": "id-1"}}
    )


def test_a_group_whose_size_is_not_known_has_no_goal_yet() -> None:
    group = kind_of(GROUP)
    for given in (
        {"count": UNKNOWN, "resource_def": MEMBER},
        {"resource_def": UNKNOWN},
        {"resource_def": {"type": "T", "properties": UNKNOWN}},
        {"resource_def": MEMBER, "removal_policies": [{"resource_list": [UNKNOWN]}]},
    ):
        assert group.child(standing(GROUP, given)) is None


def test_a_property_of_the_members_that_is_not_known_is_left_open_in_their_template() -> None:
    half = {"count": 1, "resource_def": {"type": "T", "properties": {"a": UNKNOWN, "b": 1}}}
    child = kind_of(GROUP).child(standing(GROUP, half))
    assert child is not None
    assert isinstance(child.template, Mapping)
    member = child.template["resources"]["0"]
    assert member["properties"] == {"a": {"get_param": ["literals", "0"]}, "b": 1}
    assert child.parameters == {"literals": {"0": UNKNOWN}}


@pytest.mark.parametrize(
    ("name", "path", "expected"),
    [
        ("refs", (), ["a", "b"]),
        ("refs_map", (), {"0": "a", "2": "b"}),
        ("removed_rsrc_list", (), ["1"]),
        ("attributes", ("ip", 0), Walked({"0": "a.ip.0", "2": "b.ip.0"})),
        ("first_address", (), Walked(["a.first_address", "b.first_address"])),
        ("networks", ("net", 0), Walked(["a.networks.net.0", "b.networks.net.0"])),
        ("resource.2", (), Walked("b")),
        ("resource.2.ip", (), Walked("b.ip")),
        ("resource.2", ("ip", 0), Walked("b.ip.0")),
        ("resource.9.ip", (), Walked(None)),
    ],
)
def test_a_group_answers_for_its_members(name: str, path: tuple[Any, ...], expected: Any) -> None:
    view = Recorded(id="c", data={"removed": ["1"]}, members=MEMBERS)
    assert kind_of(GROUP).attribute(view, name, path) == expected


def test_plain_data_that_looks_like_a_call_stays_data() -> None:
    value: Any = {
        "a": {"get_param": "x"},
        "b": [{"get_file": "y"}],
        "c": {"get_param": "x", "d": 1},
    }
    literals = Literals()
    quoted = literals.quote(value)
    assert quoted["c"] == value["c"]
    assert quoted["a"] == {"get_param": ["literals", "0"]}
    assert literals.parameters() == {"literals": {"0": value["a"], "1": value["b"][0]}}
    read({"heat_template_version": "2021-04-16", **literals.declarations()})


CHAIN = "OS::Heat::ResourceChain"


def chained(given: Mapping[str, Any]) -> Child | None:
    return kind_of(CHAIN).child(standing(CHAIN, given))


def test_a_chain_is_a_stack_of_members_each_after_the_one_before() -> None:
    given = {"resources": ["A", "B", "A"], "resource_properties": {"p": {"get_param": "x"}}}
    found = chained(given)
    assert found is not None
    assert isinstance(found.template, Mapping)
    properties = {"p": {"get_param": ["literals", "0"]}}
    second = {"get_param": ["literals", "1"]}
    third = {"get_param": ["literals", "2"]}
    assert found.template["resources"] == {
        "0": {"type": "A", "properties": properties},
        "1": {"type": "B", "properties": {"p": second}, "depends_on": "0"},
        "2": {"type": "A", "properties": {"p": third}, "depends_on": "1"},
    }
    assert found.parameters == {"literals": {key: {"get_param": "x"} for key in "012"}}
    read(found.template)


def test_a_chain_may_be_made_all_at_once_and_without_properties() -> None:
    found = chained({"resources": ["A", "B"], "concurrent": True})
    assert found is not None
    assert isinstance(found.template, Mapping)
    assert found.template["resources"] == {"0": {"type": "A"}, "1": {"type": "B"}}


@pytest.mark.parametrize(
    "given",
    [
        {"resources": UNKNOWN},
        {"resources": ["A", UNKNOWN]},
        {"resources": ["A"], "concurrent": UNKNOWN},
        {"resources": ["A"], "resource_properties": UNKNOWN},
    ],
)
def test_a_chain_of_which_not_all_is_known_has_no_goal_yet(given: dict[str, Any]) -> None:
    assert chained(given) is None


@pytest.mark.parametrize(
    ("name", "path", "expected"),
    [
        ("refs", (), ["a", "b"]),
        ("attributes", (), None),
        ("attributes", ("ip", 0), Walked({"0": "a.ip.0", "2": "b.ip.0"})),
        ("first_address", (), Walked(["a.first_address", "b.first_address"])),
        ("resource.2", ("ip",), Walked("b.ip")),
    ],
)
def test_a_chain_answers_for_its_members(name: str, path: tuple[Any, ...], expected: Any) -> None:
    view = Recorded(id="c", members=MEMBERS)
    assert kind_of(CHAIN).attribute(view, name, path) == expected


def test_a_chain_asks_for_its_child_and_is_done_with_it() -> None:
    at, kind = standing(CHAIN, {"resources": ["A"]}), kind_of(CHAIN)
    assert kind.create(at, NO_CLOUD) == chained({"resources": ["A"]})
    assert kind.update(replace(at, child=ChildState("c", {})), NO_CLOUD) == Done()
    assert kind.delete(replace(at, id="c"), NO_CLOUD) == ChildGone()


STACK = "OS::Heat::Stack"


def test_a_stack_asks_for_its_child_and_is_done_with_it() -> None:
    given = {"template": "text", "parameters": {"a": [1]}, "timeout": 5}
    at = standing(STACK, given)
    kind = kind_of(STACK)
    assert kind.create(at, NO_CLOUD) == Child("text", {"a": [1]}, 5) == kind.child(at)
    assert kind.create(replace(at, child=ChildState("c", {})), NO_CLOUD) == Done()
    assert kind.delete(replace(at, id="c"), NO_CLOUD) == ChildGone()
    assert kind.delete(at, NO_CLOUD) == Done()
    assert kind.child(standing(STACK, {"template": UNKNOWN})) is None


def test_a_stack_shows_its_outputs() -> None:
    view = Recorded(name="n", id="c", outputs={"o": 1})
    kind = kind_of(STACK)
    assert kind.attribute(view, "outputs", ("o",)) == {"o": 1}
    assert kind.attribute(view, "stack_name", ()) == "n"
    assert kind.attribute(view, "show", ())["id"] == "c"


def test_a_stack_with_a_context_is_one_elsewhere() -> None:
    kind = kind_of(STACK)
    assert kind.fitting({"template": "t"}) is kind.fitting({"context": None}) is kind
    there = kind.fitting({"context": {"region_name": "x"}})
    assert (recorded_as(kind), recorded_as(there)) == (STACK, f"{STACK}#elsewhere")
    assert INDEX.get(f"{STACK}#elsewhere") is there
    assert INDEX.get(f"{STACK}#other") is INDEX.get("Gone#elsewhere") is None


PROVIDER = """
heat_template_version: 2018-08-31
description: A web server.
parameters:
  name: {type: string, constraints: [{length: {max: 5}}, {allowed_pattern: "[a-z]+"}]}
  size: {type: number, default: 3, constraints: [{range: {min: 1, max: 9}}]}
  tags: {type: comma_delimited_list, default: "a,b"}
  extra: {type: json, default: {}}
  flag: {type: boolean, default: false}
  password: {type: string, hidden: true, default: x, immutable: true}
  flavor: {type: string, default: m1, constraints: [{custom_constraint: nova.flavor}]}
  color: {type: string, default: red, constraints: [{allowed_values: [red, blue]}]}
  even: {type: number, default: 2, constraints: [{modulo: {step: 2, offset: 0}}]}
outputs:
  ip: {value: x, description: Its address.}
"""


def provided(given: Mapping[str, Any]) -> Mapping[str, Any]:
    kind = INDEX.from_template("My::Web", PROVIDER)
    at = replace(standing(STACK, {"template": ""}), props=kind.Props.parse(given))
    found = kind.child(at)
    assert found is not None
    assert found.template == PROVIDER
    return found.parameters


def test_only_what_was_given_goes_down_to_a_provider_template() -> None:
    assert provided({"name": "web"}) == {"name": "web"}
    assert provided({}) == {}, "what is missing is told by the child, which knows the defaults"


def test_values_go_down_as_their_parameters_types() -> None:
    given = {"name": "a", "size": "4", "tags": "x,y", "extra": '{"k": [1]}', "flag": "true"}
    assert provided(given) == {
        "name": "a",
        "size": 4,
        "tags": ["x", "y"],
        "extra": {"k": [1]},
        "flag": True,
    }
    assert provided({"tags": [{"a": 1, "b": 2}, None, "z"]})["tags"] == [
        ".member.0.a=1",
        ".member.0.b=2",
        "",
        "z",
    ]
    assert provided({"tags": []})["tags"] == []


def test_a_provider_types_schema_is_made_of_its_template() -> None:
    kind = INDEX.from_template("My::Web", PROVIDER)
    schema = kind.Props.schema()
    assert schema["name"]["required"]
    assert not schema["size"]["required"]
    assert schema["size"]["default"] == 3
    assert schema["name"]["constraints"] == [
        {"length": {"max": 5}},
        {"allowed_pattern": "[a-z]+"},
    ]
    assert schema["flavor"]["constraints"] == [{"custom_constraint": "nova.flavor"}]
    assert kind.Props.secrets() == {"password"}
    assert schema["password"]["immutable"]
    assert kind.doc == "A web server."
    assert kind.attributes["ip"].doc == "Its address."
    assert "resource.web.ip" in kind.attributes
    assert "pi" not in kind.attributes
    for wrong in ({"name": "toolong"}, {"size": 10}, {"color": "green"}, {"even": 3}, {"no": 1}):
        assert kind.Props.check(wrong)


def test_a_provider_types_values_are_those_of_its_child() -> None:
    kind = INDEX.from_template("My::Web", PROVIDER)
    arn = "arn:openstack:heat::p:stacks/n/c"
    view = Recorded(id="c", outputs={"ip": "10.0.0.1"}, members={"web": Inner("w")}, child_arn=arn)
    assert kind.attribute(view, "ip", ()) == "10.0.0.1"
    assert kind.attribute(view, "resource.web", ("name",)) == Walked("w.name")
    assert kind.reference(view) == arn
    assert kind.reference(replace(view, id=None, child_arn=None)) == "name", "there is none yet"
    assert kind.reference(replace(view, outputs={"OS::stack_id": "r"})) == "r"


def test_a_template_is_read_once_and_a_wrong_one_refused() -> None:
    assert INDEX.from_template("My::Web", PROVIDER) is INDEX.from_template("My::Web", PROVIDER)
    assert INDEX.from_template("My::Two", PROVIDER) is not INDEX.from_template("My::Web", PROVIDER)
    with pytest.raises(Invalid):
        INDEX.from_template("My::Bad", "heat_template_version: 1066-10-14")
