"""The program ``openstack``, run as often as it is asked over standard input, imported once.

Each command has a process of its own, forked from this one, and so its own state and exit code:
what starting it anew would give, without a second of imports each time. The program imports
most of itself when it is run, so that a first run tells what there is to import.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import sys
import tempfile
from typing import IO

# None of it has types.
SHELL = importlib.import_module("openstackclient.shell")
STACKS = importlib.import_module("heatclient.osc.v1.stack")
HELP = ["stack", "list", "--help"]


def prepare() -> None:
    """Import what the program imports when it is run, and look up what it looks up."""
    for name in _imported():
        importlib.import_module(name)
    STACKS.ListStack(None, None).get_parser("stack list")  # whose distribution is remembered
    gc.freeze()  # so that the children share what is there


def _imported() -> list[str]:
    """Return the modules that are there after a first run of the program."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile("w+") as found:
        child = os.fork()
        if child == 0:
            os.dup2(out.fileno(), 1)
            try:
                with contextlib.suppress(SystemExit):
                    SHELL.main(HELP)
                json.dump([name for name in sys.modules if _is_of_a_file(name)], found)
                found.flush()
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        found.seek(0)
        names: list[str] = json.load(found)
    return names


def _is_of_a_file(name: str) -> bool:
    """Tell whether a module can be imported by this name."""
    spec = getattr(sys.modules[name], "__spec__", None)
    return spec is not None and spec.name == name and spec.has_location


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
    prepare()
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line))), flush=True)  # noqa: T201 - it is the answer


if __name__ == "__main__":
    main()
