"""EC2 credentials, and tokens for what was signed with them."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote, urlencode
from uuid import uuid4

import pytest

from stoker.devcloud.keystone.signature import Signed
from tests.devcloud.client import Answer, Client

EC2TOKENS = "/identity/v3/ec2tokens"


@pytest.fixture
def keys(demo: Client) -> dict[str, Any]:
    """Return a new pair of demo's."""
    me = demo.me()
    place = f"/identity/v3/users/{me['user']['id']}/credentials/OS-EC2"
    answer = demo.call("POST", place, {"tenant_id": me["project"]["id"]})
    assert answer.status == 201, answer.body
    credential: dict[str, Any] = answer.body["credential"]
    return credential


@pytest.fixture
def service(anybody: Client) -> Client:
    """Return the client of a service, as it asks Keystone about signatures."""
    return anybody.user("heat", "service")


def stamp(minutes: float = 0) -> str:
    return (datetime.now(UTC) - timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")


def signed_2(keys: dict[str, Any], timestamp: str, host: str = "example.org") -> dict[str, Any]:
    params = {
        "AWSAccessKeyId": keys["access"],
        "SignatureMethod": "HmacSHA256",
        "SignatureVersion": "2",
        "Timestamp": timestamp,
    }
    query = urlencode(sorted(params.items()), quote_via=quote)
    text = f"PUT\n{host}\n/v1/waitcondition/arn:x\n{query}".encode()
    made = hmac.new(keys["secret"].encode(), text, hashlib.sha256).digest()
    return {
        "access": keys["access"],
        "signature": base64.b64encode(made).decode(),
        "host": host,
        "verb": "PUT",
        "path": "/v1/waitcondition/arn:x",
        "params": params,
        "headers": {},
        "body_hash": "",
    }


def ask(service: Client, given: dict[str, Any]) -> Answer:
    return service.call("POST", EC2TOKENS, {"ec2Credentials": given})


def test_a_version_2_signature_gives_its_users_token(service: Client, keys: dict[str, Any]) -> None:
    answer = ask(service, signed_2(keys, stamp()))
    assert answer.status == 200, answer.body
    token = answer.body["token"]
    assert (token["user"]["name"], token["project"]["name"]) == ("demo", "demo")
    bearer = service.with_token(answer.headers["X-Subject-Token"])
    assert bearer.get("/image/v2/images").status == 200


def test_a_port_in_the_host_does_not_count(service: Client, keys: dict[str, Any]) -> None:
    given = signed_2(keys, stamp())
    assert ask(service, {**given, "host": "example.org:8000"}).status == 200


def test_the_version_4_signature_is_amazons() -> None:
    """The example of "get-vanilla-query-order-key-case" in Amazon's own test suite."""
    credential = "AKIDEXAMPLE/20150830/us-east-1/service/aws4_request"
    signed = Signed.read(
        {
            "verb": "GET",
            "host": "example.amazonaws.com",
            "path": "/",
            "params": {"Param2": "value2", "Param1": "value1"},
            "headers": {
                "Host": "example.amazonaws.com",
                "X-Amz-Date": "20150830T123600Z",
                "Authorization": f"AWS4-HMAC-SHA256 Credential={credential}, "
                "SignedHeaders=host;x-amz-date, Signature=x",
            },
            "body_hash": hashlib.sha256(b"").hexdigest(),
        }
    )
    expected = "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"
    assert signed.expected("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY") == expected


def test_a_version_4_signature_gives_a_token(service: Client, keys: dict[str, Any]) -> None:
    moment = datetime.now(UTC)
    scope = f"{moment:%Y%m%d}/RegionOne/cloudformation/aws4_request"
    headers = {
        "Host": "example.org",
        "X-Amz-Date": f"{moment:%Y%m%dT%H%M%SZ}",
        "Authorization": f"AWS4-HMAC-SHA256 Credential={keys['access']}/{scope}, "
        "SignedHeaders=host;x-amz-date, Signature=x",
    }
    given: dict[str, Any] = {
        "access": keys["access"],
        "host": "example.org",
        "verb": "POST",
        "path": "/v1/",
        "params": {"Action": "ListStacks"},
        "headers": headers,
        "body_hash": hashlib.sha256(b"Action=ListStacks").hexdigest(),
    }
    given["signature"] = Signed.read(given).expected(keys["secret"])
    assert ask(service, given).status == 200
    assert ask(service, {**given, "body_hash": "0" * 64}).status == 401


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"signature": "bm90IGl0"}, "Invalid EC2 signature."),
        ({"verb": "GET"}, "Invalid EC2 signature."),
        ({"path": "/else"}, "Invalid EC2 signature."),
        ({"access": "none"}, "EC2 access key not found."),
        ({"signature": ""}, "EC2 signature not supplied."),
    ],
)
def test_a_signature_that_is_wrong_is_a_401(
    service: Client, keys: dict[str, Any], change: dict[str, str], message: str
) -> None:
    answer = ask(service, {**signed_2(keys, stamp()), **change})
    assert (answer.status, answer.body["error"]["message"]) == (401, message)


def test_an_old_signature_is_refused(service: Client, keys: dict[str, Any]) -> None:
    assert ask(service, signed_2(keys, stamp(minutes=14))).status == 200
    assert ask(service, signed_2(keys, stamp(minutes=16))).status == 401


def test_only_services_may_ask(anybody: Client, demo: Client, keys: dict[str, Any]) -> None:
    given = signed_2(keys, stamp())
    assert ask(demo, given).status == 403
    assert ask(anybody, given).status == 401


def test_keys_are_shown_under_both_addresses_and_deleted_once(
    demo: Client, service: Client, keys: dict[str, Any]
) -> None:
    place = f"/identity/v3/users/{keys['user_id']}/credentials/OS-EC2"
    assert demo.get(f"{place}/{keys['access']}").body["credential"] == keys
    assert keys in demo.get(place).body["credentials"]
    id = hashlib.sha256(keys["access"].encode()).hexdigest()
    shown = demo.get(f"/identity/v3/credentials/{id}").body["credential"]
    assert json.loads(shown["blob"])["secret"] == keys["secret"]
    assert demo.call("DELETE", f"{place}/{keys['access']}").status == 204
    assert demo.call("DELETE", f"{place}/{keys['access']}").status == 404
    assert ask(service, signed_2(keys, stamp())).status == 401


def test_a_credential_can_be_brought_along(demo: Client, service: Client) -> None:
    pair = {"access": uuid4().hex, "secret": uuid4().hex}
    project = demo.me()["project"]["id"]
    wanted = {"type": "ec2", "blob": json.dumps(pair), "project_id": project}
    made = demo.call("POST", "/identity/v3/credentials", {"credential": wanted})
    assert made.status == 201
    assert demo.call("POST", "/identity/v3/credentials", {"credential": wanted}).status == 409
    listed = demo.get("/identity/v3/credentials?type=ec2").body["credentials"]
    assert made.body["credential"]["id"] in {each["id"] for each in listed}
    assert ask(service, signed_2(pair, stamp())).status == 200
    bad = {"credential": {**wanted, "blob": "no JSON"}}
    assert demo.call("POST", "/identity/v3/credentials", bad).status == 400
