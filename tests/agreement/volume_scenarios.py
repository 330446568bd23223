"""What Cinder answers: volumes, snapshots, types.

Rule: see :mod:`tests.agreement.step`.
"""

from __future__ import annotations

from typing import Any

from tests.agreement.network_scenarios import NOBODYS
from tests.agreement.step import SOME, Json, Scenario, Step

BAD, MISSING, FORBIDDEN = "badRequest", "itemNotFound", "forbidden"
_PROJECTS = {"member": "project", "admin": "admin_project", "stranger": "stranger_project"}
"""Whose path it is, by who asks."""


def cinder(method: str, path: str, status: int, body: Json = None, **more: Any) -> Step:
    """Return a step on the volume service; a word as ``see`` is the fault's name."""
    if isinstance(more.get("see"), str):
        more["see"] = {f"{more['see']}.code": status}
    project = _PROJECTS[more.get("who", "member")]
    return Step("volumev3", method, f"/v3/{{{project}}}/{path}", status, body, **more)


def volume(status: int, keep: str = "", see: Any = None, **fields: Json) -> Step:
    """Return the creation of a volume, kept by its id as ``keep``."""
    more: dict[str, Any] = {"see": see} if see else {}
    kept = {"keep": {keep: "volume.id"}} if keep else {}
    return cinder("POST", "volumes", status, {"volume": fields}, **more, **kept)


def action(status: int, body: Json, see: Any = None, at: str = "v", **more: Any) -> Step:
    """Return an action on a volume."""
    more |= {"see": see} if see else {}
    return cinder("POST", f"volumes/{{{at}}}/action", status, body, **more)


def becomes(status: str, at: str = "v", **see: object) -> Step:
    """Return a look at a volume until it has a status."""
    wanted = {"volume.status": status, **{f"volume.{key}": value for key, value in see.items()}}
    return cinder("GET", f"volumes/{{{at}}}", 200, see=wanted, patient=True)


def gone(at: str = "v") -> Step:
    """Return a look at a volume until it is gone."""
    return cinder("GET", f"volumes/{{{at}}}", 404, see=MISSING, patient=True)


VOLUMES = Scenario(
    "volumes and their states",
    (
        volume(
            202,
            "v",
            size=1,
            name="v",
            metadata={"a": "1"},
            see={
                "volume.status": "creating",
                "volume.size": 1,
                "volume.bootable": "false",
                "volume.encrypted": False,
                "volume.volume_type": "fake",
                "volume.attachments": [],
                "volume.snapshot_id": None,
                "volume.source_volid": None,
                "volume.metadata": {"a": "1"},
                "volume.multiattach": False,
                "volume.description": None,
            },
        ),
        becomes("available"),
        volume(400, size=0, see=BAD),
        volume(400, size="big", see=BAD),
        volume(400, name="x", see=BAD),
        volume(404, size=1, volume_type="no such type", see=MISSING),
        volume(404, size=1, snapshot_id=NOBODYS, see=MISSING),
        volume(404, size=1, source_volid=NOBODYS, see=MISSING),
        volume(400, size=1, imageRef=NOBODYS, see=BAD),
        volume(400, size=1, availability_zone="no such zone", see=BAD),
        volume(400, size=1, colour="red", see=BAD),
        cinder("GET", f"volumes/{NOBODYS}", 404, see=MISSING),
        cinder("GET", "volumes/{v}", 404, who="stranger"),
        Step(
            "volumev3",
            "GET",
            "/v3/{project}/volumes/{v}",
            400,
            who="stranger",
            see={"badRequest.code": 400},
        ),
        cinder("PUT", "volumes/{v}", 200, {"volume": {"name": "w"}}, see={"volume.name": "w"}),
        cinder("PUT", "volumes/{v}", 400, {"volume": {}}, see=BAD),
        cinder("PUT", "volumes/{v}", 400, {"volume": {"colour": "red"}}, see=BAD),
        cinder(
            "POST",
            "volumes/{v}/metadata",
            200,
            {"metadata": {"b": "2"}},
            see={"metadata": {"a": "1", "b": "2"}},
        ),
        cinder(
            "PUT",
            "volumes/{v}/metadata",
            200,
            {"metadata": {"c": "3"}},
            see={"metadata": {"c": "3"}},
        ),
        cinder("DELETE", "volumes/{v}/metadata/c", 200),
        cinder("DELETE", "volumes/{v}/metadata/c", 404, see=MISSING),
        action(400, {"os-extend": {"new_size": 1}}, BAD),
        action(400, {"os-extend": {"new_size": 0}}, BAD),
        action(202, {"os-extend": {"new_size": 3}}),
        becomes("available", size=3),
        action(200, {"os-set_bootable": {"bootable": True}}),
        becomes("available", bootable="true"),
        action(202, {"os-update_readonly_flag": {"readonly": True}}),
        action(403, {"os-reset_status": {"status": "error"}}, FORBIDDEN),
        action(403, {"os-force_delete": {}}, FORBIDDEN),
        action(400, {"os-dance": {}}, BAD),
        action(404, {"os-retype": {"new_type": "no such type"}}, MISSING),
        action(202, {"os-reserve": {}}),
        becomes("attaching"),
        action(400, {"os-reserve": {}}, BAD),
        cinder("DELETE", "volumes/{v}", 400, see=BAD),
        action(202, {"os-unreserve": {}}),
        becomes("available"),
        volume(
            202, "copy", source_volid="{v}", see={"volume.source_volid": "{v}", "volume.size": 3}
        ),
        becomes("available", at="copy", size=3),
        volume(400, source_volid="{v}", size=1, see=BAD),
        volume(202, "booting", imageRef="{image}", size=1),
        becomes("available", at="booting", bootable="true", volume_image_metadata=SOME),
        cinder("DELETE", "volumes/{v}", 202),
        gone(),
        cinder("DELETE", "volumes/{v}", 404, see=MISSING),
        action(404, {"os-extend": {"new_size": 9}}, MISSING),
    ),
)

