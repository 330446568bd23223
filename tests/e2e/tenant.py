"""A project of its own in the served cloud, with one user: what others do cannot disturb it."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from stoker.cli.account import account
from tests.e2e.rest import Json, Rest

Connect = Callable[[Path, str], Any]
ROLES = ("member", "reader", "heat_stack_owner")
_PASSWORD = "of a test"


@dataclass(frozen=True, slots=True)
class Tenant:
    """``conn`` is openstacksdk's connection of its user, ``admin`` the administrator's."""

    rest: Rest
    conn: Any
    admin: Any
    project: str
    project_name: str
    controls: str

    def objects(self) -> set[tuple[str, str]]:
        """Return kind and id of everything that the project has, but for what guards it."""
        found = controls(self.controls, f"objects?project={self.project}")["objects"]
        rows = {(each["kind"], each["id"]) for each in found}
        return {row for row in rows if not row[0].startswith("identity.")}

    def colleague(
        self, name: str, clouds_yaml: Path, folder: Path, roles: Sequence[str] = ROLES
    ) -> Rest:
        """Make another user of the project and return the API as they see it."""
        _user(self.admin, name, self.project, roles)
        return Rest(_written(name, self.project_name, clouds_yaml, folder), name)


def controls(url: str, path: str, body: object = None, method: str | None = None) -> Any:
    """Use the embedded cloud's own controls."""
    data = None if body is None else json.dumps(body).encode()
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    request = urllib.request.Request(  # noqa: S310 - the served cloud's own URL
        f"{url}/devcloud/{path}", data, method=method
    )
    request.add_header("Content-Type", "application/json")
    with opener.open(request, timeout=30) as answer:
        text = answer.read()
        return json.loads(text) if text else None


def make(name: str, clouds_yaml: Path, folder: Path, connect: Connect) -> Tenant:
    """Make a project called ``name`` and its user."""
    admin = connect(clouds_yaml, "admin")
    project = admin.identity.create_project(name=name, domain_id="default")
    _user(admin, name, project.id)
    path = _written(name, name, clouds_yaml, folder)
    url = account(clouds_yaml, "admin").auth_url.removesuffix("/identity/v3")
    conn = connect(path, name)
    list(conn.network.security_groups())  # Neutron makes a project's own one at the first look
    return Tenant(Rest(path, name), conn, admin, project.id, name, url)


def _user(admin: Any, name: str, project_id: str, roles: Sequence[str] = ROLES) -> None:
    user = admin.identity.create_user(
        name=name, password=_PASSWORD, default_project_id=project_id, domain_id="default"
    )
    for role in roles:
        found = admin.identity.find_role(role, ignore_missing=False)
        admin.identity.assign_project_role_to_user(project_id, user.id, found.id)


def _written(name: str, project: str, clouds_yaml: Path, folder: Path) -> Path:
    """Write a file with the one account ``name`` and return its path."""
    entry: Json = yaml.safe_load(clouds_yaml.read_text())["clouds"]["demo"]
    mine = {"username": name, "password": _PASSWORD, "project_name": project}
    path = folder / f"{name}.yaml"
    clouds = {name: {**entry, "auth": {**entry["auth"], **mine}}}
    path.write_text(yaml.safe_dump({"clouds": clouds}))
    return path
