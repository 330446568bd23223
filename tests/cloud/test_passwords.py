"""Users' passwords at a real Keystone: what it refuses, and what is done with the others."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import openstack
import pytest
from heatclient import exc  # type: ignore[import-untyped]  # it has no types
from heatclient.client import Client  # type: ignore[import-untyped]  # it has no types
from keystoneauth1 import session
from keystoneauth1.identity import v3

from stoker.cli.account import account
from tests.app.operating import PASSWORD, Site
from tests.app.serving import SECONDS
from tests.e2e.secret import found_in

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ROLES = ("member", "reader")
FIRST, SECOND = f"first-wörd-{uuid4().hex}", f"second-wörd-{uuid4().hex}"
NET = {"type": "OS::Neutron::Net"}


class RealSite(Site):
    """The operator's services beside a cloud that is there, as its administrator."""

    def __init__(self, folder: Path, cloud: Path) -> None:
        self.admin = account(cloud / "clouds.yaml", "admin")
        options = {"DEFERRED_AUTH_METHOD": "password", "DEBUG": "true"}
        options["DEFAULT_LOG_LEVELS"] = "urllib3=DEBUG"
        super().__init__(folder, more={f"OS_DEFAULT__{k}": each for k, each in options.items()})

    def _cloud(self) -> str:
        return self.admin.auth_url

    def _options(self, url: str) -> str:
        text = super()._options(url).replace("username = heat", f"username = {self.admin.username}")
        text = text.replace(f"password = {PASSWORD}", f"password = {self.admin.password}")
        text = text.replace("client_timeout = 3", "client_timeout = 30")
        return text.replace("project_name = service", f"project_name = {self.admin.project}")


@dataclass(frozen=True)
class Owner:
    """A user of a project; ``admin`` is the administrator's connection."""

    site: RealSite
    admin: Any
    id: str
    name: str
    project_id: str
    password: str = FIRST

    def heat(self, *, password: str | None = None) -> Any:
        """Return Heat's client with a new token and a password, his own unless another is given."""
        return Client(
            "1",
            endpoint=f"http://127.0.0.1:{self.site.port}/v1/{self.project_id}",
            token=self._session().get_token(),
            username=self.name,
            password=password or self.password,
            include_pass=True,
        )

    def ended(self, id: str) -> str:
        """Wait until a stack is through and return its status."""
        heat, until = self.heat(), time.monotonic() + SECONDS
        while (status := heat.stacks.get(id).stack_status).endswith("IN_PROGRESS"):
            assert time.monotonic() < until, status
            time.sleep(0.2)
        return str(status)

    def changed(self, password: str) -> Owner:
        """Have his password changed; tokens end that he has got up to the end of that second."""
        self.admin.identity.update_user(self.id, password=password)
        now, until = replace(self, password=password), time.monotonic() + SECONDS
        while not now.is_let_in():
            assert time.monotonic() < until
            time.sleep(0.1)
        return now

    def is_let_in(self) -> bool:
        """Tell whether a new token of his is good."""
        own = self._session()
        url = f"{self.site.auth_url}/auth/projects"
        headers = {"X-Auth-Token": own.get_token()}
        found = own.get(url, headers=headers, authenticated=False, raise_exc=False)
        return bool(found.status_code == HTTPStatus.OK)

    def _session(self) -> session.Session:
        url = self.site.auth_url
        own = v3.Password(url, user_id=self.id, password=self.password, project_id=self.project_id)
        return session.Session(own)


@pytest.fixture(scope="module")
def site(cloud: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealSite]:
    with closing(RealSite(tmp_path_factory.mktemp("passwords"), cloud)) as found:
        assert found.manage("db", "sync").returncode == 0
        found.engine()
        found.api()
        yield found


@pytest.fixture
def owner(site: RealSite, cloud: Path) -> Iterator[Owner]:
    """Give a user of a new project; both go afterwards."""
    loader = openstack.config.OpenStackConfig(config_files=[str(cloud / "clouds.yaml")])
    name = f"stoker-{uuid4().hex[:8]}"
    admin: Any = openstack.connection.Connection(config=loader.get_one("admin"))
    with closing(admin):
        project = admin.identity.create_project(name=name, domain_id="default")
        user = admin.identity.create_user(name=name, password=FIRST, domain_id="default")
        for each in ROLES:
            role = admin.identity.find_role(each)
            admin.identity.assign_project_role_to_user(project.id, user.id, role.id)
        yield Owner(site, admin, user.id, name, project.id)
        admin.identity.delete_user(user.id)
        admin.identity.delete_project(project.id)


def template(*names: str) -> dict[str, Any]:
    return {"heat_template_version": "2018-08-31", "resources": dict.fromkeys(names, NET)}


def networks(owner: Owner) -> list[str]:
    return [each.id for each in owner.admin.network.networks(project_id=owner.project_id)]


def refused(owner: Owner, name: str, password: str) -> str:
    with pytest.raises(exc.HTTPBadRequest) as told:
        owner.heat(password=password).stacks.create(stack_name=name, template=template("a"))
    return str(told.value)


def test_a_stack_outlives_its_users_password(site: RealSite, owner: Owner) -> None:
    made = owner.heat().stacks.create(stack_name="life", template=template("a"))
    id = made["stack"]["id"]
    assert owner.ended(id) == "CREATE_COMPLETE"
    now = owner.changed(SECOND)
    assert "does not let user" in refused(now, "former", FIRST)
    now.heat().stacks.update(id, template=template("a", "b"))
    assert now.ended(id) == "UPDATE_COMPLETE"
    assert len(networks(now)) == 2
    now.heat().stacks.delete(id)
    assert now.ended(id) == "DELETE_COMPLETE"
    assert networks(now) == []
    written = {each.name: each.read_bytes() for each in site.folder.iterdir() if each.is_file()}
    assert b"DEBUG keystoneauth" in written["stoker.log"]
    assert found_in(written, [FIRST, SECOND]) == []


def test_a_wrong_password_is_refused_in_keystones_own_words(owner: Owner) -> None:
    said = refused(owner, "wrong", "no-such-word")
    assert "The request you have made requires authentication" in said
    assert "no-such-word" not in said


def test_a_password_without_a_role_in_the_project_is_refused(owner: Owner) -> None:
    heat = owner.heat()
    for each in ROLES:
        role = owner.admin.identity.find_role(each)
        owner.admin.identity.unassign_project_role_from_user(owner.project_id, owner.id, role.id)
    with pytest.raises((exc.HTTPBadRequest, exc.HTTPUnauthorized)):
        heat.stacks.create(stack_name="out", template=template("a"))
    assert networks(owner) == []
