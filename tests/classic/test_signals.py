"""The way to be signalled that the description of the plugin interface prints, in an engine."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, Any

import pytest

from stoker.classic.loader import load
from tests.classic.conftest import IMPORTS, MAPPING, written
from tests.classic.house import eventually

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from stoker.classic.loader import Plugins
    from stoker.usecases.stacks import StackRef
    from tests.classic.house import House

BEFORE = """\
from heat.common.exception import SignalFailure


class MyResource(resource.Resource):
    properties_schema = {
        "wanted": properties.Schema(properties.Schema.INTEGER, default=0),
    }
    ATTRIBUTES = ("count",)

    def handle_create(self):
        self.resource_id_set("mine")

    def check_create_complete(self, _handle):
        return int(self.data().get("signal_count", 0)) >= self.properties["wanted"]

    def _resolve_attribute(self, name):
        return self.data().get("signal_count")

"""


@pytest.fixture
def plugins(plugin_dir: Path, shared: Path) -> Plugins:
    """Return a class with the printed method as it stands."""
    text = (shared / "seeds" / "000_4da9e398b404050a.txt").read_text(encoding="utf-8")
    found = re.search(r"^def handle_signal\(.*?(?=^\S+ )", text[1:], re.MULTILINE | re.DOTALL)
    assert found is not None
    method = textwrap.indent(found[0].split("\nWaitCondition")[0].rstrip() + "\n", "    ")
    assert "signal_count" in method
    written(plugin_dir, "signalled", IMPORTS + BEFORE + method + MAPPING)
    plugins = load([plugin_dir], installed=(), poll_seconds=0.05)
    assert plugins.problems == []
    return plugins


OUTPUTS = {"count": {"value": {"get_attr": ["it", "count"]}}}


def resources(wanted: int) -> dict[str, Any]:
    return {"it": {"type": "My::Resource", "properties": {"wanted": wanted}}}


def told(house: House, ref: StackRef) -> list[str]:
    return [reason for action, reason in house.events(ref, "it") if action == "SIGNAL"]


def test_it_counts_its_signals_and_a_failure_is_told(
    plugins: Plugins, house: Callable[[Plugins], House]
) -> None:
    stacks = house(plugins)
    ref = stacks.create("signalled", resources(0), outputs=OUTPUTS)
    for _ in range(3):
        stacks.signal(ref, "it", {"status": "SUCCESS"})
    eventually(lambda: stacks.outputs(ref) == {"count": "3"})
    stacks.signal(ref, "it", {"status": "FAILURE", "reason": "disk full"})
    eventually(lambda: len(told(stacks, ref)) == 4)
    text = "SignalFailure: resources.it: Resource reported failure: disk full"
    assert told(stacks, ref) == ["signal received"] * 3 + [text]
    assert stacks.status(ref) == "CREATE_COMPLETE"
    stacks.delete(ref)
    assert stacks.status(ref) == "DELETE_COMPLETE"


def test_its_create_waits_for_its_signals(
    plugins: Plugins, house: Callable[[Plugins], House]
) -> None:
    stacks = house(plugins)
    ref = stacks.begin("waiting", resources(2), outputs=OUTPUTS)
    eventually(lambda: stacks.id_of(ref, "it") == "mine")
    for _ in range(2):
        stacks.signal(ref, "it", {})
    stacks.settle(ref)
    assert stacks.status(ref) == "CREATE_COMPLETE", stacks.reason(ref)
    assert stacks.outputs(ref) == {"count": "2"}
