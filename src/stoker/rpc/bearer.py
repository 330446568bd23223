"""The use cases over a message broker: an engine serves them, an API asks.

Rule: all that crosses is sealed, for it holds tokens and secrets and lies in queues. Who gets no
answer in time is told so, and does not know whether the request counts; it may be repeated.
"""

from __future__ import annotations

import base64
import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, Protocol, cast

import oslo_messaging as messaging  # type: ignore[import-untyped]  # it has no types
from oslo_config import cfg

from stoker.errors import Bug, StokerError, Unavailable
from stoker.rpc.codec import VERSION, OtherVersion, decode, encode
from stoker.rpc.failure import heard, told
from stoker.rpc.transport import EXCHANGE, FAILURES, Listener, hang_up, transport
from stoker.usecases.change_sets import ChangeSets
from stoker.usecases.software import Software
from stoker.usecases.stacks import Catalog, Stacks

TOPIC: Final = "stoker-usecases"
NOUNS: Final[Mapping[str, type[Any]]] = {
    "stacks": Stacks,
    "catalog": Catalog,
    "software": Software,
    "change_sets": ChangeSets,
}
_LOG = logging.getLogger(__name__)

Ask = Callable[..., Any]


class Sealing(Protocol):
    """Seals what crosses, with a key that all processes have."""

    def seal(self, value: Any) -> bytes:
        """Return the sealed form of a value in terms of JSON."""
        ...

    def open(self, sealed: bytes) -> Any:
        """Return the value; raises StokerError where it is not ours."""
        ...


def verbs(noun: str) -> frozenset[str]:
    """Return the names of a noun's use cases."""
    return frozenset(name for name in vars(NOUNS[noun]) if not name.startswith("_"))


class Desk:
    """An engine's end: it hands to the use cases what is asked."""

    def __init__(self, conf: cfg.ConfigOpts, url: str, sealing: Sealing) -> None:
        self._transport = transport(conf, url)
        self._sealing = sealing
        self._listener: Listener | None = None

    def serve(
        self, stacks: Stacks, catalog: Catalog, software: Software, change_sets: ChangeSets
    ) -> None:
        """Begin to answer, as soon as the broker is there; returns at once."""
        nouns = {
            "stacks": stacks,
            "catalog": catalog,
            "software": software,
            "change_sets": change_sets,
        }
        window = Window(nouns, self._sealing)
        news = "requests are taken from now on"
        self._listener = Listener(self._transport, TOPIC, window, news)

    def close(self) -> None:
        """Take nothing more on, answer what is being done, and hang up."""
        hang_up(self._transport, self._listener)


class Window:
    """What a message can call."""

    def __init__(self, nouns: Mapping[str, Any], sealing: Sealing) -> None:
        self._nouns, self._sealing = nouns, sealing

    def ask(self, context: dict[str, Any], version: int, sealed: str) -> str:
        """Carry a request out and return what came of it, sealed."""
        del context
        try:
            answer = {"answer": self._answer(version, sealed)}
            return pack(self._sealing, answer)
        except StokerError as error:
            return pack(self._sealing, told(error))
        except Exception:  # noqa: BLE001 - outermost; the broker would carry the text in the clear
            _LOG.exception("a use case failed")
            return pack(self._sealing, told(Bug("the engine's log says more")))

    def _answer(self, version: int, sealed: str) -> Any:
        if version != VERSION:
            raise OtherVersion
        asked = unpack(self._sealing, sealed)
        noun, verb = asked["noun"], asked["verb"]
        if noun not in NOUNS or verb not in verbs(noun):
            raise OtherVersion
        return getattr(self._nouns[noun], verb)(*asked["arguments"], **asked["options"])


class Asking:
    """An API's end: it has the use cases of an engine, whichever takes a request up."""

    def __init__(self, conf: cfg.ConfigOpts, url: str, sealing: Sealing) -> None:
        self._transport = transport(conf, url)
        self._sealing = sealing
        target = messaging.Target(exchange=EXCHANGE, topic=TOPIC)
        self._client = messaging.get_rpc_client(self._transport, target, retry=0)

    @property
    def stacks(self) -> Stacks:
        """The use cases of stacks."""
        return cast(Stacks, _Remote("stacks", self._ask))

    @property
    def catalog(self) -> Catalog:
        """What the engines know."""
        return cast(Catalog, _Remote("catalog", self._ask))

    @property
    def software(self) -> Software:
        """The use cases of software configs and deployments."""
        return cast(Software, _Remote("software", self._ask))

    @property
    def change_sets(self) -> ChangeSets:
        """The use cases of change sets."""
        return cast(ChangeSets, _Remote("change_sets", self._ask))

    def close(self) -> None:
        """Hang up, if that goes at once."""
        hang_up(self._transport)

    def _ask(self, noun: str, verb: str, *arguments: Any, **options: Any) -> Any:
        asked = {"noun": noun, "verb": verb, "arguments": list(arguments), "options": options}
        sealed = pack(self._sealing, asked)
        try:
            answer = self._client.call({}, "ask", version=VERSION, sealed=sealed)
        except FAILURES as error:
            _LOG.warning("no engine has answered (%s)", type(error).__name__)
            raise Unavailable(
                "No engine answers now; whether the request counts is not known. Send it again."
            ) from error
        said = unpack(self._sealing, answer)
        if "error" in said:
            raise heard(said)
        return said["answer"]


class _Remote:
    """A noun whose use cases are asked for elsewhere."""

    def __init__(self, noun: str, ask: Ask) -> None:
        self._noun, self._ask = noun, ask

    def __getattr__(self, verb: str) -> Ask:
        if verb not in verbs(self._noun):
            raise AttributeError(verb)
        return partial(self._ask, self._noun, verb)


def pack(sealing: Sealing, value: Any) -> str:
    """Return a value as it crosses."""
    return base64.b64encode(sealing.seal(encode(value))).decode()


def unpack(sealing: Sealing, sealed: str) -> Any:
    """Return what crossed."""
    return decode(sealing.open(base64.b64decode(sealed)))
