"""One claimed row with what its step needs, opened when it is asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from stoker.engine.columns import acting, is_action
from stoker.engine.listening import Listening
from stoker.engine.naming import mark, physical_name
from stoker.engine.secrets import masked
from stoker.engine.source import Source
from stoker.engine.views import StoreRefs
from stoker.errors import Code, Invalid, Problem
from stoker.lang.environment import is_template, read_environment
from stoker.lang.expression import evaluate, load
from stoker.lang.unknown import UNKNOWN, is_known
from stoker.lang.wording import MASK
from stoker.plan.decide import Recorded
from stoker.plan.machine import Work
from stoker.sdk.around import Around
from stoker.sdk.lazy import lazy
from stoker.sdk.resource import At, Below, StackInfo
from stoker.store import queries, software
from stoker.store.goal import Moved

if TYPE_CHECKING:
    from collections.abc import Callable

    from stoker.engine.kinds import Kinds
    from stoker.sdk.resource import ChildState, Resource, Types
    from stoker.store.claims import Claim
    from stoker.store.database import Database


ACTED = "acted"
KEPT = "kept"


_STAYS = ("definition", "stored", "secrets", "wanted_kind")


def data_key(verb: str) -> str:
    """Return under which key of the progress a verb's steps keep their data."""
    return ACTED if is_action(verb) else "data"


@dataclass(frozen=True, slots=True)
class Tools:
    """What every job shares."""

    database: Database
    types: Types
    kinds: Kinds
    entropy: Callable[[int], bytes]


