"""The entries of docs/problems.md: a code, files that have the problem, files that have not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_ENTRY = re.compile(r"^## (?P<code>[\w-]+)$(?P<body>.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"^# --- (\S+)\n", re.MULTILINE)
_HEAD = "heat_template_version: 2021-04-16\n"

Files = dict[str, str]


@dataclass(frozen=True)
class Entry:
    """One code; the files by name, ``template.yaml`` among them."""

    code: str
    wrong: Files
    right: Files


def entries(root: Path) -> list[Entry]:
    """Return the entries of the page, in its order."""
    page = (root / "docs" / "problems.md").read_text()
    found = []
    for each in _ENTRY.finditer(page):
        wrong, right = map(_files, _BLOCK.findall(each["body"]))
        found.append(Entry(each["code"], wrong, right))
    return found


def _files(block: str) -> Files:
    first, *others = _FILE.split(block)
    named = dict(zip(others[::2], others[1::2], strict=True))
    head = "" if first.startswith("heat_template_version") else _HEAD
    return {"template.yaml": head + first, **named}
