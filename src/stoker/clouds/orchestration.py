"""Heat, or one like this, in a region: stacks made elsewhere.

Rule: a template that is to be made there is checked there, once: who checks for another does not
ask a third.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from stoker.clouds.rest import Rest
from stoker.errors import CloudError
from stoker.sdk.cloud import WITHIN
from stoker.sdk.fault import NO_ENDPOINT

if TYPE_CHECKING:
    from collections.abc import Callable

    import requests

_WITHOUT_ANSWER: Final = (202, 204)
_REFUSED: Final = range(400, 500)
_UNSURE: Final = frozenset({401, 408, 429})


class Orchestration(Rest):
    """Heat v1; paths begin after the project."""

    service = "orchestration"
    version = "v1"

    @property
    def region(self) -> str | None:
        """The region that it is asked in."""
        return self._connection.region

    @property
    def interface(self) -> str:
        """The interface that it is asked at."""
        return self._connection.interface

    def headers(self, path: str) -> dict[str, str]:
        """Return the headers; one tells whoever is like us that it is asked by one of its kind."""
        return {**super().headers(path), WITHIN: "1"}

    def _body(self, answer: requests.Response) -> dict[str, Any]:
        """Return the answer; to what goes on after it there is none worth reading."""
        return {} if answer.status_code in _WITHOUT_ANSWER else super()._body(answer)


def wrong_elsewhere(of: Callable[[str | None], Orchestration], value: str) -> str | None:
    """Return why a stack cannot be made where it is wanted, None where it can.

    ``of`` gives Heat in a region. ``value`` is JSON: the ``region``, None for this one, and what
    is asked there. Raises CloudError where Heat there does not say.
    """
    asked = json.loads(value)
    region = asked.pop("region")
    heat = of(region)
    try:
        heat.post("/validate", asked)
    except CloudError as error:
        return _told(error, heat)
    return None


def _told(error: CloudError, heat: Orchestration) -> str:
    region = heat.region or ""
    if error.code == NO_ENDPOINT:
        return (
            f'Cannot establish connection to Heat endpoint at region "{region}" due to'
            f' "{heat.interface} endpoint for orchestration service in {region} region not found"'
        )
    if error.status not in _REFUSED or error.status in _UNSURE:
        raise error
    return (
        f'Failed validating stack template using Heat endpoint at region "{region}" due to'
        f' "ERROR: {error.words}"'
    )
