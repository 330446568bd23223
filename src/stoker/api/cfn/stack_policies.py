"""Stack policies, as far as an environment's ``restricted_actions`` can carry them.

Rule: what they cannot carry is refused in words that say what they can; none is kept in part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import orjson

from stoker.api.cfn.action import changing, looking
from stoker.api.cfn.refused import Refused
from stoker.api.template import template_of
from stoker.errors import bad_request
from stoker.usecases.stacks import Goal, UpdateStack

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stoker.api.cfn.action import Ask
    from stoker.usecases.stacks import Json

    Restrictions = Mapping[str, tuple[str, ...]]
    """What must not be done, by the pattern of resources' names."""

_WORDS: Final = {"Update:Modify": "update", "Update:Replace": "replace"}
_LEAD: Final = "LogicalResourceId/"
_ALLOW_ALL: Final = {"Effect": "Allow", "Action": "Update:*", "Principal": "*", "Resource": "*"}
_KEYS: Final = frozenset({"Effect", "Action", "Principal", "Resource", "Sid"})
_CAN: Final = (
    "A stack policy can allow Update:* on all resources, and deny Update:Modify and"
    " Update:Replace on LogicalResourceId/NAME, where NAME may have wildcards"
)


def show(ask: Ask) -> Json:
    """Give the policy of a stack; none where nothing is restricted."""
    found = _there(ask.stacks.environment(ask.caller, ask.stack()))
    denied = [_denial(pattern, words) for pattern, words in found.items() if words]
    body = orjson.dumps({"Statement": [_ALLOW_ALL, *denied]}).decode() if denied else None
    return {"StackPolicyBody": body}


def put(ask: Ask) -> Json:
    """Give a stack a policy in place of the one that it has, by an update that changes no more."""
    stack = ask.stack()
    wanted = given(ask)
    if wanted is None:
        text = "The request must contain the parameter StackPolicyBody or StackPolicyURL"
        raise Refused("MissingParameter", text)
    before = dict.fromkeys(_there(ask.stacks.environment(ask.caller, stack)), ())
    what = Goal(None, environment=environment({**before, **wanted}))
    ask.stacks.update(ask.caller, stack, UpdateStack(what, existing=True))
    return {}


def given(ask: Ask) -> Restrictions | None:
    """Return what the policy of a request restricts, None without one; raises Invalid."""
    params = ask.params
    body = params.text("StackPolicyBody")
    text = template_of(body, params.text("StackPolicyURL"), ask.house.settings)
    return None if text is None else restrictions(str(text))


def restrictions(policy: str) -> Restrictions:
    """Return what a policy restricts; raises Invalid where that cannot be carried."""
    try:
        read = orjson.loads(policy)
    except orjson.JSONDecodeError as error:
        raise bad_request(f"The stack policy is not JSON: {error}") from error
    statements = read.get("Statement") if isinstance(read, dict) else None
    if not isinstance(statements, list) or not statements:
        raise bad_request("The stack policy has no list Statement")
    denied = [each for each in statements if not _allows_all(each)]
    if len(denied) == len(statements):
        raise bad_request(f"{_CAN}; this one does not allow Update:* on all")
    found: dict[str, set[str]] = {}
    for each in denied:
        patterns, words = _denied(each)
        for pattern in patterns:
            found.setdefault(pattern, set()).update(words)
    return {pattern: tuple(sorted(words)) for pattern, words in found.items()}


def environment(restricted: Restrictions) -> Json:
    """Return the environment that restricts this."""
    if not restricted:
        return {}
    own = {name: {"restricted_actions": list(words)} for name, words in restricted.items()}
    return {"resource_registry": {"resources": own}}


def _there(environment: Json) -> dict[str, tuple[str, ...]]:
    """Return what an environment restricts, by pattern."""
    own = (environment.get("resource_registry") or {}).get("resources") or {}
    found = {}
    for pattern, section in own.items():
        if isinstance(section, dict) and "restricted_actions" in section:
            words = section["restricted_actions"]
            found[pattern] = (words,) if isinstance(words, str) else tuple(words)
    return found


def _denial(pattern: str, words: tuple[str, ...]) -> Json:
    actions = [action for action, word in _WORDS.items() if word in words]
    resource = "*" if pattern == "*" else f"{_LEAD}{pattern}"
    return {"Effect": "Deny", "Action": actions, "Principal": "*", "Resource": resource}


def _allows_all(statement: Any) -> bool:
    return isinstance(statement, dict) and {
        **statement,
        "Action": _one(statement.get("Action")),
        "Resource": _one(statement.get("Resource")),
    } == {**_ALLOW_ALL, **({"Sid": statement["Sid"]} if "Sid" in statement else {})}


def _denied(statement: Any) -> tuple[list[str], list[str]]:
    """Return patterns of names, and what is denied on them; raises Invalid."""
    fits = isinstance(statement, dict) and statement.keys() <= _KEYS
    if not fits or (statement.get("Effect"), statement.get("Principal")) != ("Deny", "*"):
        raise bad_request(_CAN)
    actions, resources = _list(statement.get("Action")), _list(statement.get("Resource"))
    if not actions or any(not isinstance(each, str) or each not in _WORDS for each in actions):
        raise bad_request(f"{_CAN}; not deny {', '.join(map(str, actions)) or 'nothing'}")
    patterns = [each.removeprefix(_LEAD) for each in map(str, resources)]
    named = [each == "*" or str(each).startswith(_LEAD) for each in resources]
    if not patterns or not all(named) or not all(patterns):
        raise bad_request(f"{_CAN}; not on {', '.join(map(str, resources)) or 'nothing'}")
    return patterns, [_WORDS[each] for each in actions]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _one(value: Any) -> Any:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


ACTIONS = (changing("SetStackPolicy", put), looking("GetStackPolicy", show))
