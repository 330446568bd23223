"""Tokens for EC2 signatures: a service hands over a signed request, Keystone gives a token.

Rule: only a service or an admin may ask; what was signed too long ago is refused, so that an old
request cannot be replayed.
"""

from __future__ import annotations

import hmac
from dataclasses import replace
from typing import Any

from stoker.devcloud import clock
from stoker.devcloud.exchange import Reply, Request
from stoker.devcloud.keystone import directory, policy, tokens
from stoker.devcloud.keystone.credentials import pair_of
from stoker.devcloud.keystone.entity import V3
from stoker.devcloud.keystone.signature import Signed, Unsigned
from stoker.devcloud.refusal import Refusal
from stoker.devcloud.router import route
from stoker.devcloud.state import Doc


@route("POST", f"{V3}/ec2tokens")
def check_ec2_signature(request: Request) -> Reply:
    """Give a token of the user whose keys signed a request, in the keys' project."""
    policy.require(request, "service" in request.caller.roles)
    given = _given(request)
    found = pair_of(request.state, str(given.get("access", "")))
    if found is None:
        raise Refusal(401, "EC2 access key not found.")
    credential, blob = found
    signed = Signed.read(given)
    if not _agrees(signed, str(blob["secret"]), str(given["signature"])):
        raise Refusal(401, "Invalid EC2 signature.")
    _refuse_old(request, signed)
    ticket = _ticket(request, credential, blob)
    try:
        held = tokens.standing(request.state, ticket, request.cloud.now())
    except tokens.Void as void:
        raise policy.unauthorized() from void
    body = {"token": tokens.shown(request.cloud, held)}
    return Reply(body, headers={"X-Subject-Token": tokens.issue(request.cloud, ticket)})


def _given(request: Request) -> dict[str, Any]:
    body = request.object()
    given = body.get("ec2Credentials") or body.get("credentials")
    if not isinstance(given, dict) or not given.get("signature"):
        raise Refusal(401, "EC2 signature not supplied.")
    return given


def _agrees(signed: Signed, secret: str, signature: str) -> bool:
    bare = replace(signed, host=signed.host.partition(":")[0])
    try:
        expected = [each.expected(secret) for each in (signed, bare)]
    except Unsigned as unsigned:
        raise Refusal(401, f"Invalid EC2 signature: {unsigned}.") from unsigned
    return any(hmac.compare_digest(each.encode(), signature.encode()) for each in expected)


def _refuse_old(request: Request, signed: Signed) -> None:
    if not signed.timestamp:
        return
    try:
        moment = clock.parsed(signed.timestamp)
    except ValueError as error:
        raise Refusal(401, "Invalid timestamp format.") from error
    if moment + request.cloud.options.signature_seconds < request.cloud.now():
        raise Refusal(401, "The signature is too old.")


def _ticket(request: Request, credential: Doc, blob: dict[str, Any]) -> tokens.Ticket:
    now = request.cloud.now()
    ticket = tokens.Ticket(
        user_id=credential["user_id"],
        methods=("ec2credential",),
        issued_at=now,
        expires_at=now + request.cloud.options.token_seconds,
        audit_ids=(tokens.audit_id(),),
        project_id=credential["project_id"],
    )
    trust_id = blob.get("trust_id")
    if not trust_id:
        return ticket
    trust = request.state.get(tokens.TRUST, trust_id)
    if trust is None or request.state.get(directory.USER, trust["trustor_user_id"]) is None:
        raise policy.unauthorized()
    acting = trust["trustor_user_id"] if trust["impersonation"] else trust["trustee_user_id"]
    return replace(ticket, user_id=acting, trust_id=trust_id)
