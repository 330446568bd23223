"""Whose trusts are to be given up is found by an index, however many stacks have one."""

from __future__ import annotations

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the indexes."""
    op.create_index("ix_stack_user_creds_id", "stack", ["user_creds_id"])
    op.create_index("ix_user_creds_state", "user_creds", ["state", "created_at"])


def downgrade() -> None:
    """Drop them."""
    op.drop_index("ix_user_creds_state", "user_creds")
    op.drop_index("ix_stack_user_creds_id", "stack")
