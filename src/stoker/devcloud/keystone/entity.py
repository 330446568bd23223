"""The calls that most of Keystone's collections share: create, list, show, update, delete.

Rule: an Entity says what is special about its collection as small functions; the five calls are
the same for all, admin only but for what ``may_read`` lets through.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from stoker.devcloud.exchange import Reply, Request
from stoker.devcloud.keystone import policy
from stoker.devcloud.listing import filtered
from stoker.devcloud.refusal import Refusal
from stoker.devcloud.router import Handler, route
from stoker.devcloud.state import Doc, Taken

V3 = "/identity/v3"


def _never(_request: Request, _doc: Doc) -> bool:
    return False


def _nothing(_request: Request, _doc: Doc) -> None:
    return None


def _unchanged(_request: Request, _old: Doc, wanted: Doc) -> Doc:
    return wanted


def _as_it_is(_request: Request, doc: Doc) -> Doc:
    return doc


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A collection of Keystone's.

    ``fresh`` completes a new document; ``changed`` turns an update's body into fields to set;
    ``removed`` clears what hangs on a deleted one; ``view`` turns a document into its public
    fields; ``within`` names the field in which names are unique (empty: everywhere, None: not).
    """

    singular: str
    plural: str
    fresh: Callable[[Request, Doc], Doc]
    filters: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ("id",)
    within: str | None = None
    may_read: Callable[[Request, Doc], bool] = _never
    may_list: bool = False
    changed: Callable[[Request, Doc, Doc], Doc] = _unchanged
    removed: Callable[[Request, Doc], None] = _nothing
    view: Callable[[Request, Doc], Doc] = _as_it_is

    @property
    def kind(self) -> str:
        return f"identity.{self.singular}"


def declare(entity: Entity) -> None:
    """Put an entity's five calls in the table."""
    one, many = f"{V3}/{entity.plural}/{{id}}", f"{V3}/{entity.plural}"

    def named(verb: str, noun: str, call: Callable[[Entity, Request], Any]) -> Handler:
        def handler(request: Request) -> Any:
            return call(entity, request)

        handler.__name__ = f"{verb}_{noun}"
        return handler

    route("POST", many, status=201)(named("create", entity.singular, _create))
    route("GET", many)(named("list", entity.plural, _list))
    route("GET", one)(named("show", entity.singular, _show))
    route("PATCH", one)(named("update", entity.singular, _update))
    route("DELETE", one)(named("delete", entity.singular, _delete))


def shown(entity: Entity, request: Request, doc: Doc) -> Doc:
    """Write a document as answers show it."""
    link = f"{request.cloud.url}{V3}/{entity.plural}/{doc['id']}"
    return {**entity.view(request, doc), "links": {"self": link}}


def list_of(entity: Entity, request: Request, docs: list[Doc]) -> Doc:
    """Write a list as answers show it."""
    link = f"{request.cloud.url}{request.path}"
    return {
        "links": {"next": None, "self": link, "previous": None},
        entity.plural: [shown(entity, request, doc) for doc in docs],
    }


def _create(entity: Entity, request: Request) -> Doc:
    policy.require_admin(request)
    doc = entity.fresh(request, request.wrapped(entity.singular))
    _refuse_same_name(entity, request, doc)
    try:
        request.state.insert(entity.kind, doc)
    except Taken as taken:
        raise _conflict(entity, f"duplicate ID {doc['id']}") from taken
    return {entity.singular: shown(entity, request, doc)}


def _list(entity: Entity, request: Request) -> Doc:
    policy.require(request, entity.may_list)
    fields = ("name", "enabled", *entity.filters)
    name = request.first("name") or None
    docs = filtered(request.state.list(entity.kind, name=name), request.query, fields)
    return list_of(entity, request, docs)


def _show(entity: Entity, request: Request) -> Doc:
    doc = request.state.get(entity.kind, request.params["id"])
    policy.require(request, doc is not None and entity.may_read(request, doc))
    if doc is None:
        raise policy.missing(entity.singular, request.params["id"])
    return {entity.singular: shown(entity, request, doc)}


def _update(entity: Entity, request: Request) -> Doc:
    policy.require_admin(request)
    old = policy.found(request, entity.kind, request.params["id"])
    wanted = request.wrapped(entity.singular)
    for field in entity.fixed:
        if field in wanted and wanted[field] != old.get(field):
            raise Refusal(400, f"The {field} of a {entity.singular} cannot be changed.")
    _refuse_immutable(entity, old, wanted)
    doc = {**old, **entity.changed(request, old, wanted)}
    if doc.get("name") != old.get("name"):
        _refuse_same_name(entity, request, doc)
    request.state.update(entity.kind, doc)
    return {entity.singular: shown(entity, request, doc)}


def _delete(entity: Entity, request: Request) -> Reply:
    policy.require_admin(request)
    doc = policy.found(request, entity.kind, request.params["id"])
    _refuse_immutable(entity, doc, {})
    entity.removed(request, doc)
    request.state.delete(entity.kind, doc["id"])
    return Reply(status=204)


def _refuse_immutable(entity: Entity, doc: Doc, wanted: Doc) -> None:
    lifted = "options" in wanted and not wanted["options"].get("immutable", True)
    if doc.get("options", {}).get("immutable") and not lifted:
        text = f"Cannot change or delete {entity.singular} {doc['id']}: it is immutable."
        raise Refusal(403, text)


def _refuse_same_name(entity: Entity, request: Request, doc: Doc) -> None:
    if entity.within is None:
        return
    others = request.state.list(entity.kind, name=doc["name"])
    if any(not entity.within or each[entity.within] == doc[entity.within] for each in others):
        raise _conflict(entity, f"duplicate entry found with name {doc['name']}")


def _conflict(entity: Entity, why: str) -> Refusal:
    text = f"Conflict occurred attempting to store {entity.singular} - {why}."
    return Refusal(409, text)


def required(wanted: Doc, *names: str) -> None:
    """Refuse with 400 a body that lacks a field."""
    for name in names:
        if wanted.get(name) in (None, ""):
            raise Refusal(400, f"'{name}' is a required property")
