"""The stack of a resource, as far as its plugin may look, and how that resource stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stoker.classic.clients import Clients
from stoker.classic.context import Context


@dataclass(frozen=True, slots=True)
class Standing:
    """What is recorded of a resource. ``metadata`` None: the template's; ``notes`` is what its
    plugin wrote into ``_db_data``."""

    name: str = ""
    uuid: str | None = None
    resource_id: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class StackView:
    """What ``self.stack`` is to a plugin."""

    id: str
    name: str
    context: Context
    standing: Standing

    @property
    def clients(self) -> Clients:
        return self.context.clients

    def stack_name(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f'Stack "{self.name}" [{self.id}]'
