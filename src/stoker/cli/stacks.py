"""The orchestration API's words for stacks, Stoker's or any Heat's.

Rule: version 1 of the API alone, each call once; who calls decides what an error means.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from stoker.errors import CloudError

if TYPE_CHECKING:
    from stoker.cli.session import Json, Session

DEEPEST = 10
"""How deep nested stacks are looked into; services have limits of their own, mostly 5."""


class Stacks:
    """The stacks of one account. Every method raises CloudError with the service's text."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def find(self, name: str) -> Json | None:
        """Return the stack of that name or id; None where there is none, or it is deleted."""
        try:
            path = f"/stacks/{quote(name, safe='')}?resolve_outputs=False"
            found: Json = self._session.call("GET", path)["stack"]
        except CloudError as error:
            if error.status == HTTPStatus.NOT_FOUND:
                return None
            raise
        return None if found["stack_status"] == "DELETE_COMPLETE" else found

    def stack(self, name: str, id: str, *, outputs: bool = False) -> Json:
        """Return a stack; ``outputs`` has their values worked out, which may take a while."""
        query = "" if outputs else "?resolve_outputs=False"
        found: Json = self._session.call("GET", f"{_path(name, id)}{query}")["stack"]
        return found

    def all(self) -> list[Json]:
        """Return every stack of the project, newest first."""
        found: list[Json] = self._session.call("GET", "/stacks")["stacks"]
        return found

    def resources(self, name: str, id: str) -> list[Json]:
        """Return the stack's resources and those of the stacks nested in it."""
        path = f"{_path(name, id)}/resources?nested_depth={DEEPEST}"
        found: list[Json] = self._session.call("GET", path)["resources"]
        return found

    def events(self, name: str, id: str, **query: Any) -> list[Json]:
        """Return events, nested stacks' too, oldest first; ``query`` may say otherwise."""
        asked = {"nested_depth": DEEPEST, "sort_dir": "asc", **query}
        path = f"{_path(name, id)}/events?{urlencode(asked)}"
        found: list[Json] = self._session.call("GET", path)["events"]
        return found

    def last_event(self, name: str, id: str) -> str | None:
        """Return the id of the newest event; None where there is none."""
        found = self.events(name, id, limit=1, sort_dir="desc")
        return str(found[0]["id"]) if found else None

    def create(self, body: Json) -> str:
        """Ask for a stack and return its id."""
        return str(self._session.call("POST", "/stacks", body)["stack"]["id"])

    def update(self, name: str, id: str, body: Json, *, existing: bool = False) -> None:
        """Ask for a change; ``existing`` keeps what the body does not say."""
        self._session.call("PATCH" if existing else "PUT", _path(name, id), body)

    def delete(self, name: str, id: str) -> None:
        """Ask for the end of a stack."""
        self._session.call("DELETE", _path(name, id))

    def preview_create(self, body: Json) -> list[Json]:
        """Return the resources that a create would make; nested ones are lists in the list."""
        stack: Json = self._session.call("POST", "/stacks/preview", body)["stack"]
        resources: list[Json] = stack["resources"]
        return resources

    def preview_update(self, name: str, id: str, body: Json, *, existing: bool = False) -> Json:
        """Return what an update would do: resources by what becomes of them."""
        path = f"{_path(name, id)}/preview?show_nested=True"
        method = "PATCH" if existing else "PUT"
        changes: Json = self._session.call(method, path, body)["resource_changes"]
        return changes


def _path(name: str, id: str) -> str:
    return f"/stacks/{quote(name, safe='')}/{quote(id, safe='')}"
