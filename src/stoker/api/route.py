"""One verb on one path: who may, what serves it, and the way from a request to an answer.

A noun's file lists its routes; a handler is a function from an ``Ask`` to an answer and sees
neither HTTP objects nor policies' machinery.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from stoker.api.body import read_json
from stoker.api.caller import caller_of
from stoker.api.faults import fault, fault_of, not_found
from stoker.api.link import Link, application_url
from stoker.api.query import Query
from stoker.api.reply import Reply
from stoker.errors import StokerError, UserError, bad_request
from stoker.usecases.stacks import StackRef

if TYPE_CHECKING:
    from wsgiref.types import WSGIEnvironment

    from stoker.api.policy import Policy, Rule
    from stoker.api.settings import Settings
    from stoker.usecases.caller import Caller
    from stoker.usecases.software import Software
    from stoker.usecases.stacks import Catalog, Json, Stacks


@dataclass(frozen=True, slots=True)
class House:
    """What answers, and under which settings."""

    stacks: Stacks
    catalog: Catalog
    software: Software
    policy: Policy
    settings: Settings


@dataclass(frozen=True, slots=True)
class Ask:
    """One request of an authenticated caller; ``path`` holds what the route's path names."""

    caller: Caller
    house: House
    path: Mapping[str, str]
    query: Query
    link: Link
    environ: WSGIEnvironment = field(repr=False)

    @property
    def stacks(self) -> Stacks:
        return self.house.stacks

    @property
    def project(self) -> str:
        return self.path["project"]

    @property
    def stack(self) -> StackRef:
        """The stack that the path names in full."""
        return StackRef(id=self.path["id"], name=self.path["name"], project_id=self.project)

    def body(self) -> Json:
        """Return the body; one that is needed and is not there is refused."""
        body = read_json(self.environ, self.house.settings.max_json_body_size)
        if body is None:
            raise bad_request(
                "The body must be a JSON object (beginning with '{'), sent as application/json."
            )
        return body

    def require(self, rule: Rule) -> None:
        """Raise Forbidden unless the policy lets the caller through."""
        self.house.policy.require(self.caller, rule.name)


Handler = Callable[[Ask], Any]
"""Gives a Reply, or the JSON of a 200."""


@dataclass(frozen=True, slots=True)
class Route:
    """``rule`` None: the handler asks the policy itself, once it has read the request.

    ``faults`` gives an error class another fault type than usual on this route.
    """

    verb: str
    path: str
    serve: Handler
    rule: Rule | None
    faults: Mapping[type[UserError], str] = field(default_factory=dict)


def answer(route: Route, house: House, environ: WSGIEnvironment, path: Mapping[str, str]) -> Reply:
    """Return the answer to a request on ``route``, refusals included; a Bug comes through."""
    if not all(path.values()):
        return not_found()  # a path with an empty part, which the router takes for a name
    try:
        reads = house.settings.reads_passwords
        caller = caller_of(environ, house.policy, reads_passwords=reads)
        if caller is None:
            return fault(401, "HTTPUnauthorized", "The request needs a valid token.")
        if caller.project_id != path["project"] and not caller.is_admin:
            return fault(403, "HTTPForbidden", "Access was denied to this resource.")
        if route.rule is not None:
            house.policy.require(caller, route.rule.name)
        query = Query(environ.get("QUERY_STRING", ""))
        link = Link(f"{application_url(environ)}/v1")
        said = route.serve(Ask(caller, house, path, query, link, environ))
    except StokerError as error:
        return fault_of(error, path, route.faults)
    return said if isinstance(said, Reply) else Reply(200, said)