SNAPSHOTS = Scenario(
    "snapshots of volumes",
    (
        volume(202, "v", size=2),
        becomes("available"),
        cinder("POST", "snapshots", 404, {"snapshot": {"volume_id": NOBODYS}}, see=MISSING),
        cinder("POST", "snapshots", 400, {"snapshot": {"name": "x"}}, see=BAD),
        cinder(
            "POST", "snapshots", 400, {"snapshot": {"volume_id": "{v}", "colour": "red"}}, see=BAD
        ),
        cinder(
            "POST",
            "snapshots",
            202,
            {"snapshot": {"volume_id": "{v}", "name": "s"}},
            keep={"s": "snapshot.id"},
            see={"snapshot.status": "creating", "snapshot.volume_id": "{v}", "snapshot.size": 2},
        ),
        cinder("GET", "snapshots/{s}", 200, see={"snapshot.status": "available"}, patient=True),
        cinder("GET", "snapshots/{s}", 404, who="stranger"),
        cinder("DELETE", "volumes/{v}", 400, see=BAD),
        volume(400, snapshot_id="{s}", size=1, see=BAD),
        volume(202, "w", snapshot_id="{s}", see={"volume.size": 2, "volume.snapshot_id": "{s}"}),
        becomes("available", at="w"),
        action(202, {"revert": {"snapshot_id": "{s}"}}),
        becomes("available"),
        cinder("DELETE", "snapshots/{s}", 202),
        cinder("GET", "snapshots/{s}", 404, patient=True, see=MISSING),
        cinder("DELETE", "snapshots/{s}", 404, see=MISSING),
        becomes("available", at="w", snapshot_id=SOME),
        cinder("DELETE", "volumes/{v}", 202),
        gone(),
    ),
)

TYPES = Scenario(
    "volume types for a member and an administrator",
    (
        cinder("POST", "types", 403, {"volume_type": {"name": "t"}}, see=FORBIDDEN),
        cinder(
            "POST",
            "types",
            200,
            {"volume_type": {"name": "{unique}"}},
            keep={"t": "volume_type.id"},
            who="admin",
            see={"volume_type.is_public": True, "volume_type.extra_specs": {}},
        ),
        cinder(
            "POST",
            "types",
            409,
            {"volume_type": {"name": "{unique}"}},
            who="admin",
            see={"conflictingRequest.code": 409},
        ),
        cinder("GET", "types/{t}", 200, see={"volume_type.name": "{unique}"}),
        cinder("DELETE", "types/{t}", 403, see=FORBIDDEN),
        cinder("GET", f"types/{NOBODYS}", 404, see=MISSING),
        cinder("GET", "types/default", 200, see={"volume_type.name": "fake"}),
        cinder("GET", "os-services", 403, see=FORBIDDEN),
        volume(202, "v", size=1),
        becomes("available"),
        action(202, {"os-retype": {"new_type": "{unique}", "migration_policy": "never"}}),
        becomes("available", volume_type="{unique}"),
        cinder(
            "DELETE",
            "types/{t}",
            400,
            who="admin",
            see={"badRequest.code": 400},
        ),
        cinder("DELETE", "volumes/{v}", 202),
        gone(),
        cinder("GET", "attachments", 200, see={"attachments": []}),
        cinder("GET", "attachments", 404, headers={"OpenStack-API-Version": "volume 3.0"}),
        cinder("GET", "volumes", 406, headers={"OpenStack-API-Version": "volume 3.999"}),
        cinder("GET", "volumes?limit=-1", 400, see=BAD),
        cinder("GET", "no-such-thing", 404),
    ),
)
