"""What a YAML scalar means.

Rule: YAML 1.1 as PyYAML's safe loader has it, except that a timestamp stays text, so that
``heat_template_version: 2013-05-23`` needs no quotes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Final

from yaml.constructor import SafeConstructor
from yaml.nodes import ScalarNode
from yaml.resolver import Resolver

_TAG: Final = "tag:yaml.org,2002:"
_DIGITS: Final = 1000
_UNFIT: Final = re.compile("[\0\ud800-\udfff]")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_resolver: Final = Resolver()
_constructor: Final = SafeConstructor()
_MAKERS: Final[dict[str, Callable[[ScalarNode], Any]]] = {
    _TAG + "null": lambda _: None,
    _TAG + "bool": _constructor.construct_yaml_bool,
    _TAG + "int": _constructor.construct_yaml_int,
    _TAG + "float": _constructor.construct_yaml_float,
    _TAG + "str": lambda node: node.value,
    _TAG + "timestamp": lambda node: node.value,
    _TAG + "value": lambda node: node.value,
    _TAG + "merge": lambda node: node.value,
}


@lru_cache(maxsize=8192)
def plain(text: str) -> Any:
    """Return the value of an unquoted ``text``.

    Raises ValueError for what looks like a number and is none (``0b_``).
    """
    resolve: Any = _resolver.resolve
    return tagged(str(resolve(ScalarNode, text, (True, False))), text)


def tagged(tag: str, text: str) -> Any:
    """Return the value of ``text`` under an explicit ``tag``.

    Raises ValueError when the tag is none that a template may use, or does not fit.
    """
    maker = _MAKERS.get(tag)
    if maker is None:
        raise ValueError(f"the YAML tag {tag!r} has no meaning in a template; remove it")
    if len(text) > _DIGITS and tag == _TAG + "int":
        raise ValueError(f"a whole number has at most {_DIGITS} digits")
    try:
        value = maker(ScalarNode(tag, text))
    except (KeyError, IndexError) as error:
        raise ValueError(f"{text!r} is not what its YAML tag {tag!r} says") from error
    check_scalar(value)
    return value


def is_plain(value: Any, depth: int) -> bool:
    """Tell whether JSON and databases can hold ``value`` as it is, nested at most ``depth`` deep.

    What this is not sure of is told by those who look at each scalar and its place.
    """
    kind = type(value)
    if kind is dict:
        return _are_texts(value) and depth > 0 and _are_plain(value.values(), depth - 1)
    if kind is list:
        return depth > 0 and _are_plain(value, depth - 1)
    if kind is str:
        return value.isprintable() or not _UNFIT.search(value)
    return value is None or kind is bool or kind is int or (kind is float and math.isfinite(value))


def _are_plain(values: Iterable[Any], depth: int) -> bool:
    for each in values:
        if type(each) is str and each.isprintable():
            continue
        if not is_plain(each, depth):
            return False
    return True


def _are_texts(keys: Iterable[Any]) -> bool:
    try:
        return "".join(keys).isprintable()
    except TypeError:
        return False


def check_scalar(value: Any) -> None:
    """Raise ValueError for what JSON or a database cannot hold."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("infinite numbers and .nan cannot stand in a template")
    if isinstance(value, str) and not value.isprintable():
        if "\0" in value:
            raise ValueError("the character U+0000 cannot stand in a template")
        if _SURROGATE.search(value):
            raise ValueError("half of a surrogate pair cannot stand in a template")
