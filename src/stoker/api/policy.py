"""Who may do what: oslo.policy with Heat's rule names and defaults, overridable by a policy file.

A rule stands beside the verb that it guards (``Route.rule``); what is needed by more than one noun
stands here. While ``[oslo_policy] enforce_new_defaults`` is false a rule's former default is
allowed too, as with every service that uses oslo.policy.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oslo_config import cfg
from oslo_policy import policy as oslo

from stoker.errors import Forbidden

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from stoker.usecases.caller import Caller

_IN_PROJECT = "project_id:%(project_id)s"
_READER = f"role:reader and {_IN_PROJECT}"
_MEMBER = f"role:member and {_IN_PROJECT}"
_STACK_USER = f"({_READER}) or (role:heat_stack_user and {_IN_PROJECT})"
_NO_STACK_USER = "rule:deny_stack_user"
_EVERYBODY = "rule:allow_everybody"
_NOBODY = "rule:deny_everybody"
_ADMIN = "rule:project_admin"


@dataclass(frozen=True, slots=True)
class Rule:
    """``former`` is the default of the days before Keystone's own roles; None: the same."""

    name: str
    check: str
    former: str | None = None


def reader(name: str) -> Rule:
    """Who may look."""
    return Rule(name, _READER, _NO_STACK_USER)


def member(name: str) -> Rule:
    """Who may change."""
    return Rule(name, _MEMBER, _NO_STACK_USER)


def stack_user(name: str) -> Rule:
    """Who may look, and the users that stacks make for their own servers."""
    return Rule(name, _STACK_USER, _EVERYBODY)


def admin(name: str) -> Rule:
    """Administrators, in their project."""
    return Rule(name, f"role:admin and {_IN_PROJECT}", "rule:context_is_admin")


def nobody(name: str) -> Rule:
    """Only whom the operator's policy file names."""
    return Rule(name, _NOBODY)


def like(name: str, other: Rule) -> Rule:
    """Whoever passes ``other``."""
    return Rule(name, f"rule:{other.name}")


BASE = (
    Rule("context_is_admin", "role:admin and is_admin_project:True"),
    Rule("project_admin", "role:admin"),
    Rule("deny_stack_user", "not role:heat_stack_user"),
    Rule("deny_everybody", "!"),
    Rule("allow_everybody", ""),
)

_ADMIN_TYPES = (
    "OS::Blazar::Host",
    "OS::Cinder::EncryptedVolumeType",
    "OS::Cinder::QoSAssociation",
    "OS::Cinder::QoSSpecs",
    "OS::Cinder::Quota",
    "OS::Cinder::VolumeType",
    "OS::Keystone::*",
    "OS::Manila::ShareType",
    "OS::Neutron::ProviderNet",
    "OS::Neutron::QoSBandwidthLimitRule",
    "OS::Neutron::QoSDscpMarkingRule",
    "OS::Neutron::QoSMinimumBandwidthRule",
    "OS::Neutron::QoSMinimumPacketRateRule",
    "OS::Neutron::QoSPolicy",
    "OS::Neutron::Quota",
    "OS::Neutron::Segment",
    "OS::Nova::Flavor",
    "OS::Nova::HostAggregate",
    "OS::Nova::Quota",
    "OS::Octavia::AvailabilityZone",
    "OS::Octavia::AvailabilityZoneProfile",
    "OS::Octavia::Flavor",
    "OS::Octavia::FlavorProfile",
    "OS::Octavia::Quota",
)
TYPES = tuple(Rule(f"resource_types:{name}", _ADMIN) for name in _ADMIN_TYPES)
"""Types that need an administrator; any other is open unless a policy file closes it."""


LOOK_SECONDS = 1.0
"""How old an answer of the policy may be, and how long a change of its file may go unnoticed."""


