"""Software configs: made by hand, by templates, and read by servers as user data."""

from __future__ import annotations

import base64
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.openstack_program import OpenStackProgram

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.e2e.rest import Rest
    from tests.e2e.tenant import Tenant

SCRIPT = "#!/bin/sh\necho hi\n"


def template(**resources: Any) -> dict[str, Any]:
    return {"heat_template_version": "2021-04-16", "resources": resources}


def config(text: str, **more: Any) -> dict[str, Any]:
    properties = {"group": "script", "config": text}
    return {"type": "OS::Heat::SoftwareConfig", "properties": properties, **more}


@pytest.fixture(scope="module")
def openstack(
    clouds_yaml: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[OpenStackProgram]:
    with closing(OpenStackProgram(clouds_yaml, tmp_path_factory.mktemp("configs"))) as program:
        yield program


def test_the_client_makes_shows_lists_and_deletes_one(
    openstack: OpenStackProgram, tmp_path: Path, name: str
) -> None:
    file = tmp_path / "script.sh"
    file.write_text(SCRIPT)
    command = ("software", "config")
    options = ("--config-file", str(file), "--group", "script")
    made = openstack.json(*command, "create", name, *options)
    shown = openstack.json(*command, "show", made["id"])
    assert (shown["name"], shown["group"], shown["config"]) == (name, "script", SCRIPT)
    assert made["id"] in [each["id"] for each in openstack.json(*command, "list")]
    openstack.ok(*command, "delete", made["id"])
    assert openstack.run(*command, "show", made["id"]).code != 0


def test_what_a_template_makes_is_shown_changes_by_replacement_and_goes_with_it(
    rest: Rest, name: str
) -> None:
    stack = rest.create(name, template(script=config(SCRIPT)))
    stack.wait("CREATE_COMPLETE")
    id = stack.physical_ids()["script"]
    shown = rest.get(f"/software_configs/{id}")["software_config"]
    assert (shown["config"], shown["group"]) == (SCRIPT, "script")
    assert shown["name"].startswith(f"{name}-script-")
    assert stack.resource("script")["attributes"] == {"config": SCRIPT}
    stack.updated(template(script=config("#!/bin/sh\n")))
    other = stack.physical_ids()["script"]
    assert rest.call("GET", f"/software_configs/{id}").status == 404
    assert rest.get(f"/software_configs/{other}")["software_config"]["config"] == "#!/bin/sh\n"
    stack.deleted()
    assert rest.call("GET", f"/software_configs/{other}").status == 404


def test_one_that_is_deployed_stays_for_its_deployment(rest: Rest, name: str) -> None:
    stack = rest.create(name, template(script=config(SCRIPT)))
    stack.wait("CREATE_COMPLETE")
    id = stack.physical_ids()["script"]
    body = {"config_id": id, "server_id": name}
    made = rest.call("POST", "/software_deployments", body).json["software_deployment"]
    stack.deleted()
    (read,) = rest.get(f"/software_deployments/metadata/{name}")["metadata"]
    assert (read["id"], read["config"]) == (id, SCRIPT)
    assert rest.call("DELETE", f"/software_configs/{id}").fault == "InvalidRestrictedAction"
    assert rest.call("DELETE", f"/software_deployments/{made['id']}").status == 204
    assert rest.call("DELETE", f"/software_configs/{id}").status == 204


def test_a_server_boots_with_the_text_of_the_config_that_it_names(
    tenants: Callable[[str], Tenant], name: str
) -> None:
    tenant = tenants(name)
    parts = [{"config": {"get_resource": "script"}, "subtype": "x-shellscript"}]
    server = {
        "image": "ubuntu-24.04",
        "flavor": "m1.tiny",
        "networks": [{"allocate_network": "none"}],
        "user_data_format": "RAW",
        "user_data": {"get_resource": "mime"},
    }
    stack = tenant.rest.create(
        name,
        template(
            script=config(SCRIPT),
            mime={"type": "OS::Heat::MultipartMime", "properties": {"parts": parts}},
            server={"type": "OS::Nova::Server", "properties": server},
        ),
    )
    stack.wait("CREATE_COMPLETE")
    text = stack.resource("mime")["attributes"]["config"]
    assert "echo hi" in text
    assert user_data(tenant.admin, stack.physical_ids()["server"]) == text
    stack.deleted()


def user_data(admin: Any, server_id: str) -> str:
    """Return what a server boots with, which Nova shows to administrators."""
    answer = admin.compute.get(f"/servers/{server_id}", microversion="2.53")
    return base64.b64decode(answer.json()["server"]["OS-EXT-SRV-ATTR:user_data"]).decode()
