"""What is said when the door of an API cannot be what the configuration wants."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING

import pytest
from oslo_config import cfg

from stoker.app.misconfigured import Misconfigured

with warnings.catch_warnings():  # webob's, which keystonemiddleware stands on
    warnings.filterwarnings("ignore", "'cgi' is deprecated", DeprecationWarning)
    from stoker.app.trustee import protected

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from wsgiref.types import StartResponse, WSGIEnvironment

TEXT = """
[keystone_authtoken]
auth_type = password
auth_url = http://127.0.0.1:9/v3
username = heat
password = secret
memcached_servers = 127.0.0.1:9
"""


def configured(folder: Path) -> cfg.ConfigOpts:
    file = folder / "heat.conf"
    file.write_text(TEXT)
    conf = cfg.ConfigOpts()
    conf(["--config-file", str(file)], project="heat", default_config_files=[])
    return conf


def silent(_environ: WSGIEnvironment, _start: StartResponse) -> Iterable[bytes]:
    return []


def test_a_cache_whose_module_is_missing_is_told_before_any_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "memcache", None)
    with pytest.raises(Misconfigured, match=r"memcached_servers.*install stoker\[memcache\]"):
        protected(silent, configured(tmp_path))


def test_a_cache_whose_module_is_there_is_taken(tmp_path: Path) -> None:
    assert callable(protected(silent, configured(tmp_path)))
