"""Phantom tic-tac-toe in which Black follows the strategy of Teytaud and Teytaud 2011, section III, as far as it goes.

The paper fixes Black's first moves, in a frame that is one of the eight symmetries of the board, drawn at random:

    turn 1   B2
    turn 2   B1, or if it is illegal one of B3, C2, A2
    turn 3   (after B1) C3, or if it is illegal a fallback: "C1" in the paper, by symmetry it should be A3

and lets Black test whatever wins or is illegal before anything else (Lemma 3). All other choices are left free here,
and White may do anything. So the game is small and solved exactly; its value is what Black's moves ensure when the rest
is played as well as possible. White acts in a frame of its own: it does not know which symmetry was drawn, Black need
not. Three things lose White nothing and are taken for granted: it never tries the centre, it too tests first what wins
or is illegal, and its first stone is A1 or B1, as their images come to the same.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, partial
from math import lcm
from typing import NamedTuple

import numpy as np

from ...games.boards.board import BOARDS, ILLEGAL, WINS
from ...solving.bounds.information_relaxation import TreeplexBuilder, with_entry
from ...solving.exact import ExactBounds, exact_bounds
from ...solving.methods.lp import equilibrium
from ...solving.tree.sequence_form import SequenceForm, merge

A1, B1, C1, A2, B2, C2, A3, B3, C3 = range(9)
TTT = BOARDS["ttt"]
FULL = (1 << TTT.cells) - 1
BLACK, WHITE = 0, 1
LOSS, DRAW, WIN = Fraction(0), Fraction(1, 2), Fraction(1)

# A player's actions, turn by turn: the tries that failed, then the stone.
History = tuple[tuple[tuple[int, ...], int], ...]
# A player's information: its history, and the tries that failed in this turn.
Knowledge = tuple[History, tuple[int, ...]]


class Prescription(NamedTuple):
    """Black's instructions where the paper is open or contradicts itself."""

    fallback: int = A3  # black's third stone if C3 is illegal
    detour: tuple[int, ...] = (B3, C2, A2)  # Black's stones at the second turn if B1 is illegal
    family: str = ""  # the family of White's strategies (A to F) that Black plays against; empty for all of them


class Ending(NamedTuple):
    """End of a game: Black's score, White's family, and the legality of Black's B1."""

    score: Fraction
    family: str
    smooth: bool


@dataclass(frozen=True, eq=False)
class PrescribedGame:
    """The game that a prescription leaves: each player's information and choices at each infoset, and the payoffs."""

    knowledge: tuple[list[Knowledge], list[Knowledge]]
    choices: tuple[list[list[int]], list[list[int]]]
    form: SequenceForm

    @cached_property
    def exact(self) -> ExactBounds:
        """Optimal strategies of both, with the value proved in integers."""
        exact = solve_exactly(self.form)
        assert exact.proved
        return exact


def solve_exactly(form: SequenceForm) -> ExactBounds:
    found = equilibrium(form)
    return exact_bounds(form, found.primal_player, found.point)


def family(one: int, other: int) -> str:
    """Return the family of a White strategy by its first two stones, both off the centre."""
    (row, column), (other_row, other_column) = divmod(one, 3), divmod(other, 3)
    squared = (row - other_row) ** 2 + (column - other_column) ** 2
    if squared == 4:
        return "B" if one % 2 == 0 else "F"
    return {1: "A", 5: "C", 8: "D", 2: "E"}[squared]


@cache
def outcome(own: int, other: int, cell: int) -> int:
    """Return the effect of a stone on that cell; tic-tac-toe has the same rule for both."""
    return int(TTT.fate(BLACK, own, other, cell))


def black_choices(prescription: Prescription, known: Knowledge) -> list[int]:
    """List Black's attempts: dominating moves first, then the prescription, then anything."""
    history, failed = known
    forced, free = options(known, 0)
    if forced:
        return forced
    match len(history):
        case 0:
            return [B2]
        case 1:
            return list(prescription.detour) if failed else [B1]
        case 2 if history[1][1] == B1:
            return [C3] if C3 in free else [prescription.fallback]
    return free


