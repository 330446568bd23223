from __future__ import annotations

import pytest

from stoker.sdk.formats import FORMATS

GOOD = {
    "ip_addr": ["10.0.0.1", "2001:db8::1"],
    "mac_addr": ["fa:16:3e:00:00:01", "FA-16-3E-00-00-01", "fa16.3e00.0001", "fa163e000001"],
    "net_cidr": ["10.0.0.0/24", "10.0.0.5/24", "2001:db8::/64", "0.0.0.0/0"],
    "ip_or_cidr": ["10.0.0.1", "10.0.0.0/8"],
    "dns_name": ["a", "host.example.org", "host.example.org.", "x-1"],
    "rel_dns_name": ["host", "host.example.org"],
    "dns_domain": ["example.org.", ""],
    "iso_8601": ["2030-01-31", "2030-01-31T18:00:00Z", "2030-01-31T18:00:00+02:00"],
    "json_string": ["{}", "[1]", '"x"'],
    "cron_expression": ["* * * * *", "*/5 0 1-15 jan,feb mon-fri", "0 0 * * 7", "0 0 ? * 1 30"],
    "test_constr": ["anything"],
}
BAD = {
    "ip_addr": ["10.0.0", "10.0.0.0/8", "x", ""],
    "mac_addr": ["fa:16:3e:00:00", "gg:16:3e:00:00:01", ""],
    "net_cidr": ["10.0.0.0", "10.0.0.0/33", "x/8"],
    "ip_or_cidr": ["10.0.0", "x"],
    "dns_name": ["", "-a", "a-.b", "a..b", "a" * 64, "a.1", "a b", ".".join(["a" * 60] * 5)],
    "rel_dns_name": ["host.example.org."],
    "dns_domain": ["example.org", "."],
    "iso_8601": ["tomorrow", "2030-13-01"],
    "json_string": ["{", ""],
    "cron_expression": [
        "* * * *",
        "60 * * * *",
        "* 24 * * *",
        "5-1 * * * *",
        "*/0 * * * *",
        "x * * * *",
    ],
}


@pytest.mark.parametrize(("name", "value"), [(n, v) for n, vs in GOOD.items() for v in vs])
def test_what_is_right_is_accepted(name: str, value: str) -> None:
    assert FORMATS[name](value) is None


@pytest.mark.parametrize(("name", "value"), [(n, v) for n, vs in BAD.items() for v in vs])
def test_what_is_wrong_is_told(name: str, value: str) -> None:
    assert FORMATS[name](value)


def test_every_format_is_tried() -> None:
    assert GOOD.keys() == FORMATS.keys()
