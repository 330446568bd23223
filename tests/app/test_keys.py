"""Changing the key that everything is sealed with, while stacks stand."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from tests.app.operating import KEY, Program, Site
from tests.app.serving import SECONDS, TEMPLATE, created

NEW = "fedcba9876543210fedcba9876543210"
PARAMETERS = f"""{TEMPLATE}
outputs:
  word: {{value: {{get_attr: [word, value]}}}}
"""


def with_key(site: Site, key: str, *former: str) -> None:
    """Write another key into the configuration."""
    text = site.conf.read_text()
    kept = [line for line in text.splitlines() if "encryption_key" not in line]
    kept.insert(kept.index("[DEFAULT]") + 1, f"auth_encryption_key = {key}")
    if former:
        kept.insert(kept.index("[stoker]") + 1, f"former_encryption_keys = {','.join(former)}")
    site.conf.write_text("\n".join(kept))


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks into /proc")
def test_a_key_is_changed_and_nothing_is_lost(tmp_path: Path) -> None:
    with closing(Site(tmp_path)) as site:
        assert site.manage("db", "sync").returncode == 0
        api, engine = site.api(), site.engine()
        id = created(site.endpoint, "web", PARAMETERS)
        word = site.endpoint.stack("web", id)["outputs"]
        with_key(site, NEW, KEY)
        said = site.manage("key", "rotate")
        assert said.returncode == 0, said.stderr
        assert "sealed anew; nothing needs former keys any more" in said.stdout
        assert api.stop() == engine.stop() == 0

        with_key(site, KEY)
        stranger = Program("engine_service", "--config-file", str(site.conf))
        _, error = stranger.process.communicate(timeout=SECONDS)
        assert stranger.process.returncode == 1
        assert b"[DEFAULT] auth_encryption_key: the encryption key does not fit" in error

        with_key(site, NEW)
        assert site.manage("key", "rotate").stdout.startswith("0 values were sealed anew")
        site.api()
        assert site.endpoint.stack("web", id)["outputs"] == word
        site.engine()
        site.endpoint.delete("web", id)
        assert site.ended("web", id) == "DELETE_COMPLETE"
