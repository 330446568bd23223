"""Fragments of the changelog can be gathered."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def test_every_fragment_has_a_kind_that_the_readme_lists_and_a_text(root: Path) -> None:
    folder = root / "changelog"
    readme = (folder / "README.md").read_text(encoding="utf-8")
    kinds = set(re.findall(r"^\| `(\w+)` \|", readme, flags=re.MULTILINE))
    fragments = [path for path in folder.iterdir() if path.name != "README.md"]
    pattern = re.compile(rf"[a-z0-9-]+\.({'|'.join(kinds)})\.md")
    assert kinds
    assert [path.name for path in fragments if not pattern.fullmatch(path.name)] == []
    assert [path.name for path in fragments if not path.read_text(encoding="utf-8").strip()] == []
