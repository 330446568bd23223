"""Events of stacks that somebody is to be told of: from when on, until that is done."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column and its index; of what happened before nobody is told."""
    op.add_column("event", sa.Column("tell_at", sa.Double(), nullable=True))
    op.create_index("ix_event_tell_at", "event", ["tell_at"])


def downgrade() -> None:
    """Drop them."""
    op.drop_index("ix_event_tell_at", "event")
    op.drop_column("event", "tell_at")