def white_choices(prescription: Prescription, known: Knowledge) -> list[int]:
    """List White's attempts: dominating moves first, then its family's, then anything but the centre."""
    history, failed = known
    forced, free = options(known, 1 << B2)
    if forced:
        return forced
    if not history:
        return [cell for cell in (A1, B1) if any(belongs(prescription, cell, other) for other in free if other != cell)]
    if len(history) == 1 and not failed:
        return [cell for cell in free if belongs(prescription, history[0][1], cell)]
    return free


def belongs(prescription: Prescription, one: int, other: int) -> bool:
    return prescription.family in ("", family(one, other))


def options(known: Knowledge, taken: int) -> tuple[list[int], list[int]]:
    """Return one dominating move (illegal or winning, Lemma 3) if any, and all cells not known to be occupied."""
    history, failed = known
    own = sum(1 << stone for _, stone in history)
    tried = {*failed, *(cell for fails, _ in history for cell in fails)}
    free = [cell for cell in range(TTT.cells) if not (own | taken) >> cell & 1 and cell not in tried]
    return [cell for cell in free if outcome(own, 0, cell) == WINS][:1], free


class Position(NamedTuple):
    """A history: White's frame, then pairs for Black and White, in this order; stones are in Black's frame."""

    frame: list[int]
    mover: int
    stones: tuple[int, int]
    histories: tuple[History, History]
    failed: tuple[int, ...]
    sequences: tuple[int, int]


def ending(at: Position, score: Fraction) -> Ending:
    """Return the record of a finished game; no game ends before White's second turn is over."""
    (_, one), (failed, stone) = at.histories[WHITE][:2]
    return Ending(score, family(one, failed[0] if failed else stone), not at.histories[BLACK][1][0])


def prescribe(
    prescription: Prescription, worth: Callable[[Ending], Fraction] = lambda ending: ending.score
) -> PrescribedGame:
    """Return the game in which Black follows the prescription, with payoffs `worth(ending)` for Black."""
    sides = TreeplexBuilder[Knowledge](), TreeplexBuilder[Knowledge]()
    leaves: list[tuple[int, int, Ending]] = []
    waiting = [Position(frame, BLACK, (0, 0), ((), ()), (), (0, 0)) for frame in TTT.symmetries.tolist()]
    while waiting:
        at = waiting.pop()
        mover, occupied = at.mover, at.stones[0] | at.stones[1]
        if occupied.bit_count() == TTT.cells - 1:
            # Black's last stone has only one cell left, so it is no choice
            last = outcome(*at.stones, (FULL ^ occupied).bit_length() - 1)
            leaves.append((*at.sequences, ending(at, WIN if last == WINS else DRAW)))
            continue
        known = at.histories[mover], at.failed
        choices = partial((black_choices, white_choices)[mover], prescription, known)
        infoset = sides[mover].infoset(known, at.sequences[mover], choices)
        for sequence, choice in enumerate(sides[mover].choices[infoset], sides[mover].first[infoset]):
            cell = at.frame[choice] if mover == WHITE else choice
            sequences = with_entry(at.sequences, mover, sequence)
            result = outcome(at.stones[mover], at.stones[1 - mover], cell)
            if result == ILLEGAL:
                waiting.append(Position(*at[:4], (*at.failed, choice), sequences))
            elif result == WINS:
                leaves.append((*sequences, ending(at, WIN if mover == BLACK else LOSS)))
            else:
                stones = with_entry(at.stones, mover, at.stones[mover] | 1 << cell)
                histories = with_entry(at.histories, mover, (*at.histories[mover], (at.failed, choice)))
                waiting.append(Position(at.frame, 1 - mover, stones, histories, (), sequences))
    rows, columns, endings = zip(*leaves, strict=True)
    worths = {ending: worth(ending) for ending in set(endings)}
    unit = lcm(*(payoff.denominator for payoff in worths.values()))
    whole = {ending: int(payoff * unit) for ending, payoff in worths.items()}
    payoffs = np.array([whole[ending] for ending in endings], np.int64)
    treeplexes = (sides[0].treeplex, sides[1].treeplex)
    form = merge(treeplexes, np.array(rows), np.array(columns), payoffs, unit * len(TTT.symmetries))
    return PrescribedGame((list(sides[0].numbers), list(sides[1].numbers)), (sides[0].choices, sides[1].choices), form)
