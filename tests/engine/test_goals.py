"""What is said of a goal that is not well formed, children included."""

from __future__ import annotations

import pytest

from stoker.engine.goals import Documents, Preparation
from stoker.engine.settings import Settings
from stoker.errors import Invalid, Kind, path_text
from stoker.lang.environment import Environment
from stoker.resources.index import Index
from stoker.sdk.resource import StackInfo

HOT = "heat_template_version: 2018-08-31\n"
CHILD = HOT + "parameters: {name: {type: string}}\n"
GIVEN = "{template: {get_file: child.yaml}, parameters: {name: a, other: b}}"


def refused(template: str, child: str) -> list[tuple[Kind, str]]:
    """Prepare a template with its child; return the problems' kinds and texts."""
    documents = Documents(HOT + template, Environment(), files={"child.yaml": child})
    with pytest.raises(Invalid) as told:
        Preparation(Index(), Settings()).prepare(documents, StackInfo("id", "s", "p"))
    return [(each.kind, str(each)) for each in told.value.problems]


@pytest.mark.parametrize(
    ("template", "said"),
    [
        (
            "resources: {r: {type: child.yaml}}",
            "resources.r.parameters.name: The Parameter (name) was not provided.",
        ),
        (
            f"resources: {{r: {{type: OS::Heat::Stack, properties: {GIVEN}}}}}",
            "resources.r.parameters.other: The Parameter (other) was not defined in template.",
        ),
    ],
)
def test_what_a_child_is_given_is_the_template_s_fault_not_the_user_s(
    template: str, said: str
) -> None:
    ((kind, text),) = refused(template, CHILD)
    assert kind is Kind.PROPERTY
    assert text.startswith(said)


def test_what_the_user_forgets_is_said_to_be_a_parameter() -> None:
    ((kind, _text),) = refused("parameters: {p: {type: string}}", CHILD)
    assert kind is Kind.PARAMETER_MISSING


def test_what_a_nested_template_looks_up_has_the_whole_way_to_it() -> None:
    inner = "resources: {k: {type: OS::Nova::Server, properties: {image: i, flavor: f}}}"
    documents = Documents(
        HOT + "resources: {g: {type: OS::Heat::ResourceGroup, properties: "
        "{count: 2, resource_def: {type: child.yaml, properties: {name: ubuntu}}}}}",
        Environment(),
        files={"child.yaml": CHILD + inner},
    )
    prepared = Preparation(Index(), Settings()).prepare(documents, StackInfo("id", "s", "p"))
    way = ("resources", "g", "resources", "0", "resources", "k", "properties")
    assert [(each.value, each.at, str(each.place)) for each in prepared.lookups] == [
        ("i", (*way, "image"), "child.yaml:3:54"),
        ("f", (*way, "flavor"), "child.yaml:3:64"),
    ]


LOOKED_UP = """heat_template_version: 2021-04-16
parameters:
  net: {type: string, constraints: [{custom_constraint: neutron.network}]}
resources:
  rows:
    type: OS::Heat::ResourceGroup
    properties:
      resource_def:
        type: OS::Heat::ResourceGroup
        properties:
          resource_def:
            type: OS::Neutron::Port
            properties:
              network: n
  own:
    type: OS::Neutron::Port
    properties:
      network: m
"""


def test_what_is_looked_up_has_the_place_of_what_was_written() -> None:
    documents = Documents(LOOKED_UP, Environment(), {"net": "p"})
    prepared = Preparation(Index(), Settings()).prepare(documents, StackInfo("id", "s", "p"))
    assert [(each.value, str(each.place)) for each in prepared.lookups] == [
        ("p", "template:3:3"),
        ("m", "template:18:7"),
        ("n", "template:14:15"),
    ]


def test_a_description_follows_the_children_down_where_their_properties_do_not_fit() -> None:
    outer = "resources: {r: {type: child.yaml}}"
    child = CHILD + "resources: {i: {type: inner.yaml, properties: {unknown: 1}}}"
    inner = CHILD + "resources: {}"
    files = {"child.yaml": child, "inner.yaml": inner}
    documents = Documents(HOT + outer, Environment(), files=files)
    stack = StackInfo("id", "s", "p")
    whole = Preparation(Index(), Settings())
    with pytest.raises(Invalid):
        whole.prepare(documents, stack, strict=False)
    describing = whole.describing()
    prepared = describing.prepare(documents, stack, strict=False)
    ((want, below),) = describing.children(prepared, stack, 0)
    assert want.definition.type == "child.yaml"
    ((want, below),) = describing.children(below, stack, 1)
    assert (want.definition.type, list(below.template.parameters)) == ("inner.yaml", ["name"])


def test_a_description_is_refused_where_the_outer_template_is_wrong() -> None:
    documents = Documents(
        HOT + "resources: {r: {type: child.yaml, properties: {unknown: 1}}}",
        Environment(),
        files={"child.yaml": CHILD},
    )
    with pytest.raises(Invalid):
        Preparation(Index(), Settings()).describing().prepare(
            documents, StackInfo("id", "s", "p"), strict=False
        )


def test_what_is_wrong_in_a_child_is_told_beside_what_is_wrong_in_its_parent() -> None:
    parent = f"resources: {{r: {{type: OS::Heat::Stack, properties: {GIVEN}}}, s: {{type: Gone}}}}"
    child = (
        HOT
        + "parameters: {name: {type: string}, other: {type: string}}\n"
        + "resources: {i: {type: Lost}}\n"
    )
    documents = Documents(HOT + parent, Environment(), files={"child.yaml": child})
    _, found = Preparation(Index(), Settings()).assess(documents, StackInfo("id", "s", "p"))
    assert [(path_text(each.at), str(each.place)) for each in found] == [
        ("resources.s.type", "template:2:126"),
        ("resources.r.resources.i.type", "child.yaml:3:17"),
    ]


