"""A cloud that answers by path, the same for each service, and keeps what would change it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stoker.errors import CloudNotFound


class Answering:
    """``answers`` by path; what has none is not there."""

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self._answers = answers
        self.changes: list[tuple[str, str, Any]] = []

    @property
    def compute(self) -> Answering:
        return self

    image = volume = network = compute

    def get(self, path: str, **query: Any) -> Any:
        del query
        if self._answers.get(path) is None:
            raise CloudNotFound(path, service="any", status=404)
        return self._answers[path]

    def post(self, path: str, body: Any) -> Any:
        self.changes.append(("POST", path, body))
        return self._answers[path]

    def remove(self, path: str) -> None:
        self.changes.append(("DELETE", path, None))
        self.get(path)
