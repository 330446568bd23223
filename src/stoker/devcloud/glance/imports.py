"""Images that are imported: from data that were staged, or from the web, as a task.

Rule: a download runs in a thread of its own and ends in a transaction of its own. One that fails
leaves the image queued, as it was, and tells why in its task; one that a restart broke off too.
"""

from __future__ import annotations

import threading
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any

from stoker.devcloud import clock
from stoker.devcloud.cloud import Cloud, new_id
from stoker.devcloud.exchange import Reply, Request
from stoker.devcloud.glance.contents import fill
from stoker.devcloud.glance.image import IMAGE, TASK, own, store, visible
from stoker.devcloud.refusal import Refusal
from stoker.devcloud.router import route

if TYPE_CHECKING:
    from stoker.devcloud.state import Doc, State

_ONE = "/image/v2/images/{image_id}"
_FETCH_SECONDS = 60
_KEPT_SECONDS = 48 * 3600


@route("POST", f"{_ONE}/import", status=202)
def import_image(request: Request) -> Reply:
    """Make an image active with the data staged, or with what a URL gives."""
    image = own(request)
    method = request.object().get("method")
    if not isinstance(method, dict):
        raise Refusal(400, "Import request requires a 'method' field.")
    name = method.get("name")
    if name not in ("glance-direct", "web-download"):
        raise Refusal(400, f"Unknown import method name '{name}'.")
    for field in ("container_format", "disk_format"):
        if not image[field]:
            raise Refusal(409, f"'{field}' needs to be set before import")
    if name == "glance-direct":
        _import_staged(request, image)
    else:
        _start_download(request, image, method)
    return Reply(b"", status=202)


def _import_staged(request: Request, image: Doc) -> None:
    data = request.state.blob(image["id"])
    if image["status"] != "uploading" or data is None:
        raise Refusal(409, "Image needs to be staged before 'glance-direct' method can be used")
    _note(request, image, {"name": "glance-direct"}, "success")
    store(request, fill(image, data))


def _start_download(request: Request, image: Doc, method: Doc) -> None:
    if image["status"] != "queued":
        raise Refusal(409, f"Image with status {image['status']} cannot be target for import")
    uri = str(method.get("uri", ""))
    if not uri.startswith(("http://", "https://")):
        raise Refusal(400, f"URI for web-download does not pass filtering: {uri}")
    task = _note(request, image, method, "processing")
    store(request, {**image, "status": "importing"})
    arguments = (request.cloud, image["id"], task["id"], uri)
    threading.Thread(target=_download, args=arguments, name="download", daemon=True).start()


def _note(request: Request, image: Doc, method: Doc, status: str) -> Doc:
    """Write down an import as a task."""
    now = request.cloud.now()
    return request.state.insert(
        TASK,
        {
            "id": new_id(),
            "type": "api_image_import",
            "status": status,
            "owner": image["owner"],
            "project_id": image["owner"],
            "image_id": image["id"],
            "user_id": request.caller.user_id,
            "created_at": clock.iso(now),
            "updated_at": clock.iso(now),
            "expires_at": clock.iso(now + _KEPT_SECONDS),
            "input": {"image_id": image["id"], "import_req": {"method": method}},
            "result": None,
            "message": "",
        },
    )


def _download(cloud: Cloud, image_id: str, task_id: str, uri: str) -> None:
    data, problem = _fetched(uri)
    with cloud.state.late() as is_open:
        image = cloud.state.get(IMAGE, image_id) if is_open else None
        if image is None or image["status"] != "importing":
            return
        if data is None:
            _fail(cloud, image, problem)
            return
        _end(cloud, cloud.state.get(TASK, task_id), "success", "")
        cloud.state.put_blob(image_id, data)
        image["updated_at"] = clock.iso(cloud.now())
        cloud.state.update(IMAGE, fill(image, data))


def _fail(cloud: Cloud, image: Doc, problem: str) -> None:
    for task in tasks(cloud.state, image["id"]):
        if task["status"] == "processing":
            _end(cloud, task, "failure", f"Task failed due to Internal Error: {problem}")
    image["updated_at"] = clock.iso(cloud.now())
    cloud.state.update(IMAGE, {**image, "status": "queued", "os_glance_failed_import": "file"})


def _end(cloud: Cloud, task: Doc | None, status: str, message: str) -> None:
    if task is not None:
        changed = {"status": status, "message": message, "updated_at": clock.iso(cloud.now())}
        cloud.state.update(TASK, {**task, **changed})


def _fetched(uri: str) -> tuple[bytes | None, str]:
    try:
        with urllib.request.urlopen(uri, timeout=_FETCH_SECONDS) as answer:  # noqa: S310 - checked
            return bytes(answer.read()), ""
    except (urllib.error.URLError, OSError, ValueError) as error:
        return None, str(error)


def resume(cloud: Cloud) -> None:
    """Queue again the images whose data were on their way when the cloud ended."""
    for image in cloud.state.list(IMAGE):
        if image["status"] in ("importing", "saving"):
            _fail(cloud, image, "the cloud was started anew")


def tasks(state: State, image_id: str) -> list[Doc]:
    """Give an image's tasks, oldest first."""
    return state.list(TASK, where={"image_id": image_id})


@route("GET", f"{_ONE}/tasks")
def list_image_tasks(request: Request) -> Doc:
    """Give an image's tasks."""
    return {"tasks": tasks(request.state, visible(request)["id"])}


@route("GET", "/image/v2/info/import")
def show_import_methods(_request: Request) -> dict[str, Any]:
    """Give the ways in which data can be imported."""
    methods = {"description": "Import methods available.", "type": "array"}
    return {"import-methods": {**methods, "value": ["glance-direct", "web-download"]}}
