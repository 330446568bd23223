"""The types that there are, those among them that an operator makes of templates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.lang.environment import Environment

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stoker.engine.offer import Offer
    from stoker.sdk.resource import Resource, Types


class OfferedTypes:
    """An index of types as people are told of them (:class:`stoker.sdk.resource.Types`).

    Stacks are made of the plain index: what a name stands for there is their environment's to say.
    """

    def __init__(self, types: Types, offer: Offer) -> None:
        self._types, self._offer = types, offer
        self._environment = Environment().with_shared(offer.registry)

    def get(self, type_name: str) -> Resource[Any] | None:
        """Return what the operator maps the name to, or the type, or None."""
        used = self._environment.resolve(type_name, "") or type_name
        if used in self._offer.texts:
            return self.from_template(type_name, self._offer.texts[used])
        return self._types.get(used)

    def names(self) -> Iterable[str]:
        """Return the names of all types, sorted; those mapped to others are not among them."""
        templates = self._offer.texts
        made = (
            name
            for name, used in self._offer.registry.items()
            if isinstance(used, str) and used in templates
        )
        return sorted({*self._types.names(), *(name for name in made if "*" not in name)})

    def from_template(self, name: str, text: str) -> Resource[Any]:
        """Return the provider type that a template makes; raises Invalid."""
        return self._types.from_template(name, text)
