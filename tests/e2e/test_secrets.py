"""What is hidden is hidden: in every file of the installation, and in every answer.

Rule: the secrets are unlike anything else, so that a hit is a leak. What a server is given is the
cloud's own business; what the cloud is told in passwords, tokens and private keys is not.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from tests.e2e.secret import found_in
from tests.e2e.state import files
from tests.e2e.tenant import controls

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.app.serving import Serving
    from tests.e2e.rest import Rest, Stack
    from tests.e2e.tenant import Tenant

MASK = "******"
CHILD = """
heat_template_version: 2018-08-31
parameters: {plain: {type: string}}
resources:
  held: {type: OS::Heat::TestResource, properties: {value: {get_param: plain}}}
  word: {type: OS::Heat::RandomString, properties: {salt: {get_param: plain}}}
outputs: {word: {value: {get_attr: [word, value]}}}
"""
TEMPLATE = """
heat_template_version: 2018-08-31
parameters:
  text: {type: string, hidden: true}
  table: {type: json, hidden: true}
  list: {type: comma_delimited_list, hidden: true}
  default: {type: string, hidden: true, default: DEFAULT}
  from_env: {type: string, hidden: true}
  fail: {type: boolean, default: false}
resources:
  value: {type: OS::Heat::Value, properties: {value: {get_param: text}}}
  joined:
    type: OS::Heat::Value
    properties: {value: {str_replace: {template: a=X, params: {X: {get_param: text}}}}}
  tabled: {type: OS::Heat::Value, properties: {type: json, value: {get_param: table}}}
  test:
    type: OS::Heat::TestResource
    metadata: {kept: {get_param: text}}
    properties: {value: {list_join: [',', {get_param: list}]}, fail: {get_param: fail}}
  word: {type: OS::Heat::RandomString, properties: {length: 40}}
  key: {type: OS::Nova::KeyPair, properties: {name: STACK, save_private_key: true}}
  net: {type: OS::Neutron::Net, properties: {tags: [{get_param: fail}]}}
  child: {type: child.yaml, properties: {plain: {get_param: text}}}
  group:
    type: OS::Heat::ResourceGroup
    properties: {count: 2, resource_def: {type: child.yaml, properties: {plain: {get_param: from_env}}}}
  server:
    type: OS::Nova::Server
    depends_on: net
    properties:
      image: ubuntu-24.04
      flavor: m1.tiny
      networks: [{network: shared}]
      admin_pass: {get_param: default}
outputs:
  word: {value: {get_attr: [word, value]}}
  private_key: {value: {get_attr: [key, private_key]}}
  words: {value: {get_attr: [group, word]}}
