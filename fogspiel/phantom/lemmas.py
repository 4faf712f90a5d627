"""The four lemmas of Teytaud and Teytaud 2011 ("Lemmas on partial observation"), each as an algorithm on its own.

| lemma | what it says | here |
|---|---|---|
| 1 | a symmetric game has symmetric optimal strategies | `orbits`, `symmetrised` |
| 2 | a better informed opponent is no weaker | `informed_every_turn`, `informed_later`, `informed_once` |
| 3 | a try that is illegal or wins in every world costs nothing | `dominating_tries`, `sure_leaf` |
| 4 | who wins with open eyes wins a random phantom game sometimes | `random_play` |
"""

from collections.abc import Mapping
from fractions import Fraction
from math import prod

import numpy as np

from ..games.shared.boards import Board
from ..solve.fractions import Exact, exact_of
from ..solve.lp import equilibrium
from .and_or_search import SureWin
from .beliefs import WON, Beliefs, OpenEyes
from .information_relaxation import ALL, Widths, Window, Windows, run_to_end


def orbits(board: Board) -> list[list[int]]:
    """Lemma 1: the cells of a board, those together that are images of each other; the first of each stands for all."""
    found: dict[int, list[int]] = {}
    for cell in range(board.cells):
        found.setdefault(int(board.symmetries[:, cell].min()), []).append(cell)
    return list(found.values())


def symmetrise(board: Board, shares: Mapping[int, Fraction]) -> dict[int, Fraction]:
    """Lemma 1: first tries with these probabilities, on a board that is turned at random beforehand."""
    out: dict[int, Fraction] = {}
    for shift in board.symmetries.tolist():
        for cell, share in shares.items():
            out[shift[cell]] = out.get(shift[cell], Fraction(0)) + share / len(board.symmetries)
    return out


def informed_every_turn(board: Board, player: int, own: int, worlds: np.ndarray, widths: Widths = ALL) -> float:
    """Lemma 2 (a): a guarantee if the opponent sees the board before each turn of the player, who then moves unseen."""
    return Windows(board, player, widths).guarantee(own, worlds)


def informed_later(board: Board, player: int, own: int, worlds: np.ndarray, turns: int, widths: Widths = ALL) -> float:
    """Lemma 2 (b): a guarantee if the opponent sees the board now and, after some two-sided turns, as in (a)."""
    windows = Windows(board, player, widths)
    return run_to_end(windows.solved(windows.window(own, worlds, turns)))


def informed_once(board: Board, player: int, own: int, worlds: np.ndarray) -> tuple[Exact, Window]:
    """Lemma 2 (c): the exact value for the player if the opponent sees the board now and never again; and the game."""
    windows = Windows(board, player)
    window = windows.window(own, worlds, board.cells)
    form = window.form([])
    found = equilibrium(form)
    return exact_of(form, found.planner, found.point), window


def dominating_tries(beliefs: Beliefs, own: int, worlds: np.ndarray) -> list[int]:
    """Lemma 3: tries that are illegal or win in every world and win in some, in the order in which they can be made."""
    found: list[int] = []
    while len(worlds):
        tally = beliefs.tally(own, worlds)
        cell = next((cell for cell, (_, going, wins, draws) in enumerate(tally) if wins and not going + draws), None)
        if cell is None:
            break
        found.append(cell)
        worlds = beliefs.split(own, worlds, cell).illegal
    return found


def sure_leaf(search: SureWin, own: int, worlds: np.ndarray) -> bool:
    """Lemma 3 carried on: whether a belief need not be looked into any further, because it is a sure win."""
    return search.sure(own, worlds)


def random_play(board: Board, player: int) -> Fraction:
    """Lemma 4: what the player guarantees himself by random play, 1 / (number of his sequences of moves), or 0.

    He must win the game with open eyes. Black makes a perfect first move, which needs no luck.
    """
    eyes, cells = OpenEyes(board), board.cells
    black_wins = eyes.outcome(0, 0, 0) == WON
    if black_wins != (player == 0):
        return Fraction(0)
    return Fraction(1, prod(range(cells - 2 if player == 0 else cells - 1, 0, -2)))
