"""Images: made, filled, found, changed, deleted."""

from __future__ import annotations

import hashlib
import http.client
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from openstack import exceptions

from stoker.devcloud.cloud import Options
from stoker.devcloud.glance.seed import NAMES
from stoker.devcloud.server import Server
from tests.devcloud.client import Answer, Client
from tests.devcloud.conftest import Connect
from tests.devcloud.nova.compute import settled

IMAGES = "/image/v2/images"
RAW = {"disk_format": "raw", "container_format": "bare"}
BYTES = "application/octet-stream"
PATCH = "application/openstack-images-v2.1-json-patch"


def make(client: Client, **fields: Any) -> dict[str, Any]:
    answer = client.call("POST", IMAGES, {"name": uuid4().hex, **RAW, **fields})
    assert answer.status == 201, answer.body
    image: dict[str, Any] = answer.body
    return image


def patch(client: Client, image: dict[str, Any], *changes: dict[str, Any]) -> Answer:
    body: Any = list(changes)
    return client.call("PATCH", f"{IMAGES}/{image['id']}", body, Content_Type=PATCH)


def upload(client: Client, image: dict[str, Any], data: bytes) -> Answer:
    return client.call("PUT", f"{IMAGES}/{image['id']}/file", data, Content_Type=BYTES)


def test_a_new_cloud_has_public_images(demo: Client) -> None:
    images = demo.get(f"{IMAGES}?visibility=public").body["images"]
    assert set(NAMES) <= {image["name"] for image in images if image["status"] == "active"}


def test_an_image_is_queued_until_it_has_its_data(demo: Client) -> None:
    image = make(demo)
    assert (image["status"], image["size"], image["visibility"]) == ("queued", None, "shared")
    assert image["self"] == f"/v2/images/{image['id']}"
    assert demo.get(f"{IMAGES}/{image['id']}/file").status == 204
    data = b"\0bytes" * 1000
    assert upload(demo, image, data).status == 204
    filled = demo.get(f"{IMAGES}/{image['id']}").body
    assert (filled["status"], filled["size"]) == ("active", 6000)
    assert filled["os_hash_value"] == hashlib.sha512(data).hexdigest()
    assert demo.get(f"{IMAGES}/{image['id']}/file").body == data
    assert upload(demo, image, b"again").status == 409


def test_an_image_is_saving_while_its_data_come(demo: Client, cloud: Server) -> None:
    image = make(demo)
    place = f"{IMAGES}/{image['id']}"
    with uploading(cloud, demo, place, b"12345") as connection:
        settled(lambda: demo.get(place).body["status"], lambda status: status == "saving")
        assert upload(demo, image, b"x").status == 409
        connection.send(b"67890")
        assert connection.getresponse().status == 204
    filled = demo.get(place).body
    assert (filled["status"], filled["size"]) == ("active", 10)


def test_an_upload_that_breaks_off_leaves_the_image_queued(demo: Client, cloud: Server) -> None:
    image = make(demo)
    place = f"{IMAGES}/{image['id']}"
    with uploading(cloud, demo, place, b"12345"):
        settled(lambda: demo.get(place).body["status"], lambda status: status == "saving")
    settled(lambda: demo.get(place).body["status"], lambda status: status == "queued")
    assert upload(demo, image, b"whole").status == 204


@contextmanager
def uploading(
    cloud: Server, client: Client, place: str, part: bytes
) -> Iterator[http.client.HTTPConnection]:
    """Send the head of an upload of ten bytes, and the first of them."""
    connection = http.client.HTTPConnection(cloud.url.removeprefix("http://"), timeout=20)
    connection.putrequest("PUT", f"{place}/file")
    for name, value in {
        "X-Auth-Token": client.token,
        "Content-Type": BYTES,
        "Content-Length": "10",
    }.items():
        connection.putheader(name, value)
    connection.endheaders(part)
    yield connection
    connection.close()


def test_an_id_is_the_callers_choice_and_never_used_twice(demo: Client) -> None:
    id = str(uuid4())
    assert make(demo, id=id)["id"] == id
    assert demo.call("POST", IMAGES, {"id": id}).status == 409
    assert demo.call("DELETE", f"{IMAGES}/{id}").status == 204
    assert demo.get(f"{IMAGES}/{id}").status == 404
    assert demo.call("POST", IMAGES, {"id": id}).status == 409
    assert demo.call("POST", IMAGES, {"id": "mine"}).status == 400


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"disk_format": "floppy"}, 400),
        ({"min_disk": -1}, 400),
        ({"min_ram": "1"}, 400),
        ({"protected": "yes"}, 400),
        ({"own_property": 5}, 400),
        ({"tags": ["a", 1]}, 400),
        ({"status": "active"}, 403),
        ({"visibility": "public"}, 403),
        ({"owner": "another"}, 403),
    ],
)
def test_what_does_not_fit_the_schema_is_refused(
    demo: Client, fields: dict[str, Any], status: int
) -> None:
    assert demo.call("POST", IMAGES, {"name": "x", **fields}).status == status


