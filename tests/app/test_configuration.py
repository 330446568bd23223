"""What operators write in stoker.conf or heat.conf, as it is understood."""

from __future__ import annotations

from pathlib import Path

import pytest

from stoker.app.configuration import Configuration, Sources, default_sources
from stoker.app.misconfigured import Misconfigured
from stoker.app.options import GROUPS
from stoker.app.sealing_key import PUBLISHED, sealing_key
from stoker.app.unread import UNREAD
from stoker.app.yaql import YaqlLimits
from stoker.clouds.credential import Password

KEY = "0123456789abcdef0123456789abcdef"
ACCOUNT = """
[keystone_authtoken]
auth_url = http://keystone/identity
username = heat
password = secret
user_domain_name = Default
project_name = service
project_domain_name = Default
"""


def read(folder: Path, text: str) -> Configuration:
    file = folder / "heat.conf"
    file.write_text(text)
    return Configuration(Sources((str(file),)))


def refused(folder: Path, text: str, part: str) -> str:
    with pytest.raises(Misconfigured) as caught:
        getattr(read(folder, text), part)
    return str(caught.value)


def test_what_is_not_said_is_as_with_heat(tmp_path: Path) -> None:
    found = read(tmp_path, "")
    settings, api, clouds = found.settings, found.api, found.clouds
    assert settings.max_resources_per_stack == 1000
    assert settings.max_stacks_per_tenant == 512
    assert settings.max_nested_stack_depth == api.max_nested_stack_depth == 5
    assert settings.max_template_size == api.max_template_size == 524_288
    assert settings.stack_action_timeout == 3600
    assert settings.action_retry_limit == 5
    assert settings.linger_seconds == 0.25
    assert api.max_json_body_size == 1_048_576
    assert (clouds.interface, clouds.region, clouds.verify) == ("public", None, True)
    assert found["heat_api"]["bind_port"] == 8004


def test_what_is_said_reaches_the_parts_that_it_is_for(tmp_path: Path) -> None:
    text = """
        [DEFAULT]
        max_resources_per_stack = -1
        max_stacks_per_tenant = 7
        max_nested_stack_depth = 3
        max_template_size = 1000
        stack_action_timeout = 60
        num_engine_workers = 3
        region_name_for_services = here
        plugin_dirs = /one,/two
        [heat_api]
        workers = 2
        [clients]
        endpoint_type = internalURL
        ca_file = /ca.pem
        cert_file = /own.pem
        key_file = /own.key
        [stoker]
        client_timeout = 5
        linger_seconds = 0
    """.replace("        ", "")
    found = read(tmp_path, text)
    settings, clouds = found.settings, found.clouds
    assert settings.max_resources_per_stack == -1
    assert settings.max_stacks_per_tenant == 7
    assert settings.max_nested_stack_depth == found.api.max_nested_stack_depth == 3
    assert settings.max_template_size == found.api.max_template_size == 1000
    assert settings.stack_action_timeout == 60
    assert (settings.client_timeout, settings.in_doubt_seconds) == (5, 10)
    assert settings.linger_seconds == 0
    assert (found.engine_workers, found.workers_of("heat_api")) == (3, 2)
    assert (clouds.interface, clouds.region) == ("internal", "here")
    assert (clouds.verify, clouds.cert) == ("/ca.pem", ("/own.pem", "/own.key"))
    assert found.plugin_dirs == (Path("/one"), Path("/two"))


def test_yaql_has_heats_options(tmp_path: Path) -> None:
    assert read(tmp_path, "").yaql == YaqlLimits(200, 10_000)
    text = "[yaql]\nlimit_iterators = 7\nmemory_quota = -1\n"
    assert read(tmp_path, text).yaql == YaqlLimits(7, -1)


def test_any_certificate_is_believed_only_when_told_to(tmp_path: Path) -> None:
    assert read(tmp_path, "[clients]\ninsecure = true\nca_file = /ca.pem").clouds.verify is False


