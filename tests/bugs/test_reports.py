"""Every public bug report of the captured ones has a test of what is right, or is told about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.behaviour.proof import Row, check, tried_in

if TYPE_CHECKING:
    from pathlib import Path

FILES = ("lang/test_bugs.py", "e2e/test_bugs.py", "e2e/test_snapshots.py")
PORTS = "resources/neutron/test_neutron_types.py"
TYPES = "resource types |"
"""How the README begins to say which types there are."""

ELSEWHERE = (
    Row("61", ("app/test_serve.py::test_after_a_kill_of_everything_it_goes_on_where_it_was",
               "kill/test_kill.py::test_a_kill_of_everything_loses_nothing",
               "store/test_traversal.py::test_a_stack_that_has_used_up_its_time_fails_and_its_work_is_superseded")),
    Row("64", ("e2e/test_secrets.py::test_no_answer_holds_a_hidden_parameter",
               "e2e/test_secrets.py::test_no_file_holds_a_secret_in_the_clear")),
    Row("29", told=TYPES),  # OS::Heat::Delay
    Row("46", told=TYPES),  # OS::Neutron::SubnetPool
    Row("52", told=TYPES),  # OS::Neutron::ProviderNet, OS::Neutron::Segment
    Row("50", (f"{PORTS}::test_a_changed_binding_profile_keeps_what_others_wrote",)),
)  # fmt: skip


@pytest.mark.parametrize("row", ELSEWHERE, ids=lambda row: row.name)
def test_what_shows_a_report_is_there(row: Row) -> None:
    check(row)


def test_no_report_is_left_out(shared: Path) -> None:
    numbers = {each.name[:2] for each in (shared / "bugs").glob("*.yaml")}
    tried = {each[5:7] for file in FILES for each in tried_in(file)}
    named = {row.name for row in ELSEWHERE}
    assert numbers - tried - named == set()
    assert named - numbers == set()
