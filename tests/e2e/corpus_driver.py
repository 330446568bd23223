"""What is done with a case of the corpus, in whatever cloud: made, left alone, changed, removed.

Rule: the driver knows an API and a :class:`Project`, no kind of cloud; who runs the cases
elsewhere writes those two and nothing else.
"""

from __future__ import annotations

import importlib
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Protocol

from tests.e2e.corpus_case import Case, Named

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from tests.e2e.rest import Json, Rest, Stack

SECONDS = 60.0
LOOK_SECONDS = 0.2
"""Many stacks are looked at, at the same time."""
MINUTES = 3
DEPTH = 5
_KEPT = ("OS::Neutron::", "OS::Nova::Server", "OS::Cinder::Volume", "OS::Glance::")
"""Types whose physical id is the id of an object that a project has."""
_RELATIONS = ("Interface", "Association", "Attachment", "Type")
_resolve: Any = importlib.import_module("heatclient.common.template_utils")  # it has no types


class Project(Protocol):
    """Where stacks are made: what it has, and what is asked of its cloud."""

    def objects(self) -> set[tuple[str, str]]:
        """Return kind and id of everything that the project has."""

    def mark(self) -> Any:
        """Return a moment, to be given to ``changes``."""

    def changes(self, since: Any) -> list[str]:
        """Return the requests since then that change something (no log-ins), as short lines."""

    def given(self, needs: tuple[Named, ...]) -> AbstractContextManager[dict[Named, str]]:
        """Make what is to be there beforehand, give the ids, and take it away again."""


@dataclass(frozen=True, slots=True)
class Driver:
    """``folder`` is the corpus' folder of templates; ``seconds`` the time that a step may take."""

    rest: Rest
    project: Project
    folder: Path
    seconds: float = SECONDS

    def run(self, case: Case, name: str) -> None:
        """Create the case's stack, update it without and with a change, and delete it."""
        with self.project.given(case.needs) as ids, ExitStack() as on_failure:
            run = _Run(self, case, ids, self.project.objects(), self.project.mark())
            body = self.body(case, case.path, ids)
            template = body.pop("template")
            stack = self.rest.create(name, template, **body, timeout_mins=MINUTES)
            on_failure.callback(self._away, stack)
            run.created(stack)
            run.updated_without_change(stack)
            if case.changes or case.becomes:
                run.updated(stack)
            on_failure.pop_all()
            run.deleted(stack)

    def _away(self, stack: Stack) -> None:
        """Delete what failed, so that what it stands on can be taken away too."""
        stack.delete()
        stack.wait("DELETE_COMPLETE", self.seconds, LOOK_SECONDS)

    def body(
        self,
        case: Case,
        path: str,
        ids: dict[Named, str],
        changes: dict[str, Any] | None = None,
    ) -> Json:
        """Return the body that heatclient makes of a template's path and the case's environment."""
        files, template = _resolve.get_template_contents(template_file=str(self.folder / path))
        environments = [str(self.folder / case.env)] if case.env else []
        more, environment = _resolve.process_multiple_environments_and_files(environments)
        registry = {
            **environment.get("resource_registry", {}),
            **dict.fromkeys(case.as_nothing, "OS::Heat::None"),
        }
        wanted = {**case.parameters, **(changes or {})}
        return {
            "template": template,
            "files": {name: _text(each) for name, each in {**files, **more}.items()},
            "environment": {**environment, "resource_registry": registry},
            "parameters": {name: _known(value, ids) for name, value in wanted.items()},
        }


