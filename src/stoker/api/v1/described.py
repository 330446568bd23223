"""What each handler takes and gives, for the OpenAPI document."""

from __future__ import annotations

from typing import Final

from stoker.api.route import Handler
from stoker.api.schema import (
    ANY,
    FLAG,
    MAP,
    NOTHING,
    TEXT,
    TEXTS,
    WHOLE,
    Operation,
    Schema,
    either,
    fields,
    gives,
    items,
    keys,
    one_of,
    shape,
)
from stoker.api.v1 import (
    actions,
    build_info,
    events,
    exports,
    lookup,
    outputs,
    previews,
    resource_types,
    resources,
    services,
    snapshots,
    software_configs,
    software_deployments,
    stack,
    stacks,
    templates,
)

_ACCEPTED: Final = Operation({202: shape("Page")})
_GONE: Final = Operation({204: None})
_DONE: Final[dict[int, Schema | None]] = {200: NOTHING}
_PAGING: Final[dict[str, Schema]] = {"limit": WHOLE, "marker": TEXT}
_SORTING: Final[dict[str, Schema]] = {"sort_keys": TEXT, "sort_dir": one_of(("asc", "desc"))}
_DOCUMENT: Final = either(TEXT, MAP)
_GOAL: Final[dict[str, Schema]] = {
    "template": _DOCUMENT,
    "template_url": TEXT,
    "environment": _DOCUMENT,
    "environment_files": items(TEXT),
    "files": TEXTS,
    "parameters": MAP,
}
_WAYS: Final[dict[str, Schema]] = {
    "timeout_mins": WHOLE,
    "disable_rollback": FLAG,
    "tags": TEXT,
}
_CREATE: Final = fields({"stack_name": TEXT}, {**_GOAL, **_WAYS, "adopt_stack_data": _DOCUMENT})
_PUT: Final = fields({}, {**_GOAL, **_WAYS, "clear_parameters": items(TEXT), "converge": FLAG})
_STACK_FILTERS: Final = frozenset(stacks.FILTERS)
_STACK_QUERY: Final[dict[str, Schema]] = {
    **_PAGING,
    **_SORTING,
    **dict.fromkeys(
        ("show_deleted", "show_nested", "show_hidden", "global_tenant", "with_count"), FLAG
    ),
    **dict.fromkeys(("tags", "tags_any", "not_tags", "not_tags_any"), TEXT),
    **dict.fromkeys(_STACK_FILTERS, TEXT),
}
_EVENT_FILTERS: Final = frozenset(events.FILTERS)
_EVENTS: Final = Operation(
    {200: keys({"events": items(shape("ListedEvent"))})},
    query={
        **_PAGING,
        **_SORTING,
        "nested_depth": WHOLE,
        **dict.fromkeys(_EVENT_FILTERS, TEXT),
    },
    repeated=_EVENT_FILTERS | {"sort_keys"},
)
_RESOURCE_FILTERS: Final = frozenset(resources.FILTERS)
_CHANGES: Final = Operation(
    {200: keys({"resource_changes": shape("Changes")})}, query={"show_nested": FLAG}, body=_PUT
)
_WORDS: Final[dict[str, Schema]] = {"action": TEXT, "status": TEXT, "status_reason": TEXT}
_DEPLOYMENT: Final = keys({"software_deployment": shape("Deployment")})
_CONFIG: Final = keys({"software_config": shape("Config")})
_REVISION: Final = keys({"revision": TEXT})

