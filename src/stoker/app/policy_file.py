"""Who may do what, as the operator's policy file says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from oslo_config import cfg
from oslo_policy import opts

from stoker.api.policy import Policy
from stoker.app.misconfigured import Misconfigured
from stoker.app.rules import RULES
from stoker.app.service import LIBRARIES

if TYPE_CHECKING:
    from stoker.app.configuration import Sources


def policy(sources: Sources) -> Policy:
    """Return the policy; a relative ``policy_file`` is looked for beside the configuration."""
    opts.set_defaults(LIBRARIES)
    try:
        named = LIBRARIES.oslo_policy.policy_file
        folders = [Path(each).parent for each in sources.files]
        beside = [found for each in folders if (found := each / named).exists()]
        return Policy(RULES, LIBRARIES, policy_file=str(beside[-1]) if beside else None)
    except cfg.Error as error:
        raise Misconfigured(f"[oslo_policy]: {error}") from error
