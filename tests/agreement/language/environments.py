"""Environment files of one request, with and without strategies for merging parameters."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from tests.agreement.language.calls import seldom

DECLARED: dict[str, Any] = {
    "s": {"type": "string"},
    "n": {"type": "number"},
    "l": {"type": "comma_delimited_list"},
    "j": {"type": "json"},
    "b": {"type": "boolean"},
}
TEMPLATE = {"heat_template_version": "2018-08-31", "parameters": DECLARED}
TEXT = st.sampled_from(["", "a", "b,c", "1", "0"])
MAP = st.recursive(
    st.dictionaries(st.sampled_from(["k", "m"]), TEXT | st.integers(0, 2) | st.none(), max_size=2),
    lambda inner: st.dictionaries(
        st.sampled_from(["k", "m"]), inner | st.lists(TEXT, max_size=2), max_size=2
    ),
    max_leaves=3,
)
VALUES: dict[str, Any] = {
    "s": TEXT,
    "n": st.integers(0, 3) | st.sampled_from(["2", 1.5, "0.5"]),
    "l": st.lists(TEXT, max_size=2) | TEXT,
    "j": MAP | MAP.map(json.dumps) | st.lists(TEXT, max_size=2),
    "b": st.booleans(),
    "undeclared": TEXT | MAP,
}
PARAMETERS = st.fixed_dictionaries(
    {}, optional={name: seldom(each, st.none() | TEXT) for name, each in VALUES.items()}
)
STRATEGY = st.sampled_from(["overwrite", "merge", "deep_merge"])
STRATEGIES = st.fixed_dictionaries({}, optional=dict.fromkeys(["default", *VALUES], STRATEGY))
TARGET = st.sampled_from(["B", "x.yaml", "A*", None, "OS::Heat::None"])
OWN = st.fixed_dictionaries(
    {},
    optional={
        "hooks": st.sampled_from(["pre-create", ["pre-update", "post-delete"]]),
        "restricted_actions": st.sampled_from(["update", ["replace"]]),
        "A": TARGET,
    },
)
REGISTRY = st.fixed_dictionaries(
    {},
    optional={
        "A": TARGET,
        "B*": TARGET,
        "resources": st.dictionaries(st.sampled_from(["r", "q*"]), OWN, max_size=2),
    },
)
SINK = st.builds(lambda target: {"type": "zaqar-queue", "target": target}, TEXT)
FILE = st.fixed_dictionaries(
    {},
    optional={
        "parameters": PARAMETERS | st.none(),
        "parameter_defaults": PARAMETERS | st.none(),
        "parameter_merge_strategies": seldom(STRATEGIES, st.none()),
        "resource_registry": REGISTRY | st.none(),
        "event_sinks": st.lists(SINK, max_size=2),
        "encrypted_param_names": st.lists(st.sampled_from(["s", "j"]), max_size=2),
    },
)
ALIKE = st.tuples(STRATEGIES, st.lists(FILE, min_size=1, max_size=3)).map(
    lambda two: [{**each, "parameter_merge_strategies": two[0]} for each in two[1]]
)
FILES = (st.lists(FILE, min_size=1, max_size=3) | ALIKE).map(
    lambda files: [json.dumps(each) for each in files]
)
"""With strategies of their own each, which mostly quarrel, or with the same in all."""
