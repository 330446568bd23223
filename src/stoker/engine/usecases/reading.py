"""The use cases that change nothing: what stacks, resources and events look like now.

Every answer is read in one look at the database and opens only the sealed values that it
shows.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

from stoker.engine.secrets import masked
from stoker.engine.source import Gathered, Source
from stoker.engine.usecases import documents, event_views, resource_views, stack_views
from stoker.engine.usecases.lookup import checked, located, owned, ref
from stoker.engine.views import Outputs
from stoker.errors import Bug, NotFound, Unsupported
from stoker.lang.expression import references
from stoker.lang.template import read
from stoker.lang.wording import MASK
from stoker.store import events, listing, stacks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from stoker.engine.views import Look
    from stoker.sdk.cloud import Cloud
    from stoker.sdk.resource import Types
    from stoker.store.database import Database
    from stoker.store.stacks import SourceRow, StackRow
    from stoker.usecases.caller import Caller
    from stoker.usecases.stacks import (
        EventQuery,
        EventView,
        Json,
        OutputView,
        ResourceQuery,
        ResourceView,
        StackQuery,
        StackRef,
        StackView,
    )


class Reading:
    """The read-only half of ``usecases.stacks.Stacks``.

    ``cloud_for`` gives the cloud as a caller sees it, for what is looked at and not recorded.
    Stacks with one of the ``hidden_tags`` are left out of lists unless they are asked for.
    """

    def __init__(
        self,
        database: Database,
        types: Types,
        cloud_for: Callable[[Caller], Cloud],
        *,
        hidden_tags: tuple[str, ...],
    ) -> None:
        self._database = database
        self._cloud_for = cloud_for
        self._types = types
        self._hidden_tags = hidden_tags

    def locate(self, caller: Caller, name_or_id: str) -> StackRef:
        """Return the stack of this id, deleted or not, or else of this name."""
        with self._database.read() as connection:
            return ref(located(connection, caller, name_or_id))

    def holder(self, caller: Caller, physical_id: str) -> StackRef:
        """Return the stack of the caller's project that has the object of this id."""
        with self._database.read() as connection:
            found = stacks.holding(connection, physical_id, caller.project_id)
        if not found:
            raise NotFound("Physical Resource", physical_id)
        if len(found) > 1:
            text = f"Multiple resources were found with the physical ID ({physical_id})."
            raise Unsupported(text)
        return ref(found[0])

    def list(self, caller: Caller, query: StackQuery) -> builtins.list[StackView]:
        """Return the stacks that the query asks for, a page of them."""
        wanted = stack_views.wanted(caller, query, self._hidden_tags)
        with self._database.read() as connection:
            rows = listing.listed(connection, wanted, stack_views.page(query))
        return [stack_views.stack_view(row) for row in rows]

    def count(self, caller: Caller, query: StackQuery) -> int:
        """Return how many stacks the query asks for, whatever its page."""
        wanted = stack_views.wanted(caller, query, self._hidden_tags)
        with self._database.read() as connection:
            return listing.count(connection, wanted)

    def show(self, caller: Caller, stack: StackRef, *, resolve_outputs: bool = True) -> StackView:
        """Return a stack with its parameters and outputs, also one that is deleted."""
        row = self._read(caller, stack, deleted=True)
        is_gone = (row.action, row.status) == ("DELETE", "COMPLETE")
        outputs = None
        if resolve_outputs and not is_gone:
            outputs = stack_views.output_views(self._outputs(row, look=self._look(caller)))
        parameters = self._open(row.parameters)
        return stack_views.stack_view(row, parameters, outputs)

    def template(self, caller: Caller, stack: StackRef) -> Json:
        """Return the template as a document, also of a deleted stack."""
        return dict(read(self._open(self._source(caller, stack)[1].template)).raw)

    def environment(self, caller: Caller, stack: StackRef) -> Json:
        """Return the environment, hidden parameters masked, also of a deleted stack."""
        row, source = self._source(caller, stack)
        stored = self._open(source.environment)
        template = read(self._open(source.template))
        found = documents.with_template_files(stored["environment"], template)
        found["parameters"] = {**found["parameters"], **stored["parameters"]}
        declared = template.parameters
        for section in ("parameters", "parameter_defaults"):
            found[section] = {
                name: MASK if name in declared and declared[name].hidden else value
                for name, value in found[section].items()
            }
        secrets = [] if row.secrets is None else self._open(row.secrets)
        shown: Json = masked(found, secrets)  # what a parent hides has other names here
        return shown

    def files(self, caller: Caller, stack: StackRef) -> dict[str, str]:
        """Return the files that came with the template, also of a deleted stack.

        Hidden values are masked: environment files hold them as they were given.
        """
        row, source = self._source(caller, stack)
        secrets = [] if row.secrets is None else self._open(row.secrets)
        files = {} if source.files is None else self._open(source.files)
        return {name: masked(text, secrets) for name, text in files.items()}

    def outputs(self, caller: Caller, stack: StackRef) -> builtins.list[OutputView]:
        """Return the outputs without their values."""
        row = self._read(caller, stack)
        rows = Source(self._database).read_outputs(self._sealed(row.outputs))
        return stack_views.described_outputs(rows.values())

    def output(self, caller: Caller, stack: StackRef, key: str) -> OutputView:
        """Return one output with its value."""
        row = self._read(caller, stack)
        outputs = self._outputs(row, only=key, look=self._look(caller))
        if key not in outputs:
            raise NotFound("Output", key)
        return stack_views.output_view(outputs, key)

    def resources(
        self, caller: Caller, stack: StackRef, query: ResourceQuery
    ) -> builtins.list[ResourceView]:
        """Return the resources of a stack, and of those nested in it as deep as is asked."""
        row = self._owned(caller, stack)
        return resource_views.listed(self._database, self._types, row, query)

    def resource(
        self, caller: Caller, stack: StackRef, name: str, with_attr: Sequence[str] = ()
    ) -> ResourceView:
        """Return one resource with its attributes, those in ``with_attr`` among them."""
        row = self._owned(caller, stack)
        look = self._look(caller) if with_attr else None
        found = resource_views.shown(self._database, self._types, row, name, with_attr, look)
        if found is None:
            raise NotFound("Resource", name)
        return found

    def metadata(self, caller: Caller, stack: StackRef, name: str) -> Json:
        """Return the metadata of a resource."""
        row = self._owned(caller, stack)
        found = resource_views.metadata(self._database, self._types, row, name)
        if found is None:
            raise NotFound("Resource", name)
        return found

    def events(
        self, caller: Caller, stack: StackRef, query: EventQuery
    ) -> builtins.list[EventView]:
        """Return the events of a stack, newest first unless asked otherwise."""
        return event_views.listed(self._database, caller, stack, query)

    def resource_events(
        self, caller: Caller, stack: StackRef, name: str, query: EventQuery
    ) -> builtins.list[EventView]:
        """Return the events of one resource."""
        return event_views.listed(self._database, caller, stack, query, name)

    def event(self, caller: Caller, stack: StackRef, name: str, event_id: str) -> EventView:
        """Return one event of a resource with the properties that it had."""
        with self._database.read() as connection:
            row = owned(connection, caller, stack, deleted=True)
            found = events.one(connection, row.id, event_id)
        if found is None or found.resource_name != name:
            raise NotFound("Event", event_id)
        properties = {} if found.properties is None else self._open(found.properties)
        return event_views.event_view(found, ref(row), properties=properties)

    def _look(self, caller: Caller) -> Look:
        return lambda: self._cloud_for(caller)

    def _owned(self, caller: Caller, stack: StackRef, *, deleted: bool = False) -> StackRow:
        with self._database.read() as connection:
            return owned(connection, caller, stack, deleted=deleted)

    def _source(self, caller: Caller, stack: StackRef) -> tuple[StackRow, SourceRow]:
        with self._database.read() as connection:
            row = owned(connection, caller, stack, deleted=True)
            found = stacks.source(connection, row.id)
        if found is None:
            raise Bug(f"stack {row.id} has no template")
        return row, found

    def _read(self, caller: Caller, stack: StackRef, *, deleted: bool = False) -> StackRow:
        with self._database.read() as connection:
            row = stacks.whole(connection, stack.id)
        return checked(row, caller, stack, deleted=deleted)

    def _outputs(self, row: StackRow, look: Look, only: str | None = None) -> Outputs:
        """Return the outputs of a stack that was read whole, and all that they need."""
        rows = Source(self._database).read_outputs(self._sealed(row.outputs))
        wanted = (each for each in rows.values() if only in (None, each.name))
        named = {each for output in wanted for each in references(output.value)}
        source = Gathered(self._database, row.id, named, outputs=rows)
        return Outputs(source, self._types, row.id, strict=False, only=only, look=look)

    def _open(self, sealed: bytes | None) -> Any:
        return self._database.sealer.open(self._sealed(sealed))

    @staticmethod
    def _sealed(loaded: bytes | None) -> bytes:
        if loaded is None:
            raise Bug("a sealed value was not loaded")
        return loaded
