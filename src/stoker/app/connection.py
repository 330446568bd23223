"""The clouds that the command line's commands speak to.

Rule: what logs in is slow to import; import it when a command needs it.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from stoker.app.proxy import bypass_proxies

if TYPE_CHECKING:
    from stoker.cli.session import Session


def connect(cloud: str | None, region: str | None) -> Session:
    """Return a session with the orchestration service; raises Invalid without an account."""
    bypass_proxies()
    for name in ("keystoneauth", "openstack"):  # what they warn of comes out as an error, too
        logging.getLogger(name).setLevel(logging.ERROR)
    from stoker.clouds.named import named_cloud

    return named_cloud(cloud, region)
