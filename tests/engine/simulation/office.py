"""The small cloud in virtual time: real types and clients, whose every call takes a while."""

from __future__ import annotations

import io
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import requests
from requests.adapters import BaseAdapter

from stoker.clouds.connect import Clouds, CloudSettings
from stoker.clouds.credential import Password
from stoker.devcloud import seed
from stoker.devcloud.application import Application
from stoker.devcloud.clock import Latency
from stoker.devcloud.cloud import Cloud, Options
from stoker.devcloud.keystone.tokens import caller_of
from stoker.devcloud.server import services
from stoker.devcloud.state import State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stoker.clouds.budget import Limits
    from stoker.sdk.cloud import Constraints, Guard
    from stoker.usecases.caller import Caller
    from tests.engine.simulation.stage import Stage

URL = "http://cloud.test"
ANN = Password(
    f"{URL}/identity/v3", "admin", "secret", project_name="admin",
    user_domain_id="default", project_domain_id="default",
)  # fmt: skip


class Office:
    """A cloud whose calls take ``seconds``; ``calls`` counts them by service and method, and
    ``most`` is how many there were at once."""

    def __init__(self, stage: Stage, seconds: float, limits: Limits) -> None:
        packages, state = services(), State(":memory:")
        options = Options()
        self.cloud = Cloud(options, URL, state, Latency(state, options.latency), caller_of)
        seed.run(self.cloud, packages)
        self._stage, self._seconds = stage, seconds
        self._application = Application(self.cloud)
        http = requests.Session()
        http.trust_env = False
        http.mount("http://", Wire(self))
        self.clouds = Clouds(CloudSettings(limits=limits), http)
        self.calls: Counter[tuple[str, str]] = Counter()
        self._under_way: Counter[str] = Counter()
        self.most: Counter[str] = Counter()

    def answer(self, request: requests.PreparedRequest) -> requests.Response:
        """Answer a request: after a while, where somebody of the virtual world asks."""
        is_counted = self._stage.current is not None and "/auth/tokens" not in str(request.url)
        if not is_counted:
            return self._answered(request)
        service = urlsplit(str(request.url)).path.split("/")[1]
        self.calls[str(request.method), service] += 1
        self._under_way[service] += 1
        self.most[service] = max(self.most[service], self._under_way[service])
        self._stage.sleep(self._seconds / 2)
        answer = self._answered(request)
        self._stage.sleep(self._seconds / 2)
        self._under_way[service] -= 1
        return answer

    def _answered(self, request: requests.PreparedRequest) -> requests.Response:
        answer, headers = requests.Response(), []

        def start(status: str, given: list[tuple[str, str]], *_: Any) -> None:
            answer.status_code = int(status.partition(" ")[0])
            headers.extend(given)

        parts = self._application(_environ(request), start)
        answer._content = b"".join(parts)  # noqa: SLF001 - there is no other way
        answer.headers.update(headers)
        answer.request, answer.url, answer.encoding = request, str(request.url), "utf-8"
        return answer


class Wire(BaseAdapter):
    """What ``requests`` sends by."""

    def __init__(self, office: Office) -> None:
        super().__init__()
        self._office = office

    def send(self, request: Any, *_args: Any, **_options: Any) -> requests.Response:
        return self._office.answer(request)

    def close(self) -> None:
        """Do nothing: nothing is open."""


class Keys:
    """The credentials of one account, for every stack."""

    def __init__(self, clouds: Clouds) -> None:
        self._clouds = clouds

    @contextmanager
    def delegated(self, _caller: Caller) -> Iterator[None]:
        yield None

    def serves(self, _creds_id: int, _caller: Caller, *, as_it_is: bool = False) -> bool:
        del as_it_is
        return True

    def is_lost(self, _creds_id: int, _caller: Caller) -> bool:
        return False

    def constraints(self, _caller: Caller) -> Constraints:
        return self._clouds.constraints(ANN)

    def cloud_for(self, _caller: Caller) -> Any:
        return self._clouds.cloud(ANN)

    def cloud_of(self, _stack: Any, guard: Guard) -> Any:
        return self._clouds.cloud(ANN, guard)

    def tend(self) -> None:
        """Do nothing: nothing is stored."""

    def release_unused(self) -> None:
        """Do nothing: nothing is stored."""


def _environ(request: requests.PreparedRequest) -> dict[str, Any]:
    parts = urlsplit(str(request.url))
    body: Any = request.body or b""
    content: bytes = body.encode() if isinstance(body, str) else body
    headers = {f"HTTP_{k.upper().replace('-', '_')}": v for k, v in request.headers.items()}
    return {
        **headers,
        "REQUEST_METHOD": request.method,
        "PATH_INFO": parts.path,
        "QUERY_STRING": parts.query,
        "CONTENT_TYPE": request.headers.get("Content-Type", ""),
        "CONTENT_LENGTH": str(len(content)),
        "wsgi.input": io.BytesIO(content),
    }
