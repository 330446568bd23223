"""The shapes of answers that have a name in the OpenAPI document."""

from __future__ import annotations

from typing import Final

from stoker.api.schema import (
    ANY,
    FLAG,
    MAP,
    MOMENT,
    NOTHING,
    TEXT,
    TEXTS,
    WHOLE,
    Schema,
    either,
    items,
    keys,
    perhaps,
    shape,
)

_LINKS: Final = items(keys({"href": TEXT, "rel": TEXT}))
_FAULT: Final = keys(
    {
        "code": WHOLE,
        "title": TEXT,
        "explanation": TEXT,
        "error": keys({"type": TEXT, "traceback": NOTHING}, {"message": TEXT}),
        "remedy": TEXT,
    },
    {"problems": items(shape("Problem"))},
)
_PAGE: Final = keys({"message": TEXT, "code": TEXT, "title": TEXT}, {"remedy": TEXT})
_UNPROVEN: Final = keys({"error": keys({"code": WHOLE, "title": TEXT, "message": TEXT})})
"""Who asks has shown no token: keystonemiddleware's answer, as in Heat."""
_COMMON: Final[dict[str, Schema]] = {
    "id": TEXT,
    "links": _LINKS,
    "stack_name": TEXT,
    "description": TEXT,
    "creation_time": perhaps(MOMENT),
    "updated_time": perhaps(MOMENT),
    "deletion_time": perhaps(MOMENT),
    "stack_owner": TEXT,
    "parent": perhaps(TEXT),
    "stack_user_project_id": perhaps(TEXT),
}
_STATUS: Final = {"stack_status": TEXT, "stack_status_reason": TEXT}
_STACK: Final[dict[str, Schema]] = {
    **_COMMON,
    "notification_topics": items(TEXT),
    "parameters": TEXTS,
    "template_description": TEXT,
    "capabilities": items(TEXT),
    "disable_rollback": FLAG,
    "timeout_mins": perhaps(WHOLE),
    "tags": items(TEXT),
}
_OUTPUTS: Final = {"outputs": items(shape("Output"))}
_IDENTITY: Final = keys({"tenant": TEXT, "stack_name": TEXT, "stack_id": TEXT, "path": TEXT})
_RESOURCE: Final[dict[str, Schema]] = {
    "resource_name": TEXT,
    "physical_resource_id": TEXT,
    "resource_status": TEXT,
    "resource_status_reason": TEXT,
    "resource_type": TEXT,
    "required_by": items(TEXT),
}
_EVENT: Final[dict[str, Schema]] = {
    "id": TEXT,
    "links": _LINKS,
    "event_time": MOMENT,
    "logical_resource_id": TEXT,
    "resource_name": TEXT,
    "physical_resource_id": perhaps(TEXT),
    "resource_status": TEXT,
    "resource_status_reason": TEXT,
}
_LISTED_CONFIG: Final[dict[str, Schema]] = {
    "id": TEXT,
    "name": perhaps(TEXT),
    "group": perhaps(TEXT),
    "creation_time": MOMENT,
}
_CHANGES: Final = ("unchanged", "updated", "replaced", "added", "deleted")

SHAPES: Final[dict[str, Schema]] = {
    "Fault": either(_FAULT, _PAGE, _UNPROVEN),
    "Page": _PAGE,
    "Problem": keys(
        {
            "code": TEXT,
            "severity": TEXT,
            "text": TEXT,
            "hint": perhaps(TEXT),
            "path": TEXT,
            "file": perhaps(TEXT),
            "line": perhaps(WHOLE),
            "column": perhaps(WHOLE),
        }
    ),
    "NewStack": keys({"stack": keys({"id": TEXT, "links": _LINKS})}),
    "Stack": keys({**_STACK, **_STATUS}, _OUTPUTS),
    "ListedStack": keys(
        {**_COMMON, **_STATUS, "tags": perhaps(items(TEXT))},
        {"project": TEXT},
    ),
    "StackPreview": keys({**_STACK, "resources": items(shape("PreviewBranch"))}, _OUTPUTS),
    "PreviewBranch": either(shape("ResourcePreview"), items(shape("PreviewBranch"))),
    "ResourcePreview": keys(
        {
            **_RESOURCE,
            "creation_time": perhaps(MOMENT),
            "updated_time": perhaps(MOMENT),
            "resource_action": TEXT,
            "resource_identity": _IDENTITY,
            "stack_identity": _IDENTITY,
            "stack_name": TEXT,
            "description": TEXT,
            "metadata": MAP,
            "attributes": MAP,
        },
        {
            "parent_resource": TEXT,
            "nested_stack_id": _IDENTITY,
            "properties": MAP,
            "change": keys({"fate": TEXT, "reason": TEXT}),
        },
    ),
    "Changes": keys({name: items(shape("ResourcePreview")) for name in _CHANGES}),
    "Output": keys(
        {"output_key": TEXT, "description": TEXT, "output_value": ANY}, {"output_error": TEXT}
    ),
    "ListedOutput": keys({"output_key": TEXT, "description": TEXT}),
    "Resource": keys(
        {
            **_RESOURCE,
            "creation_time": MOMENT,
            "updated_time": MOMENT,
            "logical_resource_id": TEXT,
            "links": _LINKS,
        },
        {"parent_resource": TEXT, "description": TEXT, "attributes": MAP},
    ),
    "ListedEvent": keys(_EVENT),
    "Event": keys({**_EVENT, "resource_type": TEXT, "resource_properties": MAP}),
    "Snapshot": keys(
        {
            "id": TEXT,
            "name": perhaps(TEXT),
            "action": TEXT,
            "status": TEXT,
            "status_reason": perhaps(TEXT),
            "data": MAP,
            "creation_time": MOMENT,
        }
    ),
    "ListedConfig": keys(_LISTED_CONFIG, {"project": TEXT}),
    "Config": keys(
        {
            **_LISTED_CONFIG,
            "config": ANY,
            "inputs": items(MAP),
            "outputs": items(MAP),
            "options": MAP,
        }
    ),
    "Deployment": keys(
        {
            "id": TEXT,
            "server_id": TEXT,
            "config_id": TEXT,
            "input_values": MAP,
            "output_values": perhaps(MAP),
            "action": perhaps(TEXT),
            "status": perhaps(TEXT),
            "status_reason": perhaps(TEXT),
            "creation_time": MOMENT,
        },
        {"updated_time": MOMENT},
    ),
    "Engine": keys(
        {
            **dict.fromkeys(
                ("id", "binary", "engine_id", "host", "hostname", "topic", "status"), TEXT
            ),
            "report_interval": WHOLE,
            "created_at": TEXT,
            "updated_at": TEXT,
            "deleted_at": perhaps(TEXT),
        }
    ),
}
