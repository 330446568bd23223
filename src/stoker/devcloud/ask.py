"""A request to a service with microversions, as its handlers see it.

Rule: what Nova and Cinder have in common is here; their words and routes are their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from stoker.devcloud.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stoker.devcloud.caller import Caller
    from stoker.devcloud.cloud import Cloud
    from stoker.devcloud.exchange import Request
    from stoker.devcloud.state import Doc, State


@dataclass(frozen=True, slots=True)
class Ask:
    """One request with the minor number of its microversion.

    ``root`` is the path of the versioned service, ``bookmark`` that of the service; ``policy``
    begins the names of its rules.
    """

    root: ClassVar[str]
    bookmark: ClassVar[str]
    policy: ClassVar[str] = ""

    request: Request
    minor: int

    @property
    def cloud(self) -> Cloud:
        return self.request.cloud

    @property
    def state(self) -> State:
        return self.request.state

    @property
    def caller(self) -> Caller:
        return self.request.caller

    @property
    def params(self) -> Mapping[str, str]:
        return self.request.params

    def since(self, minor: int) -> bool:
        """Tell whether the version is this minor one or later."""
        return self.minor >= minor

    def body(self, key: str) -> Doc:
        """Give the object under the body's one key."""
        body = self.request.json()
        inner = body.get(key) if isinstance(body, dict) else None
        if not isinstance(inner, dict):
            raise invalid(key, inner, f"'{key}' is a required property")
        return inner

    def only_admin(self, rule: str) -> None:
        """Refuse callers who are no administrators."""
        if not self.caller.is_admin:
            raise not_allowed(f"{self.policy}{rule}")

    def href(self, path: str) -> str:
        """Give the URL of something under the version's root."""
        return f"{self.cloud.url}{self.root}/{path}"

    def links(self, path: str) -> list[dict[str, str]]:
        """Give the two links that are on everything."""
        mark = f"{self.cloud.url}{self.bookmark}/{path}"
        return [{"rel": "self", "href": self.href(path)}, {"rel": "bookmark", "href": mark}]


def invalid(name: str, value: Any, reason: str) -> Refusal:
    """Give the 400 of a body that the schema does not take."""
    return Refusal(400, f"Invalid input for field/attribute {name}. Value: {value}. {reason}")


def not_allowed(rule: str) -> Refusal:
    """Give the 403 that names the policy rule."""
    return Refusal(403, f"Policy doesn't allow {rule} to be performed.")
