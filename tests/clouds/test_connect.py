from __future__ import annotations

from typing import Any

import requests

from stoker.clouds.connect import Clouds
from stoker.clouds.credential import ApplicationCredential, Password, Token, Trust, v3_url
from tests.clouds.wire import ANN, URL, Wire


def clouds() -> tuple[Clouds, Wire]:
    wire = Wire(lambda *_: (200, {"extensions": [{"alias": "qos"}], "ports": []}))
    http = requests.Session()
    http.trust_env = False
    http.mount("http://", wire)
    return Clouds(http=http), wire


def test_a_credential_gets_one_token_for_all_its_steps() -> None:
    many, wire = clouds()
    for _ in range(5):
        many.cloud(ANN).network.list("port")
    assert wire.tokens == 1


def test_a_forgotten_credential_gets_a_new_token() -> None:
    many, wire = clouds()
    many.cloud(ANN).network.list("port")
    many.forget(ANN)
    many.cloud(ANN).network.list("port")
    assert wire.tokens == 2


def test_what_is_so_for_all_users_is_asked_once_a_cloud() -> None:
    many, wire = clouds()
    bob = Password(ANN.auth_url, "bob", "secret", project_name="q", user_domain_id="default")
    assert many.cloud(ANN).network.has_extension("qos")
    assert many.cloud(bob).network.has_extension("qos")
    assert [path for _, path in wire.sent] == ["/networking/v2.0/extensions"]


def test_a_given_token_is_used_as_it_is() -> None:
    many, wire = clouds()
    cloud = many.cloud(Token(f"{URL}/identity", "t0ken"))
    assert cloud.identity.whose().user_name == "ann"
    cloud.network.list("port")
    assert wire.requests[-1].headers["X-Auth-Token"] == "t0ken"


def test_no_secret_shows_in_a_text() -> None:
    secrets: list[Any] = [
        Token(URL, "s3cret"),
        Trust(URL, "trust", "heat", "s3cret"),
        Password(URL, "ann", "s3cret"),
        ApplicationCredential(URL, "id", "s3cret"),
    ]
    assert "s3cret" not in repr(secrets)


def test_an_identity_url_may_or_may_not_name_its_version() -> None:
    assert v3_url("http://x/identity") == "http://x/identity/v3"
    assert v3_url("http://x/identity/v3/") == "http://x/identity/v3"
