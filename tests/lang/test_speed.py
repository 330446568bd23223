"""A large template is read and instantiated with work that grows as the template does.

Rule: work is counted in calls of functions, which no other process on the machine disturbs.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from stoker.lang.stack import Instance
from tests.lang.writing import stack

RESOURCE = """\
  r{n}:
    type: OS::Neutron::Port
    properties:
      name: {{list_join: ['-', [{{get_param: OS::stack_name}}, port, '{n}']]}}
      network: {{get_param: network}}
      fixed_ips: [{{subnet: {{get_attr: [r{before}, subnets, 0]}}}}]
      value_specs: {{index: {n}, before: {{get_resource: r{before}}}}}
"""
HEAD = """\
heat_template_version: 2021-04-16
parameters: {network: {type: string, default: public}}
resources:
  r0: {type: OS::Neutron::Port}
"""
MOST_CALLS = 600
"""For each resource; 475 were counted."""


def counted(size: int) -> tuple[Instance, int]:
    """Return the instance of a chain of so many resources, and how many calls it took."""
    text = HEAD + "".join(RESOURCE.format(n=n, before=n - 1) for n in range(1, size))
    calls = 0

    def count(_frame: FrameType, event: str, _arg: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        instance = stack(text)
        waves = list(instance.graph.waves())
    finally:
        sys.setprofile(before)
    assert len(waves) == size
    return instance, calls


def test_work_grows_with_the_template_and_no_faster() -> None:
    counted(50)  # what is loaded and compiled at first use does not count
    _, few = counted(250)
    _, many = counted(1000)
    assert many < 4.2 * few
    assert many < MOST_CALLS * 1000
