from __future__ import annotations

from stoker.clouds.memory import Memory


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_what_was_learnt_is_known_for_its_seconds() -> None:
    clock = Clock()
    memory = Memory(clock=clock)
    memory.keep("a", 1, 60.0)
    clock.now = 59.0
    assert memory.get("a") == 1
    clock.now = 60.0
    assert memory.get("a") is None


def test_the_oldest_goes_when_it_is_full() -> None:
    memory = Memory(most=2)
    for key in ("a", "b", "a", "c"):
        memory.keep(key, key, 60.0)
    assert [memory.get(key) for key in "abc"] == ["a", None, "c"]


def test_something_can_be_forgotten() -> None:
    memory = Memory()
    memory.keep("a", 1, 60.0)
    memory.forget("a")
    assert memory.get("a") is None


def test_what_was_learnt_before_a_moment_is_not_told_to_who_asks_since_then() -> None:
    clock = Clock()
    memory = Memory(clock=clock)
    clock.now = 10.0
    memory.keep("a", 1, 60.0)
    memory.keep("slow", 1, 60.0, learnt=8.0)
    assert memory.get("a", since=10.0) == 1
    assert memory.get("a", since=10.5) is None
    assert memory.get("slow", since=9.0) is None
    assert memory.get("slow", since=8.0) == 1
