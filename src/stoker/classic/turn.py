"""One step of a verb of a plugin: begin, ask whether it is done, read what it gives.

Rule: what the plugin has set (its id, its data) and what its handler returned is recorded
before anything else is asked of it, also where it failed after that. A handler is begun again
only when nothing can have come of it.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from stoker.classic.border import Border, PluginFailed, failed
from stoker.classic.context import Context
from stoker.classic.definition import Definition, Difference
from stoker.classic.memory import Live, Memory
from stoker.classic.outcome import outcome
from stoker.classic.properties import Properties
from stoker.classic.resource import PollDelay, Resource
from stoker.classic.stack import StackView, Standing
from stoker.errors import CloudError, UserError
from stoker.sdk.fault import Fault, fault
from stoker.sdk.lazy import lazy
from stoker.sdk.resource import At, Done, Heard, Next, NoPolicy, Step, Wait
from stoker.sdk.signal import SIGNAL, told

if TYPE_CHECKING:
    from stoker.sdk.cloud import Cloud
    from stoker.sdk.schema import Props

log = logging.getLogger(__name__)

_MAKING: Final = frozenset({"create", "update"})
_MARK: Final = "stoker-"
_RUN_BYTES: Final = 12
_TO_AND_FRO: Final = frozenset({"suspend", "resume"})
_LOST: Final = (
    "the process that ran handle_{verb} is gone, and what it returned could not be recorded,"
    " for it was no JSON"
)
INTERRUPTED: Final = (
    "handle_create was cut off, and what it made, if anything, is not known: look for it in the"
    " cloud; an update makes another"
)


class Turn:
    """One step of ``verb``; ``before`` are the properties that the plugin is to see."""

    def __init__(
        self, plugin: type[Resource], type_name: str, verb: str, at: At[Any], cloud: Cloud | None,
        memory: Memory, poll_seconds: float,
    ) -> None:  # fmt: skip
        self._class, self._type_name, self._verb = plugin, type_name, verb
        self._at, self._cloud, self._memory = at, cloud, memory
        self._poll_seconds = poll_seconds
        self._state = dict(at.data)

    def step(self) -> Step:
        """Return what comes next; raises the plugin's failure, once that is recorded."""
        if "failure" in self._state:
            self._memory.forget(self._run)
            raise failed(*self._state["failure"])
        try:
            with Border(self._live.plugin.context):
                return self._stepped()
        except (CloudError, UserError) as e:
            return self._failed(e)

    def hear(self, details: Mapping[str, Any]) -> Heard:
        """Have the plugin handle a signal; what it has set is recorded also where it failed.

        Raises CloudError where nothing can have come of it.
        """
        plugin, reason, failure = self._live.plugin, "", None
        try:
            with Border(plugin.context):
                text = getattr(plugin, f"handle_{SIGNAL}")(dict(details))
                reason = told(str(text)) if text else ""
        except (CloudError, UserError) as e:
            if isinstance(e, CloudError) and not self._may_have_changed():
                raise
            kind = e.kind if isinstance(e, PluginFailed) else type(e).__name__
            failure = f"{kind}: resources.{self._at.logical_name}: {e}"
        step = self._rest(plugin) if self._verb == SIGNAL else self._next()
        return Heard(step, reason, failure)

    def _rest(self, plugin: Resource) -> Done:
        """Return what a plugin at rest has now; where its attributes cannot be read, they stay."""
        try:
            return outcome(plugin, self._kept(plugin))
        except CloudError as e:
            log.warning("the attributes of %s stay as they were: %s", plugin.name, e)
            return Done({}, plugin.resource_id, {**self._at.stored, "kept": self._kept(plugin)})

    # the parts of a verb

    def _stepped(self) -> Step:
        if "begun" not in self._state:
            return self._begin()
        if "checked" not in self._state and (wait := self._check()) is not None:
            return wait
        plugin = self._live.plugin
        if self._verb == "delete":
            self._memory.forget(self._run)
            return Done()
        if "checked" not in self._state:
            return self._next(checked=True)
        done = outcome(plugin, self._kept(plugin))
        self._memory.forget(self._run)
        return done

    def _begin(self) -> Step:
        plugin = self._live.plugin
        if self._verb == "create":
            _validate(plugin)
        handle = self._live.handle = self._handled(plugin)
        if self._verb == "create" and plugin.resource_id is None and isinstance(handle, str):
            plugin.resource_id = str(handle)
        self._memory.keep(self._run, self._live)
        held = {"handle": handle} if _is_json(handle) else {"held": True}
        return self._next(begun=True, **held)

    def _handled(self, plugin: Resource) -> Any:
        """Return what the handler returns.

        A suspend or a resume whose answer was lost is begun again, and then the service
        refuses what is done: that is no conflict where the plugin's own check finds it done.
        """
        handler = getattr(plugin, f"handle_{self._verb}", None)
        if handler is None:
            return None
        try:
            with Border(plugin.context):
                return handler(*self._arguments())
        except CloudError as e:
            if self._verb in _TO_AND_FRO and fault(e) is Fault.BUSY and self._is_there(plugin):
                return None
            raise

    def _is_there(self, plugin: Resource) -> bool:
        check = getattr(plugin, f"check_{self._verb}_complete", None)
        return check is not None and bool(check(None))

    def _check(self) -> Wait | None:
        """Return None where the verb is done."""
        plugin = self._live.plugin
        check = getattr(plugin, f"check_{self._verb}_complete", None)
        try:
            if check is None or check(self._live.handle):
                return None
        except PollDelay as e:
            return self._wait(e.period)
        return self._wait(self._poll_seconds)

    def _arguments(self) -> tuple[Any, ...]:
        if self._verb != "update":
            return ()
        at = self._at
        wanted = Properties.of(at.props)
        names = {each.name: wire for wire, each in type(at.props).properties().items()}
        changed = {names[name]: wanted[names[name]] for name in sorted(at.changed)}
        difference = Difference({"Properties": dict(changed)} if changed else {})
        return self._definition(at.props), difference, changed

    # the plugin and what it has set

    @lazy
    def _run(self) -> str:
        run: str | None = self._state.get("run")
        return self._at.entropy(_RUN_BYTES).hex() if run is None else run

    @lazy
    def _live(self) -> Live:
        live = self._memory.get(self._run)
        if live is not None:
            live.plugin.context.renew(self._cloud)
            self._bring_up(live.plugin)
            return live
        if "held" in self._state and self._verb != "delete":
            raise failed("ResourceFailure", _LOST.format(verb=self._verb))
        if self._state.pop("held", None):  # deleting may be begun twice
            self._state.pop("begun")
        return Live(self._made(), self._state.get("handle"))

    def _made(self) -> Resource:
        at = self._at
        kept: Mapping[str, Any] = self._state.get("kept") or at.stored.get("kept") or {}
        standing = Standing(
            at.name, at.mark.removeprefix(_MARK), at.id,
            kept.get("data", {}), kept.get("metadata"), kept.get("notes", {}),
        )  # fmt: skip
        context = Context(at.stack.project_id, self._cloud)
        stack = StackView(at.stack.id, at.stack.name, context, standing)
        before = at.props if at.old is None else at.old
        with Border(context):
            plugin = self._class(at.logical_name, self._definition(before), stack)
        if self._verb == SIGNAL:
            plugin.action, plugin.status = Resource.CREATE, Resource.COMPLETE
        else:
            plugin.action, plugin.status = self._verb.upper(), Resource.IN_PROGRESS
        return plugin

    def _bring_up(self, plugin: Resource) -> None:
        """Give an instance that this process remembers what others have recorded since."""
        kept: Mapping[str, Any] = self._state.get("kept") or {}
        plugin._data = dict(kept.get("data", {}))
        plugin._db_data = dict(kept.get("notes", {}))
        plugin._metadata = kept.get("metadata")
        plugin.resource_id = self._at.id

    def _definition(self, props: Props) -> Definition:
        at = self._at
        policy = at.policy() if self._verb in _MAKING else NoPolicy()
        return Definition(
            at.logical_name, self._type_name, Properties.of(props), at.metadata,
            Properties.of(policy),
        )  # fmt: skip

    def _kept(self, plugin: Resource) -> dict[str, Any]:
        kept: dict[str, Any] = {"data": plugin._data, "metadata": plugin._metadata}
        return {**kept, "notes": plugin._db_data} if plugin._db_data else kept

    # steps

    def _next(self, **more: Any) -> Next:
        return Next(self._live.plugin.resource_id, self._recorded(**more))

    def _wait(self, seconds: float) -> Wait:
        return Wait(seconds, self._recorded(), self._live.plugin.resource_id)

    def _recorded(self, **more: Any) -> dict[str, Any]:
        recorded = {**self._state, **more, "run": self._run, "kept": self._kept(self._live.plugin)}
        if "handle" in recorded and _is_json(self._live.handle):
            recorded["handle"] = self._live.handle  # a check may have written into it
        return recorded

    def _failed(self, error: CloudError | UserError) -> Step:
        """Raise the error, or first record what the plugin has done before it."""
        plugin = self._live.plugin
        may_have_changed = self._may_have_changed()
        is_repeatable = self._verb in _TO_AND_FRO or not may_have_changed
        if self._verb == "delete" or (isinstance(error, CloudError) and is_repeatable):
            raise error  # what cannot have come to anything, or to nothing else, may be tried again
        if may_have_changed or plugin.resource_id != self._at.id:
            kind = error.kind if isinstance(error, PluginFailed) else type(error).__name__
            return self._next(begun=True, failure=[kind, str(error)])
        self._memory.forget(self._run)
        raise error

    def _may_have_changed(self) -> bool:
        session = self._live.plugin.context.asked
        return session is not None and session.changes > 0


def _validate(plugin: Resource) -> None:
    if wrong := plugin.validate():
        raise failed("StackValidationFailed", str(wrong))


def _is_json(value: Any) -> bool:
    try:
        return bool(json.loads(json.dumps(value, allow_nan=False)) == value)
    except (TypeError, ValueError, RecursionError):
        return False
