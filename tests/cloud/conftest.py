"""Real OpenStack services, and Stoker beside them as an account of its own.

Rule: these tests run where ``STOKER_CLOUD`` names the directory of the services (``make
test-cloud`` brings them up); elsewhere they are skipped.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest

from tests.app.serving import Serving
from tests.cloud.project import RealProject, make
from tests.e2e.rest import Rest

TIMEOUT = 900
_HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let real services take their time, and openstacksdk warn of itself."""
    for item in items:
        if _HERE in item.path.parents:
            item.add_marker(pytest.mark.timeout(TIMEOUT))
            for each in ("RemovedInSDK50Warning", "RemovedInSDK60Warning"):
                item.add_marker(pytest.mark.filterwarnings(f"ignore::openstack.warnings.{each}"))


@pytest.fixture(scope="session")
def cloud() -> Path:
    """Return the directory of the services."""
    named = os.environ.get("STOKER_CLOUD")
    if not named:
        pytest.skip("needs real OpenStack services: run `make test-cloud`")
    return Path(named)


@dataclass(frozen=True, slots=True)
class Site:
    """Stoker as the one user of a project."""

    project: RealProject
    serving: Serving
    rest: Rest
    account_file: Path


@pytest.fixture(scope="session")
def alone(cloud: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Site]:
    """Return what makes a project with Stoker beside it, which the caller ends."""

    def site(word: str) -> Site:
        name = f"stoker-{word}-{uuid4().hex[:6]}"
        folder = tmp_path_factory.mktemp(name)
        project, file = make(cloud, name, folder)
        serving = started(folder / "state", project, file)
        return Site(project, serving, Rest(folder / "state" / "clouds.yaml", name), file)

    return site


def started(state: Path, project: RealProject, file: Path) -> Serving:
    """Start Stoker as the account of a project."""
    named = {"OS_CLIENT_CONFIG_FILE": str(file)}
    return Serving(state, "--cloud", project.name, environment=named)


@pytest.fixture(scope="module")
def site(alone: Callable[[str], Site], request: pytest.FixtureRequest) -> Iterator[Site]:
    """Return the module's own project with Stoker beside it; it must end cleanly."""
    found = alone(request.path.stem.removeprefix("test_").replace("_", "-"))
    with closing(found.serving):
        yield found
        assert found.serving.stop() == 0


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """Return a stack name that no other test uses."""
    return f"{request.node.originalname.removeprefix('test_')[:40]}-{next(_NUMBERS)}"


_NUMBERS = itertools.count(1)
