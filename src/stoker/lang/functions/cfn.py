"""The functions of CloudFormation templates, some of which the first HOT versions inherited.

What is not here is made of other functions by the reader: ``Ref``, ``Fn::If``, names of conditions.
"""

from __future__ import annotations

import re
from typing import Any, Final

from stoker.lang.depth import json_value
from stoker.lang.functions.arguments import (
    a_list,
    a_map,
    check_size,
    items,
    or_null,
    shown,
    text,
    whole_number,
    wrong,
)
from stoker.lang.functions.logic import and_, equals, or_, truth
from stoker.lang.functions.references import get_attr_or_all
from stoker.lang.functions.registry import NEVER, Scope, function
from stoker.lang.functions.strings import list_join_one, str_replace_scalars, str_split
from stoker.lang.syntax import is_open
from stoker.lang.unknown import UNKNOWN
from stoker.lang.versions import AWS, CFN
from stoker.lang.wording import type_name

_FIRST: Final = {"since": "2013-05-23", "until": "2014-10-16", "cfn": CFN}
_ONLY: Final = {"since": NEVER, "cfn": CFN}
_CONDITION: Final = {"since": NEVER, "cfn": (AWS,), "cfn_conditions": True, "in_values": False}
_FACADE: Final = {
    "Metadata": "metadata",
    "DeletionPolicy": "deletion_policy",
    "UpdatePolicy": "update_policy",
}
NAMED: Final = re.compile(r"\$\{([^{}]*)\}")
"""What Fn::Sub replaces."""
_MEMBER: Final = re.compile(r"\.member\.([0-9]+)\.([^=]*)=(.*)", re.DOTALL)


@function(
    "Fn::Select", "Fn::Select: [index or key, list or map]", since="2013-05-23",
    until="2015-10-15", cfn=CFN, written=True,
)  # fmt: skip
def select(args: Any) -> Any:
    """Return one item; an empty text where there is none."""
    index, whole = items(args, 2, 2)
    if isinstance(whole, str) and whole:
        whole = _from_json(whole)
    if isinstance(whole, dict):
        return whole.get(str(index), "")
    if whole is None or whole == "" or is_open(whole):
        return ""
    return _item(a_list(whole, "what is selected from"), index)


def _from_json(whole: str) -> Any:
    try:
        return json_value(whole)
    except ValueError as error:
        raise wrong(f"{shown(whole)} is not valid JSON: {error}") from None


def _item(whole: list[Any], index: Any) -> Any:
    position = whole_number(index, "the index")
    return whole[position] if -len(whole) <= position < len(whole) else ""


@function(
    "Ref", "Ref: name of a resource or of a parameter", lenient=True, cfn_conditions=True, **_FIRST
)
def ref(args: Any) -> Any:
    """As get_resource where there is such a resource, else as get_param.

    The reader writes one of these for it; what comes here has no name that it could read.
    """
    raise wrong(f"the name must stand here itself, not {shown(args)}")


@function("Fn::Join", "Fn::Join: [delimiter, list]", makes=True, written=True, **_FIRST)
def join(args: Any) -> str:
    """As list_join with one list."""
    return list_join_one(args)


@function("Fn::Split", "Fn::Split: [delimiter, text]", written=True, **_FIRST)
def split(args: Any) -> Any:
    """As str_split, but null cannot be split."""
    delimiter, whole = items(args, 2, 2)
    return str_split([text(delimiter, "the delimiter"), text(whole, "what is split")])


@function("Fn::Replace", "Fn::Replace: [{key: value, …}, text]", makes=True, written=True, **_FIRST)
def replace(args: Any) -> str:
    """As str_replace, with the arguments in a list."""
    params, template = items(args, 2, 2)
    return str_replace_scalars({"template": template, "params": params})


@function(
    "Fn::Sub", "Fn::Sub: text with ${Name} or ${Resource.Attribute}, or [text, {Name: value}]",
    makes=True, cfn_conditions=True, **_ONLY,
)  # fmt: skip
def sub(args: Any) -> str:
    """Put values in place of the names; the reader brings both.

    What stands after an exclamation mark is no name: ``${!x}`` gives ``${x}``.
    """
    whole, values = items(args, 2, 2)
    known = a_map(values, "the values")
    size = len(whole)

    def put(match: re.Match[str]) -> str:
        nonlocal size
        name = match[1]
        found = f"${{{name[1:]}}}" if name.startswith("!") else _scalar(name, known[name])
        size += len(found)
        check_size(size)
        return found

    return NAMED.sub(put, text(whole, "the text"))


