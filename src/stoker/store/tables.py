"""The tables. Names that the field knows are kept; a column that may hold a secret is ``Sealed``.

Work lives on the resource row: who holds it (``engine_id``, ``epoch``), what it is about to
do (``verb``, ``intent_at``), when it is due. Sync points only count; edges never change
while their traversal runs, but for a replacement that has to delete first. No id is ever given
twice: what a process remembers of one is never another row's (SQLite has to be told).
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

Id = sa.BigInteger().with_variant(sa.Integer, "sqlite")
Uuid = sa.String(36)
Name = sa.String(255)
Word = sa.String(32)
Text = sa.Text().with_variant(mysql.MEDIUMTEXT, "mysql", "mariadb")
Sealed = sa.LargeBinary().with_variant(mysql.LONGBLOB, "mysql", "mariadb")
Seconds: sa.Double[float] = sa.Double()  # since the epoch, by the database's clock
Moment = sa.DateTime().with_variant(mysql.DATETIME(fsp=6), "mysql", "mariadb")  # UTC, naive


Type = sa.types.TypeEngine[Any] | type[sa.types.TypeEngine[Any]]


def _column(name: str, type_: Type, **options: Any) -> sa.Column[Any]:
    options.setdefault("nullable", False)
    return sa.Column(name, type_, **options)


def _optional(name: str, type_: Type, **options: Any) -> sa.Column[Any]:
    return _column(name, type_, nullable=True, **options)


raw_template_files = sa.Table(
    "raw_template_files",
    metadata,
    sa.Column("id", Id, primary_key=True),
    _column("digest", sa.String(64), unique=True),  # keyed HMAC of the content
    _column("files", Sealed),
    sqlite_autoincrement=True,
)

raw_template = sa.Table(
    "raw_template",
    metadata,
    sa.Column("id", Id, primary_key=True),
    _column("template", Sealed),
    _column("environment", Sealed),
    _optional("files_id", Id, index=True),
    _column("created_at", Moment),
    sqlite_autoincrement=True,
)

user_creds = sa.Table(
    "user_creds",
    metadata,
    sa.Column("id", Id, primary_key=True),
    _column("state", Word),  # INTENDED before the trust is made, HELD, REVOKING
    _column("mark", sa.String(64), unique=True),
    _column("project_id", sa.String(64)),
    _column("user_id", sa.String(64)),
    _optional("trust_id", Sealed),
    _optional("secret", Sealed),
    _column("created_at", Moment),
    sa.Index("ix_user_creds_state", "state", "created_at"),
    sqlite_autoincrement=True,
)

stack = sa.Table(
    "stack",
    metadata,
    sa.Column("id", Uuid, primary_key=True),
    _column("name", Name),
    # "<project>/<name>" while a root stack is alive: what makes names unique on every database
    _optional("taken_name", sa.String(320), unique=True),
    _column("project_id", sa.String(64)),
    _column("user_id", sa.String(64)),
    _column("username", Name),
    _column("action", Word),
    _column("status", Word),
    _column("status_reason", Text),
    _column("version", sa.Integer),  # goes up with each accepted goal
    _optional("traversal_id", Uuid, index=True),
    _column("remaining", sa.Integer),  # nodes of the traversal that have not ended
    _column("failures", sa.Integer),  # nodes of it that ended badly
    _column("template_id", Id),
    _optional("complete_template_id", Id),  # the last goal that was reached
    _optional("user_creds_id", Id, index=True),
    _optional("owner_id", Uuid, index=True),
    _column("root_id", Uuid, index=True),
    _optional("parent_resource_id", Id),
    _optional("parent_resource_name", Name),
    _column("nested_depth", sa.Integer),
    _column("description", Text),
    _column("parameters", Sealed),  # as shown: text, hidden ones masked
    _column("outputs", Sealed),  # expressions that still refer to resources
    _optional("secrets", Sealed),  # hidden values, to be masked in whatever is shown
    _optional("timeout_mins", sa.Integer),
    _optional("deadline", Seconds, index=True),  # NULL when nothing runs
    _column("disable_rollback", sa.Boolean),
    _optional("rollback_due", Seconds, index=True),  # set by a failure that is to be undone
    _optional("cause", Text),  # of a rollback: what it takes back, and why
    _optional("stack_user_project_id", sa.String(64)),
    _optional("request_id", Name),
    _optional("sinks", sa.Text()),  # ids of where its events are sent to, with spaces between
    _column("created_at", Moment),
    _optional("updated_at", Moment),
    _optional("deleted_at", Moment),
    sa.Index("ix_stack_listing", "project_id", "deleted_at", "created_at"),
)

stack_tag = sa.Table(
    "stack_tag",
    metadata,
    _column("stack_id", Uuid, primary_key=True),
    _column("position", sa.Integer, primary_key=True),
    _column("tag", sa.String(80), index=True),
)

resource = sa.Table(
    "resource",
    metadata,
    sa.Column("id", Id, primary_key=True),
    _column("uuid", Uuid, unique=True),
    _column("stack_id", Uuid),
    _column("name", Name),
    _column("type", Name),  # as the template says
    _column("implementation", Name),  # the built-in type, or the template file behind it
    _column("is_current", sa.Boolean),  # False once a replacement has taken the name
    _column("is_doomed", sa.Boolean),  # the goal has no place for it: clean-up deletes it
    _column("position", sa.Integer),  # in the template
    _column("definition", Sealed),
    _column("requires", sa.JSON),  # names, explicit and implicit
    _column("action", Word),
    _column("status", Word),
    _column("status_reason", Text),
    _optional("physical_id", Name, index=True),
    _optional("sent", Sealed),
    _optional("applied", Sealed),
    _optional("attributes", Sealed),
    _optional("progress", Sealed),  # what the last step of the verb left
    _optional("metadata", Sealed),
    _optional("replaces_id", Id),
    _optional("snapshot_id", Uuid, index=True),  # of a copy: the snapshot that keeps it
    # work
    _optional("traversal_id", Uuid),
    _optional("node_id", Id),
    _optional("due", Seconds),
    _optional("engine_id", Uuid, index=True),
    _column("epoch", sa.Integer),
    _optional("verb", Word),  # create, update or delete, while it is under way
    _optional("verb_traversal", Uuid),  # in which it was begun
    _optional("intent_at", Seconds),  # set while a call may be under way
    _column("attempt", sa.Integer),
    _optional("child_traversal", Uuid),
    _column("inbox_read", Id),
    _column("created_at", Moment),
    _column("updated_at", Moment),
    sa.Index("ix_resource_stack_id_name", "stack_id", "name"),
    sa.Index("ix_resource_due", "due", "id"),
    sqlite_autoincrement=True,
)

resource_data = sa.Table(
    "resource_data",
    metadata,
    _column("resource_id", Id, primary_key=True),
    _column("key", Name, primary_key=True),
    _column("value", Sealed),
)

sync_point = sa.Table(
    "sync_point",
    metadata,
    sa.Column("id", Id, primary_key=True),
    _column("stack_id", Uuid),
    _column("traversal_id", Uuid, index=True),
    _column("is_update", sa.Boolean),  # forward; False: clean-up
    _column("resource_id", Id, index=True),
    _column("requires", sa.JSON),  # ids of the resources whose nodes come first
    _column("missing", sa.Integer),  # needs that have not ended
    _column("poisoned", sa.Integer),  # needs that ended badly
    _column("done", sa.Boolean),
    sqlite_autoincrement=True,
)

edge = sa.Table(
    "edge",
    metadata,
    _column("need_id", Id, primary_key=True, autoincrement=False),
    _column("dependent_id", Id, primary_key=True, autoincrement=False),
    _column("traversal_id", Uuid, index=True),
    sa.Index("ix_edge_dependent_id", "dependent_id"),
)

inbox = sa.Table(
    "inbox",
    metadata,
    sa.Column("id", Id, primary_key=True),
    _column("resource_id", Id, index=True),
    _column("kind", Word),  # of signals
    _column("payload", Sealed),
    _column("created_at", Moment),
    sqlite_autoincrement=True,
)

event = sa.Table(
    "event",
    metadata,
    sa.Column("id", Id, primary_key=True),
    _column("uuid", Uuid, unique=True),
    _column("stack_id", Uuid),
    _column("resource_name", Name),
    _column("resource_type", Name),
    _optional("physical_id", Name),
    _column("action", Word),
    _column("status", Word),
    _column("status_reason", Text),
    _optional("properties", Sealed),
    _column("created_at", Moment),
    _optional("tell_at", Seconds, index=True),  # of a stack's: from when on it is to be told
    sa.Index("ix_event_stack_id", "stack_id", "id"),
    sqlite_autoincrement=True,
)

event_sink = sa.Table(
    "event_sink",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),  # keyed HMAC of the stack and the sink
    _column("stack_id", Uuid, index=True),
    _column("place", sa.String(64)),  # keyed HMAC of the host and port
    _column("config", Sealed),
    _optional("due", Seconds, index=True),  # NULL: nothing is to be sent
    _column("epoch", sa.Integer),  # goes up with whoever takes it up
    _column("failures", sa.Integer),  # in a row
    # Of the first event, in a row; means nothing where there are fewer failures: an engine that
    # does not know the column has sent it. Nor does such an engine write who it is.
    _optional("refusals", sa.Integer),
    _optional("engine_id", Uuid, index=True),  # who sends
)

delivery = sa.Table(
    "delivery",
    metadata,
    sa.Column("id", Id, primary_key=True),
    _column("stack_id", Uuid),
    _column("sink_id", sa.String(64)),
    _column("event_uuid", Uuid),
    _column("owed_at", Seconds),
    sa.Index("ix_delivery_stack_id_sink_id", "stack_id", "sink_id", "id"),
    sqlite_autoincrement=True,
)

service = sa.Table(
    "service",
    metadata,
    sa.Column("id", Uuid, primary_key=True),
    _column("host", Name),
    _column("hostname", Name),
    _column("binary", Name),
    _column("topic", Name),
    _optional("process", sa.String(128)),  # tells it apart from every other of any machine
    _column("report_interval", sa.Integer),
    _column("beat", sa.BigInteger),
    _optional("still_beat", sa.BigInteger),  # the beat that others have seen stand still,
    _optional("still_seconds", sa.Double()),  # and for how long, by any one clock
    _column("created_at", Moment),
    _column("updated_at", Moment),
    _optional("deleted_at", Moment),
)

stack_lock = sa.Table(
    "stack_lock",
    metadata,
    sa.Column("stack_id", Uuid, primary_key=True),
    _column("lock_id", Uuid),
    _column("engine_id", Uuid),
    _column("created_at", Moment),
)

snapshot = sa.Table(
    "snapshot",
    metadata,
    sa.Column("id", Uuid, primary_key=True),
    _column("stack_id", Uuid, index=True),
    _optional("name", Name),
    _column("project_id", sa.String(64), index=True),
    _column("action", Word),
    _column("status", Word),
    _column("status_reason", Text),
    _optional("data", Sealed),
    _optional("traversal_id", Uuid, index=True),  # of its deletion: nodes, and those that are left
    _optional("remaining", sa.Integer),
    _optional("failures", sa.Integer),
    _column("created_at", Moment),
    _optional("updated_at", Moment),
)

software_config = sa.Table(
    "software_config",
    metadata,
    sa.Column("id", Uuid, primary_key=True),
    _column("name", Name),
    _column("group", Name),
    _column("config", Sealed),
    _column("project_id", sa.String(64), index=True),
    _column("created_at", Moment),
    _optional("updated_at", Moment),
)

software_deployment = sa.Table(
    "software_deployment",
    metadata,
    sa.Column("id", Uuid, primary_key=True),
    _column("config_id", Uuid, index=True),
    _column("server_id", sa.String(64), index=True),
    _optional("input_values", Sealed),
    _optional("output_values", Sealed),
    _column("project_id", sa.String(64), index=True),
    _optional("stack_user_project_id", sa.String(64)),
    _column("action", Word),
    _column("status", Word),
    _column("status_reason", Text),
    _column("created_at", Moment),
    _optional("updated_at", Moment),
)

change_set = sa.Table(
    "change_set",
    metadata,
    sa.Column("id", Uuid, primary_key=True),
    _column("name", Name),
    _column("description", Text),
    _column("project_id", sa.String(64)),
    _column("stack_id", Uuid),  # of a stack that is only planned: the one that it will have
    _column("stack_name", Name),
    _column("is_new", sa.Boolean),  # it makes the stack
    _column("execution", Word),
    _column("reason", Text),
    _column("request", Sealed),  # the create or update, with the version that it goes by
    _column("shown", Sealed),  # the plan as it is shown
    _column("created_at", Moment),
    sa.UniqueConstraint("stack_id", "name"),
    sa.Index("ix_change_set_project_id_stack_name", "project_id", "stack_name"),
)
