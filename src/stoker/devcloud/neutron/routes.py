"""The calls of a collection in the table of routes, and how lists are asked for.

The rule: a fault, a log line or a count names the operation (``create_port``), whichever code
answers it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from stoker.devcloud import listing
from stoker.devcloud.exchange import Reply, Request
from stoker.devcloud.neutron import agenda, problem
from stoker.devcloud.neutron.call import Call
from stoker.devcloud.neutron.convert import Malformed, many, text
from stoker.devcloud.router import route

if TYPE_CHECKING:
    from stoker.devcloud.neutron.collection import Collection
    from stoker.devcloud.state import Doc

ROOT = "/networking/v2.0"
_TAG_FILTERS = ("tags", "tags-any", "not-tags", "not-tags-any")
_NOT_FIELDS = listing.NOT_FILTERS | {"fields", *_TAG_FILTERS}
_STANDARD = {
    "id", "project_id", "tenant_id", "revision_number", "created_at", "updated_at", "changed_since",
}  # fmt: skip
_LONGEST_TAG = 255

Handler = Callable[[Request, Call], Any]


def network_route(
    method: str, path: str, name: str, *, status: int = 200
) -> Callable[..., Handler]:
    """Have a function of request and call answer ``path`` under the root, named ``name``."""

    def add(handler: Handler) -> Handler:
        def answer(request: Request) -> Any:
            agenda.settle(request.cloud)
            return handler(request, Call.of(request))

        answer.__name__ = name
        route(method, f"{ROOT}/{path}", status=status)(answer)
        return handler

    return add


def expose(collection: Collection) -> None:
    """Put the usual calls of a collection into the table."""
    one, many_, path = collection.singular, collection.plural, collection.path
    item = f"{path}/{{id}}"

    @network_route("GET", path, f"list_{many_}")
    def list_all(request: Request, call: Call) -> Doc:
        return listed(collection, request, call)

    @network_route("GET", item, f"show_{one}")
    def show(request: Request, call: Call) -> Doc:
        doc = collection.under(call, request.params["id"], request.params)
        doc = collection.shown(call, doc)
        return {one: _selected(doc, request)}

    @network_route("POST", path, f"create_{one}", status=HTTPStatus.CREATED)
    def create(request: Request, call: Call) -> Doc:
        body = request.json()
        if isinstance(body, dict) and isinstance(body.get(many_), list):
            bodies = [wrapped({one: each}, one) for each in body[many_]]
            docs = collection.create(call, [{**each, **request.params} for each in bodies])
            return {many_: [collection.shown(call, doc) for doc in docs]}
        docs = collection.create(call, [{**wrapped(body, one), **request.params}])
        return {one: collection.shown(call, docs[0])}

    @network_route("PUT", item, f"update_{one}")
    def update(request: Request, call: Call) -> Doc:
        collection.under(call, request.params["id"], request.params)
        body = wrapped(request.json(), one)
        return {one: collection.shown(call, collection.update(call, request.params["id"], body))}

    @network_route("DELETE", item, f"delete_{one}")
    def delete(request: Request, call: Call) -> None:
        collection.under(call, request.params["id"], request.params)
        collection.delete(call, request.params["id"])

    if collection.has_tags:
        _expose_tags(collection)


def wrapped(body: Any, key: str) -> Mapping[str, Any]:
    """Give the object under the body's one key."""
    inner = body.get(key) if isinstance(body, dict) else None
    if not isinstance(inner, dict):
        raise problem.bad_request(f"Unable to find '{key}' in request body")
    return inner


def listed(collection: Collection, request: Request, call: Call) -> Doc:
    """Give the list that a request asks for: filtered, sorted, a page, selected fields."""
    _refuse_unknown(collection, request)
    docs = collection.visible_among(call, _candidates(collection, request, call))
    for name, matches in collection.filters.items():
        if name in request.query:
            docs = [doc for doc in docs if matches(doc, request.query[name])]
    docs = [doc for doc in docs if _has_tags(doc, request)]
    fields = {name for name in request.query if name not in _NOT_FIELDS | set(collection.filters)}
    docs = listing.filtered(docs, request.query, fields)
    keys, directions = request.query.get("sort_key", []), request.query.get("sort_dir", [])
    docs, more = listing.paged(listing.ordered(docs, keys, directions), request)
    shown = [_selected(collection.shown(call, doc), request) for doc in docs]
    body: Doc = {collection.plural: shown}
    if more:
        query = listing.next_query(request, docs[-1]["id"])
        href = f"{request.cloud.url}{request.path}?{query}"
        body[f"{collection.plural}_links"] = [{"rel": "next", "href": href}]
    return body


