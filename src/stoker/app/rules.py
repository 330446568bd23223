"""The rules of all APIs, for one policy: who may do what by whichever door."""

from __future__ import annotations

from stoker.api import cfn, v1

RULES = (*v1.RULES, *cfn.RULES)
