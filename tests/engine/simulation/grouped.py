"""Groups of the sky: production's own, whose members change in batches."""

from __future__ import annotations

from stoker.resources.heat.resource_group import ResourceGroup


class Grouped(ResourceGroup):
    """Makes a number of things from one definition."""

    type_name = "S::Group"
