"""Where the events of stacks are sent to, and what is still owed to each.

Engines of the version before go on beside it; what they write of events is sent to nobody.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_SEALED = sa.LargeBinary().with_variant(mysql.LONGBLOB, "mysql", "mariadb")


def upgrade() -> None:
    """Add the column and the tables; until a stack is updated its sinks get nothing."""
    op.add_column("stack", sa.Column("sinks", sa.Text(), nullable=True))
    op.create_table(
        "event_sink",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("stack_id", sa.String(36), nullable=False),
        sa.Column("place", sa.String(64), nullable=False),
        sa.Column("config", _SEALED, nullable=False),
        sa.Column("due", sa.Double(), nullable=True),
        sa.Column("epoch", sa.Integer, nullable=False),
        sa.Column("failures", sa.Integer, nullable=False),
    )
    op.create_index("ix_event_sink_stack_id", "event_sink", ["stack_id"])
    op.create_index("ix_event_sink_due", "event_sink", ["due"])
    op.create_table(
        "delivery",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("stack_id", sa.String(36), nullable=False),
        sa.Column("sink_id", sa.String(64), nullable=False),
        sa.Column("event_uuid", sa.String(36), nullable=False),
        sa.Column("owed_at", sa.Double(), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_delivery_stack_id_sink_id", "delivery", ["stack_id", "sink_id", "id"])


def downgrade() -> None:
    """Drop them."""
    op.drop_table("delivery")
    op.drop_table("event_sink")
    op.drop_column("stack", "sinks")
