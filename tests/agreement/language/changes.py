"""One small change to a template, as a slip or a generator makes it.

Rule: what goes into a resource is left as it is: its type is mapped to nothing, so that Heat does
not look at it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Final

Spot = tuple[Any, Any]
"""A map or a list, and the key or index of the value in question."""

_PROPERTIES: Final = ("properties", "Properties")
_VALUES: Final[tuple[Any, ...]] = (
    None, "", [], {}, 0, 1, 1.5, -1, True, False, "x", "nope", "true", "2014-10-16", ["a"],
    {"a": "b"}, [None], {"a": None}, {"get_param": "nope"}, {"get_param": "OS::stack_name"},
    {"get_resource": "nope"}, {"get_attr": ["nope", "x"]}, {"Ref": "AWS::Region"},
    {"if": ["nope", 1, 2]}, {"equals": [1, 1]}, {"list_join": ["", ["a", "b"]]},
    {"Fn::Join": ["", ["a"]]},
)  # fmt: skip
_KEYS: Final = (
    "type", "properties", "metadata", "depends_on", "deletion_policy", "condition", "external_id",
    "description", "default", "constraints", "hidden", "immutable", "tags", "label", "value",
    "parameters", "conditions", "outputs", "resources", "parameter_groups", "length", "range",
    "allowed_values", "allowed_pattern", "min", "max", "Type", "Properties", "DependsOn",
    "Condition", "Conditions", "Mappings", "Outputs", "Value", "Description", "AllowedValues",
    "MinLength", "NoEcho", "x",
)  # fmt: skip
_WRAPS: Final[tuple[Callable[[Any], Any], ...]] = (
    lambda each: [each],
    lambda each: {"a": each},
    lambda each: {"get_param": each},
    lambda each: {"get_resource": each},
    lambda each: {"get_attr": each},
    lambda each: {"if": ["nope", each, each]},
    lambda each: {"list_join": [",", each]},
    lambda each: {"not": each},
)


def changed(template: Any, random: Random) -> Any:
    """Return the template with one change."""
    whole = copy.deepcopy(template)
    spots = list(_spots(whole, ()))
    weights = [depth**-1.5 for depth, _ in spots]
    (_, (parent, step)) = random.choices(spots, weights)[0]
    random.choice(_CHANGES)(parent, step, random)
    return whole


def _spots(value: Any, at: tuple[Any, ...]) -> Iterator[tuple[int, Spot]]:
    """Yield how deep each value stands, and where."""
    steps = list(value) if isinstance(value, dict) else range(len(value))
    for step in steps:
        yield len(at) + 1, (value, step)
        if isinstance(value[step], dict | list) and (len(at) != 2 or step not in _PROPERTIES):
            yield from _spots(value[step], (*at, step))


def _replace(parent: Any, step: Any, random: Random) -> None:
    parent[step] = copy.deepcopy(random.choice(_VALUES))


def _remove(parent: Any, step: Any, random: Random) -> None:
    del parent[step]


def _rename(parent: Any, step: Any, random: Random) -> None:
    if isinstance(parent, dict):
        name = random.choice((*_KEYS, f"{step}x", step.capitalize()))
        items = [(name if key == step else key, each) for key, each in parent.items()]
        parent.clear()
        parent.update(items)


def _wrap(parent: Any, step: Any, random: Random) -> None:
    parent[step] = random.choice(_WRAPS)(parent[step])


def _add(parent: Any, step: Any, random: Random) -> None:
    into = parent[step] if isinstance(parent[step], dict) else parent
    if isinstance(into, dict):
        into[random.choice(_KEYS)] = copy.deepcopy(random.choice(_VALUES))


_CHANGES: Final = (_replace, _remove, _rename, _wrap, _add)
