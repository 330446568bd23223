"""Where a row belongs in a tree of stacks."""

from __future__ import annotations

from stoker.cli.nesting import homes, key_of, linked
from tests.cli.rows import ROOT, row


def test_a_link_leads_to_the_id_of_a_stack() -> None:
    member = row("a", "CREATE_COMPLETE", nested="inner")
    assert (linked(member, "stack"), linked(member, "nested")) == (ROOT, "inner")
    assert linked(member, "root_stack") == ""
    assert linked({}, "stack") == ""


def test_the_key_is_all_names_from_the_stack_down() -> None:
    rows = [
        row("leaf", "X", within="two"),
        row("middle", "X", within="one", nested="two"),
        row("top", "X", nested="one"),
    ]
    known = homes(rows)
    assert known == {"one": ("top",), "two": ("top", "middle")}
    assert key_of(rows[0], known) == ("top", "middle", "leaf")
    assert key_of(rows[2], known) == ("top",)


def test_without_links_the_parent_s_name_is_used() -> None:
    assert key_of({"resource_name": "a", "parent_resource": "p"}, {}) == ("p", "a")
    assert key_of({"resource_name": "a"}, {}) == ("a",)


def test_stacks_that_seem_to_hold_each_other_do_not_hang() -> None:
    rows = [row("a", "X", within="two", nested="one"), row("b", "X", within="one", nested="two")]
    assert homes(rows) == {"one": ("b", "a"), "two": ("a", "b")}
