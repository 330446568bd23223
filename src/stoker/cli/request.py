"""What a deploy asks of the API: the body of a create or an update.

Rule: the bodies are python-heatclient's; what is said on the command line wins over what the
environments say.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from stoker.cli.fetch import Unreadable, as_text, as_url, fetched, folder_of, joined, shown
from stoker.errors import Invalid, Kind, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from stoker.cli.gather import Gathered
    from stoker.cli.options import DeployOptions
    from stoker.cli.session import Json


def wanted(options: DeployOptions, source: Gathered) -> Json:
    """Return what creates and updates ask for alike; raises Invalid."""
    given = parameters(options.parameters, options.parameter_files, source.url)
    body: Json = {
        "files": _files(source, given),
        "environment": _without(source.environment, given),
        "parameters": given,
    }
    if source.template is not None:
        body["template"] = source.template
    if source.environment_files:
        body["environment_files"] = list(source.environment_files)
    if options.timeout is not None:
        body["timeout_mins"] = options.timeout
    if options.tags is not None:
        body["tags"] = options.tags
    return body


def to_create(options: DeployOptions, body: Json) -> Json:
    """Return the body of a create: without a rollback unless told."""
    return {"stack_name": options.name, "disable_rollback": not options.rollback, **body}


def to_update(options: DeployOptions, body: Json) -> Json:
    """Return the body of an update, which keeps the stack's way to roll back unless told."""
    rollback = {} if options.rollback is None else {"disable_rollback": not options.rollback}
    return {**body, **rollback, **({"converge": True} if options.converge else {})}


def parameters(values: Iterable[str], files: Iterable[str], template: str | None) -> Json:
    """Return parameters by name: of ``key=value``, and of ``key=file`` beside the template.

    A key that is given more than once makes a list. Raises Invalid.
    """
    folder = folder_of(template or as_url("_"))
    problems: list[Problem] = []
    pairs = list(_pairs(values, "--parameter", problems))
    for key, name in _pairs(files, "--parameter-file", problems):
        url = joined(folder, name)
        try:
            pairs.append((key, as_text(fetched(url))))
        except Unreadable as error:
            text = f"--parameter-file {key}: cannot read {shown(url)}: {error}"
            problems.append(Problem(text, kind=Kind.REQUEST))
    if problems:
        raise Invalid(problems)
    return _grouped(pairs)


def _pairs(given: Iterable[str], option: str, problems: list[Problem]) -> Iterable[tuple[str, str]]:
    for each in given:
        key, equals, value = each.partition("=")
        if key and equals:
            yield key, value
        else:
            problems.append(Problem(f"{option} {each}: is not key=value", kind=Kind.REQUEST))


def _grouped(pairs: Iterable[tuple[str, str]]) -> Json:
    found: Json = {}
    for key, value in pairs:
        if key not in found:
            found[key] = value
        elif isinstance(found[key], list):
            found[key].append(value)
        else:
            found[key] = [found[key], value]
    return found


def _files(source: Gathered, given: Json) -> dict[str, str]:
    """Return the files; Heat lets an environment file's parameter win over the request's own."""
    environments = {
        url: json.dumps(_without(json.loads(source.files[url]), given))
        for url in source.environment_files
    }
    return {**source.files, **environments}


def _without(environment: Mapping[str, Any], given: Json) -> Json:
    """Return an environment without the parameters that are given otherwise."""
    said = environment.get("parameters")
    if not isinstance(said, dict) or not said.keys() & given.keys():
        return dict(environment)
    left = {name: value for name, value in said.items() if name not in given}
    return {**environment, "parameters": left}
