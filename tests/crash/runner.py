"""Running many cases at the same time, each in a cloud that it has to itself meanwhile.

A case mostly waits; a few of them side by side keep the machine busy.
"""

from __future__ import annotations

import tempfile
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from stoker.errors import StokerError
from tests.crash.matrix import DELETE, Case, Outcome, cases, run
from tests.crash.site import Site
from tests.crash.world import SCALED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from stoker.engine.settings import Settings
    from tests.crash.scenario import Scenario

SLOTS = 5


class Sites:
    """Clouds, each lent to one case at a time; one in which something went wrong is dropped."""

    def __init__(self) -> None:
        self._free: deque[Site] = deque()
        self._made: list[Site] = []
        self._lock = threading.Lock()

    def take(self) -> Site:
        with self._lock:
            if self._free:
                return self._free.popleft()
            site = Site()
            self._made.append(site)
            return site

    def give_back(self, site: Site) -> None:
        self._free.append(site)

    def stop(self) -> None:
        with ThreadPoolExecutor(len(self._made) or 1) as pool:
            list(pool.map(Site.stop, self._made))


@dataclass(frozen=True)
class Verdict:
    """A case and what is wrong with it."""

    case: Case
    wrongs: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.case}\n    " + "\n    ".join(self.wrongs[:8])


@dataclass(frozen=True)
class Count:
    """What a number of cases came to."""

    verdicts: Sequence[Verdict]

    @property
    def bad(self) -> list[Verdict]:
        return [verdict for verdict in self.verdicts if verdict.wrongs]

    def __str__(self) -> str:
        texts = [text for verdict in self.verdicts for text in verdict.wrongs]
        leaked, lost = (sum(word in text for text in texts) for word in ("leaked:", "lost:"))
        return f"{len(self.verdicts)} cases, {leaked} leaked, {lost} lost, {len(self.bad)} bad"


class Runner:
    """Runs cases of scenarios and judges them by their undisturbed runs."""

    def __init__(self, settings: Settings = SCALED, slots: int = SLOTS) -> None:
        self._settings, self._slots = settings, slots
        self._sites = Sites()
        self._undisturbed: dict[str, Outcome] = {}

    def stop(self) -> None:
        self._sites.stop()

    def undisturbed(self, scenario: Scenario) -> Outcome:
        """Return the undisturbed run, done once; raises AssertionError where it goes wrong."""
        known = self._undisturbed.get(scenario.name)
        if known is None:
            known = self._run(Case(scenario))
            assert not known.wrongs, f"{scenario.name}, undisturbed: {known.wrongs}"
            for operation, account in known.accounts.items():
                ends = "COMPLETE" if operation == DELETE else scenario.ends
                stacks = account["stacks"]
                assert all(stack[2] == ends for stack in stacks), f"{scenario.name}: {stacks}"
            self._undisturbed[scenario.name] = known
        return known

    def cases(self, scenario: Scenario) -> list[Case]:
        """Return the whole matrix of a scenario."""
        return cases(self.undisturbed(scenario))

    def judge(self, chosen: Sequence[Case], tell: Callable[[Verdict], None] | None = None) -> Count:
        """Run the cases; ``tell`` is told each verdict as it comes."""

        def one(case: Case) -> Verdict:
            verdict = self._verdict(case)
            if tell is not None:
                tell(verdict)
            return verdict

        with ThreadPoolExecutor(self._slots) as pool:
            return Count(list(pool.map(one, chosen)))

    def _verdict(self, case: Case) -> Verdict:
        undisturbed = self.undisturbed(case.scenario)
        try:
            outcome = self._run(case)
        except (AssertionError, StokerError) as e:
            return Verdict(case, (f"{type(e).__name__}: {e}",))
        return Verdict(case, tuple(outcome.against(undisturbed)))

    def _run(self, case: Case) -> Outcome:
        site = self._sites.take()
        with tempfile.TemporaryDirectory(prefix="crash-") as folder:
            outcome = run(case, site, Path(folder), self._settings)
        self._sites.give_back(site)  # where the case raised, its cloud is not used again
        return outcome
