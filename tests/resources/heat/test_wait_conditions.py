"""Wait conditions and their handles, by themselves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pytest

from stoker.errors import UserError
from stoker.resources.heat.wait_condition import WaitConditionTimeout
from stoker.sdk.resource import Done, Wait
from tests.resources.stepping import kind_of, standing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stoker.sdk.cloud import Cloud

HANDLE, CONDITION = "OS::Heat::WaitConditionHandle", "OS::Heat::WaitCondition"
NO_CLOUD = cast("Cloud", None)


def after(*signals: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state that the signals bring a handle to."""
    state: Mapping[str, Any] = {}
    for each in signals:
        state = kind_of(HANDLE).on_signal(state, each).state
    return dict(state)


def test_an_entry_has_status_reason_and_data_and_defaults() -> None:
    assert after({"data": 7}) == {
        "1": {"status": "SUCCESS", "reason": "Signal 1 received", "data": 7}
    }


def test_a_repeated_id_overwrites() -> None:
    state = after({"id": "x", "data": 1}, {"id": "x", "data": 2})
    assert {key: each["data"] for key, each in state.items()} == {"x": 2}


@pytest.mark.parametrize("given", ["1", 1, "2", 2])
def test_a_number_of_ours_never_clashes_with_a_given_id(given: Any) -> None:
    assert set(after({"id": given}, {})) >= {str(given)}
    assert len(after({"id": given}, {})) == 2
    assert len(after({}, {"id": "3"}, {}, {})) == 4


@pytest.mark.parametrize(
    "transport", ["CFN_SIGNAL", "TEMP_URL_SIGNAL", "HEAT_SIGNAL", "ZAQAR_SIGNAL"]
)
def test_a_transport_that_needs_a_user_is_refused(transport: str) -> None:
    kind = kind_of(HANDLE)
    (problem,) = kind.validate(kind.Props.parse({"signal_transport": transport}))
    assert problem.text.startswith(f"{transport} needs a user of the stack's own")
    assert list(kind.validate(kind.Props.parse({}))) == []


def step(state: Mapping[str, Any] | None, now: float, data: Mapping[str, Any]) -> Any:
    given = {"handle": "h", "timeout": 10, "count": 2}
    at = standing(CONDITION, given, data=data)
    at = replace(at, told=lambda _reference=None: state, clock=lambda: now)
    return kind_of(CONDITION).create(at, NO_CLOUD)


def test_the_time_runs_from_the_first_look_on() -> None:
    first = step({}, 100.0, {})
    assert first == Wait(10.0, {"until": 110.0})
    assert step(after({}), 104.0, first.data) == Wait(6.0, {"until": 110.0})
    with pytest.raises(WaitConditionTimeout, match="1 of 2 received - Signal 1 received"):
        step(after({}), 110.0, first.data)
    done = step(after({}, {}), 110.0, first.data)
    assert isinstance(done, Done), "what came in time counts, however late it is looked at"


def test_a_failure_goes_before_enough() -> None:
    with pytest.raises(UserError, match=r"^no;never$"):
        step(after({}, {"status": "FAILURE", "reason": "no"},
                   {"status": "FAILURE", "reason": "never"}), 1.0, {})  # fmt: skip
