"""The door: signatures are read and handed on, claims are not believed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest

from stoker.api.cfn.door import Signer, signed
from stoker.api.settings import Settings
from stoker.errors import CloudError, Forbidden
from stoker.usecases.caller import Caller as User
from tests.api.cfn.conftest import Caller, Said
from tests.api.fake import ID, PROJECT, Client, FakeStacks

if TYPE_CHECKING:
    from collections.abc import Iterable

ANN = User("u7", "ann", PROJECT, "demo", frozenset({"member", "reader"}), "ann-token")
V2 = {"AWSAccessKeyId": "key", "SignatureVersion": "2", "Signature": "s2="}
V4 = (
    "AWS4-HMAC-SHA256 Credential=key/20261130/RegionOne/cloudformation/aws4_request,"
    " SignedHeaders=host;x-amz-date, Signature=0123abcd"
)
LIST = {"Action": "ListStacks"}


@dataclass
class Keystone:
    """Says that everything was signed by Ann, or raises."""

    asked: list[Mapping[str, Any]] = field(default_factory=list)
    error: BaseException | None = None
    signer: Signer = field(default_factory=lambda: Signer(ANN))

    def __call__(self, question: Mapping[str, Any]) -> Signer:
        self.asked.append(question)
        if self.error is not None:
            raise self.error
        return self.signer


@dataclass
class Tokens:
    """The door for tokens, which lets nobody in, and remembers the path."""

    paths: list[str] = field(default_factory=list)

    def __call__(self, environ: Any, start: Any) -> Iterable[bytes]:
        self.paths.append(environ["PATH_INFO"])
        start("401 Unauthorized", [])
        return [b"<no/>"]


@pytest.fixture
def keystone() -> Keystone:
    return Keystone()


@pytest.fixture
def tokens() -> Tokens:
    return Tokens()


@pytest.fixture
def call(client: Client, keystone: Keystone, tokens: Tokens) -> Caller:
    """Return a caller at the door, who claims to be somebody else; without a token."""
    outside = replace(client, app=signed(client.app, tokens, keystone))
    return Caller(outside)


def sent(call: Caller, params: Mapping[str, str], url: str = "/v1", **environ: Any) -> Said:
    """Send without a token of its own, but with claims."""
    client = call.client

    def app(full: Any, start: Any) -> Iterable[bytes]:
        if "token" not in environ:
            full.pop("HTTP_X_AUTH_TOKEN")
        return client.app(full, start)

    more = {name: value for name, value in environ.items() if name != "token"}
    return Caller(replace(client, app=app)).send(dict(params), url, **more)


def test_who_has_signed_is_who_asks_whatever_he_claims(
    call: Caller, keystone: Keystone, stacks: FakeStacks
) -> None:
    claims = {"HTTP_X_ROLES": "admin", "HTTP_X_PROJECT_ID": "other", "HTTP_X_IS_ADMIN": "True"}
    assert sent(call, {**LIST, **V2}, **claims).status == 200
    who = stacks.asked[-1][1]
    assert (who.user_id, who.project_id, who.token, who.is_admin) == (
        "u7", PROJECT, "ann-token", False,
    )  # fmt: skip
    assert keystone.asked[0]["access"] == "key"


def test_an_admin_of_another_project_than_the_admin_project_is_none(
    call: Caller, keystone: Keystone, stacks: FakeStacks
) -> None:
    boss = replace(ANN, roles=frozenset({"admin", "reader"}))
    for in_admin_project in (True, False):
        keystone.signer = Signer(boss, in_admin_project=in_admin_project)
        assert sent(call, {**LIST, **V2}).status == 200
        assert stacks.asked[-1][1].is_admin is in_admin_project


def test_keystone_hears_all_that_was_signed_and_no_secrets(
    call: Caller, keystone: Keystone
) -> None:
    said = sent(
        call, LIST, HTTP_AUTHORIZATION=V4, HTTP_X_AMZ_DATE="20261130T000000Z", HTTP_COOKIE="c"
    )
    assert said.status == 200
    question = dict(keystone.asked[0])
    headers = question.pop("headers")
    assert question == {
        "access": "key",
        "signature": "0123abcd",
        "host": "127.0.0.1:8004",
        "verb": "POST",
        "path": "/v1",
        "params": LIST,
        "body_hash": hashlib.sha256(b"Action=ListStacks").hexdigest(),
    }
    assert headers["X-Amz-Date"] == "20261130T000000Z"
    assert headers["Authorization"] == V4
    assert not {"Cookie", "X-Auth-Token"} & headers.keys()


def test_what_is_signed_for_is_the_proxy_s_address_where_one_stands_in_front(
    client: Client, keystone: Keystone, tokens: Tokens
) -> None:
    settings = Settings(enable_proxy_headers_parsing=True)
    outside = replace(client, app=signed(client.app, tokens, keystone, settings))
    proxy = {"HTTP_X_FORWARDED_HOST": "cfn.example", "HTTP_X_FORWARDED_PREFIX": "/cfn"}
    assert sent(Caller(outside), {**LIST, **V2}, **proxy).status == 200
    question = keystone.asked[0]
    assert (question["host"], question["path"]) == ("cfn.example", "/cfn/v1")


def test_an_address_with_an_arn_is_signed_as_it_stands_once_unquoted(
    call: Caller, keystone: Keystone
) -> None:
    query = "AWSAccessKeyId=key&SignatureVersion=2&Signature=s"
    arn = f"arn%3Aopenstack%3Aheat%3A%3A{PROJECT}%3Astacks/cap/{ID}/resources/w%2520h"
    assert call.client("PUT", f"/v1/waitcondition/{arn}?{query}", {}).status == 200
    assert keystone.asked[0]["path"].endswith("/resources/w%20h")


def test_a_query_that_the_signature_of_a_form_does_not_cover_is_not_read(
    call: Caller, keystone: Keystone, stacks: FakeStacks
) -> None:
    url = "/v1?Action=DeleteStack&StackName=cap"
    assert sent(call, LIST, url, HTTP_AUTHORIZATION=V4).root.tag == "ListStacksResponse"
    assert sent(call, {}, url, HTTP_AUTHORIZATION=V4).error[1] == "MissingAction"
    by_query = f"{url}&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=key/a&X-Amz-Signature=ab"
    assert sent(call, LIST, by_query).error[1] == "IncompleteSignature"
    assert not [each for each in stacks.asked if each[0] == "delete"]
    assert all("StackName" not in each["params"] for each in keystone.asked)


def test_a_query_that_version_2_covers_is_read(call: Caller, keystone: Keystone) -> None:
    assert sent(call, V2, "/v1?Action=ListStacks").status == 200
    assert keystone.asked[0]["params"] == {
        "Action": "ListStacks", "AWSAccessKeyId": "key", "SignatureVersion": "2",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("params", "code"),
    [
        (LIST, "IncompleteSignature"),
        ({**LIST, **V2, "SignatureVersion": "0"}, "IncompleteSignature"),
        ({**LIST, **V2, "SignatureVersion": "1"}, "IncompleteSignature"),
        ({**LIST, **V2, "AWSAccessKeyId": ""}, "MissingAuthenticationToken"),
    ],
)
def test_half_a_signature_is_refused_and_keystone_not_asked(
    call: Caller, keystone: Keystone, params: Mapping[str, str], code: str
) -> None:
    assert sent(call, params).error[1] == code
    assert keystone.asked == []


@pytest.mark.parametrize(
    ("status", "text", "code", "http"),
    [
        (401, "EC2 access key not found.", "InvalidClientTokenId", 403),
        (401, "EC2 signature not supplied.", "SignatureDoesNotMatch", 403),
        (401, "Invalid EC2 signature.", "SignatureDoesNotMatch", 403),
        (401, "The signature is too old.", "RequestExpired", 400),
        (401, "The request you have made requires authentication.", "AccessDenied", 403),
        (403, "You are not authorized.", "AccessDenied", 403),
        (503, "down", "ServiceUnavailable", 503),
        (None, "no answer", "ServiceUnavailable", 503),
    ],
)
def test_what_keystone_says_of_a_signature_has_a_code(
    call: Caller, keystone: Keystone, status: int | None, text: str, code: str, http: int
) -> None:
    keystone.error = CloudError(text, service="identity", status=status)
    assert sent(call, {**LIST, **V2}).error == (http, code, text)


def test_a_signer_who_is_not_let_in_is_told_why(call: Caller, keystone: Keystone) -> None:
    keystone.error = Forbidden("log in as ann")
    assert sent(call, {**LIST, **V2}).error == (403, "AccessDenied", "log in as ann")


def test_who_has_a_token_goes_by_the_door_for_tokens(call: Caller, tokens: Tokens) -> None:
    assert sent(call, LIST, token=True).status == 401
    assert sent(call, LIST, "/", token=True).status == 401  # a path that needs none by itself
    assert tokens.paths == ["/v1", "/v1"]


def test_an_address_without_version_will_do_and_is_signed_as_it_is(
    call: Caller, keystone: Keystone
) -> None:
    assert sent(call, {**LIST, **V2}, "/").status == 200
    assert keystone.asked[0]["path"] == "/"


def test_a_program_that_fails_tells_nothing(call: Caller, keystone: Keystone) -> None:
    keystone.error = KeyError("a secret")
    assert sent(call, {**LIST, **V2}).error == (
        500, "InternalFailure", "The service has failed.",
    )  # fmt: skip


def test_health_needs_no_signature(call: Caller) -> None:
    assert call.client("GET", "/healthcheck").status == 200
