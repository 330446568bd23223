from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from stoker.errors import CloudError
from stoker.lang.unknown import UNKNOWN
from stoker.resources.cinder import volume_state
from stoker.sdk.fault import Fault, fault
from tests.resources.recorded import Recorded
from tests.resources.stepping import kind_of

VOLUME, ON = "OS::Cinder::Volume", "OS::Cinder::VolumeAttachment"
TYPE, ENCRYPTED = "OS::Cinder::VolumeType", "OS::Cinder::EncryptedVolumeType"
SHOWN: Mapping[str, Any] = {
    "id": "v",
    "name": "n",
    "description": None,
    "status": "available",
    "size": 3,
    "availability_zone": "nova",
    "volume_type": "t",
    "snapshot_id": None,
    "source_volid": None,
    "created_at": "2026-01-01T00:00:00.000000",
    "bootable": "false",
    "encrypted": False,
    "multiattach": False,
    "attachments": [],
    "metadata": {"a": "b", "readonly": "True", "stoker-mark": "m"},
}


def problems(type_name: str, given: Mapping[str, Any]) -> list[str]:
    kind = kind_of(type_name)
    return [str(each) for each in kind.validate(kind.Props.parse(given))]


@pytest.mark.parametrize(
    ("type_name", "given", "text"),
    [
        (VOLUME, {}, "or what to make it of"),
        (VOLUME, {"image": "i"}, "size: give its size"),
        (VOLUME, {"image": "i", "size": 1, "snapshot_id": "s"}, "snapshot_id and image exclude"),
        (VOLUME, {"backup_id": "b", "source_volid": "v"}, "exclude each other"),
        (TYPE, {"name": "t", "projects": ["p"]}, "set is_public to false"),
    ],
)
def test_what_cannot_be_is_told(type_name: str, given: Mapping[str, Any], text: str) -> None:
    (found,) = problems(type_name, given)
    assert text in found


@pytest.mark.parametrize(
    ("type_name", "given"),
    [
        (VOLUME, {"size": 1}),
        (VOLUME, {"snapshot_id": "s"}),
        (VOLUME, {"source_volid": "v", "size": 5}),
        (VOLUME, {"backup_id": "b"}),
        (VOLUME, {"imageRef": "i", "size": 5}),
        (VOLUME, {"size": UNKNOWN, "image": UNKNOWN, "metadata": UNKNOWN}),
        (TYPE, {"name": UNKNOWN, "projects": UNKNOWN}),
        (TYPE, {"name": "t", "is_public": UNKNOWN, "projects": ["p"]}),
        (TYPE, {"name": "t", "is_public": False, "projects": ["p"]}),
        (ENCRYPTED, {"volume_type": UNKNOWN, "provider": UNKNOWN}),
        (ON, {"volume_id": UNKNOWN, "instance_uuid": UNKNOWN}),
    ],
)
def test_what_is_right_or_not_known_yet_is_let_pass(
    type_name: str, given: Mapping[str, Any]
) -> None:
    assert problems(type_name, given) == []
    kind = kind_of(type_name)
    held = kind.exclusive(kind.Props.parse(given))
    assert not any(UNKNOWN in each for each in held if isinstance(each, tuple))


@pytest.mark.parametrize(
    ("type_name", "old", "new", "forced"),
    [
        (
            VOLUME,
            {"size": 1},
            {"size": 2, "name": "n", "volume_type": "t", "read_only": True, "backup_id": "b"},
            set(),
        ),
        (VOLUME, {"size": 1}, {"size": 1, "availability_zone": "z"}, {"availability_zone"}),
        (
            ON,
            {"instance_uuid": "s", "volume_id": "v"},
            {"instance_uuid": "t", "volume_id": "w", "mountpoint": "/dev/vdd"},
            set(),
        ),
        (TYPE, {"name": "a"}, {"name": "b", "is_public": False, "projects": ["p"]}, set()),
        (
            ENCRYPTED,
            {"provider": "luks", "volume_type": "a"},
            {"provider": "luks2", "volume_type": "b"},
            {"volume_type"},
        ),
    ],
)
def test_what_cannot_change_in_place_is_named(
    type_name: str, old: Mapping[str, Any], new: Mapping[str, Any], forced: set[str]
) -> None:
    kind = kind_of(type_name)
    before, after = kind.Props.parse(old), kind.Props.parse(new)
    assert kind.replaces(before, after, after.changed(before)) == forced


@pytest.mark.parametrize(
    ("type_name", "given"),
    [
        (ON, {"instance_uuid": "s", "volume_id": "v"}),
        (TYPE, {"name": "v"}),
        (ENCRYPTED, {"provider": "luks", "volume_type": "v"}),
    ],
)
def test_what_one_kind_holds_is_not_in_the_way_of_another(
    type_name: str, given: Mapping[str, Any]
) -> None:
    (held,) = kind_of(type_name).exclusive(kind_of(type_name).Props.parse(given))
    assert isinstance(held, tuple)
    assert held[1] == "v"
    assert held[0] in {"volume attached", "volume type", "encryption of"}


def test_a_volumes_attributes_are_heats_and_its_mark_is_not_among_them() -> None:
    found = volume_state.attributes(SHOWN)
    assert found["metadata"] == '{"a": "b", "readonly": "True"}'
    assert found["metadata_values"] == {"a": "b", "readonly": "True"}
    assert found["show"]["metadata"] == {"a": "b", "readonly": "True"}
    assert (found["size"], found["encrypted"], found["display_name"]) == ("3", "False", "n")
    assert (found["attachments"], found["attachments_list"]) == ("[]", [])
    kind = kind_of(VOLUME)
    assert found.keys() == kind.attributes.keys()
    assert kind.attribute(Recorded(id="v", attributes=found), "size", ()) == "3"


@pytest.mark.parametrize(
    ("status", "moving"),
    [("creating", True), ("detaching", True), ("available", False), ("in-use", False)],
)
def test_a_status_is_on_its_way_or_at_rest(status: str, *, moving: bool) -> None:
    volume = {**SHOWN, "status": status}
    assert volume_state.is_moving(volume) is moving
    volume_state.refuse_error(volume)


@pytest.mark.parametrize("status", ["error", "error_extending", "error_deleting"])
def test_a_status_of_failure_is_broken(status: str) -> None:
    with pytest.raises(CloudError, match=status) as caught:
        volume_state.refuse_error({**SHOWN, "status": status})
    assert fault(caught.value) is Fault.BROKEN


def test_what_cinder_adds_to_metadata_is_not_set_by_us() -> None:
    assert volume_state.metadata_set(SHOWN) == {"a": "b", "stoker-mark": "m"}
    assert volume_state.is_read_only(SHOWN)
    assert not volume_state.is_read_only({**SHOWN, "metadata": {}})


def test_a_relation_shows_what_it_is() -> None:
    view = Recorded(id="v", attributes={"device": "/dev/vdb"})
    for type_name in (ON, TYPE, ENCRYPTED):
        assert kind_of(type_name).attribute(view, "show", ()) == {"device": "/dev/vdb"}
        assert kind_of(type_name).reference(view) == "v"
