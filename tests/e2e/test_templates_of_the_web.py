"""A template that the service fetches: names in it mean files of the request, as in Heat."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.rest import Rest

HOT = "heat_template_version: 2018-08-31\n"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """Give the address of a folder with a template, whose child stands beside it."""
    (tmp_path / "far").mkdir()
    (tmp_path / "far/top.yaml").write_text(f"""{HOT}
resources:
  one: {{type: child.yaml}}
outputs:
  text: {{value: {{get_file: x.txt}}}}
""")
    (tmp_path / "far/child.yaml").write_text(f"{HOT}resources: {{}}\n")
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}/far"
        server.shutdown()


def test_what_is_not_there_is_told_with_the_address_that_was_meant(
    rest: Rest, name: str, site: str
) -> None:
    body = {"stack_name": name, "template_url": f"{site}/top.yaml?key=secret"}
    answer = rest.call("POST", "/stacks", body)
    assert answer.status == 400
    assert "secret" not in answer.text
    type_, text = sorted(answer.json["problems"], key=lambda each: str(each["line"]))
    assert (type_["path"], text["path"]) == ("resources.one.type", "outputs.text.value.get_file")
    assert {type_["file"], text["file"]} == {f"{site}/top.yaml"}
    assert f"send {site}/child.yaml along as the file child.yaml" in type_["hint"]
    assert f"send {site}/x.txt along as the file x.txt" in text["hint"]


def test_what_comes_along_under_its_name_is_taken(rest: Rest, name: str, site: str) -> None:
    files = {"child.yaml": f"{HOT}resources: {{}}\n", "x.txt": "text"}
    body = {"stack_name": name, "template_url": f"{site}/top.yaml", "files": files}
    answer = rest.call("POST", "/stacks/preview", body)
    assert answer.status == 200, answer
