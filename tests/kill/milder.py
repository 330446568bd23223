"""Runs in which nothing is killed: it is asked to end, or left alone.

Rule: all else is as in a run with kills, the verdict too.
"""

from __future__ import annotations

import time

from tests.kill.run import Run
from tests.kill.verdict import rows_held


class Terminated(Run):
    """A run in which it is asked to end: nothing is in doubt then, so nothing is waited for."""

    limit_seconds = 15.0

    def interrupt(self, when: str) -> None:
        code = self.installation.terminate()
        self.report.kills.append(f"(SIGTERM) {when}")
        if code:
            self.wrong(f"it ended with code {code} when asked to end")
        held = rows_held(self.installation.state / "stoker.db")
        if held:
            self.wrong(f"not handed back: {', '.join(held)}")

    def restart(self) -> float:
        self.installation.launch()
        return self.installation.wait_ready()


class Undisturbed(Run):
    """A run in which nothing is killed: what the other runs are measured by."""

    def interrupt(self, when: str) -> None:
        self.report.kills.append("never")

    def restart(self) -> float:
        return time.monotonic()
