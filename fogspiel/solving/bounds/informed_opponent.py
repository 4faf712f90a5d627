"""Lemma 2 of Teytaud and Teytaud 2011 as a bound: a player's guarantee if the opponent is shown the board.

More information never weakens the opponent, so the value of the game in which it is shown the board now and then is a
guarantee in the phantom game. White informed gives the lower bound, Black informed the upper one. The more seldom the
opponent is informed, the better the bound and the larger the games to be solved. On 4x4 the players make their first
moves as in `bounds`, and choose from as few tries as there at first.
"""

import re
from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from ...games.boards.board import Board
from ..proofs.checkers.phantom_bounds import BoundsCertificate
from . import (
    B2,
    B3,
    C3,
    PLAYERS,
    TO_THE_END,
    WIDTHS,
    BlackOpening,
    BoundsStep,
    CpuBudget,
    Ledger,
    Remarks,
    SavedBounds,
    prove_opening,
    search_bounds,
    watch_relaxation,
)
from .certificate import Prover, Row
from .information_relaxation import Failed, PrivateTurn, Relaxation

LARGEST = 4  # the largest board: 5x5 first needs the sure-win question, which is undecided
WORDS = re.compile(r"(every|once)(?::([1-9]\d?))?|never")


class Schedule(NamedTuple):
    """Turns of the player after which the opponent is shown the board: the first, then the interval."""

    first: int
    later: int

    @classmethod
    def parse(cls, words: str) -> "Schedule":
        """Parse `every` turn, `every:3` turns, `once` (after the first turn), `once:3` (after three), or `never`."""
        found = WORDS.fullmatch(words)
        if not found:
            raise ValueError(f"the opponent is informed {words!r}: it must be every, every:K, once, once:K or never")
        turns = min(int(found[2] or 1), TO_THE_END)
        return cls(turns if found[1] else TO_THE_END, turns if found[1] == "every" else TO_THE_END)

    def stages(self, board: Board, ledger: Ledger, budget: CpuBudget) -> Remarks:
        for player, name in enumerate(PLAYERS):
            stage = f"{name}, the other informed after {self.first} and {self.later} turns"
            if stage in ledger.done:
                continue
            if board.rows == LARGEST:
                relaxation = Relaxation(board, player, WIDTHS, self.later, budget.demand)
                opening = WhiteOpening(relaxation) if player else BlackOpening(relaxation)
                yield from prove_opening(stage, opening, ledger, budget)
            else:
                relaxation = Relaxation(board, player, turns=self.later, check=budget.demand)
                yield from prove_informed(stage, relaxation, self.first, ledger, budget)


def prove_informed(stage: str, relaxation: Relaxation, turns: int, ledger: Ledger, budget: CpuBudget) -> Remarks:
    """Prove one player's guarantee if the opponent is first informed after `turns` turns."""
    prover, start = Prover(relaxation), relaxation.beliefs.start
    if relaxation.search.is_sure_win(0, start):
        ledger.take(prover, relaxation.player, prover.sure_rows(0, start))
        yield f"{stage}: a sure win"
    else:
        for own, stones, worth in ledger.known.get(stage, []):
            relaxation.learn(int(own), np.frombuffer(bytes.fromhex(str(stones)), np.int64), float(worth))
        game = relaxation.relaxed_game(0, start, turns)
        yield from watch_relaxation(relaxation.solve(game), stage, relaxation, ledger, budget)
        ledger.take(prover, relaxation.player, prover.relaxed_rows(game)[1])
        ledger.known.pop(stage)
        yield f"{stage}: {len(relaxation.known)} beliefs, {len(prover.nodes)} nodes in the proof"
    ledger.done.append(stage)


def demand_size(name: str) -> None:
    if int(name[-1]) > LARGEST:
        raise ValueError(
            f"{name} is too large for an informed opponent: boards up to {LARGEST}x{LARGEST} can be solved"
        )


def informed_bounds(
    name: str, schedule: Schedule, seconds: float = 300.0, memory: float = 1.0, saved: SavedBounds | None = None
) -> Generator[BoundsStep, None, BoundsCertificate]:
    """Bound the value of a phantom ponnuki by the players' guarantees against an informed opponent."""
    demand_size(name)
    return search_bounds(name, seconds, memory, saved, schedule.stages)


C2 = 6
OPPOSITE = {C3: B2, B2: C3, B3: C2, C2: B3}  # the central cells of 4x4


class WhiteOpening:
    """A central stone; opposite to Black's if Black is central, else with one of a few assumptions."""

    def __init__(self, relaxation: Relaxation) -> None:
        self.relaxation = relaxation
        self.game = relaxation.relaxed_game(0, relaxation.beliefs.start, 1, self.tries, self.assumptions)

    def tries(self, turn: PrivateTurn, failed: Failed) -> list[int]:
        """Return any central cell first, then the one opposite to it."""
        return [OPPOSITE[failed[0]]] if failed else list(OPPOSITE)

    def assumptions(self, turn: PrivateTurn) -> list[np.ndarray]:
        """Return the assumptions: Black has the opposite cell; or Black has anything that is not hopeless for White."""
        opposite = turn.worlds & 1 << OPPOSITE[turn.own.bit_length() - 1] != 0
        if opposite.all():
            return [turn.worlds]
        return [turn.worlds[opposite], self.relaxation.hopeful_worlds(turn.own, turn.worlds)]

    def steps(self) -> Generator[None, None, float]:
        return self.relaxation.solve(self.game)

    def rows(self, prover: Prover) -> list[Row]:
        return prover.relaxed_rows(self.game)[1]
