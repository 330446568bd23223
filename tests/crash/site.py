"""A development cloud that runs beside the engines of many cases, and what exists in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from stoker.clouds.connect import Clouds, CloudSettings
from stoker.clouds.credential import Password
from stoker.devcloud.cloud import Options
from stoker.devcloud.server import Server
from stoker.usecases.caller import Caller
from tests.crash import other_heat, other_software

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from stoker.clouds.one_cloud import OneCloud

SECRET = "secret"
CHANGES = r"^(?!.*/validate$)"
"""Matches the paths of calls that change something, where their method says that they do."""
_CHANGING = ("POST", "PUT", "PATCH", "DELETE")
_OWNER = {
    "network.security_group_rule": "security_group_id",
    "network.port": "device_id",
    "volume.attachment": "volume_id",
    other_software.CONFIG: other_software.OWNER,
}
"""Fields by which an object hangs on one that is recorded, and goes with it."""


@dataclass(frozen=True, slots=True)
class Thing:
    """One object of the cloud."""

    kind: str
    id: str
    document: Mapping[str, Any]


class Site:
    """A cloud with its user ``demo``."""

    def __init__(self) -> None:
        self.server = Server(Options(port=0, latency=0.0, password=SECRET)).start()
        other_heat.declare(self.server.cloud)
        self._clouds = Clouds()
        self.user.network.list("security_group")  # the first look makes the project's own
        whose = self.user.identity.whose()
        self.caller = Caller(
            user_id=whose.user_id,
            user_name=whose.user_name,
            project_id=str(whose.project_id),
            project_name="demo",
            roles=frozenset(whose.roles),
            token=self._token(),
        )

    def stop(self) -> None:
        self._clouds.close()
        self.server.stop()

    @property
    def user(self) -> OneCloud:
        """The cloud as ``demo`` sees it, on a connection that no idling has closed."""
        self._clouds.close()
        return self._clouds.cloud(self._password("demo"))

    @property
    def auth_url(self) -> str:
        return self.server.auth_url

    def clouds(self, client_timeout: float) -> Clouds:
        """Return connections for one process."""
        return Clouds(CloudSettings(client_timeout=client_timeout))

    def things(self) -> dict[tuple[str, str], Thing]:
        """Return everything that exists."""
        state = self.server.cloud.state
        with state.transaction():
            rows = [(kind, id) for kind, id, _, _ in state.objects()]
            found = [Thing(kind, id, state.get(kind, id) or {}) for kind, id in rows]
        return {(thing.kind, thing.id): thing for thing in found}

    def arm(self, **fault: Any) -> None:
        """Put a fault in force."""
        self.server.cloud.faults.add(fault)

    def hits(self) -> int:
        """Return how many calls the faults in force have hit."""
        return sum(fault["hits"] for fault in self.server.cloud.faults.all())

    def disarm(self) -> None:
        """Lift every fault."""
        self.server.cloud.faults.remove()

    def clear(self, kept: Collection[tuple[str, str]]) -> None:
        """Remove every object but these, whoever made it."""
        state = self.server.cloud.state
        with state.transaction():
            for kind, id in [(kind, id) for kind, id, _, _ in state.objects()]:
                if (kind, id) not in kept:
                    state.delete(kind, id)

    def meddle(self, kind: str, *, taken: Collection[str], **changes: Any) -> None:
        """Take away the objects of a kind that have one of these tags, with what hangs on them,
        and change all others with a tag: as others would, but without a call."""
        for thing in self.things().values():
            tags = {*thing.document.get("tags", ())} if thing.kind == kind else set()
            if tags & {*taken}:
                self._take(thing)
            elif tags:
                with self.server.cloud.state.transaction():
                    self.server.cloud.state.update(kind, {**thing.document, **changes})

    def _take(self, taken: Thing) -> None:
        for thing in self.things().values():
            if taken.id in (thing.id, thing.document.get("network_id")):
                with self.server.cloud.state.transaction():
                    self.server.cloud.state.delete(thing.kind, thing.id)

    def changing(self, since: int = 0) -> tuple[int, list[dict[str, Any]]]:
        """Return the newest number of the journal, and the changing calls that are younger
        than ``since``, Keystone's and what changes nothing aside."""
        newest, entries = self.server.cloud.journal.since(since)
        outside = ("identity", "devcloud")
        return newest, [
            e
            for e in entries
            if e["method"] in _CHANGING and e["service"] not in outside
            if re.search(CHANGES, e["path"])
        ]

    def _password(self, name: str) -> Password:
        return Password(
            self.auth_url,
            name,
            SECRET,
            project_name=name,
            user_domain_id="default",
            project_domain_id="default",
        )

    def _token(self) -> str:
        connection = self._clouds._connection(self._password("demo"))  # noqa: SLF001
        return str(connection.access().auth_token)


def hangs_on(thing: Thing, recorded: set[str]) -> bool:
    """Tell whether the object is part of a recorded one."""
    return thing.document.get(_OWNER.get(thing.kind, "")) in recorded


_MASKS = [
    (re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), b"U"),
    (re.compile(rb"\b[0-9a-f]{32}\b"), b"H"),
    (re.compile(rb"\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b"), b"M"),
    (re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?"), b"T"),
    (re.compile(rb"\b\d{10}\.\d+\b"), b"T"),
    (re.compile(rb"\b172\.24\.4\.\d+\b"), b"A"),  # whichever of the public ones is free
    (re.compile(rb"\b10([.-])1\1(\d+)\1\d+\b"), rb"10.1.\2.A"),  # ports are made in any order
    (re.compile(rb'"(revision_number|provider:segmentation_id|number)":\d+'), rb'"\1":0'),
    (re.compile(rb'"(fingerprint|public_key|private_key)":"[^"]+"'), rb'"\1":"K"'),
    (re.compile(rb"-[a-z2-7]{12}\b"), b"-S"),
    (re.compile(rb"\b(?:[0-9a-f]{56}|[0-9a-f]{128})\b"), b"H"),
    (re.compile(rb"\b(r|instance)-[0-9a-z]{8}\b"), rb"\1-R"),
    (re.compile(rb"\bdevcloud-\d+\b"), b"devcloud-N"),
    (re.compile(rb"\b127\.0\.0\.1:\d+\b"), b"HERE"),
]


def alike(value: Any) -> str:
    """Return JSON text in which what differs from run to run is masked."""
    text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    for pattern, mask in _MASKS:
        text = pattern.sub(mask, text)
    return text.decode()
