"""What ``stoker serve`` says when it is ready.

Rule: the first line of the greeting begins with ``READY``, which programs wait for.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from stoker.cli.options import READY

if TYPE_CHECKING:
    from stoker.app.ground import Ground


def greeting(ground: Ground, cloud: str | None, seconds: float) -> str:
    """Return the lines that tell where everything is and how to use it; ``cloud`` as named."""
    state, doors = ground.state, ground.doors
    stoker, client = beside("stoker"), beside("openstack")
    what = "an embedded one; users demo and admin" if cloud is None else f"{cloud}, by way of here"
    return f"""\
{READY} after {seconds:.1f} s; it ends with Ctrl-C.
  API         {doors.api_url}
  for AWS's   {doors.cfn_url}  (CloudFormation; keys: openstack ec2 credentials create)
  cloud       {doors.identity_url}  ({what})
  state, log  {state.path}

Use it from another terminal:
  export OS_CLIENT_CONFIG_FILE={shlex.quote(str(state.clouds_yaml))}
  export OS_CLOUD={shlex.quote(cloud or "demo")}
  {stoker} deploy first -t {example()}
  {stoker} status first
  {stoker} delete first

Or with the OpenStack client:
  {client} stack create --wait -t {example()} first
  {client} stack delete --wait --yes first
"""


def beside(name: str) -> str:
    """Return the program of that name beside this Python, or its plain name."""
    path = Path(sys.executable).with_name(name)
    return shlex.quote(_shortest(path)) if path.exists() else name


def example() -> str:
    """Return the path of the first example, as short as it can be said from here."""
    path = Path(__file__).resolve().parents[3] / "examples" / "first-stack.yaml"
    return shlex.quote(_shortest(path)) if path.exists() else "TEMPLATE"


def _shortest(path: Path) -> str:
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
