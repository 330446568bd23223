"""Hidden values: which they are in a stack, and how they are kept out of what is shown.

A value is hidden when a parameter declared ``hidden`` holds it. A child stack inherits what
is hidden in its parent, for the value may reach it under any name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from stoker.lang.wording import MASK

if TYPE_CHECKING:
    from stoker.lang.stack import Instance
    from stoker.lang.template import Template

SHORTEST = 3
"""A shorter text is masked only where it stands alone: elsewhere it would hide everything."""


def hidden_values(instance: Instance) -> frozenset[str]:
    """Return the texts that hidden parameters hold, those inside lists and maps included."""
    return _of(instance.hidden, instance.parameters)


def hidden_inputs(template: Template, *given: Mapping[str, Any]) -> frozenset[str]:
    """Return the texts given for hidden parameters, and their defaults, fit or not."""
    defaults = {name: each.default for name, each in template.parameters.items()}
    return frozenset().union(*(_of(template.hidden, each) for each in (defaults, *given)))


def masked(value: Any, secrets: Collection[str]) -> Any:
    """Return the value with every hidden text in it masked."""
    if not secrets:
        return value
    if isinstance(value, str):
        return _masked_text(value, secrets)
    if isinstance(value, Mapping):
        return {k: masked(v, secrets) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [masked(v, secrets) for v in value]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return MASK if is_number and str(value) in secrets else value


def _masked_text(text: str, secrets: Collection[str]) -> str:
    if text in secrets:
        return MASK
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= SHORTEST and secret in text:
            text = text.replace(secret, MASK)
    return text


def _of(names: Iterable[str], values: Mapping[str, Any]) -> frozenset[str]:
    found = (values[name] for name in names if name in values)
    return frozenset(text for value in found for text in _texts(value) if text)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, str) or (isinstance(value, int | float) and type(value) is not bool):
        yield str(value)
