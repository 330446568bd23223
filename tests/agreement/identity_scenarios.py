"""What Keystone answers, and what every service shows to whom has no token.

Rule: see :mod:`tests.agreement.step`.
"""

from __future__ import annotations

from typing import Any

from tests.agreement.network_scenarios import NOBODYS
from tests.agreement.step import GONE, SOME, Json, Scenario, Step

ERROR = "error.code"


def keystone(method: str, path: str, status: int, body: Json = None, **more: Any) -> Step:
    """Return a step on the identity service."""
    return Step("identity", method, f"/v3/{path}", status, body, **more)


def login(status: int, identity: Json, scope: Json = None, **more: Any) -> Step:
    """Return an authentication."""
    auth = {"identity": identity} | ({} if scope is None else {"scope": scope})
    return keystone("POST", "auth/tokens", status, {"auth": auth}, who="nobody", **more)


def password(word: str, user: str = "{user}") -> Json:
    """Return an identity that knows a password."""
    return {"methods": ["password"], "password": {"user": {"id": user, "password": word}}}


def by(token: str, subject: str = "") -> dict[str, str]:
    """Return the headers of a call with a token, and about one."""
    return {"X-Auth-Token": f"{{{token}}}"} | (
        {"X-Subject-Token": f"{{{subject}}}"} if subject else {}
    )


def token(name: str) -> Json:
    """Return an identity that has a token."""
    return {"methods": ["token"], "token": {"id": f"{{{name}}}"}}


PROJECT = {"project": {"id": "{project}"}}

TOKENS = Scenario(
    "tokens",
    (
        login(401, password("wrong"), PROJECT, see={ERROR: 401}),
        login(401, password("{password}", NOBODYS), PROJECT, see={ERROR: 401}),
        login(401, password("{password}"), {"project": {"id": NOBODYS}}, see={ERROR: 401}),
        login(401, password("{password}"), {"project": {"id": "{stranger_project}"}}),
        login(400, {"methods": ["password"]}, see={ERROR: 400}),
        login(401, {"methods": ["magic"], "magic": {}}, see={ERROR: 401}),
        keystone("POST", "auth/tokens", 400, {"auth": {}}, who="nobody", see={ERROR: 400}),
        login(
            201,
            password("{password}"),
            PROJECT,
            keep={"t": "@X-Subject-Token"},
            see={
                "token.methods": ["password"],
                "token.user.id": "{user}",
                "token.project.id": "{project}",
                "token.catalog": SOME,
                "token.expires_at": SOME,
                "token.is_domain": False,
            },
        ),
        login(
            201,
            password("{password}"),
            "unscoped",
            keep={"u": "@X-Subject-Token"},
            see={"token.project": GONE, "token.roles": GONE, "token.catalog": GONE},
        ),
        keystone(
            "GET",
            "auth/tokens",
            200,
            who="nobody",
            headers=by("t", "t"),
            see={"token.user.id": "{user}", "token.project.id": "{project}"},
        ),
        keystone("HEAD", "auth/tokens", 200, who="nobody", headers=by("t", "t")),
        keystone("GET", "auth/tokens", 401, who="nobody", see={ERROR: 401}),
        keystone(
            "GET",
            "auth/tokens",
            404,
            headers={"X-Subject-Token": "no token"},
            who="admin",
            see={ERROR: 404},
        ),
        keystone("GET", "auth/tokens", 403, headers={"X-Subject-Token": "{t}"}, who="stranger"),
        keystone("GET", "auth/tokens", 200, headers={"X-Subject-Token": "{t}"}, who="admin"),
        keystone("GET", "auth/catalog", 200, who="nobody", headers=by("t"), see={"catalog": SOME}),
        keystone("GET", "auth/projects", 200, who="nobody", headers=by("u"), see={"projects.#": 1}),
        login(
            201, token("u"), PROJECT, keep={"again": "@X-Subject-Token"}, see={"token.methods.#": 2}
        ),
        login(401, token("u"), {"project": {"id": "{stranger_project}"}}),
        login(404, {"methods": ["token"], "token": {"id": "no token"}}, PROJECT, see={ERROR: 404}),
        keystone("DELETE", "auth/tokens", 204, who="nobody", headers=by("t", "again")),
        keystone("GET", "auth/projects", 401, who="nobody", headers=by("again"), patient=True),
        keystone("GET", "auth/tokens", 404, who="nobody", headers=by("t", "again")),
        login(404, token("again"), PROJECT),
        keystone("DELETE", "auth/tokens", 404, who="nobody", headers=by("t", "again")),
        keystone("DELETE", "auth/tokens", 204, who="nobody", headers=by("t", "t")),
        keystone("GET", "auth/projects", 401, who="nobody", headers=by("t"), patient=True),
        keystone("GET", "users/{user}", 200, see={"user.id": "{user}", "user.password": GONE}),
        keystone("GET", "users/{stranger_user}", 403),
        keystone("GET", "users", 403, see={ERROR: 403}),
        keystone("GET", "projects", 403),
        keystone("POST", "projects", 403, {"project": {"name": "x", "domain_id": "default"}}),
        keystone("GET", "projects/{project}", 200, see={"project.enabled": True}),
        keystone("GET", "projects/{stranger_project}", 403),
        keystone("GET", f"users/{NOBODYS}", 404, who="admin", see={ERROR: 404}),
        keystone("GET", f"projects/{NOBODYS}", 404, who="admin", see={ERROR: 404}),
        keystone(
            "POST",
            "projects",
            409,
            {"project": {"name": "admin", "domain_id": "default"}},
            who="admin",
            see={ERROR: 409},
        ),
        keystone(
            "POST", "users", 400, {"user": {"domain_id": "default"}}, who="admin", see={ERROR: 400}
        ),
        keystone("GET", "no-such-thing", 404),
    ),
)


