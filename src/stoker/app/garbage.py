"""What the garbage collector of a process that stays need not look at."""

from __future__ import annotations

import gc


def exempt_what_is_loaded() -> None:
    """Have the collector pass over all that there is now, for good.

    Modules, routes and policy stay to the end. To look through them again takes the collector
    longer than most answers take, or most steps of an engine, and each under way waits for it.
    """
    gc.collect()
    gc.freeze()
