"""A request that changes nothing costs three statements at most, however deep stacks stand.

Those of ``COSTS`` take more, each for its reason; what is listed and costs less is a failure too.
"""

from __future__ import annotations

import re
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

import pytest

from stoker.api.policy import stack_user
from stoker.api.v1.application import ROUTES
from tests.api.v1.house import FILES, LEAF, TOP, House, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.api.v1.house import Asked

MOST: Final = 3
LOOKUP: Final = stack_user("stacks:lookup")
"""What all those redirections are guarded by of which two are enough."""
GOAL: Final = {"template": TOP, "files": {name: text(each) for name, each in FILES.items()}}

LOOKS: Final = (
    "/stacks",
    "/stacks?with_count=true",
    "/stacks?limit=2&with_count=true&marker={deep}&sort_keys=stack_name",
    "/stacks?show_nested=true&tags=t1",
    "/stacks/detail",
    "/stacks/deep",
    "/stacks/{deep}",
    "{stack}",
    "{stack}?resolve_outputs=false",
    "{middle}",
    "{stack}/template",
    "{stack}/environment",
    "{stack}/files",
    "{stack}/outputs",
    "{stack}/outputs/a",
    "{stack}/outputs/deep",
    "{stack}/outputs/all",
    "{stack}/outputs/first",
    "{stack}/snapshots",
    "{stack}/snapshots/{snapshot}",
    "{stack}/resources",
    "{stack}/resources?nested_depth=5",
    "{stack}/resources?with_detail=true",
    "{stack}/resources?nested_depth=5&with_detail=true",
    "{stack}/resources?type=RandomString",
    "{stack}/resources/a",
    "{stack}/resources/group",
    "{stack}/resources/middle",
    "{stack}/resources/group?with_attr=resource.0.pair&with_attr=value",
    "{stack}/resources/handle",
    "{stack}/resources/b/metadata",
    "{stack}/resources/handle/metadata",
    "{stack}/events",
    "{stack}/events?marker={event}&limit=3",
    "{stack}/events?nested_depth=5&marker={event}&limit=3",
    "{stack}/resources/a/events",
    "{stack}/resources/a/events/{event}",
    "/build_info",
    "/template_versions",
    "/template_versions/heat_template_version.2021-04-16/functions",
    "/resource_types",
    "/resource_types/OS::Heat::Value",
    "/resource_types/OS::Heat::Value/template",
    "/software_configs",
    "/software_configs/{config}",
    "/software_deployments",
    "/software_deployments?server_id=server",
    "/software_deployments/{deployment}",
    "/software_deployments/metadata/server",
)
POSTED: Final = (
    ("POST", "/validate", GOAL),
    ("POST", "/validate?show_nested=true", GOAL),
    ("POST", "/stacks/preview", {"stack_name": "new", **GOAL}),
)
COSTS: Final = {
    ("PUT", "{stack}/preview"): (7, "it plans as the update does, from all that is recorded"),
    ("PUT", "{stack}/preview?show_nested=true"): (7, "the same, of the stacks below too"),
    ("PATCH", "{stack}/preview"): (7, "the same"),
    ("GET", "{stack}/export"): (103, "it reads each stack as its abandoning does, which locks it"),
    ("PATCH", "{stack}/resources/a"): (8, "it writes a row, an event and the stack's version"),
    ("POST", "{stack}/resources/handle/signal"): (9, "it writes the inbox and an event"),
    ("POST", "/stacks"): (11, "it writes the rows of an operation, a statement for each table"),
    ("PUT", "{stack}"): (16, "it plans, and writes the rows of an operation"),
    ("POST", "{plain}/actions"): (14, "it plans, and writes the rows of an operation"),
    ("DELETE", "{plain}"): (15, "it plans, and writes the rows of an operation"),
}
BODIES: Final[dict[tuple[str, str], Any]] = {
    ("PUT", "{stack}/preview"): GOAL,
    ("PUT", "{stack}/preview?show_nested=true"): GOAL,
    ("PATCH", "{stack}/preview"): {},
    ("PATCH", "{stack}/resources/a"): {"mark_unhealthy": True},
    ("POST", "{stack}/resources/handle/signal"): {"id": "1", "data": "x", "status": "SUCCESS"},
    ("POST", "/stacks"): {"stack_name": "new", "template": LEAF},
    ("PUT", "{stack}"): GOAL,
    ("POST", "{plain}/actions"): {"check": None},
}
"""Those that change come last: they change what the others would find."""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with closing(House(f"sqlite:///{tmp_path_factory.mktemp('house')}/s.db")) as house:
        yield house


def cost(house: House, verb: str, path: str, body: Any = None) -> Asked:
    """Return the statements of a request that goes well."""
    with house.counted() as asked:
        answer = house(verb, path.format(**house.known), body)
    assert answer.status < 400, answer.data
    return asked


@pytest.mark.parametrize("path", LOOKS)
def test_a_look_costs_three_statements_at_most(house: House, path: str) -> None:
    asked = cost(house, "GET", path)
    assert len(asked.statements) <= MOST, "\n".join(asked.statements)


def test_so_does_an_administrators(house: House) -> None:
    with house.counted() as asked:
        assert house.as_admin("GET", "/services").status == 200
    assert len(asked.statements) <= MOST


@pytest.mark.parametrize(("verb", "path", "body"), POSTED)
def test_so_does_what_is_only_tried(house: House, verb: str, path: str, body: Any) -> None:
    asked = cost(house, verb, path, body)
    assert len(asked.statements) <= MOST, "\n".join(asked.statements)


@pytest.mark.parametrize(("verb", "path"), COSTS)
def test_what_costs_more_is_known(house: House, verb: str, path: str) -> None:
    asked = cost(house, verb, path, BODIES.get((verb, path)))
    assert len(asked.statements) == COSTS[verb, path][0], "\n".join(asked.statements)


def test_no_route_that_looks_is_forgotten() -> None:
    asked = ["/services", *LOOKS, *(path for verb, path in COSTS if verb == "GET")]
    known = dict.fromkeys(("deep", "snapshot", "config", "deployment", "event"), "x")
    paths = [
        path.partition("?")[0].format(stack="/stacks/x/x", middle="/stacks/x/x", **known)
        for path in asked
    ]
    for route in ROUTES:
        if route.verb == "GET" and route.rule != LOOKUP:
            pattern = re.sub(r"\{\w+\}", "[^/]+", route.path.removeprefix("/{project}"))
            assert any(re.fullmatch(pattern, path) for path in paths), route.path
