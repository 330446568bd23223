"""What connects the command line: lazily, and past proxies to our own machine."""

from __future__ import annotations

import subprocess
import sys

import pytest

from stoker.app.proxy import bypass_proxies

SLOW = ("openstack", "keystoneauth1", "requests", "sqlalchemy", "falcon", "rich.live", "yaml")


def test_the_help_loads_nothing_that_is_slow() -> None:
    code = (
        "import sys\n"
        "from stoker.app import main\n"
        "sys.argv = ['stoker', '--version-of-nothing']\n"
        "try: main.main()\n"
        "except SystemExit: pass\n"
        f"print([name for name in {SLOW!r} if name in sys.modules])\n"
    )
    ran = subprocess.run(
        (sys.executable, "-c", code), capture_output=True, text=True, check=True, timeout=60
    )
    assert ran.stdout.splitlines()[-1] == "[]"


def test_our_own_machine_is_reached_without_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "example.org")
    monkeypatch.delenv("NO_PROXY", raising=False)
    bypass_proxies()
    import os

    assert os.environ["no_proxy"] == "example.org,127.0.0.1,localhost"
    assert os.environ["NO_PROXY"] == "127.0.0.1,localhost"
