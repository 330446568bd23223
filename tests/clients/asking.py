"""OpenStack's own command line, of the environment with the clients."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def asked(place: Path, clouds_yaml: Path, *words: str) -> Any:
    """Return what ``openstack`` prints for a command of the user ``demo``, read."""
    environment = {
        "PATH": os.environ["PATH"],
        "OS_CLIENT_CONFIG_FILE": str(clouds_yaml),
        "OS_CLOUD": "demo",
    }
    command = [str(place / "bin" / "openstack"), *words, "-f", "json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)
