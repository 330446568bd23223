"""A small client of the orchestration API, of Stoker's or of any Heat.

Rule: it knows HTTP, Keystone's password log-in and the API's paths, and nothing of this program.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from stoker.errors import CloudError

if TYPE_CHECKING:
    from http.client import HTTPMessage

    from stoker.cli.account import Account

Json = dict[str, Any]
SECONDS = 60.0
_SERVICE = "orchestration"


class Endpoint:
    """The API as one account sees it. Every call raises CloudError with the service's text."""

    def __init__(self, account: Account) -> None:
        self._account = account
        self._token = ""
        self._url = ""

    def create(self, name: str, template: str, parameters: Mapping[str, Any]) -> str:
        """Ask for a stack and return its id."""
        body = {"stack_name": name, "template": template, "parameters": dict(parameters)}
        return str(self.call("POST", "/stacks", body)["stack"]["id"])

    def stack(self, name: str, id: str) -> Json:
        """Return a stack."""
        found: Json = self.call("GET", _path(name, id))["stack"]
        return found

    def resources(self, name: str, id: str) -> list[Json]:
        """Return the stack's resources."""
        found: list[Json] = self.call("GET", f"{_path(name, id)}/resources")["resources"]
        return found

    def delete(self, name: str, id: str) -> None:
        """Ask for the end of a stack."""
        self.call("DELETE", _path(name, id))

    def call(self, method: str, path: str, body: Json | None = None) -> Json:
        """Send a request below the service's URL and return the answer's JSON."""
        if not self._token:
            self._log_in()
        try:
            return self._send(method, path, body)
        except CloudError as error:
            if error.status != HTTPStatus.UNAUTHORIZED:
                raise
        self._log_in()  # the token has expired
        return self._send(method, path, body)

    def _send(self, method: str, path: str, body: Json | None) -> Json:
        headers = {"X-Auth-Token": self._token}
        return exchange(method, f"{self._url}{path}", body, headers, _SERVICE)[0]

    def _log_in(self) -> None:
        url = f"{self._account.auth_url.rstrip('/')}/auth/tokens"
        answer, headers = exchange("POST", url, self._account.login(), {}, "identity")
        self._token = headers["X-Subject-Token"]
        self._url = _in_catalog(answer["token"]["catalog"], self._account.region)


def _path(name: str, id: str) -> str:
    return f"/stacks/{quote(name)}/{quote(id)}"


def _in_catalog(catalog: list[Json], region: str | None) -> str:
    for service in catalog:
        for endpoint in service["endpoints"]:
            fits = region in (None, endpoint.get("region_id"), endpoint.get("region"))
            if service["type"] == _SERVICE and endpoint["interface"] == "public" and fits:
                return str(endpoint["url"]).rstrip("/")
    where = f" in region {region}" if region else ""
    raise CloudError(f"the cloud has no {_SERVICE} service{where}", service="identity")


def exchange(
    method: str, url: str, body: Json | None, headers: Mapping[str, str], service: str
) -> tuple[Json, HTTPMessage]:
    """Send a request and return the answer's JSON and headers; raises CloudError."""
    if not url.startswith(("http://", "https://")):
        raise CloudError(f"{url} is no URL of a service", service=service, sent=False)
    data = None if body is None else json.dumps(body).encode()
    sent = {"Accept": "application/json", **headers}
    if data is not None:
        sent["Content-Type"] = "application/json"
    request = urllib.request.Request(url, data, sent, method=method)  # noqa: S310 - checked above
    try:
        with _opener(url).open(request, timeout=SECONDS) as answer:
            text = answer.read()
            return (json.loads(text) if text else {}), answer.headers
    except urllib.error.HTTPError as error:
        raise CloudError(_told(error), service=service, status=error.code) from error
    except OSError as error:  # refused, unreachable, cut off, too slow
        reason = getattr(error, "reason", error)
        raise CloudError(f"no answer from {url}: {reason}", service=service) from error


def _opener(url: str) -> urllib.request.OpenerDirector:
    """Return what opens the URL: no proxy stands between us and our own machine."""
    if urlsplit(url).hostname in ("127.0.0.1", "localhost", "::1"):
        return urllib.request.build_opener(urllib.request.ProxyHandler({}))
    return urllib.request.build_opener()


def _told(error: urllib.error.HTTPError) -> str:
    """Return the text in an error answer, in the form of Heat's faults or Keystone's."""
    with error:
        text = error.read().decode("utf-8", "replace")
    try:
        fault = json.loads(text)["error"]
        return f"{fault['message']} (HTTP {error.code})"
    except (ValueError, KeyError, TypeError):
        return f"{text[:200].strip() or error.reason} (HTTP {error.code})"
