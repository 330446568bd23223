"""The types whose object is a software config: what they keep, and how cloud-init reads it."""

from __future__ import annotations

import base64
import email
from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from stoker.errors import Invalid
from stoker.resources.nova.server_body import user_data
from stoker.sdk.resource import Done
from stoker.usecases.software import NewConfig
from tests.resources.stepping import kind_of, standing

NO_CLOUD: Any = None
KNOWN = "439f97e7-4646-4124-a154-00d5a179f6ef"
UNKNOWN = "00000000-0000-4000-8000-000000000000"
TYPES = ("OS::Heat::SoftwareConfig", "OS::Heat::CloudConfig", "OS::Heat::MultipartMime")


def config_text(config_id: str) -> str | None:
    return "#!/bin/sh\necho known\n" if config_id == KNOWN else None


def made(type_name: str, given: Mapping[str, Any]) -> tuple[Done, NewConfig]:
    """Return the end of a create, and what it keeps."""
    at = standing(type_name, given, config_text=config_text)
    step = kind_of(type_name).create(at, NO_CLOUD)
    assert isinstance(step, Done)
    assert step.config is not None
    assert step.attributes == {"config": step.config.config}
    return step, step.config


def mime(*parts: Mapping[str, Any]) -> list[Any]:
    """Return the parts of the message that is made of these."""
    _, config = made("OS::Heat::MultipartMime", {"parts": parts})
    whole = email.message_from_string(config.config)
    assert whole.get_content_type() == "multipart/mixed"
    payload = whole.get_payload()
    assert isinstance(payload, list)
    return payload


def read(part: Any) -> tuple[str, str | None, str]:
    """Return what a part is: its type, its file's name, its text."""
    text = part.get_payload(decode=True).decode(part.get_content_charset())
    return part.get_content_type(), part.get_filename(), text


def test_a_config_is_kept_as_it_is_given_under_the_physical_name() -> None:
    given = {
        "group": "script",
        "config": "#!/bin/sh",
        "options": {"a": [1]},
        "inputs": [{"name": "foo", "default": {"x": 1}}],
        "outputs": [{"name": "bar", "error_output": True}],
    }
    _, config = made("OS::Heat::SoftwareConfig", given)
    assert config == NewConfig(
        name="stack-res-abc",
        group="script",
        config="#!/bin/sh",
        inputs=(
            {"name": "foo", "type": "String", "default": {"x": 1}, "replace_on_change": False},
        ),
        outputs=({"name": "bar", "type": "String", "error_output": True},),
        options={"a": [1]},
    )


def test_a_config_of_nothing_is_kept_too() -> None:
    _, config = made("OS::Heat::SoftwareConfig", {})
    assert config == NewConfig("stack-res-abc", "Heat::Ungrouped")


@pytest.mark.parametrize("type_name", TYPES)
def test_whoever_goes_on_with_a_create_makes_the_same(type_name: str) -> None:
    assert made(type_name, {}) == made(type_name, {})


@pytest.mark.parametrize("type_name", TYPES)
def test_every_change_is_another_config(type_name: str) -> None:
    kind = kind_of(type_name)
    props = kind.Props.parse({})
    every = frozenset(kind.Props.properties())
    assert kind.replaces(props, props, every) == every


@pytest.mark.parametrize("type_name", TYPES)
def test_one_that_is_there_is_adopted_with_its_text(type_name: str) -> None:
    at = standing(type_name, {}, id=KNOWN, config_text=config_text)
    step = kind_of(type_name).adopt(at, NO_CLOUD)
    assert isinstance(step, Done)
    assert step.attributes == {"config": "#!/bin/sh\necho known\n"}
    assert step.config is None
    with pytest.raises(Invalid, match=f"no software config {UNKNOWN}"):
        kind_of(type_name).adopt(standing(type_name, {}, id=UNKNOWN), NO_CLOUD)


def test_a_cloud_config_is_what_cloud_init_reads_in_the_order_given() -> None:
    given = {"users": ["default"], "package_update": True, "bootcmd": [["ls", "-l"]]}
    _, config = made("OS::Heat::CloudConfig", {"cloud_config": given})
    first, _, rest = config.config.partition("\n")
    assert (config.group, first) == ("Heat::Ungrouped", "#cloud-config")
    assert list(yaml.safe_load(rest).items()) == list(given.items())


def test_parts_of_a_message_are_texts_or_configs_by_their_ids() -> None:
    parts = mime({"config": "a: ü", "subtype": "cloud-config"}, {"config": KNOWN})
    assert [read(part) for part in parts] == [
        ("text/cloud-config", None, "a: ü"),
        ("text/plain", None, "#!/bin/sh\necho known\n"),
    ]


def test_an_id_of_no_config_is_a_text() -> None:
    assert [read(part)[2] for part in mime({"config": UNKNOWN})] == [UNKNOWN]


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"filename": "part-handler.py"}, "text/part-handler"),
        ({"filename": "a.py", "subtype": "x-shellscript"}, "text/x-shellscript"),
    ],
)
def test_a_file_has_its_name_and_the_kind_that_it_says(more: dict[str, str], expected: str) -> None:
    (part,) = mime({"config": "x", **more})
    assert read(part) == (expected, more["filename"], "x")


def test_the_parts_of_a_message_within_are_taken_and_a_text_stays_one() -> None:
    _, inner = made(
        "OS::Heat::MultipartMime",
        {"parts": [{"config": "one"}, {"config": "two", "filename": "two.sh"}]},
    )
    within = {"config": inner.config, "type": "multipart"}
    texts = [read(part)[2] for part in mime(within, {"config": "three", "type": "multipart"})]
    assert texts == ["one", "two", "three"]


@pytest.mark.parametrize(
    ("how", "given", "expected"),
    [
        ("RAW", KNOWN, "#!/bin/sh\necho known\n"),
        ("RAW", UNKNOWN, UNKNOWN),
        ("RAW", "text", "text"),
        ("HEAT_CFNTOOLS", KNOWN, KNOWN),
    ],
)
def test_raw_user_data_may_be_the_id_of_a_config(how: str, given: str, expected: str) -> None:
    properties = {"flavor": "m1.small", "user_data": given, "user_data_format": how}
    at = standing("OS::Nova::Server", properties, config_text=config_text)
    assert base64.b64decode(user_data(at) or "").decode() == expected


def test_no_user_data_is_none() -> None:
    assert user_data(standing("OS::Nova::Server", {"flavor": "m1.small"})) is None