class Job:
    """A claim as the worker sees it. Nothing is kept from one step to the next."""

    def __init__(self, claim: Claim, tools: Tools) -> None:
        self.claim, self.row, self.stack = claim, claim.row, claim.stack
        self._tools = tools
        self.listening = Listening(Source(tools.database), tools.types, claim.row)

    def begun(self, columns: Mapping[str, Any]) -> Job:
        """Return the job as it is once these columns are written; what they do not touch and
        was opened stays open."""
        row = SimpleNamespace(**{**vars(self.row), **columns})
        job = Job(replace(self.claim, row=row), self._tools)
        vars(job).update({name: vars(self)[name] for name in _STAYS if name in vars(self)})
        return job

    @lazy
    def definition(self) -> dict[str, Any]:
        """The definition that the row is to become; see ``records.definition_of``."""
        opened: dict[str, Any] = self._open(self.row.definition)
        return opened

    @lazy
    def made_kind(self) -> Resource[Any]:
        """The type of the object that the row records."""
        return self._tools.kinds.made(self.row, self.stack)

    @lazy
    def wanted_kind(self) -> Resource[Any]:
        """The type that the goal wants."""
        return self._tools.kinds.of(self.definition["implementation"], self.stack)

    @lazy
    def sent(self) -> Mapping[str, Any] | None:
        """The properties last sent."""
        opened: Mapping[str, Any] | None = self._open(self.row.sent)
        return opened

    @lazy
    def applied(self) -> Mapping[str, Any] | None:
        """The properties last known to be in effect."""
        opened: Mapping[str, Any] | None = self._open(self.row.applied)
        return opened

    @lazy
    def progress(self) -> dict[str, Any]:
        """``data`` of the verb's last step, ``changed`` of an update; an action's own step is
        under :data:`ACTED`, beside what an unfinished goal has left."""
        return self._open(self.row.progress) or {}

    @lazy
    def stored(self) -> dict[str, Any]:
        """What the resource keeps for life."""
        return {key: self._open(value) for key, value in self.claim.data.items()}

    @lazy
    def in_doubt(self) -> bool:
        """Whether a call may have been made whose answer is not recorded."""
        return self.claim.in_doubt and self.made_kind.service is not None

    @property
    def made(self) -> bool:
        """Whether there may be anything to delete."""
        row = self.row
        return row.physical_id is not None or bool(self.progress.get("data")) or bool(self.stored)

    @lazy
    def wanted(self) -> Mapping[str, Any]:
        """The properties that the goal wants, with the values of now; raises Invalid."""
        return self._evaluated("properties")

    @lazy
    def metadata(self) -> Mapping[str, Any]:
        """The metadata that the goal wants."""
        return self._evaluated("metadata")

    @lazy
    def secrets(self) -> frozenset[str]:
        """The hidden values of the stack."""
        return frozenset(self._open(self.stack.secrets) or ())

    def shown(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        """Return the properties with what is hidden masked."""
        hidden = self.definition["hidden"]
        return {
            name: MASK if name in hidden and value is not None else masked(value, self.secrets)
            for name, value in properties.items()
        }

    @lazy
    def _refs(self) -> StoreRefs:
        source, types = Source(self._tools.database), self._tools.types
        return StoreRefs(source, types, self.row.stack_id, set(self.requires))

    @property
    def requires(self) -> list[str]:
        """Names of what the goal refers to; the row has those of the object that is there."""
        found: list[str] = self.definition.get("requires", self.row.requires)
        return found

    def _evaluated(self, part: str) -> Mapping[str, Any]:
        at = ("resources", self.row.name, part)
        value = evaluate(load(self.definition[part]), self._refs, at)
        if value is UNKNOWN or not is_known(value):
            text = "a resource that it refers to has no value for it"
            raise Invalid([Problem(text, at, code=Code.ATTRIBUTE_UNAVAILABLE)])
        return value or {}

    @lazy
    def name(self) -> str:
        """The physical name of the object, which is made under it unless it has another."""
        limit = self.made_kind.name_limit
        return physical_name(self.stack.name, self.row.name, self.row.uuid, limit)

    @lazy
    def is_keeping(self) -> bool:
        """Whether a copy of the object's data comes before its deletion, and is not there yet."""
        wanted = self.definition["deletion_policy"] == "Snapshot" and self.applied is not None
        due = wanted and self.row.verb == "delete" and KEPT not in self.progress
        return due and self.made_kind.supports("keep")

    def work(self) -> Work:
        """Return what the machine decides by."""
        row = self.row
        return Work(
            forward=self.claim.forward,
            poisoned=self.claim.poisoned,
            stays=bool(row.is_current) and not row.is_doomed,
            verb=row.verb,
            ours=row.verb_traversal == row.traversal_id,
            has_id=row.physical_id is not None,
            in_doubt=self.in_doubt,
            has_child=row.child_traversal is not None,
            has_data=bool(self.progress.get("data")),
            acts=acting(self.claim) is not None,
        )

    def recorded(self) -> Recorded:
        """Return what a decision is made against."""
        row = self.row
        return Recorded(
            type=row.implementation,
            action=row.action,
            status=row.status,
            made=self.made,
            sent=self.sent,
            applied=self.applied,
            verb=row.verb,
            touched=frozenset(self.progress.get("changed", ())),
            has_id=row.physical_id is not None,
        )

    def at(self, verb: str, child: ChildState | None = None) -> At[Any]:
        """Return where the verb stands."""
        raw = self.sent if self.sent is not None else (self.applied or {})
        old = self._parsed(self.applied) if verb == "update" and self.applied is not None else None
        progress = self.progress if verb == self.row.verb else {}
        return At(
            props=self._parsed(raw),
            name=self.name,
            mark=mark(self.row.uuid),
            logical_name=self.row.name,
            stack=StackInfo(self.stack.id, self.stack.name, self.stack.project_id),
            entropy=self._tools.entropy,
            id=self.row.physical_id,
            data=progress.get(data_key(verb), {}),
            stored=self.stored,
            old=old,
            changed=frozenset(progress.get("changed", ())),
            metadata=self._open(self.row.metadata) or {},
            child=child,
            verb=self.row.verb,
            told=self.listening.told,
            clock=self._tools.database.now,
            config_text=self._config_text,
            around=self._around,
            below=self._below,
            policy=self._policy,
            deadline=self.stack.deadline,
        )

    def _below(self) -> Below | None:
        if self.row.physical_id is None:
            return None
        with self._tools.database.read() as connection:
            child = queries.stack(connection, self.row.physical_id)
            if child is None or child.deleted_at is not None:
                return None
            row = queries.documents(connection, child.template_id)
            above = queries.documents(connection, self.stack.template_id)
        if row is None or above is None:
            raise Moved(f"stack {child.id} or its parent has another template by now")
        stored, asked = self._open(row.environment), None
        if self._open(above.environment).get("restored"):
            asked = stored.get("asked")  # what is restored in it will be so in the next, too
        return Below(asked or self._open(row.template), stored["parameters"])

    def _policy(self) -> Any:
        at = ("resources", self.row.name, "update_policy")
        return self.made_kind.Policy.parse(self._evaluated("update_policy"), at)

    def _around(self) -> Around:
        with self._tools.database.read() as connection:
            row = queries.documents(connection, self.stack.template_id)
        if row is None:  # an update has ended since the stack's row was read
            raise Moved(f"stack {self.stack.id} has another template by now")
        environment = read_environment(self._open(row.environment)["environment"])
        files = self._open(row.files)
        return Around.of(environment, files, self.row.name, self.definition["type"])

    def _config_text(self, config_id: str) -> str | None:
        with self._tools.database.read() as connection:
            row = software.config(connection, config_id)
        if row is None or row.project_id != self.stack.project_id:
            return None
        content = self._open(row.config)["config"]
        return content if isinstance(content, str) else json.dumps(content)

    def _parsed(self, raw: Mapping[str, Any]) -> Any:
        """Return recorded properties; where a template makes the type, it may have changed, and an
        object of others has none that are known."""
        properties = self.made_kind.Props
        try:
            return properties.parse(raw)
        except Invalid:
            unsent = self.sent is None and self.applied is None  # adopted, and never looked at
            external = self.definition["external_id"]
            if not (unsent or external or is_template(self.row.implementation)):
                raise
            return properties.parse(dict.fromkeys(properties.properties(), UNKNOWN))

    def _open(self, sealed: bytes | None) -> Any:
        return None if sealed is None else self._tools.database.sealer.open(sealed)
