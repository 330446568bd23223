"""The one place where a service's answer, or the lack of one, becomes an error.

Rule: a 404 is :class:`CloudNotFound` only where the service itself says, in its own words,
that the object is not there; ``sent`` is False only where nothing can have arrived.
"""

from __future__ import annotations

import email.utils
import re
import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

import orjson
import requests
import urllib3.exceptions as transport
from keystoneauth1 import exceptions as keystone

from stoker.errors import CloudError, CloudNotFound
from stoker.sdk.fault import NO_ENDPOINT, OVER_QUOTA, TAKEN

_NOT_FOUND: Final = 404
_CONFLICT: Final = 409
_OVER_LIMIT: Final = 413
_FORBIDDEN: Final = 403
_LONGEST: Final = 1000
_TAGS: Final = re.compile(r"<[^>]+>")
_NO_IMAGE: Final = re.compile(r"\bfind\b|no image found", re.IGNORECASE)
_FINAL: Final = re.compile(r"already exists|duplicate entry|multiple possible", re.IGNORECASE)
_NO_ROUTE: Final = frozenset({"HTTPNotFound", ""})


def refused(service: str, response: requests.Response) -> CloudError:
    """Return the error that an answer of 400 or more means."""
    code, text = _words(response)
    status = response.status_code
    retry_after = _retry_after(response.headers.get("Retry-After"))
    if _is_quota(status, code, text, retry_after):
        code = OVER_QUOTA
    elif status == _CONFLICT and _FINAL.search(text):
        code = TAKEN
    kind = CloudNotFound if status == _NOT_FOUND and _is_own(service, code, text) else CloudError
    return kind(
        f"{text} (HTTP {status} from {service})",
        service=service,
        status=status,
        retry_after=retry_after,
        code=code,
        words=text,
    )


def unanswered(service: str, error: Exception) -> CloudError:
    """Return the error that a failed transport (or a missing endpoint or token) means."""
    if isinstance(error, keystone.EndpointNotFound | keystone.CatalogException):
        return no_endpoint(service)
    if isinstance(error, keystone.HttpError | keystone.AuthorizationFailure):
        return _not_authenticated(error)
    sent = not any(map(_never_arrived, _causes(error)))
    return CloudError(f"{service} did not answer: {error}", service=service, sent=sent)


def hung_up(error: CloudError) -> bool:
    """Return whether the service ended the connection instead of answering. One that was idle it
    may end while a request is on its way, which it then has not seen."""
    return error.sent and any(isinstance(each, ConnectionError) for each in _causes(error))


def no_endpoint(service: str) -> CloudError:
    """Return the error of a service that the catalog does not have."""
    text = f"the cloud's catalog has no endpoint for {service}"
    return CloudError(text, service=service, sent=False, code=NO_ENDPOINT)


def _not_authenticated(error: Exception) -> CloudError:
    status = getattr(error, "http_status", None) or 401
    text = f"the credentials were refused: {error}"
    return CloudError(text, service="identity", status=status, sent=False)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the error, and what is behind it."""
    seen: set[int] = set()
    left: list[Any] = [error]
    while left:
        cause = left.pop()
        if not isinstance(cause, BaseException) or id(cause) in seen:
            continue
        seen.add(id(cause))
        yield cause
        left += [cause.__cause__, cause.__context__, getattr(cause, "reason", None), *cause.args]


def _never_arrived(error: BaseException) -> bool:
    return isinstance(
        error,
        requests.exceptions.ConnectTimeout
        | requests.exceptions.InvalidURL
        | requests.exceptions.MissingSchema
        | requests.exceptions.SSLError
        | transport.NewConnectionError
        | transport.ConnectTimeoutError
        | ConnectionRefusedError,
    )


def _words(response: requests.Response) -> tuple[str, str]:
    """Return the service's own name for the error, and its text."""
    try:
        body = orjson.loads(response.content)
    except ValueError:
        return "", _plain(response.text) or response.reason or "no text"
    code, inner = "", body
    if isinstance(body, Mapping) and len(body) == 1:
        code, inner = next(iter(body.items()))
    elif isinstance(body, Mapping) and isinstance(body.get("error"), Mapping):
        inner = body["error"]  # Heat's, beside a title
        if body.get("problems"):
            return str(inner.get("type") or ""), _plain(_problems(body["problems"]))
    if not isinstance(inner, Mapping):
        return str(code), _plain(str(inner))
    code = inner.get("type") or ("" if code == "error" else code)
    text = inner.get("message") or inner.get("faultstring") or str(inner)
    return str(code), _plain(str(text))


def _problems(listed: Any) -> str:
    """Return the problems that one like us lists; without paths that their texts name."""
    told = ((str(each.get("path") or ""), str(each.get("text") or "")) for each in listed)
    return "; ".join(text if path in text else f"{path}: {text}" for path, text in told)


def _plain(text: str) -> str:
    """Return text without the HTML that some services put around it."""
    return " ".join(_TAGS.sub(" ", text).split())[:_LONGEST]


def _is_own(service: str, code: str, text: str) -> bool:
    """Tell whether a 404 is about an object, and not about a path that leads nowhere."""
    if service == "identity":
        return text.startswith("Could not find")
    if service == "image":
        return _NO_IMAGE.search(text) is not None
    return code not in _NO_ROUTE


def _is_quota(status: int, code: str, text: str, retry_after: float | None) -> bool:
    if code == OVER_QUOTA or (status == _OVER_LIMIT and retry_after is None):
        return True  # with a time it is a limit of calls
    return status == _FORBIDDEN and "quota" in text.lower()


def _retry_after(value: str | None) -> float | None:
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None
