"""What an operator offers to every stack: environments of a directory, with their templates.

Rule: they are read when a process starts, and whatever is wrong with one of them ends it then,
with the file's name; what the web has is fetched when a request wants it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

from stoker.app.misconfigured import Misconfigured
from stoker.engine.offer import Offer
from stoker.engine.settings import Settings
from stoker.errors import Invalid, Unfetched
from stoker.fetch import Limits, fetch
from stoker.lang.environment import Environment, is_template, read_environment
from stoker.lang.registry import RESOURCES, settled
from stoker.lang.template import read

if TYPE_CHECKING:
    from collections.abc import Callable

_LOG = logging.getLogger(__name__)
_WEB: Final = ("http", "https")
_LOCAL: Final = ("", "file")
_OF_USERS: Final = ("hooks", "restricted_actions")
_NO_TYPES: Final = ("base_url", *_OF_USERS)


def web(size: int, *, private: bool) -> Callable[[str, float], str]:
    """Return what fetches templates of so many bytes at most, from private addresses too or not."""

    def fetched(url: str, seconds: float) -> str:
        try:
            return fetch(url, Limits(size, seconds, private)).decode()
        except UnicodeDecodeError as error:
            raise Unfetched("it is not text in UTF-8") from error

    return fetched


def near_and_far() -> Offer:
    """Return what there is where the user is the operator: the web, and this machine's sites."""
    return Offer(fetch=web(Settings().max_template_size, private=True))


def registry_of(environments: Path, templates: Path) -> Offer:
    """Return the registry of all files in ``environments``, later names over earlier ones.

    ``templates`` is where names of files without a path are meant. Raises Misconfigured.
    """
    found = [(file, _environment(file)) for file in _files(environments)]
    whole = Environment()
    for file, each in found:
        _warn(file, each)
        whole = whole.overlaid(each)
    registry = settled(whole.registry)
    left = {name for name in _templates(registry) if urlsplit(name).scheme not in _WEB}
    texts: dict[str, str] = {}
    for file, each in found:
        for name in left.intersection(_templates(each.registry)):
            texts[name] = _text(file, name, templates)
    return Offer(registry=registry, texts=texts)


def _warn(file: Path, environment: Environment) -> None:
    """Tell what users' environments alone may say, as with Heat."""
    given = environment.as_dict()
    idle = [name for name in given if name != "resource_registry" and given[name]]
    own = (environment.registry.get(RESOURCES) or {}).values()
    idle += [name for name in _OF_USERS if any(name in (each or {}) for each in own)]
    if idle:
        _LOG.warning("%s: this changes no stack: %s", file, ", ".join(idle))


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(each for each in folder.iterdir() if each.is_file())
    except OSError as error:
        raise Misconfigured(f"environment_dir: {folder}: {error.strerror}") from error


def _environment(file: Path) -> Environment:
    try:
        return read_environment(file.read_text(encoding="utf-8"), str(file))
    except OSError as error:
        raise Misconfigured(f"{file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise Misconfigured(f"{file}: it is not text in UTF-8") from error
    except Invalid as error:
        told = "; ".join(map(str, error.problems))
        raise Misconfigured(f"{file} is no environment: {told}") from error


def _templates(registry: Mapping[str, Any]) -> Iterator[str]:
    """Give the names of templates that the entries lead to, at every level."""
    for key, value in registry.items():
        if isinstance(value, Mapping):
            yield from _templates(value)
        elif isinstance(value, str) and is_template(value) and key not in _NO_TYPES:
            yield value


def _text(file: Path, name: str, templates: Path) -> str:
    scheme = urlsplit(name).scheme
    if scheme not in _LOCAL:
        raise Misconfigured(f"{file}: {name}: only file, http and https can be read")
    path = Path(url2pathname(urlsplit(name).path)) if scheme else templates / name
    try:
        text = path.read_text(encoding="utf-8")
        read(text, str(path))
    except OSError as error:
        raise Misconfigured(f"{file}: {name}: {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise Misconfigured(f"{file}: {name}: {path} is not text in UTF-8") from error
    except Invalid as error:
        told = "; ".join(map(str, error.problems))
        raise Misconfigured(f"{file}: {name} is no template: {told}") from error
    return text
