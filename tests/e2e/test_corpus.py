"""Real templates, created, updated and deleted; the files resolved as heatclient does.

The short form takes what is quick; with STOKER_LONG=1 all of them are deployed.
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.corpus import CASES, FLAVORS, IMAGES, KEYS, NETWORKS, PUBLIC_KEY, Case

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.e2e.rest import Json, Stack
    from tests.e2e.tenant import Tenant

SECONDS = 60.0
CHOSEN = [case for case in CASES if os.environ.get("STOKER_LONG") or not case.long]
resolve: Any = importlib.import_module("heatclient.common.template_utils")  # it has no types


@pytest.fixture(scope="module")
def tenant(tenants: Callable[[str], Tenant]) -> Tenant:
    """Return a project in a cloud that has what the templates take for granted."""
    made = tenants("corpus")
    for flavor in FLAVORS:
        made.admin.compute.create_flavor(name=flavor, ram=512, vcpus=1, disk=1)
    for image in IMAGES:
        made.conn.image.create_image(
            name=image, disk_format="raw", container_format="bare", data=b"nothing"
        )
    for key in KEYS:
        made.conn.compute.create_keypair(name=key, public_key=PUBLIC_KEY)
    return made


@pytest.fixture
def networks(tenant: Tenant, case: Case) -> Iterator[None]:
    """Make the networks that the template needs, for as long as it needs them."""
    made = [tenant.conn.network.create_network(name=name) for name in case.needs]
    for network in made:
        tenant.conn.network.create_subnet(
            network_id=network.id,
            name=network.name,
            cidr=NETWORKS[network.name],
            ip_version=4,
        )
    yield
    for network in made:
        tenant.conn.network.delete_network(network)


def body(folder: Path, path: str, case: Case) -> Json:
    """Return the body that heatclient makes of a template's path and the case's environment."""
    files, template = resolve.get_template_contents(template_file=str(folder / path))
    environments = [str(folder / case.env)] if case.env else []
    more, environment = resolve.process_multiple_environments_and_files(env_paths=environments)
    text = {
        name: each.decode() if isinstance(each, bytes) else each
        for name, each in {**files, **more}.items()
    }
    return {"template": template, "files": text, "environment": environment}


def recorded(stack: Stack) -> set[str]:
    """Return the ids of all objects that the stack says it has in the cloud."""
    return {
        each["physical_resource_id"]
        for each in stack.resources(5)
        if each["resource_type"].startswith(("OS::Neutron::", "OS::Nova::Server"))
    }


@pytest.mark.parametrize("case", CHOSEN, ids=lambda case: f"{case.path}-{case.becomes}"[-80:])
@pytest.mark.usefixtures("networks")
def test_a_real_template_is_created_updated_and_deleted(
    tenant: Tenant, shared: Path, case: Case, name: str
) -> None:
    folder = shared / "corpus" / "templates"
    before = tenant.objects()
    stack = tenant.rest.create(
        name, **body(folder, case.path, case), parameters=case.parameters, timeout_mins=2
    )
    stack.wait("CREATE_COMPLETE", SECONDS)
    made = stack.physical_ids()
    outputs = stack.show()["outputs"]
    assert [each for each in outputs if "output_error" in each] == []
    assert recorded(stack) <= {id for _, id in tenant.objects() - before}
    stack.updated(
        **body(folder, case.becomes or case.path, case),
        parameters={**case.parameters, **case.changes},
    )
    after = stack.physical_ids()
    changed = {each for each in made.keys() & after.keys() if made[each] != after[each]}
    assert changed == case.replaced
    assert recorded(stack) <= {id for _, id in tenant.objects() - before}
    stack.deleted(SECONDS)
    assert tenant.objects() == before
