"""What a case is: a real template of the corpus, and all that one must know to deploy it.

Rule: values only. Templates lie beside the repository, and clouds differ; a case names what it
wants of them, and nothing in it depends on which cloud that is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Named:
    """Something that is to be there beforehand; as a parameter's value it means its id."""

    kind: str
    name: str


KEY = Named("key", "a-key")
NETWORK = Named("network", "a-net")
SUBNET = Named("subnet", "a-net")
"""The one subnet of ``NETWORK``, which is needed for it."""
IMAGE, OTHER_IMAGE = "cirros-0.6.2-x86_64-disk", "ubuntu-24.04"
FLAVOR, LARGER = "m1.nano", "m1.tiny"


@dataclass(frozen=True, slots=True)
class Case:
    """``changes`` are parameters of a second update, ``becomes`` its template where it is another.

    ``replaced`` are the resources that this update makes anew; it keeps all others. ``as_nothing``
    are types that the environment maps to OS::Heat::None. ``flavors`` must be there, and only an
    administrator can make them. ``real``: nothing in it stands in the way of a real cloud that
    has the flavors, images and networks that a development cloud has. ``admin``: the stack is an
    administrator's, who may make flavors and the like.
    """

    path: str
    parameters: dict[str, Any] = field(default_factory=dict)
    env: str | None = None
    changes: dict[str, Any] = field(default_factory=dict)
    becomes: str | None = None
    replaced: frozenset[str] = frozenset()
    needs: tuple[Named, ...] = ()
    flavors: tuple[str, ...] = ()
    as_nothing: tuple[str, ...] = ()
    real: bool = False
    admin: bool = False
    long: bool = False
    """Only in the long form."""
