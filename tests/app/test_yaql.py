"""yaql expressions are run apart, and what they may take is limited."""

from __future__ import annotations

import os
import resource
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stoker.app.yaql import YaqlLimits, YaqlProcesses

ENDLESS = "[1].select(regex('(a+)+b').matches('" + "a" * 60 + "'))"
HUGE = "['x' * 1000000].select([$ * 300, $ * 300])"


@pytest.fixture(scope="module")
def yaql() -> Iterator[YaqlProcesses]:
    engine = YaqlProcesses()
    yield engine
    engine.close()


@pytest.mark.parametrize(
    ("expression", "data", "value"),
    [
        ("$.data.a", {"a": 1}, 1),
        ("$.data.select($ + 1)", [1, 2], [2, 3]),
        ("$.data.toDict($.k, $.v)", [{"k": "a", "v": 1}], {"a": 1}),
        ("$.data.toSet()", ["a", "a"], ["a"]),
        ("$.data.é", {"é": "ü"}, "ü"),
    ],
)
def test_an_expression_gives_its_value(
    yaql: YaqlProcesses, expression: str, data: Any, value: Any
) -> None:
    assert yaql.run(expression, data) == value


@pytest.mark.parametrize(
    ("limits", "expression", "text"),
    [
        (YaqlLimits(limit_iterators=3), "range(4)", "3"),
        (YaqlLimits(memory_quota=2_000), "'x' * 3000", "memory|quota"),
    ],
)
def test_an_operators_limits_count(limits: YaqlLimits, expression: str, text: str) -> None:
    engine = YaqlProcesses(limits)
    with pytest.raises(ValueError, match=text):
        engine.run(expression, None)
    engine.close()


def test_an_operator_may_lift_yaqls_own_limits() -> None:
    engine = YaqlProcesses(YaqlLimits(limit_iterators=-1, memory_quota=-1))
    assert engine.run("range(1000).sum()", None) == 499_500
    assert engine.run("len('x' * 20000)", None) == 20_000
    with pytest.raises(ValueError, match="memory"):
        engine.run(HUGE, None)
    engine.close()


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("$.data.", "unexpected end"),
        ("nothing($)", "nothing"),
        ("1 / 0", "zero"),
        ("range(1000)", "1000|200|iterat"),
        ("now()", "cannot stand in a template"),
        (ENDLESS, "takes too long"),
        (HUGE, "memory"),
    ],
)
def test_what_fails_says_why_and_the_next_works(
    yaql: YaqlProcesses, expression: str, text: str
) -> None:
    with pytest.raises(ValueError, match=text):
        yaql.run(expression, None)
    assert yaql.run("1 + 1", None) == 2


def test_an_expression_is_checked_without_data(yaql: YaqlProcesses) -> None:
    yaql.check("$.data.a.b.c")
    with pytest.raises(ValueError, match="unexpected end"):
        yaql.check("$.data.")


def test_an_expression_that_never_ends_holds_up_no_other(yaql: YaqlProcesses) -> None:
    """Others are answered while the first still runs: it is ended only by its limit."""
    ended = threading.Event()

    def never() -> None:
        with pytest.raises(ValueError, match="takes too long"):
            yaql.run(ENDLESS, None)
        ended.set()

    thread = threading.Thread(target=never)
    thread.start()
    answers = [yaql.run("$.data", 1)]
    held_up = ended.is_set()
    thread.join()
    assert answers == [1]
    assert not held_up


def children() -> set[int]:
    mine = Path(f"/proc/{os.getpid()}/task/{threading.get_native_id()}/children")
    return set(map(int, mine.read_text().split()))


def test_a_process_that_was_ended_between_questions_is_replaced() -> None:
    before = children()
    yaql = YaqlProcesses()
    assert yaql.run("$.data", 1) == 1
    (child,) = children() - before
    os.kill(child, signal.SIGKILL)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    assert yaql.run("$.data", 2) == 2
    yaql.close()


def test_what_could_be_read_once_is_not_asked_again(yaql: YaqlProcesses) -> None:
    yaql.check("$.data.known")
    yaql.close()
    before = children()
    yaql.check("$.data.known")
    assert children() == before
    for _ in range(2):
        with pytest.raises(ValueError, match="unexpected end"):
            yaql.check("$.data.")


def test_the_asking_process_needs_no_memory_for_what_an_expression_makes(
    yaql: YaqlProcesses,
) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ValueError, match="memory"):
        yaql.run(HUGE, None)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000  # KiB
