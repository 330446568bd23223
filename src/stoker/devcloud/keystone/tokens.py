"""tmp"""
from __future__ import annotations
from stoker.devcloud.caller import Caller
from stoker.devcloud.cloud import Cloud


def caller_of(cloud: Cloud, token: str) -> Caller | None:
    """tmp."""
    if token == "demo":
        return Caller(token_id=token, user_id="demo", user_name="demo", user_domain_id="default", roles=frozenset({"member"}), expires_at=1e12, project_id="demo", project_name="demo")
    return None
