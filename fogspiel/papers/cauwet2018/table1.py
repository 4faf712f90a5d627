"""Table I of Cauwet & Teytaud (2018): parametric strategies, randomness, and the exploitability of one vector.

The paper asks of every game if its optimal strategy must be stochastic. The computed column answers for the strategies
at hand: the least score of a best response to a single vector. Above one half, no vector that was found is optimal, and
a mixture of vectors, or another strategy, is needed. Best responses are exact; the search over vectors is not complete.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ...core.agents import ANYBODY, ParametricPolicy, best_response_scores, find_policy, policy_names, vector_policy
from ...core.game import Game, known_game, parameters_of
from ...runs.report import Cell, Report, Table
from ..claims import Claim, Clause, claim_table, exact, fact, missing
from ..kinds import Computation
from .figure1 import CAUWET
from .printed_tables import RECONSTRUCTED

TRIALS, SEED = 400, 1  # vectors that the search tries for each game
WIDER, NARROWER = 2.0, 0.84  # factors of its step, as in the paper's algorithms
SMALLEST = 0.01  # a step from which the search begins again with the first one
SAME = 1e-9  # a best response to an optimal vector scores one half, up to rounding
YES, NO, UNKNOWN = "yes", "no", "?"


class Row1(NamedTuple):
    """A game in Table I: its parameters, if its strategies are stochastic, and if the optimal one must be."""

    title: str
    game: str
    parameters: int
    stochastic: str
    optimum: str


TABLE_1 = (
    Row1("War", "war", 3, NO, UNKNOWN),
    Row1("War, 4 parameters", "war4", 4, YES, UNKNOWN),
    Row1("Batawaf", "batawaf", 3, NO, UNKNOWN),
    Row1("Batawaf, 4 parameters", "batawaf4", 4, YES, UNKNOWN),
    Row1("Battleship", "battleship", 33, YES, YES),
    Row1("Cheat", "cheat", 28, YES, YES),
    Row1("Cheat, special", "cheat-special", 29, YES, YES),
    Row1("Flip", "flip", 420, NO, NO),
    Row1("Guess who, deterministic", "guesswho128", 4, NO, NO),
    Row1("Guess who, stochastic", "guesswho128-stochastic", 5, YES, NO),
    Row1("Morra", "morra", 66, YES, YES),
    Row1("Nim", "nim", 383, NO, NO),
    Row1("Phantom 4-in-a-row", "permutation-four", 2, NO, UNKNOWN),
    Row1("Phantom tic-tac-toe", "permutation-ttt", 18, NO, YES),
    Row1("4-in-a-row", "four-in-a-row", 14, "yes, by finite samples", NO),
)


class BestVector(NamedTuple):
    name: str
    reply: float  # score of the best response of anybody


def reply_to(game: Game, player: ParametricPolicy) -> float | None:
    """Return the score of the best response among all players, averaged over both seats; None if it is not known."""
    return next((reply.score for reply in best_response_scores(game, player) if reply.among == ANYBODY), None)


def best_vector(game: Game) -> BestVector | None:
    """Return the least exploitable single vector found: a named one, or the end of an evolution strategy from it."""
    named = [find_policy(game, name) for name in policy_names(game) if name in game.policies]
    start = vector_policy(game, np.zeros(len(parameters_of(game))), "zero")
    vectors = [one for one in (*named, start) if one.strategy is game.strategy and len(one.thetas) == 1]
    replies = [(reply, one) for one in vectors if (reply := reply_to(game, one)) is not None]
    if not replies:
        return None
    least, best = min(replies, key=lambda found: found[0])
    name, theta, sigma, numbers = best.name, best.thetas[0], 1.0, np.random.default_rng(SEED)
    for _ in range(TRIALS):
        if least <= 0.5 + SAME:
            break
        other = theta + sigma * numbers.standard_normal(len(theta))
        reply = reply_to(game, vector_policy(game, other)) or 1.0
        sigma = sigma * (WIDER if reply < least else NARROWER) if sigma > SMALLEST else 1.0
        if reply < least:
            name, theta, least = "found by search", other, reply
    return BestVector(name, least)


def rows(say: Callable[[str], None]) -> Iterator[tuple[Row1, int, BestVector | None]]:
    for row in TABLE_1:
        say(row.title)
        game = known_game(row.game)
        yield row, len(parameters_of(game)), best_vector(game)


Found = list[tuple[Row1, int, BestVector | None]]


def claims(found: Found) -> Iterator[Claim]:
    for row, parameters, best in found:
        count = fact("parameters", parameters == row.parameters, str(parameters))
        yield Claim("III-B, table I", f"{row.title} has {row.parameters} parameters", row.game, (count,),
                    note=RECONSTRUCTED.get(row.game, ""))  # fmt: skip
        if row.optimum == UNKNOWN:
            continue
        sentence = "must" if row.optimum == YES else "need not"
        pure = row.stochastic != YES
        if best is None:
            clause = Clause("best response", missing("best responses are not computable"))
        elif row.optimum == NO and best.reply <= 0.5 + SAME and pure:
            clause = Clause("best response to one vector", exact(best.reply, f"{best.reply:.4f}"), most=0.5 + SAME)
        else:
            clause = Clause("best response to one vector", missing(f"{best.reply:.4f} to the best vector found"))
        yield Claim(
            "III-B, table I", f"{row.title}: the optimal strategy {sentence} be stochastic", row.game, (clause,)
        )
    read = Clause("rules", missing("read beside docs/games.md, not measured"))
    yield Claim("III-A", "The rules of the games", "all games", (read,))
    speed = Clause("rules", missing("the speed game is not built: the paper does not print its order of moves"))
    yield Claim("III-A, footnote 3", "Flip is also played as a speed game", "flip", (speed,))


COLUMNS = (
    "game", "name here", "parameters, the paper", "parameters, ours", "stochastic strategies", "optimum stochastic",
    "best response to one vector", "exploitability", "vector",
)  # fmt: skip
NOTE = (
    "A best response scores one half against an optimal player; the exploitability is what it scores above that. The "
    "vector is the least exploitable of the named ones, of zero, and of those that an evolution strategy tries from "
    f"there ({TRIALS} steps): its exploitability is exact, and an upper bound for the best vector. Empty: no exact "
    "best response is known for the game."
)


def table1(say: Callable[[str], None]) -> Report:
    found = list(rows(say))
    lines: list[tuple[Cell, ...]] = [
        (row.title, row.game, row.parameters, parameters, row.stochastic, row.optimum,
         *((best.reply, best.reply - 0.5, best.name) if best else (None, None, "")))
        for row, parameters, best in found
    ]  # fmt: skip
    paragraph = "Cauwet & Teytaud 2018, Table I, with both of its columns on randomness, and a computed one."
    tables = [
        Table("strategies", "Parametric strategies", COLUMNS, lines, NOTE),
        claim_table(list(claims(found)), "Claims of Table I"),
    ]
    return Report("table1", "Table I: the parametric strategies", "fogspiel paper table1", (paragraph,), tables)


EXPERIMENTS = (
    Computation(
        "table1", CAUWET, lambda options, say: table1(say), place=1, claims=lambda _, say: list(claims(list(rows(say))))
    ),
)
