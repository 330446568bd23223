"""What the types have in common whose object is a software config.

Rule: nothing of one changes; another text is another config. It is recorded with the resource, and
goes with it.
"""

from __future__ import annotations

import uuid
from typing import Any, Final

from stoker.errors import Code, Invalid, Problem
from stoker.resources.chosen_id import chosen_id
from stoker.sdk.resource import At, Done
from stoker.sdk.schema import Attr, attrs
from stoker.usecases.software import NewConfig

ATTRIBUTES: Final = attrs(config=Attr("What the config holds."))
UNGROUPED: Final = "Heat::Ungrouped"


def kept(at: At[Any], config: NewConfig) -> Done:
    """Return the end of a create that keeps a config."""
    return Done({"config": config.config}, id=chosen_id(at.mark), config=config)


def adopted(at: At[Any]) -> Done:
    """Return the end of an adoption; raises Invalid where the config is not there."""
    text = at.config_text(at.owned)
    if text is None:
        said = f"there is no software config {at.owned} in this project"
        raise Invalid([Problem(said, ("resource_id",), code=Code.ATTRIBUTE_UNAVAILABLE)])
    return Done({"config": text}, data=at.stored)


def text_of(at: At[Any], given: str) -> str:
    """Return what a config holds that is named by its id; any other text as it is."""
    try:
        uuid.UUID(given)
    except ValueError:
        return given
    found = at.config_text(given)
    return given if found is None else found
