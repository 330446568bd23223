"""``stoker-api``: processes that answer requests to the native API at one port."""

from __future__ import annotations

import sys

from stoker.app.answering import answer_with
from stoker.app.service import configured, run

PROGRAM = "stoker-api"
SECTION = "heat_api"


def main() -> None:
    """Run until a signal, and end the process."""
    run(PROGRAM, _serve)


def _serve() -> None:
    configuration = configured(PROGRAM, sys.argv[1:])
    configuration.check_api()
    answer_with(configuration, SECTION, "stoker.app.api_worker")


if __name__ == "__main__":
    main()
