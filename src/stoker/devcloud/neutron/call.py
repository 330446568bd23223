"""What the rules of this service need to know of a request: who asks, the state, the time.

The rule: Nova's own calls to Neutron are made with a ``Call`` too, so that both meet one rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from stoker.devcloud import clock

if TYPE_CHECKING:
    from stoker.devcloud.cloud import Cloud
    from stoker.devcloud.exchange import Request
    from stoker.devcloud.state import Doc, State


@dataclass(frozen=True, slots=True)
class Call:
    """One call by a project; ``is_admin`` lifts what only administrators may do."""

    cloud: Cloud
    project_id: str
    is_admin: bool

    @classmethod
    def of(cls, request: Request) -> Self:
        """Give the call that ``request`` is."""
        return cls(request.cloud, request.caller.project_id, request.caller.is_admin)

    @property
    def state(self) -> State:
        return self.cloud.state

    def moment(self) -> str:
        """Give the time as this service writes it."""
        return clock.iso(self.cloud.now())

    def owns(self, doc: Doc) -> bool:
        """Tell whether the caller may change ``doc``."""
        return self.is_admin or doc.get("project_id") == self.project_id
