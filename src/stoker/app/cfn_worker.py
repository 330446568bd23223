"""One process that answers requests, a child of ``stoker-api-cfn``."""

from __future__ import annotations

from stoker.app.answering import answer
from stoker.app.cfn_service import PROGRAM, SECTION
from stoker.app.front import cfn


def main() -> None:
    """Answer until told to end, and end the process."""
    answer(PROGRAM, SECTION, cfn)


if __name__ == "__main__":
    main()
