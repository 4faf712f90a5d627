"""Methods that tune a vector: each is a generator over an arena that yields its steps until the budget ends it."""

from collections.abc import Callable, Iterator

from ..arena import Arena
from .coevolution import approximate, real
from .iterative import iterative
from .naive import naive
from .seeds import seeds
from .step import Step

Method = Callable[[Arena], Iterator[Step]]

METHODS: dict[str, Method] = {
    "naive": naive,
    "iterative": iterative,
    "real-coevolution": real,
    "approximate-coevolution": approximate,
    "seeds": seeds,
}


def method_named(name: str) -> Method:
    """The method of that name, or a ValueError that lists the names there are."""
    try:
        return METHODS[name]
    except KeyError:
        raise ValueError(f"there is no method {name!r}: the methods are {', '.join(METHODS)}") from None
