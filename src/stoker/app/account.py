"""Stoker as one account of a cloud that others run: its access, and the way in for clients.

Rule: the account's own secret stays where it is; clients on this machine log in with a password
that only this service knows.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import requests

from stoker.api.account import protect_account
from stoker.api.relay import Identity, Project, relay
from stoker.app.belonging import Owner, belong_to
from stoker.app.client_config import account_clouds
from stoker.app.doors import IDENTITY
from stoker.app.installation import Installation, Plan
from stoker.app.offer import near_and_far
from stoker.app.signing import caller_of, prover
from stoker.app.state import write_private
from stoker.clouds.account import Acting, named_account
from stoker.clouds.budget import Limits, default_at_once
from stoker.clouds.connect import Clouds
from stoker.engine.account import AccountCredentials
from stoker.engine.settings import LINGER_SECONDS, Settings
from stoker.errors import Conflict

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from stoker.api.cfn.door import Prove
    from stoker.app.doors import Doors
    from stoker.app.ground import Ground
    from stoker.cli.options import ServeOptions
    from stoker.clouds.account import Named
    from stoker.clouds.connect import CloudSettings
    from stoker.clouds.identity import Whose
    from stoker.engine.credentials import Credentials
    from stoker.store.database import Database
    from stoker.usecases.caller import Caller


@dataclass(frozen=True, slots=True)
class AccountAccess:
    """The account's (:class:`stoker.app.access.Access`); ``password`` is for local clients."""

    named: Named
    project: Project
    doors: Doors
    password: str = field(repr=False)

    def settings(self, engine: Settings) -> CloudSettings:
        """Return how the cloud is reached."""
        limits = Limits(at_once=default_at_once(engine.threads))
        return replace(self.named.settings, limits=limits)

    def credentials(self, database: Database, clouds: Clouds) -> Credentials:
        """Return the account's own."""
        return AccountCredentials(database, clouds, self.named.account)

    def door(self, api: WSGIApplication, clouds: Clouds) -> WSGIApplication:
        """Return the API for the account's tokens, with the cloud's Keystone beside it."""
        acting = Acting(clouds, self.named.account)
        api = protect_account(
            api, lambda token: _caller(acting.caller(token)), self.doors.identity_url
        )
        return beside(api, IDENTITY, relay(self._identity(acting)))

    def prove(self, clouds: Clouds) -> Prove:
        """Return what asks Keystone as the account, where that lets it."""
        acting = Acting(clouds, self.named.account)
        return prover(clouds, self.named.account, acting.caller)

    def _identity(self, acting: Acting) -> Identity:
        settings = self.named.settings
        session = requests.Session()
        session.verify, session.cert = settings.verify, settings.cert
        own = f"{self.doors.api_url}/%(project_id)s"
        return Identity(
            upstream=self.named.account.auth_url.removesuffix("/v3"),
            url=self.doors.identity_url.removesuffix("/v3"),
            catalog={"orchestration": own, "cloudformation": self.doors.cfn_url},
            region=settings.region,
            project=self.project,
            password=self.password,
            log_in=acting.new_token,
            session=session,
            timeout=settings.client_timeout,
        )


def _caller(whose: Whose | None) -> Caller | None:
    return None if whose is None else caller_of(whose)


def beside(app: WSGIApplication, prefix: str, other: WSGIApplication) -> WSGIApplication:
    """Return ``app`` with ``other`` under a prefix of the path."""

    def serve(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "")
        if path == prefix or path.startswith(f"{prefix}/"):
            environ["SCRIPT_NAME"] = environ.get("SCRIPT_NAME", "") + prefix
            environ["PATH_INFO"] = path.removeprefix(prefix)
            return other(environ, start)
        return app(environ, start)

    return serve


def _refuse_own_file(ground: Ground) -> None:
    """Raise Conflict where clients' configuration is what this service itself writes."""
    given = os.environ.get("OS_CLIENT_CONFIG_FILE")
    if given and Path(given).absolute() == ground.state.clouds_yaml:
        raise Conflict(
            f"OS_CLIENT_CONFIG_FILE names {given}, which leads back to this service: set it to the"
            " clouds.yaml that has the cloud's own address, or unset it"
        )


def beside_account(options: ServeOptions, name: str, ground: Ground) -> Installation:
    """Return API and engine that work as the account ``name``; raises Invalid, CloudError."""
    _refuse_own_file(ground)
    named = named_account(name, Settings().threads)
    seconds = named.settings.client_timeout
    # A service may go on as long again after its client has hung up.
    settings = Settings(
        client_timeout=seconds,
        in_doubt_seconds=2 * seconds,
        linger_seconds=LINGER_SECONDS,
        enable_stack_abandon=True,
        enable_stack_adopt=True,
        offer=near_and_far(),
    )
    acting = Acting(Clouds(named.settings), named.account)
    whose = acting.whose()
    project = Project(str(whose.project_id), str(whose.project_name), str(whose.project_domain_id))
    belong_to(ground.state, Owner(named.account.auth_url, project.id))
    access = AccountAccess(named, project, ground.doors, ground.password)
    state = ground.state
    plan = Plan(state.database_url, ground.key, access, settings, options.plugin_dirs)
    installation = Installation(plan)
    ground.stack.callback(installation.close)
    url, region = ground.doors.identity_url, named.settings.region
    text = account_clouds(name, url, ground.password, whose, region)
    write_private(state.clouds_yaml, text)
    return installation
