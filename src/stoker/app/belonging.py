"""Whose objects a state directory knows of: a project's at some cloud, or an embedded cloud's.

Rule: it never changes; what is recorded would be looked for where it never was.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from stoker.app.state import write_private
from stoker.errors import Conflict

if TYPE_CHECKING:
    from stoker.app.state import StateDirectory

_HINT = "choose another directory with --state"


@dataclass(frozen=True, slots=True)
class Owner:
    """A project, and the Keystone that knows it."""

    auth_url: str
    project_id: str


def belong_to_embedded(state: StateDirectory) -> None:
    """Raise Conflict where the directory is a project's at some cloud."""
    owner = _owner(state)
    if owner is not None:
        raise Conflict(f"{state.path} belongs to a project at {owner.auth_url}: {_HINT}")


def belong_to(state: StateDirectory, owner: Owner) -> None:
    """Have the directory be a project's; raises Conflict where it is another's."""
    before = _owner(state)
    if before is None:
        if state.devcloud.exists():
            raise Conflict(f"{state.path} belongs to an embedded cloud: {_HINT}")
        write_private(state.owner, json.dumps(asdict(owner)) + "\n")
    elif before.project_id != owner.project_id:
        raise Conflict(
            f"{state.path} belongs to project {before.project_id} at {before.auth_url}, and the"
            f" account is of project {owner.project_id}: {_HINT}"
        )


def _owner(state: StateDirectory) -> Owner | None:
    if not state.owner.exists():
        return None
    return Owner(**json.loads(state.owner.read_text(encoding="utf-8")))
