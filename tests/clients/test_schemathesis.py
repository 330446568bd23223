"""The API's own document in schemathesis' hands: whatever it makes of it, no answer is a fault of
ours, and each has a status, a media type and a shape that the document tells.

A refusal of everything would pass for that too. So what is read is there, and a good part of what
is asked must be answered with it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import urllib.request
from collections import Counter
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from tests.clients.asking import asked

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tests.app.serving import Serving

EXAMPLES: Final = 200 if os.environ.get("STOKER_LONG") == "1" else 20
"""Requests of each operation, at most, besides those of the phase that covers each rule."""
CHECKS: Final = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)
TEMPLATE: Final = {
    "heat_template_version": "2021-04-16",
    "resources": {"word": {"type": "OS::Heat::RandomString"}},
    "outputs": {"it": {"value": {"get_attr": ["word", "value"]}}},
}
SETTINGS: Final = """
[parameters]
"path.project" = "{project_id}"

# What is read is there; what is changed or deleted is whatever comes.
[[operations]]
include-method = "GET"
[operations.parameters]
"path.project" = "{project_id}"
"path.name" = "described"
"path.id" = "{id}"
"path.resource" = "word"
"path.key" = "it"
"path.type" = "OS::Heat::Value"
"path.event" = "{event}"
"path.version" = "heat_template_version.2021-04-16"
"""
NOT_THERE: Final = {
    "/{project}/services",  # an operator's
    "/{project}/software_configs/{config}",
    "/{project}/software_deployments/{deployment}",
    "/{project}/stacks/preview",  # a stack of that name
    "/{project}/stacks/{name}/{id}/snapshots/{snapshot}",
}
READ: Final = 0.25
"""The part of what is read that must succeed; the rest asks for what is not there, or wrongly."""
CHANGED: Final = 10
"""So many requests, at least, must have changed something."""


def test_no_request_made_of_the_document_is_answered_otherwise_than_it_says(
    place: Path, serving: Serving, tmp_path: Path
) -> None:
    clouds_yaml = serving.state / "clouds.yaml"
    (tmp_path / "template.json").write_text(json.dumps(TEMPLATE))
    create = ("stack", "create", "described", "-t", str(tmp_path / "template.json"))
    stack = asked(place, clouds_yaml, *create)
    token = asked(place, clouds_yaml, "token", "issue")
    events = ("stack", "event", "list", "described", "--resource", "word")
    event = asked(place, clouds_yaml, *events)[0]["id"]
    settings = SETTINGS.format(project_id=token["project_id"], id=stack["id"], event=event)
    (tmp_path / "schemathesis.toml").write_text(settings)
    document = f"http://127.0.0.1:{serving.ports['api']}/openapi.json"
    done = subprocess.run(
        [
            str(place / "bin" / "schemathesis"),
            f"--config-file={tmp_path / 'schemathesis.toml'}", "run", document,
            "-H", f"X-Auth-Token: {token['id']}", f"--checks={','.join(CHECKS)}",
            f"--max-examples={EXAMPLES}", "--continue-on-failure", "--no-shrink",
            "--report=har", f"--report-har-path={tmp_path / 'asked.har'}",
        ],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    entries = json.loads((tmp_path / "asked.har").read_text())["log"]["entries"]
    check_answers(read_paths(document), entries)


def read_paths(document: str) -> set[str]:
    """Return the paths of which the document tells that they can be read."""
    with urllib.request.urlopen(document) as answer:  # noqa: S310 - our own
        paths = json.load(answer)["paths"]
    return {path for path, operations in paths.items() if "get" in operations}


def check_answers(paths: Iterable[str], entries: Iterable[Any]) -> None:
    """Check that each path was read, and that what was asked was often given."""
    patterns = {path: re.compile(f"/v1{re.sub('{[^}]*}', '[^/]+', path)}") for path in paths}
    asked, given, changed = Counter[str](), Counter[str](), 0
    for entry in entries:
        succeeded = entry["response"]["status"] // 100 in (2, 3)
        if entry["request"]["method"] != "GET":
            changed += succeeded
            continue
        address = urlsplit(entry["request"]["url"]).path
        # Of those that fit, the one with the fewest words left open is meant.
        fitting = sorted((p.count("{"), p) for p in patterns if patterns[p].fullmatch(address))
        if fitting:
            asked[fitting[0][1]] += 1
            given[fitting[0][1]] += succeeded
    assert {path for path in patterns if not given[path]} <= NOT_THERE
    assert given.total() >= READ * asked.total(), (given, asked)
    assert changed >= CHANGED
