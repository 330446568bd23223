"""What our answers have otherwise than the captured ones, each with the reason.

A line begins with ``-`` where only Heat's answer has what it says, with ``+`` where only ours has.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Difference:
    """``exchanges`` and ``lines`` are patterns of the whole name, and of the whole line."""

    reason: str
    exchanges: str
    lines: str

    def explains(self, exchange: str, line: str) -> bool:
        """Tell whether this is the reason of a line."""
        return bool(re.fullmatch(self.exchanges, exchange) and re.fullmatch(self.lines, line))


DIFFERENCES: Final = (
    Difference(
        "no project is made for users before a resource needs one",
        ".*",
        r"[-+] .*\.stack_user_project_id: (text|null)",
    ),
    Difference(
        "previews: a text that is not known yet is null",
        "003-stack-preview",
        r"\+ \.stack\.resources\[\]\.properties\.value: null",
    ),
    Difference(
        "a group's refs are shown",
        "031-.*|036-.*|06[01]-update-preview-.*",
        r"[-+] .*\.attributes\.refs.*",
    ),
    Difference(
        "an update preview shows unchanged resources as they are, and says why of each",
        "06[01]-update-preview-.*",
        r"[-+] \.resource_changes\.(un)?(changed|updated)\[\]"
        r"\.(attributes\.value|change.*|\w+_time).*|\+ header etag",
    ),
    Difference(
        "a restore brings the tags back; a rollback too",
        "0(67|7[035]|83)-stack-show-.*",
        r"\+ \.stack\.tags\[\]: text",
    ),
    Difference(
        "a stack is deleted in the moment in which its status says so",
        "(092|165)-stack-show-deleted.*|093-.*",
        r"[-+] .*\.deletion_time: (text|null)",
    ),
    Difference("the same", "166-stack-show-deleted-byname", ".*"),
    Difference(
        "a value of the wrong type has one type of fault, and a message",
        "136-err-bad-disable-rollback",
        r"[-+] \.error\.(type = (ValueError|HTTPBadRequest)|message: text)",
    ),
    Difference(
        "a refusal lists its problems, each with its code and place",
        ".*",
        r"\+ \.problems.*",
    ),
    Difference("a refusal says what to do", ".*", r"\+ \.remedy: text"),
    Difference("HTTP wants it", "138-err-method", r"\+ header allow"),
    Difference(
        "a deployment without a reason has none",
        "15[0-4]-swdeploy-.*",
        r"[-+] .*\.status_reason: (text|null)",
    ),
    Difference(
        "it is not the service that is at fault",
        "157-swconfig-delete-in-use",
        r"[-+] (status|\.code =|\.title =) .*",
    ),
    Difference(
        "outputs of a stack that is being deleted are those of the last look",
        "164-stack-show-delete-in-progress",
        r"[-+] \.stack\.outputs\[\]\.output_(value|error): (text|null)",
    ),
    Difference(
        "an abandoned stack has gone when the answer comes",
        "204-show-abandoned",
        r"[-+] \.stack\.(deletion_time|stack_status|outputs).*",
    ),
)

LEFT_OUT: Final = {
    "110-err-unavailable-type": "that cloud had no Nova; there is none here that could say so",
    "141-err-resource-type-unavailable": "the same",
    "123-err-unauthorized-no-token": "keystonemiddleware answers; the served installation shows it",
    "124-err-unauthorized-bad-token": "the same",
}
