"""Chapters 2 and 3 of Bossle (2018): theorems and examples, checked in fractions on games that fit in a table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product

import numpy as np

from ...solving.exact import guarantee, repair
from ...solving.methods.normal_form import (
    BimatrixEquilibrium,
    Matrix,
    is_equilibrium,
    lemke_howson,
    payoff_table,
    plans,
    strategies,
)
from ...solving.sources import find_source
from ...solving.tree import sequence_form
from ...solving.tree.sequence_form import SequenceForm, Treeplex
from ..claims import Claim, Clause, exact, fact
from .full_sequence_form import NORMAL_FORMS, normal_forms

GAMES = ("rps", "rps-half", "binary-poker", "kuhn")
MATCHING_PENNIES = [[1, -1], [-1, 1]]
MEMORY = 1.0  # GB for a tree of a small game
Mixture = Sequence[Fraction]


@dataclass(frozen=True, eq=False)
class SmallGame:
    """A zero-sum game as a table of the row player's payoffs, and its equilibria by all of Lemke and Howson's paths."""

    name: str
    table: Matrix
    unit: Fraction  # a payoff of 1 in the table
    form: SequenceForm | None = None

    @cached_property
    def equilibria(self) -> list[BimatrixEquilibrium]:
        return equilibria(self.table, opposite(self.table))

    @property
    def value(self) -> Fraction:
        return self.unit * payoff(self.table, self.equilibria[0].rows, self.equilibria[0].columns)


def small_games() -> list[SmallGame]:
    found = [SmallGame("matching pennies", MATCHING_PENNIES, Fraction(1))]
    for name in GAMES:
        form = sequence_form(find_source(name).tree(MEMORY))
        rows, columns = map(plans, form.treeplexes)
        found.append(SmallGame(name, payoff_table(form, rows, columns), Fraction(1, form.denominator), form))
    return found


def opposite(table: Matrix) -> Matrix:
    return [[-cell for cell in row] for row in table]


def payoff(table: Matrix, rows: Mixture, columns: Mixture) -> Fraction:
    gains = [sum((y * cell for y, cell in zip(columns, row, strict=True)), Fraction(0)) for row in table]
    return sum((x * gain for x, gain in zip(rows, gains, strict=True)), Fraction(0))


def equilibria(first: Matrix, second: Matrix) -> list[BimatrixEquilibrium]:
    """Return the different equilibria at the ends of several paths: rows and columns in either order, two labels each.

    The order matters in degenerate games, as ties are broken by it.
    """
    found: dict[tuple[tuple[Fraction, ...], ...], BimatrixEquilibrium] = {}
    for down, across, column in product((1, -1), (1, -1), (False, True)):
        mine, theirs = ([list(row[::across]) for row in table[::down]] for table in (first, second))
        end = lemke_howson(mine, theirs, len(first) * column)
        one = BimatrixEquilibrium(end.rows[::down], end.columns[::across], end.pivots)
        found[tuple(one.rows), tuple(one.columns)] = one
    return list(found.values())


# Theorems 1 and 3: equilibria of a zero-sum game are interchangeable, and their mixtures are equilibria.


def exchanged(first: Matrix, second: Matrix, found: Sequence[BimatrixEquilibrium]) -> int:
    """Count the pairs of strategies from two equilibria that are no equilibrium together."""
    pairs = (BimatrixEquilibrium(one.rows, two.columns, 0) for one, two in product(found, repeat=2))
    return sum(not is_equilibrium(first, second, pair) for pair in pairs)


def mixed(first: Matrix, second: Matrix, found: Sequence[BimatrixEquilibrium]) -> int:
    """Count the midpoints of two equilibria that are no equilibrium."""
    middles = (
        BimatrixEquilibrium(_middle(one.rows, two.rows), _middle(one.columns, two.columns), 0)
        for one, two in combinations(found, 2)
    )
    return sum(not is_equilibrium(first, second, middle) for middle in middles)


def _middle(one: Mixture, two: Mixture) -> list[Fraction]:
    return [(a + b) / 2 for a, b in zip(one, two, strict=True)]


# Theorem 2 and definition 3: the least payoff against any mixture is that against some pure strategy.


def disagreements(game: SmallGame) -> tuple[int, int]:
    """Count strategies, and those whose least payoff on the table is not that of the best response in the tree.

    The strategies are the row player's: all pure ones, the uniform mixture, and those of the equilibria. The best
    response in the tree is over all behaviour strategies, by backward induction on the opponent's sequences.
    """
    if game.form is None:
        return 0, 0
    treeplex, pure = game.form.treeplexes[0], plans(game.form.treeplexes[0])
    count = len(pure)
    tested = [[Fraction(k == j) for j in range(count)] for k in range(count)]
    tested += [[Fraction(1, count)] * count, *(one.rows for one in game.equilibria)]
    differ = 0
    for rows in tested:
        reach = [Fraction(0)] * treeplex.sequences
        for share, chosen in zip(rows, pure, strict=True):
            for sequence in chosen if share else ():
                reach[sequence] += share
        plan = repair(treeplex, reach)
        columns = zip(*game.table, strict=True)
        on_table = min(sum(x * cell for x, cell in zip(rows, column, strict=True)) for column in columns)
        differ += plan is None or game.unit * on_table != guarantee(game.form, 0, plan)
    return len(tested), differ


# Figure 2.2: n states with two actions each.


def observed_choice(states: int) -> Treeplex:
    """Return the decisions of a second player who observes which of these states is reached and has two actions."""
    numbers = np.arange(states)
    return Treeplex(np.zeros(states, np.int64), 1 + 2 * numbers, np.full(states, 2))


def pure_and_leaves(states: int) -> tuple[int, int]:
    treeplex = observed_choice(states)
    return strategies(treeplex), treeplex.sequences - 1


# Figure 3.1: backward induction on tic-tac-toe, positions as masks of both players' cells.

LINES = (0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)
FULL = 0o777


def subgame_payoffs() -> dict[tuple[int, int], int]:
    """Return the payoff to the first player of every reachable position under optimal play."""
    found: dict[tuple[int, int], int] = {}

    def value(mine: int, theirs: int, sign: int) -> int:
        """Return the payoff to the first player; the player to move has the cells `mine` and the sign."""
        key = (mine, theirs) if sign > 0 else (theirs, mine)
        if key not in found:
            if any(theirs & line == line for line in LINES):
                found[key] = -sign
            else:
                free = [1 << cell for cell in range(9) if not (mine | theirs) >> cell & 1]
                found[key] = max((sign * value(theirs, mine | cell, -sign) for cell in free), default=0) * sign
        return found[key]

    value(0, 0, 1)
    return found


# The poker of section 3.5: strategies say whether to bet, or to call, with each card.


def poker_table(passing: int) -> list[list[int]]:
    """Return the objective of section 3.5 in quarters by pure strategies; `passing` is the term of passing with a 1."""
    both = list(product((0, 1), repeat=2))  # with a 0 and with a 1: to bet, to call
    return [
        [
            passing * (low - high)
            + (low + high) * (2 - call_low - call_high)
            - 2 * low * call_high
            + 2 * high * call_low
            for call_low, call_high in both
        ]
        for low, high in both
    ]


PRINTED_PASS, HONEST = 2, 1  # quarters; the number of the strategy that bets, or calls, with a 1 only


def honest_gain(passing: int) -> int:
    """Return the most, in quarters, that a player gains by leaving the honest strategies alone."""
    table = poker_table(passing)
    now = table[HONEST][HONEST]
    return max(max(row[HONEST] for row in table) - now, now - min(table[HONEST]))


def passing_by_the_rules() -> int:
    """Return the term of passing with a 1, in quarters: the ante of 1 is won in each of the four deals with 1 and 0."""
    return sum(first == 1 and second == 0 for first, second in product((0, 1), repeat=2))


# The claims


def count(text: str, number: int, wanted: int, found: str = "") -> Clause:
    return Clause(text, exact(number, found or str(number)), least=wanted, most=wanted)


def claims_of_chapters_2_and_3() -> Iterator[Claim]:
    yield from _definitions()
    yield from _theorems()
    yield from _perfect_information()
    yield from _poker()


def _definitions() -> Iterator[Claim]:
    rows = {row["game"]: row for row in normal_forms()}
    plain, modified, dilemma = NORMAL_FORMS
    for name, table, wanted in ((plain, "2.1", "1/3 1/3 1/3"), (modified, "2.2", "2/5 2/5 1/5")):
        row, (first, _) = rows[name], NORMAL_FORMS[name]
        minors = [
            first[i][k] * first[j][m] - first[i][m] * first[j][k]
            for i, j in combinations(range(3), 2)
            for k, m in combinations(range(3), 2)
        ]
        yield Claim(
            f"2.3, table {table}",
            f"the only equilibrium plays rock, paper, scissors with {wanted} and pays 0",
            name,
            (
                fact("equilibrium", row["equilibrium"] and row["first"] == row["second"] == wanted, row["first"]),
                count("payoff", int(payoff(first, *[[Fraction(x) for x in wanted.split()]] * 2)), 0),
                fact("no other", any(minors), f"largest minor of order 2: {max(minors)}"),
            ),
            wanted,
            note="all mix: every equilibrium solves equations of rank 2 and sum 1, which have one solution",
        )
    first, second = NORMAL_FORMS[dilemma]
    turned = [list(row) for row in zip(*first, strict=True)], [list(row) for row in zip(*second, strict=True)]
    for reading, (mine, theirs) in (("column", (first, second)), ("row", turned)):
        ends = [(one.rows[1], one.columns[1]) for one in equilibria(mine, theirs)]
        words = ", ".join(f"both defect with probability {end[0]}" for end in ends)
        yield Claim(
            "3.1, table 3.1",
            "the equilibrium is that both defect, though both would gain if both cooperated",
            f"{dilemma}, the {reading} player's payoff first",
            (
                fact("the one equilibrium found is to defect", ends == [(Fraction(1), Fraction(1))], words),
                Clause("gain by cooperation", exact(min(mine[0][0] - mine[1][1], theirs[0][0] - theirs[1][1])), 0),
            ),
            note="tables 2.1 and 2.2 put the column player first too",
        )
    pure, leaves = pure_and_leaves(3)
    yield Claim(
        "2.4, figure 2.2",
        "the second player has 8 pure strategies in a tree of 6 leaves, 2^n in one of 2n",
        "three observed states with two actions each, and 1 to 12 of them",
        (
            count("pure strategies", pure, 8),
            count("leaves", leaves, 6),
            fact("2^n and 2n", all(pure_and_leaves(n) == (2**n, 2 * n) for n in range(1, 13)), "n = 1 .. 12"),
        ),
        "8 and 6",
    )


def _theorems() -> Iterator[Claim]:
    games = small_games()
    subject = ", ".join(game.name for game in games)
    same, exchange, mixes, pure = [], [], [], []
    for game in games:
        found, table, minus = game.equilibria, game.table, opposite(game.table)
        sides = [
            len({tuple(side) for side in sides}) for sides in zip(*((e.rows, e.columns) for e in found), strict=True)
        ]
        many = f"{game.name}, {sides[0]} and {sides[1]} optimal strategies"
        values = {game.unit * payoff(table, one.rows, two.columns) for one in found for two in found}
        same.append(count(f"payoffs of all pairs in {many}", len(values), 1, f"all {', '.join(map(str, values))}"))
        exchange.append(count(f"pairs that are no equilibrium in {many}", exchanged(table, minus, found), 0))
        if len(found) > 1:
            mixes.append(count(f"midpoints that are no equilibrium in {many}", mixed(table, minus, found), 0))
        if game.form is not None:
            tested, differ = disagreements(game)
            pure.append(count(f"differences for {tested} strategies of {game.name}", differ, 0))
    yield Claim("3.1, theorem 1", "all equilibria have the same payoff", subject, tuple(same))
    yield Claim(
        "3.1, definition 3",
        "strategies of equilibria are best responses to each other",
        subject,
        tuple(exchange),
        note="also across equilibria: they are interchangeable",
    )
    yield Claim(
        "3.1, theorem 2",
        "the least payoff against pure strategies is that against all; a best response is pure",
        subject,
        tuple(pure),
        note="pure strategies by table, all others by the tree",
    )
    yield Claim(
        "3.1, theorem 3",
        "mixtures of equilibria are equilibria",
        subject,
        tuple(mixes),
        note="so the optimal strategies of a side form a polytope",
    )
    value = next(game.value for game in games if game.name == "kuhn")
    yield Claim(
        "3.4",
        "the program on the normal form has the value of the game",
        "kuhn",
        (Clause("value", exact(value), -Fraction(1, 18), -Fraction(1, 18)),),
        "-1/18 (Kuhn 1950)",
    )


def _perfect_information() -> Iterator[Claim]:
    found = subgame_payoffs()
    yield Claim(
        "3.2, figure 3.1",
        "backward induction gives every position of tic-tac-toe a payoff of 1, 0 or -1",
        "tic-tac-toe",
        (
            fact("payoffs", set(found.values()) == {-1, 0, 1}, f"{len(found):,} positions"),
            count("value", found[0, 0], 0),
        ),
        note="the printed part of the tree cannot be compared: the text of the thesis has no picture",
    )
    first, _ = NORMAL_FORMS[next(iter(NORMAL_FORMS))]
    yield Claim(
        "3.2.2",
        "after a move of rock-paper-scissors is known its payoff is -1, before it is 0",
        "rock-paper-scissors",
        (fact("worst payoffs", {min(row) for row in first} == {-1}, " ".join(str(min(row)) for row in first)),),
        "-1",
    )


def _poker() -> Iterator[Claim]:
    rules = passing_by_the_rules()
    yield Claim(
        "3.5, figure 3.2",
        "betting and calling with a 1 only is optimal",
        "the rules of the text, ante 1",
        (count("gain of the best deviation in quarters", honest_gain(rules), 0),),
    )
    yield Claim(
        "3.5",
        "the printed objective has -0.5 S1[0P] + 0.5 S1[1P]",
        "the rules of the text, and the printed strategy",
        (
            Clause(
                "coefficient by the rules",
                exact(Fraction(rules, 4)),
                Fraction(PRINTED_PASS, 4),
                Fraction(PRINTED_PASS, 4),
            ),
            count("gain of the best deviation in quarters", honest_gain(PRINTED_PASS), 0),
        ),
        "0.5",
        note="a misprint: 1/4 and -1/4, as a passing player meets the other card in half of the deals",
    )
