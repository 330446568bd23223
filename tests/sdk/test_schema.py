from __future__ import annotations

import sys
from collections.abc import Mapping
from types import FrameType
from typing import Any

import pytest

from stoker.errors import Bug, Invalid, Kind
from stoker.lang.unknown import UNKNOWN
from stoker.sdk.cloud import Lookup
from stoker.sdk.schema import HIDDEN, Attr, Limits, Props, Support, make_props, prop


class Address(Props):
    subnet_id: str | None = prop("Old name.", default=None, becomes="subnet", support=HIDDEN)
    subnet: str | None = prop("Subnet.", default=None, is_a="neutron.subnet")
    ip: str | None = prop("Address.", default=None, is_a="ip_addr")


class Thing(Props):
    network: str = prop("Network.", is_a="neutron.network")
    name: str | None = prop("Name.", default=None, updatable=True)
    size: int = prop("Size.", default=3, updatable=True, at_least=1, at_most=9)
    ratio: float | None = prop("Ratio.", default=None, step=(5, 1))
    up: bool = prop("Whether it is up.", default=True, immutable=True)
    kind: str = prop("Kind.", default="a", one_of=("a", "b"), wire="thing:kind")
    gateway: str | None = prop("Gateway.", default=None, null="")
    addresses: tuple[Address, ...] = prop("Addresses.", default=[], updatable=True, longest=2)
    words: tuple[str, ...] | None = prop("Words.", default=None, each=Limits(pattern="[a-z]+"))
    specs: Mapping[str, Any] = prop("Specs.", default={})
    anything: Any = prop("Anything.", default=None)
    code: str | None = prop("Code.", default=None, shortest=2, secret=True)


def problems(raw: Mapping[str, Any]) -> list[str]:
    return [str(each) for each in Thing.check(raw)]


def test_values_are_converted_to_their_types() -> None:
    thing = Thing.parse(
        {
            "network": 7,
            "size": "4",
            "ratio": "6.0",
            "up": "False",
            "thing:kind": "b",
            "words": ["x"],
            "addresses": [{"ip": "10.0.0.1"}],
            "specs": {"a": [1]},
        }
    )
    assert (thing.network, thing.size, thing.ratio, thing.up, thing.kind) == (
        "7",
        4,
        6.0,
        False,
        "b",
    )
    assert thing.addresses == (Address(ip="10.0.0.1"),)
    assert thing.words == ("x",)
    assert thing.specs == {"a": (1,)}


class Written(Props):
    one: str = prop("One.", default="IPv4", one_of=(4, "IPv4", "tcp"), any_case=True)


@pytest.mark.parametrize(("given", "read"), [(True, 1), (False, 0), ("7", 7), (7.0, 7), (7, 7)])
def test_a_number_may_come_as_text_or_as_a_boolean(given: Any, read: int) -> None:
    class Numbers(Props):
        whole: int = prop("Whole.")
        any: float = prop("Any.")

    found = Numbers.parse({"whole": given, "any": given})
    assert (found.whole, found.any) == (read, read)
    assert type(found.whole) is int
    assert type(found.any) is not bool


@pytest.mark.parametrize(
    ("given", "read"), [("TCP", "tcp"), ("ipV4", "IPv4"), ("tcp", "tcp"), (4, "4"), ("4", "4")]
)
def test_a_word_may_be_read_whatever_its_case(given: Any, read: str) -> None:
    assert Written.parse({"one": given}).one == read


@pytest.mark.parametrize("given", ["udp", 5, ["tcp"]])
def test_other_words_are_refused_whatever_their_case(given: Any) -> None:
    (found,) = Written.check({"one": given})
    assert found.at == ("one",)


def test_what_is_not_given_or_null_has_its_default() -> None:
    thing = Thing.parse({"network": "n", "name": None, "size": None})
    assert (thing.name, thing.size, thing.up, thing.addresses) == (None, 3, True, ())
    assert thing.gateway is None


