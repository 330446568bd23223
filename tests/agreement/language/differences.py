"""What differs from real Heat on purpose.

Rule: each name begins a row of docs/differences.md; its test is as narrow as it can be.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Final

from tests.agreement.language.asked import Answer

Question = tuple[Any, ...]
Test = Callable[[Question, Answer, Answer], bool]

_HEAT_SINCE: Final = {
    "repeat": "2015-04-30",
    "if": "2016-10-14",
    "contains": "2017-09-01",
    "list_concat": "2017-09-01",
    "equals": "2016-10-14",
    "not": "2016-10-14",
    "and": "2016-10-14",
    "or": "2016-10-14",
}
"""The first version that has a function in Heat, where the specification has it earlier."""


def name_of(question: Question, theirs: Answer, ours: Answer) -> str | None:
    """Return the name of the difference at work, None where nothing may differ."""
    found = (name for name, test in DIFFERENCES.items() if test(question, theirs, ours))
    return next(found, None)


def calls(value: Any, name: str) -> Iterator[Any]:
    """Yield the arguments of all calls of ``name`` in a template."""
    if isinstance(value, dict):
        if list(value) == [name]:
            yield value[name]
        for each in value.values():
            yield from calls(each, name)
    elif isinstance(value, list):
        for each in value:
            yield from calls(each, name)


def _template(question: Question) -> dict[str, Any]:
    return question[0] if isinstance(question[0], dict) else {}


def _section(question: Question, key: str) -> dict[str, Any]:
    section = _template(question).get(key)
    return section if isinstance(section, dict) else {}


def _outputs(question: Question) -> Any:
    template = _template(question)
    return [template.get(key) for key in ("outputs", "Outputs", "conditions", "Conditions")]


def _newer_in_heat(question: Question, theirs: Answer, ours: Answer) -> bool:
    template = _template(question)
    version = str(template.get("heat_template_version", "9"))
    conditional = version < _HEAT_SINCE["if"] and _is_conditional(template)
    return conditional or any(
        version < since and any(True for _ in calls(_outputs(question), name))
        for name, since in _HEAT_SINCE.items()
    )


def _is_conditional(template: dict[str, Any]) -> bool:
    """Tell whether a template has conditions, a resource or an output one of them."""
    sections = (template.get(key) for key in ("resources", "outputs"))
    entries = [each for one in sections if isinstance(one, dict) for each in one.values()]
    return "conditions" in template or any(
        isinstance(each, dict) and "condition" in each for each in entries
    )


def _key_by_number(question: Question, theirs: Answer, ours: Answer) -> bool:
    if theirs.refused in ('TypeError: Index to "Fn::Select" must be a string', "KeyError: 1"):
        return ours.value is not None
    if any(_numbers_for_keys(each) for each in calls(_outputs(question), "map_replace")):
        fall_together = ("two entries would both be called", "collides with a key in the output")
        said = f"{theirs.refused}{ours.refused}"
        return any(each in said for each in fall_together)
    return any(
        isinstance(path, list) and any(not isinstance(step, str) for step in path[1:])
        for name in ("get_param",)
        for path in calls(_outputs(question), name)
        if path[:1] == ["j"]
    )


def _numbers_for_keys(arguments: Any) -> bool:
    match arguments:
        case [_, {"keys": {**keys}}, *_]:
            return any(isinstance(new, int | float) for new in keys.values())
    return False


def _keys_change_places(question: Question, theirs: Answer, ours: Answer) -> bool:
    return "collides with a key in the input map" in theirs.refused and ours.value is not None


def _nothing_in_environment(question: Question, theirs: Answer, ours: Answer) -> bool:
    if theirs.value is None:
        return "environment has empty section" in theirs.refused and ours.value is not None
    if ours.value is None or not isinstance(question[0], list):
        return False
    both = [_without_nothing(each) for each in (theirs.value, ours.value)]
    if any(_only_nulls(json.loads(each)) for each in question[0]):
        for each in both:  # where nothing was said before, an undeclared name comes in
            each["parameters"].pop("undeclared", None)
            each["parameter_defaults"].pop("undeclared", None)
    return bool(both[0] == both[1])


def _only_nulls(environment: dict[str, Any]) -> bool:
    """Tell whether a section has names, and all of them null."""
    sections = [environment.get(name) for name in ("parameters", "parameter_defaults")]
    return any(each and not any(x is not None for x in each.values()) for each in sections)


def _without_nothing(environment: str) -> Any:
    """Return an environment without nulls and empty maps; a map may be written as text."""
    said = json.loads(environment)
    for section in (said["parameters"], said["parameter_defaults"]):
        for key in [key for key, each in section.items() if each is None]:
            del section[key]
        section.update({key: _map_of(each) for key, each in section.items()})
    own = said["resource_registry"]["resources"]
    said["resource_registry"]["resources"] = {key: each for key, each in own.items() if each}
    return said


def _map_of(value: Any) -> Any:
    """Return the map that a text holds, else the value."""
    with suppress(ValueError):
        return json.loads(value) if isinstance(value, str) and value[:1] == "{" else value
    return value


def _resources_of_all(question: Question, theirs: Answer, ours: Answer) -> bool:
    if theirs.value is None or ours.value is None or not isinstance(question[0], list):
        return False
    registries = [json.loads(each).get("resource_registry") or {} for each in question[0]]
    both = [_without_nothing(each) for each in (theirs.value, ours.value)]
    for each in both:
        del each["resource_registry"]["resources"]
    has_resources = [each for each in registries if each.get("resources") is not None]
    return len(has_resources) > 1 and both[0] == both[1]


def _merged_to_nothing(question: Question, theirs: Answer, ours: Answer) -> bool:
    return "Invalid parameter in environment" in theirs.refused and ours.value is not None


def _listed_twice(question: Question, theirs: Answer, ours: Answer) -> bool:
    return "'list' object has no attribute 'items'" in theirs.refused and ours.value is not None


def _list_and_text(question: Question, theirs: Answer, ours: Answer) -> bool:
    if theirs.value is not None and ours.value is not None and isinstance(question[0], list):
        return _joined_numbers(theirs.value, ours.value)
    trips = ("TypeError: sequence item", "AttributeError: 'str' object has no attribute 'extend'",
             "TypeError: unsupported operand type(s) for +")  # fmt: skip
    return ours.value is not None and theirs.refused.startswith(trips)


def _joined_numbers(theirs: str, ours: str) -> bool:
    """Tell whether all that differs is the sum of two numbers, both written as texts."""
    both = [_without_nothing(each) for each in (theirs, ours)]
    for section in ("parameters", "parameter_defaults"):
        one, other = (each[section].get("n") for each in both)
        if isinstance(one, str) and isinstance(other, int | float):
            for each in both:
                del each[section]["n"]
    return bool(both[0] == both[1])


def _unlike_merged(question: Question, theirs: Answer, ours: Answer) -> bool:
    trips = ("object does not support item assignment", "object has no attribute 'extend'",
             "list indices must be integers", "'str' object has no attribute 'get'",
             "'str' object has no attribute 'items'")  # fmt: skip
    return ours.value is not None and any(each in theirs.refused for each in trips)


def _repeated_number(question: Question, theirs: Answer, ours: Answer) -> bool:
    return "replace() argument 2 must be str" in theirs.refused and ours.value is not None


def _repeated_empty_key(question: Question, theirs: Answer, ours: Answer) -> bool:
    return theirs.value is not None and "an empty text cannot be replaced" in ours.refused


def _odd_from_yaql(question: Question, theirs: Answer, ours: Answer) -> bool:
    """In Heat's answer the pipe has made text of what JSON does not have."""
    is_set = theirs.value is not None and theirs.value.startswith(('{"o": "{', '{"o": "set('))
    is_time = theirs.value is not None and "datetime is nothing that JSON has" in ours.refused
    return is_time or (is_set and ours.value is not None)


