"""Custom constraints: what must exist in the cloud, answered in bulk.

Rule: only a service's "there is none" (or "you may not see it") is an answer; a service that
is away raises its CloudError, for nothing can be said then.
"""

from __future__ import annotations

import time
import zoneinfo
from collections import defaultdict
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from stoker.clouds.listed import KINDS
from stoker.clouds.orchestration import wrong_elsewhere
from stoker.errors import CloudError, Conflict, NotFound
from stoker.sdk.cloud import ELSEWHERE, Lookup
from stoker.sdk.fault import NO_ENDPOINT
from stoker.sdk.formats import FORMATS, iso_8601

if TYPE_CHECKING:
    from stoker.clouds.one_cloud import OneCloud
    from stoker.clouds.rest import Rest

_UNSEEN: Final = (403, 404)  # may not be seen, or the service lacks the extension

_QUEUE_LETTERS: Final = 64

FINDERS: Final[Mapping[str, tuple[str, str]]] = {
    "cinder.backup": ("volume", "backup"),
    "cinder.qos_specs": ("volume", "qos_specs"),
    "cinder.snapshot": ("volume", "snapshot"),
    "cinder.volume": ("volume", "volume"),
    "cinder.vtype": ("volume", "vtype"),
    "glance.image": ("image", "image"),
    "keystone.domain": ("identity", "domain"),
    "keystone.group": ("identity", "group"),
    "keystone.project": ("identity", "project"),
    "keystone.region": ("identity", "region"),
    "keystone.role": ("identity", "role"),
    "keystone.service": ("identity", "service"),
    "keystone.user": ("identity", "user"),
    "neutron.address_scope": ("network", "address_scope"),
    "neutron.network": ("network", "network"),
    "neutron.port": ("network", "port"),
    "neutron.qos_policy": ("network", "qos_policy"),
    "neutron.router": ("network", "router"),
    "neutron.security_group": ("network", "security_group"),
    "neutron.segment": ("network", "segment"),
    "neutron.subnet": ("network", "subnet"),
    "neutron.subnetpool": ("network", "subnetpool"),
    "nova.flavor": ("compute", "flavor"),
    "nova.keypair": ("compute", "keypair"),
    "nova.server": ("compute", "server"),
}


@lru_cache(maxsize=1)
def _timezones() -> frozenset[str]:
    return frozenset(zoneinfo.available_timezones())


def timezone(value: str) -> str | None:
    """A name of the time zone database."""
    return None if value in _timezones() else f"{value!r} is not the name of a time zone"


def expiration(value: str) -> str | None:
    """A time that is yet to come."""
    wrong = iso_8601(value)
    if wrong is None and datetime.fromisoformat(value).timestamp() <= time.time():
        wrong = f"{value!r} is past"
    return wrong


def queue(value: str) -> str | None:
    """A queue's name: a queue is made when it is first used."""
    if 0 < len(value) <= _QUEUE_LETTERS:
        return None
    return f"the name of a queue has 1 to {_QUEUE_LETTERS} letters, {value!r} has {len(value)}"


CHECKS: Final[Mapping[str, Callable[[str], str | None]]] = {
    **FORMATS,
    "timezone": timezone,
    "expiration": expiration,
    "nova.network": FORMATS["test_constr"],  # of nova-network, which is gone: Heat takes anything
    "zaqar.queue": queue,
}


class CloudConstraints:
    """Answers look-ups, as one user sees the cloud."""

    def __init__(self, cloud: OneCloud) -> None:
        self._cloud = cloud

    def missing(self, lookups: list[Lookup]) -> dict[Lookup, str]:
        """Return, for each look-up that fails, the text that says why."""
        values: dict[str, dict[str, list[Lookup]]] = defaultdict(lambda: defaultdict(list))
        for each in lookups:
            values[each.constraint][str(each.value)].append(each)
        failed: dict[Lookup, str] = {}
        for name, by_value in values.items():
            for value, wrong in self._wrong(name, list(by_value)).items():
                failed |= dict.fromkeys(by_value[value], wrong)
        return failed

    def _wrong(self, name: str, values: list[str]) -> dict[str, str]:
        check = CHECKS.get(name)
        if check is not None:
            answers = ((value, check(value)) for value in values)
            return {value: wrong for value, wrong in answers if wrong is not None}
        if name == ELSEWHERE:
            of = self._cloud.orchestration
            answers = ((value, wrong_elsewhere(of, value)) for value in values)
            return {value: wrong for value, wrong in answers if wrong is not None}
        if name not in FINDERS and name not in KINDS:
            return dict.fromkeys(values, f"there is no constraint {name}")
        client, kind = self._asked(name)
        if len(values) > 1:
            client.warm(kind, values)
        answers = ((value, _absent(client, kind, value)) for value in values)
        return {value: wrong for value, wrong in answers if wrong is not None}

    def _asked(self, name: str) -> tuple[Rest, str]:
        """Return whom a constraint asks, and for what."""
        if name in KINDS:
            return self._cloud.listed(name), name
        service, kind = FINDERS[name]
        client: Rest = getattr(self._cloud, service)
        return client, kind


def _absent(client: Rest, kind: str, value: str) -> str | None:
    try:
        client.find(kind, value)
    except (NotFound, Conflict) as e:
        return str(e)
    except CloudError as e:
        if e.status not in _UNSEEN and e.code != NO_ENDPOINT:
            raise
        return f"The {kind} ({value}) could not be looked up: {e}"
    return None
