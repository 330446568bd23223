"""What botocore signs, and what Keystone's own library makes of what it is asked."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlencode, urlsplit

import pytest
from botocore.auth import SigV2Auth, SigV4Auth, SigV4QueryAuth  # type: ignore[import-untyped]  # it has no types
from botocore.awsrequest import AWSRequest  # type: ignore[import-untyped]  # it has no types
from botocore.credentials import Credentials  # type: ignore[import-untyped]  # it has no types
from keystoneclient.contrib.ec2.utils import Ec2Signer  # type: ignore[import-untyped]  # it has no types

from stoker.api.cfn.params import read
from stoker.api.cfn.signature import question, signature_of

if TYPE_CHECKING:
    from wsgiref.types import WSGIEnvironment

SECRET = "0123456789abcdef"
KEYS = Credentials("key", SECRET)
ASKED = {
    "Action": "CreateStack",
    "StackName": "w b",
    "TemplateBody": "a: é\n+&=%/~*'",
    "Version": "1",
}
URLS = ("http://cfn.example:8000/v1", "http://cfn.example:8000/v1/", "https://cfn.example/v1")
SCOPE = ("cloudformation", "RegionOne")


def signed(auth: Any, verb: str, url: str) -> WSGIEnvironment:
    """Return a request that botocore has signed, as a server hands it to us."""
    if verb == "GET":
        request = AWSRequest(verb, f"{url}?{urlencode(ASKED, quote_via=quote)}")
    else:
        headers = {"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"}
        request = AWSRequest(verb, url, headers=headers, data=dict(ASKED))
    if isinstance(auth, SigV2Auth) and verb == "GET":
        request = AWSRequest(verb, url, params=dict(ASKED))
    request.context["timestamp"] = "20261130T000000Z"
    auth.add_auth(request)
    ready = request.prepare()
    split, body = urlsplit(ready.url), ready.body or b""
    raw = body if isinstance(body, bytes) else body.encode()
    headers = {name.upper().replace("-", "_"): text(each) for name, each in ready.headers.items()}
    return {
        "REQUEST_METHOD": verb,
        "PATH_INFO": unquote(split.path, "latin-1"),
        "QUERY_STRING": split.query,
        "HTTP_HOST": split.netloc,
        "CONTENT_LENGTH": str(len(raw)),
        "CONTENT_TYPE": headers.pop("CONTENT_TYPE", ""),
        "wsgi.input": io.BytesIO(raw),
        **{f"HTTP_{name}": each for name, each in headers.items() if name != "CONTENT_LENGTH"},
    }


def text(header: str | bytes) -> str:
    return header if isinstance(header, str) else header.decode()


@pytest.mark.parametrize("url", URLS)
@pytest.mark.parametrize(
    ("auth", "verb"),
    [
        (SigV2Auth(KEYS), "POST"),
        (SigV4Auth(KEYS, *SCOPE), "POST"),
        (SigV4Auth(KEYS, *SCOPE), "GET"),
        (SigV4QueryAuth(KEYS, *SCOPE), "GET"),
    ],
    ids=("2 POST", "4 POST", "4 GET", "4 query GET"),
)
def test_keystone_comes_to_the_signature_that_botocore_has_made(
    auth: Any, verb: str, url: str
) -> None:
    environ = signed(auth, verb, url)
    params = read(environ, 10_000)
    assert params.values.items() >= ASKED.items()
    signature = signature_of(environ, params)
    assert signature is not None
    assert signature.access == "key"
    asked = question(environ, params, signature)
    assert Ec2Signer(SECRET).generate(asked) == signature.text
    for part in ("TemplateBody", "Action"):
        changed = {**asked, "params": {**asked["params"], part: "other"}, "body_hash": "0" * 64}
        assert Ec2Signer(SECRET).generate(changed) != signature.text
