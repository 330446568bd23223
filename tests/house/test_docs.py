"""The documents hang together: links lead somewhere, decisions say how they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "changelog/*.md", "examples/**/*.md", "benchmarks/*.md")
    for path in ROOT.glob(pattern)
)
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))[1:]  # 0000 is the form
STATUS = re.compile(r"^Status: (proposed|accepted|superseded by \d{4})$", flags=re.MULTILINE)
FENCE = re.compile(r"^```.*?^```", flags=re.MULTILINE | re.DOTALL)


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def links(path: Path) -> list[str]:
    """Return the targets of a document's links that stay within the repository."""
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    return [
        target for target in targets if "://" not in target and not target.startswith("mailto:")
    ]


def anchors(path: Path) -> set[str]:
    """Return the anchors that a document's headings get."""
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    titles = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def leads_somewhere(document: Path, link: str) -> bool:
    file, _, anchor = link.partition("#")
    target = (document.parent / file).resolve() if file else document
    if not target.exists():
        return False
    return not anchor or anchor in anchors(target)


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_every_link_leads_somewhere(document: Path) -> None:
    assert [link for link in links(document) if not leads_somewhere(document, link)] == []


def test_a_link_to_nowhere_is_found(tmp_path: Path) -> None:
    document = tmp_path / "a.md"
    document.write_text("# One two\n[a](b.md) [b](#one-two) [c](#three) [d](a.md#one-two)\n")
    assert [link for link in links(document) if not leads_somewhere(document, link)] == [
        "b.md",
        "#three",
    ]


@pytest.mark.parametrize("decision", DECISIONS, ids=name)
def test_every_decision_says_how_it_stands(decision: Path) -> None:
    assert STATUS.search(decision.read_text(encoding="utf-8"))


def test_decisions_are_numbered_without_gaps() -> None:
    numbers = [int(path.name[:4]) for path in DECISIONS]
    assert numbers == list(range(1, len(numbers) + 1))
    assert numbers


def test_every_document_is_reached_from_the_index() -> None:
    index = ROOT / "docs" / "README.md"
    reached = {(index.parent / link.partition("#")[0]).resolve() for link in links(index)}
    documents = {path.resolve() for path in (ROOT / "docs").rglob("*.md")} - {index.resolve()}
    assert documents <= reached