OPERATIONS: Final[dict[Handler, Operation]] = {
    stacks.index: Operation(
        {
            200: keys(
                {"stacks": items(shape("ListedStack"))},
                {"links": items(keys({"rel": TEXT, "href": TEXT})), "count": WHOLE},
            )
        },
        query=_STACK_QUERY,
        repeated=_STACK_FILTERS | {"sort_keys"},
    ),
    stacks.create: Operation({201: shape("NewStack")}, body=_CREATE),
    stacks.detail: gives(keys({"stacks": items(shape("ListedStack"))})),
    lookup.find: Operation({302: shape("Page")}),
    stack.show: gives(keys({"stack": shape("Stack")}), query={"resolve_outputs": FLAG}),
    stack.replace: Operation({202: shape("Page")}, body=_PUT),
    stack.patch: Operation({202: shape("Page")}, body=_PUT),
    stack.delete: _GONE,
    stack.template: gives(MAP),
    stack.environment: gives(MAP),
    stack.files: gives(TEXTS),
    previews.create: gives(keys({"stack": shape("StackPreview")}), body=_CREATE),
    previews.replace: _CHANGES,
    previews.patch: _CHANGES,
    snapshots.take: gives(shape("Snapshot"), body=fields({}, {"name": TEXT})),
    snapshots.index: gives(keys({"snapshots": items(shape("Snapshot"))})),
    snapshots.show: gives(keys({"snapshot": shape("Snapshot")})),
    snapshots.delete: _GONE,
    snapshots.restore: _ACCEPTED,
    exports.export: gives(MAP),
    exports.abandon: gives(MAP),
    actions.act: Operation(_DONE, body=keys({}, dict.fromkeys(actions.NAMES, ANY))),
    resources.index: gives(
        keys({"resources": items(shape("Resource"))}),
        query={
            "nested_depth": WHOLE,
            "with_detail": FLAG,
            **dict.fromkeys(_RESOURCE_FILTERS, TEXT),
        },
        repeated=_RESOURCE_FILTERS,
    ),
    resources.show: gives(
        keys({"resource": shape("Resource")}),
        query={"with_attr": TEXT},
        repeated=frozenset({"with_attr"}),
    ),
    resources.metadata: gives(keys({"metadata": MAP})),
    resources.mark: Operation(
        _DONE, body=keys({"mark_unhealthy": FLAG}, {"resource_status_reason": TEXT})
    ),
    resources.signal: Operation(_DONE, body=MAP),
    events.of_stack: Operation(
        {**_EVENTS.answers, 204: None},
        query=_EVENTS.query,
        repeated=_EVENTS.repeated,
        streams=True,
    ),
    events.of_resource: _EVENTS,
    events.show: gives(keys({"event": shape("Event")})),
    outputs.index: gives(keys({"outputs": items(shape("ListedOutput"))})),
    outputs.show: gives(keys({"output": shape("Output")})),
    templates.validate: gives(
        MAP, query={"show_nested": FLAG, "ignore_errors": TEXT}, body=fields({}, _GOAL)
    ),
    templates.versions: gives(keys({"template_versions": items(MAP)})),
    templates.functions: gives(
        keys({"template_functions": items(MAP)}), query={"with_condition_func": FLAG}
    ),
    resource_types.index: gives(
        keys(
            {
                "resource_types": either(
                    items(TEXT), items(keys({"resource_type": TEXT, "description": TEXT}))
                )
            }
        ),
        query={
            "with_description": FLAG,
            "support_status": one_of(resource_types.SUPPORT),
            "name": TEXT,
            "version": TEXT,
        },
    ),
    resource_types.show: gives(MAP, query={"with_description": FLAG}),
    resource_types.template: gives(MAP, query={"template_type": one_of(("cfn", "hot"))}),
    build_info.show: gives(keys({"api": _REVISION, "engine": _REVISION})),
    services.index: gives(keys({"services": items(shape("Engine"))})),
    software_configs.index: gives(
        keys({"software_configs": items(shape("ListedConfig"))}),
        query={**_PAGING, "global_tenant": FLAG},
    ),
    software_configs.create: gives(
        _CONFIG,
        body=fields(
            {},
            {
                "name": TEXT,
                "group": TEXT,
                "config": ANY,
                "inputs": items(MAP),
                "outputs": items(MAP),
                "options": MAP,
            },
        ),
    ),
    software_configs.show: gives(_CONFIG),
    software_configs.delete: _GONE,
    software_deployments.index: gives(
        keys({"software_deployments": items(shape("Deployment"))}), query={"server_id": TEXT}
    ),
    software_deployments.create: gives(
        _DEPLOYMENT,
        body=fields(
            {"server_id": TEXT, "config_id": TEXT},
            {"input_values": MAP, "stack_user_project_id": TEXT, **_WORDS},
        ),
    ),
    software_deployments.show: gives(_DEPLOYMENT),
    software_deployments.update: gives(
        _DEPLOYMENT,
        body=fields({}, {"config_id": TEXT, "input_values": MAP, "output_values": MAP, **_WORDS}),
    ),
    software_deployments.delete: _GONE,
    software_deployments.metadata: gives(keys({"metadata": items(shape("Config"))})),
}
