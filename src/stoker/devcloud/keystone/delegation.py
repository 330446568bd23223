"""What users hand on: trusts, application credentials and EC2 credentials, as stored.

Rule: they die with the user or the project that they are of.
"""

from __future__ import annotations

from stoker.devcloud.keystone.tokens import APPLICATION_CREDENTIAL, TRUST
from stoker.devcloud.state import State, index

CREDENTIAL = "identity.credential"
_FIELDS = {
    TRUST: ("trustor_user_id", "trustee_user_id", "project_id"),
    APPLICATION_CREDENTIAL: ("user_id", "project_id"),
    CREDENTIAL: ("user_id", "project_id", "type"),
}
for _kind, _fields in _FIELDS.items():
    for _field in _fields:
        index(_kind, _field)


def forget(state: State, field: str, id: str) -> None:
    """Remove everything handed on whose ``field`` names a user or project that is gone."""
    for kind, fields in _FIELDS.items():
        if field in fields:
            for doc in state.list(kind, where={field: id}):
                state.delete(kind, doc["id"])
