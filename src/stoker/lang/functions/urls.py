"""make_url: a URL from its parts."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import quote, urlencode, uses_netloc

from stoker.lang.functions.arguments import a_map, fields, shown, text, whole_number, wrong
from stoker.lang.functions.registry import function
from stoker.lang.syntax import is_open

_PARTS: Final = (
    "scheme", "username", "password", "host", "port", "path", "query", "fragment",
)  # fmt: skip
_TEXTS: Final = tuple(part for part in _PARTS if part not in ("port", "query"))
_TOP_PORT: Final = 65535


@function(
    "make_url", f"make_url: {{{', '.join(_PARTS)}}}, all optional", since="2017-09-01", written=True
)
def make_url(args: Any) -> str:
    """Return the URL; what needs quoting is quoted, an IPv6 host gets its brackets."""
    given = {key: value for key, value in fields(args, (), _PARTS).items() if value is not None}
    texts = {part: text(given.get(part, ""), f"the {part}") for part in _TEXTS}
    query, port = a_map(given.get("query"), "query"), _port(given.get("port", ""))
    scheme, path = texts["scheme"], texts["path"]
    if not is_open(scheme) and ":" in scheme:
        raise wrong("the scheme must not hold a colon")
    if any(map(is_open, given.values())):
        return ""
    authority = _authority(texts, port)
    has_host = bool(authority) or (scheme in uses_netloc[1:] and not path.startswith("//"))
    if has_host and path and not path.startswith("/"):
        path = "/" + path
    return "".join((
        f"{scheme}:" if scheme else "",
        f"//{authority}" if has_host else "",
        quote(path),
        f"?{urlencode(query, safe='/')}" if query else "",
        f"#{quote(texts['fragment'])}" if texts["fragment"] else "",
    ))  # fmt: skip


def _authority(texts: dict[str, str], port: str) -> str:
    host = texts["host"]
    is_ip6 = ":" in host
    if is_ip6 and host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    host = f"[{quote(host, safe=':')}]" if is_ip6 else quote(host, safe="")
    user = quote(texts["username"], safe="")
    if texts["password"]:
        user += ":" + quote(texts["password"], safe="")
    return (f"{user}@" if user else "") + host + (f":{port}" if port else "")


def _port(value: Any) -> str:
    if is_open(value) or value == "":
        return ""
    port = whole_number(value, "the port")
    if not 1 <= port <= _TOP_PORT:
        raise wrong(f"the port must be 1 to {_TOP_PORT}, not {shown(port)}")
    return str(value)
