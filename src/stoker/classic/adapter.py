"""A plugin's class as a resource type of ours.

Rule: it is stateless like every type: what a plugin's instance holds between two calls is
recorded with each step (see :mod:`stoker.classic.turn`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final

from stoker.classic.attributes import declared
from stoker.classic.border import Border
from stoker.classic.context import Context, Offline
from stoker.classic.declaration import changeable, made
from stoker.classic.definition import Definition
from stoker.classic.memory import Memory
from stoker.classic.properties import Properties
from stoker.classic.resource import Resource as Plugin
from stoker.classic.stack import StackView, Standing
from stoker.classic.turn import INTERRUPTED, Turn
from stoker.errors import Kind, Problem, UserError
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Heard, Next, NoPolicy, Resource, Step, View
from stoker.sdk.schema import Props, attrs
from stoker.sdk.signal import HEAR, SIGNAL

POLL_SECONDS: Final = 1.0
_SERVICES: Final[Mapping[str | None, str]] = {
    "glance": "image",
    "neutron": "network",
    "nova": "compute",
}


class Classic(Resource[Any]):
    """Base of the types that :func:`adapted` makes."""

    plugin: ClassVar[type[Plugin]]
    memory: ClassVar[Memory]
    poll_seconds: ClassVar[float]

    def validate(self, props: Any) -> Iterable[Problem]:
        """Return what the plugin finds wrong, as far as it can tell without a cloud."""
        if self.plugin.validate is Plugin.validate or props.open():
            return ()
        try:
            wrong = self._asked_offline(props, lambda plugin: plugin.validate())
        except UserError as e:
            wrong = str(e)
        return [Problem(str(wrong), (), None, Kind.PROPERTY)] if wrong else ()

    def replaces(self, old: Any, new: Any, changed: frozenset[str]) -> frozenset[str]:
        if self.plugin.handle_update is Plugin.handle_update:
            return changed
        if self.plugin.needs_replace_with_prop_diff is not Plugin.needs_replace_with_prop_diff:
            names = {each.name: wire for wire, each in type(new).properties().items()}
            wires = {names[name] for name in changed}
            after, before = Properties.of(new), Properties.of(old)
            if self._asked_offline(
                old, lambda plugin: plugin.needs_replace_with_prop_diff(wires, after, before)
            ):
                return changed
        return super().replaces(old, new, changed)

    def reference(self, view: View) -> Any:
        return view.data.get("reference") or super().reference(view)

    def find(self, at: At[Any], cloud: Cloud) -> Next | None:
        """Go on from what is recorded; where nothing is, the create has failed: a plugin puts
        no mark on what it makes, and to begin again might make a second."""
        if at.data:
            return Next(data=at.data)
        return Next(data={"failure": ["ResourceFailure", INTERRUPTED]})

    def create(self, at: At[Any], cloud: Cloud) -> Step:
        return self._turn("create", at, cloud)

    def update(self, at: At[Any], cloud: Cloud) -> Step:
        return self._turn("update", at, cloud)

    def delete(self, at: At[Any], cloud: Cloud) -> Step:
        return self._turn("delete", at, cloud)

    def supports(self, verb: str) -> bool:
        return hasattr(self.plugin, f"handle_{SIGNAL if verb == HEAR else verb}")

    def check(self, at: At[Any], cloud: Cloud) -> Step:
        """Take the next step of checking; like create."""
        return self._turn("check", at, cloud)

    def suspend(self, at: At[Any], cloud: Cloud) -> Step:
        """Take the next step of suspending; like create."""
        return self._turn("suspend", at, cloud)

    def resume(self, at: At[Any], cloud: Cloud) -> Step:
        """Take the next step of resuming; like create."""
        return self._turn("resume", at, cloud)

    def hear(self, at: At[Any], details: Mapping[str, Any], cloud: Cloud) -> Heard:
        """Have the plugin handle a signal, in the verb under way where there is one."""
        verb = SIGNAL if at.verb is None else at.verb
        return self._of(verb, at, cloud).hear(details)

    def _turn(self, verb: str, at: At[Any], cloud: Cloud) -> Step:
        return self._of(verb, at, cloud).step()

    def _of(self, verb: str, at: At[Any], cloud: Cloud) -> Turn:
        return Turn(self.plugin, self.type_name, verb, at, cloud, self.memory, self.poll_seconds)

    def _asked_offline(self, props: Props, ask: Any) -> Any:
        """Return the plugin's answer, or None where it needs a cloud for one."""
        context = Context("", None)
        stack = StackView("", "", context, Standing())
        nothing = Properties.of(NoPolicy())
        definition = Definition("", self.type_name, Properties.of(props), {}, nothing)
        try:
            with Border(context):
                return ask(self.plugin("", definition, stack))
        except Offline:
            return None


def adapted(
    type_name: str, plugin: type[Plugin], memory: Memory, poll_seconds: float = POLL_SECONDS
) -> Classic:
    """Return the resource type that a plugin's class stands for; raises what the plugin's own
    declarations raise, and InvalidSchemaError where they have no meaning here."""
    updatable = changeable(plugin, Plugin.handle_update)
    body: dict[str, Any] = {
        "type_name": type_name,
        "since": plugin.support_status.version or "",
        "doc": _doc(plugin),
        "Props": made(plugin.__name__, plugin.properties_schema, updatable),
        "Policy": made(f"{plugin.__name__}Policy", plugin.update_policy_schema, frozenset()),
        "attributes": attrs(**declared(plugin)),
        "support_status": plugin.support_status.status,
        "service": _SERVICES.get(plugin.default_client_name, "identity"),
        "deaf_actions": frozenset(plugin.no_signal_actions),
        "name_limit": plugin.physical_resource_name_limit or 255,
        "plugin": plugin,
        "memory": memory,
        "poll_seconds": poll_seconds,
    }
    kind: type[Classic] = type(plugin.__name__, (Classic,), body)
    return kind()


def _doc(plugin: type[Plugin]) -> str:
    text = (plugin.__doc__ or "").strip()
    return text.partition("\n")[0]
