"""One action of the API: who may, what serves it, and what it is asked with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from stoker.api import arn
from stoker.api.policy import member, reader
from stoker.errors import UserError
from stoker.usecases.stacks import StackRef

if TYPE_CHECKING:
    from stoker.api.cfn.params import Params
    from stoker.api.policy import Policy, Rule
    from stoker.api.settings import Settings
    from stoker.usecases.caller import Caller
    from stoker.usecases.change_sets import ChangeSets
    from stoker.usecases.stacks import Stacks


@dataclass(frozen=True, slots=True)
class House:
    """What answers, and under which settings."""

    stacks: Stacks
    change_sets: ChangeSets
    policy: Policy
    settings: Settings


@dataclass(frozen=True, slots=True)
class Ask:
    """One call of an authenticated caller."""

    caller: Caller
    house: House
    params: Params

    @property
    def stacks(self) -> Stacks:
        return self.house.stacks

    def stack(self, name: str = "StackName") -> StackRef:
        """Return the stack that a parameter names, by name, id or ARN; raises NotFound."""
        wanted = self.params.needed(name)
        named = arn.parsed(wanted)
        return self.stacks.locate(self.caller, wanted) if named is None else named.stack


Handler = Callable[[Ask], Mapping[str, Any]]
"""Gives what stands in the result; what is None is left out."""


@dataclass(frozen=True, slots=True)
class Action:
    """``codes`` gives an error class another code than usual."""

    name: str
    serve: Handler
    rule: Rule
    codes: Mapping[type[UserError], str] = field(default_factory=dict)


_SAME: Mapping[type[UserError], str] = {}


def looking(name: str, serve: Handler, codes: Mapping[type[UserError], str] = _SAME) -> Action:
    """Return an action for whoever may read."""
    return Action(name, serve, reader(f"cloudformation:{name}"), codes)


def changing(name: str, serve: Handler, codes: Mapping[type[UserError], str] = _SAME) -> Action:
    """Return an action for whoever may change."""
    return Action(name, serve, member(f"cloudformation:{name}"), codes)
