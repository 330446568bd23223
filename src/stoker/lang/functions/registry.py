"""How a template function is declared, and which ones a template version has.

Rule: a function whose meaning changed with a version is declared once per meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from stoker.lang.versions import CFN

if TYPE_CHECKING:
    from stoker.lang.functions.budget import Budget

Impl = Callable[..., Any]
F = TypeVar("F", bound=Impl)
Late = Callable[["Scope", Any], tuple[str, Any]]


class Scope(Protocol):
    """What a function may ask of the stack that its template is for."""

    @property
    def budget(self) -> Budget:
        """Return what the functions may still make."""

    def without_values(self) -> Scope:
        """Return this scope with every parameter UNKNOWN."""

    def parameter(self, name: str) -> Any:
        """Return a parameter's value; raises Invalid when there is none."""

    def file(self, key: str) -> str:
        """Return the text of an attached file; raises Invalid when it is missing."""

    def facade(self, part: str) -> Any:
        """Return ``metadata`` or a policy of the resource that this stack stands for."""

    def zones(self) -> Any:
        """Return the names of the compute service's zones, or UNKNOWN."""

    def condition(self, name: str) -> Any:
        """Return whether a named condition holds; UNKNOWN when that is open."""

    def reference(self, resource: str) -> Any:
        """Return a resource's reference id, or UNKNOWN."""

    def attribute(self, resource: str, name: str | None, path: tuple[Any, ...]) -> Any:
        """Return an attribute, or UNKNOWN; a None ``name`` asks for all of them."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function as declared.

    ``since`` and ``until`` bound the versions (``until`` is the first without it);
    ``in_conditions`` is the first version that allows it in conditions and
    ``in_values`` tells whether it may stand elsewhere. A ``scoped`` one is called with the
    Scope, a ``lenient`` one also with arguments that are not all known, and one that
    ``refers`` waits for resources. A ``slow`` one may take seconds. ``late`` says what is left
    to be called when the arguments hang on a resource and the scope is gone by then. One that
    ``makes`` gives more than went in. A ``written`` one takes no arguments that another
    function gives as a whole: their list or map stands in the template.
    """

    name: str
    form: str
    impl: Impl
    since: str
    until: str = "9"
    in_conditions: str = "9"
    in_values: bool = True
    scoped: bool = False
    lenient: bool = False
    refers: bool = False
    slow: bool = False
    makes: bool = False
    written: bool = False
    late: Late | None = None
    cfn: tuple[str, ...] = ()
    cfn_conditions: bool = False

    def serves(self, version: str) -> bool:
        return version in self.cfn if version in CFN else self.since <= version < self.until

    def is_written(self, version: str) -> bool:
        """Tell whether a template may write it, and not only readers make it of other words."""
        return bool(self.since) and (version not in CFN or self.name not in _MADE)


INTERNAL: Final = ""
"""The ``since`` of a call that no template can write; readers and the evaluator make it."""

NEVER: Final = "9"
"""The ``since`` of a function that no version of HOT has."""

_MADE: Final = ("get_param", "get_resource")
"""What is made of Ref in CloudFormation, where these words mean nothing."""

_REGISTRY: Final[list[Function]] = []


def function(name: str, form: str, **declared: Any) -> Callable[[F], F]:
    """Declare the template function ``name``; ``form`` shows how it is written.

    The keywords are those of :class:`Function`, ``since`` among them.
    """

    def keep(impl: F) -> F:
        _REGISTRY.append(Function(name, form, impl, **declared))
        return impl

    return keep


@lru_cache(maxsize=64)
def functions_at(version: str) -> Mapping[str, Function]:
    """Return the functions (and internal calls) that version ``version`` knows."""
    return {each.name: each for each in _REGISTRY if each.serves(version)}


@lru_cache(maxsize=64)
def value_functions(version: str) -> frozenset[str]:
    """Return the names that make a call of a one-key map anywhere but in conditions."""
    return frozenset(
        name
        for name, each in functions_at(version).items()
        if each.is_written(version) and each.in_values
    )


@lru_cache(maxsize=64)
def condition_functions(version: str) -> frozenset[str]:
    """Return the names of the functions that conditions may use."""
    known = functions_at(version).items()
    if version in CFN:
        return frozenset(name for name, each in known if each.cfn_conditions)
    return frozenset(name for name, each in known if each.since and each.in_conditions <= version)
