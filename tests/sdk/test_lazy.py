from __future__ import annotations

import threading

from stoker.sdk.lazy import lazy


class Thing:
    def __init__(self, meeting: threading.Barrier | None = None) -> None:
        self.made, self._meeting = 0, meeting

    @lazy
    def value(self) -> int:
        if self._meeting is not None:
            self._meeting.wait(10)
        self.made += 1
        return self.made


def test_a_value_is_made_once_when_it_is_asked_for() -> None:
    thing = Thing()
    assert thing.made == 0
    assert (thing.value, thing.value, thing.made) == (1, 1, 1)
    assert Thing().value == 1


def test_one_value_that_takes_its_time_holds_up_no_other() -> None:
    meeting = threading.Barrier(2)  # broken, with an error, where only one of them gets there
    threads = [threading.Thread(target=lambda: Thing(meeting).value) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not meeting.broken
