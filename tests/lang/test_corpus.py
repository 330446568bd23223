"""Templates from the field that real Heat accepts; where we differ, it is on purpose."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from stoker.app.yaql import provide_yaql
from stoker.errors import Invalid
from stoker.lang.environment import read_environment
from stoker.lang.stack import Inputs, instantiate
from stoker.lang.template import read

TRIPLEO = "tripleo-heat-templates-18.0.0-rendered"
NICS = "tools/tests/nic_config_convert_samples/heat_templates"
UNDECLARED = {
    "Juniper+vmx-heat-templates/openstack/vmx-components/ports/bridge_provider_port.yaml",
    "Juniper+vmx-heat-templates/openstack/vmx-components/ports/bridge_provider_sriov_port.yaml",
    f"{TRIPLEO}/deployment/logging/rsyslog-sidecar-container-puppet.yaml",
    f"{TRIPLEO}/{NICS}/multiple-nics-vlans-controller.yaml",
}
"""Resources use parameters that are not declared: making a stack of them fails."""

REFUSED_VALUES = {
    "catalyst-cloud+catalystcloud-orchestration/hot/ubuntu-14.04/moodletotara-2instances/servers.yaml",
    "syseleven+heat-examples/single-server-with-existing-floating-ip/example.yaml",
}
"""The environment's values do not meet the template's constraints; Heat looks at create."""

SPOILT_OUTPUT = {
    "openstack+heat-translator/samples/tests/data/hot_output/hot_get_functions_semantic.yaml"
}
"""An output that can never have a value."""

SPOILT_CALL = {f"{TRIPLEO}/{NICS}/complex.yaml"}
"""A call that waits for a resource and can have no value: it puts a map together with lists."""


class AnyFile(dict[str, str]):
    """Files whose text does not matter."""

    def __contains__(self, key: object) -> bool:
        return True

    def __missing__(self, key: str) -> str:
        return "text"


def accepted_by_heat(corpus: Path) -> Iterator[dict[str, Any]]:
    for line in (corpus / "verdicts.jsonl").read_text().splitlines():
        verdict = json.loads(line)
        if verdict["case"].startswith("validate") and verdict["verdict"] == "ok":
            yield verdict


def refusal(corpus: Path, verdict: dict[str, Any]) -> Invalid | None:
    templates = corpus / "templates"
    try:
        template = read((templates / verdict["path"]).read_text(), verdict["path"])
        environment = read_environment(
            (templates / verdict["env"]).read_text() if "env" in verdict else {}
        )
        inputs = Inputs("s", "i", "p", environment, files=AnyFile(), strict=False)
        instantiate(template, inputs)
    except Invalid as error:
        return error
    return None


def test_what_heat_accepts_is_accepted(shared: Path) -> None:
    provide_yaql()
    corpus = shared / "corpus"
    verdicts = list(accepted_by_heat(corpus))
    refused = {each["path"]: refusal(corpus, each) for each in verdicts}
    differing = {path: error.problems for path, error in refused.items() if error}
    assert len(verdicts) > 900
    assert differing.keys() == UNDECLARED | REFUSED_VALUES | SPOILT_OUTPUT | SPOILT_CALL
    for each in chain.from_iterable(differing.values()):
        assert each.at, each
        assert each.place, each
