"""The use cases of stacks, whole: reading and changing behind the one Protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.engine.usecases.changing import Changing
from stoker.engine.usecases.reading import Reading

if TYPE_CHECKING:
    from collections.abc import Callable

    from stoker.engine.credentials import Credentials
    from stoker.engine.settings import Settings
    from stoker.sdk.resource import Types
    from stoker.store.database import Database
    from stoker.usecases.caller import Caller


def anybody(_caller: Caller, _type_name: str) -> bool:
    """Let everybody use every type."""
    return True


class StackUseCases(Reading, Changing):
    """``usecases.stacks.Stacks``, in process."""

    def __init__(
        self,
        database: Database,
        types: Types,
        credentials: Credentials,
        settings: Settings,
        wake: Callable[[], None],
        may_use: Callable[[Caller, str], bool] = anybody,
    ) -> None:
        Reading.__init__(self, database, types)
        Changing.__init__(self, database, types, credentials, settings, wake, may_use)
