"""Lemma 2 of Teytaud and Teytaud 2011 taken literally: the game G' of a set T of nodes where White is to move.

T is a set of White's turns by number: a node is in T if White begins such a turn there. In these nodes White sees the
whole board, and may privately replace its stones by any others with which Black has made the same observations, at most
once per visit (as printed, the added edges allow cycles). The value of G' for Black is at most that of the game.

At a turn of T the continuation depends on Black's observations alone, which White knows, so that it is a game of its
own: White chooses the world after its stone among all that are possible, both play unseen up to White's next turn of T,
and there the game ends with the value of the next one. These windows are solved exactly, the last ones first.
"""

import re
from collections.abc import Callable
from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np

from ...games.boards.board import BOARDS, DRAWS, GOES_ON, ILLEGAL, WINS, Board
from ..exact import exact_bounds
from ..methods.lp import equilibrium
from ..tree.sequence_form import merge
from . import board_of
from .beliefs import Beliefs, dominating_try, permute, smallest_image
from .information_relaxation import TreeplexBuilder

MAX_HISTORIES = 2_000_000  # of one window
WORDS = re.compile(r"T:(all|none|\d+(,\d+)*)")
HALF = Fraction(1, 2)
BLACK, WHITE = 0, 1

Known = tuple[int, ...]  # a player's tries since the window's beginning: cell, or ~cell for an illegal one


class Turns(NamedTuple):
    """A set of White's turns, counted from 1; None is all of them."""

    numbers: frozenset[int] | None

    @classmethod
    def parse(cls, words: str) -> "Turns":
        """Parse `T:all`, `T:none`, or turns as in `T:1,3`."""
        if not WORDS.fullmatch(words):
            raise ValueError(f"the set T is {words!r}: it must be T:all, T:none or White's turns as in T:1,3")
        chosen = words[2:]
        if chosen == "all":
            return cls(None)
        return cls(frozenset(map(int, chosen.split(",")) if chosen != "none" else ()))

    def has(self, turn: int) -> bool:
        return self.numbers is None or turn in self.numbers

    def __str__(self) -> str:
        if self.numbers is None:
            return "T = all turns of White"
        return f"T = White's turns {', '.join(map(str, sorted(self.numbers)))}" if self.numbers else "T empty"


def informed_board(name: str) -> Board:
    """Return the board of a phantom game whose G' can be built: tic-tac-toe or a ponnuki."""
    return BOARDS["ttt"] if name == "phantom-ttt" else board_of(name)


class TooLarge(ValueError):
    """A window has too many histories."""


class InformedGame:
    """The game G' of a board and a set T; `value` is Black's, exactly."""

    def __init__(
        self, board: Board, turns: Turns, symmetric: bool = True, dominating: bool = True, most: int = MAX_HISTORIES
    ) -> None:
        """Set up the game; Lemma 1 (`symmetric`) identifies windows, Lemma 3 (`dominating`) shortens them."""
        self.board, self.turns, self.most, self.histories = board, turns, most, 0
        self.symmetries, self.dominating = board.symmetries if symmetric else board.symmetries[:1], dominating
        self.beliefs = Beliefs(board, BLACK)
        self._values: dict[tuple[int, bytes], Fraction] = {}

    def value(self) -> Fraction:
        return self._window(0, np.array([0], np.int64))

    def at_turn_of_t(self, own: int, worlds: np.ndarray) -> Fraction:
        """Return Black's value if White, to move in a turn of T, chooses among the worlds."""
        own, worlds = self._canonical(own, worlds)
        key = own, worlds.tobytes()
        if key not in self._values:
            outcomes = {self._fate(WHITE, w, own, c) for w in worlds.tolist() for c in range(self.board.cells)}
            if WINS in outcomes:
                found = Fraction(0)
            else:
                after, _ = self.beliefs.after_answer(own, worlds)
                drawn = HALF if DRAWS in outcomes else Fraction(1)
                found = min(drawn, self._window(own, after)) if len(after) else drawn
            self._values[key] = found
        return self._values[key]

    def _window(self, own: int, worlds: np.ndarray) -> Fraction:
        """Return the value of the window in which White knows the board, and Black, to move, knows the worlds."""
        walk = _WindowWalk(self)
        for number, world in enumerate(worlds.tolist()):
            first, _ = walk.infoset(WHITE, (), 0, lambda: list(range(len(worlds))))
            walk.black(own, world, (), (number,), worlds, (0, first + number))
        self.histories += walk.histories
        return walk.solve()

    def _canonical(self, own: int, worlds: np.ndarray) -> tuple[int, np.ndarray]:
        """Return the smallest image of a belief under the symmetries of the board (Lemma 1)."""
        best = np.empty_like(worlds)
        turn = int(smallest_image(own, worlds, self.symmetries, np.empty_like(worlds), best))
        return int(permute(own, self.symmetries[turn])), best

    def _fate(self, player: int, own: int, other: int, cell: int) -> int:
        return int(self.board.fate(player, own, other, cell))


