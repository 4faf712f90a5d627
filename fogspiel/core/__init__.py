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
    """Base class of the errors that callers may catch; the message has the form `problem: remedy`."""


class NotFound(FogspielError):
    """Unknown name of a game, agent, method, file or run."""


class BadInput(FogspielError):
    """Invalid argument, file or combination of options."""


class TooLarge(FogspielError):
    """Game that exceeds its memory limit."""


class Damaged(FogspielError):
    """File or store whose content has changed since it was written."""
