from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from stoker.usecases.stacks import TypeQuery
from tests.api.fake import PROJECT

if TYPE_CHECKING:
    from tests.api.fake import Client, FakeCatalog

URL = f"/v1/{PROJECT}/resource_types"


def test_types_that_the_policy_closes_are_left_out(call: Client, admin: Client) -> None:
    assert call("GET", URL).json == {"resource_types": ["OS::Heat::Value"]}
    assert admin("GET", URL).json == {
        "resource_types": ["OS::Heat::Value", "OS::Keystone::User", "OS::Nova::Flavor"]
    }


def test_descriptions_come_when_asked_for(call: Client) -> None:
    view = {"resource_type": "OS::Heat::Value", "description": "What OS::Heat::Value is."}
    assert call("GET", f"{URL}?with_description=true").json == {"resource_types": [view]}


def test_a_query_is_read(call: Client, catalog: FakeCatalog) -> None:
    call("GET", f"{URL}?support_status=DEPRECATED&name=OS::.*&version=5.0.0")
    assert catalog.asked[-1][2] == TypeQuery("DEPRECATED", "OS::.*", "5.0.0")


@pytest.mark.parametrize("query", ["support_status=x", "name=(", "with_description=1"])
def test_a_wrong_query_is_refused(call: Client, query: str) -> None:
    assert call("GET", f"{URL}?{query}").status == 400


def test_a_schema_has_its_description_only_when_asked_for(call: Client) -> None:
    url = f"{URL}/OS::Heat::Value"
    assert set(call("GET", url).json) == {"resource_type", "properties", "attributes"}
    assert call("GET", f"{url}?with_description=true").json["description"] == "Keeps."


def test_an_unknown_type_is_a_404_and_a_closed_one_a_403(call: Client) -> None:
    answer = call("GET", f"{URL}/OS::No::Such")
    assert (answer.status, answer.error["type"]) == (404, "EntityNotFound")
    assert answer.error["message"] == "The Resource Type (OS::No::Such) could not be found."
    for below in ("", "/template"):
        assert call("GET", f"{URL}/OS::Nova::Flavor{below}").status == 403


@pytest.mark.parametrize(("query", "form"), [("", "cfn"), ("?template_type=hot", "hot")])
def test_a_template_of_a_type_comes_in_two_forms(call: Client, query: str, form: str) -> None:
    assert call("GET", f"{URL}/OS::Heat::Value/template{query}").json == {"form": form}


def test_no_third_form_is_known(call: Client) -> None:
    assert call("GET", f"{URL}/OS::Heat::Value/template?template_type=tosca").status == 400
