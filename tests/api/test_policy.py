from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from oslo_config import cfg

from stoker.api.policy import BASE, LOOK_SECONDS, TYPES, Policy
from stoker.api.v1 import RULES, application
from stoker.errors import Forbidden
from stoker.usecases.caller import Caller
from tests.api.fake import ID, PROJECT, Client, FakeCatalog, FakeSoftware, FakeStacks

STACK = f"/v1/{PROJECT}/stacks/cap/{ID}"


def caller(*roles: str) -> Caller:
    return Caller("u", "u", PROJECT, "p", frozenset(roles))


def heats_rules(shared: Path) -> set[str]:
    text = (shared / "facts" / "rest-api.md").read_text()
    names = {
        line.split("`")[1].replace("\\|", "|")
        for line in text.splitlines()
        if line.startswith("| `") and ":" in line.split("`")[1]
    }
    return {name for name in names if not name.startswith("cloudformation:")}


def test_every_rule_of_heats_rest_api_is_known_and_no_other(shared: Path) -> None:
    ours = {rule.name for rule in (*RULES, *TYPES)}
    assert ours == heats_rules(shared)


def test_the_base_rules_are_heats() -> None:
    assert {rule.name for rule in BASE} == {
        "context_is_admin",
        "project_admin",
        "deny_stack_user",
        "deny_everybody",
        "allow_everybody",
    }


VERBS: list[tuple[str, str, Any, set[str]]] = [
    ("GET", STACK, None, {"reader", "member"}),
    ("GET", f"/v1/{PROJECT}/stacks", None, {"reader", "member"}),
    ("POST", f"/v1/{PROJECT}/stacks", {"stack_name": "n", "template": {}}, {"member"}),
    ("PUT", STACK, {"template": {}}, {"member"}),
    ("PATCH", STACK, {"existing": True}, {"member"}),
    ("PATCH", STACK, {"parameters": {"a": 1}}, {"member"}),
    ("DELETE", STACK, None, {"member"}),
    ("GET", f"{STACK}/resources/rs/metadata", None, {"reader", "member", "heat_stack_user"}),
    ("GET", f"/v1/{PROJECT}/stacks/cap", None, {"reader", "member", "heat_stack_user"}),
    ("POST", f"{STACK}/resources/rs/signal", {}, {"reader", "member", "heat_stack_user"}),
    ("GET", f"/v1/{PROJECT}/stacks?global_tenant=true", None, set()),
    ("GET", f"/v1/{PROJECT}/services", None, set()),
    ("GET", f"/v1/{PROJECT}/software_configs", None, {"reader", "member"}),
    ("POST", f"/v1/{PROJECT}/software_configs", {}, {"member"}),
    ("GET", f"/v1/{PROJECT}/software_configs/x", None, {"reader", "member"}),
    ("DELETE", f"/v1/{PROJECT}/software_configs/x", None, {"member"}),
    ("GET", f"/v1/{PROJECT}/software_configs?global_tenant=true", None, set()),
    ("GET", f"/v1/{PROJECT}/software_deployments", None, {"reader", "member"}),
    ("POST", f"/v1/{PROJECT}/software_deployments", {"server_id": "x"}, {"member"}),
    ("GET", f"/v1/{PROJECT}/software_deployments/x", None, {"reader", "member"}),
    ("PUT", f"/v1/{PROJECT}/software_deployments/x", {}, {"member"}),
    ("DELETE", f"/v1/{PROJECT}/software_deployments/x", None, {"member"}),
    (
        "GET",
        f"/v1/{PROJECT}/software_deployments/metadata/x",
        None,
        {"reader", "member", "heat_stack_user"},
    ),
]


@pytest.mark.parametrize("role", ["reader", "member", "heat_stack_user", "stranger"])
@pytest.mark.parametrize(("verb", "url", "body", "may"), VERBS)
def test_a_role_may_what_its_rule_allows(
    call: Client, role: str, verb: str, url: str, body: Any, may: set[str]
) -> None:
    roles = "member,reader" if role == "member" else role
    answer = Client(call.app, roles=roles)(verb, url, body)
    assert (answer.status != 403) == (role in may), answer.data


def test_a_refusal_names_the_rule_and_asks_nothing(call: Client, stacks: FakeStacks) -> None:
    answer = Client(call.app, roles="reader")("DELETE", STACK)
    assert answer.error == {
        "type": "Forbidden",
        "traceback": None,
        "message": "You are not authorized to use stacks:delete.",
    }
    assert stacks.asked == []


def test_another_projects_path_is_closed(call: Client, stacks: FakeStacks) -> None:
    answer = call("GET", "/v1/1cc931b36e9d4a20a4c12188f203cb77/stacks")
    assert (answer.status, answer.error["type"]) == (403, "HTTPForbidden")
    assert stacks.asked == []