def _more_than_an_index(question: Question, theirs: Answer, ours: Answer) -> bool:
    return theirs.value is not None and "there are 4 arguments" in ours.refused


def _empty_url_part(question: Question, theirs: Answer, ours: Answer) -> bool:
    parts: Any = next(calls(_outputs(question), "make_url"), {})
    empty = isinstance(parts, dict) and (None in parts.values() or parts.get("port") == "")
    return empty and bool(theirs.refused) and ours.value is not None


_CONDITION_REFUSED: Final = (
    "is no function",
    "cannot be used in a condition",
    "a condition is true, false",
    "must be true or false",
    "is not defined",
    "The Parameter",
    "arguments, which is too",
    "Circular definition of conditions",
)


def _condition_beside(question: Question, theirs: Answer, ours: Answer) -> bool:
    names = ("and", "or", "Fn::And", "Fn::Or")
    decides = any(True for name in names for _ in calls(_outputs(question), name))
    if theirs.value is None:
        value = ("Invalid condition", "(in unknown) is incorrect")
        return decides and ours.value is not None and any(each in theirs.refused for each in value)
    return decides and any(each in ours.refused for each in _CONDITION_REFUSED)


def _unused_condition(question: Question, theirs: Answer, ours: Answer) -> bool:
    conditions = _section(question, "conditions")
    told = any(each in ours.refused for each in _CONDITION_REFUSED)
    return "unused" in conditions and theirs.value is not None and told


