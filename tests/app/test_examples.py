"""Every example deploys as it is, gives the outputs that it says, and leaves nothing behind."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.app.serving import Serving, created, eventually

if TYPE_CHECKING:
    from collections.abc import Iterator

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with closing(Serving(tmp_path_factory.mktemp("examples") / "state")) as found:
        yield found


def outputs(stack: dict[str, Any]) -> dict[str, Any]:
    return {each["output_key"]: each["output_value"] for each in stack["outputs"]}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_deploys_and_leaves_nothing_behind(serving: Serving, example: Path) -> None:
    endpoint, text = serving.endpoint, example.read_text(encoding="utf-8")
    id = created(endpoint, example.stem, text)
    stack = endpoint.stack(example.stem, id)
    declared = yaml.safe_load(text)["outputs"]
    unconditional = {name for name, each in declared.items() if "condition" not in each}
    found = outputs(stack)
    assert unconditional <= found.keys() <= declared.keys()
    assert not [name for name in unconditional if found[name] in (None, "", [], {})]
    endpoint.delete(example.stem, id)
    eventually(lambda: endpoint.stack(example.stem, id)["stack_status"] == "DELETE_COMPLETE")


def test_the_examples_say_what_they_show() -> None:
    for example in EXAMPLES:
        template = yaml.safe_load(example.read_text(encoding="utf-8"))
        assert len(template["description"].split()) > 5, example
        assert all("description" in each for each in template["outputs"].values()), example


def test_the_list_of_examples_is_whole(root: Path) -> None:
    text = (root / "examples" / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\]\((\S+\.yaml)\)", text)) == {path.name for path in EXAMPLES}
