"""OS::Heat::RandomString: text made once, by chance, and kept.

Rule: its only source of chance is ``at.entropy``; every character of a pool is as likely.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from stoker.errors import Code, Invalid, Kind, Problem
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Done, Resource, Step, View
from stoker.sdk.schema import Attr, Props, Support, attrs, prop
from stoker.sdk.value import is_open

CLASSES: Final[Mapping[str, str]] = {
    "lettersdigits": string.ascii_letters + string.digits,
    "letters": string.ascii_letters,
    "lowercase": string.ascii_lowercase,
    "uppercase": string.ascii_uppercase,
    "digits": string.digits,
    "hexdigits": string.digits + "ABCDEF",
    "octdigits": string.octdigits,
}
LONGEST: Final = 512


class CharacterClass(Props):
    class_: str = prop(
        "Class of characters.", default="lettersdigits", wire="class", one_of=CLASSES
    )
    min: int = prop(
        "At least so many characters of this class.", default=1, at_least=1, at_most=LONGEST
    )


class CharacterSequence(Props):
    sequence: str = prop("Characters to choose from.")
    min: int = prop("At least so many of these characters.", default=1, at_least=1, at_most=LONGEST)


class RandomStringProps(Props):
    length: int = prop("Length of the text.", default=32, at_least=1, at_most=LONGEST)
    sequence: str | None = prop(
        "Class of characters to choose from.",
        default=None,
        one_of=CLASSES,
        becomes="character_classes",
        translate=lambda name: [{"class": name, "min": 1}],
        support=Support("HIDDEN", "5.0.0", previous=Support("DEPRECATED", "2014.2")),
    )
    character_classes: tuple[CharacterClass, ...] = prop(
        "Classes of characters to choose from.", default=[{"class": "lettersdigits", "min": 1}]
    )
    character_sequences: tuple[CharacterSequence, ...] | None = prop(
        "Sequences of characters to choose from.", default=None
    )
    salt: str | None = prop("Changing it makes a new text.", default=None)


def pools(props: RandomStringProps) -> list[tuple[str, int]]:
    """Return the characters of each pool, with the least number of them."""
    found = [(CLASSES[each.class_], each.min) for each in props.character_classes]
    return found + [(each.sequence, each.min) for each in props.character_sequences or ()]


def below(limit: int, entropy: Callable[[int], bytes]) -> int:
    """Return an even-handed number in [0, limit)."""
    while True:
        drawn = int.from_bytes(entropy(2))
        if drawn < 65536 - 65536 % limit:  # else the low numbers would be likelier
            return drawn % limit


def random_text(props: RandomStringProps, entropy: Callable[[int], bytes]) -> str:
    """Return text of the length wanted, with at least the characters wanted of each pool."""
    choices = pools(props)
    drawn = [pool[below(len(pool), entropy)] for pool, least in choices for _ in range(least)]
    while len(drawn) < props.length:
        pool, _ = choices[below(len(choices), entropy)]
        drawn.append(pool[below(len(pool), entropy)])
    for i in range(len(drawn) - 1, 0, -1):
        j = below(i + 1, entropy)
        drawn[i], drawn[j] = drawn[j], drawn[i]
    return "".join(drawn)


class RandomString(Resource[RandomStringProps]):
    type_name = "OS::Heat::RandomString"
    since = "2014.1"
    doc = "Text made by chance, such as a password. get_resource gives the text itself."
    Props = RandomStringProps
    computes = True
    attributes = attrs(value=Attr("The text."))

    def validate(self, props: RandomStringProps) -> Iterable[Problem]:
        if any(map(is_open, (props.length, props.character_classes, props.character_sequences))):
            return
        choices = pools(props)
        if not choices or not all(pool for pool, _ in choices):
            text = "give at least one class or sequence of characters, and none that is empty"
            yield Problem(text, ("character_classes",), None, Kind.PROPERTY)
        least = sum(number for _, number in choices)
        if least > props.length:
            text = f"length {props.length} is too short for the {least} characters asked for"
            yield Problem(text, ("length",), None, Kind.PROPERTY)

    def reference(self, view: View) -> Any:
        return view.attributes["value"] if view.id else view.name

    def create(self, at: At[RandomStringProps], cloud: Cloud) -> Step:
        return Done({"value": random_text(at.props, at.entropy)}, id=at.name)

    def adopt(self, at: At[RandomStringProps], cloud: Cloud) -> Step:
        if "value" not in at.stored:
            text = "the data of what is adopted has no value"
            raise Invalid([Problem(text, ("resource_data",), code=Code.REQUEST)])
        return Done({"value": at.stored["value"]})

    def told_of(self, view: View) -> Mapping[str, Any]:
        return {name: view.attributes[name] for name in ("value",) if name in view.attributes}

    def delete(self, at: At[RandomStringProps], cloud: Cloud) -> Step:
        return Done()
