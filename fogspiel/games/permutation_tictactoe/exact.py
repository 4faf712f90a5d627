"""Permutation tic-tac-toe solved: exact scores, best responses and exploitability of any player, and the equilibrium.

Best responses and the solution come from `fogspiel.solving.methods.permutation`. Random orders play like random legal
moves against any opponent: at each turn the next free cell of a random order is a uniformly random free cell. That
leaves 384 or 945 equally likely courses of a game against a given order.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

import numpy as np

from ...core.agents import ANYBODY, REDRAWN, BestResponseScore, ParametricPolicy, find_policy, members_of
from ...core.compile.kernel import kernel
from ...core.explain import Explanation, Table, TextChart, percent
from ...core.game import UNIFORM, Game
from ..boards.board import DRAWS, GOES_ON, ILLEGAL, WINS, tic_tac_toe
from . import scores as exact
from .rules import CELLS, EQUILIBRIUM, EQUILIBRIUM_VALUE, FAMILY, FIRST_WEIGHTS, SECOND_WEIGHTS, orders_of
from .scores import TTT, Mixtures, Permutation, Reply, with_images

VALUE = Fraction(EQUILIBRIUM_VALUE)  # the first player's score when both play an equilibrium
# Number of courses of a random opponent's play against a player who moves first, and one who moves second.
FIRST_COURSES, SECOND_COURSES = 2 * 4 * 6 * 8, 3 * 5 * 7 * 9

Law = dict[Permutation, Fraction]  # probability of each order


# Random orders


@kernel
def begin(seat, running):
    """Write the courses before the first cell of an order, by the set of the opponent's stones."""
    for theirs in range(len(running)):
        running[theirs] = 0
    if seat == 0:
        running[0] = FIRST_COURSES
    else:
        for cell in range(CELLS):
            running[1 << cell] = SECOND_COURSES // CELLS


@kernel
def append_cell(seat, written, cell, running, after):
    """Append a cell to the `written` ones: write the unfinished courses to `after` and return the half points.

    The opponent's stones determine the position: the player has the remaining cells written so far.
    """
    points = 0
    for theirs in range(len(after)):
        after[theirs] = 0
    for theirs in range(len(running)):
        courses = running[theirs]
        if courses == 0:
            continue
        mine = written & ~theirs
        outcome = tic_tac_toe(seat, mine, theirs, cell)
        if outcome == ILLEGAL:
            after[theirs] += courses
        elif outcome == WINS:
            points += 2 * courses
        elif outcome == DRAWS:
            points += courses
        else:
            mine |= 1 << cell
            free = 0
            for reply in range(CELLS):
                free += 1 - ((mine | theirs) >> reply & 1)
            for reply in range(CELLS):
                answer = tic_tac_toe(1 - seat, theirs, mine, reply)
                if answer == GOES_ON:
                    after[theirs | 1 << reply] += courses // free
                elif answer == DRAWS:
                    points += courses // free
    return points


@kernel
def next_order(order):
    """Advance an order to its lexicographic successor; return the first changed index, or -1 after the last order."""
    place = CELLS - 2
    while place >= 0 and order[place] > order[place + 1]:
        place -= 1
    if place < 0:
        return -1
    other = CELLS - 1
    while order[other] < order[place]:
        other -= 1
    order[place], order[other] = order[other], order[place]
    low, high = place + 1, CELLS - 1
    while low < high:
        order[low], order[high] = order[high], order[low]
        low += 1
        high -= 1
    return place


@kernel
def search_against_random(seat, order, best):
    """Write the order with the most half points from `order` on, the first of equals; return its points."""
    running = np.zeros((CELLS + 1, 1 << CELLS), np.int64)
    points, written = np.zeros(CELLS + 1, np.int64), np.zeros(CELLS + 1, np.int64)
    begin(seat, running[0])
    most, place = -1, 0
    while place >= 0:
        for i in range(place, CELLS):
            points[i + 1] = points[i] + append_cell(seat, written[i], order[i], running[i], running[i + 1])
            written[i + 1] = written[i] | 1 << order[i]
        if points[CELLS] > most:
            most = points[CELLS]
            for i in range(CELLS):
                best[i] = order[i]
        place = next_order(order)
    return most


