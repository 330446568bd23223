"""The corpus' recorded cases: what was asked of real Heat, with the files that a client sends.

Rule: names of files become keys the way clients make them, and what a client could not find is
not sent.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from stoker.errors import Invalid
from stoker.lang.environment import is_template
from stoker.lang.source import parse

SCHEME: Final = "file:///"


@dataclass(frozen=True)
class Case:
    """One line of the verdicts; ``kind`` is Heat's type of fault, empty where it was content."""

    name: str
    path: str
    kind: str
    text: str
    types: tuple[str, ...]
    parameters: dict[str, Any]

    @property
    def label(self) -> str:
        return f"{self.name} {self.path}"


def previews(corpus: Path) -> Iterator[Case]:
    """Yield the cases in which all types without children are mapped to nothing."""
    mapped: dict[str, dict[str, Any]] = {}
    for line in (corpus / "verdicts.jsonl").read_text().splitlines():
        said = json.loads(line)
        if not said["case"].startswith("preview"):
            continue
        given = mapped.setdefault(said["path"], said)
        yield Case(
            name=said["case"],
            path=said["path"],
            kind=said.get("type", "") if said["verdict"] != "ok" else "",
            text=said.get("text") or "",
            types=tuple(said.get("types") or given.get("types") or ()),
            parameters=said.get("params") or given.get("params") or {},
        )


class Files:
    """What stands beside a template, gathered as a client gathers it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.texts: dict[str, str] = {}

    def template(self, path: str) -> Any:
        """Return a template with its files' names made keys; the files' texts are kept."""
        text = (self._folder / path).read_text()
        return self._keyed(parse(text, path).value, Path(path).parent)

    def _keyed(self, value: Any, folder: Path) -> Any:
        if isinstance(value, list):
            return [self._keyed(each, folder) for each in value]
        if not isinstance(value, dict):
            return value
        return {key: self._named(key, each, folder) for key, each in value.items()}

    def _named(self, key: str, value: Any, folder: Path) -> Any:
        is_file = key == "get_file"
        if not isinstance(value, str) or not (is_file or (key == "type" and is_template(value))):
            return self._keyed(value, folder)
        found = (self._folder / folder / value).resolve()
        if "://" in value or not found.is_file():
            return value
        path = str(found.relative_to(self._folder.resolve()))
        if SCHEME + path not in self.texts:
            self.texts[SCHEME + path] = ""  # a template may name itself
            self.texts[SCHEME + path] = found.read_text() if is_file else self._text(path)
        return SCHEME + path

    def _text(self, path: str) -> str:
        try:
            return json.dumps(self.template(path))
        except Invalid:  # sent as it is; the service says what is wrong
            return (self._folder / path).read_text()


def without_custom_constraints(template: Any) -> Any:
    """Return a template whose parameters ask nothing of a cloud."""
    parameters = template.get("parameters") or {}
    return {**template, "parameters": {name: _alone(each) for name, each in parameters.items()}}


def _alone(parameter: Any) -> Any:
    if not isinstance(parameter, dict) or not isinstance(parameter.get("constraints"), list):
        return parameter
    kept = [each for each in parameter["constraints"] if "custom_constraint" not in each]
    return {**parameter, "constraints": kept}
