"""Which errors of a database pass by themselves, told by the numbers that its driver gives.

An error that is not listed is a fault of this program: a wrong statement must not be tried
for ever. Texts are not looked at, nor shown: they may hold values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.errors import Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable

Code = str | int


class Passing(Unavailable):
    """The database cannot do it now; ``taken_back``: for the sake of others, and as a whole."""

    def __init__(self, orig: BaseException | None, *, taken_back: bool) -> None:
        self.orig, self.taken_back = orig, taken_back
        doing = "is too busy with other requests" if taken_back else "does not answer"
        super().__init__(f"The database {doing} now; send the request again a little later.")

    @property
    def code(self) -> Code:
        """What the driver calls the error."""
        return code(self.orig)


def passing(error: BaseException | None, dialect: str, *, lost: bool = False) -> Passing | None:
    """Return what is to be raised instead of a driver's error that passes, else None.

    ``lost``: the connection is known to be gone.
    """
    said = code(error)
    if said in _TAKEN_BACK and not lost:
        return Passing(error, taken_back=True)
    if lost or _PASSES[dialect](error, said):
        return Passing(error, taken_back=False)
    return None


def code(error: BaseException | None) -> Code:
    """Return what the driver calls an error, or the name of its class."""
    number = error.args[0] if error is not None and error.args else None
    if isinstance(number, int):  # pymysql's, whose states say less
        return number
    state = getattr(error, "sqlstate", None) or getattr(error, "sqlite_errorname", None)
    return str(state) if state else type(error).__name__


def serves_no_more(error: BaseException | None) -> bool:
    """Tell whether the connection is of no use, though the driver does not think so."""
    return code(error) in _USELESS


_TAKEN_BACK: frozenset[Code] = frozenset(
    {"40001", "40P01", "55P03"}  # PostgreSQL: serialization, deadlock, a lock's time-out
    | {1205, 1213, 1020}  # MariaDB: a lock's time-out, deadlock, changed since it was read
    | {"SQLITE_BUSY", "SQLITE_BUSY_SNAPSHOT", "SQLITE_LOCKED"}
)
_CLASSES = ("08", "40", "53", "55", "57", "58")
"""PostgreSQL's: connections, rollbacks, resources, states, operators, the system."""
_READ_ONLY = "25006"
_NUMBERS = frozenset(
    {0}  # the driver's own, of a connection that is closed
    | {1021, 1030, 1037, 1038, 1114}  # disk and memory
    | {1040, 1041, 1042, 1043, 1053, 1129, 1203, 1226, 1927}  # connections, an end, limits
    | {1158, 1159, 1160, 1161}  # the network
    | {1047, 1290, 1317, 1836, 1969}  # a cluster's node, read-only for now, interrupted
)
_CLIENT = range(2000, 3000)
_USELESS = frozenset({1047, 1053, 1290, 1836, 1927})
"""MariaDB's: a node without its cluster, an end, read-only, a connection that was killed."""
_FILE = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_IOERR", "SQLITE_FULL", "SQLITE_CANTOPEN")


def _of_postgresql(error: BaseException | None, said: Code) -> bool:
    if getattr(error, "sqlstate", None) is None:
        return said == "OperationalError"  # the driver's own: there is no server
    return str(said).startswith(_CLASSES) or said == _READ_ONLY


def _of_mariadb(_error: BaseException | None, said: Code) -> bool:
    return isinstance(said, int) and (said in _NUMBERS or said in _CLIENT)


def _of_sqlite(_error: BaseException | None, said: Code) -> bool:
    return str(said).startswith(_FILE)


_PASSES: dict[str, Callable[[BaseException | None, Code], bool]] = {
    "postgresql": _of_postgresql,
    "mysql": _of_mariadb,
    "mariadb": _of_mariadb,
    "sqlite": _of_sqlite,
}
