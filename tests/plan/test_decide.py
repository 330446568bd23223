from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from stoker.errors import Invalid
from stoker.lang.unknown import UNKNOWN
from stoker.plan.decide import Recorded, Verb, decide, needs_look
from stoker.sdk.resource import Resource
from tests.plan.wanting import FRAIL, NEST, PLAIN

AS_MADE = {"size": 2, "place": "here"}
MADE = Recorded("T::Plain", "CREATE", "COMPLETE", made=True, sent=AS_MADE, applied=AS_MADE)


def verb(recorded: Recorded | None, wanted: Any, kind: Resource[Any] = PLAIN) -> Verb:
    return decide(kind, kind.type_name, recorded, wanted).verb


@pytest.mark.parametrize(
    ("recorded", "wanted", "expected"),
    [
        pytest.param(None, AS_MADE, Verb.CREATE, id="nothing is recorded"),
        pytest.param(replace(MADE, made=False), AS_MADE, Verb.CREATE, id="nothing was made"),
        pytest.param(replace(MADE, type="T::Else"), AS_MADE, Verb.REPLACE, id="another type"),
        pytest.param(replace(MADE, status="FAILED"), AS_MADE, Verb.REPLACE, id="creation failed"),
        pytest.param(
            replace(MADE, action="DELETE", status="FAILED"),
            AS_MADE,
            Verb.REPLACE,
            id="its deletion was begun",
        ),
        pytest.param(
            replace(MADE, sent=None, applied=None), AS_MADE, Verb.REPLACE, id="it is not known how"
        ),
        pytest.param(MADE, AS_MADE, Verb.KEEP, id="nothing changed"),
        pytest.param(MADE, {**AS_MADE, "size": "2"}, Verb.KEEP, id="another way to write it"),
        pytest.param(MADE, {**AS_MADE, "size": 3}, Verb.UPDATE, id="changes in place"),
        pytest.param(MADE, {**AS_MADE, "place": "there"}, Verb.REPLACE, id="needs a new object"),
        pytest.param(MADE, {**AS_MADE, "size": UNKNOWN}, Verb.OPEN, id="hangs on what is unknown"),
        pytest.param(
            replace(MADE, sent={**AS_MADE, "size": 3}),
            AS_MADE,
            Verb.UPDATE,
            id="what was sent and never acknowledged is undone",
        ),
        pytest.param(
            replace(MADE, applied={**AS_MADE, "size": 3}),
            AS_MADE,
            Verb.UPDATE,
            id="what was sent and never acknowledged is sent again",
        ),
        pytest.param(
            replace(MADE, action="UPDATE", status="FAILED"),
            AS_MADE,
            Verb.KEEP,
            id="an update that failed and left nothing to do",
        ),
        pytest.param(
            replace(MADE, action="UPDATE", status="FAILED", touched=frozenset({"size", "was"})),
            AS_MADE,
            Verb.UPDATE,
            id="an update that failed, and so did the one that took it back",
        ),
        pytest.param(
            replace(MADE, action="UPDATE", status="FAILED", applied=None),
            AS_MADE,
            Verb.REPLACE,
            id="a creation failed, and so did what came after it",
        ),
        pytest.param(
            replace(MADE, action="CHECK", status="FAILED"),
            AS_MADE,
            Verb.REPLACE,
            id="a check found it faulty",
        ),
        pytest.param(
            replace(MADE, action="CHECK", status="FAILED", verb="check"),
            AS_MADE,
            Verb.OPEN,
            id="a check could not be carried out",
        ),
        pytest.param(
            replace(MADE, action="RESUME", status="FAILED"),
            AS_MADE,
            Verb.KEEP,
            id="it could not be resumed",
        ),
        pytest.param(
            replace(MADE, sent={"size": "big"}, applied={"size": "big"}),
            AS_MADE,
            Verb.REPLACE,
            id="recorded under another schema",
        ),
    ],
)
def test_recorded_against_wanted(recorded: Recorded | None, wanted: Any, expected: Verb) -> None:
    assert verb(recorded, wanted) is expected


def test_a_child_stack_decides_itself_what_changes() -> None:
    nested = replace(MADE, type="T::Nest")
    assert verb(nested, AS_MADE, NEST) is Verb.UPDATE
    assert verb(replace(nested, action="DELETE"), AS_MADE, NEST) is Verb.UPDATE
    checked = replace(nested, action="CHECK", status="FAILED")
    assert verb(checked, AS_MADE, NEST) is Verb.UPDATE, "it replaces what is faulty in it"
    for action in ("CREATE", "UPDATE"):
        failed = replace(nested, action=action, status="FAILED", applied=None)
        assert verb(failed, AS_MADE, NEST) is Verb.UPDATE, "it goes on with what failed in it"


