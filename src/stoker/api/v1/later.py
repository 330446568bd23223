"""What Heat can be asked and this version cannot do: refused clearly, under Heat's policies.

Each line goes when its noun gets a file of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from stoker.api.policy import member, nobody, reader, stack_user
from stoker.api.route import Route
from stoker.api.v1.path import PROJECT
from stoker.errors import Unsupported

if TYPE_CHECKING:
    from stoker.api.policy import Rule
    from stoker.api.route import Ask

_CONFIGS = f"{PROJECT}/software_configs"
_DEPLOYMENTS = f"{PROJECT}/software_deployments"


def _later(verb: str, path: str, rule: Rule, what: str) -> Route:
    def refuse(ask: Ask) -> NoReturn:
        del ask
        raise Unsupported(f"{what} is not available in this version of Stoker.")

    return Route(verb, path, refuse, rule)


ROUTES = tuple(
    _later(*line)
    for line in (
        ("GET", _CONFIGS, reader("software_configs:index"), "Software config"),
        ("POST", _CONFIGS, member("software_configs:create"), "Software config"),
        ("GET", f"{_CONFIGS}/{{config}}", reader("software_configs:show"), "Software config"),
        (
            "DELETE",
            f"{_CONFIGS}/{{config}}",
            member("software_configs:delete"),
            "Software config",
        ),
        ("GET", _DEPLOYMENTS, reader("software_deployments:index"), "Software deployment"),
        ("POST", _DEPLOYMENTS, member("software_deployments:create"), "Software deployment"),
        (
            "GET",
            f"{_DEPLOYMENTS}/metadata/{{server}}",
            stack_user("software_deployments:metadata"),
            "Software deployment",
        ),
        (
            "GET",
            f"{_DEPLOYMENTS}/{{deployment}}",
            reader("software_deployments:show"),
            "Software deployment",
        ),
        (
            "PUT",
            f"{_DEPLOYMENTS}/{{deployment}}",
            member("software_deployments:update"),
            "Software deployment",
        ),
        (
            "DELETE",
            f"{_DEPLOYMENTS}/{{deployment}}",
            member("software_deployments:delete"),
            "Software deployment",
        ),
    )
)
RULES = (member("actions:snapshot"), nobody("software_configs:global_index"))
