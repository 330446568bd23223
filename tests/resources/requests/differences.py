"""Where the requests differ in fact from those that Heat sent, case by case, and why.

Every difference that is found must be listed, and every listed one must be found.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tests.resources.requests.case import Call, Case, Step

_UNNAMED = "the same: what is gone at the end of the step has no name here"
_NOT_BUILT = "not built yet, and refused with a clear text"
_OLD_FIRST = "the old server goes first, where the two share something; it needs no unplugging"
_NEW_FIRST = "a server's own interfaces need no unplugging before it goes"
_FAKE = "the fake driver of the recorded cloud cannot; the embedded cloud can"
_OLDER_NOVA = "we ask Nova in a version that can"
_RULES_GO = "rules go with their group"


@dataclass(frozen=True, slots=True)
class Difference:
    """What in some cases' steps is not as it was with Heat.

    ``case`` and ``op`` are patterns. ``heat`` are patterns of calls that only Heat makes, ``ours``
    of those that only we make, ``answers`` of those that the embedded cloud answers with another
    status than the real service; ``status`` is the stack's with Heat and ours.
    """

    case: str
    op: str
    why: str
    heat: Sequence[str] = ()
    ours: Sequence[str] = ()
    answers: Sequence[str] = ()
    status: tuple[str, str] | None = None

    def covers(self, case: Case, step: Step) -> bool:
        """Tell whether it is about this step."""
        return bool(re.fullmatch(self.case, str(case)) and re.fullmatch(self.op, step.op))


def _refused(case: str, ops: Sequence[str], end: str = "DELETE_COMPLETE") -> Iterator[Difference]:
    """Give the differences of a stack that we refuse at once."""
    none, all_calls = "nothing there", (".*",)
    statuses = {
        "create": ("CREATE_COMPLETE", "400"),
        "delete": (end, none),
        "delete.*": (end, none),
    }
    for op in ops:
        status = statuses.get(op, ("UPDATE_COMPLETE", none))
        yield Difference(case, op, _NOT_BUILT, heat=all_calls, status=status)


LISTED: Final[Sequence[Difference]] = (
    # Cinder
    Difference(
        "EncryptedVolumeType: basic",
        "update|delete",
        "named by its id, and sent whole: Cinder takes either",
        heat=(".* /v3/types/<vtype>/encryption/provider .*",),
        ours=(".* /v3/types/<vtype>/encryption/.new id. .*",),
    ),
    Difference(
        "VolumeType: private with projects",
        "create",
        "the specs go with the type",
        heat=("POST cinder /v3/types (?!.*extra_specs).*", ".*/extra_specs .*"),
        ours=("POST cinder /v3/types .*extra_specs.*",),
    ),
    # Glance
    Difference(
        "WebImage: .*",
        "create",
        "Heat drops extra_properties; an image without a name has the physical one",
        heat=("POST glance /v2/images .*",),
        ours=("POST glance /v2/images .*(k1|hw_x|name of webimage).*",),
    ),
    Difference(
        "WebImage: .*",
        "create",
        "the embedded cloud fetches from the loopback, and fails in the task",
        answers=("POST glance .*/import .*",),
    ),
    # Neutron
    Difference(
        "Port: (minimal|many properties)",
        "update-replace",
        "an old port keeps its addresses until it goes; first, where the new one needs them",
        heat=("PUT neutron /v2.0/ports/.port. null",),
    ),
    Difference(
        "Port: replacement_policy REPLACE_ALWAYS",
        "update-nochange",
        "an update that changes nothing replaces nothing",
        heat=("(PUT|POST|DELETE) neutron /v2.0/ports.*",),
    ),
    Difference(
        "Router: gateway",
        "update-replace",
        "Neutron does not change availability_zone_hints",
        heat=("PUT neutron .*",),
        ours=("POST neutron /v2.0/routers .*", "DELETE neutron /v2.0/routers/.router. null"),
        status=("UPDATE_FAILED", "UPDATE_COMPLETE"),
    ),
    Difference(
        "SecurityGroup: bad: reversed port range",
        "update-nochange after failure",
        "Heat takes the group without its rules for good",
        ours=("POST neutron .*",),
        status=("UPDATE_COMPLETE", "UPDATE_FAILED"),
    ),
    Difference(
        "(SecurityGroup|Server: typical application stack).*",
        "delete",
        _RULES_GO,
        heat=("DELETE neutron /v2.0/security-group-rules/.*",),
    ),
    # key pairs of Nova
    Difference(
        "KeyPair: (minimal|save_private_key|admin: user)",
        "create",
        _OLDER_NOVA,
        ours=("POST nova /v2.1/os-keypairs .*",),
        status=("400", "CREATE_COMPLETE"),
    ),
    Difference(
        "KeyPair: admin: user and public_key",
        "delete",
        "Heat looks for it among the caller's own, and leaves it behind",
        heat=("DELETE nova /v2.1/os-keypairs/kp5 null",),
        ours=("DELETE nova /v2.1/os-keypairs/kp5.user_id=<ks_user> null",),
    ),
    Difference(
        "KeyPair: admin: user and public_key",
        "check",
        "the same",
        status=("CHECK_FAILED", "CHECK_COMPLETE"),
    ),
    Difference(
        "KeyPair: public_key",
        "delete",
        "Heat has deleted the new one already",
        answers=("DELETE nova .*",),
    ),
    Difference(
        "KeyPair: public_key",
        "update-replace",
        "Heat deletes the old one twice; its name is the new one's",
        heat=("DELETE nova .*",),
    ),
    # servers of Nova
    *_refused("Server: SOFTWARE_CONFIG .*", ("create", "update.*", "delete")),
    *_refused("Server: user_data (as|from) .*", ("create", "delete")),
    Difference(
        "Volume: deletion_policy Snapshot",
        "delete",
        f"{_FAKE}; and the backup is found by its name",
        heat=("POST cinder /v3/backups .*",),
        ours=("POST cinder /v3/backups .*", "DELETE cinder /v3/volumes/.*"),
        status=("DELETE_FAILED", "DELETE_COMPLETE"),
    ),
    Difference(
        "Volume: deletion_policy Snapshot",
        "delete again",
        _FAKE,
        heat=(".*",),
        status=("DELETE_FAILED", "404"),
    ),
    Difference(
        "(Server: bad: fixed ip in use|Server: bad: no valid host).*",
        "create|update-nochange after failure",
        _UNNAMED,
        heat=("DELETE nova /v2.1/servers/.new server. null",),
        ours=("DELETE nova /v2.1/servers/.new id. null",),
    ),
    Difference(
        "Server: block_device_mapping v1",
        "create",
        "Heat leaves out what is false",
        heat=("POST nova .*",),
        ours=("POST nova .*delete_on_termination.*",),
    ),
    Difference(
        "Server: (by port of the same stack|minimal|user_data update policies)",
        "update-replace",
        _OLD_FIRST,
        heat=("DELETE nova /v2.1/servers/.server./os-interface/.port. null",),
    ),
    Difference(
        "Server: (flavor resize|image rebuild)",
        "update2",
        _NEW_FIRST,
        heat=("DELETE nova /v2.1/servers/.server./os-interface/.port. null",),
    ),
    Difference(
        "Server: floating_ip in networks",
        "create",
        "a port is made for the interface, which the address can lead to",
        ours=("(POST|PUT) .*",),
        status=("400", "CREATE_COMPLETE"),
    ),
    Difference(
        "Server: floating_ip with subnet",
        "update",
        "the interface stays, and another address leads to it",
        heat=(".*",),
        ours=("PUT neutron /v2.0/floatingips/<fip2> .*port].*",),
    ),
    Difference(
        "Server: image rebuild preserve ephemeral",
        "update",
        _FAKE,
        status=("UPDATE_FAILED", "UPDATE_COMPLETE"),
    ),
    Difference(
        "Server: many properties",
        "update2",
        "a key of metadata that goes is deleted alone",
        heat=("POST nova /v2.1/servers/.server./metadata null",),
    ),
    Difference(
        "Server: no networks given",
        "create",
        "Nova is asked to choose a network, and here there are several",
        ours=('POST nova /v2.1/servers .*"networks": "auto".*',),
    ),
    Difference(
        "Server: personality",
        "create",
        _OLDER_NOVA,
        ours=('POST nova /v2.1/servers .*"personality": .*',),
        status=("400", "CREATE_COMPLETE"),
    ),
    Difference(
        "Server: user_data update policies",
        "update",
        "Heat sends the text as the id of an image",
        heat=("POST nova .*/action .*",),
        ours=("POST nova .*/action .*user_data.*",),
        status=("UPDATE_FAILED", "UPDATE_COMPLETE"),
    ),
    # flavors of Nova
    Difference(
        "Flavor: many properties",
        "update",
        "a spec with another value needs no deletion first",
        heat=("DELETE nova /v2.1/flavors/flmany/os-extra_specs/x:y null",),
    ),
)


@dataclass(frozen=True, slots=True)
class Found:
    """What is left of a step's differences once the listed ones are taken away."""

    unlisted: tuple[str, ...]
    used: frozenset[Difference]


