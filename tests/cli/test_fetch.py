"""Reading files and URLs, and how they are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from stoker.cli import fetch
from stoker.cli.fetch import Unreadable, as_text, as_url, fetched, folder_of, joined, shown
from stoker.fetch import Limits


def test_a_path_becomes_an_absolute_url_and_a_url_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert as_url("a b.yaml") == (tmp_path / "a b.yaml").as_uri()
    assert as_url("https://host/a.yaml") == "https://host/a.yaml"


def test_names_are_meant_beside_the_file_that_has_them() -> None:
    assert folder_of("file:///a/b/c.yaml") == "file:///a/b"
    assert joined("file:///a/b", "d.sh") == "file:///a/b/d.sh"
    assert joined("file:///a/b/", "../d.sh") == "file:///a/d.sh"
    assert joined("file:///a/b", "https://host/d.sh") == "https://host/d.sh"
    assert joined(folder_of("https://host/c.yaml"), "d.sh") == "https://host/d.sh"


def test_what_is_not_text_goes_in_base64() -> None:
    assert as_text("ä".encode()) == "ä"
    assert as_text(b"\xff\x00" * 40).count("\n") == 2
    assert as_text(b"") == ""


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("file:///no/such/file", "No such file"),
        ("ftp://host/file", "only file, http, https"),
        ("http://127.0.0.1:1/", "refused"),
    ],
)
def test_what_cannot_be_read_says_why(url: str, why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        fetched(url)


def test_a_file_is_read_up_to_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a b"
    file.write_bytes(b"12345")
    monkeypatch.setattr(fetch, "MOST", 5)
    assert fetched(file.as_uri()) == b"12345"
    monkeypatch.setattr(fetch, "MOST", 4)
    with pytest.raises(Unreadable, match="more than 4 bytes"):
        fetched(file.as_uri())
    with pytest.raises(Unreadable, match="more than 4 bytes"):
        fetched("file:///dev/zero")


def test_a_site_is_asked_within_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def answer(url: str, limits: Limits) -> bytes:
        asked.append((url, limits))
        return b"text"

    monkeypatch.setattr("stoker.fetch.fetch", answer)
    assert fetched("http://host/a") == b"text"
    assert asked == [("http://host/a", Limits(fetch.MOST, fetch.SECONDS, private=True))]


def test_people_see_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert shown((tmp_path / "a" / "b c.yaml").as_uri()) == "a/b c.yaml"
    assert shown("file:///no/such.yaml") == "/no/such.yaml"
    assert shown("https://host/a.yaml") == "https://host/a.yaml"
