"""Stoker as operators run it, on free ports: a small cloud, engines and an API by themselves."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

from stoker.app.client_config import embedded_clouds
from stoker.cli.account import account
from stoker.cli.endpoint import Endpoint
from tests.app.serving import SECONDS, answers, eventually
from tools import daemons

KEY = "0123456789abcdef0123456789abcdef"
PASSWORD = "the password of all its users"  # of a cloud that lives for a test
READY = "stoker-engine is ready"

OFFERED = {
    "environment.d/own.yaml": "resource_registry: {Site::Greeting: greeting.yaml}\n",
    "templates/greeting.yaml": (
        "heat_template_version: 2021-04-16\n"
        "resources: {one: {type: OS::Heat::Value, properties: {value: hello}}}\n"
        "outputs: {text: {value: {get_attr: [one, value]}}}\n"
    ),
}
"""The operator's files."""


class Program:
    """One of the operator's programs, which is ended when the test is."""

    def __init__(self, name: str, *arguments: str, environment: Mapping[str, str] = {}) -> None:
        self.process = subprocess.Popen(
            (sys.executable, "-m", f"stoker.app.{name}", *arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **environment},
        )

    @property
    def workers(self) -> list[int]:
        """Its children's process ids."""
        found: list[int] = []
        for each in Path(f"/proc/{self.process.pid}/task").iterdir():
            with suppress(FileNotFoundError):  # a thread that has ended since
                found += map(int, (each / "children").read_text().split())
        return found

    def kill_all(self) -> None:
        """Kill it and all its workers with SIGKILL, the parent first."""
        workers = self.workers
        for pid in (self.process.pid, *workers):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def kill_workers(self) -> bool:
        """Kill its workers alone; tell whether there were any."""
        workers = self.workers if self.process.poll() is None else []
        for pid in workers:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return bool(workers)

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send it a signal, wait for the end and return the exit code."""
        self.process.send_signal(number)
        self.process.communicate(timeout=SECONDS)
        return self.process.returncode

    def close(self) -> None:
        """End it by force if it still runs."""
        if self.process.poll() is None:
            self.kill_all()
        self.process.communicate(timeout=SECONDS)


class Site:
    """A folder with a configuration, a cloud of its own, and what is started there.

    ``more`` are variables that say options.
    """

    def __init__(self, folder: Path, url: str = "", more: Mapping[str, str] = {}) -> None:
        self.folder = folder
        self._stack = ExitStack()
        self._engines: list[Program] = []
        self.port, self.cfn_port = daemons.free_port(), daemons.free_port()
        self.auth_url = self._cloud()
        self._offer()
        self.conf = folder / "heat.conf"
        self.conf.write_text(self._options(url or f"sqlite:///{folder}/stoker.db"))
        self._environment = more
        self.clouds_yaml = folder / "clouds.yaml"
        self.clouds_yaml.write_text(embedded_clouds(self.auth_url, PASSWORD))

    def _cloud(self) -> str:
        own = f"http://127.0.0.1:{self.port}/v1/%(project_id)s"
        places = ("--port", "0", "--state", str(self.folder / "devcloud.db"))
        cloud = subprocess.Popen(
            (sys.executable, "-m", "stoker.devcloud", *places, "--orchestration-url", own),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            env={**os.environ, "DEVCLOUD_PASSWORD": PASSWORD},
        )
        self._stack.callback(cloud.communicate)
        self._stack.callback(cloud.terminate)
        assert cloud.stdout is not None
        ready, _, _ = select.select([cloud.stdout], [], [], SECONDS)
        said = cloud.stdout.readline() if ready else b""
        assert said.startswith(b"devcloud ready at "), said
        return f"{said.decode().rpartition(' ')[2].strip()}/identity/v3"

    def _offer(self) -> None:
        """Write what the operator maps types to."""
        for name, text in OFFERED.items():
            file = self.folder / name
            file.parent.mkdir(exist_ok=True)
            file.write_text(text)

    def _options(self, url: str) -> str:
        return f"""
            [DEFAULT]
            auth_encryption_key = {KEY}
            num_engine_workers = 1
            log_file = {self.folder}/stoker.log
            convergence_engine = True
            environment_dir = {self.folder}/environment.d
            template_dir = {self.folder}/templates
            [database]
            connection = {url.replace("%", "%%")}
            [keystone_authtoken]
            www_authenticate_uri = {self.auth_url}
            auth_url = {self.auth_url}
            auth_type = password
            username = heat
            password = {PASSWORD}
            user_domain_name = Default
            project_name = service
            project_domain_name = Default
            [trustee]
            auth_section = keystone_authtoken
            [heat_api]
            bind_host = 127.0.0.1
            bind_port = {self.port}
            workers = 1
            [heat_api_cfn]
            bind_host = 127.0.0.1
            bind_port = {self.cfn_port}
            [stoker]
            client_timeout = 3
            look_seconds = 0.2
            [some_service_of_heat]
            some_option = 1
        """.replace("\n            ", "\n")

    @property
    def endpoint(self) -> Endpoint:
        return Endpoint(account(self.clouds_yaml, "demo"))

    @property
    def log(self) -> str:
        log = self.folder / "stoker.log"
        return log.read_text() if log.exists() else ""

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run ``stoker-manage``, whatever comes of it."""
        command = (sys.executable, "-m", "stoker.app.manage", "--config-file", str(self.conf))
        return subprocess.run(
            (*command, *arguments), capture_output=True, text=True, timeout=SECONDS, check=False
        )

    def program(self, name: str, more: Mapping[str, str] = {}) -> Program:
        """Start a program; ``more`` are variables for it alone."""
        environment = {**self._environment, **more}
        found = Program(name, "--config-file", str(self.conf), environment=environment)
        self._stack.callback(found.close)
        return found

    def api(self, more: Mapping[str, str] = {}) -> Program:
        """Start ``stoker-api`` and return it when it answers; ``more`` as in ``program``."""
        found = self.program("api_service", more)
        eventually(lambda: answers(f"http://127.0.0.1:{self.port}/healthcheck"))
        return found

    def cfn(self) -> Program:
        """Start ``stoker-api-cfn`` and return it when it answers."""
        found = self.program("cfn_service")
        eventually(lambda: answers(f"http://127.0.0.1:{self.cfn_port}/healthcheck"))
        return found

    def engines(self, number: int) -> list[Program]:
        """Return so many engines that work, started where there are fewer."""
        self._engines = [each for each in self._engines if each.process.poll() is None]
        wanted = self.log.count(READY) + number - len(self._engines)
        while len(self._engines) < number:
            self._engines.append(self.program("engine_service"))
        eventually(lambda: self.log.count(READY) >= wanted)
        return self._engines[:number]

    def engine(self) -> Program:
        """Return one engine."""
        return self.engines(1)[0]

    def ended(self, name: str, id: str, seconds: float = SECONDS) -> str:
        """Wait until a stack is through and return its status."""
        endpoint, until = self.endpoint, time.monotonic() + seconds
        while (status := endpoint.stack(name, id)["stack_status"]).endswith("IN_PROGRESS"):
            assert time.monotonic() < until, status
            time.sleep(0.05)
        return str(status)

    def close(self) -> None:
        """End all that was started."""
        self._stack.close()
