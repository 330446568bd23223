"""Random requests, made from the OpenAPI document: none fails, whatever it says.

What answers is the whole program but for a cloud. ``STOKER_RANDOM_REQUESTS`` says how many there
are (2000), ``STOKER_RANDOM_SEED`` which; a failure tells both of its request and its seed.
"""

from __future__ import annotations

import json
import os
import random
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from stoker.api.openapi import handler_of
from stoker.api.v1.application import ROUTES
from stoker.api.v1.described import OPERATIONS
from stoker.engine.settings import Settings
from tests.replay.exchange import PROJECT
from tests.replay.site import TOKEN, Site

if TYPE_CHECKING:
    from pathlib import Path

    from stoker.api.route import Route

COUNT: Final = int(os.environ.get("STOKER_RANDOM_REQUESTS", "2000"))
SEED: Final = int(os.environ.get("STOKER_RANDOM_SEED", "1"))
FAILED: Final = 500
RENEWED: Final = 100
"""After so many requests what they are about is made again, if need be."""
ODD: Final = ("", "x", "s1", "-1", "0", "ä€😀", "a" * 300, "%", "..", "\u202e", "null", "{}", "'")
TEMPLATES: Final = (
    {"heat_template_version": "2021-04-16"},
    {"heat_template_version": "2021-04-16", "resources": {"r": {"type": "OS::Heat::None"}}},
    {"heat_template_version": "2013-05-23", "outputs": {"o": {"value": {"get_param": "p"}}}},
    "heat_template_version: 2021-04-16\nresources: {a: {type: OS::Heat::RandomString}}",
    "HeatTemplateFormatVersion: 2012-12-12\nResources: []",
    "resources: [",
)


@dataclass
class Guesser:
    """Makes requests up; ``known`` are values that mean something, by the name they go by.

    ``sense`` is how much of a request makes sense: 1, all of it that can.
    """

    chance: random.Random
    known: dict[str, list[str]] = field(default_factory=dict)
    sense: float = 1.0

    def makes_sense(self) -> bool:
        return self.chance.random() < self.sense

    def word(self, name: str) -> str:
        known = self.known.get(name)
        return self.chance.choice(known if known and self.makes_sense() else ODD)

    def value(self, name: str, depth: int = 3) -> Any:
        """Return any value of JSON."""
        kinds: list[Any] = [None, True, False, -1, 0, 7, 2**63, 1e300, self.word(name)]
        if depth:
            inner = [self.value(name, depth - 1) for _ in range(self.chance.randrange(3))]
            kinds += [inner, {self.word(name): each for each in inner}]
        return self.chance.choice(kinds)

    def url(self, route: Route) -> str:
        parts = route.path.split("/")
        filled = [self.word(part[1:-1]) if part.startswith("{") else part for part in parts]
        names = OPERATIONS[handler_of(route)].query
        asked = [name for name in (*names, "odd") if self.chance.random() > self.sense]
        query = "&".join(f"{name}={quote(self.parameter(name))}" for name in asked)
        return f"/v1{quote('/'.join(filled))}?{query}"

    def parameter(self, name: str) -> str:
        return self.chance.choice((self.word(name), "true", "1", "asc", "CREATE_COMPLETE"))

    def body(self, route: Route) -> bytes | None:
        schema = OPERATIONS[handler_of(route)].body
        if schema is None and self.makes_sense():
            return None
        properties = (schema or {}).get("properties", ())
        fields = {name: self.value(name) for name in properties if not self.makes_sense()}
        if "template" in properties and self.makes_sense():
            fields["template"] = self.chance.choice(TEMPLATES)
        if "stack_name" in properties and self.makes_sense():
            fields["stack_name"] = f"s{self.chance.randrange(9)}"
        if "template_url" in fields:
            fields["template_url"] = self.chance.choice(("file:///etc/passwd", "http://[", None))
        return json.dumps(fields).encode()

    def headers(self) -> dict[str, str]:
        accepted = self.chance.choice(("application/json", "text/event-stream", "", "*/*;q=x"))
        sent = self.chance.choice(("application/json", "text/plain", "application/xml", ""))
        return {"x-auth-token": TOKEN, "content-type": sent, "accept": accepted}


def renew(site: Site, known: dict[str, list[str]]) -> None:
    """Make what requests may be about, and learn how it is called."""

    def ask(method: str, path: str, body: Any = None) -> Any:
        raw = None if body is None else json.dumps(body).encode()
        headers = {"x-auth-token": TOKEN, "content-type": "application/json"}
        return site.call(method, f"/v1/{PROJECT}{path}", raw, headers).json

    ask("POST", "/stacks", {"stack_name": "s1", "template": TEMPLATES[1]})
    found = ask("GET", "/stacks?name=s1&show_deleted=true")["stacks"]
    config = ask("POST", "/software_configs", {"name": "c"})["software_config"]["id"]
    what = {"config_id": config, "server_id": "server"}
    deployment = ask("POST", "/software_deployments", what)["software_deployment"]["id"]
    known |= {
        "project": [PROJECT],
        "name": ["s1"],
        "id": [each["id"] for each in found[:2]],
        "resource": ["r", "a"],
        "config": [config],
        "config_id": [config],
        "deployment": [deployment],
        "server": ["server"],
        "type": ["OS::Heat::Value", "OS::Nova::Server"],
        "version": ["heat_template_version.2021-04-16"],
    }


def test_no_random_request_fails(tmp_path: Path) -> None:
    guesser = Guesser(random.Random(SEED))  # noqa: S311 - no secret
    statuses: set[int] = set()
    settings = Settings(enable_stack_abandon=True, enable_stack_adopt=True)
    with closing(Site(tmp_path / "a.db", settings)) as site:
        for number in range(COUNT):
            if number % RENEWED == 0:
                renew(site, guesser.known)
            guesser.sense = guesser.chance.choice((0.5, 0.9, 1.0))
            route = guesser.chance.choice(ROUTES)
            url, body, headers = guesser.url(route), guesser.body(route), guesser.headers()
            answer = site.call(route.verb, url, body, headers)
            assert answer.status < FAILED, (SEED, number, route.verb, url, body, answer.text)
            statuses.add(answer.status)
    assert {200, 201, 202, 204, 302, 400, 403, 404} <= statuses
