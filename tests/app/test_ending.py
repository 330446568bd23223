"""The request to end, which comes by a signal in the midst of anything."""

from __future__ import annotations

import subprocess
import sys

SECONDS = 20
PROGRAM = """
import os, signal, sys
from stoker.app.ending import Ending

def interrupted(number):
    # The signal comes at that line of what the wait runs; tell whether there is one.
    ending, lines = Ending(), 0
    ending.on_signals()

    def trace(frame, event, argument):
        nonlocal lines
        if event == "line" and frame.f_code.co_filename != "<string>":
            lines += 1
            if lines == number:
                sys.settrace(None)
                os.kill(os.getpid(), signal.SIGINT)
        return trace

    sys.settrace(trace)
    ending.wait(0.05)
    sys.settrace(None)
    asked = lines >= number
    assert ending.wait(0.0) == asked
    return asked

number = 1
while interrupted(number):
    number += 1
print("at", number - 1)
"""


def test_a_signal_at_any_line_of_the_wait_ends_it() -> None:
    done = subprocess.run(
        (sys.executable, "-c", PROGRAM),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.stdout.startswith("at "), done.stderr
    assert int(done.stdout.split()[1]) > 0


def test_a_second_signal_ends_at_once() -> None:
    program = """
import os, signal
from stoker.app.ending import Ending
ending = Ending()
ending.on_signals()
os.kill(os.getpid(), signal.SIGTERM)
assert ending.wait()
os.kill(os.getpid(), signal.SIGTERM)
"""
    done = subprocess.run((sys.executable, "-c", program), timeout=SECONDS, check=False)
    assert done.returncode == -15