@pytest.mark.parametrize(
    ("recorded", "wanted", "expected"),
    [
        pytest.param({}, {}, Verb.OPEN, id="not looked at yet"),
        pytest.param({"sound": True}, {}, Verb.FINISH, id="sound, and its create never ended"),
        pytest.param({"sound": False}, {}, Verb.REPLACE, id="faulty"),
        pytest.param({"sound": True}, {"size": 9}, Verb.UPDATE, id="sound, and changes in place"),
        pytest.param({"sound": True}, {"place": "there"}, Verb.REPLACE, id="cannot become that"),
        pytest.param({"has_id": False}, {}, Verb.REPLACE, id="there is no object"),
        pytest.param({"verb": "create"}, {}, Verb.REPLACE, id="its create is still under way"),
        pytest.param(
            {"action": "CHECK", "applied": AS_MADE}, {}, Verb.REPLACE, id="a check found it faulty"
        ),
        pytest.param(
            {"action": "UPDATE", "applied": AS_MADE}, {}, Verb.OPEN, id="an update failed"
        ),
        pytest.param(
            {"action": "UPDATE", "applied": AS_MADE, "sound": False},
            {},
            Verb.REPLACE,
            id="an update failed, and the object is faulty",
        ),
        pytest.param(
            {"action": "UPDATE", "applied": AS_MADE, "sound": True},
            {},
            Verb.KEEP,
            id="an update failed and left nothing to do",
        ),
    ],
)
def test_what_has_failed_is_looked_at_where_its_type_goes_on_with_it(
    recorded: dict[str, Any], wanted: dict[str, Any], expected: Verb
) -> None:
    failed = replace(MADE, type="T::Frail", status="FAILED", has_id=True, applied=None)
    found = replace(failed, **recorded)
    assert verb(found, {**AS_MADE, **wanted}, FRAIL) is expected


def test_what_has_failed_is_not_looked_at_as_the_type_that_it_is_to_become() -> None:
    failed = replace(MADE, type="T::Nest", status="FAILED", has_id=True, applied=None)
    assert not needs_look(FRAIL, "T::Frail", failed)
    assert needs_look(FRAIL, "T::Frail", replace(failed, type="T::Frail"))
    assert verb(failed, AS_MADE, FRAIL) is Verb.REPLACE


def test_what_a_check_found_never_whole_is_looked_at_and_gone_on_with() -> None:
    found = replace(MADE, type="T::Frail", action="CHECK", status="FAILED", has_id=True)
    assert not needs_look(FRAIL, "T::Frail", found), "it was whole, and is faulty"
    unmade = replace(found, applied=None)
    assert needs_look(FRAIL, "T::Frail", unmade)
    assert verb(replace(unmade, sound=True), AS_MADE, FRAIL) is Verb.FINISH
    assert verb(replace(unmade, sound=False), AS_MADE, FRAIL) is Verb.REPLACE


def test_what_hands_on_what_is_around_it_is_always_updated() -> None:
    class Handing(type(PLAIN)):  # type: ignore[misc]  # a class that is only known here
        always_updated = True

    assert verb(MADE, AS_MADE, Handing()) is Verb.UPDATE
    assert verb(MADE, {**AS_MADE, "place": "there"}, Handing()) is verb(
        MADE, {**AS_MADE, "place": "there"}
    )


def test_another_template_file_is_followed_in_place() -> None:
    mapped = replace(MADE, type="file:///a.yaml")
    assert decide(NEST, "file:///b.yaml", mapped, AS_MADE).verb is Verb.UPDATE
    assert decide(NEST, "T::Nest", mapped, AS_MADE).verb is Verb.REPLACE
    assert decide(NEST, "file:///b.yaml", MADE, AS_MADE).verb is Verb.REPLACE


def test_an_update_names_what_differs_from_sent_or_applied() -> None:
    recorded = replace(MADE, sent={"size": 5, "place": "here"})
    decision = decide(PLAIN, "T::Plain", recorded, {"size": 2, "place": "here"})
    assert decision.changed == {"size"}
    assert decision.reason == "changed: size"


def test_who_holds_an_exclusive_value_goes_before_its_replacement() -> None:
    held = {"place": "here", "address": "10.0.0.1"}
    recorded = replace(MADE, sent=held, applied=held)
    moved = decide(PLAIN, "T::Plain", recorded, {**held, "place": "there"})
    assert (moved.verb, moved.delete_first) == (Verb.REPLACE, True)
    elsewhere = {"place": "there", "address": "10.0.0.2"}
    assert not decide(PLAIN, "T::Plain", recorded, elsewhere).delete_first
    assert not decide(PLAIN, "T::Plain", MADE, {"place": "there"}).delete_first


@pytest.mark.parametrize("action", ["CREATE", "CHECK"])
def test_what_failed_makes_room_for_its_replacement(action: str) -> None:
    held = {"place": "here", "address": "10.0.0.1"}
    failed = replace(MADE, action=action, status="FAILED", sent=held, applied=held)
    assert decide(PLAIN, "T::Plain", failed, held).delete_first
    assert decide(PLAIN, "T::Plain", replace(failed, applied=None), held).delete_first
    assert not decide(PLAIN, "T::Plain", failed, AS_MADE).delete_first
    assert not decide(PLAIN, "T::Plain", failed, {**held, "size": UNKNOWN}).delete_first


def test_what_never_changes_is_refused_with_its_place() -> None:
    recorded = replace(MADE, sent={"fixed": "a"}, applied={"fixed": "a"})
    with pytest.raises(Invalid) as caught:
        decide(PLAIN, "T::Plain", recorded, {"fixed": "b"})
    assert [problem.at for problem in caught.value.problems] == [("fixed",)]
