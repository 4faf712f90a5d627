"""The permutation version solved: a double oracle in floats that ends in fractions (McMahan, Gordon and Blum 2003).

By symmetry a player loses nothing by drawing one of the symmetries of the board for each game, so a strategy is a
mixture of permutations each of which stands for all its images, and payoffs are averages over them. Each round solves
the game restricted to the permutations found so far and searches all permutations for better ones: the best with each
two-cell prefix whose first cell represents an orbit. When there is none, the last basis is solved in fractions, and
the best responses to them, over all permutations and in integers, must give both players the same value.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np

from ...core.agents import PlayerAgent
from ...core.rng import random_unit
from ...core.untrusted_input import JsonRecord
from ...games.boards.board import Board
from ...games.permutation_tictactoe.scores import (
    TTT,
    Mixtures,
    Permutation,
    Reply,
    best_replies,
    check_order,
    images,
    payoffs,
    whole_weights,
    with_images,
)
from ..exact import exact_bounds
from ..proofs import solution_certificate
from ..proofs.checkers.permutation import FORMAT, RULES, PermutationCertificate, mixture, verify
from ..proofs.checkers.permutation import TTT as CHECKER_TTT
from ..sources import GameSource
from ..tree.sequence_form import SequenceForm, Treeplex
from . import Record, Solution, SolveOptions, SolverProgress, SolverState, Work
from .double_oracle import oracle_rounds
from .lp import equilibrium

TOLERANCE = 1e-9  # minimum gain over the restricted game of a permutation that is added
FINE = 2**39  # probabilities in floats become multiples of 1 / FINE, which is one digit of a weight

Known = tuple[list[Permutation], list[Permutation]]  # permutations of each player, one for each set of images
# The best permutations of each player against the opponent's mixture, one for each prefix.
Replies = tuple[list[Reply], list[Reply]]


@dataclass(frozen=True)
class Round(JsonRecord):
    """Result of one round; bounds are scores of the first player."""

    KEYS = ("number", "sizes", "lower", "upper", "added", "certificate")

    number: int
    sizes: list[int]  # number of permutations of each player in the restricted game
    lower: float  # best guarantee of a strategy of the first player so far
    upper: float  # least payoff that a strategy of the second player has conceded so far
    added: Known  # the new permutations of the next round
    certificate: PermutationCertificate | None = None  # the exact solution, in the last round

    @property
    def record(self) -> Record:
        """The round as JSON; the records so far suffice to resume."""
        return self.to_json()


def rounds(board: Board = TTT, stored: Sequence[Record] = ()) -> Iterator[Round]:
    """Solve the permutation version of a board game round by round, resuming after the records of earlier rounds."""
    if stored and stored[-1]["certificate"] is not None:
        return
    known: Known = ([check_order(range(board.cells), board)], [check_order(range(board.cells), board)])

    def respond() -> tuple[float, float, tuple[list[int], Known, PermutationCertificate | None]]:
        game, proof = restricted_game(board, known), None
        solution = equilibrium(game)
        x, y = ([round(weight * FINE) for weight in plan.tolist()] for plan in solution.behaviours)
        replies = answers(board, mixtures_of(known, x, y))
        bounds = secured = guaranteed_bounds(replies)
        better = improvements(board, known, replies, solution.value + TOLERANCE, solution.value - TOLERANCE)
        if not any(better):
            exact = exact_bounds(game, solution.primal_player, solution.point)
            mixtures = mixtures_of(known, *exact.behaviours)
            replies = answers(board, mixtures)
            bounds = guaranteed_bounds(replies)
            if bounds[0] == bounds[1]:
                proof = make_certificate(board, mixtures, bounds[0])
            better = improvements(board, known, replies, exact.upper, exact.lower)
        if not (proof or any(better)):
            raise RuntimeError(f"nothing is left to add, but the exact bounds {bounds[0]} and {bounds[1]} do not meet")
        return float(secured[0]), float(secured[1]), ([len(known[0]), len(known[1])], better, proof)

    def add(found: tuple[list[int], Known, PermutationCertificate | None]) -> bool:
        for side, added in zip(known, found[1], strict=True):
            side.extend(added)
        return found[2] is None

    for record in stored:
        for side, added in zip(known, record["added"], strict=True):
            side.extend(tuple(cells) for cells in added)
    bounds = (stored[-1]["lower"], stored[-1]["upper"]) if stored else (0.0, 1.0)
    for number, lower, upper, (sizes, better, proof) in oracle_rounds(respond, add, len(stored), *bounds):
        yield Round(number, sizes, lower, upper, better, proof)


def solve(board: Board = TTT) -> PermutationCertificate:
    *_, last = rounds(board)
    assert last.certificate is not None
    return last.certificate


def solve_permutation(source: GameSource, options: SolveOptions, saved: SolverState) -> Work:
    """Solve permutation tic-tac-toe by a double oracle; every round is a row."""
    rows = list(saved.rows)
    for step in rounds(stored=saved.rows):
        rows.append(step.record)
        remark = f"round {step.number}, {step.sizes[0]} and {step.sizes[1]} orders"
        yield SolverProgress(remark, step.lower, step.upper, rows[-1])
    proof = rows[-1]["certificate"]
    sizes = {"rounds": len(rows), "orders": rows[-1]["sizes"], "support": [len(proof["first"]), len(proof["second"])]}
    return Solution.proved("double oracle on orders of the cells, then exactly", sizes, proof)


def restricted_game(board: Board, known: Known) -> SequenceForm:
    """Return the matrix game of the known permutations, each with its images: one decision for each player."""
    firsts, seconds = (np.array(side, np.int64) for side in known)
    points = payoffs(board, firsts, seconds, board.symmetries)
    rows, columns = np.nonzero(points)
    nothing, one = np.zeros(1, np.int64), np.ones(1, np.int64)
    treeplexes = (Treeplex(nothing, one, one * len(known[0])), Treeplex(nothing, one, one * len(known[1])))
    return SequenceForm(treeplexes, 1 + rows, 1 + columns, points[rows, columns], 2 * len(board.symmetries))


def mixtures_of(known: Known, x: Sequence[int | Fraction], y: Sequence[int | Fraction]) -> Mixtures:
    first, second = (
        {cells: weight for cells, weight in zip(side, plan[1:], strict=True) if weight}
        for side, plan in zip(known, (x, y), strict=True)
    )
    return first, second


def answers(board: Board, mixtures: Mixtures) -> Replies:
    """Return each player's best permutations with each prefix against the opponent's mixture and its images."""
    leasts = [orbit[0] for orbit in board.orbits]
    starts = [(first, second) for first in leasts for second in range(board.cells) if second != first]
    first, second = (
        best_replies(board, seat, *whole_weights(with_images(board, mixtures[1 - seat]), board), starts)
        for seat in (0, 1)
    )
    return first, second


def guaranteed_bounds(replies: Replies) -> tuple[Fraction, Fraction]:
    return 1 - max(reply.score for reply in replies[1]), max(reply.score for reply in replies[0])


def improvements(
    board: Board, known: Known, replies: Replies, above: float | Fraction, below: float | Fraction
) -> Known:
    """Return the new permutations that give the first player more than `above`, the second less than `below`."""
    bars = (above, 1 - below)
    found: list[list[Permutation]] = []
    for side, answered, bar in zip(known, replies, bars, strict=True):
        better = (min(images(board, reply.cells)) for reply in answered if reply.score > bar)
        found.append([cells for cells in dict.fromkeys(better) if cells not in side])
    return found[0], found[1]


def make_certificate(board: Board, mixtures: Mixtures, value: Fraction) -> PermutationCertificate:
    """Return the value and both strategies as JSON; `proofs.checkers.permutation` defines the entries."""
    first, second = (
        {"".join(map(str, cells)): str(weight) for cells, weight in sorted(mixture.items())} for mixture in mixtures
    )
    game = f"permutation-{board.name}"
    found: PermutationCertificate = solution_certificate(
        FORMAT, game, RULES, value, value, value, first=first, second=second
    )
    return found


# Playing a permutation certificate: an order is drawn before the game, turned at random, and recorded.

# The orders of one side, with their cumulative probabilities.
Orders = tuple[list[tuple[int, ...]], list[float]]


class Follower:
    """Player that follows the strategies of a certificate, in either seat."""

    def __init__(self, sides: tuple[Orders, Orders], stream: np.ndarray) -> None:
        self.sides, self.stream = sides, stream

    def begin(self, side: int) -> None:
        orders, cumulated = self.sides[side]
        place = int(np.searchsorted(cumulated, random_unit(self.stream) * cumulated[-1], "right"))
        self.order = orders[min(place, len(orders) - 1)]

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        return self.order[CHECKER_TTT.cells - len(actions)]


def follower(name: str, document: PermutationCertificate) -> PlayerAgent:
    first, second = orders_of(document["first"], "first"), orders_of(document["second"], "second")
    return PlayerAgent(name, lambda stream: Follower((first, second), stream))


# The rotations and reflections of the board in a fixed order: the games that a seed draws depend on it.
TURNS = ("630741852", "876543210", "012345678", "210543876", "258147036", "036147258", "678345012", "852741630")


def orders_of(entries: Any, side: str) -> Orders:
    """Return the strategy of one side with all images of its permutations, prepared for sampling."""
    images = mixture(CHECKER_TTT, entries, side)
    orders = list(dict.fromkeys(tuple(int(turn[int(cell)]) for cell in text) for text in entries for turn in TURNS))
    return orders, list(accumulate(float(images[order]) for order in orders))


# An optimal strategy of permutation tic-tac-toe as text and numbered boards, from its certificate.

# Number of orders of a side that are shown by default, and of boards side by side.
SHOWN, ABREAST = 6, 6


def explain(document: Any, everything: bool = False) -> list[str]:
    """Describe both strategies: their use, and the orders by descending weight, all of them if `everything`."""
    value, _ = verify(document)
    return [
        f"permutation-ttt: moving first one gets {value} = {float(value):.6f} on average or more, moving second "
        f"{float(1 - value):.6f}, whatever the other does (a win counts 1, a draw 1/2).",
        "Before each game draw one of the boards of your side by lot, with the chances above them, then turn and "
        "mirror it at random, all eight ways alike. Your stones go to its cells by number; taken ones are skipped.",
        *(line for side in ("first", "second") for line in side_lines(side, document[side], everything)),
    ]


def side_lines(side: str, entries: dict[str, str], everything: bool) -> list[str]:
    orders = sorted(((Fraction(share), order) for order, share in entries.items()), key=lambda one: (-one[0], one[1]))
    shown = orders if everything else orders[:SHOWN]
    together, part = float(sum(share for share, _ in shown)), ""
    if len(shown) < len(orders):
        part = f"; the heaviest {len(shown)}, of which one is drawn {together:.1%} of the time"
    lines = ["", f"Moving {side}, {len(orders)} orders{part}:"]
    for at in range(0, len(shown), ABREAST):
        some = shown[at : at + ABREAST]
        boards = [numbered(order) for _, order in some]
        lines += ["", "   ".join(f"{float(share):>7.2%}" for share, _ in some)]
        lines += ["   ".join(f"  {row}" for row in rows) for rows in zip(*boards, strict=True)]
    return lines


def numbered(order: str) -> list[str]:
    """Return the rows of a board from the top, every cell with its rank in the order."""
    places = [str(order.index(str(cell)) + 1) for cell in range(CHECKER_TTT.cells)]
    return [" ".join(places[at : at + CHECKER_TTT.columns]) for at in range(0, CHECKER_TTT.cells, CHECKER_TTT.columns)]
