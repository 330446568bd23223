"""Finding plugins: the modules of the plugin directories, and the installed entry points.

Rule: a plugin that cannot be imported, or whose declarations have no meaning, is told with its
file and line and left out; the others work.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, Final

from stoker.classic.adapter import POLL_SECONDS, Classic, adapted
from stoker.classic.constraints import BaseCustomConstraint
from stoker.classic.installed import CONSTRAINTS, constraints, resources
from stoker.classic.memory import Memory
from stoker.classic.resource import Resource
from stoker.errors import Kind, Place, Problem

PACKAGE: Final = "heat.engine.plugins"
"""The name under which modules of plugin directories are imported, as plugins expect it."""


@dataclass
class Plugins:
    """What was found, by name, and what could not be used."""

    types: dict[str, Classic] = field(default_factory=dict)
    constraints: dict[str, type[BaseCustomConstraint]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def load(
    directories: Sequence[Path] = (),
    *,
    installed: Iterable[EntryPoint] | None = None,
    poll_seconds: float = POLL_SECONDS,
) -> Plugins:
    """Return the plugins of the directories (later ones win) and of what is ``installed``
    (None: what Python knows), which plugins in a directory replace."""
    found = _Finding(poll_seconds)
    if installed is None:
        installed = (*resources(), *constraints())
    for each in installed:
        found.entry_point(each)
    for directory in directories:
        found.directory(directory)
    return found.plugins


class _Finding:
    """Gathers plugins."""

    def __init__(self, poll_seconds: float) -> None:
        self.plugins = Plugins()
        self._memory, self._poll_seconds = Memory(), poll_seconds

    def entry_point(self, point: EntryPoint) -> None:
        """Take up a class under the entry point's name, or what a module maps."""
        with _Telling(self.plugins.problems, point.value):
            loaded = point.load()
            if isinstance(loaded, ModuleType):
                self._mapped(loaded)
            elif point.group == CONSTRAINTS:
                self.plugins.constraints[point.name] = loaded
            else:
                self._type(point.name, loaded)

    def directory(self, directory: Path) -> None:
        """Take up what every module of the directory maps."""
        if not directory.is_dir():
            text = f"there is no plugin directory {directory}"
            self.plugins.problems.append(Problem(text, kind=Kind.TYPE))
            return
        paths = importlib.import_module(PACKAGE).__path__
        if str(directory) not in paths:
            paths.append(str(directory))  # for imports among its modules
        for name, path in _modules(directory):
            with _Telling(self.plugins.problems, str(path)):
                self._mapped(_imported(name, path))

    def _mapped(self, module: ModuleType) -> None:
        mapping = getattr(module, "available_resource_mapping", None)
        for name, kind in _called(mapping or getattr(module, "resource_mapping", None)):
            with _Telling(self.plugins.problems, name, kind):
                self._type(name, kind)
        constraints = _called(getattr(module, "constraint_mapping", None))
        self.plugins.constraints |= dict(constraints)

    def _type(self, name: str, kind: Any) -> None:
        if not (isinstance(kind, type) and issubclass(kind, Resource)):
            raise TypeError(f"{name} is mapped to {kind!r}, which is no subclass of Resource")
        self.plugins.types[name] = adapted(name, kind, self._memory, self._poll_seconds)


class _Telling:
    """A block of a plugin's code: what it raises becomes a problem with its place."""

    def __init__(self, problems: list[Problem], what: str, kind: Any = None) -> None:
        self._problems, self._what, self._kind = problems, what, kind

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception | SystemExit):
            return False
        place = _declared_at(self._kind) or _raised_at(error)
        text = f"the plugin {self._what} is left out: {type(error).__name__}: {error}"
        self._problems.append(Problem(text, (), place, Kind.TYPE))
        return True


def _modules(directory: Path) -> Iterator[tuple[str, Path]]:
    """Yield name and file of each module, those inside packages too."""
    for info in sorted(pkgutil.iter_modules([str(directory)]), key=lambda info: info.name):
        if info.ispkg:
            yield info.name, directory / info.name / "__init__.py"
            for name, path in _modules(directory / info.name):
                yield f"{info.name}.{name}", path
        else:
            yield info.name, directory / f"{info.name}.py"


def _imported(name: str, path: Path) -> ModuleType:
    """Import the file anew, whatever was imported under its name before."""
    full = f"{PACKAGE}.{name}"
    spec = importlib.util.spec_from_file_location(full, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[full] = module
    spec.loader.exec_module(module)
    return module


def _called(mapping: Callable[[], Mapping[str, Any] | None] | None) -> list[tuple[str, Any]]:
    return [] if mapping is None else list((mapping() or {}).items())


def _raised_at(error: BaseException) -> Place | None:
    if isinstance(error, SyntaxError) and error.filename:
        return Place(error.filename, error.lineno or 1, error.offset or 1)
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith("<frozen") and frame.filename != __file__
    ]
    return Place(frames[-1].filename, frames[-1].lineno or 1, 1) if frames else None


def _declared_at(kind: Any) -> Place | None:
    """Return where a class stands, or None for what is no class of a file."""
    if not isinstance(kind, type):
        return None
    try:
        _, line = inspect.getsourcelines(kind)
        return Place(inspect.getfile(kind), line, 1)
    except (OSError, TypeError):
        return None
