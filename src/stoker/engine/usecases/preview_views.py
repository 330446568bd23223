"""What is planned or recorded of stacks and resources, as previews show it.

A value that is not known yet is shown as None, one that is hidden masked.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from stoker.engine.secrets import masked
from stoker.engine.usecases import resource_views
from stoker.errors import Invalid
from stoker.lang.expression import evaluate
from stoker.lang.stack import shown_parameters
from stoker.lang.unknown import UNKNOWN
from stoker.lang.wording import MASK
from stoker.plan.desired import NOTHING
from stoker.sdk.schema import HIDDEN, plain
from stoker.store.resources import aware
from stoker.usecases.stacks import OutputView, ResourcePreview, StackView

if TYPE_CHECKING:
    from collections.abc import Collection

    from stoker.engine.goals import Prepared
    from stoker.engine.records import PlanRow
    from stoker.engine.views import Recorded
    from stoker.lang.expression import Refs
    from stoker.lang.stack import Definition, Output
    from stoker.plan.desired import Want
    from stoker.store.seal import Sealer
    from stoker.usecases.caller import Caller
    from stoker.usecases.stacks import CreateStack, StackRef


def stack(
    caller: Caller, what: CreateStack, prepared: Prepared, ref: StackRef, now: float
) -> StackView:
    """Return the stack as show would have it when its creation begins."""
    template, instance = prepared.template, prepared.instance
    parameters = masked(shown_parameters(template, instance), prepared.documents.secrets)
    return StackView(
        id=ref.id,
        name=ref.name,
        project_id=ref.project_id,
        action="CREATE",
        status="IN_PROGRESS",
        reason="",
        created_at=datetime.fromtimestamp(now, UTC),
        updated_at=None,
        deleted_at=None,
        owner=caller.user_name,
        parent_id=None,
        description=template.description or "",
        tags=what.tags,
        disable_rollback=what.disable_rollback,
        timeout_mins=what.timeout_mins,
        parameters=parameters,
        outputs=tuple(_output(each, prepared.secrets) for each in instance.outputs.values()),
    )


def planned(want: Want, ref: StackRef, refs: Refs, secrets: Collection[str]) -> ResourcePreview:
    """Return a resource that is not there yet."""
    definition = want.definition
    return ResourcePreview(
        name=definition.name,
        stack=ref,
        type=definition.type,
        description=text(definition.description, secrets),
        metadata=_metadata(definition, refs, secrets),
        attributes={name: None for name in want.kind.attributes if name != "show"},
    )


def properties(want: Want, refs: Refs, secrets: Collection[str]) -> dict[str, Any]:
    """Return all properties of a resource that is not there yet, defaults included."""
    kind, raw = want.kind, evaluate(want.definition.properties, refs)
    if raw is UNKNOWN:
        return {}
    props = kind.Props.parse(raw or {})
    own = kind.Props.secrets()
    values = {
        wire: _shown(plain(getattr(props, each.name)), secrets)
        for wire, each in kind.Props.properties().items()
        if each.spec.support is not HIDDEN
    }
    return {
        wire: MASK if wire in own and value is not None else value for wire, value in values.items()
    }


def recorded(
    row: PlanRow, view: Recorded, ref: StackRef, sealer: Sealer, secrets: Collection[str]
) -> ResourcePreview:
    """Return a resource as it is."""
    there = row.row
    metadata = None if there.metadata is None else sealer.open(there.metadata)
    return ResourcePreview(
        name=there.name,
        stack=ref,
        type=there.type,
        physical_id=there.physical_id,
        action=there.action,
        status=there.status,
        reason=there.status_reason,
        created_at=aware(there.created_at),
        updated_at=aware(there.updated_at),
        description=text(row.definition["description"], secrets),
        metadata=_shown(metadata, secrets) or {},
        attributes=_shown(resource_views.attributes(view), secrets),
    )


def text(words: str, secrets: Collection[str]) -> str:
    """Return words with hidden values masked."""
    shown: str = masked(words, secrets)
    return shown


def _metadata(definition: Definition, refs: Refs, secrets: Collection[str]) -> dict[str, Any]:
    try:
        return _shown(evaluate(definition.metadata, refs), secrets) or {}
    except Invalid:  # told when its turn comes, with the values of then
        return {}


def _output(output: Output, secrets: Collection[str]) -> OutputView:
    problems = output.problems
    try:
        value = None if problems else evaluate(output.value, NOTHING)
    except Invalid as e:
        value, problems = None, e.problems
    error = masked("; ".join(p.text for p in problems), secrets) or None
    return OutputView(output.name, output.description, _shown(value, secrets), error)


def _shown(value: Any, secrets: Collection[str]) -> Any:
    return masked(_known(value), secrets)


def _known(value: Any) -> Any:
    """Return the value with None for whatever in it is not known yet."""
    if value is UNKNOWN:
        return None
    if isinstance(value, Mapping):
        return {key: _known(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_known(each) for each in value]
    return value
