"""A project of its own in the served cloud, with one user: what others do cannot disturb it."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable
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
    controls: str

    def objects(self) -> set[tuple[str, str]]:
        """Return kind and id of everything that the project has, but for what guards it."""
        found = controls(self.controls, f"objects?project={self.project}")["objects"]
        rows = {(each["kind"], each["id"]) for each in found}
        return {row for row in rows if not row[0].startswith("identity.")}


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
    user = admin.identity.create_user(
        name=name, password=_PASSWORD, default_project_id=project.id, domain_id="default"
    )
    for role in ROLES:
        found = admin.identity.find_role(role, ignore_missing=False)
        admin.identity.assign_project_role_to_user(project.id, user.id, found.id)
    path = folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump(_clouds(clouds_yaml, name)))
    url = account(clouds_yaml, "admin").auth_url.removesuffix("/identity/v3")
    conn = connect(path, name)
    list(conn.network.security_groups())  # Neutron makes a project's own one at the first look
    return Tenant(Rest(path, name), conn, admin, project.id, url)


def _clouds(clouds_yaml: Path, name: str) -> Json:
    entry: Json = yaml.safe_load(clouds_yaml.read_text())["clouds"]["demo"]
    mine = {"username": name, "password": _PASSWORD, "project_name": name}
    return {"clouds": {name: {**entry, "auth": {**entry["auth"], **mine}}}}
