"""What to do about a refusal: a sentence for each row of the tables of faults.

Texts of faults are Heat's, which programs compare; so what to do stands beside them, in both APIs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from stoker.errors import (
    CloudError,
    Conflict,
    Forbidden,
    Invalid,
    Kind,
    LimitExceeded,
    MissingCredential,
    NotFound,
    StokerError,
    Unavailable,
    Unsupported,
    UserError,
    WrongCredential,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

BY_STATUS: Final[Mapping[int, str]] = {
    400: "Correct the request where the message says.",
    401: "Get a new token of the identity service, and send it in X-Auth-Token.",
    403: "Use a role that the service's policy asks for; its operator can give one, or say which.",
    404: "Check the path and the project in it; GET /v1/{project}/stacks lists what there is.",
    405: "Use a method that the header Allow names.",
    409: "Wait until what is under way has ended, or cancel it, and send the request again.",
    500: "Tell the service's operator the request id of this answer: the log says more under it.",
    503: "Send the request again a little later, after the seconds of Retry-After if it is there.",
}

BY_KIND: Final[Mapping[Kind, str]] = {
    Kind.TEMPLATE: "Correct the template; `stoker lint FILE` tells all that is wrong in it.",
    Kind.VERSION: "Use a version that GET /template_versions lists, and what that version has.",
    Kind.SECTION: "Use the sections that the template's version has.",
    Kind.REFERENCE: "Name a resource that the template has.",
    Kind.ATTRIBUTE: "Ask for an attribute that GET /resource_types/{type} lists.",
    Kind.SCHEMA: "Correct how the template declares the parameter.",
    Kind.PARAMETER: "Give a value that the parameter's type and constraints allow.",
    Kind.PARAMETER_UNKNOWN: "Leave the parameter out, or declare it in the template.",
    Kind.PARAMETER_MISSING: "Give the parameter a value, or a default in the template.",
    Kind.IMMUTABLE: "Keep the parameter's value, or make another stack with the new one.",
    Kind.CIRCULAR: "Take one of the references out that lead back to where they begin.",
    Kind.ENVIRONMENT: "Correct the environment where the message says.",
    Kind.TYPE: "Use a type that GET /resource_types lists, or map it in the resource_registry.",
    Kind.PROPERTY: "Give the property what its schema allows: see GET /resource_types/{type}.",
    Kind.REQUEST: "Correct the request where the message says.",
    Kind.VALIDATION: "Correct what the message names; `stoker lint FILE` tells all of it.",
}

OF_MISSING: Final[Mapping[str, str]] = {
    "stack": "List the project's stacks; one that is deleted is found by its id alone.",
    "change set": "List the stack's change sets; one that was executed is gone.",
    "resource": "List the stack's resources, nested ones with nested_depth.",
    "physical resource": "Name the id of a current resource of a stack of this project.",
    "resource type": "List the types with GET /resource_types.",
    "template version": "List the versions with GET /template_versions.",
    "template": "Create the stack anew, or look for it under its present id.",
    "output": "List the stack's outputs.",
    "snapshot": "List the stack's snapshots.",
    "software config": "List the project's software configs.",
    "deployment": "List the project's deployments.",
    "event": "List the stack's events; the oldest are given up in time.",
    "events": "List the stack's events; the oldest are given up in time.",
}
_MISSING: Final = "Check the name or the id, and the project that it is of."

_LOGIN: Final = "Send your user's name in X-Auth-User and its password in X-Auth-Key."

BY_ERROR: Final[tuple[tuple[type[StokerError], str], ...]] = (
    (LimitExceeded, "Ask for less, delete what is not needed, or have the limit raised."),
    (Forbidden, BY_STATUS[403]),
    (Conflict, BY_STATUS[409]),
    (Unsupported, "Do without it, or do it in another of the ways that the type or action has."),
    (MissingCredential, _LOGIN),
    (WrongCredential, _LOGIN),
    (Unavailable, BY_STATUS[503]),
    (UserError, BY_STATUS[400]),
)
REFUSED: Final = "Put right what the service refuses: a quota, a name, the state of an object."


def remedy_of(error: StokerError) -> str:
    """Return what to do about an error that is told."""
    if isinstance(error, Invalid) and error.problems:
        return BY_KIND[error.problems[0].kind]
    if isinstance(error, NotFound):
        return OF_MISSING.get(error.kind.lower(), _MISSING)
    if isinstance(error, CloudError):
        return BY_STATUS[503] if error.is_away else REFUSED
    return next(text for kind, text in BY_ERROR if isinstance(error, kind))
