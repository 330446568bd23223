"""Volumes on servers: Nova is asked, and Cinder says when it is done.

Rule: each function looks before it calls, so that a call without an answer can be followed
by the same question.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from stoker.errors import CloudNotFound
from stoker.resources.cinder.volume_state import MOVING
from stoker.resources.polling import poll
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import Wait

GONE: Final = "gone"


def attachment(server_id: str, volume_id: str, cloud: Cloud) -> Mapping[str, Any] | None:
    """Return what Nova tells of a volume on a server; None where it is not on it."""
    try:
        shown: Mapping[str, Any] = cloud.compute.get(_path(server_id, volume_id))
    except CloudNotFound:
        return None
    found: Mapping[str, Any] = shown["volumeAttachment"]
    return found


def status(volume_id: str, cloud: Cloud) -> str:
    """Return the volume's status, or GONE."""
    try:
        return str(cloud.volume.get(f"/volumes/{volume_id}")["volume"]["status"])
    except CloudNotFound:
        return GONE


def attach(server_id: str, volume_id: str, device: str | None, cloud: Cloud) -> None:
    """Ask Nova to put a volume on a server."""
    body = {"volumeId": volume_id} | ({"device": device} if device is not None else {})
    cloud.compute.post(f"/servers/{server_id}/os-volume_attachments", {"volumeAttachment": body})


def take_off(server_id: str, volume_id: str, data: Mapping[str, Any], cloud: Cloud) -> Wait | None:
    """Bring a volume off a server by one call, or wait; None where it is off."""
    if status(volume_id, cloud) in MOVING:
        return poll(data)
    if attachment(server_id, volume_id, cloud) is None:
        return None
    with suppress(CloudNotFound):
        cloud.compute.remove(_path(server_id, volume_id))
    return poll(data)


def _path(server_id: str, volume_id: str) -> str:
    return f"/servers/{server_id}/os-volume_attachments/{volume_id}"
