"""Bring up real OpenStack services on this machine, run the tests of ``tests/cloud``, take it down.

What the services stand on (MariaDB, RabbitMQ, memcached) is started where it does not run
already; only what was started here is ended here, by its process. Arguments go to pytest.
``STOKER_CLOUD`` names the directory of services that run already: those are used, and stay.
The exit status is pytest's, or ``NO_CLOUD`` where this machine cannot bring the services up.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tools.daemons import Unavailable, install, listens, missing, process
from tools.daemons import rabbitmq as broker

ROOT = Path(__file__).resolve().parent.parent
CLOUD = ROOT.parent / "shared" / "cloud"
PACKAGES = {
    "mariadbd": "mariadb-server",
    "rabbitmq-server": "rabbitmq-server",
    "memcached": "memcached",
    "gcc": "build-essential",
    "curl": "curl",
    "openssl": "openssl",
}
HEADERS = "python3-dev"
PORTS = (5000, 8774, 8776, 8778, 9292, 9696)
OFFSETS = (0, 20000, 21000, 22000)
PREFIX = "stokertest"
NO_CLOUD = 69  # EX_UNAVAILABLE; pytest's own end at 5
UP_SECONDS = 1500.0


def main() -> int:
    """Run it all and return the exit status."""
    running = os.environ.get("STOKER_CLOUD")
    if running:
        return tests(Path(running))
    if not CLOUD.is_dir():
        return refused(f"{CLOUD} is missing: it holds the scripts that bring the services up")
    if os.geteuid() != 0:
        return refused("the services' databases and brokers need root to be set up")
    try:
        return tests_beside_services()
    except subprocess.SubprocessError as error:
        return refused(f"the services do not come up: {error}")
    except Unavailable as reason:
        return refused(str(reason))


def tests_beside_services() -> int:
    """Bring everything up, run the tests, take it down."""
    install_packages()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="stoker-cloud-")))
        folder.chmod(0o755)  # the daemons have users of their own
        for daemon in (mariadb, epmd, rabbitmq, memcached):
            # Where a daemon is ours, the scripts of the services are told how to reach it.
            os.environ.update(stack.enter_context(daemon(folder)))
        stack.enter_context(services(folder / "cloud", folder))
        return tests(folder / "cloud")


def tests(cloud: Path) -> int:
    """Run the tests against the services of a directory and return pytest's exit status."""
    command = (sys.executable, "-m", "pytest", "tests/cloud", *sys.argv[1:])
    environment = {**os.environ, "STOKER_CLOUD": str(cloud)}
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def refused(reason: str) -> int:
    """Say why nothing was tested."""
    sys.stderr.write(f"test-cloud: {reason}\n")
    return NO_CLOUD


def install_packages() -> None:
    """Install the Debian packages that are missing."""
    wanted = missing(PACKAGES)
    if not list(Path("/usr/include").glob("python3*/Python.h")):
        wanted.append(HEADERS)
    install(wanted)


@contextmanager
def mariadb(folder: Path) -> Iterator[Mapping[str, str]]:
    """Have a MariaDB on its usual port."""
    if listens(3306):
        yield {}
        return
    data = folder / "mariadb"
    # One that starts deletes the tables in its tmpdir, whosever they are; /tmp is many servers'.
    options = (f"--datadir={data}", f"--tmpdir={data}", "--user=mysql")
    install = ("mariadb-install-db", *options, "--auth-root-authentication-method=normal")
    subprocess.run((*install, "--skip-test-db"), check=True, stdout=subprocess.DEVNULL)
    places = (f"--socket={data}/socket", f"--pid-file={data}/pid")
    command = ("mariadbd", *options, *places, "--bind-address=127.0.0.1", "--port=3306")
    with process(command, folder / "mariadb.log", 3306):
        yield {"DB_ROOT": "mysql -h127.0.0.1 -uroot"}


@contextmanager
def epmd(folder: Path) -> Iterator[Mapping[str, str]]:
    """Have the port mapper that RabbitMQ would start and leave behind."""
    if listens(4369):
        yield {}
        return
    with process(("epmd", "-address", "127.0.0.1"), folder / "epmd.log", 4369):
        yield {}


@contextmanager
def rabbitmq(folder: Path) -> Iterator[Mapping[str, str]]:
    """Have a RabbitMQ on its usual port."""
    if listens(5672):
        yield {}
        return
    data = folder / "rabbitmq"
    data.mkdir()
    shutil.chown(data, "rabbitmq", "rabbitmq")
    node = {"RABBITMQ_NODENAME": f"{PREFIX}@localhost"}
    places = {
        "HOME": "/var/lib/rabbitmq",  # where rabbitmqctl looks for the cookie
        "RABBITMQ_MNESIA_BASE": str(data),
        "RABBITMQ_LOG_BASE": str(data),
    }
    with process(broker(), folder / "rabbitmq.log", 5672, {**node, **places}):
        yield node


@contextmanager
def memcached(folder: Path) -> Iterator[Mapping[str, str]]:
    """Have a memcached on its usual port."""
    if listens(11211):
        yield {}
        return
    command = ("memcached", "-u", "memcache", "-l", "127.0.0.1", "-p", "11211", "-m", "64")
    with process(command, folder / "memcached.log", 11211):
        yield {}


@contextmanager
def services(cloud: Path, folder: Path) -> Iterator[None]:
    """Have Keystone, Placement, Glance, Neutron, Nova and Cinder, on free ports."""
    environment = {
        **os.environ,
        "PREFIX": PREFIX,
        "PORT_OFFSET": str(free_offset()),
        "UV": installer(folder),
    }
    up = ("bash", str(CLOUD / "up.sh"), str(cloud))
    try:
        subprocess.run(up, env=environment, check=True, timeout=UP_SECONDS)
        yield
    finally:
        if (cloud / "env").exists():
            down = ("bash", str(CLOUD / "down.sh"), str(cloud), "--purge")
            subprocess.run(down, check=True, stdout=subprocess.DEVNULL)


def installer(folder: Path) -> str:
    """Return a uv: the services have some hundred packages."""
    found = shutil.which("uv")
    if found:
        return found
    venv = folder / "uv"
    subprocess.run((sys.executable, "-m", "venv", str(venv)), check=True)
    pip = (str(venv / "bin" / "python"), "-m", "pip", "install", "-qq", "uv")
    subprocess.run((*pip, "--disable-pip-version-check"), check=True)
    return str(venv / "bin" / "uv")


def free_offset() -> int:
    """Return what is added to the services' ports so that all are free."""
    for offset in OFFSETS:
        if not any(listens(port + offset) for port in PORTS):
            return offset
    raise Unavailable("the services' ports are taken")


if __name__ == "__main__":
    sys.exit(main())
