"""Which build answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.api.policy import reader
from stoker.api.route import Route
from stoker.api.v1.path import PROJECT

if TYPE_CHECKING:
    from stoker.api.route import Ask
    from stoker.usecases.stacks import Json


def show(ask: Ask) -> Json:
    """Tell the revisions that run."""
    revision = {"revision": ask.house.settings.heat_revision}
    return {"api": revision, "engine": revision}


ROUTES = (Route("GET", f"{PROJECT}/build_info", show, reader("build_info:build_info")),)