def test_the_default_places_of_plugins_need_not_be_there(tmp_path: Path) -> None:
    assert all(each.is_dir() for each in read(tmp_path, "").plugin_dirs)


def test_options_that_mean_nothing_here_are_accepted_and_listed(tmp_path: Path) -> None:
    text = "[DEFAULT]\nconvergence_engine = True\ndebug = True\n[clients_aodh]\nca_file = x\n"
    found = read(tmp_path, text + ACCOUNT + "memcached_servers = here\n[oslo_policy]\nx = 1")
    assert found.unused({"debug"}) == [
        "[DEFAULT] convergence_engine (there is one engine)", "[clients_aodh] ca_file",
    ]  # fmt: skip


def test_every_option_of_heat_is_read_or_it_is_told_what_holds_instead(shared: Path) -> None:
    text = (shared / "facts" / "engine.md").read_text()
    text = text.partition("## 6.13")[2].partition("\n## ")[0]
    rows = [line.split("|")[1:3] for line in text.splitlines() if line.startswith("| ")]
    heats = {(group.strip(), name.strip()) for group, name in rows} - {("Group", "Option")}
    ours = {(group, each.dest) for group, options in GROUPS for each in options}
    assert len(heats) > 80
    assert heats - ours == UNREAD.keys()


def test_stacks_can_be_hidden_by_tags_of_ones_own(tmp_path: Path) -> None:
    assert read(tmp_path, "").settings.hidden_stack_tags == ("data-processing-cluster",)
    text = "[DEFAULT]\nhidden_stack_tags = a,b\n"
    assert read(tmp_path, text).settings.hidden_stack_tags == ("a", "b")


def test_the_cloudformation_api_has_heats_options(tmp_path: Path) -> None:
    found = read(tmp_path, "[heat_api_cfn]\nbind_port = 8001\n")
    assert found["heat_api_cfn"]["bind_port"] == 8001
    assert found.workers_of("heat_api_cfn") == 1
    assert found.tls_of("heat_api_cfn") is None
    with pytest.raises(Misconfigured, match=r"\[heat_api_cfn\] cert_file: /none cannot be read"):
        read(tmp_path, "[heat_api_cfn]\ncert_file = /none\n").tls_of("heat_api_cfn")


def test_who_asks_about_signatures_is_the_service_s_user_or_one_of_his_own(tmp_path: Path) -> None:
    same = read(tmp_path, ACCOUNT)
    assert same.key_checker == same.user.credential
    own = "[ec2authtoken]\nauth_url = http://other/v3\nusername = eve\npassword = x\n"
    found = read(tmp_path, ACCOUNT + own).key_checker
    assert isinstance(found, Password)
    assert (found.auth_url, found.username) == ("http://other/v3", "eve")
    for name in ("auth_url", "auth_uri"):
        elsewhere = read(tmp_path, f"{ACCOUNT}[ec2authtoken]\n{name} = http://other/v3\n")
        assert elsewhere.key_checker.auth_url == "http://other/v3"
    told = refused(tmp_path, ACCOUNT + "[ec2authtoken]\nmulti_cloud = true\n", "key_checker")
    assert "multi_cloud" in told


@pytest.mark.parametrize(
    ("group", "option", "value", "why"),
    [
        ("DEFAULT", "max_resources_per_stack", "many", "many"),
        ("DEFAULT", "num_engine_workers", "0", "greater than or equal to 1"),
        ("heat_api", "bind_port", "70000", "less than or equal to 65535"),
        ("clients", "insecure", "perhaps", "perhaps"),
        ("clients", "endpoint_type", "secret", "secret"),
        ("stoker", "look_seconds", "soon", "soon"),
    ],
)
def test_a_value_of_the_wrong_type_is_told_with_file_and_option(
    tmp_path: Path, group: str, option: str, value: str, why: str
) -> None:
    told = refused(tmp_path, f"[{group}]\n{option} = {value}\n", "settings")
    assert told.startswith(f"{tmp_path}/heat.conf: [{group}] {option}: ")
    assert why in told


