"""Software configs as rows: what is listed of one, and what lies sealed."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from stoker.store.software import ConfigRow

if TYPE_CHECKING:
    from datetime import datetime

    from stoker.store.seal import Sealer
    from stoker.usecases.software import NewConfig

_LISTED = ("name", "group")


def config_row(
    sealer: Sealer, id: str, project_id: str, what: NewConfig, at: datetime
) -> ConfigRow:
    """Return the row of a config that was made at a moment."""
    content = {key: value for key, value in asdict(what).items() if key not in _LISTED}
    name, group = what.name or "", what.group or ""
    return ConfigRow(id, project_id, name, group, at, sealer.seal(content))
