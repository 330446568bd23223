"""The template of a request, by its address."""

from __future__ import annotations

import pytest

from stoker.api import fetch
from stoker.api.settings import Settings
from stoker.api.template import origin_of, template_of
from stoker.errors import Invalid, LimitExceeded, TooLarge, Unfetched
from stoker.fetch import Limits

URL = "https://there.example/a.yaml"


def answer(monkeypatch: pytest.MonkeyPatch, what: bytes | Exception) -> list[Limits]:
    asked: list[Limits] = []

    def fetched(url: str, limits: Limits) -> bytes:
        assert url == URL
        asked.append(limits)
        if isinstance(what, Exception):
            raise what
        return what

    monkeypatch.setattr(fetch, "fetch_bytes", fetched)
    return asked


def test_it_is_fetched_within_the_limits_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = answer(monkeypatch, b"text")
    assert template_of(None, URL, Settings(max_template_size=9, template_fetch_timeout=2)) == "text"
    template_of(None, URL, Settings(fetch_private_addresses=True))
    assert [each.private for each in asked] == [False, True]
    assert asked[0] == Limits(9, 2)


@pytest.mark.parametrize("what", [Unfetched("why"), b"\xff"])
def test_what_cannot_be_had_is_the_callers_to_put_right(
    monkeypatch: pytest.MonkeyPatch, what: bytes | Exception
) -> None:
    answer(monkeypatch, what)
    with pytest.raises(Invalid, match=r"^Could not retrieve template: ."):
        template_of(None, URL, Settings())


def test_one_that_is_too_large_exceeds_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, TooLarge("more"))
    with pytest.raises(LimitExceeded, match=r"maximum allowed size \(5 bytes\)"):
        template_of(None, URL, Settings(max_template_size=5))


@pytest.mark.parametrize(
    ("template", "url", "origin"),
    [
        (None, URL, URL),
        (None, "https://u:p@there.example:1/a.yaml?key=x#y", "https://there.example:1/a.yaml"),
        ("text", URL, "template"),
        (None, None, "template"),
    ],
)
def test_it_is_called_by_its_address_without_what_lets_somebody_in(
    template: str | None, url: str | None, origin: str
) -> None:
    assert origin_of(template, url) == origin
