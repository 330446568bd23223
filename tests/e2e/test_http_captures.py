"""Exchanges captured from a real Heat, sent again: the same status and the same type of fault.

These are the refusals, which need nothing to be there. Their texts are our own.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.rest import Rest

PROJECT = "2e74bf7f94e84993905a8af69f4bff2d"
"""The project of who captured them."""
OTHERWISE = {
    "110-err-unavailable-type": "that cloud had no Nova; the one here has",
    "141-err-resource-type-unavailable": "that cloud had no Nova; the one here has",
    "136-err-bad-disable-rollback": "a wrong value has one type of fault, whatever is wrong",
}
LEAST = 35


@dataclass(frozen=True, slots=True)
class Capture:
    """A request, and what came of it; ``fault`` is None where Heat's body has none."""

    method: str
    path: str
    token: str | None
    body: bytes | None
    status: int
    fault: str | None

    def answered(self, rest: Rest) -> tuple[int, str | None]:
        """Send it and return the status and the type of the fault."""
        url = f"{rest.url.partition('/v1/')[0]}{self.path.replace(PROJECT, rest.project)}"
        headers = {} if self.token == "<token>" else {"X-Auth-Token": self.token or ""}
        answer = rest.call(self.method, url, self.body, headers)
        return answer.status, fault_type(answer.text)


def capture(text: str) -> Capture:
    """Return what the text of a captured exchange says."""
    asked, answered = text.split("\n----- response -----\n")
    head, _, body = asked.partition("\n\n")
    method, path, _ = head.splitlines()[0].split()
    token = re.search(r"^X-Auth-Token: (.*)$", head, re.MULTILINE)
    return Capture(
        method=method,
        path=path,
        token=None if token is None else token[1],
        body=body.strip().encode() or None,
        status=int(answered.split()[1]),
        fault=fault_type(answered.partition("\n\n")[2]),
    )


def fault_type(text: str) -> str | None:
    """Return the type in a body of Heat's faults; None where it is another body."""
    try:
        return str(json.loads(text)["error"]["type"])
    except (ValueError, KeyError):
        return None


def test_refusals_are_those_of_heat(rest: Rest, shared: Path) -> None:
    paths = sorted((shared / "facts" / "http").glob("1*-err-*.txt"))
    wanted = {each.stem: capture(each.read_text()) for each in paths if each.stem not in OTHERWISE}
    assert len(wanted) > LEAST
    found = {name: each.answered(rest) for name, each in wanted.items()}
    assert found == {name: (each.status, each.fault) for name, each in wanted.items()}
