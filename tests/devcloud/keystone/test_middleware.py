"""keystonemiddleware's auth_token, unchanged, in front of a service."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable
from typing import Any

import pytest

from stoker.devcloud.server import Server
from tests.devcloud.client import Client

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # webob imports the module cgi
    from keystonemiddleware.auth_token import AuthProtocol  # type: ignore[import-untyped]

SEEN = ("HTTP_X_USER_NAME", "HTTP_X_PROJECT_NAME", "HTTP_X_ROLES", "HTTP_X_IDENTITY_STATUS")


def service(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    start_response("200 OK", [])
    return ["|".join(environ.get(name, "") for name in SEEN).encode()]


@pytest.fixture(scope="module")
def guarded(cloud: Server) -> AuthProtocol:
    """Return a service behind the middleware, which has a user of its own."""
    settings = {
        "auth_type": "password",
        "auth_url": cloud.auth_url,
        "www_authenticate_uri": cloud.auth_url,
        "username": "heat",
        "password": "secret",
        "user_domain_id": "default",
        "project_name": "service",
        "project_domain_id": "default",
        "token_cache_time": "-1",
        "service_token_roles_required": "true",
    }
    return AuthProtocol(service, settings)


def call(guarded: AuthProtocol, token: str) -> tuple[str, str]:
    answers: list[str] = []
    environ = {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": "/",
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "80",
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(),
        "HTTP_X_AUTH_TOKEN": token,
    }
    body = guarded(environ, lambda status, _headers, _error=None: answers.append(status))
    return answers[0], b"".join(body).decode()


def test_a_valid_token_passes_with_its_user_project_and_roles(
    guarded: AuthProtocol, demo: Client
) -> None:
    status, body = call(guarded, demo.token)
    assert status == "200 OK"
    assert body == "demo|demo|heat_stack_owner,member,reader|Confirmed"


def test_a_token_that_is_unknown_or_revoked_does_not_pass(
    guarded: AuthProtocol, demo: Client
) -> None:
    assert call(guarded, "gAAAAAnonsense")[0] == "401 Unauthorized"
    demo.call("DELETE", "/identity/v3/auth/tokens", X_Subject_Token=demo.token)
    assert call(guarded, demo.token)[0] == "401 Unauthorized"