class _WindowWalk:
    """A traversal of the histories of a window; payoffs are Black's."""

    def __init__(self, game: InformedGame) -> None:
        self.game, self.histories = game, 0
        self.sides = TreeplexBuilder[Known](), TreeplexBuilder[Known]()
        self.payoffs: list[tuple[int, int, Fraction]] = []

    def infoset(
        self, player: int, known: Known, sequence: int, choices: Callable[[], list[int]]
    ) -> tuple[int, list[int]]:
        """Return the first sequence of a player's infoset, and its choices."""
        side = self.sides[player]
        number = side.infoset(known, sequence, choices)
        return side.first[number], side.choices[number]

    def black_tries(self, own: int, worlds: np.ndarray) -> list[int]:
        """Return Black's tries: a dominating one alone (Lemma 3), else all that are legal in some world."""
        tally = self.game.beliefs.tally(own, worlds)
        dominating = dominating_try(tally) if self.game.dominating else None
        if dominating is not None:
            return [dominating]
        return [cell for cell, (_, *legal) in enumerate(tally) if any(legal)]

    def white_tries(self, own: int, known: Known) -> list[int]:
        """Return the cells that are not White's own and were not illegal in this turn, the tail of `known`."""
        failed = 0
        for attempt in reversed(known):
            if attempt >= 0:
                break
            failed |= 1 << ~attempt
        return [cell for cell in range(self.game.board.cells) if not (own | failed) >> cell & 1]

    def pay(self, sequences: tuple[int, int], payoff: Fraction) -> None:
        self.payoffs.append((*sequences, payoff))

    def black(
        self, own: int, world: int, known: Known, seen: Known, worlds: np.ndarray, sequences: tuple[int, int]
    ) -> None:
        """Try every cell for Black, who knows its stones, its tries and the worlds; White has tried `seen`."""
        self.histories += 1
        if self.histories > self.game.most:
            most = f"{self.game.most:,} histories"
            raise TooLarge(f"a window has more than {most}: choose a smaller board, or more turns of White")
        first, tries = self.infoset(BLACK, known, sequences[BLACK], lambda: self.black_tries(own, worlds))
        for number, cell in enumerate(tries):
            after = first + number, sequences[WHITE]
            found = self.game._fate(BLACK, own, world, cell)
            if found in (WINS, DRAWS):
                self.pay(after, Fraction(1) if found == WINS else HALF)
                continue
            split = self.game.beliefs.split(own, worlds, cell)
            if found == ILLEGAL:
                self.black(own, world, (*known, ~cell), seen, split.illegal, after)
            elif self.game.turns.has(own.bit_count() + 1):
                self.pay(after, self.game.at_turn_of_t(own | 1 << cell, split.going))
            else:
                later = self.game.beliefs.after_answer(own | 1 << cell, split.going)[0]
                self.white(own | 1 << cell, world, (*known, cell), seen, later, after)

    def white(
        self, own: int, world: int, known: Known, seen: Known, later: np.ndarray, sequences: tuple[int, int]
    ) -> None:
        """Try every cell for White, whose turn is not in T; `later` are Black's worlds after the turn."""
        first, tries = self.infoset(WHITE, seen, sequences[WHITE], lambda: self.white_tries(world, seen))
        for number, cell in enumerate(tries):
            after = sequences[BLACK], first + number
            found = self.game._fate(WHITE, world, own, cell)
            if found in (WINS, DRAWS):
                self.pay(after, Fraction(0) if found == WINS else HALF)
            elif found == ILLEGAL:
                self.white(own, world, known, (*seen, ~cell), later, after)
            elif found == GOES_ON:
                self.black(own, world | 1 << cell, known, (*seen, cell), later, after)

    def solve(self) -> Fraction:
        unit = lcm(*(payoff.denominator for *_, payoff in self.payoffs))
        rows, columns = (np.array([entry[side] for entry in self.payoffs], np.int64) for side in (BLACK, WHITE))
        values = np.array([int(payoff * unit) for *_, payoff in self.payoffs], np.int64)
        if not values.any():
            return Fraction(0)
        form = merge((self.sides[BLACK].treeplex, self.sides[WHITE].treeplex), rows, columns, values, unit)
        found = equilibrium(form)
        exact = exact_bounds(form, found.primal_player, found.point)
        if not exact.proved:
            raise TooLarge("a window was not solved exactly: choose a smaller board, or more turns")
        return exact.lower