def _refuse_unknown(collection: Collection, request: Request) -> None:
    known = _STANDARD | _NOT_FIELDS | set(collection.attributes) | set(collection.computed)
    unknown = [name for name in request.query if name not in known | set(collection.filters)]
    if unknown:
        raise problem.bad_request(f"{sorted(unknown)} is invalid attribute for filtering")


def _candidates(collection: Collection, request: Request, call: Call) -> list[Doc]:
    """Give at least all that match, by the best index that the query allows."""
    state, query = call.state, request.query
    collection.looked_for(call)
    if collection.parent:
        parent = request.params[collection.parent]
        return state.list(collection.kind, where={collection.parent: parent})
    if "id" in query:
        found = (state.get(collection.kind, id) for id in dict.fromkeys(query["id"]))
        return [doc for doc in found if doc is not None]
    for field in collection.indexed:
        if field in query:
            return state.list(collection.kind, where={field: query[field]})
    if "name" in query and len(query["name"]) == 1:
        return state.list(collection.kind, name=query["name"][0])
    return collection.candidates(call, collection.kind)


def _has_tags(doc: Doc, request: Request) -> bool:
    tags = set(doc.get("tags") or ())
    for name in _TAG_FILTERS:
        if name not in request.query:
            continue
        wanted = set(",".join(request.query[name]).split(","))
        found = bool(wanted & tags) if name.endswith("any") else wanted <= tags
        if found == name.startswith("not"):
            return False
    return True


def _selected(doc: Doc, request: Request) -> Doc:
    fields = request.query.get("fields")
    return {name: doc[name] for name in fields if name in doc} if fields else doc


def _expose_tags(collection: Collection) -> None:
    tags = f"{collection.path}/{{id}}/tags"
    one = collection.singular

    @network_route("GET", tags, f"list_{one}_tags")
    def list_tags(request: Request, call: Call) -> Doc:
        return {"tags": collection.get(call, request.params["id"])["tags"]}

    @network_route("PUT", tags, f"replace_{one}_tags")
    def replace_tags(request: Request, call: Call) -> Doc:
        body = request.json()
        wanted = _read_tags(body.get("tags") if isinstance(body, dict) else None)
        return {"tags": _set_tags(collection, request, call, lambda _: wanted)}

    @network_route("DELETE", tags, f"delete_{one}_tags")
    def delete_tags(request: Request, call: Call) -> None:
        _set_tags(collection, request, call, lambda _: [])

    @network_route("GET", f"{tags}/{{tag}}", f"show_{one}_tag")
    def show_tag(request: Request, call: Call) -> Reply:
        _check_tagged(collection.get(call, request.params["id"]), request.params["tag"])
        return Reply(status=HTTPStatus.NO_CONTENT)

    @network_route("PUT", f"{tags}/{{tag}}", f"add_{one}_tag")
    def add_tag(request: Request, call: Call) -> Reply:
        (tag,) = _read_tags([request.params["tag"]])
        _set_tags(collection, request, call, lambda old: [*old, tag])
        return Reply(status=HTTPStatus.CREATED)

    @network_route("DELETE", f"{tags}/{{tag}}", f"delete_{one}_tag")
    def delete_tag(request: Request, call: Call) -> None:
        tag = request.params["tag"]
        _check_tagged(collection.get(call, request.params["id"]), tag)
        _set_tags(collection, request, call, lambda old: [each for each in old if each != tag])


def _set_tags(
    collection: Collection, request: Request, call: Call, changed: Callable[[list[str]], list[str]]
) -> list[str]:
    doc = collection.owned(call, request.params["id"], "update")
    doc["tags"] = list(dict.fromkeys(changed(doc["tags"])))
    collection.store(call, doc)
    return list(doc["tags"])


def _read_tags(value: Any) -> list[str]:
    try:
        return many(text(_LONGEST_TAG))(value)
    except Malformed as reason:
        raise problem.bad_request(f"Invalid input for tags. Reason: {reason}.") from None


def _check_tagged(doc: Doc, tag: str) -> None:
    if tag not in doc["tags"]:
        raise problem.missing("TagNotFound", f"Tag {tag} could not be found.")
