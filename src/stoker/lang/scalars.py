"""What a YAML scalar means.

Rule: YAML 1.1 as PyYAML's safe loader has it, except that a timestamp stays text, so that
``heat_template_version: 2013-05-23`` needs no quotes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import chain
from typing import Any, Final

from yaml.constructor import SafeConstructor
from yaml.nodes import ScalarNode
from yaml.resolver import Resolver

_TAG: Final = "tag:yaml.org,2002:"
_DIGITS: Final = 1000
_EXACT: Final = frozenset({bool, int, dict, list})
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
    level = [value]
    for _ in range(depth + 1):
        texts = [each for each in level if type(each) is str]
        others = [each for each in level if type(each) is not str]
        maps = [each for each in others if type(each) is dict]
        lists = [each for each in others if type(each) is list]
        if not _are_fit(texts) or not _are_fit(chain.from_iterable(maps)):
            return False
        if len(others) > len(maps) + len(lists) and not all(map(_is_held, others)):
            return False
        level = [*chain.from_iterable(map(dict.values, maps)), *chain.from_iterable(lists)]
        if not level:
            return True
    return False


def _are_fit(texts: Iterable[Any]) -> bool:
    """Tell whether all these are texts that a database can hold."""
    try:
        joined = "".join(texts)
    except TypeError:
        return False
    return "\0" not in joined and (joined.isascii() or not _SURROGATE.search(joined))


def _is_held(value: Any) -> bool:
    kind = type(value)
    return kind in _EXACT or value is None or (kind is float and math.isfinite(value))


def check_scalar(value: Any) -> None:
    """Raise ValueError for what JSON or a database cannot hold."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("infinite numbers and .nan cannot stand in a template")
    if isinstance(value, str) and not value.isprintable():
        if "\0" in value:
            raise ValueError("the character U+0000 cannot stand in a template")
        if _SURROGATE.search(value):
            raise ValueError("half of a surrogate pair cannot stand in a template")
