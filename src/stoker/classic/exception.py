"""The errors that plugins raise and catch, by the names that they know.

Rule: an error is made from keywords that fill in its class's ``msg_fmt``, which plugins
override in subclasses of their own.
"""

from __future__ import annotations

from typing import Any, ClassVar

from stoker.classic.i18n import _


class HeatException(Exception):
    msg_fmt: ClassVar[str] = _("An unknown error occurred.")
    error_code: ClassVar[str | None] = None
    safe = True

    def __init__(self, **kwargs: Any) -> None:
        self.kwargs = kwargs
        self.message = self.msg_fmt % _Given(kwargs)
        super().__init__(self.message)

    def __str__(self) -> str:
        return str(self.message)


class _Given(dict[str, Any]):
    """Keywords in which one that was forgotten shows as itself, lest the cause be lost."""

    def __missing__(self, key: str) -> str:
        return f"%({key})s"


class Error(HeatException):
    msg_fmt = "%(message)s"

    def __init__(self, msg: str = "", **kwargs: Any) -> None:
        super().__init__(**{"message": msg, **kwargs})


class NotFound(HeatException):
    def __init__(self, msg_fmt: str = _("Not found"), **kwargs: Any) -> None:
        self.msg_fmt = msg_fmt  # type: ignore[misc]
        super().__init__(**kwargs)


class EntityNotFound(HeatException):
    msg_fmt = _("The %(entity)s (%(name)s) could not be found.")

    def __init__(self, entity: str = "", name: str = "", **kwargs: Any) -> None:
        self.entity, self.name = entity, name
        super().__init__(entity=entity, name=name, **kwargs)


class PhysicalResourceNotFound(EntityNotFound):
    def __init__(self, resource_id: str = "", **kwargs: Any) -> None:
        super().__init__(entity="Resource", name=resource_id, **kwargs)


class PhysicalResourceExists(HeatException):
    msg_fmt = _("The physical resource for (%(name)s) exists.")


class PhysicalResourceNameAmbiguity(HeatException):
    msg_fmt = _("Several physical resources are called %(name)s.")


class NotSupported(HeatException):
    msg_fmt = _("%(feature)s is not supported.")


class ResourceActionNotSupported(HeatException):
    msg_fmt = _("%(action)s is not supported for this resource.")


class StackValidationFailed(HeatException):
    """``error``, ``path`` and ``message`` as today's plugins give them, or one ``message``."""

    msg_fmt = "%(message)s"

    def __init__(
        self, error: Any = None, path: Any = None, message: Any = None, resource: Any = None
    ) -> None:
        self.path = list(path or ())
        self.error = error or ""
        self.error_message = message or ""
        self.resource = resource
        super().__init__(message=": ".join(str(part) for part in (error, message) if part))


class ResourcePropertyConflict(StackValidationFailed):
    def __init__(self, *props: str, **kwargs: Any) -> None:
        names = ", ".join(props)
        text = kwargs.pop("message", None) or _(
            "Cannot define the following properties at the same time: %s."
        ) % (names)
        super().__init__(message=text, **kwargs)


class ResourcePropertyDependency(StackValidationFailed):
    def __init__(self, prop1: str = "", prop2: str = "", **kwargs: Any) -> None:
        super().__init__(message=f"{prop1} cannot be specified without {prop2}.", **kwargs)


class ResourcePropertyValueDependency(StackValidationFailed):
    def __init__(self, prop1: str = "", prop2: str = "", value: Any = "", **kwargs: Any) -> None:
        text = f"{prop1} property should only be specified for {prop2} with value {value}."
        super().__init__(message=text, **kwargs)


class PropertyUnspecifiedError(StackValidationFailed):
    def __init__(self, *props: str, **kwargs: Any) -> None:
        names = ", ".join(props)
        text = _("At least one of the following properties must be specified: %s.") % names
        super().__init__(message=text, **kwargs)


class InvalidSchemaError(HeatException):
    msg_fmt = "%(message)s"


class InvalidTemplateAttribute(HeatException):
    msg_fmt = _("The Referenced Attribute (%(resource)s %(key)s) is incorrect.")


class InvalidTemplateReference(HeatException):
    msg_fmt = _('The specified reference "%(resource)s" (in %(key)s) is incorrect.')


class ResourceInError(HeatException):
    msg_fmt = _('Went to status %(resource_status)s due to "%(status_reason)s"')

    def __init__(self, status_reason: Any = "Unknown", **kwargs: Any) -> None:
        super().__init__(status_reason=status_reason, **kwargs)


class ResourceUnknownStatus(HeatException):
    msg_fmt = _('%(result)s - Unknown status %(resource_status)s due to "%(status_reason)s"')

    def __init__(
        self,
        result: Any = "Resource failed",
        status_reason: Any = "Unknown",
        **kwargs: Any,
    ) -> None:
        super().__init__(result=result, status_reason=status_reason, **kwargs)


class ResourceNotFound(EntityNotFound):
    def __init__(self, resource_name: str = "", **kwargs: Any) -> None:
        super().__init__(entity="Resource", name=resource_name, **kwargs)


class ResourceNotAvailable(HeatException):
    msg_fmt = _("The Resource (%(resource_name)s) is not available.")


class ResourceFailure(HeatException):
    """The failure of a resource, with what caused it."""

    msg_fmt = "%(message)s"

    def __init__(
        self, exception_or_error: Any = None, resource: Any = None, action: Any = None
    ) -> None:
        self.exc = exception_or_error if isinstance(exception_or_error, Exception) else None
        self.resource, self.action = resource, action
        kind = f"{type(self.exc).__name__}: " if self.exc is not None else ""
        super().__init__(message=f"{kind}{exception_or_error}")


class UpdateReplace(Exception):
    """An update can only be had by a new object."""

    def __init__(self, resource_name: str = "Unknown") -> None:
        super().__init__(f"The Resource {resource_name} requires replacement.")


class AuthorizationFailure(HeatException):
    msg_fmt = _("Authorization failed.")


class Forbidden(HeatException):
    msg_fmt = _("You are not authorized to use %(action)s.")

    def __init__(self, action: Any = "this action", **kwargs: Any) -> None:
        super().__init__(action=action, **kwargs)


class ClientNotAvailable(HeatException):
    msg_fmt = _("The client (%(client_name)s) is not available.")


class SignalFailure(HeatException):
    """A signal told of a failure."""

    msg_fmt = "%(message)s"

    def __init__(self, message: Any = "", **kwargs: Any) -> None:
        super().__init__(message=message, **kwargs)
