"""Stoker beside its own small cloud, which it brings up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.app.belonging import belong_to_embedded
from stoker.app.client_config import REGION, embedded_clouds
from stoker.app.devcloud import Devcloud, Plan
from stoker.app.state import write_private

if TYPE_CHECKING:
    from stoker.app.ground import Ground
    from stoker.app.installation import Installation
    from stoker.cli.options import ServeOptions

CLIENT_TIMEOUT_SECONDS = 15.0
IN_DOUBT_SECONDS = 20.0


def beside_embedded(options: ServeOptions, ground: Ground) -> Installation:
    """Return API and engine; raises CloudDown when the cloud does not come up."""
    belong_to_embedded(ground.state)
    cloud = Devcloud(_plan(ground), ground.ending.fail)
    ground.stack.callback(cloud.stop)
    # The child starts while this process imports what is slow to import.
    from stoker.app.access import ServiceAccess
    from stoker.app.installation import Installation
    from stoker.app.installation import Plan as InstallationPlan
    from stoker.app.offer import near_and_far
    from stoker.engine.settings import LINGER_SECONDS, Settings

    state, url, password = ground.state, ground.doors.identity_url, ground.password
    settings = Settings(
        in_doubt_seconds=IN_DOUBT_SECONDS,
        client_timeout=CLIENT_TIMEOUT_SECONDS,
        linger_seconds=LINGER_SECONDS,
        enable_stack_abandon=True,
        enable_stack_adopt=True,
        offer=near_and_far(),
    )
    access = ServiceAccess(url, REGION, password)
    plan = InstallationPlan(state.database_url, ground.key, access, settings, options.plugin_dirs)
    installation = Installation(plan)
    ground.stack.callback(installation.close)
    write_private(state.clouds_yaml, embedded_clouds(url, password))
    cloud.wait_ready()
    return installation


def _plan(ground: Ground) -> Plan:
    doors, state = ground.doors, ground.state
    assert doors.devcloud is not None  # noqa: S101 - opened unless a cloud was named
    return Plan(
        listening=doors.devcloud,
        lock=ground.lock,
        state=state.devcloud,
        log=state.devcloud_log,
        password=ground.password,
        orchestration_url=f"{doors.api_url}/%(project_id)s",
        cloudformation_url=doors.cfn_url,
    )
