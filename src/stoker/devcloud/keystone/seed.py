"""The users, projects, domains and roles of a new cloud, as DevStack makes them.

Rule: every user has the one password that the cloud was started with.
"""

from __future__ import annotations

from stoker.devcloud.cloud import Cloud, new_hex
from stoker.devcloud.keystone import catalog, directory
from stoker.devcloud.state import Doc

_ROLES = (
    "admin",
    "member",
    "reader",
    "service",
    "heat_stack_owner",
    "heat_stack_user",
)
_BUILT_IN = ("admin", "member", "reader", "service")
_PROJECTS = ("admin", "demo", "service")
_GRANTS = {
    ("demo", "demo"): ("member", "reader", "heat_stack_owner"),
    ("admin", "admin"): ("admin",),
    ("admin", "demo"): ("admin",),
    ("heat", "service"): ("admin", "service"),
}
HEAT_DOMAIN, HEAT_DOMAIN_ADMIN = "heat", "heat_domain_admin"


def seed(cloud: Cloud) -> None:
    """Put Keystone's first contents in place."""
    roles = {name: _role(cloud, name) for name in _ROLES}
    _domain(cloud, directory.DEFAULT_DOMAIN, "Default")
    projects = {name: _project(cloud, name) for name in _PROJECTS}
    users = {
        name: _user(cloud, name, directory.DEFAULT_DOMAIN, projects.get(name))
        for name in ("admin", "demo", "heat")
    }
    for (user, project), granted in _GRANTS.items():
        for role in granted:
            target = ("project", projects[project])
            directory.grant(cloud.state, ("user", users[user]), target, roles[role])
    directory.grant(cloud.state, ("user", users["admin"]), ("system", "all"), roles["admin"])
    domain_id = _domain(cloud, new_hex(), HEAT_DOMAIN)
    admin = _user(cloud, HEAT_DOMAIN_ADMIN, domain_id, None)
    directory.grant(cloud.state, ("user", admin), ("domain", domain_id), roles["admin"])
    catalog.seed(cloud)


def _role(cloud: Cloud, name: str) -> str:
    options = {"immutable": True} if name in _BUILT_IN else {}
    role = {"id": new_hex(), "name": name, "domain_id": None, "description": None}
    cloud.state.insert(directory.ROLE, {**role, "options": options})
    return str(role["id"])


def _domain(cloud: Cloud, id: str, name: str) -> str:
    domain = {"id": id, "name": name, "description": "", "enabled": True}
    cloud.state.insert(directory.DOMAIN, {**domain, "options": {}, "tags": []})
    return id


def _project(cloud: Cloud, name: str) -> str:
    project = {
        "id": new_hex(),
        "name": name,
        "domain_id": directory.DEFAULT_DOMAIN,
        "parent_id": directory.DEFAULT_DOMAIN,
        "description": "",
        "enabled": True,
        "is_domain": False,
        "tags": [],
        "options": {},
    }
    cloud.state.insert(directory.PROJECT, project)
    return str(project["id"])


def _user(cloud: Cloud, name: str, domain_id: str, project_id: str | None) -> str:
    user: Doc = {
        "id": new_hex(),
        "name": name,
        "domain_id": domain_id,
        "default_project_id": project_id,
        "enabled": True,
        "email": f"{name}@example.org",
        "options": {},
        "password_expires_at": None,
        "password_digest": directory.digest(cloud.options.password),
    }
    cloud.state.insert(directory.USER, user)
    return str(user["id"])
