"""A stack that is made through Heat's API, here by this very installation, in its one region."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.e2e.rest import Stack

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.e2e.rest import Rest
    from tests.e2e.tenant import Tenant

REGION = "RegionOne"
INNER = """
heat_template_version: 2018-08-31
parameters: {up: {type: boolean}}
resources:
  net: {type: OS::Neutron::Net, properties: {admin_state_up: {get_param: up}}}
  mine: {type: My::Note}
outputs:
  net: {value: {get_resource: net}}
"""
NOTE = "heat_template_version: 2018-08-31\nresources: {text: {type: OS::Heat::RandomString}}\n"
MAPPED: dict[str, Any] = {
    "environment": {"resource_registry": {"My::Note": "note.yaml"}},
    "files": {"note.yaml": NOTE},
}
AGAIN = """
heat_template_version: 2018-08-31
parameters: {text: {type: string}}
resources:
  again:
    type: OS::Heat::Stack
    properties:
      context: {region_name: RegionOne}
      template: {get_param: text}
      parameters: {text: {get_param: text}}
"""


def there(template: str, region: str = REGION, **parameters: Any) -> dict[str, Any]:
    context = {"region_name": region}
    given = {"context": context, "template": template, "parameters": parameters}
    return {
        "heat_template_version": "2018-08-31",
        "resources": {"far": {"type": "OS::Heat::Stack", "properties": given}},
        "outputs": {"net": {"value": {"get_attr": ["far", "outputs", "net"]}}},
    }


def test_it_is_a_stack_of_its_own_through_its_whole_life(
    tenants: Callable[[str], Tenant], name: str
) -> None:
    tenant = tenants(name[:60])
    before = tenant.objects()
    stack = tenant.rest.create(name, there(INNER, up=True), **MAPPED)
    stack.wait("CREATE_COMPLETE")
    id = next(e["physical_resource_id"] for e in stack.resources() if e["resource_name"] == "far")
    far = _found(tenant.rest, id)
    assert {each["resource_name"] for each in far.resources()} == {"net", "mine"}
    net = stack.show()["outputs"][0]["output_value"]
    assert tenant.conn.network.get_network(net).is_admin_state_up
    stack.updated(there(INNER, up=False), **MAPPED)
    assert not tenant.conn.network.get_network(net).is_admin_state_up
    stack.deleted()
    assert tenant.objects() == before


def test_a_region_that_there_is_not_is_told_at_once(rest: Rest, name: str) -> None:
    text = json.dumps(there(NOTE, "DARKHOLE"), indent=1)
    body = {"stack_name": name, "template": text}
    answer = rest.call("POST", "/stacks", body)
    assert answer.status == 400
    assert answer.message == (
        'Cannot establish connection to Heat endpoint at region "DARKHOLE" due to'
        ' "public endpoint for orchestration service in DARKHOLE region not found"'
    )
    [problem] = answer.json["problems"]
    assert problem["code"] == "stack-elsewhere"
    assert problem["path"] == "resources.far.properties.template"
    assert text.splitlines()[problem["line"] - 1][problem["column"] - 1 :].startswith('"template"')


def test_what_is_refused_there_is_refused_here_with_its_words(rest: Rest, name: str) -> None:
    wrong = INNER.replace("up: {type: boolean}", "up: {type: boolean, default: 7}")
    answer = rest.call("POST", "/stacks", {"stack_name": name, "template": there(wrong), **MAPPED})
    assert answer.status == 400
    assert answer.message.startswith(
        f'Failed validating stack template using Heat endpoint at region "{REGION}" due to "ERROR: '
    )
    assert "parameters.up.default" in answer.message


def test_one_that_makes_itself_again_and_again_is_checked_once(rest: Rest) -> None:
    body = {"template": AGAIN, "parameters": {"text": AGAIN}}
    assert rest.call("POST", "/validate", body).status == 200


def _found(rest: Rest, id: str) -> Stack:
    [entry] = [each for each in rest.get("/stacks")["stacks"] if each["id"] == id]
    return Stack(rest, entry["stack_name"], id)
