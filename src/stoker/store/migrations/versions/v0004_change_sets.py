"""Change sets: plans that are kept until they are carried out."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_TEXT = sa.Text().with_variant(mysql.MEDIUMTEXT, "mysql", "mariadb")
_SEALED = sa.LargeBinary().with_variant(mysql.LONGBLOB, "mysql", "mariadb")
_MOMENT = sa.DateTime().with_variant(mysql.DATETIME(fsp=6), "mysql", "mariadb")


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "change_set",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("description", _TEXT, nullable=False),
        sa.Column("project_id", sa.String(64), nullable=False),
        sa.Column("stack_id", sa.String(36), nullable=False),
        sa.Column("stack_name", sa.String(255), nullable=False),
        sa.Column("is_new", sa.Boolean(), nullable=False),
        sa.Column("execution", sa.String(32), nullable=False),
        sa.Column("reason", _TEXT, nullable=False),
        sa.Column("request", _SEALED, nullable=False),
        sa.Column("shown", _SEALED, nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_change_set"),
        sa.UniqueConstraint("stack_id", "name", name="uq_change_set_stack_id_name"),
        mysql_engine="InnoDB",
        mysql_collate="utf8mb4_bin",
        mariadb_engine="InnoDB",
        mariadb_collate="utf8mb4_bin",
    )
    op.create_index(
        "ix_change_set_project_id_stack_name", "change_set", ["project_id", "stack_name"]
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("change_set")
