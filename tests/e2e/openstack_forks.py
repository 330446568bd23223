"""The program ``openstack``, run as often as it is asked over standard input, imported once.

Each command has a process of its own, forked from this one, and so its own state and exit code:
what starting it anew would give, without a second of imports each time.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import tempfile
from typing import IO

# What the children need is imported here. None of it has types.
SHELL = importlib.import_module("openstackclient.shell")
for _name in ("osc.plugin", "osc.v1.event", "osc.v1.resource", "osc.v1.stack", "v1.client"):
    importlib.import_module(f"heatclient.{_name}")


def run(arguments: list[str]) -> dict[str, object]:
    """Run one command and return its exit code and what it wrote."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            _become(arguments, out, err)
        _, status = os.waitpid(child, 0)
        return {"code": os.waitstatus_to_exitcode(status), "out": _read(out), "err": _read(err)}


def _become(arguments: list[str], out: IO[bytes], err: IO[bytes]) -> None:
    code = 70
    try:
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        code = SHELL.main(arguments) or 0
    except SystemExit as e:
        code = e.code if isinstance(e.code, int) else 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _read(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


def main() -> None:
    """Answer a line of JSON for each line of JSON."""
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line))), flush=True)  # noqa: T201 - it is the answer


if __name__ == "__main__":
    main()
