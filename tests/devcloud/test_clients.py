"""The field's own command-line client, unchanged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from stoker.devcloud.server import Server

COMMANDS = (
    "token issue -f json",
    "catalog list -f json",
    "project list --my-projects -f json",
    "image list -f json",
    "image show ubuntu-24.04 -f json",
    "image create from-a-file --file image.raw --disk-format raw -f json",
    "image save from-a-file --file again.raw",
    "image delete from-a-file",
)


def test_the_openstack_command_works(cloud: Server, tmp_path: Path) -> None:
    (tmp_path / "image.raw").write_bytes(b"an image" * 1000)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": os.environ.get("HOME", "/"),
        "OS_AUTH_URL": cloud.auth_url,
        "OS_USERNAME": "demo",
        "OS_PASSWORD": "secret",
        "OS_PROJECT_NAME": "demo",
        "OS_USER_DOMAIN_ID": "default",
        "OS_PROJECT_DOMAIN_ID": "default",
        "OS_IDENTITY_API_VERSION": "3",
    }
    done = subprocess.run(
        [str(Path(sys.executable).parent / "openstack")],
        input="\n".join([*COMMANDS, "exit"]),
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.stderr == ""  # the exit status of the interactive form says nothing
    token, catalog, projects, images, image, made = _documents(done.stdout)
    assert {"identity", "compute", "image", "network", "orchestration"} <= {
        service["Type"] for service in catalog
    }
    assert projects == [{"ID": token["project_id"], "Name": "demo"}]
    assert "ubuntu-24.04" in {each["Name"] for each in images}
    assert image["status"] == "active"
    assert (made["status"], made["size"]) == ("active", 8000)
    assert (tmp_path / "again.raw").read_bytes() == b"an image" * 1000


def _documents(text: str) -> list[Any]:
    found, decoder, at = [], json.JSONDecoder(), 0
    while (starts := [n for n in (text.find("{", at), text.find("[", at)) if n >= 0]) != []:
        document, at = decoder.raw_decode(text, min(starts))
        found.append(document)
    return found