def _scalar(name: str, value: Any) -> str:
    if isinstance(value, dict | list):
        raise wrong(
            f"${{{name}}} must be text or a number, not {type_name(value)} ({shown(value)})"
        )
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


@function("Fn::Base64", "Fn::Base64: text", **_FIRST)
def base64(args: Any) -> str:
    """Return the text as it is: the services encode where that is needed."""
    return text(args, "what is encoded")


@function("Fn::GetAZs", "Fn::GetAZs: region", scoped=True, **_FIRST)
def get_azs(scope: Scope, args: Any) -> Any:
    """Return the names of the compute service's zones, whatever region is named."""
    del args  # a stack has one region
    return scope.zones()


@function(
    "Fn::MemberListToMap", "Fn::MemberListToMap: [key name, value name, list]",
    written=True, **_FIRST,
)  # fmt: skip
def member_list_to_map(args: Any) -> dict[str, Any]:
    """``[Name, Value, [".member.0.Name=k", ".member.0.Value=v"]]`` is ``{k: v}``.

    What has no name, or no value, or is called otherwise, is left out.
    """
    key_name, value_name, members = items(args, 3, 3)
    text(key_name, "the key name")
    text(value_name, "the value name")
    rows: dict[str, dict[str, str]] = {}
    if not (isinstance(members, list | dict | str) or is_open(members)):
        raise wrong(f"the third argument must be a list, not {shown(members)}")
    for each in a_list(or_null(members), "the third argument"):
        if is_open(each):
            continue
        if "=" not in text(each, "a member"):
            raise wrong(f"a member looks like .member.0.Name=value, not {shown(each)}")
        found = _MEMBER.fullmatch(each)
        if found is None:
            continue
        rows.setdefault(found[1], {})[found[2]] = found[3]
    if is_open(key_name) or is_open(value_name):
        return {}
    return {
        row[key_name]: row[value_name]
        for row in rows.values()
        if key_name in row and value_name in row
    }


@function(
    "Fn::ResourceFacade", f"Fn::ResourceFacade: one of {', '.join(_FACADE)}", scoped=True, **_FIRST
)
def resource_facade(scope: Scope, args: Any) -> Any:
    """As resource_facade, with CloudFormation's words."""
    if not isinstance(args, str) or args not in _FACADE:
        raise wrong(f"this does not know {shown(args)}")
    return scope.facade(_FACADE[args])


@function(
    "Fn::GetAtt", "Fn::GetAtt: [resource, attribute]",
    scoped=True, lenient=True, refers=True, written=True, **_ONLY,
)  # fmt: skip
def get_att(scope: Scope, args: Any) -> Any:
    """As get_attr, without a path."""
    return get_attr_or_all(scope, items(args, 2, 2))


@function(
    "Fn::FindInMap", "Fn::FindInMap: [mapping, key, key]",
    cfn_conditions=True, written=True, **_ONLY,
)  # fmt: skip
def find_in_map(args: Any) -> Any:
    """Return what a mapping has under two keys; the reader puts the mappings before them."""
    mappings, *keys = items(args, 4, 4)
    found = mappings
    for key in keys:
        if is_open(key):
            return ""
        if not isinstance(found, dict) or not isinstance(key, str | int) or str(key) not in found:
            known = ", ".join(found) if isinstance(found, dict) else "nothing"
            raise wrong(f"there is no {shown(key)}; there is {known}")
        found = found[str(key)]
    return found


@function("Fn::Not", "Fn::Not: [condition]", lenient=True, **_CONDITION)
def not_(args: Any) -> Any:
    """Tell the opposite."""
    (condition,) = items(args, 1, 1)
    return UNKNOWN if condition is UNKNOWN else not truth(condition)


function("Fn::Equals", "Fn::Equals: [value, value]", **_CONDITION)(equals)
function("Fn::And", "Fn::And: [condition, condition, …]", lenient=True, **_CONDITION)(and_)
function("Fn::Or", "Fn::Or: [condition, condition, …]", lenient=True, **_CONDITION)(or_)


@function("Fn::If", "Fn::If: [condition, value if true, value if false]", since=NEVER, cfn=(AWS,))
def if_(args: Any) -> Any:
    """Choose between two values; what comes here has no form that the reader could read."""
    raise wrong(f"this needs a list of three, not {shown(args)}")
