"""Trusts in the sky, and what opens with them: some are lost, and no call with one of those is
made.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from stoker.clouds.connect import Unguarded
from stoker.clouds.credential import Trust
from stoker.clouds.identity import Whose
from stoker.errors import CloudError, CloudNotFound
from tests.engine.simulation.sky import Reach

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from stoker.clouds.credential import Credential
    from stoker.sdk.cloud import Guard
    from tests.engine.simulation.sky import Sky
    from tests.engine.simulation.stage import Process

SERVICE = "identity"
_SERVICES_OWN = Whose("u0", "heat", "p0", "service", ())


@dataclass
class Keystone:
    """``trusts`` are those there are, each with the process whose request made it; ``revoked``
    hears of each that the service takes back."""

    sky: Sky
    revoked: Callable[[str], None]
    trusts: dict[str, Process] = field(default_factory=dict)
    answered: set[str] = field(default_factory=set)
    made: int = 0

    def cloud(self, credential: Credential, guard: Guard | None = None, _age: float = 0.0) -> Any:
        """Return the cloud as a credential opens it."""

        def log_in() -> None:
            if isinstance(credential, Trust) and credential.trust_id not in self.trusts:
                text = f"there is no trust {credential.trust_id}"
                raise CloudError(text, service=SERVICE, status=404, sent=False)

        return Opened(self.sky, guard or Unguarded(), log_in, self)

    def forget(self, _credential: Credential) -> None:
        """Do nothing: nothing is kept of it."""

    def lose(self) -> None:
        """Let a trust be no more, as an administrator would who knows nothing of us."""
        if self.trusts:
            del self.trusts[self.sky.chance.choice(sorted(self.trusts))]

    def unrecorded(self, recorded: Iterable[str]) -> set[str]:
        """Return the trusts that nobody knows of, though whoever made them was told and lives."""
        told = {each for each in self.answered & self.trusts.keys() if self.trusts[each].is_alive}
        return told - set(recorded)


@dataclass(frozen=True)
class Opened(Reach):
    """The sky, and the keeper of trusts."""

    keystone: Keystone

    @property
    def identity(self) -> Identity:
        return Identity(self.keystone, self.log_in)


@dataclass(frozen=True)
class Identity:
    """The calls to the keeper of trusts."""

    keystone: Keystone
    log_in: Callable[[], None]

    def whose(self) -> Whose:
        self.log_in()
        return self.keystone.sky.read(lambda: _SERVICES_OWN)

    def lent_to(self, _trustee: str) -> str | None:
        """Nobody asks here with a trust."""
        return None

    def create_trust(self, _trustee: str, _roles: Iterable[str]) -> str:
        keystone = self.keystone
        process = keystone.sky.stage.acting.process

        def effect() -> str:
            keystone.made += 1
            id = f"trust{keystone.made}"
            keystone.trusts[id] = process
            return id

        id = keystone.sky.send(effect)
        keystone.answered.add(id)
        return id

    def delete_trust(self, id: str) -> None:
        self.log_in()

        def effect() -> None:
            self.keystone.revoked(id)
            self.keystone.trusts.pop(id, None)

        self.keystone.sky.send(effect)

    def get(self, path: str) -> str:
        id = path.rpartition("/")[2]

        def answer() -> str:
            if id not in self.keystone.trusts:
                raise CloudNotFound(f"there is no {id}", service=SERVICE, status=404)
            return id

        return self.keystone.sky.read(answer)
