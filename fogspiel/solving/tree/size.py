"""Estimate of a game's tree size, before it is built.

A random walk from the root that follows one of k branches at each node counts a node for k others of its depth, so the
sum of the products of k along the walk is, on average, the number of all histories (Knuth 1975, Estimating the
efficiency of backtrack programs). The estimates vary widely: the mean of a few random walks is rough.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from ...core.compile.kernel import Kernel, interpreted, need_no_compiler
from ...core.game import Game
from ...core.session import Session
from ..sources import GameSource, KernelSource

WALKS = 200
MAX_MOVES = 400  # of a random walk; a tree with longer ones is far too large to be built
SEED = 1


def estimate_histories(game: Game, most: float) -> float | None:
    """Estimate the number of histories; None if it is more than `most`."""
    draws, total = random.Random(SEED), 0.0
    with interpreted():  # these few random walks finish before the kernels would be compiled
        for _ in range(WALKS):
            size = _walk_size(Session(game), draws, WALKS * most - total)
            if size is None:
                return None
            total += size
    return total / WALKS


def _walk_size(session: Session, draws: random.Random, most: float) -> float | None:
    total = product = 1.0
    for _ in range(MAX_MOVES):
        if not (actions := session.actions):
            return total
        product *= len(actions)
        total += product
        if total > most:
            return None
        session.apply(draws.choice(actions))
    return None


# Small trees need no compiler: they are finished before their kernels would be compiled.
#
# Compiling all that solves a game takes ten CPU seconds and more, once per machine; a game of some thousand histories
# takes one or two without. So where these kernels have never been compiled, a tree is built by the interpreter as long
# as it is small.

HISTORIES_PER_SECOND = 4000  # of a tree that the interpreter builds and solves


def _kernels() -> tuple[Kernel, ...]:
    """Return kernels of the files that do most of the work."""
    from ..exact import lift
    from ..policies.best_response import respond
    from ..reduce.colour_refinement import split_unlike
    from ..reduce.dominance import strike_dominated
    from .sequence_form import multiply
    from .tree import grow

    return grow, multiply, respond, split_unlike, lift, strike_dominated


class _WorthCompiling(Exception):
    """A tree that is large enough to be built by compiled kernels."""


def build_small_tree(problem: GameSource, memory: float) -> bool:
    """Build the tree of a game by the interpreter, as long as it is small and the kernels were never compiled."""

    kernels = _kernels()

    def watch(nodes: int, share: float | None) -> None:
        if not need_no_compiler(nodes / HISTORIES_PER_SECOND, *kernels):
            raise _WorthCompiling

    if problem.game is None or not need_no_compiler(0, *kernels):
        return False
    try:
        with interpreted():
            problem.tree(memory, watch)
    except _WorthCompiling:
        return False
    return True


@contextmanager
def compiling_if_worth_it(game: Game, memory: float) -> Iterator[None]:
    """Interpret kernels within this context if the tree of the game is small."""
    small = build_small_tree(KernelSource(game, game.name), memory)
    with interpreted() if small else nullcontext():
        yield
