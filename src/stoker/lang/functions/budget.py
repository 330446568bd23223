"""How much text all functions of one stack may make together.

Rule: each function is limited by itself, before it makes anything; this is for many of them.
"""

from __future__ import annotations

from typing import Final

from stoker.lang.functions.arguments import wrong

MAX_MADE: Final = 64 * 2**20
"""Characters, counted as :func:`stoker.lang.functions.arguments.size_of` counts them."""


class Budget:
    """What is left; the first function that takes more is refused, those after it are not run."""

    def __init__(self) -> None:
        self._left = MAX_MADE
        self.is_spent = False

    def take(self, size: int) -> None:
        """Take ``size``; raises Invalid when there is less."""
        self._left -= size
        if self._left < 0:
            self.is_spent = True
            raise wrong(f"the functions make more than {MAX_MADE} characters in all")
