"""The border to a plugin's code, which may raise anything: what comes out is an error of ours.

Rule: a client's error becomes the :class:`CloudError` that the session knows it as; any other
becomes :class:`PluginFailed`. What the guard raised goes before all, even where the plugin
caught it. What is no Exception passes.
"""

from __future__ import annotations

import traceback
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from stoker.classic.exception import HeatException, UpdateReplace
from stoker.classic.resource import PollDelay
from stoker.errors import StokerError, UserError

if TYPE_CHECKING:
    from stoker.classic.context import Context


class PluginFailed(UserError):
    """A plugin raised; see :func:`failed` for the classes that are raised."""

    @property
    def kind(self) -> str:
        """The name of the plugin's own error class."""
        return type(self).__name__


def failed(kind: str, text: str) -> PluginFailed:
    """Return a failure whose class has the name ``kind``: reasons begin with that name, and
    people look for ``ResourceInError``."""
    return _class(kind)(text)


@cache
def _class(kind: str) -> type[PluginFailed]:
    return type(kind, (PluginFailed,), {"__module__": __name__})


class Border:
    """A block that runs a plugin's code."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        session = self._context.asked
        stopped = None if session is None else session.stopped
        if stopped is not None and error is not stopped:
            raise stopped
        if not isinstance(error, Exception) or isinstance(error, StokerError | PollDelay):
            return
        known = None if session is None else session.cloud_error(error)
        raise (known or _failure(error)) from error


def _failure(error: Exception) -> PluginFailed:
    kind = type(error).__name__
    if isinstance(error, UpdateReplace):
        return failed(kind, f"{error} Its plugin found that out too late: delete it and add it.")
    text = str(error) or kind
    if isinstance(error, HeatException):
        return failed(kind, text)
    return failed(kind, f"{text} ({where(error)})")


def where(error: BaseException) -> str:
    """Return file and line of what raised, for whoever mends the plugin."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "unknown place"
