"""The documents of the development cloud."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stoker.devcloud.state import State, Taken, index

KIND = "test.thing"
index(KIND, "color")
index(KIND, "serial", unique=True)
index(KIND, "spot", lambda doc: [f"{x}/{y}" for x, y in doc.get("spots", ())])


@pytest.fixture
def state() -> Iterator[State]:
    state = State(":memory:")
    yield state
    state.close()


def test_a_document_comes_back_as_it_was_stored(state: State) -> None:
    with state.transaction():
        state.insert(KIND, {"id": "1", "name": "a", "project_id": "p", "n": [1, None, "x"]})
    with state.transaction():
        assert state.get(KIND, "1") == {
            "id": "1",
            "name": "a",
            "project_id": "p",
            "n": [1, None, "x"],
        }
        assert state.get(KIND, "2") is None


def test_a_transaction_that_raises_leaves_nothing(state: State) -> None:
    def fail() -> None:
        with state.transaction():
            state.insert(KIND, {"id": "1", "color": "red"})
            raise RuntimeError("halfway")

    with pytest.raises(RuntimeError):
        fail()
    with state.transaction():
        assert state.list(KIND) == []
        assert state.list(KIND, where={"color": "red"}) == []


def test_lists_go_by_project_name_and_indexed_fields_in_order_of_creation(state: State) -> None:
    with state.transaction():
        for n, (project, color) in enumerate([("p", "red"), ("q", "red"), ("p", "blue")]):
            state.insert(KIND, {"id": str(n), "name": "x", "tenant_id": project, "color": color})

        def ids(**wanted: object) -> list[str]:
            return [doc["id"] for doc in state.list(KIND, **wanted)]  # type: ignore[arg-type]

        assert ids() == ["0", "1", "2"]
        assert ids(project="p") == ["0", "2"]
        assert ids(name="x", where={"color": "red"}) == ["0", "1"]
        assert ids(project="p", where={"color": ["red", "blue"]}) == ["0", "2"]
        assert state.count(KIND, project="p", where={"color": "red"}) == 1


def test_an_update_moves_a_document_in_its_indexes(state: State) -> None:
    with state.transaction():
        state.insert(KIND, {"id": "1", "color": "red", "spots": [(1, 2), (3, 4)]})
        state.update(KIND, {"id": "1", "color": "blue", "spots": [(3, 4)]})
        assert state.list(KIND, where={"color": "red"}) == []
        assert state.list(KIND, where={"spot": "1/2"}) == []
        assert [doc["id"] for doc in state.list(KIND, where={"spot": "3/4"})] == ["1"]


def test_a_unique_value_or_an_id_is_taken_once_until_it_is_freed(state: State) -> None:
    with state.transaction():
        state.insert(KIND, {"id": "1", "serial": "s"})
        with pytest.raises(Taken, match="serial s"):
            state.insert(KIND, {"id": "2", "serial": "s"})
    with state.transaction():
        with pytest.raises(Taken, match="id 1"):
            state.insert(KIND, {"id": "1"})
        assert state.delete(KIND, "1")
        assert not state.delete(KIND, "1")
        state.insert(KIND, {"id": "3", "serial": "s"})


def test_a_filter_on_a_field_without_an_index_is_a_mistake(state: State) -> None:
    with state.transaction(), pytest.raises(KeyError, match="no index on size"):
        state.list(KIND, where={"size": 1})


def test_an_update_of_nothing_is_a_mistake(state: State) -> None:
    with state.transaction(), pytest.raises(KeyError):
        state.update(KIND, {"id": "none"})


def test_a_file_keeps_documents_blobs_and_settings(tmp_path: Path) -> None:
    path = str(tmp_path / "state.sqlite")
    first = State(path)
    with first.transaction():
        first.insert(KIND, {"id": "1", "color": "red"})
        first.put_blob("1", b"\0data")
        first.put_setting("s", {"a": 1})
    first.close()
    second = State(path)
    with second.transaction():
        assert [doc["id"] for doc in second.list(KIND, where={"color": "red"})] == ["1"]
        assert second.blob("1") == b"\0data"
        assert second.setting("s") == {"a": 1}
        assert second.blob("2") is None
        assert second.setting("t") is None
    second.close()
