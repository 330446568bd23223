"""The example with three tiers on real Keystone, Nova, Neutron, Glance and Cinder."""

from __future__ import annotations

from tests.cloud.conftest import Site
from tests.e2e import three_tier


def test_the_three_tiers_come_change_and_go_in_order_and_nothing_is_left(
    site: Site, name: str
) -> None:
    before = site.project.objects()
    conn = site.project.conn
    stack = three_tier.create(site.rest, name)
    three_tier.check_in_the_cloud(conn, stack, 1, "m1.nano")
    three_tier.update(stack, 3, "m1.tiny")
    three_tier.check_in_the_cloud(conn, stack, 3, "m1.tiny")
    three_tier.delete(stack)
    assert site.project.settled(before) == before
