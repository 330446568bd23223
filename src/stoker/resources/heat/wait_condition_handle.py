"""OS::Heat::WaitConditionHandle: what is signalled, so that a wait condition may go on.

Its state is its metadata: what was signalled by the id that the signal gave, or by its number
where it gave none. Whoever signals does so as a user of the project; a token of the stack's
own, and addresses that need none, are not made yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from stoker.errors import Kind, Problem, UserError
from stoker.sdk.cloud import Cloud
from stoker.sdk.prop import Attr, Support, attrs
from stoker.sdk.resource import At, Done, Resource, Signalled, Step, View
from stoker.sdk.schema import Props, prop
from stoker.sdk.signal import told
from stoker.sdk.value import is_open

SUCCESS, FAILURE = "SUCCESS", "FAILURE"
_WITHOUT_USER: Final = ("TOKEN_SIGNAL", "NO_SIGNAL")
_OTHERS: Final = ("CFN_SIGNAL", "TEMP_URL_SIGNAL", "HEAT_SIGNAL", "ZAQAR_SIGNAL")
_LACKING: Final = (
    "it needs a user of the stack's own, and none is made yet; signal with a token of yours"
    " (openstack stack resource signal)"
)


class HandleProps(Props):
    signal_transport: str = prop(
        "How it is signalled.",
        default="TOKEN_SIGNAL",
        one_of=(*_OTHERS[:3], "NO_SIGNAL", "ZAQAR_SIGNAL", "TOKEN_SIGNAL"),
        support=Support(since="6.0.0"),
    )


class WaitConditionHandle(Resource[HandleProps]):
    type_name = "OS::Heat::WaitConditionHandle"
    since = "2014.2"
    doc = "What is signalled, so that a wait condition may go on."
    Props = HandleProps
    attributes = attrs(
        token=Attr("A token to signal with.", lacking=_LACKING),
        endpoint=Attr("Where to signal.", lacking=_LACKING),
        curl_cli=Attr("A command that signals.", lacking=_LACKING),
        signal=Attr("What a script needs to signal, as JSON.", lacking=_LACKING),
    )
    shows_state = True

    def validate(self, props: HandleProps) -> Iterable[Problem]:
        transport = props.signal_transport
        if is_open(transport) or transport in _WITHOUT_USER:
            return ()
        text = f"{transport} needs a user of the stack's own, and none is made yet; leave it out"
        return [Problem(text, ("signal_transport",), None, Kind.PROPERTY)]

    def attribute(self, view: View, name: str, path: tuple[Any, ...]) -> Any:
        return None

    def on_signal(self, state: Mapping[str, Any], details: Mapping[str, Any]) -> Signalled:
        status = details.get("status", SUCCESS)
        if status not in (SUCCESS, FAILURE):
            raise UserError(f"status is {SUCCESS} or {FAILURE}, not {status!r}")
        key = str(details["id"]) if details.get("id") is not None else _free(state)
        reason = details.get("reason") or f"Signal {key} received"
        entry = {"status": status, "reason": reason, "data": details.get("data")}
        return Signalled({**state, key: entry}, told(f"status:{status} reason:{reason}"))

    def create(self, at: At[HandleProps], cloud: Cloud) -> Step:
        return Done(id=at.name)

    def delete(self, at: At[HandleProps], cloud: Cloud) -> Step:
        return Done()

    def suspend(self, at: At[HandleProps], cloud: Cloud) -> Step:
        return Done()

    def resume(self, at: At[HandleProps], cloud: Cloud) -> Step:
        return Done()


def _free(state: Mapping[str, Any]) -> str:
    """Return the number of the signal, or the next one that no signal has as its id."""
    number = len(state) + 1
    while str(number) in state:
        number += 1
    return str(number)
