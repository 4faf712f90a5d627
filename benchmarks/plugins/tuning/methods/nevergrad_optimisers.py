"""Optimisers of nevergrad as tuning methods, by ask and tell: a plug-in (`--plugins benchmarks/plugins`)."""

from collections.abc import Callable
from functools import partial

import numpy as np

from fogspiel import method_of

UNLIMITED = 10_000  # points, where the budget is not in games


class Nevergrad:
    """An optimiser of nevergrad, which minimises, with the names of ours."""

    def __init__(self, name: str, size: int, points: int | None, seed: int) -> None:
        try:
            from nevergrad import optimizers, p
        except ImportError:
            raise ValueError("this method needs the package nevergrad: pip install nevergrad") from None
        space = p.Array(shape=(size,))
        space.random_state.seed(seed)
        self.optimiser = optimizers.registry[name](parametrization=space, budget=points or UNLIMITED)

    def ask(self) -> np.ndarray:
        self.asked = self.optimiser.ask()
        return np.asarray(self.asked.value)

    def tell(self, point: np.ndarray, score: float) -> None:
        self.optimiser.tell(self.asked, 1 - score)

    def recommend(self) -> np.ndarray:
        return np.asarray(self.optimiser.provide_recommendation().value)


def maker(name: str) -> Callable[[int, int | None, int], Nevergrad]:
    make = partial(Nevergrad, name)
    make.__doc__ = f"nevergrad's {name}, against the baseline."
    return make


METHODS = {f"nevergrad-{name.lower()}": method_of(maker(name)) for name in ("TBPSA", "OnePlusOne")}
