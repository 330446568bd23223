"""The orchestration service of a cloud that a person names: ``clouds.yaml`` or ``OS_*``.

Rule: openstacksdk reads the configuration and keystoneauth logs in, so that whatever works for
other clients works here; what goes wrong comes out as one of our errors.
"""

from __future__ import annotations

import re
from typing import Any, Final

import requests
from keystoneauth1 import exceptions as keystone
from keystoneauth1.adapter import Adapter
from openstack.exceptions import ConfigException

from stoker.clouds.configured import cannot_log_in, configured
from stoker.clouds.errors import refused, unanswered
from stoker.errors import CloudError

SERVICE: Final = "orchestration"
SECONDS: Final = 60.0
READ_RETRIES: Final = 2
_REFUSED: Final = 400
_REASON: Final = re.compile(r"\[Errno -?\d+\] ([^\"')]+)")


class NamedCloud:
    """One account's orchestration service; it logs in with the first call."""

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a request and return the answer's JSON, {} for none; raises CloudError."""
        answer = self._sent(method, path, body)
        if answer.status_code >= _REFUSED:
            raise _refused(answer)
        if not answer.content:
            return {}
        try:
            found = answer.json()
        except ValueError as error:
            text = f"the answer to {method} {answer.url} is not JSON: is this Heat's API?"
            raise CloudError(text, service=SERVICE) from error
        return found if isinstance(found, dict) else {}

    def _sent(self, method: str, path: str, body: dict[str, Any] | None) -> requests.Response:
        options: dict[str, Any] = {} if body is None else {"json": body}
        options["connect_retries"] = READ_RETRIES if method == "GET" else 0
        try:
            answer: requests.Response = self._adapter.request(
                path, method, raise_exc=False, **options
            )
        except (keystone.ClientException, requests.RequestException) as error:
            raise _unanswered(error) from error
        return answer


def _unanswered(error: Exception) -> CloudError:
    """Return the error of a call without an answer; of a chain of texts the first and last."""
    found = unanswered(SERVICE, error)
    text, pool, rest = str(found).partition(": HTTP")
    why = _REASON.search(rest)
    if not pool or why is None:
        return found
    short = f"{text}: {why[1].strip()}"
    return CloudError(short, service=found.service, status=found.status, sent=found.sent)


def _refused(answer: requests.Response) -> CloudError:
    """Return the error that a refusal means, with the text of Heat's fault as it is."""
    error = refused(SERVICE, answer)
    try:
        fault = answer.json()["error"]
        text, code = str(fault["message"]), str(fault.get("type") or "")
    except (ValueError, KeyError, TypeError, AttributeError):
        return error  # a proxy's words, or Keystone's
    return CloudError(text, service=SERVICE, status=error.status, code=code)


def named_cloud(name: str | None, region: str | None = None) -> NamedCloud:
    """Return the cloud; without a name the one that the environment or the file implies.

    Raises Invalid where there is no such cloud, or where its account lacks something.
    """
    cloud = configured(name, region)
    try:
        session = cloud.get_session()
    except (ConfigException, keystone.ClientException) as error:
        raise cannot_log_in(error) from error
    session.timeout = session.timeout or SECONDS
    return NamedCloud(
        Adapter(
            session=session,
            service_type=cloud.get_service_type(SERVICE),
            service_name=cloud.get_service_name(SERVICE),
            interface=cloud.get_interface(SERVICE),
            region_name=cloud.get_region_name(SERVICE),
            endpoint_override=cloud.get_endpoint(SERVICE),
        )
    )
