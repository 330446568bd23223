"""What is sent to a webhook: Heat's event message, signed as Standard Webhooks has it.

Rule: the body and the id of an event are the same however often it is sent.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import TYPE_CHECKING, Any, Final

from stoker.usecases.moment import moment

if TYPE_CHECKING:
    from stoker.store.deliveries import Owed
    from stoker.store.seal import Sealer

VERSION: Final = "0.1"
"""Heat's, of the message and of its payload."""


def message(owed: Owed, sealer: Sealer) -> bytes:
    """Return the body that tells of the event."""
    event = owed.event
    payload: dict[str, Any] = {
        "resource_name": event.resource_name,
        "physical_resource_id": event.physical_id,
        "stack_id": event.stack_id,
        "resource_action": event.action,
        "resource_status": event.status,
        "resource_status_reason": event.reason,
        "resource_type": event.resource_type,
        "resource_properties": {} if event.properties is None else sealer.open(event.properties),
        "version": VERSION,
        "stack_name": owed.stack_name,
        "root_stack_id": owed.root_id,
        "project_id": owed.project_id,
    }
    told = {
        "timestamp": moment(event.created_at),
        "version": VERSION,
        "type": "os.heat.event",
        "id": event.uuid,
        "payload": payload,
    }
    return json.dumps(told).encode()


def headers(id: str, body: bytes, at: float, key: bytes | None) -> dict[str, str]:
    """Return what goes with a body: its id, the time, and the signature under a key."""
    found = {
        "Content-Type": "application/json",
        "User-Agent": "stoker",
        "Webhook-Id": id,
        "Webhook-Timestamp": str(int(at)),
    }
    if key is None:
        return found
    signed = f"{id}.{int(at)}.".encode() + body
    digest = hmac.new(key, signed, hashlib.sha256).digest()
    return {**found, "Webhook-Signature": f"v1,{base64.b64encode(digest).decode()}"}
