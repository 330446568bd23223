"""The calls to Cinder that tests make, as a project of one's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.devcloud.client import Answer, Client
from tests.devcloud.nova.compute import settled

ROOT = "/volume/v3"
LATEST = "3.71"
NOBODY = "00000000-0000-4000-8000-000000000000"
_SINGULAR = {
    "volumes": "volume",
    "snapshots": "snapshot",
    "backups": "backup",
    "types": "volume_type",
    "qos-specs": "qos_specs",
    "attachments": "attachment",
}


@dataclass(frozen=True)
class Block:
    client: Client
    project_id: str

    def call(self, method: str, path: str, body: Any = None, version: str = LATEST) -> Answer:
        headers = {"OpenStack_API_Version": f"volume {version}"}
        return self.client.call(method, f"{ROOT}/{self.project_id}/{path}", body, **headers)

    def post(self, collection: str, body: Any, version: str = LATEST) -> Any:
        """Have one made and give what is said of it at once."""
        key = _SINGULAR[collection]
        answer = self.call("POST", collection, {key: body}, version)
        assert answer.status in (200, 202), answer.body
        return answer.body[key]

    def make(self, collection: str, **body: Any) -> Any:
        """Have one made and give it when it is there."""
        id = self.post(collection, body)["id"]
        return self.until(collection, id, "available")

    def volume(self, **body: Any) -> Any:
        return self.make("volumes", **{"size": 1, **body})

    def show(self, collection: str, id: str) -> Any:
        answer = self.call("GET", f"{collection}/{id}")
        assert answer.status == 200, answer.body
        return answer.body[_SINGULAR[collection]]

    def until(self, collection: str, id: str, status: str) -> Any:
        return settled(lambda: self.show(collection, id), lambda seen: seen["status"] == status)

    def gone(self, path: str) -> None:
        settled(lambda: self.call("GET", path).status, lambda status: status == 404)

    def listed(self, path: str, version: str = LATEST) -> Any:
        answer = self.call("GET", path, version=version)
        assert answer.status == 200, answer.body
        (found,) = (each for name, each in answer.body.items() if not name.endswith("_links"))
        return found

    def names(self, query: str, version: str = LATEST) -> list[Any]:
        return [each["name"] for each in self.listed(f"volumes/detail?{query}", version)]

    def act(self, id: str, action: str, argument: Any = None, version: str = LATEST) -> Answer:
        return self.call("POST", f"volumes/{id}/action", {action: argument}, version)

    def done(self, id: str, action: str, argument: Any = None, status: int = 202) -> Any:
        """Do an action that is answered with a status, and give the volume after it."""
        answer = self.act(id, action, argument)
        assert answer.status == status, answer.body
        return self.show("volumes", id)

    def refused(
        self, method: str, path: str, body: Any = None, version: str = LATEST
    ) -> tuple[int, str]:
        """Give status and text of a refusal."""
        return fault(self.call(method, path, body, version))

    def refusal(self, collection: str, **body: Any) -> tuple[int, str]:
        """Give status and text of a creation's refusal."""
        return self.refused("POST", collection, {_SINGULAR[collection]: body})

    def refusal_over(self, collection: str, **body: Any) -> tuple[int, str]:
        """Give status and text of the refusal of what goes over a quota."""
        answer = self.call("POST", collection, {_SINGULAR[collection]: body})
        return answer.status, answer.body["overLimit"]["message"]


def fault(answer: Answer) -> tuple[int, str]:
    assert answer.status >= 400, answer.body
    ((_, told),) = answer.body.items()
    assert told["code"] == answer.status
    return answer.status, told["message"]
