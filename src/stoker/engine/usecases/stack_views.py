"""Stacks and their outputs as answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.errors import Forbidden, Invalid, Problem, UserError, bad_request, path_text
from stoker.store.listing import Wanted
from stoker.store.paging import Page
from stoker.usecases.stacks import OutputView, StackView

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from stoker.engine.source import OutputRow
    from stoker.engine.views import Outputs
    from stoker.store.stacks import StackRow
    from stoker.usecases.caller import Caller
    from stoker.usecases.stacks import StackQuery

_WORDS = {"true": True, "false": False}
_COLUMNS = frozenset(
    {
        "id",
        "name",
        "action",
        "status",
        "status_reason",
        "project_id",
        "username",
        "owner_id",
        "stack_user_project_id",
        "disable_rollback",
        "timeout_mins",
    }
)


def stack_view(
    row: StackRow,
    parameters: Mapping[str, str] | None = None,
    outputs: tuple[OutputView, ...] | None = None,
) -> StackView:
    """Return a stack as lists have it, or as show does, with parameters and outputs."""
    return StackView(
        id=row.id,
        name=row.name,
        project_id=row.project_id,
        action=row.action,
        status=row.status,
        reason=row.reason,
        created_at=row.created_at,
        updated_at=row.updated_at,
        deleted_at=row.deleted_at,
        owner=row.username,
        parent_id=row.owner_id,
        description=row.description,
        tags=row.tags,
        disable_rollback=row.disable_rollback,
        timeout_mins=row.timeout_mins,
        stack_user_project_id=row.stack_user_project_id,
        parameters=parameters or {},
        outputs=outputs,
    )


def described_outputs(rows: Iterable[OutputRow]) -> list[OutputView]:
    """Return the outputs without their values."""
    return [OutputView(row.name, row.description) for row in rows]


def output_views(outputs: Outputs) -> tuple[OutputView, ...]:
    """Return the outputs with their values, each on its own: one's error hides no other."""
    return tuple(output_view(outputs, name) for name in outputs)


def output_view(outputs: Outputs, name: str) -> OutputView:
    """Return one output with its value, or with the reason why there is none."""
    description = outputs.rows[name].description
    try:
        value = outputs[name]
    except Invalid as error:
        told = "; ".join(map(_told, error.problems))
        return OutputView(name, description, None, told)
    except UserError as error:
        return OutputView(name, description, None, str(error))
    return OutputView(name, description, value)


def _told(problem: Problem) -> str:
    """Return why an output has no value; of a child's output in the words that clients know."""
    if problem.at[:1] == ("outputs",) or "outputs" not in problem.at[1:-1]:
        return str(problem)
    depth = problem.at.index("outputs", 1)
    way, output = problem.at[:depth], problem.at[depth + 1]
    return f"Error in {path_text(way)} output {output}: {problem.text}"


def page(query: StackQuery) -> Page:
    """Return the part of the list that the query asks for."""
    return Page(query.limit, query.marker, query.sort_keys, query.sort_dir)


def wanted(caller: Caller, query: StackQuery, hidden_tags: tuple[str, ...]) -> Wanted:
    """Return which stacks the query asks for; raises Invalid for values no column can have."""
    if query.all_projects and not caller.is_admin:
        raise Forbidden("Only an administrator may see the stacks of all projects.")
    return Wanted(
        project_id=None if query.all_projects else caller.project_id,
        columns=_columns(query.filters),
        deleted=query.show_deleted,
        nested=query.show_nested,
        tags=query.tags,
        tags_any=query.tags_any,
        not_tags=query.not_tags,
        not_tags_any=query.not_tags_any,
        hidden_tags=() if query.show_hidden else hidden_tags,
    )


def _columns(filters: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[Any, ...]]:
    """Return the filters by column; what is no column filters nothing, as in Heat."""
    return {
        column: tuple(_typed(column, value) for value in values)
        for column, values in filters.items()
        if column in _COLUMNS
    }


def _typed(column: str, value: str) -> Any:
    if column == "disable_rollback":
        if value.lower() not in _WORDS:
            raise _wrong(column, value, "true or false")
        return _WORDS[value.lower()]
    if column == "timeout_mins":
        if not value.isascii() or not value.isdigit():
            raise _wrong(column, value, "a number of minutes")
        return int(value)
    return value


def _wrong(column: str, value: str, right: str) -> Invalid:
    text = f"{value!r} cannot be looked for: it must be {right}"
    return bad_request(text, (column,))
