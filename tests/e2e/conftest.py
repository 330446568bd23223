"""A served installation for the tests that use Stoker as people do, and what they use it with.

Rule: nothing here reaches into the program; it is what an account with ``clouds.yaml`` can do.
"""

from __future__ import annotations

import itertools
import time
import urllib.request
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from pathlib import Path

import openstack
import pytest

from tests.app.serving import Serving
from tests.e2e.rest import Rest
from tests.e2e.tenant import Tenant, make

_LOG_BYTES = 8000
IDLE_SECONDS = 9.0
"""An end that waits for steps takes ten; here there is nothing to wait for."""
_STATE = pytest.StashKey[Path]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let openstacksdk warn of itself: it calls its own functions that are to be removed."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            for each in ("RemovedInSDK50Warning", "RemovedInSDK60Warning"):
                item.add_marker(pytest.mark.filterwarnings(f"ignore::openstack.warnings.{each}"))


@pytest.fixture(scope="session")
def served(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Serving]:
    """Return a ``stoker serve`` in a directory of its own; it must end cleanly."""
    state = tmp_path_factory.mktemp("served") / "state"
    request.config.stash[_STATE] = state
    with closing(Serving(state)) as serving:
        yield serving
        begun = time.monotonic()
        assert serving.stop() == 0
        assert time.monotonic() - begun < IDLE_SECONDS


@pytest.fixture(autouse=True)
def undisturbed(request: pytest.FixtureRequest) -> Iterator[None]:
    """Leave no fault in the cloud that a test has asked for and that did not occur."""
    yield
    if "served" in request.fixturenames:
        serving: Serving = request.getfixturevalue("served")
        url = f"http://127.0.0.1:{serving.ports['devcloud']}/devcloud/faults"
        urllib.request.urlopen(urllib.request.Request(url, method="DELETE")).close()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.CallInfo[None], None]:
    """Show the end of the installation's logs beside a failure."""
    outcome = yield
    report = outcome.get_result()  # type: ignore[attr-defined]
    state = item.config.stash.get(_STATE, None)
    if report.failed and state is not None:
        for name in ("stoker.log", "devcloud.log"):
            if (state / name).exists():
                text = (state / name).read_bytes()[-_LOG_BYTES:].decode("utf-8", "replace")
                report.sections.append((name, text))


@pytest.fixture(scope="session")
def clouds_yaml(served: Serving) -> Path:
    """Return the file with the accounts."""
    return served.state / "clouds.yaml"


@pytest.fixture(scope="session")
def rest(clouds_yaml: Path) -> Rest:
    """Return the API as the account ``demo`` sees it."""
    return Rest(clouds_yaml, "demo")


def connect(clouds_yaml: Path, cloud: str) -> openstack.connection.Connection:
    """Open an openstacksdk connection for an account."""
    loader = openstack.config.OpenStackConfig(config_files=[str(clouds_yaml)])
    return openstack.connection.Connection(config=loader.get_one(cloud))


@pytest.fixture(scope="session")
def conn(clouds_yaml: Path) -> openstack.connection.Connection:
    """Return the cloud as the account ``demo`` sees it, through openstacksdk."""
    return connect(clouds_yaml, "demo")


@pytest.fixture(scope="session")
def tenants(clouds_yaml: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Tenant]:
    """Return what makes a project of a given name, with a user of its own."""
    folder = tmp_path_factory.mktemp("tenants")
    return lambda name: make(name, clouds_yaml, folder, connect)


_NUMBERS = itertools.count(1)


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """Return a stack name that no other test has."""
    words = "".join(each if each.isalnum() else "-" for each in request.node.name)
    return f"e2e{words[4:60]}-{next(_NUMBERS)}"
