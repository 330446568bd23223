"""The command ``python -m stoker.devcloud``."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading

from stoker.devcloud.cloud import Options
from stoker.devcloud.server import Server

PASSWORD = "DEVCLOUD_PASSWORD"  # noqa: S105 - the name of a variable: `ps` shows command lines


def options(arguments: list[str]) -> tuple[Options, bool]:
    """Read the command line; tell also whether to end when standard input does."""
    defaults = Options()
    password = os.environ.get(PASSWORD, defaults.password)
    parser = argparse.ArgumentParser(prog="stoker.devcloud", description="A small OpenStack.")
    parser.add_argument("--host", default=defaults.host)
    parser.add_argument("--port", type=int, default=5000, help="0 takes a free one")
    parser.add_argument("--listen-fd", type=int, help="a socket that listens already")
    parser.add_argument("--state", default=defaults.state, help="SQLite file; default: memory")
    parser.add_argument("--password", default=password, help=f"of all users; or set {PASSWORD}")
    parser.add_argument("--token-seconds", type=float, default=defaults.token_seconds)
    parser.add_argument("--signature-seconds", type=float, default=defaults.signature_seconds)
    parser.add_argument("--region", default=defaults.region)
    parser.add_argument("--orchestration-url", default=defaults.orchestration_url)
    parser.add_argument("--cloudformation-url", default=defaults.cloudformation_url)
    parser.add_argument("--latency", type=float, default=defaults.latency, help="seconds")
    parser.add_argument(
        "--until-eof", action="store_true", help="end when standard input ends, by no signal"
    )
    read = vars(parser.parse_args(arguments))
    until_eof = bool(read.pop("until_eof"))
    return Options(**read), until_eof


def end_with_standard_input() -> None:
    """End at once when whoever holds the other end of standard input is gone."""
    while os.read(0, 4096):
        pass
    os._exit(0)  # the state is whole at every instant


def main() -> None:
    """Run a cloud until SIGINT or SIGTERM."""
    chosen, until_eof = options(sys.argv[1:])
    asked, ask = os.pipe()
    # A handler runs in the midst of anything: it must neither raise there nor want a lock.
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, lambda *_: os.write(ask, b"\0"))
    if until_eof:
        # Signals go to whole groups; the starter still needs its cloud while it ends itself.
        for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(each, signal.SIG_IGN)
        threading.Thread(target=end_with_standard_input, name="eof", daemon=True).start()
    with Server(chosen) as server:
        sys.stdout.write(f"devcloud ready at {server.url}\n")
        sys.stdout.flush()
        os.read(asked, 1)


if __name__ == "__main__":
    main()
