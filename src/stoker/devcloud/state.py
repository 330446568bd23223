"""The cloud's memory: documents by kind and id in one SQLite file, with indexed fields.

Rule: one process owns the file, one transaction runs at a time, and what a call did is on disk
before its answer leaves; killing the process at any instant loses no answered call.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import orjson

Doc = dict[str, Any]
Values = Callable[[Doc], Iterable[object]]

_SCHEMA = [
    """CREATE TABLE IF NOT EXISTS objects (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL,
       id TEXT NOT NULL, project TEXT NOT NULL, name TEXT NOT NULL, json BLOB NOT NULL,
       UNIQUE (kind, id))""",
    "CREATE INDEX IF NOT EXISTS objects_by_project ON objects (kind, project, name)",
    "CREATE INDEX IF NOT EXISTS objects_by_name ON objects (kind, name)",
    """CREATE TABLE IF NOT EXISTS keys (kind TEXT NOT NULL, field TEXT NOT NULL,
       value TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (kind, field, value, id))
       WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS keys_by_object ON keys (kind, id)",
    "CREATE TABLE IF NOT EXISTS blobs (id TEXT PRIMARY KEY, data BLOB NOT NULL)",
    "CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, json BLOB NOT NULL)",
]


@dataclass(frozen=True, slots=True)
class Index:
    """A field by which documents of a kind are found: the values that a document has there."""

    field: str
    values: Values
    unique: bool


_BY_KEY = "SELECT id FROM keys WHERE kind = ? AND field = ? AND value IN"
_INDEXES: dict[str, list[Index]] = {}


class Taken(Exception):
    """A second document with an id, or with the value of a unique index."""

    def __init__(self, kind: str, field: str, value: str) -> None:
        super().__init__(f"{kind} with {field} {value} exists")
        self.kind, self.field, self.value = kind, field, value


def schema(statement: str) -> None:
    """Add a ``CREATE ... IF NOT EXISTS`` that every state runs when it opens."""
    _SCHEMA.append(statement)


def index(kind: str, field: str, values: Values | None = None, *, unique: bool = False) -> None:
    """Have ``list(kind, where={field: ...})`` use an index.

    Without ``values`` the document's own field is taken: a scalar, or each item of a list; empty
    values are not indexed. ``unique``: a second document with the value raises Taken.
    """
    _INDEXES.setdefault(kind, []).append(Index(field, values or _own_field(field), unique))


def _own_field(field: str) -> Values:
    def values(doc: Doc) -> Iterable[object]:
        value = doc.get(field)
        return value if isinstance(value, list) else [value]

    return values


