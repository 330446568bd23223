"""Software configs: what a guest can be told to do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from stoker.api.body import Fields
from stoker.api.policy import member, nobody, reader
from stoker.api.reply import Reply
from stoker.api.route import Route
from stoker.api.v1.path import PROJECT
from stoker.errors import Conflict
from stoker.usecases.moment import moment
from stoker.usecases.software import ConfigQuery, NewConfig

if TYPE_CHECKING:
    from stoker.api.route import Ask
    from stoker.usecases.software import ConfigView
    from stoker.usecases.stacks import Json

GLOBAL_INDEX = nobody("software_configs:global_index")
_CONFIGS = f"{PROJECT}/software_configs"
_CONFIG = f"{_CONFIGS}/{{config}}"
_TYPES = ("String", "Number", "CommaDelimitedList", "Json", "Boolean")
_NAME_MAX = 255


def listed(config: ConfigView) -> Json:
    """Return a config as lists have it."""
    return {
        "id": config.id,
        "name": config.name,
        "group": config.group,
        "creation_time": moment(config.created_at),
    }


def shown(config: ConfigView) -> Json:
    """Return a config whole."""
    content = config.content or NewConfig()
    return {
        **listed(config),
        "config": content.config,
        "inputs": list(content.inputs),
        "outputs": list(content.outputs),
        "options": dict(content.options),
    }


def index(ask: Ask) -> Json:
    """List the configs, without what they hold."""
    query = ConfigQuery(
        limit=ask.query.whole("limit"),
        marker=ask.query.last("marker"),
        all_projects=ask.query.boolean("global_tenant"),
    )
    caller = ask.caller
    if query.all_projects:
        # The policy is what lets a caller see all projects; the use case asks for an admin.
        ask.require(GLOBAL_INDEX)
        caller = replace(caller, is_admin=True)
    views = []
    for config in ask.house.software.configs(caller, query):
        project = {"project": config.project_id} if query.all_projects else {}
        views.append({**listed(config), **project})
    return {"software_configs": views}


def create(ask: Ask) -> Json:
    """Keep a config."""
    fields = Fields(ask.body())
    what = NewConfig(
        name=fields.text_within("name", _NAME_MAX),
        group=fields.text_within("group", _NAME_MAX),
        config=fields.any("config"),
        inputs=_described(fields, "inputs", _INPUT),
        outputs=_described(fields, "outputs", _OUTPUT),
        options=fields.map("options"),
    )
    fields.check()
    return {"software_config": shown(ask.house.software.create_config(ask.caller, what))}


def show(ask: Ask) -> Json:
    """Show one."""
    return {"software_config": shown(ask.house.software.config(ask.caller, ask.path["config"]))}


def delete(ask: Ask) -> Reply:
    """Forget one that no deployment uses."""
    ask.house.software.delete_config(ask.caller, ask.path["config"])
    return Reply(204)


_INPUT: dict[str, Any] = {"type": "String"}
_OUTPUT: dict[str, Any] = {"type": "String", "error_output": False}
_WORDS = {"inputs": ("default", "replace_on_change", "value"), "outputs": ("error_output",)}
_BOOLEANS = ("replace_on_change", "error_output")


def _described(fields: Fields, key: str, defaults: Json) -> tuple[Json, ...]:
    """Return what a config takes or gives, with what is not said of it."""
    items = fields.maps(key)
    for index, item in enumerate(items):
        for problem, word in _wrong(item, _WORDS[key]):
            fields.refuse(problem, key, index, *word)
    return tuple({**item, **{k: v for k, v in defaults.items() if k not in item}} for item in items)


def _wrong(item: Json, words: tuple[str, ...]) -> list[tuple[str, tuple[str, ...]]]:
    """Return what is wrong with one, each with the word that it is about."""
    known = ("name", "type", "description", *words)
    found: list[tuple[str, tuple[str, ...]]]
    found = [(f"is not one of {', '.join(known)}", (word,)) for word in item if word not in known]
    if not isinstance(item.get("name"), str):
        found.append(("needs a name, which is a string", ()))
    if item.get("type", "String") not in _TYPES:
        found.append((f"must be one of {', '.join(_TYPES)}", ("type",)))
    if not isinstance(item.get("description", ""), str):
        found.append(("must be a string", ("description",)))
    odd = [word for word in _BOOLEANS if not isinstance(item.get(word, False), bool)]
    return [*found, *(("must be true or false", (word,)) for word in odd)]


ROUTES = (
    Route("GET", _CONFIGS, index, reader("software_configs:index")),
    Route("POST", _CONFIGS, create, member("software_configs:create")),
    Route("GET", _CONFIG, show, reader("software_configs:show")),
    Route(
        "DELETE",
        _CONFIG,
        delete,
        member("software_configs:delete"),
        {Conflict: "InvalidRestrictedAction"},
    ),
)
