"""What Glance answers: images, their bytes and who may see them.

Rule: see :mod:`tests.agreement.step`.
"""

from __future__ import annotations

from typing import Any

from tests.agreement.network_scenarios import NOBODYS
from tests.agreement.step import GONE, Json, Scenario, Step

BYTES = {"Content-Type": "application/octet-stream"}
PATCH = {"Content-Type": "application/openstack-images-v2.1-json-patch"}


def glance(method: str, path: str, status: int, body: Json = None, **more: Any) -> Step:
    """Return a step on the image service."""
    return Step("image", method, f"/v2/{path}", status, body, **more)


YES, NO = True, False


def patch(status: int, op: str, path: str, value: Json = None, **more: Any) -> Step:
    """Return a change of image ``i``."""
    one = {"op": op, "path": path} | ({} if op == "remove" else {"value": value})
    return glance("PATCH", "images/{i}", status, [one], headers=PATCH, **more)


IMAGES = Scenario(
    "images",
    (
        glance(
            "POST",
            "images",
            201,
            {"name": "i", "disk_format": "raw", "container_format": "bare"},
            keep={"i": "id"},
            see={
                "status": "queued",
                "visibility": "shared",
                "protected": False,
                "size": None,
                "checksum": None,
                "tags": [],
                "min_disk": 0,
                "owner": "{project}",
                "os_hidden": False,
            },
        ),
        glance("GET", "images/{i}/file", 204),
        glance("GET", "images/{i}", 404, who="stranger"),
        glance("PUT", "images/{i}/file", 415, {"not": "bytes"}),
        glance("PUT", "images/{i}/file", 204, b"some bytes", headers=BYTES),
        glance(
            "GET",
            "images/{i}",
            200,
            see={
                "status": "active",
                "size": 10,
                "checksum": "9d0568469d206c1aedf1b71f12f474bc",
                "os_hash_algo": "sha512",
            },
        ),
        glance("PUT", "images/{i}/file", 409, b"other bytes", headers=BYTES),
        glance("PUT", f"images/{NOBODYS}/file", 404, b"other bytes", headers=BYTES),
        glance("GET", f"images/{NOBODYS}", 404),
        glance("DELETE", f"images/{NOBODYS}", 404),
        glance("POST", "images", 409, {"id": "{i}", "name": "j"}),
        glance("POST", "images", 400, {"id": "no uuid"}),
        glance("POST", "images", 400, {"name": "j", "disk_format": "papyrus"}),
        glance("POST", "images", 403, {"name": "j", "visibility": "public"}),
        glance("POST", "images", 403, {"name": "j", "status": "active"}),
        glance("POST", "images", 400, {"name": "j", "min_disk": -1}),
        patch(200, "replace", "/name", "other", see={"name": "other"}),
        patch(409, "replace", "/colour", "red"),
        patch(200, "add", "/colour", "red", see={"colour": "red"}),
        patch(200, "replace", "/colour", "blue", see={"colour": "blue"}),
        patch(200, "remove", "/colour", see={"colour": GONE}),
        patch(409, "remove", "/colour"),
        patch(403, "replace", "/status", "queued"),
        patch(403, "replace", "/disk_format", "qcow2"),
        patch(403, "remove", "/name"),
        patch(403, "replace", "/visibility", "public"),
        patch(200, "replace", "/visibility", "private", see={"visibility": "private"}),
        patch(400, "replace", "/visibility", "secret"),
        patch(400, "dance", "/name", "x"),
        glance("PATCH", "images/{i}", 415, [], headers={"Content-Type": "application/json"}),
        glance("PUT", "images/{i}/tags/t", 204),
        glance("GET", "images/{i}", 200, see={"tags": ["t"]}),
        glance("DELETE", "images/{i}/tags/t", 204),
        glance("DELETE", "images/{i}/tags/t", 404),
        glance("POST", "images/{i}/members", 403, {"member": "{stranger_project}"}),
        patch(200, "replace", "/visibility", "shared"),
        glance(
            "POST",
            "images/{i}/members",
            200,
            {"member": "{stranger_project}"},
            see={"status": "pending", "member_id": "{stranger_project}"},
        ),
        glance("POST", "images/{i}/members", 409, {"member": "{stranger_project}"}),
        glance("GET", "images/{i}", 200, who="stranger", see={"status": "active"}),
        glance("GET", "images?owner={project}", 200, who="stranger", see={"images.#": 0}),
        glance(
            "GET",
            "images?owner={project}&member_status=pending&visibility=shared",
            200,
            who="stranger",
            see={"images.#": 1},
        ),
        glance("PUT", "images/{i}/members/{stranger_project}", 403, {"status": "accepted"}),
        glance("GET", "images/{i}/members", 200, who="stranger", see={"members.#": 1}),
        glance(
            "PUT", "images/{i}/members/{stranger_project}", 400, {"status": "x"}, who="stranger"
        ),
        glance("DELETE", "images/{i}", 403, who="stranger"),
        glance(
            "PUT",
            "images/{i}/members/{stranger_project}",
            200,
            {"status": "accepted"},
            who="stranger",
            see={"status": "accepted"},
        ),
        glance("GET", "images?owner={project}", 200, who="stranger", see={"images.#": 1}),
        glance("DELETE", "images/{i}/members/{stranger_project}", 204),
        glance("DELETE", "images/{i}/members/{stranger_project}", 404),
        glance("GET", "images/{i}", 404, who="stranger"),
        patch(200, "replace", "/protected", YES),
        glance("DELETE", "images/{i}", 403),
        patch(200, "replace", "/protected", NO),
        glance("POST", "images/{i}/actions/deactivate", 204),
        glance("GET", "images/{i}/file", 403),
        glance("POST", "images/{i}/actions/reactivate", 204),
        glance("GET", "images/{i}/file", 200, see={"@Content-Length": "10"}),
        glance("GET", "images?limit=x", 400),
        glance("GET", f"images?marker={NOBODYS}", 400),
        glance("GET", "images?sort_key=colour", 400),
        glance("DELETE", "images/{i}", 204),
        glance("DELETE", "images/{i}", 404),
        glance("PATCH", "images/{i}", 404, [], headers=PATCH),
        glance("POST", "images", 409, {"id": "{i}", "name": "again"}),
    ),
)
