"""The clouds.yaml for clients."""

from __future__ import annotations

import yaml

from stoker.app.client_config import REGION, embedded_clouds


def test_it_has_the_clouds_that_people_use_and_the_service_s_own() -> None:
    clouds = yaml.safe_load(embedded_clouds("http://127.0.0.1:5/identity/v3", "0123"))["clouds"]
    assert set(clouds) == {"demo", "admin", "heat-service"}
    for name, cloud in clouds.items():
        assert cloud["region_name"] == REGION
        assert cloud["auth"]["auth_url"] == "http://127.0.0.1:5/identity/v3"
        assert cloud["auth"]["password"] == "0123", f"{name}: a password of digits stays text"
    assert clouds["demo"]["auth"]["project_name"] == "demo"
    assert clouds["admin"]["auth"]["username"] == "admin"
    assert clouds["heat-service"]["auth"]["project_name"] == "service"
