"""Small trees need no compiler: they are done with before their kernels would be compiled.

Compiling all that solves a game takes ten CPU seconds and more, once per machine; a game of some thousand histories
takes one or two without. So where these kernels have never been compiled, a tree is built by the interpreter as long as
it is small.
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from ..core.game import Game
from ..core.kernel import interpreted, is_cold
from .game_sources import GameProblem, Problem

SMALL_TREE = 16_000  # histories of a tree that is solved within some seconds by the interpreter
# The files of this room whose kernels most of the work is in.
KERNELS = ("tree", "sequence_form", "best_response", "colour_refinement", "exact_basis", "presolve/row_dominance")


class _WorthCompiling(Exception):
    """A tree is so large that it should be built by compiled kernels."""


def build_small_tree(problem: Problem, memory: float) -> bool:
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
    small = build_small_tree(GameProblem(game, game.name), memory)
    with interpreted() if small else nullcontext():
        yield
