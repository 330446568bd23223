"""The CloudFormation API, as Heat has it and as AWS's clients expect it."""

from stoker.api.cfn.application import RULES, application
from stoker.api.cfn.door import signed

__all__ = ["RULES", "application", "signed"]
