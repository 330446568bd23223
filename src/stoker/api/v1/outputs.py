"""A stack's outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.api.policy import reader
from stoker.api.route import Route
from stoker.api.v1.path import STACK

if TYPE_CHECKING:
    from stoker.api.route import Ask
    from stoker.usecases.stacks import Json, OutputView


def described(output: OutputView) -> Json:
    """Return an output without its value, which lists never resolve."""
    description = output.description or "No description given"
    return {"output_key": output.key, "description": description}


def shown(output: OutputView) -> Json:
    """Return an output with its value, and why there is none where it failed."""
    view = {**described(output), "output_value": output.value}
    if output.error is not None:
        view["output_error"] = output.error
    return view


def index(ask: Ask) -> Json:
    """List the outputs, without their values."""
    outputs = ask.stacks.outputs(ask.caller, ask.stack)
    return {"outputs": [described(output) for output in outputs]}


def show(ask: Ask) -> Json:
    """Show one output with its value."""
    output = ask.stacks.output(ask.caller, ask.stack, ask.path["key"])
    return {"output": shown(output)}


ROUTES = (
    Route("GET", f"{STACK}/outputs", index, reader("stacks:list_outputs")),
    Route("GET", f"{STACK}/outputs/{{key}}", show, reader("stacks:show_output")),
)
