"""Snapshots: the copies that they keep are rows of resources; a deletion counts its nodes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_COLUMNS = (
    ("resource", "snapshot_id", sa.String(36)),
    ("snapshot", "traversal_id", sa.String(36)),
    ("snapshot", "remaining", sa.Integer()),
    ("snapshot", "failures", sa.Integer()),
)
_INDEXES = (
    ("ix_resource_snapshot_id", "resource", ["snapshot_id"]),
    ("ix_snapshot_traversal_id", "snapshot", ["traversal_id"]),
)


def upgrade() -> None:
    """Add the columns and their indexes."""
    for table, name, type_ in _COLUMNS:
        op.add_column(table, sa.Column(name, type_, nullable=True))
    for name, table, columns in _INDEXES:
        op.create_index(name, table, columns)


def downgrade() -> None:
    """Drop them."""
    for name, table, _ in _INDEXES:
        op.drop_index(name, table)
    for table, name, _ in reversed(_COLUMNS):
        op.drop_column(table, name)