def compare(
    case: Case, step: Step, ended: str, theirs: Iterable[Call], ours: Iterable[Call]
) -> Found:
    """Lay a step of ours beside Heat's."""
    theirs, ours = list(theirs), list(ours)
    listed = [each for each in LISTED if each.covers(case, step)]
    missing, extra = _keys(theirs), _keys(ours)
    left = [("-", call) for call in (missing - extra).elements()]
    left += [("+", call) for call in (extra - missing).elements()]
    left += [("=", call) for call in _otherwise(theirs, ours)]
    told = {f"{sign} {call}": _by(listed, sign, call) for sign, call in left}
    was = step.status or str(step.http)
    if not ended.startswith(was):
        told[f"{was} with Heat, and here: {ended}"] = _by_status(listed, was, ended)
    used = frozenset(by for by in told.values() if by is not None)
    return Found(tuple(each for each, by in told.items() if by is None), used)


def _by(listed: Iterable[Difference], sign: str, call: str) -> Difference | None:
    for each in listed:
        if _says({"-": each.heat, "+": each.ours, "=": each.answers}[sign], call):
            return each
    return None


def _otherwise(theirs: Iterable[Call], ours: Iterable[Call]) -> list[str]:
    """Return the calls that the real service answered otherwise than the embedded cloud."""
    was, now = _statuses(theirs), _statuses(ours)
    return [each for each in was if each in now and was[each] != now[each]]


def _statuses(calls: Iterable[Call]) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for each in calls:
        found.setdefault(each.key, set()).add(each.status)
    return found


def _by_status(listed: Iterable[Difference], was: str, ended: str) -> Difference | None:
    for each in listed:
        if each.status is not None and each.status[0] == was and ended.startswith(each.status[1]):
            return each
    return None


def _says(patterns: Iterable[str], call: str) -> bool:
    return any(re.fullmatch(each, call, re.DOTALL) for each in patterns)


def _keys(calls: Iterable[Call]) -> Counter[str]:
    return Counter(call.key for call in calls)
