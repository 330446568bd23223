"""A stack as a document: what an export, an abandon and a snapshot give, in Heat's form.

Nothing is masked here: whoever adopts a stack needs what it was made with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.engine.source import Source
from stoker.engine.usecases.documents import with_template_files
from stoker.engine.views import Recorded
from stoker.lang import template as templates
from stoker.sdk.copies import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from stoker.engine.goals import Documents
    from stoker.sdk.resource import Types
    from stoker.store.database import Database

Json = dict[str, Any]


def exported(
    stack: Any, documents: Documents, tags: Iterable[str], resources: Mapping[str, Any]
) -> Json:
    """Return the document of a stack whose resources are given as they are exported."""
    template = templates.read(documents.template)
    return {
        "name": stack.name,
        "id": stack.id,
        "action": stack.action,
        "environment": environment(documents),
        "files": dict(documents.files),
        "status": stack.status,
        "template": dict(template.raw),
        "resources": dict(resources),
        "project_id": stack.project_id,
        "stack_user_project_id": stack.stack_user_project_id,
        "tags": list(tags),
    }


def environment(documents: Documents) -> Json:
    """Return the environment with the parameters of the request in it."""
    found = documents.environment.as_dict()
    template = templates.read(documents.template)
    found = with_template_files(found, template)
    return {
        "resource_registry": found["resource_registry"],
        "parameters": {**found["parameters"], **documents.parameters},
        "parameter_defaults": found["parameter_defaults"],
        "event_sinks": found["event_sinks"],
    }


def exported_resource(database: Database, types: Types, row: Any) -> Json:
    """Return a resource without a child stack as it is exported."""
    opened = database.sealer.open
    kind = kind_of(types, row.implementation)
    view = Recorded(Source(database), types, row)
    return {
        "name": row.name,
        "resource_id": row.physical_id,
        "type": row.type,
        "action": row.action,
        "status": row.status,
        "metadata": {} if row.metadata is None else opened(row.metadata),
        "resource_data": dict(view.data if kind is None else kind.told_of(view)),
    }
