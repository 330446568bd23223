"""The service's own user, from ``[trustee]``, or from ``[keystone_authtoken]`` where that is empty.

Rule: as with Heat, the trustee needs no project; where he is the same user as the other section's,
that one's project is his.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from oslo_config import cfg

from stoker.app.misconfigured import Misconfigured
from stoker.app.options import ACCOUNT, AUTHTOKEN, EC2AUTHTOKEN, TRUSTEE
from stoker.engine.trusts import ServiceUser

if TYPE_CHECKING:
    from collections.abc import Mapping

_TYPES = (None, "password", "v3password")
_MOST_SECTIONS = 5


@dataclass(frozen=True, slots=True)
class _Section:
    """A section in which a user's options are, and what it says."""

    name: str
    values: Mapping[str, Any]


def service_user(conf: cfg.ConfigOpts, auth_uri: str | None) -> ServiceUser:
    """Return the user; ``auth_uri`` is Keystone where no section says. Raises Misconfigured."""
    own, other = _section(conf, TRUSTEE), _section(conf, AUTHTOKEN)
    return _user(conf, own if own.values["username"] else other, other, auth_uri)


def key_checker(conf: cfg.ConfigOpts, own_uri: str | None, auth_uri: str | None) -> ServiceUser:
    """Return who asks about signatures: who is in ``[ec2authtoken]``, or else the same user.

    ``own_uri`` is Keystone where that section says it in Heat's older way.
    """
    own = _section(conf, EC2AUTHTOKEN)
    if own.values["username"]:
        return _user(conf, own, _section(conf, AUTHTOKEN), own_uri or auth_uri)
    found = service_user(conf, auth_uri)
    return replace(found, auth_url=str(own.values["auth_url"] or own_uri or found.auth_url))


def _user(
    conf: cfg.ConfigOpts, section: _Section, other: _Section, auth_uri: str | None
) -> ServiceUser:
    _check(section)
    values = section.values
    project = values if values["project_name"] else _project(section, other)
    url = values["auth_url"] or other.values["auth_url"] or auth_uri
    if not url:
        raise Misconfigured(f"[{section.name}] auth_url is not set: it is Keystone's URL")
    return ServiceUser(
        auth_url=str(url),
        username=values["username"],
        password=values["password"],
        project_name=project["project_name"],
        user_domain_id=_domain(values, "user"),
        user_domain_name=values["user_domain_name"],
        project_domain_id=_domain(project, "project"),
        project_domain_name=project["project_domain_name"],
        delegated_roles=tuple(conf.trusts_delegated_roles),
    )


def _section(conf: cfg.ConfigOpts, name: str) -> _Section:
    for _ in range(_MOST_SECTIONS):
        conf.register_opts(ACCOUNT, group=name)
        values = {each.dest: conf[name][each.dest] for each in ACCOUNT}
        if not values["auth_section"] or values["auth_section"] == name:
            return _Section(name, values)
        name = values["auth_section"]
    raise Misconfigured(f"[{name}] auth_section leads round in a circle")


def _check(section: _Section) -> None:
    values = section.values
    if values["auth_type"] not in _TYPES:
        raise Misconfigured(
            f"[{section.name}] auth_type is {values['auth_type']}: trusts can only be taken up by"
            " a user with a password (auth_type = password)"
        )
    for name in ("username", "password"):
        if not values[name]:
            raise Misconfigured(
                f"[{section.name}] {name} is not set: the service's own user takes up the trusts"
                f" of stacks' owners; he stands in [{TRUSTEE}] or [{AUTHTOKEN}]"
            )


def _project(section: _Section, other: _Section) -> Mapping[str, Any]:
    same = section.values["username"] == other.values["username"]
    nothing = dict.fromkeys(("project_name", "project_domain_id", "project_domain_name"))
    return other.values if same else nothing


def _domain(values: Mapping[str, Any], of: str) -> str | None:
    """Return the id of a domain; Keystone's default one where neither id nor name is said."""
    if values[f"{of}_domain_id"]:
        return str(values[f"{of}_domain_id"])
    is_moot = of == "project" and not values["project_name"]
    return None if is_moot or values[f"{of}_domain_name"] else "default"
