"""A stack outlives the user who made it: another one's trust takes the place of theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.e2e.tenant import Tenant

NET = {"type": "OS::Neutron::Net"}


def template(**resources: dict[str, Any]) -> dict[str, Any]:
    return {"heat_template_version": "2018-08-31", "resources": resources}


def test_what_a_user_left_another_one_updates_and_deletes(
    tenants: Callable[[str], Tenant], clouds_yaml: Path, tmp_path: Path, name: str
) -> None:
    tenant = tenants("left")
    stack = tenant.rest.create(name, template(a=NET))
    stack.wait("CREATE_COMPLETE")
    colleague = tenant.colleague("who-stays", clouds_yaml, tmp_path)
    tenant.admin.identity.delete_user(tenant.admin.identity.find_user("left"))
    mine = type(stack)(colleague, stack.name, stack.id)
    mine.updated(template(a=NET, b=NET))
    assert mine.statuses() == {"a": "CREATE_COMPLETE", "b": "CREATE_COMPLETE"}
    assert mine.show()["stack_owner"] == "left"
    mine.deleted()
    assert {kind for kind, _ in tenant.objects()} & {"network.network"} == set()


def test_what_a_user_left_another_one_can_delete_at_once(
    tenants: Callable[[str], Tenant], clouds_yaml: Path, tmp_path: Path, name: str
) -> None:
    tenant = tenants("gone")
    stack = tenant.rest.create(name, template(a=NET))
    stack.wait("CREATE_COMPLETE")
    made = stack.physical_ids()["a"]
    colleague = tenant.colleague("who-stays-on", clouds_yaml, tmp_path)
    tenant.admin.identity.delete_user(tenant.admin.identity.find_user("gone"))
    type(stack)(colleague, stack.name, stack.id).deleted()
    assert made not in {each.id for each in tenant.admin.network.networks()}
