"""What has to happen to one resource: recorded against wanted.

Preview, plan and the engine's worker call the same function; a plan leaves open what hangs
on unknown values, and the worker decides it at its turn, when they are known.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from stoker.errors import Invalid, Kind, Problem
from stoker.lang.environment import is_template
from stoker.lang.unknown import is_known

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stoker.sdk.resource import Resource


class Verb(StrEnum):
    """What happens to a resource. OPEN: not known before its turn; FINISH: a create goes on."""

    CREATE = "create"
    UPDATE = "update"
    REPLACE = "replace"
    DELETE = "delete"
    KEEP = "keep"
    FINISH = "finish"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a resource's row says of its object; properties are resolved values.

    ``verb`` is what is under way, or was when it was cut short. ``touched`` are properties
    that updates without a good end may have changed, whatever was sent after them. ``sound``
    is what a look at the object of a resource that has failed has found, None before it. An update
    that looks at what there is finds objects ``gone``, and what others have changed ``touched``.
    """

    type: str
    action: str
    status: str
    made: bool  # there is an object, a child or something stored
    sent: Mapping[str, Any] | None = None
    applied: Mapping[str, Any] | None = None
    verb: str | None = None
    touched: frozenset[str] = frozenset()
    has_id: bool = False
    sound: bool | None = None
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """``changed``: properties to bring about; ``delete_first``: the old object has to go first."""

    verb: Verb
    reason: str
    changed: frozenset[str] = frozenset()
    delete_first: bool = False


def decide(
    kind: Resource[Any], type_name: str, recorded: Recorded | None, wanted: Mapping[str, Any]
) -> Decision:
    """Return what brings the recorded object to the wanted properties (raw, maybe UNKNOWN).

    Raises Invalid, with paths inside the properties, for what the type does not allow.
    """
    if recorded is not None and recorded.verb == "adopt":
        return Decision(Verb.OPEN, "it is being adopted")
    if recorded is None or not recorded.made:
        return Decision(Verb.CREATE, "it does not exist yet")
    if recorded.type != type_name and not _is_retemplated(recorded, type_name):
        return Decision(Verb.REPLACE, f"its type changed from {recorded.type}")
    if needs_look(kind, type_name, recorded):
        return Decision(Verb.OPEN, "it failed; what there is of it is looked at first")
    if (anew := _after_trouble(kind, recorded, wanted)) is not None:
        return anew
    if kind.has_child:
        return Decision(Verb.UPDATE, "its child stack is brought up to date")
    if recorded.action == "DELETE":
        return Decision(Verb.REPLACE, "its deletion was begun")
    if recorded.verb == "check":
        return Decision(Verb.OPEN, "it is being checked")
    decision = _by_properties(kind, recorded, wanted)
    if kind.always_updated and decision.verb is Verb.KEEP:
        return Decision(Verb.UPDATE, "what it hands on may have changed")
    return decision


def decide_external(type_name: str, recorded: Recorded | None) -> Decision:
    """Return what happens to a resource whose object belongs to others: it is only looked at."""
    if recorded is None or not recorded.made:
        return Decision(Verb.CREATE, "the object is taken in")
    if recorded.type != type_name:
        return Decision(Verb.REPLACE, f"its type changed from {recorded.type}")
    if recorded.status == "FAILED":
        return Decision(Verb.UPDATE, "the object is looked at again")
    return Decision(Verb.KEEP, "the object belongs to others")


def _is_retemplated(recorded: Recorded, type_name: str) -> bool:
    """Tell whether another template file stands for it now: its child stack then follows that."""
    return is_template(recorded.type) and is_template(type_name)


def _after_trouble(
    kind: Resource[Any], recorded: Recorded, wanted: Mapping[str, Any]
) -> Decision | None:
    """Return the decision where a failure or a loss makes it, else None."""
    if recorded.gone:
        return _anew(kind, recorded, wanted, "its object is gone")
    if recorded.status != "FAILED" or kind.has_child:  # what failed below is put right there
        return None
    if recorded.sound is False:
        return _anew(kind, recorded, wanted, "it failed, and its object is faulty or gone")
    if recorded.action == "CREATE" or recorded.applied is None:
        if recorded.sound:
            return _finished(kind, recorded, wanted)
        return _anew(kind, recorded, wanted, "its creation failed")
    if recorded.action == "CHECK" and recorded.verb != "check":
        return _anew(kind, recorded, wanted, "a check found it faulty")
    return None


