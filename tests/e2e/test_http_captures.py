"""Refusals captured from a real Heat, asked of a served installation: the same status and the same
type of fault.

Their texts are our own. ``tests/replay`` compares everything that was captured, with no Keystone.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.replay.exchange import PROJECT, Exchange, read

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.rest import Rest

OTHERWISE = {
    "110-err-unavailable-type": "that cloud had no Nova; the one here has",
    "141-err-resource-type-unavailable": "that cloud had no Nova; the one here has",
    "136-err-bad-disable-rollback": "a wrong value has one type of fault, whatever is wrong",
}
LEAST = 35


def answered(rest: Rest, exchange: Exchange) -> tuple[int, str | None]:
    """Send a request again; return the status and the type of the fault."""
    url = f"{rest.url.partition('/v1/')[0]}{exchange.path.replace(PROJECT, rest.project)}"
    token = exchange.headers.get("x-auth-token", "")
    headers = {} if token == "<token>" else {"X-Auth-Token": token}
    body = None if exchange.body is None else exchange.body.encode()
    answer = rest.call(exchange.method, url, body, headers)
    return answer.status, fault_type(answer.text)


def fault_type(text: str) -> str | None:
    """Return the type in a body of Heat's faults; None where it is another body."""
    try:
        return str(json.loads(text)["error"]["type"])
    except (ValueError, KeyError):
        return None


def test_refusals_are_those_of_heat(rest: Rest, shared: Path) -> None:
    files = sorted((shared / "facts" / "http").glob("1*-err-*.txt"))
    wanted = [each for each in map(read, files) if each.name not in OTHERWISE]
    assert len(wanted) > LEAST
    found = {each.name: answered(rest, each) for each in wanted}
    assert found == {
        each.name: (each.answer.status, fault_type(each.answer.text)) for each in wanted
    }
