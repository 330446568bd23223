"""What a stack should be, from the body of create, update and validate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.api.template import origin_of, template_of
from stoker.errors import Invalid, Unsupported, bad_request
from stoker.lang.source import parse
from stoker.usecases.stacks import Goal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stoker.api.body import Fields
    from stoker.api.settings import Settings

_LATER = {
    "files_container": "Taking files from a Swift container (files_container)",
}


def adopted(fields: Fields) -> Mapping[str, Any] | None:
    """Return the export that is to be adopted, None where there is none; raises Invalid."""
    given = fields.document("adopt_stack_data")
    if given is None:
        return None
    found = parse(given, "adopt_stack_data").value if isinstance(given, str) else given
    if not isinstance(found, dict):
        raise _unfit("it must be a map")
    if not isinstance(found.get("template"), dict):
        raise _unfit("'template'")
    return found


def _unfit(what: str) -> Invalid:
    return bad_request(f"Invalid adopt data: {what}")


def goal(
    fields: Fields, settings: Settings, *, template_needed: bool = True,
    template: Mapping[str, Any] | None = None,
) -> Goal:  # fmt: skip
    """Return the goal; raises Invalid with all that is wrong with ``fields`` so far.

    A template that is given by its address is fetched here, once all else is in order. A
    ``template`` counts more than what the fields say.
    """
    for key, what in _LATER.items():
        if fields.given(key):
            raise Unsupported(f"{what} is not available in this version of Stoker.")
    said = fields.document("template") if template is None else dict(template)
    url = fields.text("template_url")
    files = fields.texts("files")
    order = fields.names("environment_files")
    environment = fields.document("environment")
    parameters = fields.map("parameters")
    named = fields.given("template") or fields.given("template_url")
    if template_needed and not (named or template is not None):
        fields.refuse("No template specified")
    for index, name in enumerate(order):
        if name not in files:
            fields.refuse(f"{name} is not among the files", "environment_files", index)
    fields.check()
    return Goal(
        template=template_of(said, url, settings),
        parameters=parameters,
        environment={} if environment is None else environment,
        environment_files=order,
        files=files,
        file=origin_of(said, url),
    )
