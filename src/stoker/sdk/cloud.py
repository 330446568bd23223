"""The cloud as one user sees it: what resource types may ask for, and nothing more.

Every call that changes something passes a :class:`Guard` first, so that a worker that has
lost its lease makes none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from stoker.errors import Path, Place
from stoker.lang.places import Places

Body = Mapping[str, Any]

ELSEWHERE: Final = "heat.stack_elsewhere"
"""The look-up of a stack that is to be made by another Heat; its value is a JSON text."""

WITHIN: Final = "X-Stoker-Within"
"""The header of a call by an orchestrator that makes a stack for a stack of its own."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """Something that must exist: a constraint's name and the value that it is put to.

    ``at`` is its path in the whole tree, ``spot`` the template that has it and its path there.
    """

    constraint: str  # "neutron.network", "nova.flavor", ...
    value: str
    at: Path = ()
    spot: tuple[Places, Path] | None = field(default=None, compare=False)

    @property
    def place(self) -> Place | None:
        """Where it stands, if that was text."""
        return None if self.spot is None else self.spot[0].nearest(self.spot[1])


class Guard(Protocol):
    """Asked around each call; ``before`` raises where the worker may not go on."""

    def before(self, service: str, method: str, path: str) -> None: ...
    def after(self, service: str, method: str, path: str) -> None: ...


class Rest(Protocol):
    """A service's calls by path, below its version: ``/servers/{id}``."""

    def get(self, path: str, **query: Any) -> dict[str, Any]: ...
    def post(self, path: str, body: Body) -> dict[str, Any]: ...
    def put(self, path: str, body: Body) -> dict[str, Any]: ...
    def remove(self, path: str) -> None: ...
    def find(self, kind: str, name_or_id: str) -> str:
        """Return the id; raises NotFound, or Conflict where several have the name."""
        ...

    def is_still(self, path: str, status: str, id: str) -> bool:
        """Tell whether an object of a collection (``/servers``) is known to be at the status, by
        a list that all share who wait; False says nothing. Only for who has waited since the
        last call that changed it."""
        ...


class Network(Rest, Protocol):
    """Neutron. ``kind`` is the singular body key: ``network``, ``subnet``, ``port`` …"""

    def create(self, kind: str, body: Body) -> dict[str, Any]: ...
    def show(self, kind: str, id: str) -> dict[str, Any]: ...
    def update(self, kind: str, id: str, body: Body) -> dict[str, Any]: ...
    def delete(self, kind: str, id: str) -> None: ...
    def list(self, kind: str, **filters: Any) -> Sequence[dict[str, Any]]: ...
    def set_tags(self, kind: str, id: str, tags: Sequence[str]) -> None: ...
    def seen(self, kind: str, id: str) -> dict[str, Any]:
        """Return an object as it was at most half a minute ago."""
        ...

    def has_extension(self, alias: str) -> bool: ...


class Compute(Rest, Protocol):
    """Nova, at the highest microversion that both sides know, unless a call names one."""

    def post_at(self, microversion: str, path: str, body: Body) -> dict[str, Any]:
        """Like ``post``, at a microversion."""
        ...

    def zones(self) -> tuple[str, ...]:
        """Return the names of the availability zones."""
        ...


class Image(Rest, Protocol):
    """Glance."""

    def patch(self, path: str, changes: Sequence[Body]) -> dict[str, Any]:
        """Change what the path names by JSON patch."""
        ...


class Volume(Rest, Protocol):
    """Cinder, at the highest microversion that both sides know."""


class Identity(Rest, Protocol):
    """Keystone."""


class Orchestration(Rest, Protocol):
    """Heat, or one like this."""


class Cloud(Protocol):
    """One user's view of the cloud; each service is a thin client."""

    @property
    def network(self) -> Network: ...
    @property
    def compute(self) -> Compute: ...
    @property
    def image(self) -> Image: ...
    @property
    def volume(self) -> Volume: ...
    @property
    def identity(self) -> Identity: ...
    def orchestration(self, region: str | None) -> Orchestration:
        """Return the client of a region, of this one where none is named."""
        ...


class Constraints(Protocol):
    """Answers look-ups in bulk."""

    def missing(self, lookups: list[Lookup]) -> dict[Lookup, str]:
        """Return, for each look-up that fails, the text that says why."""
        ...
