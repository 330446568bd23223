"""The same request said in different ways: what is put alike before two are compared.

Each rule is one difference in wording, with its reason. What is still different after these is
a difference in fact, and stands in :mod:`tests.resources.requests.differences`.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from tests.resources.requests.case import Call, Step

_MARK: Final = re.compile(r"(stoker-)+(\[(new )?id\]|[0-9a-f-]{36})")
_REFUSED: Final = 400


def alike(step: Step, calls: Iterable[Call]) -> list[Call]:
    """Return calls without what is merely said in another way."""
    is_raw = "RAW" in str(step.template)
    said = [_alike(each, is_raw=is_raw) for each in calls if _makes_sense(each)]
    return _once_refused(_tagged(_renamed(said)))


def _alike(call: Call, *, is_raw: bool) -> Call:
    line = re.sub(r"(security-group-rules)/\[(?:new )?id\]", r"\1/[security_group_rule]", call.call)
    return replace(call, call=line, body=_user_data(_body(call.body), is_raw=is_raw))


def _makes_sense(call: Call) -> bool:
    """Heat deletes by the id None what it never made, and speaks to itself over HTTP."""
    return not call.call.endswith("/None") and " heat " not in call.call


@dataclass(frozen=True)
class Field:
    """Fields of bodies that are said in another way, and why."""

    names: Sequence[str]
    said: Callable[[Any], Any]
    reason: str


def _ports_alone(nics: Any) -> Any:
    if not isinstance(nics, list):
        return nics
    return [{k: v for k, v in nic.items() if k != "uuid" or "port" not in nic} for nic in nics]


_LEFT_OUT: Final = lambda _value: None  # noqa: E731 - one of the table's few verbs

FIELDS: Final = (
    Field(("min_count", "max_count"), _LEFT_OUT, "one is what Nova takes without them"),
    Field(("type",), lambda v: None if v == "ssh" else v, "what Nova takes without it"),
    Field(("port_range_min", "port_range_max"), lambda v: v and int(v), "Heat sends texts"),
    Field(("adminPass",), lambda _v: "<masked>", "it was not recorded"),
    Field(("stoker-mark",), _LEFT_OUT, "the mark of a volume"),
    Field(("volume_type",), lambda v: v if isinstance(v, dict) else "[type]", "an id or a name"),
    Field(("id",), lambda v: None if str(v).startswith("[new ") else v, "the mark: our choice"),
    Field(("description",), lambda v: None if v.startswith("[name of ") else v, "the mark"),
    Field(("networks",), _ports_alone, "Nova takes a port without its network"),
)


def _body(value: Any) -> Any:
    """Say a body without marks, and without what is empty: services take that for granted."""
    if isinstance(value, dict):
        said = {key: _field(key, each) for key, each in value.items()}
        return {key: each for key, each in said.items() if not _is_empty(each)} or None
    if isinstance(value, list):
        return [each for each in map(_body, value) if not _is_empty(each)]
    return _text(value) if isinstance(value, str) else value


def _field(key: str, value: Any) -> Any:
    rule = next((each for each in FIELDS if key in each.names), None)
    said = value if rule is None or value is None else rule.said(value)
    return _body(said)


def _is_empty(value: Any) -> bool:
    return value is None or value in ({}, [])


def _text(text: str) -> str | None:
    if _MARK.fullmatch(text):
        return None
    text = re.sub(r"^.*-port-(\d+)$", r"[port \1 of a server]", text)
    return re.sub(r"172\.24\.4\.\d+", "[public address]", text)


def _user_data(body: Any, *, is_raw: bool) -> Any:
    """Compare user data where it is the template's own text, and as text."""
    kind = next((k for k in ("server", "rebuild") if isinstance(body, dict) and k in body), None)
    if kind is None or "user_data" not in body[kind]:
        return body
    rest = {name: each for name, each in body[kind].items() if name != "user_data"}
    if is_raw:
        rest["user_data"] = _text(_decoded(body[kind]["user_data"]))
    return {**body, kind: rest}


def _decoded(text: str) -> str:
    try:
        return base64.b64decode(text, validate=True).decode()
    except ValueError:
        return text


def _renamed(calls: Sequence[Call]) -> list[Call]:
    """Join the request that gives an object its own name to the one that made it.

    An object whose name the user chose is made under its mark and then renamed.
    """
    left = list(calls)
    for made in [each for each in calls if each.call.startswith("POST ")]:
        kind, fields = _only(made.body)
        name = "description" if kind == "floatingip" else "name"
        path = re.escape(made.call.removeprefix("POST "))
        later = [each for each in left if _only(each.body) == (kind, {name: _said(each, name)})]
        later = [each for each in later if re.fullmatch(rf"PUT {path}/\[new \w+\]", each.call)]
        if fields is not None and name not in fields and later:
            left.remove(later[0])
            joined = {kind: {**fields, name: _said(later[0], name)}}
            left[left.index(made)] = replace(made, body=joined)
    return left


def _only(body: Any) -> tuple[str, dict[str, Any] | None]:
    """Return a body's one key and the object under it."""
    if isinstance(body, dict) and len(body) == 1:
        [(kind, fields)] = body.items()
        return kind, fields if isinstance(fields, dict) else None
    return "", None


def _said(call: Call, name: str) -> Any:
    return (_only(call.body)[1] or {}).get(name)


def _tagged(calls: Sequence[Call]) -> list[Call]:
    """Join the tags that a new server is given to the request that makes it: so are ours."""
    left = list(calls)
    tags = next(
        (e for e in calls if re.fullmatch(r"PUT nova .*/\[new server\]/tags", e.call)), None
    )
    made = next((each for each in calls if each.call == "POST nova /v2.1/servers"), None)
    if tags is not None and made is not None:
        left.remove(tags)
        server = {**made.body["server"], **tags.body}
        left[left.index(made)] = replace(made, body={**made.body, "server": server})
    return left


def _once_refused(calls: Iterable[Call]) -> list[Call]:
    """Say a refused call once, and not where it then succeeds: repeating it asks nothing else."""
    calls = list(calls)
    accepted = {each.key for each in calls if each.status < _REFUSED}
    refused = {each.key: each for each in calls if each.status >= _REFUSED}
    kept = [each for each in calls if each.status < _REFUSED]
    return kept + [each for key, each in refused.items() if key not in accepted]
