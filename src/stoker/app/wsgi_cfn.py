"""The CloudFormation API for another WSGI server, which loads ``application`` from here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.app.cfn_service import PROGRAM
from stoker.app.configuration import Configuration
from stoker.app.hosted import Hosted

if TYPE_CHECKING:
    from stoker.app.hosted import Front


def _front() -> Front:
    from stoker.app.front import cfn

    return cfn


application = Hosted(PROGRAM, Configuration.check_cfn, _front)