def _courses(seat: int) -> int:
    if seat not in (0, 1):
        raise ValueError(f"seat {seat!r} is not a player: 0 is the first player, 1 the second")
    return (FIRST_COURSES, SECOND_COURSES)[seat]


def against_random(order: Sequence[int], seat: int) -> Fraction:
    """Return the exact score of an order in that seat (0 moves first) against random orders."""
    courses = _courses(seat)
    running, after, points, written = np.zeros(1 << CELLS, np.int64), np.zeros(1 << CELLS, np.int64), 0, 0
    begin(seat, running)
    for cell in exact.check_order(order, TTT):
        points += append_cell(seat, written, cell, running, after)
        written |= 1 << cell
        running, after = after, running
    return Fraction(int(points), 2 * courses)


def law_against_random(law: Law, seat: int) -> Fraction:
    """Return the exact score of a mixture of orders in that seat against random orders."""
    return sum((weight * against_random(order, seat) for order, weight in law.items()), Fraction(0))


@cache
def best_against_random(seat: int) -> Reply:
    """Return the best order against random ones in that seat, by exhaustive search (seconds)."""
    courses, best = _courses(seat), np.zeros(CELLS, np.int64)
    points = int(search_against_random(seat, np.arange(CELLS), best))
    return Reply(tuple(best.tolist()), Fraction(points, 2 * courses))


# The equilibrium


def equilibrium() -> tuple[Law, Law]:
    """Return an optimal mixture for moving first and one for moving second, proved by `double_oracle.solve`."""
    first, second = (
        {order: Fraction(weight) / len(TTT.symmetries) for order, weight in with_images(TTT, mixture).items()}
        for mixture in representatives()
    )
    return first, second


def representatives() -> Mixtures:
    """Return the equilibrium with one order for all its images."""
    found: Mixtures = ({}, {})
    for mixture, weights in zip(found, (FIRST_WEIGHTS, SECOND_WEIGHTS), strict=True):
        for digits, weight in weights.items():
            mixture[tuple(map(int, digits))] = Fraction(weight, sum(weights.values()))
    return found


# Players


def laws(player: ParametricPolicy) -> tuple[Law, Law] | None:
    """Return the distributions of a policy's orders moving first and second; None if all are equally likely.

    A redrawn Gaussian vector has all orders with equal probability, as the uniform player does.
    """
    members = members_of(player, Fraction)
    if player.strategy is UNIFORM or player.selection == REDRAWN:
        return None
    if player.strategy is EQUILIBRIUM:
        return equilibrium()
    if player.strategy is not FAMILY:
        raise ValueError(f"{player.name} is not a player of permutation-ttt whose orders are known")
    found: tuple[Law, Law] = ({}, {})
    for weight, theta in members:
        for law, order in zip(found, orders_of(theta), strict=True):
            law[order] = law.get(order, Fraction(0)) + weight
    return found


def _first_scores(first: Law | None, second: Law | None) -> Fraction:
    """Return the score of the distribution `first`, moving first, against `second`."""
    if first is None and second is None:
        return Fraction(737, 1260) + Fraction(4, 63)  # random play of tic-tac-toe
    if first is None or second is None:
        return law_against_random(first, 0) if first else 1 - law_against_random(second or {}, 1)
    (firsts, x), (seconds, y) = exact.whole_weights(first, TTT), exact.whole_weights(second, TTT)
    points = exact.payoffs(TTT, firsts, seconds, TTT.symmetries[:1]).tolist()
    total = sum(a * sum(b * p for b, p in zip(y, row, strict=True)) for a, row in zip(x, points, strict=True))
    return Fraction(total, 2 * sum(x) * sum(y))


