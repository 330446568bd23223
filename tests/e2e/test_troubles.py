"""What a service answers that is busy, worn out or away: it passes, and all is made."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.test_recovery import disturb, template

if TYPE_CHECKING:
    from openstack.connection import Connection

    from tests.app.serving import Serving
    from tests.e2e.rest import Rest

NET = {"type": "OS::Neutron::Net", "properties": {"name": "one-of-its-name"}}
CREATE = {"service": "network", "method": "POST", "path": "/networks$"}


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param({"status": 429, "headers": {"Retry-After": "1"}, "count": 2}, id="too many"),
        pytest.param({"status": 503, "count": 2}, id="worn out"),
        pytest.param({"status": 503, "headers": {"Retry-After": "1"}}, id="worn out for a time"),
        pytest.param({"status": 500}, id="an error of its own"),
        pytest.param({"status": 409, "count": 3}, id="busy"),
        pytest.param({"status": 413, "headers": {"Retry-After": "1"}}, id="over a limit of calls"),
        pytest.param({"status": 408}, id="too slow"),
    ],
)
def test_what_passes_is_waited_for_and_the_object_is_made_once(
    served: Serving, rest: Rest, conn: Connection, name: str, fault: dict[str, Any]
) -> None:
    disturb(served, **CREATE, **fault)
    begun = time.monotonic()
    stack = rest.create(name, template(it=NET))
    stack.wait("CREATE_COMPLETE")
    asked = float(fault.get("headers", {}).get("Retry-After", 0)) * fault.get("count", 1)
    assert time.monotonic() - begun >= asked
    assert len(list(conn.network.networks(name="one-of-its-name"))) == 1
    stack.deleted()


@pytest.mark.parametrize(("status", "count"), [(400, 1), (401, 2), (403, 1), (413, 1)])
def test_a_refusal_is_told_at_once_in_the_services_words(
    served: Serving, rest: Rest, name: str, status: int, count: int
) -> None:
    """A token that is refused is renewed first, and the call made again."""
    disturb(served, **CREATE, status=status, message="Not in this house.", count=count)
    stack = rest.create(name, template(it=NET))
    shown = stack.wait("CREATE_FAILED")
    assert "resources.it: Not in this house." in shown["stack_status_reason"]
    stack.deleted()
