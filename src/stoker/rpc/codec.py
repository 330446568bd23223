"""Requests and answers of the use cases as JSON, and back.

Rule: what may cross is listed here by name, and nothing else does. Each value says what it is, so
that what comes out is what went in, tuples and moments too. Where two versions of this program
do not understand each other, that is told, and nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Final

from stoker.errors import Bug, Code, Kind, Place, Problem, Severity, Unavailable
from stoker.usecases import caller, change_sets, software, stacks

VERSION: Final = 2
"""Goes up when what crosses means something else than before, or is written otherwise."""

VALUES: Final[tuple[type[Any], ...]] = (
    caller.Caller,
    stacks.Goal,
    stacks.CreateStack,
    stacks.UpdateStack,
    stacks.Mark,
    stacks.StackRef,
    stacks.SnapshotView,
    stacks.OutputView,
    stacks.StackView,
    stacks.ResourceView,
    stacks.EventView,
    stacks.ResourcePreview,
    stacks.CreatePreview,
    stacks.UpdatePreview,
    stacks.EngineView,
    stacks.StackQuery,
    stacks.ResourceQuery,
    stacks.EventQuery,
    stacks.TypeQuery,
    stacks.TypeView,
    software.NewConfig,
    software.ConfigView,
    software.ConfigQuery,
    software.NewDeployment,
    software.DeploymentChange,
    software.DeploymentView,
    change_sets.Proposal,
    change_sets.ChangeView,
    change_sets.ChangeSetView,
    Problem,
    Place,
)
"""The frozen values that cross."""

WORDS: Final[tuple[type[StrEnum], ...]] = (
    stacks.Action,
    stacks.Fate,
    change_sets.Execution,
    Kind,
    Code,
    Severity,
)
"""The sets of words that cross."""

_TAG: Final = "$"
_PLAIN: Final = (str, int, float, bool, type(None))
_CLASSES: Final = {each.__name__: each for each in VALUES}
_NAMES: Final[dict[type[Any], tuple[str, ...]]] = {
    each: getattr(each, "_fields", None) or tuple(field.name for field in fields(each))
    for each in VALUES
}
_NONE: Final = object()
_USUAL: Final[dict[type[Any], dict[str, Any]]] = {
    each: getattr(each, "_field_defaults", None)
    or {field.name: field.default for field in fields(each) if field.default is not MISSING}
    for each in VALUES
}
"""What is left out where it is just that, so that an older process understands what asks for
nothing new."""
_ENUMS: Final = {each.__name__: each for each in WORDS}


class OtherVersion(Unavailable):
    """What another process sent is of another version of this program."""

    def __init__(self) -> None:
        super().__init__("The API and the engines are not of one version; restart the older ones.")


def encode(value: Any) -> Any:
    """Return the value in terms of JSON; raises Bug for what is not listed."""
    if isinstance(value, StrEnum):
        return _tagged(type(value), _ENUMS, value.value)
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, Mapping):
        return _encoded_mapping(value)
    if isinstance(value, datetime | date):
        return {_TAG: type(value).__name__, "v": value.isoformat()}
    if type(value) in _NAMES:
        usual = _USUAL[type(value)]
        given = ((name, getattr(value, name)) for name in _NAMES[type(value)])
        held = {name: encode(each) for name, each in given if usual.get(name, _NONE) is not each}
        return _tagged(type(value), _CLASSES, held)
    if isinstance(value, list | tuple | frozenset):
        items = [encode(each) for each in value]
        return items if isinstance(value, list) else {_TAG: _sort_of(value), "v": items}
    return _tagged(type(value), _CLASSES, {})


def decode(sent: Any) -> Any:
    """Return the value again; raises OtherVersion for what is not known here."""
    if isinstance(sent, list):
        return [decode(each) for each in sent]
    if not isinstance(sent, dict):
        return sent
    if _TAG not in sent:
        return {key: decode(each) for key, each in sent.items()}
    try:
        return _decoded(sent[_TAG], sent["v"])
    except (KeyError, TypeError, ValueError) as error:
        raise OtherVersion from error


def _decoded(tag: str, sent: Any) -> Any:
    if tag in _CLASSES:
        return _CLASSES[tag](**{name: decode(each) for name, each in sent.items()})
    if tag in _ENUMS:
        return _ENUMS[tag](sent)
    if tag in _MOMENTS:
        return _MOMENTS[tag].fromisoformat(sent)
    if tag == "map":
        return {key: decode(each) for key, each in sent}
    return _SEQUENCES[tag](decode(each) for each in sent)


_MOMENTS: Final = {"datetime": datetime, "date": date}
_SEQUENCES: Final[dict[str, type[Any]]] = {"tuple": tuple, "frozenset": frozenset}


def _sort_of(value: tuple[Any, ...] | frozenset[Any]) -> str:
    return "tuple" if isinstance(value, tuple) else "frozenset"


def _encoded_mapping(value: Mapping[Any, Any]) -> Any:
    """Return the mapping; one whose keys JSON would change as pairs."""
    if _TAG not in value and all(type(key) is str for key in value):
        return {key: encode(each) for key, each in value.items()}
    return {_TAG: "map", "v": [[_plain_key(key), encode(each)] for key, each in value.items()]}


def _plain_key(key: Any) -> Any:
    if not isinstance(key, _PLAIN):
        raise Bug(f"a key of type {type(key).__name__} has no form on the wire")
    return key


def _tagged(kind: type[Any], known: Mapping[str, type[Any]], sent: Any) -> Any:
    if known.get(kind.__name__) is not kind:
        raise Bug(f"{kind.__module__}.{kind.__name__} has no form on the wire")
    return {_TAG: kind.__name__, "v": sent}