def _null_condition(question: Question, theirs: Answer, ours: Answer) -> bool:
    names = ("Fn::Not", "if", "Fn::If")
    given = (each for name in names for each in calls(_outputs(question), name))
    is_null = any(isinstance(each, list) and each[:1] == [None] for each in given)
    return is_null and "a condition is" in ours.refused


def _condition_by_name(question: Question, theirs: Answer, ours: Answer) -> bool:
    named = any(True for _ in calls(_outputs(question), "Condition"))
    return named and bool(theirs.refused) and ours.value is not None


def _declaration(question: Question) -> dict[str, Any]:
    declared = _section(question, "parameters").get("p")
    return declared if isinstance(declared, dict) else {}


def _unfit_default(question: Question, theirs: Answer, ours: Answer) -> bool:
    return theirs.value is not None and "(its default)" in ours.refused


def _unchecked_default(question: Question, theirs: Answer, ours: Answer) -> bool:
    trips = (
        "has no len()",
        "expected string or bytes-like object",
        '([""] is not an allowed value',
        "(length (",
    )
    return ours.value is not None and any(each in theirs.refused for each in trips)


_UNMATCHED: Final = re.compile('"(?P<text>.*)" does not match pattern "(?P<pattern>.*)"', re.DOTALL)


def _matched_otherwise(question: Question, theirs: Answer, ours: Answer) -> bool:
    told = _UNMATCHED.search(theirs.refused)
    if told is None or ours.value is None:
        return False
    return re.fullmatch(told["pattern"], told["text"]) is not None


def _number_as_list(question: Question, theirs: Answer, ours: Answer) -> bool:
    return ours.value is not None and "object has no attribute 'split'" in theirs.refused


def _truth_as_number(question: Question, theirs: Answer, ours: Answer) -> bool:
    is_number = _declaration(question).get("type") == "number"
    return is_number and theirs.value in ('{"o": true}', '{"o": false}')


def _endless_number(question: Question, theirs: Answer, ours: Answer) -> bool:
    return "is not a finite number" in ours.refused and theirs.value is not None


def _odd_hidden(question: Question, theirs: Answer, ours: Answer) -> bool:
    flags = (".hidden: ", ".immutable: ", ".NoEcho: ")
    told = [each for each in _all_told(ours) if any(flag in each for flag in flags)]
    odd = all("neither true nor false" in each for each in told)
    return theirs.value is not None and bool(told) and odd


def _all_told(ours: Answer) -> list[str]:
    """Return the problems, each of which begins with its path."""
    return ours.refused.splitlines()


def _into_nothing(question: Question, theirs: Answer, ours: Answer) -> bool:
    """Tell whether all that is wrong stands in properties; that they are no map Heat tells too."""
    inside = re.compile(r"resources\.[^.]+\.properties[.:]")
    told = _all_told(ours)
    return theirs.value is not None and bool(told) and all(map(inside.match, told))


