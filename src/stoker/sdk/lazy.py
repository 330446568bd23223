"""A value that is made when it is first asked for, and kept.

Unlike ``functools.cached_property`` it takes no lock, which in Python 3.11 is one for all
instances: while one thread's value comes from the database, all others would wait for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class lazy(Generic[T]):  # noqa: N801 - read as a decorator
    """The value of a method without arguments, kept on the instance under the method's name."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make, self._name = make, make.__name__

    def __get__(self, instance: Any, owner: type[Any]) -> T:
        value = instance.__dict__[self._name] = self._make(instance)
        return value
