"""Cases that need no cloud but Stoker: values, random strings, groups, conditions, functions."""

from __future__ import annotations

from typing import Final

from tests.e2e.corpus_case import Case

_RALLY: Final = "openstack+rally-openstack/rally-jobs/extra"
_GROUPS: Final = "openstack+heat-templates/hot/resource_group"
_TRIPLEO: Final = "tripleo-heat-templates-18.0.0-rendered"

CASES: Final = (
    Case("NeCTAR-RC+heat-templates/random_string.yaml", real=True),
    Case(f"{_GROUPS}/resource_group.yaml", real=True),
    Case(
        f"{_GROUPS}/resource_group_index_lookup.yaml",
        changes={"random_lengths": "4,7,6"},
        real=True,
    ),
    Case(
        "openstack+heat-templates/hot/condition.yaml",
        changes={"env_type": "prod", "zone": "xian"},
        real=True,
    ),
    Case(
        f"{_RALLY}/random_strings.yaml.template",
        becomes=f"{_RALLY}/updated_random_strings_replace.yaml.template",
        replaced=frozenset({"test_string_two"}),
    ),
    Case(
        f"{_RALLY}/random_strings.yaml.template",
        becomes=f"{_RALLY}/updated_random_strings_add.yaml.template",
    ),
    Case(
        f"{_RALLY}/random_strings.yaml.template",
        becomes=f"{_RALLY}/updated_random_strings_delete.yaml.template",
        real=True,
    ),
    Case(
        f"{_RALLY}/resource_group.yaml.template",
        becomes=f"{_RALLY}/updated_resource_group_increase.yaml.template",
        real=True,
    ),
    Case(
        f"{_RALLY}/updated_resource_group_increase.yaml.template",
        becomes=f"{_RALLY}/updated_resource_group_reduce.yaml.template",
    ),
    Case(f"{_RALLY}/resource_group_with_outputs.yaml.template", {"attr_wait_secs": 0.1}),
    Case(
        "openstack+heat/rally-scenarios/extra/rg_template_with_constraint.yaml",
        {"delay": 0},
        changes={"count": 30},
    ),
    Case(
        "openstack+heat/rally-scenarios/extra/rg_template_with_outputs.yaml",
        {"attr_wait_secs": 0.1},
        long=True,
    ),
    Case("openstack+senlin/examples/profiles/heat_stack/random_string/random_string_template.yaml"),
    Case(f"{_TRIPLEO}/network/ports/net_ip_map.yaml", changes={"StorageIp": "10.1.1.1"}),
)
