"""A stack that another Heat makes: what it is asked, and what is made of its answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from stoker.errors import CloudError, CloudNotFound
from stoker.lang.unknown import UNKNOWN
from stoker.resources.heat.stack_elsewhere import StackElsewhere
from stoker.sdk.around import Around
from stoker.sdk.cloud import ELSEWHERE
from stoker.sdk.resource import At, Done, Next, StackInfo, Wait
from tests.resources.recorded import Recorded

KIND = StackElsewhere()
GIVEN = {"context": {"region_name": "north"}, "template": "t", "parameters": {"a": [1]}}
AROUND = Around({"f": "text"}, {"parameter_defaults": {"b": 2}})
SENT = {
    "template": "t",
    "parameters": {"a": [1]},
    "files": {"f": "text"},
    "environment": {"parameter_defaults": {"b": 2}},
}


@dataclass
class Heat:
    """A cloud with nothing but Heat, which has at most one stack."""

    status: str | None = None
    reason: str = ""
    regions: list[str | None] = field(default_factory=list)
    calls: list[tuple[str, str, Any]] = field(default_factory=list)

    def orchestration(self, region: str | None) -> Heat:
        self.regions.append(region)
        return self

    def get(self, path: str, **query: Any) -> dict[str, Any]:
        if path == "/stacks":
            there = self.status is not None and query == {"name": "stack-res-abc"}
            return {"stacks": [{"id": "1"}] if there else []}
        if self.status is None:
            raise CloudNotFound("no such stack", service="orchestration", status=404)
        outputs = [{"output_key": "o", "output_value": 5}]
        shown = {"id": "1", "stack_name": "n", "stack_status": self.status, "outputs": outputs}
        return {"stack": {**shown, "stack_status_reason": self.reason}}

    def post(self, path: str, body: Any) -> dict[str, Any]:
        self.calls.append(("POST", path, body))
        return {"stack": {"id": "1"}}

    def put(self, path: str, body: Any) -> dict[str, Any]:
        self.calls.append(("PUT", path, body))
        return {}

    def remove(self, path: str) -> None:
        self.calls.append(("DELETE", path, None))


def standing(given: Mapping[str, Any] = GIVEN, **more: Any) -> At[Any]:
    props = KIND.Props.parse(given)
    info = StackInfo("stack-id", "stack", "project")
    return At(props, "stack-res-abc", "m", "res", info, bytes, around=lambda: AROUND, **more)


def test_it_is_made_with_what_is_around_it_and_left_as_it_fails() -> None:
    heat: Any = Heat()
    assert KIND.create(standing(), heat) == Next(id="1")
    body = {"stack_name": "stack-res-abc", **SENT, "disable_rollback": True}
    assert heat.calls == [("POST", "/stacks", body)]
    assert heat.regions == ["north"]


def test_it_is_waited_for_and_its_outputs_are_read() -> None:
    heat: Any = Heat("CREATE_IN_PROGRESS")
    assert isinstance(KIND.create(standing(id="1"), heat), Wait)
    heat.status = "CREATE_COMPLETE"
    step = KIND.create(standing(id="1"), heat)
    assert step == Done(attributes={"stack_name": "n", "outputs": {"o": 5}})
    view = Recorded(id="1", attributes=step.attributes)
    assert KIND.attribute(view, "outputs", ()) == {"o": 5}
    assert KIND.attribute(view, "show", ())["id"] == "1"


@pytest.mark.parametrize("verb", ["create", "update", "check", "suspend", "resume"])
def test_what_failed_there_fails_here_with_its_reason(verb: str) -> None:
    heat: Any = Heat(f"{verb.upper()}_FAILED", "no host")
    at = standing(id="1", data={"before": "CREATE"})
    with pytest.raises(CloudError, match=f"stack 1 is {verb.upper()}_FAILED: no host"):
        getattr(KIND, verb)(at, heat)


def test_another_operation_that_takes_it_over_is_told() -> None:
    heat: Any = Heat("UPDATE_COMPLETE")
    with pytest.raises(CloudError, match=r"another operation \(UPDATE\) took stack 1 over"):
        KIND.suspend(standing(id="1", data={"before": "CREATE"}), heat)


def test_what_has_not_begun_yet_is_waited_for() -> None:
    heat: Any = Heat("CREATE_COMPLETE")
    assert isinstance(KIND.suspend(standing(id="1", data={"before": "CREATE"}), heat), Wait)


@pytest.mark.parametrize("verb", ["check", "suspend", "resume"])
def test_what_is_done_to_the_whole_stack_is_asked_of_it(verb: str) -> None:
    heat: Any = Heat("CREATE_COMPLETE")
    assert getattr(KIND, verb)(standing(id="1"), heat) == Next(data={"before": "CREATE"})
    assert heat.calls == [("POST", "/stacks/n/1/actions", {verb: None})]


def test_an_update_sends_the_whole_goal() -> None:
    heat: Any = Heat("CREATE_COMPLETE")
    at = standing({**GIVEN, "timeout": 5}, id="1")
    assert KIND.update(at, heat) == Next(data={"before": "CREATE"})
    body = {**SENT, "disable_rollback": True, "timeout_mins": 5}
    assert heat.calls == [("PUT", "/stacks/n/1", body)]


def test_it_is_gone_when_heat_there_has_no_such_stack_or_a_deleted_one() -> None:
    heat: Any = Heat("CREATE_FAILED")
    assert KIND.delete(standing(id="1"), heat) == Next(data={"before": "CREATE"})
    assert heat.calls == [("DELETE", "/stacks/n/1", None)]
    going = standing(id="1", data={"before": "CREATE"})
    for status in ("CREATE_FAILED", "DELETE_IN_PROGRESS"):
        heat.status = status
        assert isinstance(KIND.delete(going, heat), Wait)
    heat.status = "DELETE_FAILED"
    with pytest.raises(CloudError, match="DELETE_FAILED"):
        KIND.delete(going, heat)
    for gone in ("DELETE_COMPLETE", None):
        heat.status = gone
        assert KIND.delete(going, heat) == Done()
    assert KIND.delete(standing(), heat) == Done()
    assert len(heat.calls) == 1


def test_it_is_found_by_its_name() -> None:
    heat: Any = Heat("CREATE_COMPLETE")
    assert KIND.find(standing(), heat) == Next(id="1")
    heat.status = None
    assert KIND.find(standing(), heat) is None


def test_its_template_is_looked_at_where_it_is_to_be_made() -> None:
    [look] = KIND.lookups_around(standing().props, AROUND)
    assert (look.constraint, look.at) == (ELSEWHERE, ("template",))
    assert json.loads(look.value) == {"region": "north", **SENT}
    unknown = KIND.Props.parse({**GIVEN, "parameters": {"a": UNKNOWN}})
    assert list(KIND.lookups_around(unknown, AROUND)) == []


def test_another_region_needs_another_stack_and_a_renewed_certificate_does_not() -> None:
    old = standing().props
    for context, expected in (
        ({"region_name": "south"}, {"context"}),
        ({"region_name": "north", "insecure": True}, set()),
    ):
        new = KIND.Props.parse({**GIVEN, "context": context})
        assert KIND.replaces(old, new, new.changed(old)) == expected


@pytest.mark.parametrize(
    ("key", "value"), [("credential_secret_id", "s"), ("ca_cert", "c"), ("insecure", True)]
)
def test_what_cannot_be_had_elsewhere_is_refused_at_once(key: str, value: Any) -> None:
    context = {"region_name": "r", "insecure": False, key: value}
    props = KIND.Props.parse({**GIVEN, "context": context})
    [problem] = KIND.validate(props)
    assert problem.at == ("context", key)
    assert not list(KIND.validate(standing().props))


def test_one_that_is_adopted_is_only_looked_at() -> None:
    heat: Any = Heat("UPDATE_COMPLETE")
    step = KIND.adopt(replace(standing(), id="1"), heat)
    assert isinstance(step, Done)
    assert step.attributes["stack_name"] == "n"
    assert heat.calls == []
