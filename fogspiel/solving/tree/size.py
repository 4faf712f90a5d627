"""Estimate of a game's tree size, before it is built.

A walk from the root that takes one of k branches at random each time has met a node that stands for k others of its
depth, so the sum of the products of k along the walk is, on average, the number of all histories (Knuth 1975,
Estimating the efficiency of backtrack programs). Walks vary as histories do: the mean of some is a rough number.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from ...core.compile.kernel import interpreted, is_cold
from ...core.game import Game
from ...core.session import Session
from ..sources import GameSource, KernelSource

WALKS = 200
MOST_MOVES = 400  # of a walk; a tree with longer ones is far too large to be built
SEED = 1


def estimate_histories(game: Game, most: float) -> float | None:
    """About how many histories there are; None if they are more than `most`."""
    draws, total = random.Random(SEED), 0.0
    with interpreted():  # so few walks are done before the kernels would be compiled
        for _ in range(WALKS):
            size = _walk_size(Session(game), draws, WALKS * most - total)
            if size is None:
                return None
            total += size
    return total / WALKS


def _walk_size(session: Session, draws: random.Random, most: float) -> float | None:
    """Return one walk's estimate of the number of histories; None if that is more than `most`."""
    total = product = 1.0
    for _ in range(MOST_MOVES):
        if not (actions := session.actions):
            return total
        product *= len(actions)
        total += product
        if total > most:
            return None
        session.apply(draws.choice(actions))
    return None


# Small trees need no compiler: they are done with before their kernels would be compiled.
#
# Compiling all that solves a game takes ten CPU seconds and more, once per machine; a game of some thousand histories
# takes one or two without. So where these kernels have never been compiled, a tree is built by the interpreter as long
# as it is small.

SMALL_TREE = 16_000  # histories of a tree that is solved within some seconds by the interpreter
# The files of this room whose kernels most of the work is in.
KERNELS = ("tree", "sequence_form", "best_response", "colour_refinement", "exact_basis", "presolve/row_dominance")


class _WorthCompiling(Exception):
    """A tree is so large that it should be built by compiled kernels."""


def build_small_tree(problem: GameSource, memory: float) -> bool:
    """Build the tree of a game by the interpreter, as long as it is small and the kernels were never compiled."""

    def watch(nodes: int, share: float | None) -> None:
        if nodes > SMALL_TREE:
            raise _WorthCompiling

    if problem.game is None or not any(is_cold(f"solve/{name}.py") for name in KERNELS):
        return False
    try:
        with interpreted():
            problem.tree(memory, watch)
    except _WorthCompiling:
        return False
    return True


@contextmanager
def compiling_if_worth_it(game: Game, memory: float) -> Iterator[None]:
    """As long as this lasts, kernels are interpreted if the tree of the game is small."""
    small = build_small_tree(KernelSource(game, game.name), memory)
    with interpreted() if small else nullcontext():
        yield
