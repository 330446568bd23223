"""Trusts are taken back, whatever becomes of the calls that do it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from stoker.clouds.connect import Unguarded
from stoker.engine.stored import StoredCredentials
from stoker.engine.trusts import ServiceUser
from stoker.errors import Bug
from stoker.store import queries
from stoker.store import tables as t
from stoker.store.credentials import forget, release
from stoker.store.database import Database
from stoker.store.goal import Moved
from stoker.store.passing import Passing
from stoker.store.seal import KEY_BYTES, Sealer
from tests.crash.ledger import TRUST
from tests.crash.site import SECRET, Site
from tests.store.world import World

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def shared_site() -> Iterator[Site]:
    site = Site()
    yield site
    site.stop()


@pytest.fixture
def site(shared_site: Site) -> Iterator[Site]:
    kept = shared_site.things().keys()
    yield shared_site
    shared_site.disarm()
    shared_site.clear(kept)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(f"sqlite:///{tmp_path / 'a.db'}", Sealer(b"k" * KEY_BYTES))
    t.metadata.create_all(database.engine)
    yield database
    database.close()


@pytest.fixture
def credentials(site: Site, database: Database) -> Iterator[StoredCredentials]:
    clouds = site.clouds(client_timeout=10.0)
    yield StoredCredentials(database, clouds, ServiceUser(site.auth_url, "heat", SECRET))
    clouds.close()


def trusts(site: Site) -> int:
    return sum(kind == TRUST for kind, _ in site.things())


def rows(database: Database) -> list[Any]:
    with database.read() as connection:
        return list(connection.execute(t.user_creds.select()))


def given_up(site: Site, credentials: StoredCredentials) -> None:
    """Delegate for a request that fails."""

    def fail() -> None:
        raise LookupError("the request")

    with pytest.raises(LookupError), credentials.delegated(site.caller):
        fail()


def test_the_trust_of_a_request_that_failed_is_taken_back(
    site: Site, database: Database, credentials: StoredCredentials
) -> None:
    given_up(site, credentials)
    assert (trusts(site), len(rows(database))) == (1, 1)
    credentials.tend()
    assert (trusts(site), rows(database)) == (0, [])


def test_a_revocation_without_an_answer_is_found_to_have_happened(
    site: Site, database: Database, credentials: StoredCredentials
) -> None:
    given_up(site, credentials)
    site.arm(service="identity", method="DELETE", reset=True, count=1)
    credentials.tend()
    assert (trusts(site), len(rows(database))) == (0, 1)
    credentials.tend()
    assert rows(database) == []


def test_a_revocation_that_did_not_happen_is_repeated(
    site: Site, database: Database, credentials: StoredCredentials
) -> None:
    given_up(site, credentials)
    site.arm(service="identity", method="DELETE", reset_before=True, count=1)
    credentials.tend()
    assert (trusts(site), len(rows(database))) == (1, 1)
    credentials.tend()
    assert (trusts(site), rows(database)) == (0, [])


def test_what_a_dead_request_left_is_taken_back_when_nobody_can_use_it_any_more(
    site: Site, database: Database, credentials: StoredCredentials
) -> None:
    with credentials.delegated(site.caller):
        pass  # and here its process died, before there was a stack
    credentials.tend()
    assert trusts(site) == 1, "its stack may be about to come"
    now = database.now()
    database.now = lambda: now + 3601  # type: ignore[method-assign]
    credentials.tend()
    assert (trusts(site), rows(database)) == (0, [])


def test_a_trust_serves_its_own_user_as_long_as_keystone_knows_it(
    site: Site, database: Database, credentials: StoredCredentials
) -> None:
    with credentials.delegated(site.caller) as creds_id:
        assert credentials.serves(creds_id, site.caller)
    other = replace(site.caller, user_id="another")
    assert not credentials.serves(creds_id, other)
    elsewhere = replace(other, project_id="another", is_admin=True)
    assert credentials.serves(creds_id, elsewhere), "they have nothing to give in its project"
    assert not credentials.serves(creds_id + 1, site.caller), "there are none"
    assert not any(credentials.is_lost(creds_id, who) for who in (site.caller, other, elsewhere))
    assert credentials.is_lost(creds_id + 1, other), "there are none"
    sealed = database.sealer.seal("0" * 32)  # what Keystone does not know
    with database.write() as connection:
        connection.execute(t.user_creds.update().values(trust_id=sealed))
    clouds = site.clouds(client_timeout=10.0)
    try:
        fresh = StoredCredentials(database, clouds, ServiceUser(site.auth_url, "heat", SECRET))
        assert not fresh.serves(creds_id, site.caller)
        assert fresh.is_lost(creds_id, other), "it is of no good to anybody"
        assert not fresh.is_lost(creds_id, elsewhere), "they have nothing to give in its project"
        site.arm(service="identity", method="POST", status=503)
        assert fresh.serves(creds_id, site.caller), "who does not answer says nothing"
    finally:
        clouds.close()


def test_a_step_whose_stack_has_gone_with_its_credentials_is_no_fault(
    site: Site, database: Database, credentials: StoredCredentials
) -> None:
    world = World(database)
    stack_id = world.stack(user_creds_id=7)
    with database.read() as connection:
        old = queries.stack(connection, stack_id)
    with pytest.raises(Bug, match="hold nothing"):
        credentials.cloud_of(old, Unguarded())
    with database.write() as connection:
        forget(connection, 7)
    with pytest.raises(Moved):
        credentials.cloud_of(old, Unguarded())


def test_a_request_that_the_database_did_not_answer_keeps_its_trust_for_its_stack(
    site: Site, database: Database, credentials: StoredCredentials
) -> None:
    """It may have been accepted all the same."""
    with pytest.raises(Passing), credentials.delegated(site.caller):
        raise Passing(ConnectionResetError(), taken_back=False)
    credentials.tend()
    assert (trusts(site), [row.state for row in rows(database)]) == (1, ["HELD"])


def test_a_trust_that_cannot_be_recorded_is_taken_back_at_once(
    site: Site, database: Database, credentials: StoredCredentials, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_a: object, **_k: object) -> None:
        raise Passing(ConnectionResetError(), taken_back=False)

    monkeypatch.setattr("stoker.store.credentials.hold", away)
    with pytest.raises(Passing), credentials.delegated(site.caller):
        pytest.fail("there is nothing to go on with")
    assert (trusts(site), [row.state for row in rows(database)]) == (0, ["INTENDED"])
    now = database.now()
    monkeypatch.setattr(database, "now", lambda: now + 3601)
    credentials.tend()
    assert rows(database) == []


def test_who_asks_with_a_trust_of_ours_is_served_with_it_and_it_stays_when_that_ends(
    site: Site, database: Database, credentials: StoredCredentials
) -> None:
    with credentials.delegated(site.caller) as outer:
        pass
    lent = credentials._held(outer).credential  # noqa: SLF001 - what an engine calls with
    clouds = site.clouds(client_timeout=10.0)
    token = clouds.cloud(lent).identity.token()
    clouds.close()
    with credentials.delegated(replace(site.caller, token=token)) as inner:
        assert credentials._held(inner).credential == lent  # noqa: SLF001 - the same
    with database.write() as connection:
        release(connection, inner)
    assert (trusts(site), len(rows(database))) == (1, 2)
    credentials.tend()
    assert (trusts(site), [row.id for row in rows(database)]) == (1, [outer])