def trust(status: int, keep: str = "", see: Any = None, **fields: Json) -> Step:
    """Return the creation of a trust of the member's in the stranger."""
    more: dict[str, Any] = {"see": see} if see else {}
    kept = {"keep": {keep: "trust.id"}} if keep else {}
    wanted = {
        "trustor_user_id": "{user}",
        "trustee_user_id": "{stranger_user}",
        "project_id": "{project}",
        "impersonation": True,
        "roles": [{"name": "member"}],
        **fields,
    }
    return keystone("POST", "OS-TRUST/trusts", status, {"trust": wanted}, **more, **kept)


THROUGH = {"OS-TRUST:trust": {"id": "{tr}"}}
STRANGER = password("{password}", "{stranger_user}")
TRUSTS = Scenario(
    "the life of a trust",
    (
        trust(404, roles=[{"name": "admin"}], see={ERROR: 404}),
        trust(403, roles=[], see={ERROR: 403}),
        trust(404, trustee_user_id=NOBODYS, see={ERROR: 404}),
        trust(403, trustor_user_id="{stranger_user}", trustee_user_id="{user}", see={ERROR: 403}),
        trust(400, impersonation="perhaps", see={ERROR: 400}),
        trust(404, roles=[{"name": "no such role"}], see={ERROR: 404}),
        trust(400, expires_at="2001-01-01T00:00:00.000000Z", see={ERROR: 400}),
        trust(
            201,
            "tr",
            see={
                "trust.impersonation": True,
                "trust.expires_at": None,
                "trust.remaining_uses": None,
                "trust.redelegation_count": 0,
                "trust.deleted_at": None,
            },
        ),
        keystone("GET", "OS-TRUST/trusts/{tr}", 200, see={"trust.trustor_user_id": "{user}"}),
        keystone("GET", "OS-TRUST/trusts/{tr}", 200, who="stranger"),
        keystone("GET", "OS-TRUST/trusts?trustor_user_id={user}", 200, see={"trusts.0.id": "{tr}"}),
        keystone("GET", "OS-TRUST/trusts", 403),
        login(403, password("{password}"), THROUGH, see={ERROR: 403}),
        login(
            201,
            STRANGER,
            THROUGH,
            keep={"t": "@X-Subject-Token"},
            see={
                "token.user.id": "{user}",
                "token.project.id": "{project}",
                "token.OS-TRUST:trust.id": "{tr}",
            },
        ),
        login(403, token("t"), PROJECT, see={ERROR: 403}),
        Step("network", "GET", "/v2.0/networks?limit=1", 200, who="nobody", headers=by("t")),
        keystone(
            "POST",
            "OS-TRUST/trusts",
            403,
            {
                "trust": {
                    "trustor_user_id": "{user}",
                    "trustee_user_id": "{stranger_user}",
                    "project_id": "{project}",
                    "impersonation": True,
                    "roles": [{"name": "member"}],
                }
            },
            who="nobody",
            headers=by("t"),
        ),
        keystone("DELETE", "OS-TRUST/trusts/{tr}", 403, who="stranger"),
        keystone("DELETE", "OS-TRUST/trusts/{tr}", 204),
        keystone("GET", "OS-TRUST/trusts/{tr}", 404, see={ERROR: 404}),
        keystone("DELETE", "OS-TRUST/trusts/{tr}", 404),
        keystone("GET", "auth/tokens", 404, headers={"X-Subject-Token": "{t}"}),
        login(401, STRANGER, THROUGH, see={ERROR: 401}),
    ),
)