@dataclass(frozen=True, slots=True)
class _Run:
    """One case under way; ``before`` is what the project had before its stack, at ``begun``."""

    driver: Driver
    case: Case
    ids: dict[Named, str]
    before: set[tuple[str, str]]
    begun: Any

    def created(self, stack: Stack) -> None:
        stack.wait("CREATE_COMPLETE", self.driver.seconds, LOOK_SECONDS)
        faulty = [each for each in stack.show()["outputs"] if "output_error" in each]
        assert not faulty, f"outputs with errors: {faulty}"
        self._has_what_it_says(stack)

    def updated_without_change(self, stack: Stack) -> None:
        resources, since = stack.resources(DEPTH), self.driver.project.mark()
        told = self._update(stack, self.driver.body(self.case, self.case.path, self.ids))
        changes = self.driver.project.changes(since)
        assert not changes, f"an update without change changed the cloud: {changes}"
        before, after = _shown(resources), _shown(stack.resources(DEPTH))
        changed = [pair for pair in zip_longest(before, after) if pair[0] != pair[1]]
        assert not changed, f"an update without change touched resources: {changed}"
        parents = {each["resource_name"] for each in resources if _is_parent(each)}
        fates = told.keys() - parents
        assert not fates, f"the preview of an update without change shows one: {fates} of {told}"

    def updated(self, stack: Stack) -> None:
        made, path = stack.physical_ids(), self.case.becomes or self.case.path
        told = self._update(stack, self.driver.body(self.case, path, self.ids, self.case.changes))
        now = stack.physical_ids()
        replaced = {each for each in made.keys() & now.keys() if made[each] != now[each]}
        assert replaced == self.case.replaced, f"replaced: {sorted(replaced)}"
        surely = {name for name, fate in told.items() if fate == "replaced"}
        perhaps = {name for name, fate in told.items() if fate == "open"}
        assert surely <= replaced <= surely | perhaps, f"not as the preview shows: {told}"
        self._has_what_it_says(stack)

    def deleted(self, stack: Stack) -> None:
        stack.deleted(self.driver.seconds, LOOK_SECONDS)
        left = self.driver.project.objects() ^ self.before
        assert not left, f"objects that only one of before and after has: {left}"

    def _update(self, stack: Stack, body: Json) -> dict[str, str]:
        """Update the stack; return what the preview told of each resource that is to change."""
        preview = stack.rest.call("PUT", f"{stack.path}/preview", body)
        assert preview.status == 200, preview
        answer = stack.update(body.pop("template"), **body)
        assert answer.status == 202, answer
        stack.wait("UPDATE_COMPLETE", self.driver.seconds, LOOK_SECONDS)
        lists = preview.json["resource_changes"]
        return {
            each["resource_name"]: each["change"]["fate"]
            for name in lists.keys() - {"unchanged"}
            for each in lists[name]
        }

    def _has_what_it_says(self, stack: Stack) -> None:
        made = self.driver.project.objects() - self.before
        seen = self.driver.project.changes(self.begun)
        assert bool(made) <= bool(seen), f"the log does not show how these were made: {made}"
        there = {id for _, id in made}
        said = {
            each["physical_resource_id"]
            for each in stack.resources(DEPTH)
            if each["resource_type"].startswith(_KEPT)
            and not each["resource_type"].endswith(_RELATIONS)
            and each["resource_type"] not in self.case.as_nothing
        }
        assert said <= there, f"the stack has what is not there: {said - there}"


def _shown(resources: list[Json]) -> list[Json]:
    """Return resources as they are shown; of a nested stack's only what does not tell of visits.

    An update plans nested stacks anew, also when that comes to nothing.
    """
    return [
        {key: each[key] for key in ("resource_name", "physical_resource_id")}
        if _is_parent(each)
        else each
        for each in resources
    ]


def _is_parent(resource: Json) -> bool:
    """Tell whether a resource is a nested stack."""
    return any(link["rel"] == "nested" for link in resource["links"])


def _text(content: str | bytes) -> str:
    return content.decode() if isinstance(content, bytes) else content


def _known(value: object, ids: dict[Named, str]) -> object:
    """Put ids in the place of what is named."""
    if isinstance(value, Named):
        return ids[value]
    if isinstance(value, list):
        return [_known(each, ids) for each in value]
    return value
