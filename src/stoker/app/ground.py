"""What every ``serve`` has before it knows its cloud."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from stoker.app.state import password_from

if TYPE_CHECKING:
    from contextlib import ExitStack

    from stoker.app.doors import Doors
    from stoker.app.ending import Ending
    from stoker.app.state import StateDirectory


@dataclass(frozen=True, slots=True)
class Ground:
    """State, ports and the way to end; ``lock`` is the descriptor that holds the state.

    What is pushed on ``stack`` is ended when ``serve`` ends.
    """

    state: StateDirectory
    lock: int
    doors: Doors
    key: bytes = field(repr=False)
    ending: Ending
    stack: ExitStack

    @property
    def password(self) -> str:
        """The one that clients on this machine log in with."""
        return password_from(self.key)
