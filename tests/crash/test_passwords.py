"""Passwords of users: asked about before they are kept, renewed, and forgotten."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from stoker.clouds.connect import Unguarded
from stoker.devcloud.keystone import tokens
from stoker.engine.stored import PASSWORD, TRUSTS, StoredCredentials
from stoker.engine.trusts import ServiceUser
from stoker.errors import CloudError, MissingCredential, WrongCredential
from stoker.store import queries
from stoker.store import tables as t
from stoker.store.credentials import release, renew
from stoker.store.database import Database
from stoker.store.passing import Passing
from stoker.store.rotation import rotate
from stoker.store.seal import KEY_BYTES, Sealer
from stoker.usecases.stacks import Goal
from tests.crash.ledger import TRUST
from tests.crash.site import SECRET, Site
from tests.crash.world import World as CrashWorld
from tests.e2e.secret import found_in
from tests.store.world import World

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from stoker.usecases.caller import Caller

    Make = Callable[..., StoredCredentials]

CHANGED = "quite-another-word"
NETS = 4
UNAUTHORIZED = 401
KEY = b"k" * KEY_BYTES


@pytest.fixture
def site() -> Iterator[Site]:
    """Give a cloud of its own: passwords are changed in it."""
    site = Site()
    yield site
    site.stop()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(f"sqlite:///{tmp_path / 'a.db'}", Sealer(KEY))
    t.metadata.create_all(database.engine)
    yield database
    database.close()


@pytest.fixture
def process(site: Site, database: Database) -> Iterator[Make]:
    """Give what makes the credentials as one process has them, by one method."""
    opened: list[Any] = []

    def make(method: str = PASSWORD, on: Database | None = None) -> StoredCredentials:
        clouds = site.clouds(client_timeout=10.0)
        opened.append(clouds)
        user = ServiceUser(site.auth_url, "heat", SECRET)
        return StoredCredentials(on or database, clouds, user, method)

    yield make
    for each in opened:
        each.close()


def bringing(site: Site, password: str = SECRET, **more: Any) -> Caller:
    return replace(site.caller, login="demo", password=password, **more)


def rows(database: Database) -> list[Any]:
    with database.read() as connection:
        return list(connection.execute(t.user_creds.select()))


def given(credentials: StoredCredentials, caller: Caller) -> int:
    with credentials.delegated(caller) as creds_id:
        return creds_id


def cloud_of(database: Database, credentials: StoredCredentials, creds_id: int) -> Any:
    """Return the cloud as the engine sees it for a stack that has these credentials."""
    stack_id = World(database).stack(f"s{creds_id}", user_creds_id=creds_id)
    with database.read() as connection:
        stack = queries.stack(connection, stack_id)
    return credentials.cloud_of(stack, Unguarded())


def change_password(site: Site, old: str = SECRET, new: str = CHANGED) -> Caller:
    """Have the user change his password; return him with a new token. The old ones end."""
    path = f"/users/{site.caller.user_id}/password"
    site.user.identity.post(path, {"user": {"password": new, "original_password": old}})
    clouds = site.clouds(client_timeout=10.0)
    credential = replace(site._password("demo"), password=new)  # noqa: SLF001 - the site's own way in
    token = clouds.cloud(credential).identity.token()
    clouds.close()
    return replace(site.caller, token=token)


def test_what_is_kept_is_sealed_and_opens_the_users_own_project(
    site: Site, database: Database, process: Make, tmp_path: Path
) -> None:
    caller = replace(change_password(site), login="demo", password=CHANGED)
    creds_id = given(process(), caller)
    (row,) = rows(database)
    assert (row.state, row.trust_id) == ("HELD", None)
    assert CHANGED in str(database.sealer.open(row.secret))
    whose = cloud_of(database, process(), creds_id).identity.whose()
    assert (whose.user_id, whose.project_id) == (caller.user_id, caller.project_id)
    assert not any(kind == TRUST for kind, _ in site.things())
    database.close()
    files = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    assert any(row.secret in data for data in files.values())
    assert found_in(files, [CHANGED]) == []


def test_no_text_shows_it(site: Site, process: Make) -> None:
    credentials = process()
    held = credentials._held(given(credentials, bringing(site)))  # noqa: SLF001 - what there is in memory
    assert site.caller.user_id in repr(held)
    assert SECRET not in repr(held)
    assert SECRET not in repr(bringing(site))


@pytest.mark.parametrize(
    ("login", "password", "header"),
    [("", "", "X-Auth-User"), ("", SECRET, "X-Auth-User"), ("demo", "", "X-Auth-Key")],
)
def test_who_does_not_bring_both_headers_is_told_which_as_by_heat(
    site: Site, database: Database, process: Make, login: str, password: str, header: str
) -> None:
    caller = replace(site.caller, login=login, password=password)
    with pytest.raises(MissingCredential, match=f"^Missing required credential: {header}$"):
        given(process(), caller)
    assert rows(database) == []


def test_a_wrong_password_is_refused_at_once_and_nothing_is_stored(
    site: Site, database: Database, process: Make
) -> None:
    with pytest.raises(WrongCredential, match="does not let user demo into project") as refused:
        given(process(), bringing(site, "a-typing-error"))
    assert "a-typing-error" not in str(refused.value)
    assert rows(database) == []


def test_the_name_and_password_of_another_user_are_refused(
    site: Site, database: Database, process: Make
) -> None:
    with pytest.raises(WrongCredential, match=r"names another user .* of demo"):
        given(process(), replace(bringing(site), login="admin"))
    assert rows(database) == []


@pytest.mark.parametrize("name", ["demo", "Demo", "id"])
def test_a_user_may_name_himself_in_the_ways_of_keystone(
    site: Site, database: Database, process: Make, name: str
) -> None:
    login = site.caller.user_id if name == "id" else name
    given(process(), replace(bringing(site), login=login))
    assert len(rows(database)) == 1


def test_where_keystone_does_not_answer_nothing_is_stored_unseen(
    site: Site, database: Database, process: Make
) -> None:
    site.arm(service="identity", method="POST", status=503)
    with pytest.raises(CloudError) as told:
        given(process(), bringing(site))
    assert told.value.is_away
    assert rows(database) == []


def test_a_password_that_was_good_before_it_was_changed_is_not_taken_for_good(
    site: Site, database: Database, process: Make
) -> None:
    """Neither is the token that was got with it."""
    credentials = process()
    creds_id = given(credentials, bringing(site))
    now = change_password(site)
    brought = replace(now, login="demo", password=SECRET)
    with pytest.raises(WrongCredential):
        credentials.serves(creds_id, brought)
    with pytest.raises(WrongCredential):
        given(credentials, brought)
    assert len(rows(database)) == 1


def test_a_new_password_of_the_same_user_takes_the_place_of_the_old(
    site: Site, database: Database, process: Make
) -> None:
    credentials = process()
    old = given(credentials, bringing(site))
    assert credentials.serves(old, bringing(site))
    assert credentials.serves(old, site.caller), "who brings none goes on with what there is"
    caller = replace(change_password(site), login="demo", password=CHANGED)
    assert not credentials.serves(old, caller)
    assert not credentials.serves(old, caller, as_it_is=True)
    new = given(credentials, caller)
    assert credentials.serves(new, caller)
    assert cloud_of(database, credentials, new).identity.whose().user_id == caller.user_id


def test_a_password_that_is_lost_is_known_to_be_and_another_can_be_brought(
    site: Site, process: Make
) -> None:
    creds_id = given(process(), bringing(site))
    now = change_password(site)
    fresh = process()
    assert fresh.is_lost(creds_id, now)
    assert not fresh.is_lost(creds_id, replace(now, project_id="another", is_admin=True))
    assert not fresh.serves(creds_id, now, as_it_is=True)
    with pytest.raises(MissingCredential):
        given(fresh, now)
    given(fresh, replace(now, login="demo", password=CHANGED))


def test_another_user_has_nothing_of_theirs_done_with_it_but_may_end_what_there_is(
    site: Site, process: Make
) -> None:
    credentials = process()
    creds_id = given(credentials, bringing(site))
    other = replace(site.caller, user_id="another", user_name="eve")
    assert not credentials.serves(creds_id, other), "their template would run with his rights"
    assert credentials.serves(creds_id, other, as_it_is=True)
    elsewhere = replace(other, project_id="another", is_admin=True)
    assert credentials.serves(creds_id, elsewhere)


def test_tokens_that_end_in_the_middle_are_got_anew(
    site: Site, database: Database, process: Make
) -> None:
    credentials = process()
    cloud = cloud_of(database, credentials, given(credentials, bringing(site)))
    before = cloud.identity.token()
    state = site.server.cloud.state
    with state.transaction():
        tokens.revoke_user(state, site.caller.user_id)
    made = cloud.network.post("/networks", {"network": {"name": "after"}})
    assert made["network"]["project_id"] == site.caller.project_id
    assert cloud.identity.token() != before


def test_work_with_a_password_that_was_changed_fails_at_once_and_is_done_with_the_new_one(
    site: Site, tmp_path: Path
) -> None:
    """A few log-ins in vain for each resource: Keystone may lock the user out for many."""
    net = {"type": "OS::Neutron::Net"}
    resources = {f"net{i}": net for i in range(NETS)}
    template = {"heat_template_version": "2018-08-31", "resources": resources}
    site.caller = bringing(site)
    world = CrashWorld(site, tmp_path, method=PASSWORD)
    world.start()
    ref = world.create("web", Goal(template))
    world.until(lambda: not world.is_running(ref), "the create")
    assert world.show(ref).status == "COMPLETE"
    now = replace(change_password(site), login="", password="")
    newest, _ = site.server.cloud.journal.since(0)
    site.caller = now
    world.delete(ref)
    world.until(lambda: not world.is_running(ref), "the failure")
    assert world.show(ref).status == "FAILED"
    _, calls = site.server.cloud.journal.since(newest)
    vain = [e for e in calls if e["path"].endswith("/auth/tokens") and e["status"] == UNAUTHORIZED]
    assert 0 < len(vain) <= 2 * NETS + 1
    site.caller = replace(now, login="demo", password=CHANGED)
    world.delete(ref)
    world.until(lambda: not world.is_running(ref), "the delete")
    assert world.show(ref).status == "COMPLETE"
    world.end()


def test_the_password_of_a_stack_that_is_gone_is_forgotten_and_keystone_not_asked(
    site: Site, database: Database, process: Make
) -> None:
    credentials = process()
    creds_id = given(credentials, bringing(site))
    credentials.tend()
    assert len(rows(database)) == 1, "its stack may be about to come"
    with database.write() as connection:
        release(connection, creds_id)
    site.arm(service="identity", status=503)
    process().tend()
    assert rows(database) == []


def test_the_password_of_a_request_that_failed_is_forgotten(
    site: Site, database: Database, process: Make
) -> None:
    credentials = process()
    with pytest.raises(LookupError), credentials.delegated(bringing(site)):
        raise LookupError("the request")
    credentials.tend()
    assert rows(database) == []


def test_what_a_dead_request_left_is_forgotten_when_nobody_can_use_it_any_more(
    site: Site, database: Database, process: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    credentials = process()
    given(credentials, bringing(site))  # and here its process died, before there was a stack
    now = database.now()
    monkeypatch.setattr(database, "now", lambda: now + 3601)
    credentials.tend()
    assert rows(database) == []


def test_a_password_that_cannot_be_recorded_is_not_kept(
    site: Site, database: Database, process: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_a: object, **_k: object) -> None:
        raise Passing(ConnectionResetError(), taken_back=False)

    monkeypatch.setattr("stoker.store.credentials.hold", away)
    with pytest.raises(Passing):
        given(process(), bringing(site))
    assert [(row.state, row.secret) for row in rows(database)] == [("INTENDED", None)]


def test_it_is_sealed_anew_with_another_key(
    site: Site, database: Database, process: Make, tmp_path: Path
) -> None:
    creds_id = given(process(), bringing(site))
    new = b"n" * KEY_BYTES
    anew = Database(f"sqlite:///{tmp_path / 'a.db'}", Sealer(new, [KEY]))
    assert rotate(anew) == 1
    alone = Database(f"sqlite:///{tmp_path / 'a.db'}", Sealer(new))
    assert process(on=alone).serves(creds_id, site.caller)
    for each in (anew, alone):
        each.close()


def test_a_stack_of_trusts_goes_on_with_its_trust_until_its_user_brings_a_password(
    site: Site, database: Database, process: Make
) -> None:
    old = given(process(TRUSTS), site.caller)
    credentials = process(PASSWORD)
    assert credentials.serves(old, site.caller)
    assert cloud_of(database, credentials, old).identity.whose().user_id == site.caller.user_id
    assert not credentials.serves(old, bringing(site)), "the method in force"
    assert credentials.serves(old, bringing(site), as_it_is=True), "for its end it will do"
    with database.write() as connection:
        release(connection, old)
    credentials.tend()
    assert rows(database) == []
    assert not any(kind == TRUST for kind, _ in site.things())


def test_a_stack_of_passwords_gets_a_trust_at_its_next_update_once_trusts_are_chosen(
    site: Site, database: Database, process: Make
) -> None:
    old = given(process(PASSWORD), bringing(site))
    credentials = process(TRUSTS)
    cloud = cloud_of(database, credentials, old)
    assert cloud.identity.whose().user_id == site.caller.user_id
    assert credentials.serves(old, site.caller, as_it_is=True)
    assert not credentials.is_lost(old, site.caller)
    assert not credentials.serves(old, site.caller)
    new = given(credentials, site.caller)
    with database.write() as connection:
        root = connection.scalar(t.stack.select().with_only_columns(t.stack.c.root_id))
        renew(connection, str(root), new, old, database.now())
        release(connection, old)
    credentials.tend()
    (row,) = rows(database)
    assert (row.id, row.secret) == (new, None)
    assert credentials.serves(new, site.caller)