def _of_metadata(question: Question, theirs: Answer, ours: Answer) -> bool:
    inside = re.compile(r"resources\.[^.]+\.metadata[.:]")
    told = _all_told(ours)
    return theirs.value is not None and bool(told) and all(map(inside.match, told))


def _null_for_a_key(question: Question, theirs: Answer, ours: Answer) -> bool:
    said = re.search(
        r"Resource \S+ (\w+) type must be|Found a NoneType instead|(Tags) property should be"
        r"|(AllowedValues|AllowedPattern) must be|must have a min value",
        theirs.refused,
    )
    if said is None or ours.value is None:
        return False
    keys = {key.lower() for key in said.groups() if key} or {"conditions", "minlength", "maxlength",
                                                             "minvalue", "maxvalue"}  # fmt: skip
    return not keys.isdisjoint(_nulls(_template(question)))


def _nulls(value: Any) -> Iterator[str]:
    """Yield the keys of a template that have null, in lower case."""
    for key, each in value.items() if isinstance(value, dict) else enumerate(value):
        if each is None:
            yield str(key).lower()
        elif isinstance(each, dict | list):
            yield from _nulls(each)


def _described_by_number(question: Question, theirs: Answer, ours: Answer) -> bool:
    told = "escription type must be string" in theirs.refused
    return told and ours.value is not None and not _null_for_a_key(question, theirs, ours)


def _named_by_a_resource(question: Question, theirs: Answer, ours: Answer) -> bool:
    told = [each for each in _all_told(ours) if "must be known before any resource" in each]
    return theirs.value is not None and bool(told) and told == _all_told(ours)


def _two_constraints(question: Question, theirs: Answer, ours: Answer) -> bool:
    told = [each for each in _all_told(ours) if ": a constraint has one of the keys" in each]
    return theirs.value is not None and bool(told) and told == _all_told(ours)


def _mappings_no_map(question: Question, theirs: Answer, ours: Answer) -> bool:
    return theirs.value is not None and ours.refused.startswith("Mappings: this must be a map")


DIFFERENCES: Final[dict[str, Test]] = {
    "functions by template version": _newer_in_heat,
    "a key that is a number": _key_by_number,
    "`map_replace` with the key of another entry that has a new one": _keys_change_places,
    "null or an empty section in an environment": _nothing_in_environment,
    "`resources` of a registry in more than one environment file": _resources_of_all,
    "`encrypted_param_names` in more than one environment file": _listed_twice,
    "parameters that are merged to nothing": _merged_to_nothing,
    "a list or a number that is merged with a text": _list_and_text,
    "values of unlike types that are merged": _unlike_merged,
    "`repeat` over numbers and booleans": _repeated_number,
    "`repeat` with an empty key": _repeated_empty_key,
    "`yaql` that gives a set or a time": _odd_from_yaql,
    "`str_split` with more than an index": _more_than_an_index,
    "a wrong condition beside one that decides": _condition_beside,
    "a condition that nothing uses": _unused_condition,
    "a condition that is null": _null_condition,
    "`Condition: name` within a condition": _condition_by_name,
    "a default that does not fit its type": _unfit_default,
    "a default that Heat trips over": _unchecked_default,
    "`allowed_pattern` with more than one way to match": _matched_otherwise,
    "a number for a `comma_delimited_list`": _number_as_list,
    "true or false for a `number`": _truth_as_number,
    "a `number` that is not finite": _endless_number,
    "a value that goes to a type mapped to `OS::Heat::None`": _into_nothing,
    "a resource's metadata": _of_metadata,
    "an output in which a resource says which resource is meant (`get_resource: {get_attr: …}`)": (
        _named_by_a_resource
    ),
    "a constraint with more than one kind (`{range: …, allowed_values: …}`)": _two_constraints,
    "null for a key that is there": _null_for_a_key,
    "a resource's description that is a number or a boolean": _described_by_number,
    "`Mappings` that are no map": _mappings_no_map,
    "`hidden`, `NoEcho` or `immutable` that is neither true nor false": _odd_hidden,
    "`make_url` with a part that is null, or an empty port": _empty_url_part,
}
