"""python-heatclient's and openstacksdk's own tests pass, every one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from stoker.cli.account import account
from tests.clients.suite import Suite, outcomes, served

if TYPE_CHECKING:
    from pathlib import Path

PASSED: Final = "passed"
HEATCLIENT: Final = "heatclient/tests/functional"
SDK: Final = (
    "openstack/tests/functional/cloud/test_orchestration.py",
    "openstack/tests/functional/orchestration/v1/test_stack.py",
)
FROM_AFAR: Final = """
from heatclient.tests.functional import config
config.HEAT_MINIMAL_HOT_TEMPLATE_URL = "{url}/heat_minimal_hot.yaml"
"""
"""The one template that python-heatclient's tests fetch from the internet is in their archive."""


def test_python_heatclient(place: Path, state: Path, tmp_path: Path) -> None:
    mine = account(state / "clouds.yaml", "demo")
    (source,) = (place / "src").glob("python_heatclient-*/")
    environment = {
        "OS_HEATCLIENT_EXEC_DIR": str(place / "bin"),
        "OS_AUTH_URL": mine.auth_url,
        "OS_USERNAME": mine.username,
        "OS_PASSWORD": mine.password,
        "OS_PROJECT_NAME": mine.project,
        "OS_TENANT_NAME": mine.project,
        "OS_IDENTITY_API_VERSION": "3",
        "OS_USER_DOMAIN_NAME": "Default",
        "OS_PROJECT_DOMAIN_NAME": "Default",
        "PYTHONPATH": f"{tmp_path}:{source}",
        "PYTEST_PLUGINS": "from_afar",
    }
    with served(source / HEATCLIENT / "templates") as url:
        (tmp_path / "from_afar.py").write_text(FROM_AFAR.format(url=url))
        suite = Suite("python_heatclient", (HEATCLIENT,), environment, workers=3)
        found = outcomes(place, suite, tmp_path / "report.xml")
    assert {name: each for name, each in found.items() if each != PASSED} == {}
    assert len(found) == 38


def test_openstacksdk(place: Path, state: Path, tmp_path: Path) -> None:
    clouds = {
        "OS_CLIENT_CONFIG_FILE": str(state / "clouds.yaml"),
        "OS_CLOUD": "admin",
        "OS_TEST_TIMEOUT": "600",
        "OPENSTACKSDK_DEMO_CLOUD": "demo",
        "OPENSTACKSDK_DEMO_CLOUD_ALT": "demo",
        "OPENSTACKSDK_OPERATOR_CLOUD": "admin",
        "OPENSTACKSDK_SYSTEM_ADMIN_CLOUD": "admin",
    }
    found: dict[str, str] = {}
    for file in SDK:  # those of one file use the same names
        one = Suite("openstacksdk", (file,), clouds)
        found |= outcomes(place, one, tmp_path / "report.xml")
    assert {name: each for name, each in found.items() if each != PASSED} == {}
    assert len(found) == 5
