"""What the commands need from a cloud: somebody who carries a call to its orchestration service.

Rule: the command line is handed this; it knows neither log-ins nor catalogs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

Json = dict[str, Any]


class Session(Protocol):
    """An account at an orchestration service."""

    def call(self, method: str, path: str, body: Json | None = None) -> Json:
        """Return the answer's JSON; raises :class:`stoker.errors.CloudError`.

        ``path`` begins below the service's URL and holds the query, too.
        """
        ...


Connect = Callable[[str | None, str | None], Session]
"""Return the session for a cloud of ``clouds.yaml`` and a region; None takes what is implied."""