GROUP = """heat_template_version: 2021-04-16
resources:
  g:
    type: OS::Heat::ResourceGroup
    properties:
      count: 2
      resource_def:
        type: OS::Neutron::Net
        properties:
          nam: x
  h:
    type: OS::Heat::ResourceGroup
    properties:
      resource_def:
        type: OS::Heat::ResourceGroup
        properties: {resource_def: {type: Gone}}
  c:
    type: OS::Heat::ResourceChain
    properties:
      resources: [OS::Neutron::Net, OS::Neutron::Lost]
      resource_properties:
        nam: x
"""


def test_what_is_wrong_with_members_is_told_where_they_are_described() -> None:
    documents = Documents(GROUP, Environment())
    _, found = Preparation(Index(), Settings()).assess(documents, StackInfo("id", "s", "p"))
    assert [(path_text(each.at), str(each.place)) for each in found] == [
        ("resources.g.resources.0.properties.nam", "template:10:11"),
        ("resources.g.resources.1.properties.nam", "template:10:11"),
        ("resources.h.resources.0.resources.0.type", "template:16:37"),
        ("resources.c.resources.1.type", "template:20:37"),
        ("resources.c.resources.0.properties.nam", "template:22:9"),
    ]


DEEP = """heat_template_version: 2021-04-16
resources:
  rows:
    type: OS::Heat::ResourceGroup
    properties:
      resource_def:
        type: OS::Heat::ResourceChain
        properties:
          resources: [OS::Heat::ResourceGroup]
          resource_properties:
            count: 2
            resource_def:
              type: OS::Neutron::Net
              properties:
                name: "%index%"
                nam: x
                shared: {list_join: [",", [a]]}
  told:
    type: OS::Heat::ResourceGroup
    properties:
      resource_def:
        type: OS::Heat::SoftwareDeploymentGroup
        properties:
          servers:
            a: s
            b: [s]
          config: c
  nested:
    type: OS::Heat::ResourceGroup
    properties:
      resource_def:
        type: OS::Heat::ResourceGroup
        properties:
          resource_def:
            type: child.yaml
            properties: {other: 1}
"""


def test_groups_in_groups_are_told_of_where_the_innermost_is_described() -> None:
    documents = Documents(DEEP, Environment(), files={"child.yaml": CHILD})
    _, found = Preparation(Index(), Settings()).assess(documents, StackInfo("id", "s", "p"))
    deep = "resources.rows.resources.0.resources.0.resources"
    assert [(path_text(each.at), str(each.place)) for each in found] == [
        (f"{deep}.0.properties.nam", "template:16:17"),
        (f"{deep}.0.properties.shared", "template:17:17"),
        (f"{deep}.1.properties.nam", "template:16:17"),
        (f"{deep}.1.properties.shared", "template:17:17"),
        ("resources.told.resources.0.resources.b.properties.server", "template:26:13"),
        ("resources.nested.resources.0.resources.0.properties.other", "template:36:26"),
    ]


FAR = "https://there.example/far/top.yaml"
FETCHED = """heat_template_version: 2021-04-16
resources:
  one: {type: child.yaml}
  many:
    type: OS::Heat::ResourceGroup
    properties: {resource_def: {type: ../other.yaml}}
  mapped: {type: My::Type}
outputs:
  text: {value: {get_file: files/x.txt}}
  far: {value: {get_file: "https://there.example/y.txt"}}
"""


def hints(documents: Documents) -> list[tuple[str, str, str]]:
    _, found = Preparation(Index(), Settings()).assess(documents, StackInfo("id", "s", "p"))
    return [(each.code, each.text, each.hint) for each in found]


def test_names_in_a_template_that_was_fetched_are_said_to_be_names_in_the_request() -> None:
    registry = {"My::Type": "mapped.yaml"}
    documents = Documents(FETCHED, Environment(registry=registry), file=FAR)
    found = {text: hint for code, text, hint in hints(documents) if code == "missing-file"}
    assert list(found.values()) == [
        (
            "the template was fetched alone from https://there.example/far/top.yaml: send"
            " https://there.example/far/files/x.txt along as the file files/x.txt, or have a client"
            " fetch both"
        ),
        "",
        (
            "the template was fetched alone from https://there.example/far/top.yaml: send"
            " https://there.example/far/child.yaml along as the file child.yaml, or have a client"
            " fetch both, or write https://there.example/far/child.yaml for the type"
        ),
        "",
        (
            "the template was fetched alone from https://there.example/far/top.yaml: send"
            " https://there.example/other.yaml along as the file ../other.yaml, or have a client"
            " fetch both, or write https://there.example/other.yaml for the type"
        ),
    ]


def test_so_are_those_in_a_type_that_was_fetched() -> None:
    far = HOT + "resources: {i: {type: inner.yaml}}"
    top = HOT + "resources: {r: {type: 'https://there.example/a.yaml'}}"
    files = {"https://there.example/a.yaml": far}
    ((_, _, hint),) = hints(Documents(top, Environment(), files=files))
    assert hint.endswith("or write https://there.example/inner.yaml for the type")
    assert hints(Documents(top, Environment(), files={**files, "inner.yaml": HOT})) == []


def test_names_in_a_template_that_came_with_the_request_need_no_such_word() -> None:
    assert [hint for _, _, hint in hints(Documents(FETCHED, Environment()))] == [""] * 5