def needs_look(kind: Resource[Any], type_name: str, recorded: Recorded) -> bool:
    """Tell whether the object has to be looked at before anything is decided: the resource
    has failed, and its type, which stays, goes on with an object that is not faulty."""
    if recorded.type != type_name:
        return False
    unmade = recorded.action == "CHECK" and recorded.applied is None  # a check found just that
    failed = recorded.status == "FAILED" and (unmade or recorded.action not in ("CHECK", "DELETE"))
    alone = recorded.verb is None and recorded.has_id and recorded.sound is None
    return failed and alone and kind.supports("is_sound")


def _finished(kind: Resource[Any], recorded: Recorded, wanted: Mapping[str, Any]) -> Decision:
    """Return the decision for an object that is sound, and was never brought to its end."""
    made = _by_properties(kind, replace(recorded, applied=recorded.sent), wanted)
    if made.verb is Verb.KEEP:
        return Decision(Verb.FINISH, "its creation failed half-way, and its object is sound")
    return made


def _anew(
    kind: Resource[Any], recorded: Recorded, wanted: Mapping[str, Any], reason: str
) -> Decision:
    """Return the decision to make another object, the old one first out of the new one's way."""
    base = recorded.sent if recorded.applied is None else recorded.applied
    if base is None or not is_known(wanted):
        return Decision(Verb.REPLACE, reason)
    new = kind.Props.parse(wanted)
    try:
        held = kind.exclusive(kind.Props.parse(base))
    except Invalid:  # recorded under another schema
        held = frozenset()
    return Decision(Verb.REPLACE, reason, delete_first=bool(held & kind.exclusive(new)))


def _by_properties(kind: Resource[Any], recorded: Recorded, wanted: Mapping[str, Any]) -> Decision:
    base = recorded.applied if recorded.applied is not None else recorded.sent
    if base is None:
        return Decision(Verb.REPLACE, "it is not known with which properties it was made")
    if not is_known(wanted):
        return Decision(Verb.OPEN, "it depends on values that are not known yet")
    if wanted == base and recorded.sent in (None, base) and not recorded.touched:
        return _unchanged(recorded)
    new = kind.Props.parse(wanted)
    try:
        old = kind.Props.parse(base)
        sent = old if recorded.sent is None else kind.Props.parse(recorded.sent)
    except Invalid:  # recorded under another schema
        return Decision(Verb.REPLACE, "its recorded properties no longer fit its type")
    known = {each.name for each in kind.Props.properties().values()}
    changed: frozenset[str] = new.changed(old) | new.changed(sent) | recorded.touched & known
    if not changed:
        return _unchanged(recorded)
    _refuse_fixed(kind, changed)
    if forcing := kind.replaces(old, new, changed):
        first = bool(kind.exclusive(old) & kind.exclusive(new))
        which = ", ".join(sorted(forcing))
        return Decision(Verb.REPLACE, f"{which} cannot be changed in place", changed, first)
    return Decision(Verb.UPDATE, f"changed: {', '.join(sorted(changed))}", changed)


def _refuse_fixed(kind: Resource[Any], changed: frozenset[str]) -> None:
    fixed = sorted(changed & kind.Props.immutable())
    if fixed:
        raise Invalid(
            [
                Problem(
                    f"{kind.type_name} does not allow {name} to change; put the old value back,"
                    " or give the resource another name to have a new one made",
                    (name,),
                    kind=Kind.PROPERTY,
                )
                for name in fixed
            ]
        )


def _unchanged(recorded: Recorded) -> Decision:
    if recorded.status == "COMPLETE":
        return Decision(Verb.KEEP, "nothing changed")
    # Wanted, sent and applied are one: what failed or was cut short left nothing to bring about.
    return Decision(Verb.KEEP, "it is as wanted")
