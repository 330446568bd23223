"""Heat's REST API, version 1."""

from stoker.api.v1.application import RULES, application

__all__ = ["RULES", "application"]