def test_an_explicit_null_can_mean_something() -> None:
    assert Thing.parse({"network": "n", "gateway": None}).gateway == ""


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ({}, "Property network not assigned"),
        ({"network": None}, "Property network not assigned"),
        ({"network": "n", "nam": 1}, "nam: Unknown Property nam; there are: addresses"),
        ({"network": ["n"]}, "network: ['n'] is not a string"),
        ({"network": "n", "size": "x"}, "size: Value 'x' is not an integer"),
        ({"network": "n", "size": 3.5}, "size: Value 3.5 is not an integer"),
        ({"network": "n", "size": 0}, "size: 0 is out of range: must be at least 1 and at most 9"),
        ({"network": "n", "ratio": []}, "ratio: Value [] is not a number"),
        ({"network": "n", "ratio": 7}, "ratio: 7 is not 1 plus a multiple of 5"),
        ({"network": "n", "up": "maybe"}, "up: 'maybe' is not a boolean"),
        ({"network": "n", "thing:kind": "c"}, "thing:kind: 'c' is not one of a, b"),
        ({"network": "n", "addresses": {}}, "addresses: {} is not a list"),
        ({"network": "n", "addresses": ["x"]}, "addresses[0]: 'x' is not a map of properties"),
        ({"network": "n", "addresses": [{"ip": "x"}]}, "addresses[0].ip: 'x' is not an IP address"),
        (
            {"network": "n", "addresses": [{}] * 3},
            "addresses: 3 is out of range: length must be at",
        ),
        ({"network": "n", "words": ["a", "B"]}, "words[1]: 'B' does not match [a-z]+"),
        ({"network": "n", "specs": "x"}, "specs: 'x' is not a map"),
        ({"network": "n", "code": "x"}, "code: 1 is out of range: length must be at least 2"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(raw: Mapping[str, Any], text: str) -> None:
    (found,) = problems(raw)
    assert found.startswith(text)


def test_every_problem_is_told_at_once_as_a_property_problem() -> None:
    with pytest.raises(Invalid) as caught:
        Thing.parse({"size": "x", "up": "maybe", "z": 1}, ("resources", "r"))
    assert len(caught.value.problems) == 4
    assert {each.kind for each in caught.value.problems} == {Kind.PROPERTY}
    assert all(each.at[:2] == ("resources", "r") for each in caught.value.problems)


def test_unknown_values_pass_everywhere_and_are_named() -> None:
    raw = {"network": UNKNOWN, "size": UNKNOWN, "words": [UNKNOWN], "addresses": [{"ip": UNKNOWN}]}
    thing = Thing.parse({**raw, "specs": {"a": UNKNOWN}})
    assert thing.network is UNKNOWN  # type: ignore[comparison-overlap]
    assert thing.open() == {"network", "size", "words", "addresses", "specs"}


def test_unknown_does_not_hide_what_is_wrong_elsewhere() -> None:
    assert problems({"network": UNKNOWN, "addresses": [{"ip": "x", "subnet": UNKNOWN}]})


def test_a_replaced_name_is_read_as_the_new_one() -> None:
    assert Address.parse({"subnet_id": "s"}) == Address(subnet="s")
    assert Address.parse({"subnet_id": UNKNOWN}).subnet is UNKNOWN  # type: ignore[comparison-overlap]
    (found,) = Address.check({"subnet_id": "s", "subnet": "t"})
    assert "give only subnet" in found.text


def test_lookups_are_asked_for_what_is_known() -> None:
    thing = Thing.parse({"network": "n", "addresses": [{"subnet": UNKNOWN}, {"subnet_id": "s"}]})
    assert Thing.lookups_in(thing) == [
        Lookup("neutron.network", "n", ("network",)),
        Lookup("neutron.subnet", "s", ("addresses", 1, "subnet")),
    ]


def test_differences_are_named_by_field() -> None:
    one = Thing.parse({"network": "n", "thing:kind": "a", "specs": {"a": [1, {"b": 2}]}})
    same = Thing.parse({"network": "n", "specs": {"a": [1, {"b": 2}]}, "size": "3"})
    other = Thing.parse({"network": "n", "thing:kind": "b", "specs": {}})
    assert one.changed(same) == frozenset()
    assert hash(one) == hash(same)
    assert one.changed(other) == {"kind", "specs"}
    assert Thing.updatable() == {"name", "size", "addresses"}
    assert Thing.immutable() == {"up"}
    assert Thing.secrets() == {"code"}


def test_the_schema_is_shown_as_the_api_shows_it() -> None:
    shown = Thing.schema()
    assert shown["size"] == {
        "type": "integer",
        "description": "Size.",
        "default": 3,
        "required": False,
        "constraints": [{"range": {"min": 1, "max": 9}}],
        "update_allowed": True,
        "immutable": False,
    }
    assert shown["addresses"]["schema"]["*"]["type"] == "map"
    assert shown["addresses"]["schema"]["*"]["schema"].keys() == {"subnet", "ip"}
    assert shown["words"]["schema"]["*"]["constraints"] == [{"allowed_pattern": "[a-z]+"}]
    assert shown["thing:kind"]["constraints"] == [{"allowed_values": ["a", "b"]}]
    assert shown["network"]["constraints"] == [{"custom_constraint": "neutron.network"}]
    assert shown["ratio"]["constraints"] == [{"modulo": {"step": 5, "offset": 1}}]
    assert shown["anything"]["type"] == "any"


def test_an_attribute_shows_its_type_only_if_it_has_one() -> None:
    assert Attr("Doc.", "map").schema() == {"description": "Doc.", "type": "map"}
    assert Attr("Doc.", None).schema() == {"description": "Doc."}


def test_support_is_shown_with_what_was_before() -> None:
    shown = Support("HIDDEN", "5.0.0", previous=Support("DEPRECATED")).schema()
    assert (shown["status"], shown["version"]) == ("HIDDEN", "5.0.0")
    assert shown["previous_status"]["status"] == "DEPRECATED"


def test_given_is_what_parses_to_the_same_again() -> None:
    thing = Thing.parse({"network": "n", "addresses": [{"subnet_id": "s"}], "specs": {"a": [1]}})
    assert Thing.parse(thing.given()) == thing


def test_a_class_can_be_made_at_run_time() -> None:
    made = make_props(
        "Made",
        {
            "p0": (str | None, prop("First.", wire="a name", late=True)),
            "p1": (tuple[Any, ...] | None, prop("List.", default="x,y", convert=True, late=True)),
        },
    )
    props = made.parse({"p1": "a,b"})
    assert vars(props) == {"p0": None, "p1": ("a", "b")}
    assert made.schema()["a name"]["required"] is True
    assert made.schema()["p1"]["default"] == "x,y"


def test_text_may_stand_for_a_list_or_a_map_where_that_is_said() -> None:
    made = make_props(
        "Made", {"m": (Mapping[str, Any] | None, prop("Map.", default=None, convert=True))}
    )
    assert vars(made.parse({"m": '{"a": 1}'}))["m"] == {"a": 1}
    assert made.check({"m": "{"})
    assert made.check({"m": "[1]"})


def test_an_open_class_takes_any_name() -> None:
    class Open(Props, open=True):
        known: int = prop("Known.", default=1)

    assert Open.parse({"other": object(), "known": "2"}).known == 2


def test_a_class_inherits_the_properties_of_its_base() -> None:
    class More(Address):
        extra: str = prop("More.", default="e")

    assert More.parse({"ip": "10.0.0.1"}) == More(ip="10.0.0.1", extra="e")


def test_a_default_that_its_own_schema_refuses_is_a_bug() -> None:
    with pytest.raises(Bug):
        make_props("Wrong", {"n": (int, prop("N.", default="x"))})


def test_a_small_resource_is_checked_in_a_few_dozen_calls() -> None:
    raw = {"network": "n", "size": "4", "addresses": [{"ip": "10.0.0.1"}], "thing:kind": "b"}
    called: list[str] = []

    def note(frame: FrameType, event: str, _arg: object) -> None:
        if event == "call":
            called.append(frame.f_code.co_name)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        Thing.read(raw, (), [])
    finally:
        sys.setprofile(before)
    assert 10 < len(called) < 60  # 46: a table is walked, and nothing is compiled or copied
