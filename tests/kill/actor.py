"""A stack of a run: where it begins, what is asked of it and when, and what it may be now.

Rule: an answered request counts; one without an answer may count or not, and nothing else may.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from stoker.usecases.stacks import Action
from tests.kill.rest import RefusedError, UnansweredError
from tests.kill.story import Story, Version

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from tests.kill.rest import Doors

TWICE = 0.4
"""How often a second request supersedes the first one."""

ACTS = 0.2
"""How often it is checked, suspended or resumed instead of changed."""

Goal = Version | None
"""What a stack is to be; None: gone."""

Ask = Goal | Action


@dataclass
class Actor:
    """A stack of the run: where it begins, what is asked of it and when, what it may be now."""

    name: str
    story: Story
    begin: Goal
    asks: list[tuple[float, Ask]]
    may_be: list[Goal]
    answered: int = 0
    unanswered: int = 0
    refusals: list[tuple[float, RefusedError]] = field(default_factory=list)

    def ask(self, doors: Doors, what: Ask) -> bool:
        """Ask for it; return False where there was no answer, or an error for one."""
        if isinstance(what, Action):
            return self._asked(lambda: doors.act(self.name, what), self.may_be)
        return self._asked(lambda: self._send(doors, what), [what])

    def _asked(self, send: Callable[[], None], after: list[Goal]) -> bool:
        try:
            send()
        except (UnansweredError, RefusedError) as e:
            if isinstance(e, RefusedError):
                self.refusals.append((time.monotonic(), e))
            self.unanswered += 1
            self.may_be = [*self.may_be, *(goal for goal in after if goal not in self.may_be)]
            return False
        self.answered += 1
        self.may_be = after
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
    if begin is not None and random.random() < ACTS:
        return Actor(name, story, begin, _acts(random, story), [begin])
    first = random.choice([goal for goal in goals if goal is not begin])
    asks: list[tuple[float, Ask]] = [(random.uniform(0.0, 1.0), first)]
    if random.random() < TWICE and first is not None:
        second = random.choice([goal for goal in goals if goal is not first])
        asks.append((asks[0][0] + random.uniform(0.1, 1.5), second))
    return Actor(name, story, begin, asks, [begin])


def _acts(random: Random, story: Story) -> list[tuple[float, Ask]]:
    """Return what is done to a stack as it is, and what may overtake that."""
    goals: tuple[Ask, ...] = (None, *story.versions)
    rows: list[list[Ask]] = [
        [Action.CHECK],
        [Action.CHECK, random.choice(goals)],
        [Action.SUSPEND],
        [Action.SUSPEND, Action.RESUME],
        [Action.SUSPEND, Action.RESUME, Action.SUSPEND],
        [Action.SUSPEND, None],
    ]
    asks: list[tuple[float, Ask]] = []
    moment = random.uniform(0.0, 1.0)
    for each in random.choice(rows):
        asks.append((moment, each))
        moment += random.uniform(0.1, 1.5)
    return asks
