"""Keystone v3: tokens, accounts, grants, trusts, application and EC2 credentials, the catalog.

Rule: importing it puts its calls in the table.
"""

from __future__ import annotations

from stoker.devcloud.keystone import (
    accounts,
    application_credentials,
    auth,
    credentials,
    discovery,
    ec2,
    estate,
    grants,
    trusts,
)
from stoker.devcloud.keystone.seed import seed

CALLS = (
    accounts,
    application_credentials,
    auth,
    credentials,
    discovery,
    ec2,
    estate,
    grants,
    trusts,
)
"""The modules whose calls are in the table."""

__all__ = ["CALLS", "seed"]
