"""A project of its own on real services: what it has, and whether something changed in it.

Rule: everything is asked of the services themselves; where they log requests, the log is read.
"""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import openstack
import yaml

from tests.e2e.corpus_stock import given

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from tests.e2e.corpus_case import Named

Thing = tuple[str, str]
PASSWORD = "of a test"
ROLES = ("member", "reader")
API_SECONDS = 20
SETTLE_SECONDS = 30.0
_LOGS = ("nova.log", "cinder.log")
"""Neutron and Glance log no requests; what they hold tells by its revision when it was changed."""
_REQUEST = re.compile(r"\b(POST|PUT|PATCH|DELETE) (?:http\S*?//[^/ ]+)?(/\S+)")
_OF_ITS_OWN = ("updated_at", "revision_number", "status")


@dataclass(frozen=True, slots=True)
class Moment:
    """What the project had, and how long the logs were."""

    state: dict[Thing, str]
    logs: dict[str, int]


@dataclass(frozen=True, slots=True)
class RealProject:
    """A :class:`tests.e2e.corpus_driver.Project`; ``cloud`` is the services' directory."""

    cloud: Path
    name: str
    id: str
    conn: Any

    def objects(self) -> set[Thing]:
        """Return kind and id of everything that the project has."""
        return set(self.state())

    def state(self) -> dict[Thing, str]:
        """Return by kind and id what changes when an object is changed."""
        conn, own = self.conn, {"project_id": self.id}
        network, volume = conn.network, conn.block_storage
        found = {
            "server": conn.compute.servers(),
            "key pair": conn.compute.keypairs(),
            "server group": conn.compute.server_groups(),
            "volume": volume.volumes(),
            "snapshot": volume.snapshots(),
            "image": conn.image.images(owner=self.id),
            "network": network.networks(**own),
            "subnet": network.subnets(**own),
            "port": network.ports(**own),
            "router": network.routers(**own),
            "floating ip": network.ips(**own),
            "security group": network.security_groups(**own),
            "security group rule": network.security_group_rules(**own),
        }
        return {
            (kind, str(each.id)): _version(each) for kind, rows in found.items() for each in rows
        }

    def mark(self) -> Moment:
        """Return this moment."""
        return Moment(self.state(), {name: self._log(name).stat().st_size for name in _LOGS})

    def changes(self, since: Moment) -> list[str]:
        """Return what has changed since then: requests that were logged, objects that differ."""
        now = self.state()
        differ = [
            f"{kind} {id}: {since.state.get((kind, id))} became {now.get((kind, id))}"
            for kind, id in sorted(since.state.keys() | now.keys())
            if since.state.get((kind, id)) != now.get((kind, id))
        ]
        return [*(each for name in _LOGS for each in self._requests(name, since)), *differ]

    def given(self, needs: tuple[Named, ...]) -> AbstractContextManager[dict[Named, str]]:
        """Make what is to be there beforehand, and take it away again."""
        return given(self.conn, needs)

    def settled(self, wanted: set[Thing]) -> set[Thing]:
        """Return what there is, once it is as wanted or has had its time to become so.

        A service that has answered to a delete may go on with it for a moment.
        """
        until = time.monotonic() + SETTLE_SECONDS
        while (found := self.objects()) != wanted and time.monotonic() < until:
            time.sleep(0.5)
        return found

    def _requests(self, name: str, since: Moment) -> list[str]:
        with self._log(name).open("rb") as log:
            log.seek(since.logs[name])
            lines = log.read().decode("utf-8", "replace").splitlines()
        ours = (line for line in lines if self.id in line)
        return [f"{found[1]} {found[2]}" for line in ours if (found := _REQUEST.search(line))]

    def _log(self, name: str) -> Path:
        return self.cloud / "log" / name


def _version(each: Any) -> str:
    row = each.to_dict()
    return json.dumps({key: row.get(key) for key in _OF_ITS_OWN}, default=str)


def connection(clouds_yaml: Path, cloud: str) -> Any:
    """Open openstacksdk's connection for an account."""
    loader = openstack.config.OpenStackConfig(config_files=[str(clouds_yaml)])
    return openstack.connection.Connection(config=loader.get_one(cloud))


def make(cloud: Path, name: str, folder: Path) -> tuple[RealProject, Path]:
    """Make a project and its user, both called ``name``; return it and its clouds.yaml."""
    admin = connection(cloud / "clouds.yaml", "admin")
    project = admin.identity.create_project(name=name, domain_id="default")
    user = admin.identity.create_user(
        name=name, password=PASSWORD, default_project_id=project.id, domain_id="default"
    )
    for each in ROLES:
        role = admin.identity.find_role(each, ignore_missing=False)
        admin.identity.assign_project_role_to_user(project, user, role)
    path = _written(cloud, name, folder)
    conn = connection(path, name)
    list(conn.network.security_groups())  # Neutron makes a project's own one at the first look
    return RealProject(cloud, name, project.id, conn), path


def _written(cloud: Path, name: str, folder: Path) -> Path:
    like = yaml.safe_load((cloud / "clouds.yaml").read_text(encoding="utf-8"))["clouds"]["demo"]
    auth = {**like["auth"], "username": name, "password": PASSWORD, "project_name": name}
    # A shorter time-out than usual: after a kill, a call without an answer is in doubt for twice
    # as long, and the tests wait for it.
    account = {**like, "auth": auth, "api_timeout": API_SECONDS}
    path = folder / "clouds.yaml"
    path.write_text(yaml.safe_dump({"clouds": {name: account}}), encoding="utf-8")
    return path
