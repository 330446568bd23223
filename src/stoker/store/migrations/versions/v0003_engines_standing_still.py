"""Engines: which process each is, and for how long others have seen its beat stand still."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_COLUMNS: tuple[tuple[str, sa.types.TypeEngine[Any]], ...] = (
    ("process", sa.String(128)),
    ("still_beat", sa.BigInteger()),
    ("still_seconds", sa.Double()),
)


def upgrade() -> None:
    """Add the columns; engines of the release before leave them NULL."""
    for name, type_ in _COLUMNS:
        op.add_column("service", sa.Column(name, type_, nullable=True))


def downgrade() -> None:
    """Drop them."""
    for name, _ in reversed(_COLUMNS):
        op.drop_column("service", name)