"""  # noqa: E501 - a template


def secret(kind: str) -> str:
    return f'{kind}-sécret"of\\{uuid4().hex}'


class Secrets:
    """The secrets of one stack, and the body that holds them."""

    def __init__(self, name: str) -> None:
        self.name = name
        kinds = ("text", "table", "list", "env", "second")
        self.values = {kind: secret(kind) for kind in kinds}
        self.values["default"] = f"default-{uuid4().hex}"

    def body(self, **more: Any) -> dict[str, Any]:
        of = self.values
        text = TEMPLATE.replace("DEFAULT", of["default"]).replace("STACK", self.name)
        parameters = {"text": of["text"], "table": {"k": [of["table"]]}, "list": ["a", of["list"]]}
        return {
            "template": text,
            "files": {
                "child.yaml": CHILD,
                "env.yaml": json.dumps({"parameters": {"from_env": of["env"]}}),
            },
            "environment_files": ["env.yaml"],
            "parameters": {**parameters, **more},
        }


@pytest.fixture(scope="module")
def tenant(tenants: Callable[[str], Tenant]) -> Tenant:
    return tenants("secrets")


@pytest.fixture(scope="module")
def secrets() -> Secrets:
    return Secrets("hides")


@pytest.fixture(scope="module")
def stack(tenant: Tenant, secrets: Secrets) -> Stack:
    """Return a stack that holds secrets of every kind, after an update and a failed one."""
    made = tenant.rest.create(secrets.name, **secrets.body())
    made.wait("CREATE_COMPLETE")
    made.updated(**secrets.body(text=secrets.values["second"]))
    assert made.update(**secrets.body(fail=True)).status == 202
    made.wait("UPDATE_FAILED")
    return made


def generated(stack: Stack) -> list[str]:
    """Return what was made up for the stack and is shown in its outputs only."""
    outputs = stack.outputs()
    lines = [each for each in outputs["private_key"].splitlines() if "-----" not in each]
    words = [outputs["word"], *outputs["words"]]
    assert len(lines) > 3
    assert all(len(each) > 30 for each in words)
    return [*words, *(each for each in lines if len(each) > 20)]


def everything_said(rest: Rest, stack: Stack) -> dict[str, bytes]:
    """Return what the API says of a stack and its children, by path.

    Left out is what somebody asks for to have the value itself: attributes and metadata; and
    the template.
    """
    paths = ["/stacks?show_nested=true"]
    below = {
        link["href"].split("/stacks/")[1]
        for each in stack.resources(5)
        for link in each["links"]
        if link["rel"] in ("nested", "stack")
    }
    for path in (f"/stacks/{each}" for each in {stack.path.removeprefix("/stacks/"), *below}):
        paths += [f"{path}{tail}" for tail in ("", "/environment", "/events", "/outputs")]
        paths.append(f"{path}/resources")
        for each in rest.get(paths[-1])["resources"]:
            own = f"{path}/resources/{each['resource_name']}"
            events = rest.get(f"{own}/events")["events"]
            paths += [own, *(f"{own}/events/{e['id']}" for e in events)]
    return {path: json.dumps(_bare(rest.get(path))).encode() for path in paths}


def _bare(answer: Any) -> Any:
    if isinstance(answer, dict):
        return {k: _bare(v) for k, v in answer.items() if k != "attributes"}
    return [_bare(each) for each in answer] if isinstance(answer, list) else answer


def test_no_file_holds_a_secret_in_the_clear(
    served: Serving, stack: Stack, secrets: Secrets
) -> None:
    there = files(served.state)
    assert {"stoker.db", "stoker.db-wal", "stoker.log", "devcloud.db"} <= there.keys()
    assert found_in(there, [*secrets.values.values(), *generated(stack)]) == []


def test_no_answer_holds_a_hidden_parameter(tenant: Tenant, stack: Stack, secrets: Secrets) -> None:
    said = everything_said(tenant.rest, stack)
    hidden = [value for kind, value in secrets.values.items() if kind != "default"]
    assert MASK.encode() in said[stack.path]
    assert found_in(said, hidden) == []


def test_no_file_holds_a_token_a_trust_or_a_password(
    served: Serving, tenant: Tenant, stack: Stack
) -> None:
    there = files(served.state)
    assert found_in(there, [tenant.rest.token, "of a test"]) == []
    objects = controls(tenant.controls, "objects?kind=identity.trust")["objects"]
    trusts = [each["id"] for each in objects]
    assert trusts
    ours = {name: data for name, data in there.items() if not name.startswith("devcloud.db")}
    assert found_in(ours, trusts) == []


@pytest.mark.parametrize(
    "template",
    [
        "resources: {r: {type: OS::Heat::RandomString, properties: {length: {get_param: p}}}}",
        "resources: {r: {type: OS::Neutron::Port, properties: {network: {get_param: p}}}}",
        "resources: {r: {type: OS::Heat::None, depends_on: {get_param: p}}}",
        "resources: {r: {type: {get_param: p}}}",
        "outputs: {o: {value: {get_attr: [{get_param: p}, x]}}}",
        "outputs: {o: {value: {str_split: [{get_param: p}]}}}",
        "resources: {r: {type: child.yaml, properties: {n: {get_param: p}}}}",
        "resources: {r: {type: deep.yaml, properties: {plain: {get_param: p}}}}",
    ],
)
def test_a_refusal_does_not_tell_a_hidden_value(
    served: Serving, tenant: Tenant, template: str
) -> None:
    value = secret("refused")
    text = "heat_template_version: 2018-08-31\nparameters: {p: {type: string, hidden: true}}\n"
    number = text.replace("p:", "n:").replace("string, hidden: true", "number")
    deep = CHILD.replace("OS::Heat::RandomString", "OS::Neutron::Port").replace("salt", "network")
    files_of_it = {"child.yaml": number, "deep.yaml": deep}
    body = {"template": text + template, "parameters": {"p": value}, "files": files_of_it}
    for path, more in (("/stacks", {"stack_name": "refused"}), ("/validate", {})):
        answer = tenant.rest.call("POST", path, {**body, **more})
        assert answer.status == 400, answer
        assert found_in({"answer": answer.text.encode()}, [value]) == []
    assert found_in(files(served.state), [value]) == []


@pytest.mark.parametrize(
    "value", ["{get_resource: {get_param: p}}", "{list_join: [x, {get_param: p}]}",
              "{get_file: {get_param: p}}", "{digest: [{get_param: p}, x]}"],
)  # fmt: skip
def test_an_output_without_a_value_does_not_tell_a_hidden_one(
    tenant: Tenant, name: str, value: str
) -> None:
    text = "heat_template_version: 2018-08-31\nparameters: {p: {type: string, hidden: true}}\n"
    hidden = secret("output")
    stack = tenant.rest.create(
        name, f"{text}outputs: {{o: {{value: {value}}}}}", parameters={"p": hidden}
    )
    stack.wait("CREATE_COMPLETE")
    (output,) = stack.show()["outputs"]
    assert output["output_error"]
    assert found_in(everything_said(tenant.rest, stack), [hidden]) == []
    stack.deleted()


FAILING = {
    "a name that only the cloud knows to be wrong": """
  held: {type: OS::Heat::Value, properties: {value: {get_param: p}}}
  port: {type: OS::Neutron::Port, properties: {network: {get_attr: [held, value]}}}
