"""Real services answer as the scenarios say that they do: nothing in them is invented."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tests.agreement.runner import Cloud, differences
from tests.agreement.scenarios import ALL
from tests.agreement.site import cloud_of
from tests.agreement.step import Scenario
from tests.cloud.project import RealProject, connection, make

SECONDS, LOOK = 60.0, 0.5


@pytest.fixture(scope="module")
def project(cloud: Path, tmp_path_factory: pytest.TempPathFactory) -> RealProject:
    """Return the project that the scenarios run in."""
    name = f"agreement-{uuid4().hex[:6]}"
    return make(cloud, name, tmp_path_factory.mktemp(name))[0]


@pytest.fixture(scope="module")
def real(
    cloud: Path, project: RealProject, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Cloud]:
    """Return the real services, as the runner wants them."""
    name = f"strangers-{uuid4().hex[:6]}"
    strangers, _ = make(cloud, name, tmp_path_factory.mktemp(name))
    admin = connection(cloud / "clouds.yaml", "admin")
    yield cloud_of(project.conn, admin, strangers.conn, SECONDS, LOOK)
    for each in (project, strangers):
        for group in admin.network.security_groups(project_id=each.id):
            admin.network.delete_security_group(group)
        admin.identity.delete_user(each.conn.current_user_id)
        admin.identity.delete_project(each.id)


@pytest.mark.parametrize("scenario", ALL, ids=lambda each: each.name.replace(" ", "-"))
def test_real_services_answer_as_the_scenario_says(
    real: Cloud, project: RealProject, scenario: Scenario
) -> None:
    before = project.objects()
    told = differences(real, scenario)
    assert not told, "\n".join(told)
    assert project.settled(before) == before