def door(service: str, path: str, status: int, **see: object) -> Step:
    """Return a look without a token."""
    return Step(service, "GET", path, status, who="nobody", see=see.get("see", {}))  # type: ignore[arg-type]


DOORS = Scenario(
    "services without a token",
    (
        door("identity", "/", 300, see={"versions.values.0.status": "stable"}),
        door("identity", "/v3", 200, see={"version.status": "stable"}),
        door("identity", "/v3/", 200, see={"version.status": "stable"}),
        door("identity", "/v2.0", 404),
        door("identity", "/v3/nope", 404),
        door("identity", "/v3/users", 401, see={ERROR: 401}),
        door("compute", "/", 200, see={"versions.1.id": "v2.1", "versions.0.id": "v2.0"}),
        door("compute", "/v2.1", 200, see={"version.status": "CURRENT"}),
        door("compute", "/v2.1/", 200, see={"version.min_version": "2.1"}),
        door("compute", "/v2", 200, see={"version.status": "DEPRECATED"}),
        door("compute", "/v2.1/servers", 401, see={ERROR: 401}),
        door("compute", "/nope", 300, see={"choices.#": 2}),
        door("compute", "/nope/x", 300, see={"choices.1.id": "v2.1"}),
        door("compute", "/v2/servers", 401, see={ERROR: 401}),
        door("compute", "/v2.1/nope", 401, see={ERROR: 401}),
        door("network", "/", 200, see={"versions.0.id": "v2.0"}),
        door("network", "/v2.0", 401, see={ERROR: 401}),
        door("network", "/v2.0/", 401, see={ERROR: 401}),
        door("network", "/v2.0/networks", 401, see={ERROR: 401}),
        door("network", "/v2.0/nope", 401),
        door("network", "/v3", 404),
        door("image", "/", 300, see={"versions.0.status": SOME}),
        door("image", "/versions", 200),
        door("image", "/v2", 401),
        door("image", "/v2/", 401),
        door("image", "/v2/images", 401, see={"@Content-Type": "text/html; charset=UTF-8"}),
        door("image", "/v2/schemas/image", 401),
        door("image", "/nope", 300),
        door("image", "/v3", 300),
        door("image", "/v2/nope", 401),
        door("volumev3", "/", 300, see={"versions.0.id": "v3.0"}),
        door("volumev3", "/v3", 401, see={ERROR: 401}),
        door("volumev3", "/v3/", 401, see={ERROR: 401}),
        door("volumev3", "/v3/{project}/volumes", 401, see={ERROR: 401}),
        door("volumev3", "/nope", 404),
        door("volumev3", "/v3/{project}/nope", 401, see={ERROR: 401}),
        Step("network", "GET", "/v2.0", 404),
        Step("network", "GET", "/v2.0/", 200, see={"resources": SOME}),
        Step("network", "GET", "/v2.0/nope", 404),
        Step("network", "PATCH", "/v2.0/networks", 405),
        Step("volumev3", "GET", "/v3", 302),
        Step("image", "GET", "/v2", 302),
        Step("image", "GET", "/v2/", 404),
        Step("compute", "GET", "/v2/servers", 200, see={"servers": []}),
        Step("compute", "GET", "/v2.1/nope", 404),
        Step("volumev3", "GET", "/v3/", 200, see={"versions.0.id": "v3.0"}),
        Step("image", "GET", "/v2/nope", 404),
        Step(
            "compute",
            "GET",
            "/v2.1/servers",
            401,
            who="nobody",
            headers={"X-Auth-Token": "no token"},
        ),
        Step(
            "network",
            "GET",
            "/v2.0/networks",
            401,
            who="nobody",
            headers={"X-Auth-Token": "no token"},
        ),
    ),
)
