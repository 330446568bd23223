"""Software configs and deployments: what is kept, and for whom it is there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from stoker.engine.settings import Settings
from stoker.engine.usecases.software import SoftwareUseCases
from stoker.errors import Conflict, LimitExceeded, NotFound
from stoker.usecases.software import (
    ConfigQuery,
    DeploymentChange,
    DeploymentView,
    NewConfig,
    NewDeployment,
)
from tests.engine.usecases.asking import ANN, BOB, GUEST, ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    from stoker.store.database import Database

SCRIPT = NewConfig(
    name="setup",
    group="script",
    config={"deep": ["#!/bin/sh", None]},
    inputs=({"name": "foo", "default": 1},),
    outputs=({"name": "out"},),
    options={"o": 1},
)
NOWHERE = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def software(database: Database) -> SoftwareUseCases:
    return SoftwareUseCases(database, Settings())


@pytest.fixture
def deployed(software: SoftwareUseCases) -> DeploymentView:
    """A deployment of a script on server s1, of ann's, seen from the stack users' project."""
    config = software.create_config(ANN, SCRIPT)
    what = NewDeployment(config.id, "s1", {"foo": "bar"}, stack_user_project_id=GUEST.project_id)
    return software.create_deployment(ANN, what)


def test_a_config_is_shown_as_it_was_given(software: SoftwareUseCases) -> None:
    made = software.create_config(ANN, SCRIPT)
    assert (made.content, made.name, made.project_id) == (SCRIPT, "setup", "p1")
    assert software.config(ANN, made.id) == made


def test_a_config_of_nothing_is_shown_as_nothing(software: SoftwareUseCases) -> None:
    made = software.create_config(ANN, NewConfig())
    assert software.config(ANN, made.id).content == NewConfig()


def test_configs_are_listed_by_age_in_pages_without_what_they_hold(
    software: SoftwareUseCases,
) -> None:
    ids = [software.create_config(ANN, replace(SCRIPT, name=name)).id for name in "cab"]
    first = software.configs(ANN, ConfigQuery(limit=2))
    rest = software.configs(ANN, ConfigQuery(limit=2, marker=first[-1].id))
    assert [each.id for each in (*first, *rest)] == ids
    assert {each.content for each in (*first, *rest)} == {None}


def test_a_config_is_there_for_its_project_and_for_administrators(
    software: SoftwareUseCases,
) -> None:
    made = software.create_config(ANN, SCRIPT)
    assert software.config(ROOT, made.id) == made
    assert software.configs(BOB, ConfigQuery(all_projects=True)) == []
    assert [each.id for each in software.configs(ROOT, ConfigQuery(all_projects=True))] == [made.id]
    assert software.configs(ROOT, ConfigQuery()) == []
    refused: list[Callable[[], object]] = [
        lambda: software.config(BOB, made.id),
        lambda: software.delete_config(BOB, made.id),
        lambda: software.create_deployment(BOB, NewDeployment(made.id, "s1")),
    ]
    for call in refused:
        with pytest.raises(NotFound) as caught:
            call()
        assert (caught.value.kind, caught.value.name) == ("Software config", made.id)
    assert software.config(ANN, made.id) == made


def test_a_config_in_use_stays_until_its_deployment_has_gone(
    software: SoftwareUseCases, deployed: DeploymentView
) -> None:
    with pytest.raises(Conflict, match="delete that first"):
        software.delete_config(ANN, deployed.config_id)
    software.delete_deployment(ANN, deployed.id)
    software.delete_config(ANN, deployed.config_id)
    for _ in range(2):
        with pytest.raises(NotFound):
            software.delete_config(ANN, deployed.config_id)


def test_a_deployment_is_shown_as_it_was_given(
    software: SoftwareUseCases, deployed: DeploymentView
) -> None:
    assert (deployed.server_id, deployed.input_values) == ("s1", {"foo": "bar"})
    assert (deployed.action, deployed.status, deployed.status_reason) == (None, None, None)
    assert (deployed.output_values, deployed.updated_at) == (None, None)
    assert software.deployment(ANN, deployed.id) == deployed


def test_deployments_are_listed_of_all_servers_or_of_one(
    software: SoftwareUseCases, deployed: DeploymentView
) -> None:
    other = software.create_deployment(ANN, NewDeployment(deployed.config_id, "s2"))
    assert software.deployments(ANN, None) == [deployed, other]
    assert software.deployments(ANN, "s2") == [other]
    assert software.deployments(ANN, "s3") == []


def test_a_deployment_is_there_for_both_its_projects_and_for_administrators(
    software: SoftwareUseCases, deployed: DeploymentView
) -> None:
    for caller in (ANN, GUEST, ROOT):
        assert software.deployment(caller, deployed.id) == deployed
        assert [each.content for each in software.server_configs(caller, "s1")] == [SCRIPT]
    assert software.deployments(GUEST, None) == [deployed]
    assert software.deployments(BOB, None) == []
    assert software.server_configs(BOB, "s1") == []
    refused: list[Callable[[], object]] = [
        lambda: software.deployment(BOB, deployed.id),
        lambda: software.update_deployment(BOB, deployed.id, DeploymentChange(status="FAILED")),
        lambda: software.delete_deployment(BOB, deployed.id),
    ]
    for call in refused:
        with pytest.raises(NotFound) as caught:
            call()
        assert (caught.value.kind, caught.value.name) == ("Deployment", deployed.id)
    assert software.deployment(ANN, deployed.id) == deployed


def test_a_change_leaves_what_it_does_not_give(
    software: SoftwareUseCases, deployed: DeploymentView
) -> None:
    said = DeploymentChange(status="COMPLETE", output_values={"deploy_status_code": 0})
    changed = software.update_deployment(ANN, deployed.id, said)
    assert changed.updated_at is not None
    expected = replace(
        deployed,
        status="COMPLETE",
        output_values={"deploy_status_code": 0},
        updated_at=changed.updated_at,
    )
    assert changed == expected == software.deployment(ANN, deployed.id)


def test_a_change_of_the_config_needs_one_that_is_there(
    software: SoftwareUseCases, deployed: DeploymentView
) -> None:
    with pytest.raises(NotFound, match=NOWHERE):
        software.update_deployment(ANN, deployed.id, DeploymentChange(config_id=NOWHERE))
    other = software.create_config(ANN, replace(SCRIPT, name="other"))
    software.update_deployment(ANN, deployed.id, DeploymentChange(config_id=other.id))
    software.delete_config(ANN, deployed.config_id)
    assert [each.id for each in software.server_configs(ANN, "s1")] == [other.id]


def test_a_servers_configs_come_by_name_each_once(
    software: SoftwareUseCases, deployed: DeploymentView
) -> None:
    first = software.create_config(ANN, replace(SCRIPT, name="a"))
    for config_id in (first.id, deployed.config_id):
        software.create_deployment(ANN, NewDeployment(config_id, "s1"))
    found = software.server_configs(ANN, "s1")
    assert [each.id for each in found] == [first.id, deployed.config_id]


def test_a_project_has_so_many_and_no_more(database: Database) -> None:
    settings = Settings(max_software_configs_per_tenant=1, max_software_deployments_per_tenant=2)
    software = SoftwareUseCases(database, settings)
    config = software.create_config(ANN, SCRIPT)
    with pytest.raises(LimitExceeded, match="maximum software configs per tenant, 1"):
        software.create_config(ANN, SCRIPT)
    for _ in range(2):
        software.create_deployment(ANN, NewDeployment(config.id, "s1"))
    with pytest.raises(LimitExceeded, match="maximum software deployments per tenant, 2"):
        software.create_deployment(ANN, NewDeployment(config.id, "s1"))
    theirs = software.create_config(BOB, SCRIPT)
    assert software.create_deployment(BOB, NewDeployment(theirs.id, "s1")).server_id == "s1"


def test_a_negative_limit_is_none(database: Database) -> None:
    software = SoftwareUseCases(database, Settings(max_software_configs_per_tenant=-1))
    assert software.create_config(ANN, SCRIPT).content == SCRIPT


def test_what_configs_hold_and_guests_say_is_not_readable_at_rest(
    software: SoftwareUseCases, database: Database
) -> None:
    made = software.create_config(ANN, replace(SCRIPT, config="hush-config"))
    deployed = software.create_deployment(ANN, NewDeployment(made.id, "s", {"a": "hush-in"}))
    software.update_deployment(ANN, deployed.id, DeploymentChange(output_values={"b": "hush-out"}))
    with database.read() as connection:
        dump = list(connection.connection.driver_connection.iterdump())  # type: ignore[union-attr]  # it is connected
    assert any("setup" in line for line in dump)
    assert not any("hush" in line or b"hush".hex() in line.lower() for line in dump)
