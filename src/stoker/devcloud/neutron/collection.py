"""The common shape of Neutron's collections: list, show, create (also many), update, delete, tags.

The rule: a noun is a table of attributes plus the few functions that only it needs; whoever asks
for what is not his gets the same 404 as for what is not there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from stoker.devcloud.cloud import new_id
from stoker.devcloud.neutron import problem, quota
from stoker.devcloud.neutron.attribute import Attribute, for_create, for_update
from stoker.devcloud.neutron.convert import identifier, maybe
from stoker.devcloud.state import Taken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from stoker.devcloud.neutron.call import Call
    from stoker.devcloud.state import Doc

    Filter = Callable[[Doc, list[str]], bool]

_OWNER = {
    "project_id": Attribute(maybe(str), put=False),
    "tenant_id": Attribute(maybe(str), put=False),
    "id": Attribute(identifier, put=False, admin=True),
}


def _as_is(_call: Call, doc: Doc) -> Doc:
    return doc


def _merged(_call: Call, _old: Doc, new: Doc) -> Doc:
    return new


def _nothing(_call: Call, _doc: Doc) -> None:
    return None


def _always(_call: Call) -> None:
    return


def _may(_call: Call, _doc: Doc) -> bool:
    return True


def _clash(taken: Taken, _doc: Doc) -> Exception:
    return problem.conflict("Conflict", f"There is already one with {taken.field} {taken.value}.")


def own_or_shared(call: Call, doc: Doc) -> bool:
    """Tell whether a caller sees ``doc``: his own, or shared with everybody."""
    return call.owns(doc) or bool(doc.get("shared"))


def own(call: Call, kind: str) -> list[Doc]:
    """Give the documents that the caller may see where only his own count."""
    return call.state.list(kind, project=None if call.is_admin else call.project_id)


def everybodys(call: Call, kind: str) -> list[Doc]:
    """Give all documents, for kinds of which one may see others'."""
    return call.state.list(kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """One noun.

    ``complete`` makes a checked body into a whole document (or refuses it), ``change`` gets the
    old and the wanted document and gives the one to store, ``deletable`` tells what policy says of
    its end, ``release`` undoes what else a document holds before it goes, ``shown`` adds what is
    worked out when somebody looks, ``looked_for`` runs before a list. Lists filter by the
    attributes, by what is ``computed``, fast by what is ``indexed``, and by own ``filters``. A
    ``parent`` is a placeholder of the path, and is stored under its name.
    """

    singular: str
    plural: str
    path: str
    parent: str = ""
    missing: tuple[str, str]
    attributes: Mapping[str, Attribute]
    complete: Callable[[Call, Doc], Doc] = _as_is
    created: Callable[[Call, Doc], None] = _nothing
    change: Callable[[Call, Doc, Doc], Doc] = _merged
    release: Callable[[Call, Doc], None] = _nothing
    deletable: Callable[[Call, Doc], bool] = _may
    shown: Callable[[Call, Doc], Doc] = _as_is
    visible: Callable[[Call, Doc], bool] = own_or_shared
    clash: Callable[[Taken, Doc], Exception] = _clash
    computed: tuple[str, ...] = ()
    indexed: tuple[str, ...] = ()
    candidates: Callable[[Call, str], list[Doc]] = own
    looked_for: Callable[[Call], None] = _always
    filters: Mapping[str, Filter] = field(default_factory=dict)
    quota: str = ""
    has_tags: bool = True
    is_standard: bool = True

    @property
    def kind(self) -> str:
        return f"network.{self.singular}"

    def absent(self, id: str) -> Exception:
        """Give the 404 for ``id``."""
        return problem.missing(self.missing[0], self.missing[1].format(id))

    def get(self, call: Call, id: str) -> Doc:
        """Give the document that the caller sees under ``id``."""
        doc = call.state.get(self.kind, id)
        if doc is None or not self.visible(call, doc):
            raise self.absent(id)
        return doc

    def under(self, call: Call, id: str, params: Mapping[str, str]) -> Doc:
        """Give the document under ``id``, of the parent that the path names."""
        doc = self.get(call, id)
        if self.parent and doc[self.parent] != params[self.parent]:
            raise self.absent(id)
        return doc

    def owned(self, call: Call, id: str, verb: str) -> Doc:
        """Give the document under ``id`` for a change; 403 where it is seen but not owned."""
        doc = self.get(call, id)
        if not call.owns(doc):
            raise problem.not_authorized(f"rule:{verb}_{self.singular}")
        return doc

    def create(self, call: Call, bodies: list[Mapping[str, Any]]) -> list[Doc]:
        """Create one document a body, all or none."""
        docs = [self.new(call, body) for body in bodies]
        if self.quota:
            for project in {doc["project_id"] for doc in docs}:
                wanted = sum(doc["project_id"] == project for doc in docs)
                quota.check(call.state, project, {self.quota: wanted})
        return [self.add(call, doc) for doc in docs]

    def add(self, call: Call, doc: Doc) -> Doc:
        """Complete and store a document whose attributes are checked."""
        doc = self.complete(call, doc)
        try:
            call.state.insert(self.kind, doc)
        except Taken as taken:
            raise self.clash(taken, doc) from taken
        self.created(call, doc)
        return doc

    def update(self, call: Call, id: str, body: Mapping[str, Any]) -> Doc:
        """Change a document by a PUT's body."""
        old = self.owned(call, id, "update")
        known = {**self.attributes, **_OWNER}
        changes = for_update(self.singular, known, body, is_admin=call.is_admin)
        return self.store(call, self.change(call, old, old | changes))

    def store(self, call: Call, doc: Doc) -> Doc:
        """Store a changed document with a new revision."""
        if self.is_standard:
            doc["revision_number"] += 1
            doc["updated_at"] = call.moment()
        try:
            return call.state.update(self.kind, doc)
        except Taken as taken:
            raise self.clash(taken, doc) from taken

    def delete(self, call: Call, id: str) -> None:
        """Delete a document."""
        doc = self.owned(call, id, "delete")
        if not self.deletable(call, doc):
            raise problem.not_authorized(f"rule:delete_{self.singular}")
        self.release(call, doc)
        call.state.delete(self.kind, doc["id"])

    def visible_among(self, call: Call, docs: Iterable[Doc]) -> list[Doc]:
        """Give those of ``docs`` that the caller sees."""
        return [doc for doc in docs if self.visible(call, doc)]

    def new(self, call: Call, body: Mapping[str, Any]) -> Doc:
        """Read a POST's body into a document that is still to be completed."""
        known = {**self.attributes, **self._inherited(), **_OWNER}
        values = for_create(self.singular, known, body, is_admin=call.is_admin)
        owner = values.get("project_id") or values.get("tenant_id") or call.project_id
        if owner != call.project_id and not call.is_admin:
            raise problem.not_authorized(f"rule:create_{self.singular}")
        values |= {"id": values.get("id") or new_id(), "project_id": owner, "tenant_id": owner}
        return values | (self._standard(call) if self.is_standard else {})

    def _inherited(self) -> dict[str, Attribute]:
        return {self.parent: Attribute(str, put=False)} if self.parent else {}

    def _standard(self, call: Call) -> Doc:
        moment = call.moment()
        tags: Doc = {"tags": []} if self.has_tags else {}
        return {**tags, "created_at": moment, "updated_at": moment, "revision_number": 0}
