"""Calls of every function: mostly as they are meant to be, some with anything for an argument."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

WORDS = ["a", "b", "c", "", "1", "a,b", "abcabc", "%x%", ",", "-", "é", "d", "x y"]
TEXT = st.sampled_from(WORDS)
NUMBER = st.integers(-2, 4) | st.sampled_from([1.5, 0.0, -1e20, 10**20])
SCALAR = st.none() | st.booleans() | NUMBER | TEXT
PARAMETERS: dict[str, Any] = {
    "s": {"type": "string", "default": "abc"},
    "e": {"type": "string", "default": ""},
    "n": {"type": "number", "default": 3},
    "f": {"type": "number", "default": "2.50"},
    "l": {"type": "comma_delimited_list", "default": "a,b,c"},
    "j": {"type": "json", "default": {"a": [1, {"b": "c"}], "d": None, "1": True}},
    "y": {"type": "boolean", "default": "yes"},
}
CONDITIONS: dict[str, Any] = {
    "yes": {"equals": [{"get_param": "s"}, "abc"]},
    "no": {"not": "yes"},
}
PATH = st.lists(st.sampled_from(["a", "b", "d", "1", 0, 1, 2, "0", "-1", None, True]), max_size=3)
GET_PARAM = st.sampled_from(list(PARAMETERS)).flatmap(
    lambda name: st.just({"get_param": name}) | PATH.map(lambda path: {"get_param": [name, *path]})
)
ANY = st.recursive(
    SCALAR | GET_PARAM,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
KEYS = TEXT


def seldom(usual: st.SearchStrategy[Any], odd: st.SearchStrategy[Any] = ANY) -> Any:
    """Return mostly what is ``usual``."""
    return st.integers(0, 9).flatmap(lambda number: odd if number == 9 else usual)


def of(*slots: st.SearchStrategy[Any]) -> Any:
    """Return lists of arguments, seldom with one too many or too few."""
    whole = st.tuples(*map(seldom, slots)).map(list)
    return seldom(whole, whole.map(lambda each: each[:-1]) | whole.map(lambda each: [*each, "a"]))


def fields(optional: dict[str, Any] | None = None, **required: st.SearchStrategy[Any]) -> Any:
    """Return maps of arguments, seldom with one missing."""
    slots = {name: seldom(each) for name, each in required.items()}
    more = {name: seldom(each) for name, each in (optional or {}).items()}
    whole = st.fixed_dictionaries(slots, optional=more)
    part = st.fixed_dictionaries({}, optional={**slots, **more, "odd": TEXT})
    return seldom(whole, part)


LIST = st.lists(SCALAR, max_size=4) | st.just({"get_param": "l"}) | st.none()
MAP = st.dictionaries(KEYS, SCALAR, max_size=3) | st.just({"get_param": "j"}) | st.none()
LISTS = st.lists(seldom(LIST | st.lists(ANY, max_size=3)), max_size=3)
PATTERN = st.sampled_from(["a%x%", "abcabc", "a-b", "1 a", "", "aéb"])
FORM = st.recursive(
    PATTERN | SCALAR,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(PATTERN, inner, max_size=2),
    max_leaves=3,
)
REPLACE = fields(template=PATTERN | TEXT, params=st.dictionaries(KEYS, ANY, max_size=3))
CONDITION = st.recursive(
    st.sampled_from(["yes", "no", "unknown", {"get_param": "y"}, {"get_param": "s"}])
    | st.booleans(),
    lambda inner: (
        st.tuples(ANY, ANY).map(lambda two: {"equals": list(two)})
        | seldom(inner).map(lambda one: {"not": one})
        | st.lists(seldom(inner), min_size=1, max_size=3).map(lambda some: {"and": some})
        | st.lists(seldom(inner), min_size=1, max_size=3).map(lambda some: {"or": some})
    ),
    max_leaves=4,
)
URL = fields(
    {
        "scheme": st.sampled_from(["http", "https", ""]),
        "username": TEXT,
        "password": TEXT,
        "host": st.sampled_from(["h", "::1", "[::1]", "10.0.0.1", ""]),
        "port": st.sampled_from([80, "80", 0, 65536, "x", "", None]),
        "path": st.sampled_from(["/a", "a", "", "/a b", "/é"]),
        "query": st.dictionaries(st.sampled_from(["q", "r s"]), SCALAR, max_size=2),
        "fragment": st.sampled_from(["f", "", "a b"]),
    }
)
MEMBERS = st.lists(
    st.tuples(st.sampled_from(["0", "1", "x"]), st.sampled_from(["Name", "Value", "Odd"]), TEXT)
    .map(lambda three: f".member.{three[0]}.{three[1]}={three[2]}") | TEXT,
    max_size=4,
)  # fmt: skip
SELECTED = LIST | MAP | st.sampled_from(['["a", 1]', '{"a": 2}', "[", ""])

ALGORITHM = st.sampled_from(["md5", "sha256", "SHA512", "sha3_256", "odd", "shake_128"])

EXPRESSION = st.sampled_from(
    [
        "$.data", "$", "$.data.a", "$.data.a.b", "$.data.len()", "$.data.select($ + 1)",
        "$.data.where($ != null)", "$.data.toSet()", "$.data.distinct()", "$.data.orderBy($)",
        "$.data.keys()", "$.data.items()", "$.data.toDict($, 1)", "$.data.zip($.data)",
        "$.data.a.flatten()", "$.data.join(',')", "str($.data)", "$.data.first()", "$.data.sum()",
        "dict(a => 1)", "set(1, 2)", "[1, [2]]", "range(3)", "range(300)", "1 / 0", "'é'", "1 +",
        "nothing($)", "$.data.reverse()", "$.data.groupBy($)", "now()", "$.data > 1", "null", "1.5",
        "$.data.a and $.data.b",
        "regex('a+').matches($.data)", "let(x => 1) -> $x", "{a => $.data}",
    ]
)  # fmt: skip
ARGUMENTS: dict[str, Any] = {
    "get_param": seldom(GET_PARAM.map(lambda call: call["get_param"])),
    "get_file": seldom(st.sampled_from(["f", "g"])),
    "list_join": st.tuples(seldom(TEXT), LISTS).map(lambda two: [two[0], *two[1]]),
    "str_replace": REPLACE,
    "str_replace_strict": REPLACE,
    "str_replace_vstrict": REPLACE,
    "repeat": fields(
        {"permutations": st.booleans()},
        template=FORM, for_each=st.dictionaries(KEYS, seldom(LIST | MAP), max_size=2),
    ),
    "digest": of(ALGORITHM, TEXT),
    "str_split": of(TEXT | st.none(), TEXT | st.none()) | of(TEXT, TEXT, NUMBER | TEXT),
    "map_merge": st.lists(seldom(MAP), max_size=3),
    "map_replace": of(
        MAP,
        fields({"keys": st.dictionaries(KEYS, seldom(TEXT, ANY), max_size=2), "values": MAP}),
    ),
    "list_concat": LISTS,
    "list_concat_unique": LISTS,
    "contains": of(SCALAR, LIST | TEXT),
    "filter": of(LIST, LIST),
    "make_url": URL,
    "yaql": fields(expression=EXPRESSION, data=ANY),
    "resource_facade": seldom(st.sampled_from(["metadata", "deletion_policy", "update_policy"])),
    "if": of(CONDITION, ANY, ANY) | of(CONDITION, ANY),
    "Fn::Select": of(NUMBER | TEXT, SELECTED),
    "Fn::Join": of(TEXT, LIST),
    "Fn::Split": of(TEXT, TEXT),
    "Fn::Replace": of(st.dictionaries(KEYS, SCALAR, max_size=3), PATTERN),
    "Fn::Base64": seldom(TEXT),
    "Fn::GetAZs": ANY,
    "Fn::MemberListToMap": of(st.sampled_from(["Name", "x"]), st.just("Value"), MEMBERS),
    "Fn::ResourceFacade": st.sampled_from(["Metadata", "DeletionPolicy", "UpdatePolicy", "odd"]),
    "Ref": seldom(st.sampled_from([*PARAMETERS, "odd"])),
}  # fmt: skip
CFN_CONDITIONS: dict[str, Any] = {
    "Yes": {"Fn::Equals": [{"Ref": "s"}, "abc"]},
    "No": {"Fn::Not": ["Yes"]},
}
CFN_CONDITION = st.recursive(
    st.sampled_from(["Yes", "No", True, {"Condition": "Yes"}]),
    lambda inner: (
        st.tuples(SCALAR, SCALAR | st.sampled_from([{"Ref": "s"}, {"Ref": "n"}, {"Ref": "x"}]))
        .map(lambda two: {"Fn::Equals": list(two)})
        | st.lists(seldom(inner), min_size=1, max_size=2).map(lambda some: {"Fn::Not": some})
        | st.lists(seldom(inner), min_size=1, max_size=3).map(lambda some: {"Fn::And": some})
        | st.lists(seldom(inner), min_size=1, max_size=3).map(lambda some: {"Fn::Or": some})
    ),
    max_leaves=4,
)  # fmt: skip
CFN_ARGUMENTS: dict[str, Any] = {
    **{name: each for name, each in ARGUMENTS.items() if name.startswith(("Fn::", "Ref"))},
    "Fn::FindInMap": of(st.sampled_from(["M", "N"]), st.sampled_from(["k", "1", 1]), TEXT),
}
