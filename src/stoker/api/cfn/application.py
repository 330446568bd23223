"""The WSGI application of the CloudFormation API: all actions on one path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.api.caller import caller_of
from stoker.api.cfn import (
    changes,
    events,
    resources,
    signals,
    stack_policies,
    stacks,
    templates,
)
from stoker.api.cfn.action import Ask, House
from stoker.api.cfn.call import call_of, is_call, plain_form, refuse, send
from stoker.api.cfn.faults import INTERNAL, refused_of
from stoker.api.cfn.refused import Refused
from stoker.api.edge import edge
from stoker.api.faults import not_found
from stoker.api.reply import rendered
from stoker.api.reply import send as reply
from stoker.api.settings import Settings
from stoker.api.versions import versioned
from stoker.errors import StokerError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from stoker.api.cfn.action import Action
    from stoker.api.cfn.call import Call
    from stoker.api.cfn.signals import Target
    from stoker.api.policy import Policy, Rule
    from stoker.api.versions import Health
    from stoker.usecases.change_sets import ChangeSets
    from stoker.usecases.stacks import Stacks

ACTIONS: dict[str, Action] = {
    each.name: each
    for noun in (stacks, events, resources, templates, changes, stack_policies, signals)
    for each in noun.ACTIONS
}
RULES: tuple[Rule, ...] = tuple(each.rule for each in ACTIONS.values())
"""What a ``Policy`` for this application must know."""


def application(
    stacks: Stacks,
    change_sets: ChangeSets,
    policy: Policy,
    settings: Settings | None = None,
    health: Health = tuple,
) -> WSGIApplication:
    """Return the API. It believes identity headers: put ``stoker.api.cfn.door`` in front.

    ``health`` gives the reasons why this process cannot serve; none: it can.
    """
    settings = settings or Settings()
    house = House(stacks, change_sets, policy, settings)
    others = versioned(_nothing, health)

    def serve(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        if is_call(environ):
            return _serve(house, environ, start)
        target = signals.target_of(environ["REQUEST_METHOD"], environ.get("PATH_INFO", ""))
        if target is not None:
            return _deliver(house, target, environ, start)
        return others(environ, start)

    return edge(serve, crash)


def crash(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
    """Answer for a program that failed: 500, and nothing of what went wrong."""
    return refuse(plain_form(environ), Refused(INTERNAL, "The service has failed."), start)


def _serve(house: House, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
    try:
        call = call_of(environ, house.settings.max_json_body_size)
    except StokerError as error:
        return refuse(plain_form(environ), refused_of(error), start)
    try:
        action = _action(call)
    except Refused as error:
        return refuse(call.form, error, start)
    try:
        result = action.serve(_ask(house, call, action.rule, environ))
    except StokerError as error:
        return refuse(call.form, refused_of(error, action.codes), start)
    return send(200, call.form.answer(action.name, result), start)


def _action(call: Call) -> Action:
    name = call.params.text("Action")
    if name is None:
        raise Refused("MissingAction", "The request must contain the parameter Action")
    if name not in ACTIONS:
        raise Refused("InvalidAction", f"The action {name} is not available in this service")
    return ACTIONS[name]


def _deliver(
    house: House, target: Target, environ: WSGIEnvironment, start: StartResponse
) -> Iterable[bytes]:
    """Answer to a signal by an address of its own."""
    try:
        call = call_of(environ, house.settings.max_json_body_size)
        told = signals.deliver(_ask(house, call, signals.SIGNAL, environ), target)
    except StokerError as error:
        return refuse(plain_form(environ), refused_of(error), start)
    if target.waits and not call.form.is_json:
        return send(200, call.form.document("resource", told["resource"]), start)
    return send(200, ("application/json", rendered(told)), start)


def _ask(house: House, call: Call, rule: Rule, environ: WSGIEnvironment) -> Ask:
    reads = house.settings.reads_passwords
    caller = caller_of(environ, house.policy, reads_passwords=reads)
    if caller is None:
        raise Refused("MissingAuthenticationToken", "The request needs a signature or a token")
    house.policy.require(caller, rule.name)
    return Ask(caller, house, call.params)


def _nothing(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
    del environ
    return reply(not_found(), start)
