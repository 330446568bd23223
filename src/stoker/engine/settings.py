"""What can be set about the engine; ``app`` reads it from options."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from stoker.engine.offer import Offer

LINGER_SECONDS: Final = 0.25
"""For services, whose clients come from outside and pause between two looks."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Seconds unless the name says otherwise.

    ``in_doubt_seconds``: the client's plus the service's time-out: after it, a call without
    an answer can no longer have an effect. ``dead_seconds``: how long another engine's beat
    may stand still. ``look_seconds``: the longest pause between two looks for due rows.
    ``action_retry_limit``: how often an object that went to an error state while it was made
    is made again; ``retry_seconds``: the pause before the first time, which then doubles.
    ``linger_seconds``: how long the answer to a request that asks no cloud may wait for what was
    asked to be over; 0: not at all.
    ``offer``: what stacks may be made of beside their requests.
    """

    threads: int = 32
    batch: int = 200
    beat_seconds: float = 2.0
    dead_seconds: float = 10.0
    look_seconds: float = 1.0
    linger_seconds: float = 0.0
    audit_seconds: float = 60.0
    in_doubt_seconds: float = 120.0
    client_timeout: float = 60.0
    action_retry_limit: int = 5
    retry_seconds: float = 0.5
    stack_action_timeout: int = 3600
    max_resources_per_stack: int = 1000
    max_nested_stack_depth: int = 5
    max_stacks_per_tenant: int = 512
    max_snapshots_per_stack: int = 32
    max_software_configs_per_tenant: int = 4096
    max_software_deployments_per_tenant: int = 4096
    enable_stack_abandon: bool = False
    enable_stack_adopt: bool = False
    max_template_size: int = 524_288
    max_events_per_stack: int = 1000
    observe_on_update: bool = False
    hidden_stack_tags: tuple[str, ...] = ("data-processing-cluster",)
    offer: Offer = field(default_factory=Offer)
