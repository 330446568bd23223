"""Nova's client: python-novaclient, at the version that plugins have always been given."""

from __future__ import annotations

from typing import Any, ClassVar

from stoker.classic.clients.client_plugin import ClientPlugin, imported
from stoker.clouds.session import http_status

_BAD_REQUEST, _UNPROCESSABLE = 400, 422
_PASSING = frozenset({413, 429, 500, 503})


class NovaClientPlugin(ClientPlugin):
    COMPUTE: ClassVar[str] = "compute"
    service_types: ClassVar[list[str]] = [COMPUTE]
    default_version = "2.1"

    deferred_server_statuses = (
        "BUILD", "HARD_REBOOT", "PASSWORD", "REBOOT", "RESCUE", "RESIZE", "REVERT_RESIZE",
        "SHUTOFF", "SUSPENDED", "VERIFY_RESIZE",
    )  # fmt: skip

    def _create(self, version: str | None = None) -> Any:
        session = self.context.keystone_session
        return imported("novaclient.client", "python-novaclient").Client(
            version or self.default_version,
            session=session,
            endpoint_type=session.interface,
            service_type=self.COMPUTE,
            region_name=session.region,
        )

    def is_bad_request(self, ex: BaseException) -> bool:
        return http_status(ex) == _BAD_REQUEST

    def is_unprocessable_entity(self, ex: BaseException) -> bool:
        return http_status(ex) == _UNPROCESSABLE

    def get_server(self, server: str) -> Any:
        return self.client().servers.get(server)

    def fetch_server(self, server_id: str) -> Any:
        """Return the server, or None where it cannot be read just now."""
        try:
            return self.client().servers.get(server_id)
        except imported("novaclient.exceptions", "python-novaclient").ClientException as e:
            if http_status(e) not in _PASSING:
                raise
            return None

    def get_status(self, server: Any) -> str:
        """Return the status without what some drivers put in brackets behind it."""
        return str(server.status).split("(", maxsplit=1)[0]

    def find_flavor_by_name_or_id(self, flavor: str) -> str:
        return str(_found(self.client().flavors, flavor).id)

    def get_keypair(self, key_name: str) -> Any:
        return self.client().keypairs.get(key_name)


def _found(collection: Any, name_or_id: str) -> Any:
    """Return what has this id, else what alone has this name."""
    find = imported("novaclient.utils", "python-novaclient").find_resource
    return find(collection, name_or_id)
