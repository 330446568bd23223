"""A client's own functional tests: from its source archive, in an environment of their own.

Rule: nothing of the archive is changed. What its tests take from the internet is served to them
by this machine, so that they say the same where there is none.
"""

from __future__ import annotations

import os
import subprocess
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

SECONDS: Final = 1800


@dataclass(frozen=True)
class Suite:
    """Which files of an archive are tests, and the environment that they want.

    ``workers`` is how many of them may run at once.
    """

    archive: str
    files: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    workers: int = 1


def outcomes(place: Path, suite: Suite, report: Path) -> dict[str, str]:
    """Run the suite; return what came of each test: ``passed``, ``skipped`` or its error.

    ``place`` is the environment of ``make test-peers``, with the archives in ``src``.
    """
    python = place / "bin" / "python"
    apart = ["-c", os.devnull, "--rootdir=.", "-p", "no:cacheprovider"]  # from our own settings
    command = [str(python), "-m", "pytest", "-q", *apart, f"--junitxml={report}"]
    source = next((place / "src").glob(f"{suite.archive}-*/"))
    done = subprocess.run(
        [*command, "-n", str(suite.workers), *suite.files],
        cwd=source,
        env={**_plain(), "PATH": f"{python.parent}:{os.environ['PATH']}", **suite.environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    assert report.exists(), done.stdout + done.stderr
    cases = ET.parse(report).getroot().iter("testcase")  # noqa: S314 - pytest's own
    return {f"{each.attrib['classname']}.{each.attrib['name']}": _outcome(each) for each in cases}


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve the files of a folder; give their address."""
    handler = partial(_Quiet, directory=str(folder))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def _plain() -> dict[str, str]:
    """Return this environment without what would choose another cloud or another Python."""
    mixed = ("OS_", "OPENSTACKSDK_", "PYTHON", "PYTEST", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if not name.startswith(mixed)}


def _outcome(case: ET.Element) -> str:
    for kind in ("failure", "error", "skipped"):
        found = case.find(kind)
        if found is not None:
            return "skipped" if kind == "skipped" else found.attrib.get("message", kind)
    return "passed"
