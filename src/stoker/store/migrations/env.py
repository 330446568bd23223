"""What Alembic runs to apply revisions: they go through the connection it is handed.

The caller owns the transaction, so that a failed upgrade leaves nothing behind where the
database can take DDL back (SQLite, PostgreSQL).
"""

from __future__ import annotations

from alembic import context

from stoker.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    compare_type=True,
)
context.run_migrations()