def exact_score(game: Game, first: ParametricPolicy, second: ParametricPolicy) -> Fraction:
    """Return the exact score of `first` against `second`, averaged over both starting orders."""
    one, other = laws(first) or (None, None), laws(second) or (None, None)
    return (1 + _first_scores(one[0], other[1]) - _first_scores(other[0], one[1])) / 2


def replies(player: ParametricPolicy) -> tuple[Reply, Reply]:
    """Return the best order for moving first and for moving second against a player, with their scores."""
    known = laws(player)
    if known is None:
        return best_against_random(0), best_against_random(1)
    return exact.best_response(known[1], 0), exact.best_response(known[0], 1)


def exploitability_of(player: ParametricPolicy) -> Fraction:
    """Return the gain over 1/2 of the best opponent, which knows the player but not its draws."""
    first, second = replies(player)
    return (first.score + second.score - 1) / 2


def best_replies(game: Game, player: ParametricPolicy) -> list[BestResponseScore]:
    return [BestResponseScore(ANYBODY, 0.5 + float(exploitability_of(player)))]


# Explanation: the orders as numbered boards, exact scores, and the best responses.

SEATS = ("moving first", "moving second")
GRID_SIDE = 3


def explain(game: Game, player: ParametricPolicy, seed: int) -> Explanation:
    """Return both orders (the heaviest of a mixture), their scores against random ones, and their best responses."""
    orders = laws(player)
    assert orders is not None
    best, pictures = replies(player), []
    for law, seat in zip(orders, SEATS, strict=True):
        order = max(law, key=lambda cells: law[cells])
        often = "" if len(law) == 1 else f", the likeliest of {len(law)} orders ({percent(float(law[order]))})"
        pictures.append(_board(f"{player.name} {seat}{often}", order))
    for reply, seat, against in zip(best, SEATS, SEATS[::-1], strict=True):
        title = f"best reply {seat}, scores {float(reply.score):.4f} against {player.name} {against}"
        pictures.append(_board(title, reply.cells))
    rows = [
        (seat, *_score_cells(law_against_random(law, number)))
        for number, (law, seat) in enumerate(zip(orders, SEATS, strict=True))
    ]
    rows.append(("both", *_score_cells(exact_score(game, player, find_policy(game, UNIFORM.name)))))
    title = f"What {player.name} scores against random orders, exactly"
    sentences = (_sentence(player), *explain_mixture(player))
    return Explanation(sentences, (Table(title, ("seat", "score", "as a fraction"), tuple(rows)),), tuple(pictures))


def explain_mixture(player: ParametricPolicy) -> tuple[str, ...]:
    """Describe the best opponent's gain over 1/2 against the whole mixture."""
    cost = exploitability_of(player)
    exactly = str(cost) if len(str(cost)) < 24 else f"{float(cost):.6f}"
    draws = player.strategy is EQUILIBRIUM or len(player.thetas) > 1
    known = f"Who knows {player.name}" + (", but not what it draws," if draws else "")
    return (f"{known} scores at most {0.5 + float(cost):.6f}: exploitability {exactly}.",)


def _sentence(player: ParametricPolicy) -> str:
    if player.strategy is EQUILIBRIUM:
        return f"{player.name} draws its order by a mixture that nobody beats; the boards show the likeliest orders."
    assert player.strategy.describe is not None
    return f"{player.name} {player.strategy.describe(player.thetas[0])}."


def _score_cells(exact: Fraction) -> tuple[str, str]:
    return f"{float(exact):.6f}", str(exact) if len(str(exact)) < 24 else "long, rounded here"


def _board(title: str, order: tuple[int, ...]) -> TextChart:
    places = [order.index(cell) + 1 for cell in range(CELLS)]
    rows = [places[start : start + GRID_SIDE] for start in range(0, CELLS, GRID_SIDE)]
    lines = tuple(" ".join(map(str, row)) for row in rows)
    return TextChart(title, lines, ("1", "2", "3"), ("A", "B", "C"), tuple(tuple(map(float, row)) for row in rows))
