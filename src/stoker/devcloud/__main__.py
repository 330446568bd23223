"""The command ``python -m stoker.devcloud``."""

from __future__ import annotations

import argparse
import signal
import sys

from stoker.devcloud.cloud import Options
from stoker.devcloud.server import Server


def options(arguments: list[str]) -> Options:
    """Read the command line."""
    defaults = Options()
    parser = argparse.ArgumentParser(prog="stoker.devcloud", description="A small OpenStack.")
    parser.add_argument("--host", default=defaults.host)
    parser.add_argument("--port", type=int, default=5000, help="0 takes a free one")
    parser.add_argument("--state", default=defaults.state, help="SQLite file; default: memory")
    parser.add_argument("--password", default=defaults.password, help="of every seeded user")
    parser.add_argument("--token-seconds", type=float, default=defaults.token_seconds)
    parser.add_argument("--region", default=defaults.region)
    parser.add_argument("--orchestration-url", default=defaults.orchestration_url)
    parser.add_argument("--cloudformation-url", default=defaults.cloudformation_url)
    parser.add_argument("--latency", type=float, default=defaults.latency, help="seconds")
    return Options(**vars(parser.parse_args(arguments)))


def main() -> None:
    """Run a cloud until SIGINT or SIGTERM."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    server = Server(options(sys.argv[1:]))
    sys.stdout.write(f"devcloud ready at {server.url}\n")
    sys.stdout.flush()
    try:
        server.serve()
    except (KeyboardInterrupt, SystemExit):
        server.stop()


if __name__ == "__main__":
    main()
