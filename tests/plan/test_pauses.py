from __future__ import annotations

from stoker.plan.machine import before_retry


def test_the_pauses_before_a_create_is_repeated_double_and_are_spread() -> None:
    assert [before_retry(tries, 0.0) for tries in range(1, 6)] == [1, 2, 4, 8, 16]
    assert before_retry(3, 0.5) == 5
