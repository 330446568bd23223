"""Resources as they are recorded, and what ``get_resource`` and ``get_attr`` give of them.

All values come from the store, and a sealed one is opened only when it is read; a cloud is
asked for live attributes alone, where somebody looks (``Look``). What concerns a child stack
is loaded when it is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote

from stoker.engine.listening import Listening
from stoker.errors import Bug, CloudError, Invalid, Kind, Path, Problem
from stoker.lang.expression import evaluate, references, select
from stoker.lang.unknown import UNKNOWN
from stoker.sdk.resource import Walked

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from stoker.engine.source import OutputRow, Source
    from stoker.sdk.cloud import Cloud
    from stoker.sdk.resource import Resource, Told, Types
    from stoker.store.children import ChildRow

    Look = Callable[[], Cloud]
    """Gives the cloud as the person who looks sees it."""

NOT_MADE = frozenset({"INIT", "DELETE"})
"""Actions in which a resource has no attributes."""


class Row(Protocol):
    """What :class:`Recorded` needs of a resource's row."""

    @property
    def id(self) -> int: ...
    @property
    def stack_id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def implementation(self) -> str: ...
    @property
    def action(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def physical_id(self) -> str | None: ...
    @property
    def attributes(self) -> bytes | None: ...


class Recorded:
    """A resource's row as an ``sdk.View``; also the ``sdk.Member`` of its stack.

    ``children`` are the child stacks of its stack by resource, where they are known already.
    """

    def __init__(
        self,
        source: Source,
        types: Types,
        row: Row,
        *,
        strict: bool = True,
        children: Mapping[int, ChildRow] | None = None,
        look: Look | None = None,
    ) -> None:
        self.row = row
        self._look = look
        self._source = source
        self._types = types
        self._strict = strict
        self._children = children

    @property
    def name(self) -> str:
        return self.row.name

    @property
    def id(self) -> str | None:
        return self.row.physical_id

    @cached_property
    def attributes(self) -> Mapping[str, Any]:
        sealed = self.row.attributes
        return {} if sealed is None else self._source.open(sealed)

    @cached_property
    def data(self) -> Mapping[str, Any]:
        kept = self._source.data(self.row.id)
        return {key: self._source.open(value) for key, value in kept.items()}

    @cached_property
    def outputs(self) -> Mapping[str, Any]:
        """Return the child's outputs, each evaluated when it is read.

        Reading one that cannot be had raises Invalid, with the way to it through this
        resource.
        """
        if self._child is None:
            return {}
        return Outputs(
            self._source,
            self._types,
            self._child.id,
            strict=self._strict,
            via=(self.name,),
            look=self._look,
        )

    @property
    def child_arn(self) -> str | None:
        child = self._child
        if child is None:
            return None
        return f"arn:openstack:heat::{child.project_id}:stacks/{quote(child.name, '')}/{child.id}"

    @property
    def told(self) -> Told:
        """What signals have brought a resource of its stack to."""
        return Listening(self._source, self._types, self.row).told

    @cached_property
    def members(self) -> Mapping[str, Recorded]:
        if self._child is None:
            return {}
        grandchildren = self._source.children(self._child.id)
        rows = self._source.members(self._child.id)
        return {row.name: self._member(row, grandchildren) for row in rows}

    @cached_property
    def kind(self) -> Resource[Any] | None:
        """The type; None where a template makes it and there is no child stack yet."""
        kind = self._types.get(self.row.implementation)
        if kind is not None or self._child is None:
            return kind
        sealed = self._source.template(self._child.id)
        if sealed is None:
            raise Bug(f"stack {self._child.id} has no template")
        text = self._source.open(sealed)
        text = text if isinstance(text, str) else json.dumps(text)
        return self._types.from_template(self.row.implementation, text)

    @property
    def is_done(self) -> bool:
        """Whether it stands as its template wants it, so that others may use its values."""
        return self.row.status == "COMPLETE" and self.row.action not in NOT_MADE

    def reference(self) -> Any:
        """Return what ``get_resource`` gives."""
        return (self.id or self.name) if self.kind is None else self.kind.reference(self)

    def attribute(self, name: str | None, path: tuple[Any, ...] = ()) -> Any:
        """Return what ``get_attr`` gives, the path walked; all attributes without a name.

        None while the resource is not there. Raises Invalid for a name that the type does
        not have.
        """
        if name is None:
            return self.all_attributes()
        if self.row.action in NOT_MADE or self.kind is None:
            return None
        if not _has(self.kind, name):
            text = f"The Referenced Attribute ({self.name} {name}) is incorrect."
            raise Invalid([Problem(text, kind=Kind.ATTRIBUTE)])
        declared = self.kind.attributes.get(name)
        if declared is not None and declared.lacking is not None:
            text = f"{self.name} has no {name}: {declared.lacking}"
            raise Invalid([Problem(text, kind=Kind.ATTRIBUTE)])
        if name in self.kind.live_attributes:
            value = self._seen(self.kind, name, path)
        else:
            value = self.kind.attribute(self, name, path)
        return value.value if isinstance(value, Walked) else select(value, path)

    def _seen(self, kind: Resource[Any], name: str, path: tuple[Any, ...]) -> Any:
        """Return what does not last as it is now; None where nobody looks."""
        if self._look is None:
            return None
        try:
            return kind.look(self, name, path, self._look())
        except CloudError as error:
            raise Invalid([Problem(str(error), kind=Kind.ATTRIBUTE)]) from error

    def all_attributes(self) -> dict[str, Any] | None:
        """Return what ``get_attr`` gives without a name; None while there is nothing."""
        row, kind = self.row, self.kind
        if row.action in NOT_MADE or row.status == "FAILED" or kind is None:
            return None
        return {
            name: self.attribute(name) if each.lacking is None else None
            for name, each in kind.attributes.items()
            if name != "show"
        }

    def _member(self, row: Row, siblings: Mapping[int, ChildRow]) -> Recorded:
        source, types = self._source, self._types
        return Recorded(source, types, row, strict=self._strict, children=siblings, look=self._look)

    @cached_property
    def _child(self) -> ChildRow | None:
        if self._children is not None:
            return self._children.get(self.row.id)
        return self._source.child(self.row.stack_id, self.row.id)


def _has(kind: Resource[Any], name: str) -> bool:
    return (
        kind.open_attributes
        or name in kind.attributes
        or name == "show"
        or name.startswith("resource.")
    )


class StoreRefs:
    """The current resources of one stack, as ``lang.expression.Refs``.

    ``names`` are those that will be asked for: they are loaded by one query, at the first
    question. ``strict`` is for workers: a resource that is not done gives UNKNOWN. Without
    it (outputs for people) one that is not made gives None.
    """

    def __init__(
        self,
        source: Source,
        types: Types,
        stack_id: str,
        names: Collection[str],
        *,
        strict: bool = True,
        look: Look | None = None,
    ) -> None:
        self._look = look
        self._source = source
        self._types = types
        self._stack_id = stack_id
        self._names = frozenset(names)
        self._strict = strict

    def reference(self, resource: str) -> Any:
        """Return what ``get_resource`` gives."""
        found = self._found(resource)
        return found.reference() if isinstance(found, Recorded) else found

    def attribute(self, resource: str, name: str | None, path: tuple[Any, ...]) -> Any:
        """Return what ``get_attr`` gives, the path walked; all attributes without a name."""
        found = self._found(resource)
        return found.attribute(name, path) if isinstance(found, Recorded) else found

    @cached_property
    def _known(self) -> Mapping[str, Recorded]:
        rows = self._source.named(self._stack_id, self._names)
        return {
            name: Recorded(self._source, self._types, row, strict=self._strict, look=self._look)
            for name, row in rows.items()
        }

    def _found(self, name: str) -> Any:
        """Return the resource, or what stands for a value of it that is not to be had."""
        if name not in self._names:
            raise Bug(f"resource {name} was not among the names to be loaded")
        found = self._known.get(name)
        if self._strict:
            return found if found is not None and found.is_done else UNKNOWN
        return None if found is None or found.row.action in NOT_MADE else found


class Outputs(Mapping[str, Any]):
    """The outputs of one stack by name, evaluated when they are read.

    Reading one that cannot be had raises Invalid, its path starting with ``via``. With
    ``only`` no other output is going to be read, so that less is loaded.
    """

    def __init__(
        self,
        source: Source,
        types: Types,
        stack_id: str,
        *,
        strict: bool,
        via: tuple[str, ...] = (),
        only: str | None = None,
        look: Look | None = None,
    ) -> None:
        self._look = look
        self._source = source
        self._types = types
        self._stack_id = stack_id
        self._strict = strict
        self._via = via
        self._only = only

    @cached_property
    def rows(self) -> Mapping[str, OutputRow]:
        """The outputs unevaluated."""
        return self._source.outputs(self._stack_id)

    def __getitem__(self, name: str) -> Any:
        try:
            return self._value(self.rows[name], ("outputs", name))
        except Invalid as error:
            if not self._via:
                raise
            problems = [_seen_from_parent(each, self._via) for each in error.problems]
            raise Invalid(problems) from None

    def _value(self, row: OutputRow, at: Path) -> Any:
        if row.error is not None:
            raise Invalid([Problem(row.error, at, kind=Kind.ATTRIBUTE)])
        return evaluate(row.value, self._refs, at)

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __contains__(self, name: object) -> bool:
        return name in self.rows  # the inherited one would evaluate it

    @cached_property
    def _refs(self) -> StoreRefs:
        read = (row for row in self.rows.values() if self._only in (None, row.name))
        names = {each.resource for row in read for each in references(row.value)}
        return StoreRefs(
            self._source,
            self._types,
            self._stack_id,
            names,
            strict=self._strict,
            look=self._look,
        )


def _seen_from_parent(problem: Problem, via: tuple[str, ...]) -> Problem:
    """Return a child's problem as its parent tells it: the child's words, the way to it."""
    return replace(problem, at=(*via, *problem.at), kind=Kind.ATTRIBUTE)
