"""The wake-ups between processes, where a broker is configured; else nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from stoker.app.misconfigured import Misconfigured
from stoker.app.service import LIBRARIES

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import ExitStack

    from stoker.app.configuration import Configuration

T = TypeVar("T")


class Bell(Protocol):
    """Rings at every engine, and is heard by this one. A ring may be lost."""

    def ring(self) -> None:
        """Have all engines look for due rows now; returns at once."""
        ...

    def answer(self, wake: Callable[[], None]) -> None:
        """Call ``wake`` whenever somebody rings."""
        ...


class Silence:
    """The bell of those who have no broker."""

    def ring(self) -> None:
        """Do nothing."""

    def answer(self, wake: Callable[[], None]) -> None:
        """Do nothing."""


def hints(configuration: Configuration, stack: ExitStack) -> Bell:
    """Return the bell, which ``stack`` closes; raises Misconfigured."""
    url = configuration["DEFAULT"]["transport_url"]
    if not url:
        return Silence()

    def made() -> Bell:
        from stoker.rpc.hints import Hints

        bell = Hints(LIBRARIES, url)
        stack.callback(bell.close)
        return bell

    return with_broker(made)


def with_broker(make: Callable[[], T]) -> T:
    """Return what needs a broker; raises Misconfigured where there can be none."""
    try:
        from stoker.rpc.transport import NoBroker
    except ModuleNotFoundError as error:
        raise Misconfigured(
            f"[DEFAULT] transport_url is set, and {error.name} is missing: install"
            " stoker[rabbitmq], or leave the option out"
        ) from error
    try:
        return make()
    except NoBroker as error:
        raise Misconfigured(f"[DEFAULT] transport_url: {error}") from error