def test_an_admin_reaches_another_projects_stack(admin: Client, stacks: FakeStacks) -> None:
    answer = admin("GET", f"/v1/1cc931b36e9d4a20a4c12188f203cb77/stacks/cap/{ID}")
    assert answer.status == 200
    _, asking, stack, _ = stacks.asked[0]
    assert asking.is_admin
    assert stack.project_id == "1cc931b36e9d4a20a4c12188f203cb77"


def test_an_admin_of_a_project_that_is_not_the_admin_project_is_none(admin: Client) -> None:
    other = f"/v1/1cc931b36e9d4a20a4c12188f203cb77/stacks/cap/{ID}"
    assert admin("GET", other, HTTP_X_IS_ADMIN_PROJECT="False").status == 403


def test_former_defaults_count_only_where_the_operator_says_so() -> None:
    conf = cfg.ConfigOpts()
    conf([], project="stoker", default_config_files=[], default_config_dirs=[])
    Policy(RULES, conf)  # registers the option
    conf.set_override("enforce_new_defaults", override=False, group="oslo_policy")
    lenient = Policy(RULES, conf)
    assert lenient.admits(caller("anything"), "stacks:create")
    assert not lenient.admits(caller("heat_stack_user"), "stacks:create")
    assert not Policy(RULES).admits(caller("anything"), "stacks:create")


def test_a_policy_file_overrides_and_is_read_again_when_it_changes(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text('"stacks:create": "role:builder"\n"resource_types:OS::Nova::*": "!"\n')
    now = 1000.0
    policy = Policy(RULES, policy_file=str(file), clock=lambda: now)
    assert policy.admits(caller("builder"), "stacks:create")
    assert not policy.admits(caller("member"), "stacks:create")
    assert not policy.may_use(caller("member"), "OS::Nova::Server")
    file.write_text('"stacks:create": "role:architect"  # a longer file, and later\n')
    stamp = file.stat().st_mtime + 10
    os.utime(file, (stamp, stamp))
    now += LOOK_SECONDS
    assert not policy.admits(caller("builder"), "stacks:create")
    assert policy.may_use(caller("member"), "OS::Nova::Server")


def test_what_is_remembered_for_one_caller_counts_for_no_other() -> None:
    policy = Policy(RULES, clock=lambda: 1000.0)  # nothing is forgotten
    for _ in range(2):
        assert policy.admits(caller("member"), "stacks:create")
        assert not policy.admits(caller("reader"), "stacks:create")
        assert not policy.admits(caller("member"), "stacks:global_index")
        assert not policy.is_admin(caller("admin"), in_admin_project=False)
        assert policy.is_admin(caller("admin"))


def test_a_rule_that_goes_by_the_caller_is_asked_of_each(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text('"stacks:create": "user_id:one or project_id:theirs or user_domain_id:own"\n')
    policy = Policy(RULES, policy_file=str(file), clock=lambda: 1000.0)
    plain = caller("member")
    assert not policy.admits(plain, "stacks:create")
    assert policy.admits(replace(plain, user_id="one"), "stacks:create")
    assert policy.admits(replace(plain, project_id="theirs"), "stacks:create")
    assert policy.admits(replace(plain, user_domain_id="own"), "stacks:create")


@pytest.mark.parametrize(
    ("type", "roles", "may"),
    [
        ("OS::Nova::Server", ("member",), True),
        ("OS::Nova::Flavor", ("member",), False),
        ("OS::Nova::Flavor", ("admin",), True),
        ("OS::Keystone::Project", ("member",), False),
        ("OS::Keystone::Project", ("admin",), True),
        ("file:///a.yaml", ("member",), True),
    ],
)
def test_some_types_are_for_administrators(
    policy: Policy,
    type: str,
    roles: tuple[str, ...],
    may: bool,  # noqa: FBT001
) -> None:
    assert policy.may_use(caller(*roles), type) is may


def test_require_raises_forbidden(policy: Policy) -> None:
    policy.require(caller("member"), "stacks:create")
    with pytest.raises(Forbidden, match=r"stacks:create\.$"):
        policy.require(caller("reader"), "stacks:create")


def test_a_patch_of_nothing_has_a_rule_of_its_own(tmp_path: Path, stacks: FakeStacks) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text('"stacks:update_no_change": "role:reader"\n')
    app = application(stacks, FakeCatalog(), FakeSoftware(), Policy(RULES, policy_file=str(file)))
    reader = Client(app, roles="reader")
    assert reader("PATCH", STACK, {"existing": True}).status == 202
    assert reader("PATCH", STACK, {"existing": True, "tags": "x"}).status == 403
