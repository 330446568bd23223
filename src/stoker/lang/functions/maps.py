"""map_merge and map_replace: functions over maps."""

from __future__ import annotations

from typing import Any, Final

from stoker.lang.functions.arguments import a_map, as_key, fields, items, shown, wrong
from stoker.lang.functions.registry import function
from stoker.lang.syntax import is_open

_REPLACE: Final = "map_replace: [map, {keys: {old: new, …}, values: {old: new, …}}]"


@function("map_merge", "map_merge: [map, map, …]", since="2016-04-08")
def map_merge(args: Any) -> dict[str, Any]:
    """Return one map of all; a later entry wins, a null map is skipped."""
    merged: dict[str, Any] = {}
    for each in items(args, 0):
        merged.update(a_map(each, "what is merged"))
    return merged


@function("map_replace", _REPLACE, since="2016-10-14")
def map_replace(args: Any) -> dict[str, Any]:
    """Return the map with keys and values exchanged; two entries never fall together."""
    whole, change = items(args, 2, 2)
    how = fields(a_map(change, "the second argument"), (), ("keys", "values"))
    keys, values = a_map(how.get("keys"), "keys"), a_map(how.get("values"), "values")
    replaced: dict[str, Any] = {}
    for key, value in a_map(whole, "the first argument").items():
        if is_open(keys.get(key)):
            continue
        new = _key(key, keys.get(key))
        if new in replaced:
            raise wrong(f"two entries would both be called {shown(new)}")
        replaced[new] = values.get(value, value) if isinstance(value, str) else value
    return replaced


def _key(old: str, new: Any) -> str:
    """Return the key in place of ``old``: itself where the new one is null."""
    if isinstance(new, dict | list):
        raise wrong("the new name of a key must be text")
    return old if new is None else as_key(new)