""",
    "a value that only the property's type refuses": """
  held: {type: OS::Heat::Value, properties: {value: {get_param: p}}}
  port: {type: OS::Heat::RandomString, properties: {length: {get_attr: [held, value]}}}
""",
    "an error text that quotes the body": """
  net: {type: OS::Neutron::Net}
  held: {type: OS::Heat::Value, properties: {value: {get_param: p}}}
  subnet:
    type: OS::Neutron::Subnet
    properties: {network: {get_resource: net}, cidr: {get_attr: [held, value]}}
""",
    "an attribute that is not served": """
  net: {type: OS::Neutron::Net, properties: {value_specs: {no_such: {get_param: p}}}}
""",
    "a child that fails": """
  child: {type: child.yaml, properties: {plain: {get_param: p}}}
""",
}
FAILING_CHILD = """
heat_template_version: 2018-08-31
parameters: {plain: {type: string}}
resources:
  held: {type: OS::Heat::Value, properties: {value: {get_param: plain}}}
  port: {type: OS::Neutron::Port, properties: {network: {get_attr: [held, value]}}}
"""


@pytest.mark.parametrize("resources", FAILING.values(), ids=FAILING)
def test_a_failure_does_not_tell_a_hidden_value(
    served: Serving, tenant: Tenant, name: str, resources: str
) -> None:
    value = f"failing-{uuid4().hex}"
    text = "heat_template_version: 2018-08-31\nparameters: {p: {type: string, hidden: true}}\n"
    stack = tenant.rest.create(
        name,
        f"{text}resources:{resources}",
        files={"child.yaml": FAILING_CHILD},
        parameters={"p": value},
    )
    shown = stack.wait("CREATE_FAILED")
    assert re.search(r"failed: .*resources\.", shown["stack_status_reason"])
    said = everything_said(tenant.rest, stack)
    assert found_in(said, [value]) == []
    assert found_in(files(served.state), [value]) == []
    stack.deleted()
    assert found_in(files(served.state), [value]) == []


def test_a_deleted_stack_leaves_no_secret(tenant: Tenant, served: Serving) -> None:
    secrets = Secrets("hid")
    stack = tenant.rest.create(secrets.name, **secrets.body())
    stack.wait("CREATE_COMPLETE")
    made_up = generated(stack)
    stack.deleted()
    said = json.dumps(stack.show()) + json.dumps(stack.events(5))
    assert found_in({"what the API says": said.encode()}, secrets.values.values()) == []
    assert found_in(files(served.state), [*secrets.values.values(), *made_up]) == []
