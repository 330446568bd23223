"""Real Heat, asked line by line; it runs in an environment of its own and knows nothing of Stoker.

Each line of the input is a JSON list, the question's name and its arguments; each line of the
output is ``{"value": …}`` or ``{"refused": "Type: text"}``.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

ZONES = ["north", "south"]


class Heat:
    """The modules of Heat that read templates, with an empty database and without a cloud."""

    def __init__(self) -> None:
        logging.disable(logging.CRITICAL)
        import_module("heat.common.config")
        conf = import_module("oslo_config.cfg").CONF
        conf([], project="heat", default_config_files=[])
        conf.set_override("connection", "sqlite://", group="database")
        self._stack = import_module("heat.engine.stack")
        self._template = import_module("heat.engine.template")
        self._environment = import_module("heat.engine.environment")
        self._merging = import_module("heat.common.environment_util")
        self._text = import_module("heat.common.template_format")
        self._read = import_module("heat.common.environment_format")
        import_module("heat.engine.resources").initialise()
        defined = import_module("heat.engine.stk_defn").StackDefinition
        defined.get_availability_zones = lambda _stack: ZONES  # there is no Nova
        context = import_module("heat.common.context").RequestContext
        engine = import_module("heat.db.api").get_engine()
        import_module("heat.db.models").BASE.metadata.create_all(engine)  # it looks, and finds none
        self._context = context(auth_token="t", username="u", project_id="p", is_admin=False)

    def outputs(
        self, template: dict[str, Any], environment: dict[str, Any], files: dict[str, str]
    ) -> dict[str, Any]:
        """Return what the outputs of a stack are, which has no resources."""
        env = self._environment.Environment(environment)
        read = self._template.Template(template, files=files, env=env)
        stack = self._stack.Stack(self._context, "s", read, stack_id="the-id")
        stack.validate()
        return {name: each.get_value() for name, each in stack.outputs.items()}

    def validated(
        self, template: dict[str, Any], environment: dict[str, Any], files: dict[str, str]
    ) -> str:
        """Say that a stack is sound; its resources are made of nothing."""
        env = self._environment.Environment(environment)
        read = self._template.Template(template, files=files, env=env)
        self._stack.Stack(self._context, "s", read, stack_id="the-id").validate()
        return "sound"

    def seconds(
        self, template: str | dict[str, Any], environment: dict[str, Any], files: dict[str, str]
    ) -> float:
        """Return the processor time that it takes to validate, and to read what is text.

        Without an id, as before a create and an update: Heat looks for no rows then.
        """
        start = time.process_time()
        env = self._environment.Environment(environment)
        data = self._text.parse(template) if isinstance(template, str) else template
        read = self._template.Template(data, files=files, env=env)
        self._stack.Stack(self._context, "s", read).validate()
        return time.process_time() - start

    def merged(self, environments: list[str], template: dict[str, Any]) -> dict[str, Any]:
        """Return the one environment of several texts, for the parameters of ``template``."""
        files = {str(index): text for index, text in enumerate(environments)}
        declared = self._template.Template(template).all_param_schemata(files)
        given: dict[str, Any] = {}
        self._read.default_for_missing(given)
        self._merging.merge_environments(list(files), files, given, declared)
        merged: dict[str, Any] = self._environment.Environment(given).env_as_dict()
        return merged


def answer(ask: Callable[..., Any], arguments: list[Any]) -> dict[str, Any]:
    try:
        return {"value": ask(*arguments)}
    except Exception as error:  # noqa: BLE001 - whatever Heat raises is its answer
        return {"refused": f"{type(error).__name__}: {error}"}


def main() -> None:
    answers, sys.stdout = sys.stdout, sys.stderr  # what Heat prints is no answer
    heat = Heat()
    questions: dict[str, Callable[..., Any]] = {
        "outputs": heat.outputs,
        "merged": heat.merged,
        "validated": heat.validated,
        "seconds": heat.seconds,
    }
    for line in sys.stdin:
        name, arguments = json.loads(line)
        answers.write(json.dumps(answer(questions[name], arguments), default=str) + "\n")
        answers.flush()
    os._exit(0)  # its threads would wait


if __name__ == "__main__":
    main()
