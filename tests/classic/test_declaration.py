"""What a plugin's ``properties_schema`` means here."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from stoker.classic.attributes import Schema as Attribute
from stoker.classic.attributes import declared
from stoker.classic.constraints import (
    AllowedPattern,
    AllowedValues,
    Constraint,
    CustomConstraint,
    Length,
    Modulo,
    Range,
)
from stoker.classic.declaration import changeable, field_name, made
from stoker.classic.exception import InvalidSchemaError
from stoker.classic.properties import Properties, Schema
from stoker.classic.resource import Resource
from stoker.classic.support import HIDDEN, SUPPORTED, UNKNOWN, SupportStatus
from stoker.errors import Invalid
from stoker.sdk.cloud import Lookup

SCHEMA = {
    "name": Schema(Schema.STRING, "Its name.", required=True),
    "size": Schema(Schema.INTEGER, default=1, update_allowed=True),
    "ratio": Schema(Schema.NUMBER),
    "on": Schema(Schema.BOOLEAN, default=False),
    "anything": Schema(Schema.ANY),
    "tags": Schema(Schema.LIST, schema=Schema(Schema.STRING)),
    "loose": Schema(Schema.LIST),
    "free": Schema(Schema.MAP),
    "rules": Schema(
        Schema.LIST,
        schema=Schema(
            Schema.MAP,
            schema={"port": Schema("Integer", required=True), "to": Schema("String")},
        ),
    ),
    "text": Schema(Schema.LIST, allow_conversion=True),
}


def test_a_plugin_reads_every_declared_property_as_plain_json() -> None:
    given = {"name": "a", "size": "3", "tags": ["x"], "rules": [{"port": "80"}], "text": "a,b"}
    properties = Properties(SCHEMA, {**given, "free": {"a": [1]}})
    assert dict(properties) == {
        "name": "a",
        "size": 3,
        "ratio": None,
        "on": False,
        "anything": None,
        "tags": ["x"],
        "loose": None,
        "free": {"a": [1]},
        "rules": [{"port": 80, "to": None}],
        "text": ["a", "b"],
    }
    assert type(properties["free"]) is dict
    assert type(properties["free"]["a"]) is list


def test_an_undeclared_property_is_a_key_error() -> None:
    properties = Properties(SCHEMA, {"name": "a"})
    with pytest.raises(KeyError, match="Invalid Property colour"):
        properties["colour"]
    assert properties.get("colour", "none") == "none"
    assert "colour" not in properties


def test_what_the_template_gives_can_be_told_from_defaults() -> None:
    properties = Properties(SCHEMA, {"name": "a"})
    assert (properties["size"], properties.get_user_value("size")) == (1, None)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "name not assigned"),
        ({"name": "a", "size": "many"}, "not an integer"),
        ({"name": "a", "rules": [{}]}, "port not assigned"),
        ({"name": "a", "colour": "red"}, "Unknown Property colour"),
    ],
)
def test_what_is_wrong_is_told_as_for_built_in_types(given: dict[str, Any], told: str) -> None:
    with pytest.raises(Invalid, match=told):
        made("T", SCHEMA).parse(given)


def test_a_schema_is_shown_as_it_was_declared() -> None:
    shown = made("T", SCHEMA).schema()
    assert shown["name"] == {
        "type": "string",
        "required": True,
        "description": "Its name.",
        "update_allowed": False,
        "immutable": False,
    }
    assert (shown["size"]["default"], shown["size"]["update_allowed"]) == (1, True)
    assert shown["rules"]["schema"]["*"]["schema"]["port"]["type"] == "integer"


@pytest.mark.parametrize(
    ("constraint", "data_type", "good", "bad"),
    [
        (Range(1, 3), Schema.INTEGER, 3, 4),
        (Range(min=1), Schema.INTEGER, 1, 0),
        (Length(min=2, max=3), Schema.STRING, "ab", "a"),
        (Modulo(step=4, offset=1), Schema.INTEGER, 5, 4),
        (AllowedValues(["a", "b"]), Schema.STRING, "b", "c"),
        (AllowedPattern("[a-z]+"), Schema.STRING, "abc", "abc1"),
    ],
)
def test_a_constraint_lets_the_good_value_pass_and_not_the_bad(
    constraint: Constraint, data_type: str, good: Any, bad: Any
) -> None:
    props = made("T", {"it": Schema(data_type, constraints=[constraint])})
    assert props.check({"it": good}) == []
    assert len(props.check({"it": bad})) == 1


def test_the_items_of_a_list_are_held_to_their_own_constraints() -> None:
    item = Schema(Schema.STRING, constraints=[AllowedValues(["a"])])
    props = made("T", {"it": Schema(Schema.LIST, schema=item, constraints=[Length(max=2)])})
    assert props.check({"it": ["a", "a"]}) == []
    assert len(props.check({"it": ["a", "b"]})) == 1
    assert len(props.check({"it": ["a"] * 3})) == 1


def test_a_custom_constraint_is_looked_up() -> None:
    props = made("T", {"it": Schema("String", constraints=[CustomConstraint("nova.flavor")])})
    assert props.lookups_in(props.parse({"it": "m1"})) == [Lookup("nova.flavor", "m1", ("it",))]


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        (Schema("Text"), "'Text' is no type"),
        (Schema("Integer", constraints=[Range(1), Range(2)]), "two constraints of one kind"),
        (Schema("String", constraints=[AllowedPattern("(")]), "cannot be used"),
    ],
)
def test_a_schema_that_has_no_meaning_is_told_when_it_is_read(schema: Schema, told: str) -> None:
    with pytest.raises(InvalidSchemaError, match=told):
        made("T", {"it": schema})


@pytest.mark.parametrize("wire", ["class", "user-data", "parse", "2nd", "__x", "größe", "a b"])
def test_any_name_can_be_a_property(wire: str) -> None:
    assert field_name(wire).isidentifier()
    assert dict(Properties({wire: Schema("String")}, {wire: "v"})) == {wire: "v"}


def test_two_names_that_would_be_one_field_are_two_properties() -> None:
    schema = {"user-data": Schema("String"), "user_data": Schema("String")}
    given = {"user-data": "a", "user_data": "b"}
    assert dict(Properties(schema, given)) == given


# which properties can be changed in place, where the schema says of none


class Silent(Resource):
    properties_schema: ClassVar[dict[str, Schema]] = {
        name: Schema(Schema.STRING) for name in ("name", "size", "tags")
    }
    NAME = "name"

    def handle_update(self, json_snippet: Any, tmpl_diff: Any, prop_diff: Any) -> None:
        if self.NAME in prop_diff or any(prop_diff.get("tags") for _ in (1,)):
            self.client().update(prop_diff)


def test_a_class_that_marks_none_means_those_that_its_update_names() -> None:
    assert changeable(Silent, Resource.handle_update) == {"name", "tags"}


def test_a_class_that_marks_one_means_just_that() -> None:
    class Marked(Silent):
        properties_schema: ClassVar[dict[str, Schema]] = {
            "name": Schema("String"),
            "size": Schema("String", update_allowed=True),
        }

    assert changeable(Marked, Resource.handle_update) == set()
    assert made("T", Marked.properties_schema).updatable() == {"size"}


def test_the_old_way_to_mark_them_counts() -> None:
    class Old(Silent):
        update_allowed_properties = ("size",)

    assert changeable(Old, Resource.handle_update) == {"size"}


def test_a_class_without_an_update_changes_none() -> None:
    class Still(Resource):
        properties_schema = Silent.properties_schema

    assert changeable(Still, Resource.handle_update) == set()


# attributes and support


def test_names_alone_declare_attributes_only_where_there_is_no_schema() -> None:
    class Listed(Resource):
        ATTRIBUTES = ("a", "b")

    class Both(Listed):
        attributes_schema: ClassVar[dict[str, Attribute]] = {
            "c": Attribute("C.", type=Attribute.LIST)
        }

    assert set(declared(Listed)) == {"a", "b"}
    assert declared(Both)["c"].schema() == {"description": "C.", "type": "list"}
    assert set(declared(Both)) == {"c"}


def test_support_is_stated_with_what_went_before() -> None:
    status = SupportStatus(HIDDEN, "gone", "5.0.0", SupportStatus(version="2.0.0"))
    stated = status.stated()
    assert (stated.status, stated.since, stated.message) == (HIDDEN, "5.0.0", "gone")
    assert stated.previous is not None
    assert (stated.previous.status, stated.previous.since) == (SUPPORTED, "2.0.0")
    assert SupportStatus("odd").status == UNKNOWN
