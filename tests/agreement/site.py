"""What scenarios take for granted in any cloud, looked up there by name.

Rule: nothing is made here.
"""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from tests.agreement.runner import Cloud

IMAGE, FLAVOR, OTHER_FLAVOR, PUBLIC = "ubuntu-24.04", "m1.nano", "m1.tiny", "public"


def cloud_of(member: Any, admin: Any, stranger: Any, seconds: float, look: float) -> Cloud:
    """Return a cloud for the runner, from openstacksdk's connections to it."""
    auth = member.config.auth
    sessions = {"member": member.session, "admin": admin.session, "stranger": stranger.session}
    names = {
        "image": member.image.find_image(IMAGE, ignore_missing=False).id,
        "flavor": member.compute.find_flavor(FLAVOR, ignore_missing=False).id,
        "other_flavor": member.compute.find_flavor(OTHER_FLAVOR, ignore_missing=False).id,
        "public": member.network.find_network(PUBLIC, ignore_missing=False).id,
        "project": member.current_project_id,
        "admin_project": admin.current_project_id,
        "stranger_project": stranger.current_project_id,
        "user": member.current_user_id,
        "stranger_user": stranger.current_user_id,
        "admin_user": admin.current_user_id,
        "password": auth["password"],
        "unique": f"agreement-{uuid4().hex[:8]}",
    }
    return Cloud(sessions, names, seconds, look)