def test_of_several_files_the_one_that_counts_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.conf").write_text("[DEFAULT]\nmax_template_size = 1\n")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "b.conf").write_text("[DEFAULT]\nmax_template_size = big\n")
    sources = Sources((str(tmp_path / "a.conf"),), (str(tmp_path / "more"),))
    with pytest.raises(Misconfigured, match=r"b\.conf: \[DEFAULT\] max_template_size: .*big"):
        Configuration(sources)


def test_the_environment_wins_and_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OS_DATABASE__CONNECTION", "sqlite:///there")
    assert read(tmp_path, "[database]\nconnection = sqlite:///here").url == "sqlite:///there"
    monkeypatch.setenv("OS_DEFAULT__MAX_TEMPLATE_SIZE", "big")
    told = refused(tmp_path, "", "settings")
    assert told.startswith("environment variable OS_DEFAULT__MAX_TEMPLATE_SIZE: ")


def test_a_file_that_is_not_there_or_not_readable_is_told(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match=r"missing\.conf.*--config-file"):
        Configuration(Sources((str(tmp_path / "missing.conf"),)))
    assert "heat.conf:1" in refused(tmp_path, "no option\n", "settings")


def test_without_a_word_the_first_file_that_exists_is_read(tmp_path: Path) -> None:
    own, heats = tmp_path / "stoker.conf", tmp_path / "heat.conf"
    candidates = (str(own), str(heats))
    assert default_sources(candidates) == Sources()
    heats.touch()
    assert default_sources(candidates) == Sources((str(heats),))
    own.touch()
    (tmp_path / "stoker.conf.d").mkdir()
    assert default_sources(candidates) == Sources((str(own),), (f"{own}.d",))


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("mysql://u:p@h/heat", "mysql+pymysql://u:p@h/heat"),
        ("mysql+pymysql://u:p@h/heat?charset=utf8", "mysql+pymysql://u:p@h/heat?charset=utf8"),
        ("postgresql://u:p@h/heat", "postgresql+psycopg://u:p@h/heat"),
        ("postgresql+psycopg2://u:p@h/heat", "postgresql+psycopg://u:p@h/heat"),
        ("sqlite:////var/heat.db", "sqlite:////var/heat.db"),
    ],
)
def test_the_database_is_reached_with_a_driver_that_we_have(
    tmp_path: Path, said: str, meant: str
) -> None:
    assert read(tmp_path, f"[database]\nconnection = {said}").url == meant


def test_a_database_must_be_named(tmp_path: Path) -> None:
    assert "[database] connection is not set" in refused(tmp_path, "", "url")


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("heat.db", "must begin with one of sqlite, mysql, mariadb, postgresql, and ://"),
        ("oracle://u:secret@h/heat", "must begin with one of"),
        ("mysql+nosuch://u:secret@h/heat", "needs nosuch: install it"),
    ],
)
def test_a_database_that_cannot_be_is_told_without_its_password(
    tmp_path: Path, url: str, why: str
) -> None:
    told = refused(tmp_path, f"[database]\nconnection = {url}", "url")
    assert why in told
    assert "secret" not in told


def test_sqlite_has_one_engine_process_unless_told_otherwise(tmp_path: Path) -> None:
    assert read(tmp_path, "[database]\nconnection = sqlite:///x").engine_workers == 1


@pytest.mark.parametrize("length", [16, 24, 32])
def test_keys_of_all_lengths_that_heat_takes_give_a_key_of_ours(length: int) -> None:
    text = KEY[:length]
    assert len(sealing_key(text)) == 32
    assert sealing_key(text) == sealing_key(text) != text.encode()


