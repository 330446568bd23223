"""A stack of a run: where it begins, what is asked of it and when, and what it may be now.

Rule: an answered request counts; one without an answer may count or not, and nothing else may.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.kill.rest import RefusedError, UnansweredError
from tests.kill.story import Story, Version

if TYPE_CHECKING:
    from random import Random

    from tests.kill.rest import Doors

TWICE = 0.4
"""How often a second request supersedes the first one."""

Goal = Version | None
"""What a stack is to be; None: gone."""


@dataclass
class Actor:
    """A stack of the run: where it begins, what is asked of it and when, what it may be now."""

    name: str
    story: Story
    begin: Goal
    asks: list[tuple[float, Goal]]
    may_be: list[Goal]
    answered: int = 0
    unanswered: int = 0
    refusals: list[tuple[float, RefusedError]] = field(default_factory=list)

    def ask(self, doors: Doors, goal: Goal) -> bool:
        """Ask for a goal; return False where there was no answer, or an error for one."""
        try:
            self._send(doors, goal)
        except (UnansweredError, RefusedError) as e:
            if isinstance(e, RefusedError):
                self.refusals.append((time.monotonic(), e))
            self.unanswered += 1
            self.may_be = [*self.may_be, goal]
            return False
        self.answered += 1
        self.may_be = [goal]
        return True

    def _send(self, doors: Doors, goal: Goal) -> None:
        if goal is None:
            doors.delete(self.name)
        elif self.may_be == [None]:
            doors.create(self.name, self.story.body(goal))
        else:
            doors.update(self.name, self.story.body(goal))


def chosen(random: Random, name: str, story: Story) -> Actor:
    """Return an actor with a beginning and one goal, or two that follow each other at once.

    The second may go back to the beginning.
    """
    goals = (None, *story.versions)
    begin = random.choice(goals)
    first = random.choice([goal for goal in goals if goal is not begin])
    asks: list[tuple[float, Goal]] = [(random.uniform(0.0, 1.0), first)]
    if random.random() < TWICE and first is not None:
        second = random.choice([goal for goal in goals if goal is not first])
        asks.append((asks[0][0] + random.uniform(0.1, 1.5), second))
    return Actor(name, story, begin, asks, [begin])
