"""Where an environment has events sent to: the sinks of the type ``webhook``.

Rule: what a sink says of itself may be secret (a token in its address): no message shows it.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from stoker.errors import Code, Kind, Path, Problem, Severity
from stoker.lang.suggestion import meant
from stoker.lang.wording import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from stoker.lang.places import Places
    from stoker.lang.reading import Reading

WEBHOOK: Final = "webhook"
LONGEST_TTL: Final = 7 * 86_400
_TTL: Final = 86_400
_ENCODED: Final = "whsec_"
_KEYS: Final = dict.fromkeys(("type", "target", "secret", "ttl"), "")
_URL: Final = re.compile(r"https?://[!-~]+")


@dataclass(frozen=True, slots=True)
class Webhook:
    """An address that takes events, what they are signed with, and how long each is tried."""

    target: str = field(repr=False)
    secret: str | None = field(default=None, repr=False)
    ttl: int = _TTL

    @property
    def place(self) -> str:
        """The host and port, which is what fails as a whole."""
        url = urlsplit(self.target)
        return f"{url.hostname}:{url.port or {'http': 80}.get(url.scheme, 443)}"

    @property
    def key(self) -> bytes | None:
        """What requests are signed with."""
        return None if self.secret is None else _key(self.secret)


def check_sink(sink: Mapping[str, Any], at: Path, reading: Reading) -> None:
    """Note what is wrong with a sink, if it is a webhook."""
    if sink.get("type") != WEBHOOK:
        return
    kind = Kind.ENVIRONMENT
    reading.known_keys(dict(sink), _KEYS, at, kind, "a webhook")
    if not _is_address(sink.get("target")):
        text = "a webhook's target is an http or https URL, without a user's name"
        reading.fault(text, (*at, "target"), kind)
    if "secret" in sink and not _is_secret(sink["secret"]):
        text = f"a webhook's secret is text, after {_ENCODED} in base64"
        reading.fault(text, (*at, "secret"), kind)
    if "ttl" in sink and not _is_ttl(sink["ttl"]):
        text = f"a webhook's ttl is a whole number of seconds, 1 to {LONGEST_TTL}"
        reading.fault(text, (*at, "ttl"), kind)


def unsent(sinks: Sequence[Mapping[str, Any]], places: Places) -> Iterator[Problem]:
    """Give a warning for each sink to which nothing is sent: Heat may know its type."""
    for index, sink in enumerate(sinks):
        if _is_ours(sink):
            continue
        at: Path = ("event_sinks", index, "type")
        kind = sink.get("type")
        what = "without a type" if kind is None else f"of the type {shown(kind)}"
        text = f"no event is sent to a sink {what}; known is {WEBHOOK}"
        hint = meant(str(kind), [WEBHOOK])
        place = places.nearest(at)
        yield Problem(text, at, place, Kind.ENVIRONMENT, Code.SINK_TYPE, Severity.WARNING, hint)


def webhooks(sinks: Iterable[Mapping[str, Any]]) -> tuple[Webhook, ...]:
    """Return the webhooks among an environment's sinks, each once."""
    named = ({k: v for k, v in each.items() if k != "type"} for each in sinks if _is_ours(each))
    return tuple(dict.fromkeys(Webhook(**each) for each in named))


def _is_ours(sink: Mapping[str, Any]) -> bool:
    return sink.get("type") == WEBHOOK


def _is_address(value: Any) -> bool:
    if not isinstance(value, str) or not _URL.fullmatch(value):
        return False
    try:
        url = urlsplit(value)
        return bool(url.hostname) and url.port != 0 and url.username is None
    except ValueError:
        return False


def _is_secret(value: Any) -> bool:
    try:
        return isinstance(value, str) and bool(_key(value))
    except ValueError:
        return False


def _key(secret: str) -> bytes:
    """Return the bytes of a secret; raises ValueError where it cannot be read."""
    if not secret.startswith(_ENCODED):
        return secret.encode()
    try:
        return base64.b64decode(secret.removeprefix(_ENCODED), validate=True)
    except binascii.Error as e:
        raise ValueError(str(e)) from e


def _is_ttl(value: Any) -> bool:
    return isinstance(value, int) and type(value) is not bool and 1 <= value <= LONGEST_TTL
