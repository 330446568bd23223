"""A server's life as pure functions: which action is allowed where, and where it leads.

The rule: a server document goes in and a new one comes out; nothing here knows a clock, a
database or HTTP. ``begin`` gives the state in which the action runs, ``finish`` the one after it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

RUNNING, NO_STATE, PAUSED, SHUTDOWN, SUSPENDED = 1, 0, 3, 4, 7

_POWER = {
    "active": RUNNING,
    "paused": PAUSED,
    "stopped": SHUTDOWN,
    "suspended": SUSPENDED,
    "resized": RUNNING,
    "shelved": SHUTDOWN,
    "shelved_offloaded": SHUTDOWN,
    "rescued": RUNNING,
    "error": NO_STATE,
    "building": NO_STATE,
}

_STATUS = {
    "active": "ACTIVE",
    "building": "BUILD",
    "paused": "PAUSED",
    "stopped": "SHUTOFF",
    "suspended": "SUSPENDED",
    "resized": "VERIFY_RESIZE",
    "shelved": "SHELVED",
    "shelved_offloaded": "SHELVED_OFFLOADED",
    "rescued": "RESCUE",
    "error": "ERROR",
    "deleted": "DELETED",
}

# vm_state and task_state together, where they say something else than vm_state alone
_BUSY_STATUS = {
    ("active", "rebooting"): "REBOOT",
    ("active", "rebooting_hard"): "HARD_REBOOT",
    ("active", "rebuilding"): "REBUILD",
    ("stopped", "rebuilding"): "REBUILD",
    ("error", "rebuilding"): "REBUILD",
    ("active", "resize_prep"): "RESIZE",
    ("stopped", "resize_prep"): "RESIZE",
    ("resized", "resize_reverting"): "REVERT_RESIZE",
    ("active", "updating_password"): "PASSWORD",
}


class NotAllowed(Exception):
    """The server is in a state in which the action is not possible."""


@dataclass(frozen=True, slots=True)
class Action:
    """One action: the vm_states it may start from, its task_state, the vm_state it leads to.

    ``to`` None keeps the vm_state. ``word`` is the name that stands in the refusal.
    """

    word: str
    allowed: frozenset[str]
    task: str
    to: str | None = None
    while_busy: bool = False


def _states(words: str) -> frozenset[str]:
    return frozenset(words.split())


ACTIONS: Mapping[str, Action] = {
    "os-start": Action("start", _states("stopped"), "powering-on", "active"),
    "os-stop": Action("stop", _states("active error"), "powering-off", "stopped"),
    "pause": Action("pause", _states("active"), "pausing", "paused"),
    "unpause": Action("unpause", _states("paused"), "unpausing", "active"),
    "suspend": Action("suspend", _states("active"), "suspending", "suspended"),
    "resume": Action("resume", _states("suspended"), "resuming", "active"),
    "reboot": Action("reboot", _states("active"), "rebooting", "active"),
    "hard_reboot": Action(
        "reboot", _states("active stopped paused suspended error"), "rebooting_hard", "active"
    ),
    "resize": Action("resize", _states("active stopped"), "resize_prep", "resized"),
    "confirmResize": Action("confirmResize", _states("resized"), "deleting", "active"),
    "revertResize": Action("revertResize", _states("resized"), "resize_reverting", "active"),
    "rebuild": Action("rebuild", _states("active stopped error"), "rebuilding"),
    "shelve": Action(
        "shelve", _states("active stopped paused suspended"), "shelving", "shelved_offloaded"
    ),
    "shelveOffload": Action(
        "shelveOffload", _states("shelved"), "shelving_offloading", "shelved_offloaded"
    ),
    "unshelve": Action("unshelve", _states("shelved shelved_offloaded"), "unshelving", "active"),
    "createImage": Action(
        "createImage", _states("active stopped paused suspended"), "image_snapshot"
    ),
    "changePassword": Action("changePassword", _states("active"), "updating_password"),
    "rescue": Action("rescue", _states("active stopped error"), "rescuing", "rescued"),
    "unrescue": Action("unrescue", _states("rescued"), "unrescuing", "active"),
    "attach_interface": Action("attach_interface", _states("active paused stopped"), ""),
    "detach_interface": Action("detach_interface", _states("active paused stopped"), ""),
    "attach_volume": Action(
        "attach_volume",
        _states("active paused stopped suspended resized shelved shelved_offloaded"),
        "",
    ),
    "detach_volume": Action(
        "detach_volume",
        _states("active paused stopped suspended resized shelved shelved_offloaded"),
        "",
    ),
    "delete": Action("delete", _states(" ".join(_STATUS)), "deleting", "deleted", while_busy=True),
}


def check(server: Mapping[str, Any], name: str) -> Action:
    """Give the action ``name`` if ``server`` may start it now, or raise NotAllowed."""
    action = ACTIONS[name]
    for field, allowed in (
        ("vm_state", server["vm_state"] in action.allowed),
        ("task_state", action.while_busy or server["task_state"] is None),
    ):
        if not allowed:
            raise NotAllowed(
                f"Cannot '{action.word}' instance {server['id']} while it is in"
                f" {field} {server[field]}"
            )
    return action


def begin(server: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Give ``server`` as it is while the action ``name`` runs."""
    action = check(server, name)
    before = {"before_resize": server["vm_state"]} if name == "resize" else {}
    return {**server, **before, "task_state": action.task or None}


def finish(server: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Give ``server`` as it is after the action ``name``."""
    to = ACTIONS[name].to or server["vm_state"]
    if name in {"confirmResize", "revertResize"}:
        to = server.get("before_resize", "active")
    if name == "rebuild" and to == "error":
        to = "active"
    return enter(server, to)


def enter(server: Mapping[str, Any], vm_state: str) -> dict[str, Any]:
    """Give ``server`` at rest in ``vm_state``."""
    power = _POWER.get(vm_state, NO_STATE)
    return {**server, "vm_state": vm_state, "task_state": None, "power_state": power}


def status(server: Mapping[str, Any]) -> str:
    """Give the one word that clients see and wait for."""
    busy = _BUSY_STATUS.get((server["vm_state"], server["task_state"]))
    return busy or _STATUS[server["vm_state"]]