class Policy:
    """Answers whether a caller may; reads the policy file again when it changes.

    oslo.policy looks at the file, and for others, whenever it is asked, and takes a third of a
    short request for its answers. So they are remembered, until its next look a second later.
    """

    def __init__(
        self,
        rules: Iterable[Rule],
        conf: cfg.ConfigOpts | None = None,
        *,
        policy_file: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock, self._looked = clock, clock()
        self._known: dict[tuple[str, _Who], bool] = {}
        self._enforcer = oslo.Enforcer(conf or _no_conf(), policy_file=policy_file)
        # The operator chose by enforce_new_defaults; a warning per rule would tell nothing more.
        self._enforcer.suppress_default_change_warnings = True
        self._enforcer.suppress_deprecation_warnings = True
        self._enforcer.register_defaults(defaults(rules))
        self._enforcer.load_rules()

    def admits(self, caller: Caller, rule: str) -> bool:
        """Return whether the rule of that name lets the caller through."""
        return self._passes(rule, _who(caller))

    def require(self, caller: Caller, rule: str) -> None:
        """Raise Forbidden, naming the rule, unless it lets the caller through."""
        if not self.admits(caller, rule):
            raise Forbidden(f"You are not authorized to use {rule}.")

    def is_admin(self, caller: Caller, *, in_admin_project: bool = True) -> bool:
        """Return whether the caller counts as an administrator of everything."""
        return self._passes("context_is_admin", (*_who(caller), in_admin_project))

    def may_use(self, caller: Caller, type_name: str) -> bool:
        """Return whether templates of the caller may hold resources of that type."""
        self._look()
        family = type_name.rpartition("::")[0]
        rules = (f"resource_types:{type_name}", f"resource_types:{family}::*")
        return all(self.admits(caller, rule) for rule in rules if rule in self._enforcer.rules)

    def _passes(self, rule: str, who: _Who) -> bool:
        known = self._look()
        answer = known.get((rule, who))
        if answer is None:
            credentials = _credentials(who)
            target = {"project_id": credentials["project_id"]}
            answer = known[rule, who] = bool(self._enforcer.enforce(rule, target, credentials))
        return answer

    def _look(self) -> dict[tuple[str, _Who], bool]:
        """Return what is remembered still; once a second look at the files, and forget it."""
        now = self._clock()
        if now - self._looked >= LOOK_SECONDS:
            self._enforcer.load_rules()
            self._looked, self._known = now, {}
        return self._known


def defaults(rules: Iterable[Rule]) -> list[oslo.RuleDefault]:
    """Return these rules, and those that none is without, as oslo.policy has them."""
    return [_default(rule) for rule in (*BASE, *TYPES, *rules)]


_Who = tuple[Any, ...]
"""What an answer hangs on."""


def _who(caller: Caller) -> _Who:
    return (
        caller.roles,
        caller.user_id,
        caller.project_id,
        caller.user_domain_id,
        caller.project_domain_id,
        caller.is_admin,
    )


def _credentials(who: _Who) -> dict[str, Any]:
    roles, user_id, project_id, user_domain_id, project_domain_id, is_admin, *more = who
    credentials = {
        "roles": list(roles),
        "user_id": user_id,
        "project_id": project_id,
        "tenant": project_id,
        "user_domain_id": user_domain_id,
        "project_domain_id": project_domain_id,
        "is_admin": is_admin,
    }
    return credentials | ({"is_admin_project": more[0]} if more else {})


def _default(rule: Rule) -> oslo.RuleDefault:
    former = None
    if rule.former is not None:
        former = oslo.DeprecatedRule(
            rule.name,
            rule.former,
            deprecated_reason="Keystone's default roles took the place of one rule for all.",
            deprecated_since="xena",
        )
    return oslo.RuleDefault(rule.name, rule.check, deprecated_rule=former)


def _no_conf() -> cfg.ConfigOpts:
    conf = cfg.ConfigOpts()
    conf([], project="stoker", default_config_files=[], default_config_dirs=[])
    return conf
