"""What a stack should be, from the parameters of a call."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from stoker.api.cfn import stack_policies
from stoker.api.cfn.refused import Refused
from stoker.api.template import origin_of, template_of
from stoker.errors import bad_request
from stoker.usecases.stacks import CreateStack, Goal, UpdateStack

if TYPE_CHECKING:
    from stoker.api.cfn.action import Ask
    from stoker.api.cfn.params import Params
    from stoker.usecases.stacks import StackRef

_NOT_HAD = (
    "NotificationARNs",
    "ResourcesToImport",
    "ResourceTypes",
    "RoleARN",
    "RollbackConfiguration",
    "StackPolicyDuringUpdateBody",
    "StackPolicyDuringUpdateURL",
)
_POLICY = ("StackPolicyBody", "StackPolicyURL")
_TAG_MAX = 80


class Given(NamedTuple):
    """Values of parameters, and the names of those that keep theirs."""

    values: dict[str, str]
    kept: frozenset[str]


def template(ask: Ask) -> str | None:
    """Return the template that is given or named by its address; None without either."""
    found = template_of(*_given_template(ask), ask.house.settings)
    return None if found is None else str(found)


def origin(ask: Ask) -> str:
    """Return what that template is called in places."""
    return origin_of(*_given_template(ask))


def _given_template(ask: Ask) -> tuple[str | None, str | None]:
    """Return its text and its address, whichever is given."""
    params = ask.params
    return params.text("TemplateBody"), params.text("TemplateURL") or params.text("TemplateUrl")


def needed_template(ask: Ask) -> str:
    """Return the template; raises Refused where there is none."""
    found = template(ask)
    if found is None:
        text = "The request must contain the parameter TemplateBody or TemplateURL"
        raise Refused("MissingParameter", text)
    return found


def creation(ask: Ask) -> CreateStack:
    """Return the stack that is asked for; raises Invalid, Refused."""
    params = ask.params
    _refuse_others(params)
    given = parameters(params)
    if given.kept:
        names = ", ".join(sorted(given.kept))
        raise bad_request(f"UsePreviousValue is for updates: a new stack has no value of {names}")
    policy = stack_policies.given(ask)
    return CreateStack(
        name=params.needed("StackName"),
        goal=Goal(
            needed_template(ask),
            given.values,
            stack_policies.environment(policy or {}),
            file=origin(ask),
        ),
        timeout_mins=params.whole("TimeoutInMinutes") or None,
        disable_rollback=_disable_rollback(params) is not False,
        tags=tags(params) or (),
    )


def change(ask: Ask, stack: StackRef) -> UpdateStack:
    """Return the update that is asked for; raises Invalid, Refused.

    Parameters that are not mentioned take their defaults; tags and what came by the native API
    (environment, files) stay.
    """
    params = ask.params
    _refuse_others(params, *_POLICY)  # what it restricts would be in force too soon
    given = parameters(params)
    keeps_template = bool(params.boolean("UsePreviousTemplate"))
    now = ask.stacks.show(ask.caller, stack, resolve_outputs=False).parameters
    return UpdateStack(
        goal=Goal(None if keeps_template else needed_template(ask), given.values, file=origin(ask)),
        existing=True,
        clear_parameters=tuple(sorted(now.keys() - given.kept)),
        timeout_mins=params.whole("TimeoutInMinutes") or None,
        disable_rollback=_disable_rollback(params),
        tags=tags(params),
    )


def parameters(params: Params) -> Given:
    """Return what is said of the template's parameters."""
    values: dict[str, str] = {}
    kept: set[str] = set()
    for each in params.members("Parameters"):
        name = each.get("ParameterKey")
        if not name:
            raise bad_request("Each member of Parameters must have a ParameterKey")
        if each.get("UsePreviousValue", "").lower() == "true":
            kept.add(name)
        else:
            values[name] = each.get("ParameterValue", "")
    return Given(values, frozenset(kept - values.keys()))


def tags(params: Params) -> tuple[str, ...] | None:
    """Return tags as the native API has them, ``key=value``; None where none are given."""
    found = []
    for each in params.members("Tags"):
        key, value = each.get("Key", ""), each.get("Value", "")
        tag = f"{key}={value}" if value else key
        if not key or not tag.isprintable() or "," in tag or len(tag) > _TAG_MAX:
            text = f"A tag must have a key, no comma, and {_TAG_MAX} characters at most: {tag!r}"
            raise bad_request(text)
        found.append(tag)
    return tuple(found) or None


def _disable_rollback(params: Params) -> bool | None:
    said, on_failure = params.boolean("DisableRollback"), params.text("OnFailure")
    if on_failure is None:
        return said
    if said is not None:
        text = "DisableRollback and OnFailure cannot both be given"
        raise Refused("InvalidParameterCombination", text)
    if on_failure not in ("DO_NOTHING", "ROLLBACK", "DELETE"):
        raise bad_request(f"OnFailure must be DO_NOTHING, ROLLBACK or DELETE, not {on_failure!r}")
    return on_failure == "DO_NOTHING"


def _refuse_others(params: Params, *more: str) -> None:
    """Refuse what would change the outcome and cannot be had; Capabilities are no such thing."""
    if given := params.given(*_NOT_HAD, *more):
        raise bad_request(f"Not available here, leave it out: {', '.join(given)}")
