"""make_url: a URL from its parts."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import quote, urlencode, uses_netloc

from stoker.lang.functions.arguments import a_map, fields, shown, text, whole_number, wrong
from stoker.lang.functions.registry import function

_PARTS: Final = (
    "scheme", "username", "password", "host", "port", "path", "query", "fragment",
)  # fmt: skip
_TOP_PORT: Final = 65535


@function("make_url", f"make_url: {{{', '.join(_PARTS)}}}, all optional", since="2017-09-01")
def make_url(args: Any) -> str:
    """Return the URL; what needs quoting is quoted, an IPv6 host gets its brackets."""
    given = {key: value for key, value in fields(args, (), _PARTS).items() if value is not None}
    scheme, fragment = _text(given, "scheme"), _text(given, "fragment")
    if ":" in scheme:
        raise wrong("the scheme must not hold a colon")
    query = a_map(given.get("query"), "query")
    authority, path = _authority(given), _text(given, "path")
    has_host = bool(authority) or (scheme in uses_netloc[1:] and not path.startswith("//"))
    if has_host and path and not path.startswith("/"):
        path = "/" + path
    return "".join((
        f"{scheme}:" if scheme else "",
        f"//{authority}" if has_host else "",
        quote(path),
        f"?{urlencode(query, safe='/')}" if query else "",
        f"#{quote(fragment)}" if fragment else "",
    ))  # fmt: skip


def _text(given: dict[str, Any], part: str) -> str:
    return text(given.get(part, ""), f"the {part}")


def _authority(given: dict[str, Any]) -> str:
    host = _text(given, "host")
    is_ip6 = ":" in host
    if is_ip6 and host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    host = f"[{quote(host, safe=':')}]" if is_ip6 else quote(host, safe="")
    user = quote(_text(given, "username"), safe="")
    if _text(given, "password"):
        user += ":" + quote(_text(given, "password"), safe="")
    port = _port(given["port"]) if "port" in given and given["port"] != "" else ""
    return (f"{user}@" if user else "") + host + (f":{port}" if port else "")


def _port(value: Any) -> str:
    port = whole_number(value, "the port")
    if not 1 <= port <= _TOP_PORT:
        raise wrong(f"the port must be 1 to {_TOP_PORT}, not {shown(port)}")
    return str(value)
