"""The API's own document in schemathesis' hands: whatever it makes of it, no answer is a fault of
ours, and each has a status, a media type and a shape that the document tells.
"""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Final

from tests.clients.asking import asked

if TYPE_CHECKING:
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
"""


def test_no_request_made_of_the_document_is_answered_otherwise_than_it_says(
    place: Path, serving: Serving, tmp_path: Path
) -> None:
    clouds_yaml = serving.state / "clouds.yaml"
    (tmp_path / "template.json").write_text(json.dumps(TEMPLATE))
    create = ("stack", "create", "described", "-t", str(tmp_path / "template.json"))
    stack = asked(place, clouds_yaml, *create)
    token = asked(place, clouds_yaml, "token", "issue")
    settings = SETTINGS.format(project_id=token["project_id"], id=stack["id"])
    (tmp_path / "schemathesis.toml").write_text(settings)
    done = subprocess.run(
        [
            str(place / "bin" / "schemathesis"),
            f"--config-file={tmp_path / 'schemathesis.toml'}", "run",
            f"http://127.0.0.1:{serving.ports['api']}/openapi.json",
            "-H", f"X-Auth-Token: {token['id']}", f"--checks={','.join(CHECKS)}",
            f"--max-examples={EXAMPLES}", "--continue-on-failure", "--no-shrink",
        ],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
