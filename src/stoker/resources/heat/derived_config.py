"""What is derived from a software config for one deployment of it; pure.

Its inputs have their values, and among them is what a guest has to know of the deployment.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from stoker.resources.kept_config import UNGROUPED
from stoker.sdk.resource import At
from stoker.sdk.value import thaw

STATUS_CODE: Final = "deploy_status_code"


def derived(at: At[Any], base: Mapping[str, Any], action: str) -> dict[str, Any]:
    """Return the body of the config for this action of the deployment; ``base`` may be empty."""
    values = thaw(at.props.input_values or {})
    declared = {each["name"]: each for each in base.get("inputs") or ()}
    inputs = [
        {**each, "value": values.get(name, each.get("default"))} for name, each in declared.items()
    ]
    inputs += [_given(name, each) for name, each in values.items() if name not in declared]
    inputs += [
        {"name": name, "type": "String", "description": text, "value": value}
        for name, text, value in _known(at, action)
    ]
    return {
        "name": at.name,
        "group": base.get("group") or UNGROUPED,
        "config": base.get("config") or "",
        "options": base.get("options") or {},
        "inputs": inputs,
        "outputs": base.get("outputs") or [],
    }


def failure(outputs: Mapping[str, Any], errors: Collection[str]) -> str | None:
    """Return why outputs tell of a failure, None where they do not; ``errors`` are names of
    outputs that are errors whatever they say."""
    found = [f"{name}: {outputs[name]}" for name in errors if outputs.get(name)]
    code = outputs.get(STATUS_CODE)
    if code is not None and str(code) != "0":
        found.append(f"deployment exited with non-zero status code: {code}")
    return ", ".join(found) or None


def _given(name: str, value: Any) -> dict[str, Any]:
    return {"name": name, "type": "String" if isinstance(value, str) else "Json", "value": value}


def _known(at: At[Any], action: str) -> tuple[tuple[str, str, str], ...]:
    stack = f"{at.stack.name}/{at.stack.id}"
    return (
        ("deploy_server_id", "ID of the server being deployed to", at.props.server),
        ("deploy_action", "Name of the current action being deployed", action),
        ("deploy_stack_id", "ID of the stack this deployment belongs to", stack),
        ("deploy_resource_name", "Name of this deployment resource in the stack", at.logical_name),
        ("deploy_signal_transport", "How the server should signal", at.props.signal_transport),
    )
