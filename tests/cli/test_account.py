"""An account as clouds.yaml gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml

from stoker.cli.account import Account, account
from stoker.errors import Invalid, NotFound

if TYPE_CHECKING:
    from pathlib import Path

AUTH = {"auth_url": "http://k/v3", "username": "u", "password": "p", "project_name": "proj"}


def written(path: Path, **entry: object) -> Path:
    file = path / "clouds.yaml"
    file.write_text(yaml.safe_dump({"clouds": {"mine": entry}}))
    return file


def test_it_is_read_with_region_and_domains(tmp_path: Path) -> None:
    auth = {**AUTH, "user_domain_name": "corp", "project_domain_id": "d1"}
    found = account(written(tmp_path, auth=auth, region_name="R"), "mine")
    assert (found.auth_url, found.region) == ("http://k/v3", "R")
    body = found.login()["auth"]
    user = body["identity"]["password"]["user"]
    assert user == {"name": "u", "password": "p", "domain": {"name": "corp"}}
    assert body["scope"] == {"project": {"name": "proj", "domain": {"id": "d1"}}}


def test_domains_are_the_default_one_unless_given(tmp_path: Path) -> None:
    body = account(written(tmp_path, auth=AUTH), "mine").login()["auth"]
    assert body["scope"]["project"]["domain"] == {"id": "default"}


def test_an_unknown_cloud_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="yours"):
        account(written(tmp_path, auth=AUTH), "yours")


def test_all_that_is_missing_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(Invalid) as caught:
        account(written(tmp_path, auth={"auth_url": "http://k"}), "mine")
    assert [problem.at[-1] for problem in caught.value.problems] == [
        "username",
        "password",
        "project_name",
    ]


def test_the_password_does_not_show(tmp_path: Path) -> None:
    assert "s3cret" not in repr(
        Account(auth_url="http://k", username="u", password="s3cret", project="p")
    )