class State:
    """The documents. Every method but ``close`` is called inside ``transaction``."""

    def __init__(self, path: str) -> None:
        self._lock = threading.RLock()
        self._is_closed = False
        self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        for pragma in (
            "busy_timeout=5000",
            "locking_mode=EXCLUSIVE",
            "journal_mode=WAL",
            "synchronous=NORMAL",
        ):
            self._db.execute(f"PRAGMA {pragma}")
        self._db.execute("BEGIN IMMEDIATE")
        for statement in _SCHEMA:
            self._db.execute(statement)
        self._db.execute("COMMIT")

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._is_closed = True
            self._db.close()

    @contextmanager
    def late(self) -> Iterator[bool]:
        """Run a transaction for what began long ago; give False where the file is closed."""
        with self._lock:
            if self._is_closed:
                yield False
                return
            with self.transaction():
                yield True

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run alone; commit what was written, or roll it back when the body raises."""
        with self._lock:
            try:
                yield
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise
            if self._db.in_transaction:
                self._db.execute("COMMIT")

    def rows(self, sql: str, args: Collection[Any] = ()) -> list[Any]:
        """Run a query of a table of one's own and give its rows."""
        return self._db.execute(sql, tuple(args)).fetchall()

    def execute(self, sql: str, args: Collection[Any] = ()) -> int:
        """Run a changing statement and give how many rows it changed."""
        if not self._db.in_transaction:
            self._db.execute("BEGIN IMMEDIATE")
        return self._db.execute(sql, tuple(args)).rowcount

    def get(self, kind: str, id: str) -> Doc | None:
        """Give one document, or None."""
        row = self._db.execute(
            "SELECT json FROM objects WHERE kind = ? AND id = ?", (kind, id)
        ).fetchone()
        return None if row is None else orjson.loads(row[0])

    def list(
        self,
        kind: str,
        *,
        project: str | None = None,
        name: str | None = None,
        where: Mapping[str, object] | None = None,
    ) -> list[Doc]:
        """Give documents in order of creation; ``where`` names indexed fields, a list means any."""
        condition, args = _condition(kind, project, name, where or {})
        sql = f"SELECT json FROM objects WHERE {condition} ORDER BY seq"  # noqa: S608 - words of our own, values bound
        return [orjson.loads(row[0]) for row in self._db.execute(sql, args)]

    def count(
        self,
        kind: str,
        *,
        project: str | None = None,
        name: str | None = None,
        where: Mapping[str, object] | None = None,
    ) -> int:
        """Count documents; arguments as for ``list``."""
        condition, args = _condition(kind, project, name, where or {})
        sql = f"SELECT count(*) FROM objects WHERE {condition}"  # noqa: S608 - words of our own, values bound
        return int(self._db.execute(sql, args).fetchone()[0])

    def insert(self, kind: str, doc: Doc) -> Doc:
        """Store a new document (it has an ``id``) and give it back.

        Raises:
            Taken: the id, or the value of a unique index, is in use.
        """
        values = (kind, doc["id"], project_of(doc), str(doc.get("name") or ""), orjson.dumps(doc))
        sql = """INSERT INTO objects (kind, id, project, name, json) VALUES (?, ?, ?, ?, ?)
                 ON CONFLICT (kind, id) DO NOTHING"""
        if not self.execute(sql, values):
            raise Taken(kind, "id", doc["id"])
        self._add_keys(kind, doc)
        return doc

    def update(self, kind: str, doc: Doc) -> Doc:
        """Store a document's new contents and give it back.

        Raises:
            KeyError: there is no such document.
            Taken: the value of a unique index is in use.
        """
        sql = "UPDATE objects SET project = ?, name = ?, json = ? WHERE kind = ? AND id = ?"
        values = (project_of(doc), str(doc.get("name") or ""), orjson.dumps(doc), kind, doc["id"])
        if not self.execute(sql, values):
            raise KeyError((kind, doc["id"]))
        if kind in _INDEXES:
            self.execute("DELETE FROM keys WHERE kind = ? AND id = ?", (kind, doc["id"]))
            self._add_keys(kind, doc)
        return doc

    def delete(self, kind: str, id: str) -> bool:
        """Remove a document; tell whether it was there."""
        if kind in _INDEXES:
            self.execute("DELETE FROM keys WHERE kind = ? AND id = ?", (kind, id))
        return self.execute("DELETE FROM objects WHERE kind = ? AND id = ?", (kind, id)) > 0

    def _add_keys(self, kind: str, doc: Doc) -> None:
        for each in _INDEXES.get(kind, ()):
            for value in {str(v) for v in each.values(doc) if v not in (None, "")}:
                if each.unique and self._holder(kind, each.field, value):
                    raise Taken(kind, each.field, value)
                self.execute(
                    "INSERT INTO keys (kind, field, value, id) VALUES (?, ?, ?, ?)",
                    (kind, each.field, value, doc["id"]),
                )

    def _holder(self, kind: str, field: str, value: str) -> bool:
        sql = "SELECT 1 FROM keys WHERE kind = ? AND field = ? AND value = ?"
        return self._db.execute(sql, (kind, field, value)).fetchone() is not None

    def objects(self, project: str | None = None) -> Iterator[tuple[str, str, str, str]]:
        """Give kind, id, name and project of everything that exists, by kind and age."""
        sql = """SELECT kind, id, name, project FROM objects
                 WHERE ? IS NULL OR project = ? ORDER BY kind, seq"""
        yield from self._db.execute(sql, (project, project))

    def blob(self, id: str) -> bytes | None:
        """Give bytes stored under an id, or None."""
        row = self._db.execute("SELECT data FROM blobs WHERE id = ?", (id,)).fetchone()
        return None if row is None else bytes(row[0])

    def put_blob(self, id: str, data: bytes) -> None:
        """Store bytes under an id."""
        self.execute("INSERT OR REPLACE INTO blobs (id, data) VALUES (?, ?)", (id, data))

    def delete_blob(self, id: str) -> None:
        """Forget the bytes stored under an id."""
        self.execute("DELETE FROM blobs WHERE id = ?", (id,))

    def setting(self, name: str) -> Any:
        """Give a setting's JSON value, or None."""
        row = self._db.execute("SELECT json FROM settings WHERE name = ?", (name,)).fetchone()
        return None if row is None else orjson.loads(row[0])

    def put_setting(self, name: str, value: object) -> None:
        """Store a setting."""
        self.execute(
            "INSERT OR REPLACE INTO settings (name, json) VALUES (?, ?)",
            (name, orjson.dumps(value)),
        )


def project_of(doc: Doc) -> str:
    """Give the project that a document belongs to, under whichever name its service uses."""
    return str(doc.get("project_id") or doc.get("tenant_id") or doc.get("owner") or "")


def _condition(
    kind: str, project: str | None, name: str | None, where: Mapping[str, object]
) -> tuple[str, list[object]]:
    parts, args = ["kind = ?"], list[object]([kind])
    for column, value in (("project", project), ("name", name)):
        if value is not None:
            parts.append(f"{column} = ?")
            args.append(value)
    known = {each.field for each in _INDEXES.get(kind, ())}
    for field, sought in where.items():
        if field not in known:
            raise KeyError(f"{kind} has no index on {field}")
        values = sought if isinstance(sought, list | tuple | set | frozenset) else [sought]
        marks = ", ".join("?" * len(values))
        parts.append(f"id IN ({_BY_KEY} ({marks}))")
        args += [kind, field, *map(str, values)]
    return " AND ".join(parts), args
