"""The import names that plugins expect."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

import heat

MODULES = sorted(each.name for each in pkgutil.walk_packages(heat.__path__, "heat."))
NEEDED = {
    "heat.common.exception": "ResourceInError StackValidationFailed NotSupported EntityNotFound",
    "heat.common.i18n": "_ _LW _LE _LI",
    "heat.engine.attributes": "Schema",
    "heat.engine.clients": "has_client",
    "heat.engine.clients.client_plugin": "ClientPlugin",
    "heat.engine.clients.os.nova": "NovaClientPlugin",
    "heat.engine.constraints": "AllowedValues Range Length CustomConstraint BaseCustomConstraint",
    "heat.engine.properties": "Schema Properties",
    "heat.engine.resource": "Resource UpdateReplace ResourceInError PollDelay",
    "heat.engine.support": "SupportStatus UNSUPPORTED HIDDEN",
    "heat.openstack.common.log": "getLogger",
}


@pytest.mark.parametrize("module", MODULES)
def test_every_module_gives_what_it_says(module: str) -> None:
    found = importlib.import_module(module)
    assert all(hasattr(found, name) for name in getattr(found, "__all__", ()))


@pytest.mark.parametrize("module", NEEDED)
def test_what_plugins_import_is_there(module: str) -> None:
    found = importlib.import_module(module)
    assert set(NEEDED[module].split()) <= set(found.__all__)
