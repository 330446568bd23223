"""A development cloud, plugin directories, and engines that know what is in them."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.classic.house import House
from tests.crash.site import Site

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from stoker.classic.loader import Plugins

IMPORTS = """\
from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints, properties, resource

"""
MAPPING = """

def resource_mapping():
    return {"My::Resource": MyResource}
"""


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """Return a cloud that all tests share."""
    running = Site()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def listing(shared: Path) -> str:
    """Return the class that the description of the plugin interface prints, as it stands."""
    text = (shared / "seeds" / "000_4da9e398b404050a.txt").read_text(encoding="utf-8")
    found = re.search(r"^class MyResource\(.*?(?=^\S)", text, re.MULTILINE | re.DOTALL)
    assert found is not None
    begin = found.start()
    end = re.compile(r"^Resource Discovery", re.MULTILINE).search(text, begin)
    assert end is not None
    return text[begin : end.start()].rstrip() + "\n"


@pytest.fixture
def plugin_dir(tmp_path: Path) -> Path:
    """Return an empty plugin directory."""
    folder = tmp_path / "plugins"
    folder.mkdir()
    return folder


@pytest.fixture
def house(site: Site, tmp_path: Path) -> Iterator[Callable[[Plugins], House]]:
    """Return a function that brings an engine up with these plugins."""
    houses: list[House] = []

    def up(plugins: Plugins) -> House:
        houses.append(House(site, tmp_path, plugins))
        return houses[-1]

    yield up
    for each in houses:
        each.end()


def written(folder: Path, name: str, source: str) -> Path:
    """Write a plugin's module and return its path."""
    path = folder / f"{name}.py"
    path.write_text(textwrap.dedent(source), encoding="utf-8")
    return path
