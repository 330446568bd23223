"""Customers of a fleet: each has a stack and asks for one thing after the other.

Rule: an answered request counts, one without an answer may count or not; what a stack is found
to be must be one of those.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import repeat
from threading import Event
from typing import TYPE_CHECKING

from tests.kill.rest import RefusedError, UnansweredError

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from tests.kill.actor import Goal
    from tests.kill.mix import Mixed
    from tests.kill.rest import Doors, Json

GONE = 0.1
"""How often a stack is deleted instead of changed."""
OVERTAKEN = 0.02
"""How often, at a look, something is asked of a stack that is still at work."""
CLOUDS_OWN = "A fault was asked for."
"""What the cloud says of a fault that it was told to have."""
AT_ONCE = 4
LOOK_SECONDS = 0.5


@dataclass
class Customer:
    """A stack, and what it may be now; ``troubles`` are requests refused: when, and why."""

    name: str
    story: Mixed
    random: Random
    may_be: list[Goal] = field(default_factory=lambda: [None])
    answered: int = 0
    unanswered: int = 0
    reached: int = 0
    troubles: list[tuple[float, str]] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    _judged: bool = True

    def visit(self, doors: Doors) -> None:
        """Look at the stack, judge it where it has come to rest, and ask for the next thing."""
        began = time.monotonic()
        try:
            self._visit(doors)
        except (RefusedError, UnansweredError) as e:
            self.troubles.append((began, f"{self.name}: {e}"))

    def _visit(self, doors: Doors) -> None:
        stack = self._there(doors)
        if stack is not None and stack["stack_status"].endswith("IN_PROGRESS"):
            is_deleted = stack["stack_status"].startswith("DELETE")
            if not is_deleted and None not in self.may_be and self.random.random() < OVERTAKEN:
                self._ask(doors, stack, self._wanted())
            return
        self._judge(stack)
        goal = self._wanted() if stack is not None else self.random.choice(self.story.versions)
        self._ask(doors, stack, goal)

    def leave(self, doors: Doors) -> None:
        """Ask for the end of the stack, if it is there."""
        stack = self._there(doors)
        if stack is not None:
            self._ask(doors, stack, None)

    def _there(self, doors: Doors) -> Json | None:
        """Return the stack, if there is one: it may end between its name and its id."""
        stack = doors.show(self.name)
        is_gone = stack is not None and stack["stack_status"] == "DELETE_COMPLETE"
        return None if is_gone else stack

    def _wanted(self) -> Goal:
        return None if self.random.random() < GONE else self.random.choice(self.story.versions)

    def _judge(self, stack: Json | None) -> None:
        """Note where a stack at rest is none of what it may be; from now on it is what it is."""
        if self._judged:
            return
        self._judged = True
        self.reached += 1
        if stack is None:
            if None not in self.may_be:
                self.findings.append(f"lost: stack {self.name}")
            self.may_be = [None]
            return
        goals = [goal for goal in self.may_be if goal is not None]
        said = {each["output_key"]: each.get("output_value") for each in stack["outputs"]}
        if not goals or not stack["stack_status"].endswith("COMPLETE"):
            why = f"{stack['stack_status']}: {stack['stack_status_reason']}"
            self.findings.append(f"wrong: stack {self.name} is {why}")
        elif said.get("said") not in [goal.said for goal in goals]:
            self.findings.append(f"wrong: stack {self.name} says {said}")

    def _ask(self, doors: Doors, stack: Json | None, goal: Goal) -> None:
        self._judged = False
        before = self.may_be
        # Whatever becomes of the request, it may count from now on.
        self.may_be = [*before, *([] if goal in before else [goal])]
        try:
            self._send(doors, stack, goal)
        except (RefusedError, UnansweredError):
            self.unanswered += 1
            raise
        self.answered += 1
        self.may_be = [goal]

    def _send(self, doors: Doors, stack: Json | None, goal: Goal) -> None:
        if goal is None:
            doors.delete(self.name)
        elif stack is None:
            doors.create(self.name, self.story.body(goal))
        else:
            doors.update(self.name, self.story.body(goal))


class Customers:
    """All customers, who come by in turn until they are told to leave."""

    def __init__(self, doors: Callable[[], Doors], customers: list[Customer]) -> None:
        self._doors, self.all = doors, customers
        self._closing = Event()

    def run(self) -> None:
        """Come by until told to leave; a login that fails is tried again."""
        with ThreadPoolExecutor(AT_ONCE) as pool:
            while not self._closing.is_set():
                with suppress(RefusedError, UnansweredError):
                    doors = self._doors()
                    list(pool.map(Customer.visit, self.all, repeat(doors)))
                self._closing.wait(LOOK_SECONDS)

    def close(self) -> None:
        """Have them ask for nothing more."""
        self._closing.set()

    def troubles(self, excused: Callable[[float], bool]) -> list[str]:
        """Return the requests that were refused or not answered, less those excused.

        What the cloud refuses a request's own look into it is passed on, and is no fault.
        """
        found = [trouble for each in self.all for trouble in each.troubles]
        return [
            f"wrong: {text}"
            for moment, text in sorted(found)
            if not excused(moment) and CLOUDS_OWN not in text
        ]
