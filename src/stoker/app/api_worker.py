"""One process that answers requests, a child of ``stoker-api``."""

from __future__ import annotations

from stoker.app.answering import answer
from stoker.app.api_service import PROGRAM, SECTION
from stoker.app.front import api


def main() -> None:
    """Answer until told to end, and end the process."""
    answer(PROGRAM, SECTION, api)


if __name__ == "__main__":
    main()
