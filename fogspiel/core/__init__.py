"""Shared parts: games, agents, sessions, plug-ins, and the errors that a caller may catch."""

import functools
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

Class = TypeVar("Class", bound=type)


def former_names(**names: str) -> Callable[[Class], Class]:
    """Accept former names of a class until 2.0: keywords silently, attributes with a DeprecationWarning."""

    def reader(old: str, new: str) -> Callable[[object], Any]:
        def read(self: object) -> Any:
            warnings.warn(f"{type(self).__name__}.{old} is deprecated: use {new}", DeprecationWarning, stacklevel=2)
            return getattr(self, new)

        return read

    def decorate(cls: Class) -> Class:
        make = cls.__init__  # type: ignore[misc]

        @functools.wraps(make)
        def __init__(self: object, *given: Any, **options: Any) -> None:
            for old in names.keys() & options.keys():
                options[names[old]] = options.pop(old)
            make(self, *given, **options)

        cls.__init__ = __init__  # type: ignore[misc]
        for old, new in names.items():
            setattr(cls, old, property(reader(old, new)))
        return cls

    return decorate


class FogspielError(ValueError):
    """A call that cannot be answered: one sentence that says what is wrong and what would be right."""


class NotFound(FogspielError):
    """There is no game, agent, method, file or run of this name."""


class BadInput(FogspielError):
    """An argument, a file or a combination of options is wrong."""


class TooLarge(FogspielError):
    """A game does not fit into the memory that it was given."""


class Damaged(FogspielError):
    """A file or a store is not what was written."""
