from __future__ import annotations

import pytest

from stoker.errors import Bug, CloudError, Invalid
from stoker.sdk.fault import IN_ERROR, NO_ENDPOINT, OVER_QUOTA, PAUSED, Fault, fault


def error(status: int | None = None, code: str = "", *, sent: bool = True) -> CloudError:
    return CloudError("x", service="network", status=status, code=code, sent=sent)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (error(409, "NetworkInUse"), Fault.BUSY),
        (error(409), Fault.BUSY),
        (error(423), Fault.BUSY),
        (error(409, "IpAddressInUse"), Fault.FATAL),
        (error(409, "MacAddressInUse"), Fault.FATAL),
        (error(409, OVER_QUOTA), Fault.QUOTA),
        (error(403, OVER_QUOTA), Fault.QUOTA),
        (error(429), Fault.BUSY),
        (error(413), Fault.BUSY),
        (error(None, PAUSED, sent=False), Fault.BUSY),
        (error(409, "IpAddressGenerationFailure"), Fault.QUOTA),
        (error(408), Fault.RETRY),
        (error(500), Fault.RETRY),
        (error(502), Fault.RETRY),
        (error(503), Fault.RETRY),
        (error(504), Fault.RETRY),
        (error(501), Fault.FATAL),
        (error(500, IN_ERROR), Fault.BROKEN),
        (error(None, NO_ENDPOINT, sent=False), Fault.FATAL),
        (error(None), Fault.UNKNOWN),
        (error(None, sent=False), Fault.RETRY),
        (error(400), Fault.FATAL),
        (error(401), Fault.FATAL),
        (error(403), Fault.FATAL),
        (error(404), Fault.FATAL),
        (Invalid([]), Fault.FATAL),
        (Bug("x"), Fault.FATAL),
    ],
)
def test_each_error_has_its_class(given: Exception, expected: Fault) -> None:
    assert fault(given) is expected
