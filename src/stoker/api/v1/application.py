"""The WSGI application of version 1: all nouns' routes on Falcon."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NoReturn

import falcon

from stoker.api.edge import edge
from stoker.api.faults import crash, fault, not_found
from stoker.api.openapi import document
from stoker.api.proxy import behind_proxy
from stoker.api.reply import content, status_line
from stoker.api.route import House, Route, answer
from stoker.api.settings import Settings
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
from stoker.api.v1.described import OPERATIONS
from stoker.api.v1.shapes import SHAPES
from stoker.api.versions import versioned

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from wsgiref.types import WSGIApplication

    from falcon import Request, Response

    from stoker.api.policy import Policy, Rule
    from stoker.api.reply import Reply
    from stoker.api.versions import Health
    from stoker.usecases.software import Software
    from stoker.usecases.stacks import Catalog, Stacks

ROUTES: tuple[Route, ...] = (
    *stacks.ROUTES,
    *lookup.ROUTES,
    *stack.ROUTES,
    *previews.ROUTES,
    *snapshots.ROUTES,
    *exports.ROUTES,
    *actions.ROUTES,
    *resources.ROUTES,
    *events.ROUTES,
    *outputs.ROUTES,
    *templates.ROUTES,
    *resource_types.ROUTES,
    *build_info.ROUTES,
    *services.ROUTES,
    *software_configs.ROUTES,
    *software_deployments.ROUTES,
)


def _rules() -> tuple[Rule, ...]:
    own = (route.rule for route in ROUTES if route.rule is not None)
    more = (stacks.GLOBAL_INDEX, software_configs.GLOBAL_INDEX, *stack.RULES, *actions.RULES)
    return tuple({rule.name: rule for rule in (*own, *more)}.values())


RULES: tuple[Rule, ...] = _rules()
"""What a ``Policy`` for this application must know."""


def application(
    stacks: Stacks,
    catalog: Catalog,
    software: Software,
    policy: Policy,
    settings: Settings | None = None,
    health: Health = tuple,
) -> WSGIApplication:
    """Return the API. It believes identity headers: put ``stoker.api.auth.protect`` in front.

    ``health`` gives the reasons why this process cannot serve; none: it can.
    """
    settings = settings or Settings()
    house = House(stacks, catalog, software, policy, settings)
    described = document(ROUTES, OPERATIONS, SHAPES)
    app: WSGIApplication = versioned(_falcon(house), health, described)
    if settings.enable_proxy_headers_parsing:
        app = behind_proxy(app)
    return edge(app, crash)


def _falcon(house: House) -> falcon.App[Any, Any]:
    app = falcon.App()
    by_path: dict[str, dict[str, Route]] = {}
    for route in ROUTES:
        by_path.setdefault(route.path, {})[route.verb] = route
    for path, routes in by_path.items():
        app.add_route(path, _Endpoint(house, routes))
    app.add_sink(_Endpoint(house, lookup.ARN_ROUTES).by_verb, lookup.ARN_PATH)
    app.add_error_handler(falcon.HTTPError, _refuse)
    app.add_error_handler(Exception, _let_through)
    return app


class _Endpoint:
    """A path as Falcon wants it: a responder for each verb, as an attribute."""

    def __init__(self, house: House, routes: Mapping[str, Route]) -> None:
        self._responders = {verb: _responder(house, route) for verb, route in routes.items()}
        for verb, responder in self._responders.items():
            setattr(self, f"on_{verb.lower()}", responder)
        self._allowed = sorted(routes)

    def on_options(self, request: Request, response: Response, **path: str) -> None:
        del request, path
        response.status = 204
        response.set_header("Allow", ", ".join([*self._allowed, "OPTIONS"]))

    def by_verb(self, req: Request, resp: Response, **path: str) -> None:
        """Serve what came by a pattern and not by a route."""
        if req.method == "OPTIONS":
            self.on_options(req, resp)
        elif req.method in self._responders:
            self._responders[req.method](req, resp, **path)
        else:
            raise falcon.HTTPMethodNotAllowed(self._allowed)


def _responder(house: House, route: Route) -> Callable[..., None]:
    def respond(request: Request, response: Response, **path: str) -> None:
        _write(response, answer(route, house, request.env, path))

    return respond


def _write(response: Response, reply: Reply) -> None:
    response.status = status_line(reply.status)
    response.set_headers(dict(reply.headers))
    if isinstance(reply.body, Iterator):
        response.stream = reply.body
    elif reply.status != HTTPStatus.NO_CONTENT:
        response.content_type, response.data = content(reply)


def _refuse(
    request: Request, response: Response, error: falcon.HTTPError, params: Mapping[str, Any]
) -> None:
    """Answer what the router found: no such path, no such verb."""
    del request, params
    if isinstance(error, falcon.HTTPMethodNotAllowed):
        _write(response, fault(405, "HTTPMethodNotAllowed", _METHOD, dict(error.headers or {})))
    elif isinstance(error, falcon.HTTPNotFound):
        _write(response, not_found())
    else:
        _write(response, fault(error.status_code, type(error).__name__, error.title))


_METHOD = "The path is known, but not with this method; the header Allow names those it has."


def _let_through(
    request: Request, response: Response, error: Exception, params: Mapping[str, Any]
) -> NoReturn:
    """Leave to the edge what no one raised on purpose."""
    del request, response, params
    raise error
