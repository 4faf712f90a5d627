"""Methods that tune a vector: each is a generator over an arena that yields its steps until the budget ends it."""

from collections.abc import Callable, Iterator

from ..arena import Arena
from ..step import Step
from .bandit import bandit
from .cma import cma
from .coevolution import approximate, real
from .duel import duel
from .elitist import elitist
from .halving import halving
from .iterative import iterative
from .naive import naive
from .portfolio import portfolio
from .psro import psro
from .rectangular import rectangular
from .reply import reply
from .seed_nash import seed_nash
from .seeds import seeds
from .spsa import spsa

Method = Callable[[Arena], Iterator[Step]]

METHODS: dict[str, Method] = {
    "naive": naive,
    "iterative": iterative,
    "real-coevolution": real,
    "approximate-coevolution": approximate,
    "seeds": seeds,
    "elitist": elitist,
    "duel": duel,
    "spsa": spsa,
    "cma": cma,
    "halving": halving,
    "rectangular": rectangular,
    "bandit": bandit,
    "reply": reply,
    "seed-nash": seed_nash,
    "psro": psro,
    "portfolio": portfolio,
}


def find_method(name: str) -> Method:
    """The method of that name, or a ValueError that lists the names there are."""
    try:
        return METHODS[name]
    except KeyError:
        raise ValueError(f"there is no method {name!r}: the methods are {', '.join(METHODS)}") from None