def test_a_json_patch_sets_adds_and_removes(demo: Client) -> None:
    image = make(demo, k1="v1", tags=["b", "a", "b"])
    assert image["tags"] == ["a", "b"]
    changed = patch(
        demo,
        image,
        {"op": "replace", "path": "/name", "value": "new"},
        {"op": "add", "path": "/k2", "value": "v2"},
        {"op": "remove", "path": "/k1"},
        {"op": "replace", "path": "/tags", "value": ["c"]},
    ).body
    assert (changed["name"], changed["k2"], changed["tags"]) == ("new", "v2", ["c"])
    assert "k1" not in changed


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"op": "remove", "path": "/name"}, 403),
        ({"op": "remove", "path": "/none"}, 409),
        ({"op": "replace", "path": "/none", "value": "x"}, 409),
        ({"op": "replace", "path": "/status", "value": "active"}, 403),
        ({"op": "move", "path": "/name"}, 400),
        ({"op": "add", "path": "/name"}, 400),
    ],
)
def test_a_patch_is_done_whole_or_not_at_all(
    demo: Client, change: dict[str, Any], status: int
) -> None:
    image = make(demo)
    first = {"op": "add", "path": "/k", "value": "v"}
    assert patch(demo, image, first, change).status == status
    assert "k" not in demo.get(f"{IMAGES}/{image['id']}").body
    assert demo.call("PATCH", f"{IMAGES}/{image['id']}", {"name": "x"}).status == 415


def test_a_protected_image_stays(demo: Client) -> None:
    image = make(demo, protected=True)
    assert demo.call("DELETE", f"{IMAGES}/{image['id']}").status == 403
    patch(demo, image, {"op": "replace", "path": "/protected", "value": False})
    assert demo.call("DELETE", f"{IMAGES}/{image['id']}").status == 204


def test_others_images_are_not_there_and_public_ones_not_to_be_changed(
    demo: Client, admin: Client, anybody: Client
) -> None:
    hidden = make(admin)
    assert demo.get(f"{IMAGES}/{hidden['id']}").status == 404
    assert demo.get(f"{IMAGES}?name={hidden['name']}").body["images"] == []
    public = demo.get(f"{IMAGES}?name=ubuntu-24.04").body["images"][0]
    assert demo.call("DELETE", f"{IMAGES}/{public['id']}").status == 403
    assert anybody.get(f"{IMAGES}/{public['id']}").status == 401


def test_lists_are_filtered_ordered_and_paged(demo: Client) -> None:
    mark = uuid4().hex
    for name in ("b", "c", "a"):
        make(demo, name=f"{mark}-{name}", own=mark, tags=[mark])

    def names(query: str) -> list[str]:
        found = demo.get(f"{IMAGES}?{query}").body["images"]
        return [image["name"].removeprefix(f"{mark}-") for image in found]

    assert names(f"own={mark}&sort=name:asc") == ["a", "b", "c"]
    assert names(f"tag={mark}&sort_key=name&sort_dir=desc") == ["c", "b", "a"]
    assert names(f"name=in:{mark}-a,{mark}-b&sort=name") == ["b", "a"]
    assert names(f"own={mark}&status=active") == []
    first = demo.get(f"{IMAGES}?own={mark}&sort=name:asc&limit=2").body
    assert len(first["images"]) == 2
    rest = demo.get(f"/image{first['next']}").body
    assert [image["name"] for image in rest["images"]] == [f"{mark}-c"]
    assert "next" not in rest
    assert demo.get(f"{IMAGES}?marker=none").status == 400
    assert demo.get(f"{IMAGES}?sort=name:sideways").status == 400


def test_tags_are_put_and_taken_one_by_one(demo: Client) -> None:
    image = make(demo)
    place = f"{IMAGES}/{image['id']}"
    assert demo.call("PUT", f"{place}/tags/t").status == 204
    assert demo.get(place).body["tags"] == ["t"]
    assert demo.call("DELETE", f"{place}/tags/t").status == 204
    assert demo.call("DELETE", f"{place}/tags/t").status == 404


