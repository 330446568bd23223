"""What a new cloud holds: each service's own seed, once; and what each does at every start.

Rule: all of it or nothing, in one transaction; a state that was seeded is never seeded again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from stoker.devcloud.cloud import Cloud

_SETTING = "seeded"
_FIRST = "stoker.devcloud.keystone"


def run(cloud: Cloud, packages: Sequence[ModuleType]) -> None:
    """Run each package's ``seed(cloud)``, if it was not run, and ``resume(cloud)``.

    Keystone comes first. A package need not have them.
    """
    ordered = sorted(packages, key=lambda package: package.__name__ != _FIRST)
    with cloud.state.transaction():
        done: list[str] = cloud.state.setting(_SETTING) or []
        for package in ordered:
            sow = getattr(package, "seed", None)
            if sow is not None and package.__name__ not in done:
                sow(cloud)
                done.append(package.__name__)
            resume = getattr(package, "resume", None)
            if resume is not None:
                resume(cloud)
        cloud.state.put_setting(_SETTING, done)
