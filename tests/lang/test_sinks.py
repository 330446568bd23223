"""Webhooks in an environment: what one may say of itself, and that no message tells its secrets."""

from __future__ import annotations

from typing import Any

import pytest

from stoker.errors import Code, Invalid, Kind, Severity
from stoker.lang.environment import read_environment, warnings
from stoker.lang.sinks import Webhook, webhooks

URL = "https://hooks.example:8443/a?token=0"


def sinks(*found: Any) -> tuple[Webhook, ...]:
    return webhooks(read_environment({"event_sinks": list(found)}).event_sinks)


def test_a_webhook_has_a_target_and_may_have_a_secret_and_a_time() -> None:
    assert sinks({"type": "webhook", "target": URL}) == (Webhook(URL),)
    whole = {"type": "webhook", "target": URL, "secret": "word", "ttl": 60}
    (found,) = sinks(whole)
    assert (found.target, found.key, found.ttl) == (URL, b"word", 60)


def test_a_secret_may_be_given_in_base64() -> None:
    (found,) = sinks({"type": "webhook", "target": URL, "secret": "whsec_AAEC"})
    assert found.key == b"\0\1\2"


def test_equal_ones_are_one_and_others_are_not_ours() -> None:
    queue = {"type": "zaqar-queue", "target": "q", "ttl": "any", "more": 1}
    one, two = {"type": "webhook", "target": URL}, {"type": "webhook", "target": f"{URL}1"}
    assert sinks(one, queue, two, one) == (Webhook(URL), Webhook(f"{URL}1"))


@pytest.mark.parametrize(
    ("target", "place"),
    [
        (URL, "hooks.example:8443"),
        ("https://HOOKS.example/b", "hooks.example:443"),
        ("http://hooks.example", "hooks.example:80"),
        ("http://[::1]:81/", "::1:81"),
    ],
)
def test_its_place_is_the_host_and_port(target: str, place: str) -> None:
    assert Webhook(target).place == place


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("target", value)
        for value in (
            None, 5, "", "hooks.example", "ftp://hooks.example/", "https://", "https:///a",
            "https://u:p@hooks.example/", "https://hooks.example:0/", "https://hooks.example:99999/",
            "https://hooks.example/a b", "https://hooks.example/\r\nX: y", "https://[::1/",
            "https://h\u00f6\u00f6ks.example/",
        )
    ]
    + [("secret", value) for value in (None, 5, "", "whsec_", "whsec_?", ["a"])]
    + [("ttl", value) for value in (None, 0, -1, 604_801, 1.5, "60", True)]
    + [("targets", "x")],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_place_and_not_shown(key: str, value: Any) -> None:
    sink = {"type": "webhook", "target": URL, "secret": "a very secret word"} | {key: value}
    with pytest.raises(Invalid) as caught:
        read_environment({"event_sinks": [{"type": "other"}, sink]})
    (problem,) = caught.value.problems
    assert problem.kind is Kind.ENVIRONMENT
    assert problem.at == ("event_sinks", 1, key)
    assert "example" not in str(caught.value)
    assert "secret word" not in str(caught.value)


def test_neither_its_target_nor_its_secret_is_in_its_representation() -> None:
    assert repr(Webhook(URL, "word")) == "Webhook(ttl=86400)"


def test_where_nothing_is_sent_there_is_a_warning() -> None:
    unsent = [{"type": "zaqar-queue"}, {"type": 5}, {"target": URL}, None]
    found = list(warnings({"event_sinks": [{"type": "webhook", "target": URL}, *unsent]}))
    assert [each.at for each in found] == [("event_sinks", n, "type") for n in range(1, 5)]
    assert {(each.code, each.severity) for each in found} == {(Code.SINK_TYPE, Severity.WARNING)}
    assert URL not in "".join(each.text for each in found)
    assert list(warnings("")) == list(warnings("event_sinks:")) == []
