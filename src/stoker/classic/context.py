"""Who a plugin's calls are made as, and the clients that it makes them with.

Rule: one for each step; where no cloud may be asked (while a template is checked),
the session is refused with :class:`Offline`, which no plugin can take for an answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from stoker.classic.clients import Clients
from stoker.sdk.lazy import lazy

if TYPE_CHECKING:
    from stoker.clouds.one_cloud import OneCloud
    from stoker.clouds.session import GuardedSession
    from stoker.sdk.cloud import Cloud


class Offline(BaseException):
    """A plugin asked for a cloud where there is none; not an Exception, which it may catch."""


class Context:
    """What ``self.context`` is to a plugin."""

    is_admin = False

    def __init__(self, project_id: str, cloud: Cloud | None) -> None:
        self.project_id = self.tenant_id = self.tenant = project_id
        self._cloud = cloud
        self.asked: GuardedSession | None = None

    def renew(self, cloud: Cloud | None) -> None:
        """Go on with another step's cloud; clients that were made stay."""
        self._cloud = cloud
        if self.asked is not None and cloud is not None:
            self.asked.take_over(cast("OneCloud", cloud).session())

    @lazy
    def keystone_session(self) -> GuardedSession:
        if self._cloud is None:
            raise Offline
        self.asked = cast("OneCloud", self._cloud).session()
        return self.asked

    @lazy
    def clients(self) -> Clients:
        return Clients(self)

    @property
    def region_name(self) -> str | None:
        return self.keystone_session.region

    @property
    def auth_token(self) -> str | None:
        return self.keystone_session.get_token()

    @property
    def auth_url(self) -> str:
        return str(cast("Any", self.keystone_session.auth).auth_url)

    @property
    def user_id(self) -> str | None:
        return self.keystone_session.get_user_id()
