"""Each service says no in its own words."""

from __future__ import annotations

from stoker.devcloud.refusal import Refusal, body_of

GONE = Refusal(404, "It is gone.", type="")


def test_keystone_wraps_an_error() -> None:
    assert body_of("identity", GONE) == {
        "error": {"code": 404, "message": "It is gone.", "title": "Not Found"}
    }


def test_nova_names_its_faults() -> None:
    assert body_of("compute", GONE) == {"itemNotFound": {"code": 404, "message": "It is gone."}}
    assert body_of("compute", Refusal(500, "x")) == {"computeFault": {"code": 500, "message": "x"}}


def test_neutron_gives_type_message_and_detail() -> None:
    named = Refusal(404, "No port.", type="PortNotFound")
    assert body_of("network", named) == {
        "NeutronError": {"type": "PortNotFound", "message": "No port.", "detail": ""}
    }


def test_glance_writes_a_page_or_json_as_the_client_accepts() -> None:
    page = body_of("image", GONE, "*/*")
    assert isinstance(page, str)
    assert "<h1>404 Not Found</h1>\n  It is gone.<br />" in page
    assert body_of("image", GONE, "application/json") == {
        "message": "It is gone.<br /><br />\n\n\n",
        "code": "404 Not Found",
        "title": "Not Found",
    }


def test_a_401_is_keystones_whichever_service_says_it() -> None:
    assert body_of("network", Refusal(401, "Who?")) == {
        "error": {"code": 401, "message": "Who?", "title": "Unauthorized"}
    }
