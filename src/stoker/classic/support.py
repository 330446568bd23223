"""How well a type, property or attribute is supported, as plugins declare it."""

from __future__ import annotations

from typing import Any, Final

from stoker.sdk.schema import Support

SUPPORT_STATUSES: Final = ("UNKNOWN", "SUPPORTED", "DEPRECATED", "UNSUPPORTED", "HIDDEN")
UNKNOWN, SUPPORTED, DEPRECATED, UNSUPPORTED, HIDDEN = SUPPORT_STATUSES


class SupportStatus:
    """A status, since when, and what to tell of it."""

    def __init__(
        self,
        status: str = SUPPORTED,
        message: str | None = None,
        version: str | None = None,
        previous_status: SupportStatus | None = None,
        substitute_class: type[Any] | None = None,
    ) -> None:
        is_known = status in SUPPORT_STATUSES
        self.status = status if is_known else UNKNOWN
        self.message = message if is_known else f"{status} is no support status"
        self.version, self.previous_status = version, previous_status
        self.substitute_class = substitute_class

    def to_dict(self) -> dict[str, Any]:
        previous = self.previous_status
        return {
            "status": self.status,
            "message": self.message,
            "version": self.version,
            "previous_status": previous.to_dict() if previous is not None else None,
        }

    def is_substituted(self, substitute_class: type[Any]) -> bool:
        return self.substitute_class is substitute_class

    def stated(self) -> Support:
        """Return it as the sdk states it."""
        previous = self.previous_status
        return Support(
            self.status, self.version, self.message, previous.stated() if previous else None
        )
