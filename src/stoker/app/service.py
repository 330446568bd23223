"""What the operator's programs have in common: arguments, files, log, and how they fail.

Rule: an error of the operator's is one line on standard error that says what to do.
"""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING

from oslo_config import cfg
from oslo_log import log

from stoker import __version__
from stoker.app.configuration import Configuration, Sources, default_sources
from stoker.app.misconfigured import Misconfigured
from stoker.app.proxy import bypass_proxies
from stoker.errors import StokerError
from stoker.store.migrate import HEAD, UnknownVersion, version

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from stoker.store.database import Database

FAILED = 1
MISCONFIGURED = 2
HOPELESS = 78
"""How a worker ends that would end so again, whenever it is started (EX_CONFIG)."""

LIBRARIES = cfg.CONF
"""What the libraries read their own options from: log, policy, tokens, messages."""

_QUIET = ("alembic=WARN", "keystonemiddleware._common.config=ERROR")
_LOG = logging.getLogger(__name__)


def configured(program: str, arguments: Sequence[str]) -> Configuration:
    """Read the command line and the files, and begin to log; raises Misconfigured."""
    bypass_proxies()
    sources = default_sources()
    log.register_options(LIBRARIES)
    log.set_defaults(default_log_levels=[*log.get_default_log_levels(), *_QUIET])
    try:
        LIBRARIES(
            list(arguments),
            project="stoker",
            prog=program,
            version=__version__,
            default_config_files=list(sources.files),
            default_config_dirs=list(sources.dirs),
        )
        log.setup(LIBRARIES, "stoker")
    except (cfg.Error, log.LogConfigError) as error:
        raise Misconfigured(str(error)) from error
    return Configuration(Sources(tuple(LIBRARIES.config_file), tuple(LIBRARIES.config_dir)))


def reopen_log() -> None:
    """Open the log anew, as it may have been moved, and take up changed settings of it."""
    LIBRARIES.mutate_config_files()
    log.setup(LIBRARIES, "stoker")
    _LOG.info("the log goes on")


def check_version(database: Database) -> None:
    """Raise StokerError unless the database's tables are those of this program."""
    found = version(database)
    if found is None:
        raise StokerError("the database has no tables yet: run `stoker-manage db sync`")
    if found < HEAD:
        raise StokerError(
            f"the database is at revision {found}, and this version needs {HEAD}:"
            " run `stoker-manage db sync`"
        )
    if found > HEAD:
        raise UnknownVersion(
            f"the database is at revision {found}, and this version needs {HEAD}:"
            " run the version that made it"
        )


def run(program: str, main: Callable[[], None], *, failed: int = FAILED) -> None:
    """Run ``main`` and end the process; what is wrong is told in a line."""
    try:
        main()
    except Misconfigured as error:
        _fail(program, error, MISCONFIGURED if failed == FAILED else failed)
    except StokerError as error:
        _fail(program, error, failed)


def _fail(program: str, error: StokerError, status: int) -> None:
    sys.stderr.write(f"{program}: {error}\n")
    sys.exit(status)
