"""What a finished plugin gives: its attributes, its reference and what it keeps.

Rule: attributes are read once, when a verb is done, for nothing is asked of a cloud when a
template reads them. One that cannot be read has no value; the log says why.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final

from stoker.classic.attributes import SHOW_ATTR, declared
from stoker.classic.border import Border
from stoker.classic.resource import Resource
from stoker.errors import CloudError, UserError
from stoker.sdk.fault import Fault, fault
from stoker.sdk.resource import Done

log = logging.getLogger(__name__)

_PASSING: Final = frozenset({Fault.BUSY, Fault.RETRY, Fault.UNKNOWN})


def outcome(plugin: Resource, kept: Mapping[str, Any]) -> Done:
    """Return the end of a verb; raises CloudError for a fault that will pass."""
    data: dict[str, Any] = {"kept": dict(kept)}
    reference = plugin.get_reference_id()
    if reference != Resource.get_reference_id(plugin):
        data["reference"] = plain(reference)
    names = (*declared(type(plugin)), SHOW_ATTR)
    attributes = {name: _read(plugin, name) for name in names}
    return Done(attributes, plugin.resource_id, data)


def _read(plugin: Resource, name: str) -> Any:
    try:
        with Border(plugin.context):
            return plain(plugin.get_attribute(name))
    except (CloudError, UserError) as e:
        if fault(e) in _PASSING:
            raise
        log.warning("attribute %s of %s has no value: %s", name, plugin.name, e)
        return None


def plain(value: Any) -> Any:
    """Return the value as JSON: text for whatever JSON does not know."""
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(each) for each in value]
    if value is None or isinstance(value, bool | int | float):
        return value
    return str(value)
