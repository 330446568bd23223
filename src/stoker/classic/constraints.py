"""What a property's value is held to, as plugins declare it, and custom constraints.

Rule: a declaration says what it means as :class:`stoker.sdk.prop.Limits`; nothing is checked
here but what a plugin's own constraint class checks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from stoker.classic.i18n import _

if TYPE_CHECKING:
    from stoker.classic.context import Context


class Constraint:
    """Base; ``limits`` names fields of ``Limits``."""

    def __init__(self, description: str | None = None) -> None:
        self.description = description

    def limits(self) -> dict[str, Any]:
        raise NotImplementedError


class Range(Constraint):
    def __init__(self, min: Any = None, max: Any = None, description: str | None = None) -> None:
        super().__init__(description)
        self.min, self.max = min, max

    def limits(self) -> dict[str, Any]:
        return _given(at_least=self.min, at_most=self.max)


class Length(Range):
    def limits(self) -> dict[str, Any]:
        return _given(shortest=self.min, longest=self.max)


class Modulo(Constraint):
    def __init__(
        self, step: int | None = None, offset: int | None = None, description: str | None = None
    ) -> None:
        super().__init__(description)
        self.step, self.offset = step, offset

    def limits(self) -> dict[str, Any]:
        return {} if self.step is None else {"step": (self.step, self.offset or 0)}


class AllowedValues(Constraint):
    def __init__(self, allowed: Sequence[Any], description: str | None = None) -> None:
        super().__init__(description)
        self.allowed = tuple(allowed)

    def limits(self) -> dict[str, Any]:
        return {"one_of": self.allowed}


class AllowedPattern(Constraint):
    def __init__(self, pattern: str, description: str | None = None) -> None:
        super().__init__(description)
        self.pattern = pattern

    def limits(self) -> dict[str, Any]:
        return {"pattern": self.pattern}


class CustomConstraint(Constraint):
    """The value passes the constraint of this name, built in or a plugin's."""

    def __init__(self, name: str, description: str | None = None, environment: Any = None) -> None:
        super().__init__(description)
        self.name = name

    def limits(self) -> dict[str, Any]:
        return {"is_a": self.name}


class BaseCustomConstraint:
    """What a plugin's custom constraint is written against.

    It overrides ``validate(value, context)``, or ``validate_with_client(client, value)`` and
    the errors that mean that there is none, or just names a client plugin and its getter.
    """

    expected_exceptions: ClassVar[tuple[type[Exception], ...]] = ()
    resource_client_name: ClassVar[str | None] = None
    resource_getter_name: ClassVar[str | None] = None
    _error_message: str | None = None

    def error(self, value: Any) -> str:
        text = _("Error validating value '%s'") % value
        return text if self._error_message is None else f"{text}: {self._error_message}"

    def validate(self, value: Any, context: Context) -> bool:
        try:
            self.validate_with_client(context.clients, value)
        except self.expected_exceptions as e:
            self._error_message = str(e)
            return False
        return True

    def validate_with_client(self, client: Any, value: Any) -> None:
        if not self.resource_client_name or not self.resource_getter_name:
            raise ValueError(f"{type(self).__name__} says neither what to ask nor how")
        plugin = client.client_plugin(self.resource_client_name)
        getattr(plugin, self.resource_getter_name)(value)


def _given(**limits: Any) -> dict[str, Any]:
    return {name: value for name, value in limits.items() if value is not None}
