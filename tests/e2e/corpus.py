"""The cases: real templates that are deployed, updated without and with a change, and removed.

``REAL`` are those for a real cloud too: give :class:`tests.e2e.corpus_driver.Driver` the API and
a project there (for ``admin`` cases an administrator's), and run them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.e2e import (
    corpus_cases_configs,
    corpus_cases_mapped,
    corpus_cases_network,
    corpus_cases_onap,
    corpus_cases_pure,
    corpus_cases_server,
    corpus_cases_topology,
    corpus_cases_volume,
)

if TYPE_CHECKING:
    from tests.e2e.corpus_case import Case

CASES: Final[tuple[Case, ...]] = (
    *corpus_cases_volume.CASES,
    *corpus_cases_topology.CASES,
    *corpus_cases_server.CASES,
    *corpus_cases_onap.CASES,
    *corpus_cases_configs.CASES,
    *corpus_cases_mapped.CASES,
    *corpus_cases_network.CASES,
    *corpus_cases_pure.CASES,
)
REAL: Final = tuple(case for case in CASES if case.real)


def label(case: Case) -> str:
    """Return a name that no other case has."""
    words = [case.path]
    if case.becomes is not None:
        words.append(case.becomes.rpartition("/")[2])
    return "-".join(words)
