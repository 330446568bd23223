"""Who carries requests out: this process, or an engine that is asked through the broker.

Rule: an engine serves requests only where the operator says so, and then it needs the rules of
who may use which type; all other rules stay with the API.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.app.hinting import with_broker
from stoker.app.policy_file import policy
from stoker.app.service import LIBRARIES
from stoker.store.seal import Sealer

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import ExitStack

    from stoker.app.configuration import Configuration
    from stoker.app.installation import Parts
    from stoker.rpc.bearer import Asking


def asking(configuration: Configuration, stack: ExitStack) -> Asking:
    """Return what asks engines, which ``stack`` closes; raises Misconfigured."""

    def made() -> Asking:
        from stoker.rpc.bearer import Asking

        found = Asking(LIBRARIES, _url(configuration), _sealer(configuration))
        stack.callback(found.close)
        return found

    return with_broker(made)


def serve(
    configuration: Configuration, parts: Parts, wake: Callable[[], None], stack: ExitStack
) -> None:
    """Have this engine carry requests out, where it is to; ``wake`` is told of accepted ones."""
    if not configuration.is_rpc:
        return

    def made() -> None:
        from stoker.rpc.bearer import Desk

        desk = Desk(LIBRARIES, _url(configuration), _sealer(configuration))
        stack.callback(desk.close)
        allowed = policy(configuration.sources)
        stacks = parts.stacks(wake, allowed)
        desk.serve(stacks, parts.catalog(), parts.software(), parts.change_sets(stacks))

    with_broker(made)


def _url(configuration: Configuration) -> str:
    return str(configuration["DEFAULT"]["transport_url"])


def _sealer(configuration: Configuration) -> Sealer:
    return Sealer(configuration.key, configuration.former_keys)
