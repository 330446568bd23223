"""What the embedded cloud holds, to tell what a stack has made there and that nothing is left.

Rule: only an embedded cloud tells that; nobody needs a token for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.cli.endpoint import exchange

if TYPE_CHECKING:
    from stoker.cli.account import Account

Objects = set[tuple[str, str]]
"""Kind and id of each."""


def objects(who: Account) -> Objects:
    """Return all that the cloud holds, whosoever it is."""
    answer, _ = exchange("GET", f"{_origin(who)}/devcloud/objects", None, {}, "devcloud")
    return {(each["kind"], each["id"]) for each in answer["objects"]}


def objects_before(who: Account) -> Objects:
    """Return what there is before any stack; a project's default group comes with its first use."""
    token = exchange("POST", f"{who.auth_url}/auth/tokens", who.login(), {}, "identity")[1]
    headers = {"X-Auth-Token": token["X-Subject-Token"]}
    groups = f"{_origin(who)}/networking/v2.0/security-groups"
    exchange("GET", groups, None, headers, "network")
    return objects(who)


def _origin(who: Account) -> str:
    return who.auth_url.partition("/identity")[0]
