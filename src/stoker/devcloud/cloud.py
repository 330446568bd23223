"""The cloud as one value: its options and its parts, handed to every call.

Rule: no globals; two clouds in one process share nothing but the table of routes.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

from stoker.devcloud import clock
from stoker.devcloud.caller import Caller
from stoker.devcloud.faults import Faults
from stoker.devcloud.journal import Journal
from stoker.devcloud.state import State

_CALLERS = 10_000
"""Tokens that are remembered as worked out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a cloud is started; ``state`` is a path, or ``:memory:``.

    ``listen_fd`` is a socket that listens already; host and port are those that it has.
    """

    port: int = 0
    listen_fd: int | None = None
    host: str = "127.0.0.1"
    state: str = ":memory:"
    password: str = "secret"  # noqa: S105 - the published password of a development cloud
    token_seconds: float = 3600.0
    signature_seconds: float = 900.0
    region: str = "RegionOne"
    orchestration_url: str = "http://127.0.0.1:8004/v1/%(project_id)s"
    cloudformation_url: str = "http://127.0.0.1:8000/v1"
    latency: float = 0.2


@dataclass(slots=True)
class Cloud:
    """The running cloud; ``url`` is ``http://127.0.0.1:<port>``."""

    options: Options
    url: str
    state: State
    latency: clock.Latency
    authenticate: Callable[[Cloud, str], Caller | None]
    faults: Faults = field(default_factory=Faults)
    journal: Journal = field(default_factory=Journal)
    callers: dict[str, Caller] = field(default_factory=dict)

    def now(self) -> float:
        """Give the cloud's time, in seconds since the epoch."""
        return clock.now()

    def caller_of(self, token: str) -> Caller | None:
        """Tell whose token it is; None when it is not valid. Call it inside a transaction."""
        known = self.callers.get(token)
        if known is None:
            known = self.authenticate(self, token)
            if known is None:
                return None
            if len(self.callers) >= _CALLERS:
                self.callers.clear()
            self.callers[token] = known
        return known if known.expires_at > self.now() else None

    def forget_callers(self) -> None:
        """Have every token worked out anew: users, roles, trusts or tokens changed."""
        self.callers.clear()


def new_id() -> str:
    """Give a new id with dashes, as Nova, Neutron and Glance use."""
    return str(uuid.uuid4())


def new_hex() -> str:
    """Give a new id without dashes, as Keystone uses."""
    return uuid.uuid4().hex
