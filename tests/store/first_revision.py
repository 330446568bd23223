"""Make the first revision anew from ``store/tables.py``: ``python -m tests.store.first_revision``.

Only until the first release: from then on databases are out there that the revision has made,
and a change of the tables needs a revision of its own.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

STORE = Path(__file__).parents[2] / "src" / "stoker" / "store"
REVISION = STORE / "migrations" / "versions" / "v0001_first_tables.py"

HEAD = '''"""The first tables.

A frozen copy of ``store/tables.py`` as it was then: a revision must not change when the
tables do. (Until the first release it is made anew with them.)
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

'''
TAIL = '''
for table in metadata.tables.values():
    for dialect in ("mysql", "mariadb"):  # the collation tells a from A, as the others do
        table.kwargs[f"{dialect}_engine"] = "InnoDB"
        table.kwargs[f"{dialect}_charset"] = "utf8mb4"
        table.kwargs[f"{dialect}_collate"] = "utf8mb4_bin"


def upgrade() -> None:
    """Make the tables."""
    metadata.create_all(op.get_bind(), checkfirst=False)


def downgrade() -> None:
    """Drop the tables."""
    metadata.drop_all(op.get_bind())
'''


def text() -> str:
    """Return the revision as it should be now, not yet formatted."""
    tables = (STORE / "tables.py").read_text(encoding="utf-8")
    return HEAD + tables[tables.index("metadata = sa.MetaData(") :].rstrip() + "\n\n" + TAIL


if __name__ == "__main__":
    REVISION.write_text(text(), encoding="utf-8")
    subprocess.run([sys.executable, "-m", "ruff", "format", "-q", str(REVISION)], check=True)
