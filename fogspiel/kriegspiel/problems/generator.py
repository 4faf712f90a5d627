"""Problem generator: random men, and a maximal set of king squares that keeps the mate.

A candidate depends only on its number and the seed. Men are placed around a square of the edge; then squares are added
to the king's set, the nearest first, as long as mate can still be forced within n moves on the whole set. The set is
maximal, so that little works but the best play. Accepted problems have one key, no shorter mate, and tries that would
mate on every single board if White could see it, but not on the set.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ...core.rng import random_below, shuffle, stream_of
from ...core.untrusted_input import JsonRecord
from ...games.chess.fen import LETTERS, NAMES, square_name
from . import EMPTY, Problem, letters_of, put_kings, with_man
from .solution import ILLEGAL, SolutionStep, grow_tree
from .solver import Solver, TooManyNodes

MATERIAL = (
    "KQ", "KR", "KRR", "KBB", "KQB", "KQN", "KQR", "KRN", "KRB", "KQP", "KRP", "KRRN", "KRRB", "KRBN", "KBBN", "KBNP",
    "KQp", "KRp", "KRRp", "KQNp", "KQn", "KRBp", "KRNp", "KRPp", "KBBp", "KRRn", "KQBp", "KBNPp", "KQr",
)  # fmt: skip
"""Men by their FEN letters; Black's king is omitted."""
# Search frequencies of mate lengths: short ones are rare, but quickly found.
LENGTHS = (2, 2, 2, 2, 2, 2, 2, 3, 3, 4)
MAX_KINGS, FEWEST_KINGS = 9, {2: 2, 3: 3, 4: 3}
MAX_NODES = {2: 5_000, 3: 20_000, 4: 60_000}  # per candidate, by moves: at most half a second
MAX_FAILURES = 4  # squares that may fail before the first that is won
NEAR_KING, NEAR_PAWN = 3, 4  # greatest distance of White's king and of pawns from the middle of the king's squares
EDGE = [square for square in range(64) if square % 8 in (0, 7) or square // 8 in (0, 7)]
REPEATED = 6  # penalty for each chosen problem with the same men
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@dataclass(frozen=True)
class Candidate(JsonRecord):
    """A problem with its quality criteria."""

    KEYS = ("problem", "material", "tries", "refusals", "asks", "quiet")

    problem: Problem
    material: str
    tries: int  # attempts that would work on every board if White could see it, and fail
    refusals: int  # illegal attempts in the solution
    asks: bool  # true if the key may be refused: information first
    quiet: bool  # true if the key never gives check and captures nothing

    @property
    def worth(self) -> int:
        """Quality of the problem; greater is better."""
        kings = len(self.problem.kings)
        return 3 * self.asks + 2 * self.quiet + 2 * min(self.refusals, 3) + min(self.tries, 6) + min(kings, 6)

    def to_json(self) -> dict[str, Any]:
        return super().to_json() | {"problem": self.problem.to_json()}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Self:
        return super().from_json({**kept, "problem": Problem.from_json(kept["problem"])})


def find_candidate(seed: int, number: int) -> Candidate | None:
    """Return the problem of a number, or None if it is not good."""
    stream = stream_of(seed, number)
    material, n = MATERIAL[random_below(stream, len(MATERIAL))], LENGTHS[random_below(stream, len(LENGTHS))]
    middle = EDGE[random_below(stream, len(EDGE))]
    men = _place(material, middle, stream)
    solver = Solver(MAX_NODES[n])
    try:
        kings = _grow(solver, men, middle, n, stream)
        if len(kings) < FEWEST_KINGS[n]:
            return None
        source = f"made by search, seed {seed}, candidate {number}"
        problem = Problem(put_kings(men, kings), n, title_of(material, len(kings)), source)
        return _judge(solver, problem, material)
    except TooManyNodes:
        return None


def choose(found: Sequence[Candidate], lengths: Sequence[int]) -> list[Problem]:
    """Return the best problem for each of these lengths, varying the material; ValueError if there are too few."""
    chosen: list[Candidate] = []
    for n in lengths:
        used = [candidate.material for candidate in chosen]
        rest = [candidate for candidate in found if candidate.problem.mate_in == n and candidate not in chosen]
        if not rest:
            raise ValueError(f"too few problems were found, none is left with mate in {n}: give more --candidates")
        chosen.append(max(rest, key=lambda candidate: candidate.worth - REPEATED * used.count(candidate.material)))
    return [candidate.problem for candidate in chosen]


def title_of(material: str, kings: int) -> str:
    """Name White's men and the king's squares: `Rook and knight, five squares`."""
    own = _counted([letter for letter in material[1:] if letter.isupper()])
    other = _counted([letter for letter in material if letter.islower()])
    return f"{own[0].upper()}{own[1:]}{f' against {other}' if other else ''}, {NUMBERS[kings]} squares"


def _counted(letters: list[str]) -> str:
    """Return the men as text: `two rooks, pawn`."""
    names = [NAMES[LETTERS.index(letter.lower())] for letter in letters]
    return ", ".join(f"two {name}s" if names.count(name) == 2 else name for name in dict.fromkeys(names))


def _place(material: str, middle: int, stream: np.ndarray) -> str:
    """Place the men on random squares, White's king and the pawns not far from the middle."""
    men = EMPTY
    for letter in material:
        near = NEAR_KING if letter == "K" else NEAR_PAWN if letter in "Pp" else 8
        ranks = range(1, 7) if letter in "Pp" else range(8)
        free = [
            square
            for square, there in enumerate(letters_of(men))
            if there == "." and 1 <= _distance(square, middle) <= near and square // 8 in ranks
        ]
        men = with_man(men, letter, free[random_below(stream, len(free))])
    return men


def _grow(solver: Solver, men: str, middle: int, n: int, stream: np.ndarray) -> list[str]:
    """Return a maximal set of king squares; empty if White is in check or nothing is won."""
    order = np.empty(64, np.int64)
    shuffle(stream, order)
    kings: list[str] = []
    failures = 0
    for square in sorted(order.tolist(), key=lambda square: _distance(square, middle)):
        if len(kings) == MAX_KINGS or (not kings and failures == MAX_FAILURES) or _distance(square, middle) > 3:
            break
        larger = [*kings, square_name(square)]
        try:
            boards = Problem(put_kings(men, larger), n).positions
        except ValueError:  # the square is occupied, or Black would be in check
            continue
        if solver.wins(boards, n):
            kings = larger
        else:
            failures += 1
    return kings


def _judge(solver: Solver, problem: Problem, material: str) -> Candidate | None:
    """Rate a problem; None if it has two keys, a shorter mate, no tries, or nothing to learn from the referee."""
    boards, n = problem.positions, problem.mate_in
    keys = list(solver.keys(boards, n))
    tries = len(solver.promising(boards, n)) - 1
    if len(keys) != 1 or tries < 1 or solver.wins(boards, n - 1):
        return None
    tree = grow_tree(solver, boards, n)
    refusals = count_refusals(tree)
    if not refusals:
        return None
    answers = [branch.answer for branch in tree.branches]
    asks, quiet = ILLEGAL in answers, all(answer in (ILLEGAL, "White moved") for answer in answers)
    return Candidate(problem, material, tries, refusals, asks, quiet)


def count_refusals(tree: SolutionStep) -> int:
    return sum((branch.answer == ILLEGAL) + count_refusals(branch.next) for branch in tree.branches if branch.next)


def _distance(one: int, other: int) -> int:
    return max(abs(one % 8 - other % 8), abs(one // 8 - other // 8))
