"""Which engine sends to a sink, so that it is handed on when that dies; how often it was refused.

Engines of the version before go on beside it: they write neither, and what they were sending when
they died waits for as long as it did.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns, which those who do not know them leave empty."""
    op.add_column("event_sink", sa.Column("engine_id", sa.String(36), nullable=True))
    op.add_column("event_sink", sa.Column("refusals", sa.Integer(), nullable=True))
    op.create_index("ix_event_sink_engine_id", "event_sink", ["engine_id"])


def downgrade() -> None:
    """Drop them."""
    op.drop_index("ix_event_sink_engine_id", "event_sink")
    op.drop_column("event_sink", "refusals")
    op.drop_column("event_sink", "engine_id")
