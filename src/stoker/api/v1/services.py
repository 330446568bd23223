"""The engines of this installation, for its operators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.api.policy import admin
from stoker.api.route import Route
from stoker.api.v1.path import PROJECT

if TYPE_CHECKING:
    from datetime import datetime

    from stoker.api.route import Ask
    from stoker.usecases.stacks import EngineView, Json


def index(ask: Ask) -> Json:
    """List the engines, and whether each is up."""
    return {"services": [shown(each) for each in ask.stacks.engines(ask.caller)]}


def shown(engine: EngineView) -> Json:
    """Return an engine; its times have fractions here, and no zone."""
    return {
        "id": engine.id,
        "binary": engine.binary,
        "engine_id": engine.id,
        "host": engine.host,
        "hostname": engine.hostname,
        "topic": engine.topic,
        "report_interval": engine.report_interval,
        "created_at": _time(engine.created_at),
        "updated_at": _time(engine.updated_at),
        "deleted_at": _time(engine.deleted_at),
        "status": "up" if engine.is_up else "down",
    }


def _time(time: datetime | None) -> str | None:
    return None if time is None else time.strftime("%Y-%m-%dT%H:%M:%S.%f")


ROUTES = (Route("GET", f"{PROJECT}/services", index, admin("service:index")),)
