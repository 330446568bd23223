"""Making a trust where Keystone does not answer."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from stoker.clouds.errors import unanswered
from stoker.engine.trusts import ServiceUser, Trusts
from stoker.errors import CloudError
from tests.engine.shelf import ANN

if TYPE_CHECKING:
    from collections.abc import Iterable


def _without_answer(cause: Exception) -> CloudError:
    found = unanswered("identity", cause)
    found.__cause__ = cause
    return found


HUNG_UP = _without_answer(ConnectionResetError("reset by peer"))
SILENT = _without_answer(TimeoutError("timed out"))
REFUSED = CloudError("no", service="identity", status=403)


class Keystone:
    """Answers each request for a trust with what comes next; is every cloud."""

    def __init__(self, *answers: str | CloudError) -> None:
        self.left = list(answers)

    def cloud(self, _credential: Any) -> Any:
        return SimpleNamespace(identity=self)

    def whose(self) -> Any:
        return SimpleNamespace(user_id="stoker")

    def lent_to(self, _user_id: str) -> None:
        return None

    def create_trust(self, _user_id: str, _roles: Iterable[str]) -> str:
        answer = self.left.pop(0)
        if isinstance(answer, CloudError):
            raise answer
        return answer


def made(keystone: Any) -> Any:
    return Trusts(keystone, ServiceUser("http://keystone/v3", "stoker", "secret")).made(ANN)


def test_who_hung_up_is_asked_once_more() -> None:
    assert made(Keystone(HUNG_UP, "t1")) == "t1"
    with pytest.raises(CloudError, match="reset by peer"):
        made(Keystone(HUNG_UP, HUNG_UP, "t1"))


@pytest.mark.parametrize("answer", [SILENT, REFUSED])
def test_who_refuses_or_takes_its_time_is_not(answer: CloudError) -> None:
    keystone = Keystone(answer, "t1")
    with pytest.raises(CloudError, match=str(answer)):
        made(keystone)
    assert keystone.left == ["t1"]
