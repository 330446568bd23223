"""Write down what the clients print with a real Heat: ``python -m tests.e2e.client_record``.

Plays transcripts against the cloud whose ``clouds.yaml`` is named and rewrites them with what
came: all but the differences, which are Stoker's. The account must have no stacks; the clouds of
the file are called ``demo`` and ``admin``, or end so.
"""

from __future__ import annotations

import sys
import tempfile
from contextlib import closing
from pathlib import Path

import yaml

from tests.e2e.client_transcript import Player, read, written
from tests.e2e.openstack_program import OpenStackProgram

FOLDER = Path(__file__).parent / "transcripts"
TEMPLATES = Path(__file__).parent / "templates" / "client"


def _all() -> list[Path]:
    return [path for path in sorted(FOLDER.rglob("*.txt")) if path.stem != "differences"]


def main(clouds_yaml: Path, names: list[str]) -> None:
    """Record the named transcripts anew, or all of them."""
    clouds = yaml.safe_load(clouds_yaml.read_text())["clouds"]
    renamed = {name.rpartition("-")[2]: value for name, value in clouds.items()}
    paths = [FOLDER / f"{name}.txt" for name in names] or _all()
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        yaml.safe_dump({"clouds": renamed}, file)
        file.flush()
        for path in paths:
            with closing(OpenStackProgram(Path(file.name), TEMPLATES)) as program:
                player = Player(program)
                path.write_text(written([player.play(step) for step in read(path)]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
