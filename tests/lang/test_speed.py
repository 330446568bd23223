"""A large template is read and instantiated fast enough to do it in a request."""

from __future__ import annotations

import time

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


def test_a_thousand_resources_take_well_under_a_second() -> None:
    text = HEAD + "".join(RESOURCE.format(n=n, before=n - 1) for n in range(1, 1000))
    start = time.process_time()
    instance = stack(text)
    spent = time.process_time() - start
    assert len(list(instance.graph.waves())) == 1000
    assert spent < 1.0  # 0.15 on a quiet machine; the rest is for a busy one
