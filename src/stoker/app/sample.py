"""Samples of the two files that operators write, with every default and what it means.

Rule: they come from the declarations themselves, by oslo's own generators; the entry points for
``oslo-config-generator`` and ``oslopolicy-sample-generator`` lead to the same.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from oslo_config import cfg, generator
from oslo_policy.generator import generate_sample

from stoker.api.policy import defaults
from stoker.app.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oslo_policy.policy import RuleDefault

NAMESPACE = "stoker"
LIBRARIES = ("keystonemiddleware.auth_token", "oslo.log", "oslo.messaging", "oslo.policy")
"""Whose options are read from the same file."""


def policies() -> Sequence[RuleDefault]:
    """Return all rules as ``oslopolicy-sample-generator`` wants them."""
    return defaults(RULES)


def sample_config() -> None:
    """Print a configuration file with every option, its meaning and its default."""
    with suppress(ModuleNotFoundError):
        import_module("stoker.rpc")  # lest oslo.messaging choose by itself what it runs on
    there = {each.name for each in entry_points(group="oslo.config.opts")}
    conf = cfg.ConfigOpts()
    generator.register_cli_opts(conf)
    names = [name for name in (NAMESPACE, *LIBRARIES) if name in there]
    conf([word for name in names for word in ("--namespace", name)], default_config_files=[])
    generator.generate(conf)


def sample_policy() -> None:
    """Print a policy file with every rule, its meaning and its default."""
    generate_sample(["--namespace", NAMESPACE], cfg.ConfigOpts())