def test_schemas_and_versions_are_told(demo: Client, anybody: Client) -> None:
    schema = demo.get("/image/v2/schemas/image").body
    assert schema["properties"]["status"]["readOnly"] is True
    assert schema["additionalProperties"] == {"type": "string"}
    versions = anybody.get("/image/versions").body["versions"]
    assert versions[0]["status"] == "CURRENT"
    assert anybody.get("/image").status == 300


def test_staged_data_is_imported(demo: Client) -> None:
    image = make(demo)
    place = f"{IMAGES}/{image['id']}"
    direct = {"method": {"name": "glance-direct"}}
    assert demo.call("POST", f"{place}/import", direct).status == 409
    assert demo.call("PUT", f"{place}/stage", b"12345", Content_Type=BYTES).status == 204
    assert demo.get(place).body["status"] == "uploading"
    assert demo.call("POST", f"{place}/import", direct).status == 202
    assert demo.get(place).body["status"] == "active"


class Web(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        found = self.path == "/image.raw"
        self.send_response(200 if found else 404)
        self.end_headers()
        if found:
            self.wfile.write(b"from the web")

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def web() -> Iterator[str]:
    """Return the URL of a web server with one image."""
    server = HTTPServer(("127.0.0.1", 0), Web)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def slow_web() -> Iterator[str]:
    """Return the URL of a web server that takes a request and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/image"


def until_imported(client: Client, place: str) -> dict[str, Any]:
    deadline = time.monotonic() + 20
    while (image := client.get(place).body)["status"] == "importing":
        assert time.monotonic() < deadline
        time.sleep(0.01)
    found: dict[str, Any] = image
    return found


@pytest.mark.parametrize(
    ("path", "status", "size"), [("/image.raw", "active", 12), ("/none", "queued", None)]
)
def test_an_image_is_downloaded_from_the_web(
    demo: Client, web: str, path: str, status: str, size: int | None
) -> None:
    place = f"{IMAGES}/{make(demo)['id']}"
    method = {"method": {"name": "web-download", "uri": f"{web}{path}"}}
    assert demo.call("POST", f"{place}/import", method).status == 202
    image = until_imported(demo, place)
    assert (image["status"], image["size"]) == (status, size)
    [task] = demo.get(f"{place}/tasks").body["tasks"]
    found = (task["type"], task["status"], task["input"]["import_req"])
    assert found == ("api_image_import", "success" if size else "failure", method)
    assert ("404" in task["message"]) == (size is None)


def test_a_download_that_a_restart_breaks_off_has_failed(tmp_path: Path, slow_web: str) -> None:
    options = Options(port=0, state=f"{tmp_path}/state.sqlite")
    with Server(options) as server:
        demo = Client(server.url).user("demo")
        place = f"{IMAGES}/{make(demo)['id']}"
        method = {"method": {"name": "web-download", "uri": slow_web}}
        assert demo.call("POST", f"{place}/import", method).status == 202
        assert demo.get(place).body["status"] == "importing"
        demo.close()
    with Server(options) as server:
        demo = Client(server.url).user("demo")
        assert demo.get(place).body["status"] == "queued"
        assert demo.get(f"{place}/tasks").body["tasks"][0]["status"] == "failure"
        demo.close()


@pytest.mark.parametrize(
    ("fields", "method", "status"),
    [
        ({}, None, 400),
        ({}, {"name": "copy"}, 400),
        ({}, {"name": "web-download", "uri": "ftp://there/image"}, 400),
        ({}, {"name": "glance-direct"}, 409),
        ({"disk_format": None}, {"name": "web-download", "uri": "http://there/image"}, 409),
    ],
)
def test_an_import_that_cannot_be_is_refused(
    demo: Client, fields: dict[str, Any], method: object, status: int
) -> None:
    place = f"{IMAGES}/{make(demo, **fields)['id']}"
    assert demo.call("POST", f"{place}/import", {"method": method}).status == status


@pytest.mark.filterwarnings("ignore:::openstack.*")  # it warns of its own ways
def test_openstacksdk_manages_images(connect: Connect) -> None:
    cloud = connect("demo")
    image = cloud.image.create_image(name=uuid4().hex, data=b"x" * 10, wait=True, k="v", **RAW)
    found = cloud.image.find_image(image.name, ignore_missing=False)
    assert (found.status, found.size, found.properties["k"]) == ("active", 10, "v")
    assert cloud.image.download_image(found).content == b"x" * 10
    for n in range(30):
        cloud.image.create_image(name=f"{image.name}-{n}", tags=[image.name], **RAW)
    assert len(list(cloud.image.images(tag=image.name))) == 30
    cloud.image.delete_image(found)
    with pytest.raises(exceptions.NotFoundException, match="Failed to find image"):
        cloud.image.get_image(found.id)
