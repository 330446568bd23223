"""Finding plugins: what is taken up, and what is told of those that cannot be."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from stoker.classic.loader import PACKAGE, load
from stoker.classic.plugins import PluginTypes
from stoker.errors import Place
from stoker.resources.index import Index
from tests.classic.conftest import written

if TYPE_CHECKING:
    from stoker.classic.loader import Plugins

PLUGIN = """
from heat.engine import resource


class Thing(resource.Resource):
    "A thing."

    NUMBER = {number}


def resource_mapping():
    return {{"My::Thing": Thing}}
"""


def found(*directories: Path, installed: tuple[EntryPoint, ...] = ()) -> Plugins:
    return load(directories, installed=installed)


def number(plugins: Plugins, name: str = "My::Thing") -> object:
    return vars(plugins.types[name].plugin)["NUMBER"]


def test_a_module_maps_its_types(plugin_dir: Path) -> None:
    written(plugin_dir, "thing", PLUGIN.format(number=1))
    plugins = found(plugin_dir)
    assert plugins.problems == []
    assert (plugins.types["My::Thing"].doc, number(plugins)) == ("A thing.", 1)


def test_a_directory_is_read_anew_at_each_start(plugin_dir: Path) -> None:
    for each in (1, 2):
        written(plugin_dir, "thing", PLUGIN.format(number=each) + "\n" * each)
        assert number(found(plugin_dir)) == each


def test_modules_of_packages_are_found_and_may_import_each_other(plugin_dir: Path) -> None:
    package = plugin_dir / "vendor"
    (package / "deep").mkdir(parents=True)
    for folder in (package, package / "deep"):
        (folder / "__init__.py").touch()
    written(package, "number", "NUMBER = 7\n")
    source = PLUGIN.format(number="NUMBER_OF_OTHER")
    importing = f"from {PACKAGE}.vendor.number import NUMBER as NUMBER_OF_OTHER\n{source}"
    written(package / "deep", "thing", importing)
    plugins = found(plugin_dir)
    assert plugins.problems == []
    assert number(plugins) == 7


@pytest.mark.parametrize(
    ("source", "line", "told"),
    [
        ("import heat\nimport nothing_of_this_name\n", 2, "No module named 'nothing_of_this_name'"),
        ("x = 1\ndef f(:\n", 2, "SyntaxError"),
        ("def resource_mapping():\n    return {'A': 1 / 0}\n", 2, "ZeroDivisionError"),
        ("import sys\nsys.exit(3)\n", 2, "SystemExit: 3"),
    ],
)
def test_a_module_that_fails_is_told_with_file_and_line_and_the_others_work(
    plugin_dir: Path, source: str, line: int, told: str
) -> None:
    path = written(plugin_dir, "broken", source)
    written(plugin_dir, "thing", PLUGIN.format(number=1))
    plugins = found(plugin_dir)
    assert set(plugins.types) == {"My::Thing"}
    (problem,) = plugins.problems
    assert told in problem.text
    assert problem.place is not None
    assert (problem.place.file, problem.place.line) == (str(path), line)


def test_a_class_with_a_wrong_schema_is_told_where_it_stands(plugin_dir: Path) -> None:
    source = """\
        from heat.engine import properties, resource


        class Wrong(resource.Resource):
            properties_schema = {"a": properties.Schema("Text")}


        class Right(resource.Resource):
            pass


        def resource_mapping():
            return {"My::Wrong": Wrong, "My::Right": Right}
    """
    path = written(plugin_dir, "thing", source)
    plugins = found(plugin_dir)
    assert set(plugins.types) == {"My::Right"}
    (problem,) = plugins.problems
    assert "property a: 'Text' is no type" in problem.text
    assert problem.place == Place(str(path), 4, 1)


def test_what_is_no_resource_is_told(plugin_dir: Path) -> None:
    written(plugin_dir, "thing", "def resource_mapping():\n    return {'My::Int': int}\n")
    (problem,) = found(plugin_dir).problems
    assert "My::Int" in problem.text
    assert "no subclass of Resource" in problem.text


def test_the_mapping_of_what_is_available_goes_before_the_other(plugin_dir: Path) -> None:
    more = "\n\ndef available_resource_mapping():\n    return {}\n"
    written(plugin_dir, "thing", PLUGIN.format(number=1) + more)
    assert found(plugin_dir).types == {}


def test_a_directory_that_is_not_there_is_told(tmp_path: Path) -> None:
    (problem,) = found(tmp_path / "nowhere").problems
    assert str(tmp_path / "nowhere") in problem.text


def test_the_later_directory_wins(tmp_path: Path) -> None:
    for each in (1, 2):
        (tmp_path / str(each)).mkdir()
        written(tmp_path / str(each), "thing", PLUGIN.format(number=each))
    assert number(found(tmp_path / "1", tmp_path / "2")) == 2


# entry points


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Return the name of an installed module with a plugin in it."""
    name = "vendor_of_things"
    folder = tmp_path / "site-packages"
    folder.mkdir()
    written(folder, name, PLUGIN.format(number=5) + "\n\nclass Check:\n    pass\n")
    monkeypatch.syspath_prepend(folder)
    yield name
    sys.modules.pop(name, None)


def test_an_entry_point_names_a_class_or_a_module(installed: str) -> None:
    points = (
        EntryPoint("Your::Thing", f"{installed}:Thing", "heat.engine.resources"),
        EntryPoint("things", installed, "heat.engine.resources"),
        EntryPoint("my.check", f"{installed}:Check", "heat.constraints"),
        EntryPoint("Lost::Thing", "nothing_of_this_name:Thing", "heat.engine.resources"),
    )
    plugins = found(installed=points)
    assert set(plugins.types) == {"Your::Thing", "My::Thing"}
    assert plugins.constraints["my.check"].__name__ == "Check"
    (problem,) = plugins.problems
    assert "nothing_of_this_name" in problem.text


def test_a_directorys_plugin_goes_before_an_installed_one(plugin_dir: Path, installed: str) -> None:
    written(plugin_dir, "thing", PLUGIN.format(number=1))
    point = EntryPoint("things", installed, "heat.engine.resources")
    assert number(found(plugin_dir, installed=(point,))) == 1


# the index


def test_plugins_join_the_built_in_types_and_go_first(plugin_dir: Path) -> None:
    mapping = PLUGIN.format(number=1).replace("My::Thing", "OS::Nova::Server")
    written(plugin_dir, "thing", mapping)
    plugins = found(plugin_dir)
    types = PluginTypes(Index(), plugins)
    assert types.get("OS::Nova::Server") is plugins.types["OS::Nova::Server"]
    assert types.get("OS::Heat::Value") is not None
    assert types.get("No::Such") is None
    assert list(types.names()) == sorted(Index().names())