def test_the_same_text_gives_the_same_key_for_ever() -> None:
    expected = "650a2d82040725320b8f03c5003120c9"
    assert sealing_key(KEY).hex()[:32] == expected


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "is not set"),
        ("", "is not set"),
        (KEY[:31], "has 31"),
        (KEY + "0", "has 33"),
        (PUBLISHED, "everybody knows"),
    ],
)
def test_a_key_that_will_not_do_is_refused_with_a_remedy(text: str | None, why: str) -> None:
    with pytest.raises(Misconfigured, match=f"{why}.*openssl rand -hex 16"):
        sealing_key(text)


def test_former_keys_are_keys_too(tmp_path: Path) -> None:
    found = read(tmp_path, f"[stoker]\nformer_encryption_keys = {KEY}, {KEY[:16]}\n")
    assert found.former_keys == (sealing_key(KEY), sealing_key(KEY[:16]))
    told = refused(tmp_path, "[stoker]\nformer_encryption_keys = short\n", "former_keys")
    assert told.startswith("[stoker] former_encryption_keys must have 32 characters")


def test_the_trustee_may_stand_in_the_other_section(tmp_path: Path) -> None:
    for more in ("", "[trustee]\nauth_section = keystone_authtoken\n"):
        user = read(tmp_path, ACCOUNT + more).user
        assert (user.auth_url, user.username) == ("http://keystone/identity", "heat")
        assert (user.user_domain_id, user.user_domain_name) == (None, "Default")
        assert (user.project_name, user.project_domain_name) == ("service", "Default")


def test_a_trustee_of_his_own_has_what_his_section_says(tmp_path: Path) -> None:
    text = "[DEFAULT]\ntrusts_delegated_roles = member,creator\n" + ACCOUNT
    user = read(tmp_path, text + "[trustee]\nuser_name = bob\npassword = x\n").user
    assert (user.username, user.password, user.user_domain_id) == ("bob", "x", "default")
    assert user.auth_url == "http://keystone/identity"
    assert user.project_name is None
    assert user.delegated_roles == ("member", "creator")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", r"\[keystone_authtoken\] username is not set"),
        ("[trustee]\nusername = u\n", r"\[trustee\] password is not set"),
        ("[trustee]\nusername = u\npassword = p\n", r"\[trustee\] auth_url is not set"),
        ("[trustee]\nusername = u\nauth_type = v3oidc\n", "auth_type is v3oidc"),
        ("[trustee]\nauth_section = a\n[a]\nauth_section = trustee\n", "in a circle"),
    ],
)
def test_a_trustee_who_cannot_log_in_is_told(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(Misconfigured, match=why):
        _ = read(tmp_path, text).user


def test_passwords_are_read_only_where_work_is_to_go_on_with_them(tmp_path: Path) -> None:
    found = read(tmp_path, "")
    assert (found.deferred_auth_method, found.api.reads_passwords) == ("trusts", False)
    found = read(tmp_path, "[DEFAULT]\ndeferred_auth_method = password\n")
    assert (found.deferred_auth_method, found.api.reads_passwords) == ("password", True)
    assert found.unused([]) == []
    with pytest.raises(Misconfigured, match=r"\[DEFAULT\] deferred_auth_method: .*trusts"):
        read(tmp_path, "[DEFAULT]\ndeferred_auth_method = none\n")


def test_that_long_work_needs_no_option_of_its_own_is_told(tmp_path: Path) -> None:
    found = read(tmp_path, "[DEFAULT]\nreauthentication_auth_method = trusts\n")
    (told,) = found.unused([])
    assert told.startswith("[DEFAULT] reauthentication_auth_method (")
    assert "goes on with stored credentials" in told


def test_no_secret_shows_in_a_text(tmp_path: Path) -> None:
    user = read(tmp_path, ACCOUNT).user
    assert "secret" not in repr(user)


def test_every_option_has_a_help_text() -> None:
    assert [o.name for _, options in GROUPS for o in options if not o.help] == []
