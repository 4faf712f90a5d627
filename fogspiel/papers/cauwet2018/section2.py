"""Section II of Cauwet & Teytaud (2018): the length of its races, and its algorithms step by step."""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np

from ...core.game import known_game
from ...runs.report import Report, Table
from ...stats.race import Race, scan
from ...tuning.arena import Arena, Budget, Step
from ...tuning.tune import steps_of
from ..claims import Claim, Clause, claim_table, exact, fact, share_of
from ..kinds import Computation
from .figure1 import CAUWET

REPETITIONS, MORE = 64, 256  # races of a length, and of a rare event
SEED = 1
FAIR_PAIRS = (0.25, 0.0, 0.5, 0.0, 0.25)  # pairs of games between equal players without draws, by quarters of a point
MIDDLE, HIGH = 0.5, 0.99  # scores of candidates against their opponent
ELO = 20
UNLIMITED = 1e-6  # a precision that no race here reaches
DELTA, EPSILON = 0.05, 0.01  # the paper's


@lru_cache(maxsize=64)
def race_lengths(race: Race, law: tuple[float, ...], repetitions: int = REPETITIONS) -> tuple[tuple[int, int], ...]:
    """Return the observations and the decision of some races whose observations have this law."""
    found, numbers = [], np.random.default_rng(SEED)
    for _ in range(repetitions):
        counts, used, sign = np.zeros(len(law), np.int64), 0, 0
        while sign == 0:
            more, sign = scan(race, counts, numbers.choice(len(law), size=1 << 15, p=law).astype(np.int64))
            used += more
        found.append((used, sign))
    return tuple(found)


def games_between_equals(race: str) -> int:
    """Return the mean number of games of a race between equal players without draws, to two digits."""
    games = 2 * np.mean([used for used, _ in race_lengths(Race(race), FAIR_PAIRS)])
    return int(float(f"{games:.2g}"))


def differences(first: float, second: float) -> tuple[float, ...]:
    """Return the law of Z = (1 + D)/2, D the difference of two games' results against a common opponent."""
    better, worse = first * (1 - second), (1 - first) * second
    return worse, 1 - better - worse, better


def with_elo(score: float, elo: float) -> float:
    return 1 / (1 + (1 / score - 1) * 10 ** (-elo / 400))


def slow_near_certainty(race: str) -> Iterator[Claim]:
    """Yield the sentence that a race between candidates close to 100 % is very slow, at equal gaps in score and Elo."""
    limited = Race(race, DELTA, EPSILON).for_differences()
    sentence = "A race between candidates close to 100 % is slower than between those at 50 %"

    def claim(rule: Race, gap: str, rival: Callable[[float], float]) -> Claim:
        laws = [differences(rival(score), score) for score in (HIGH, MIDDLE)]
        high, middle = ([used for used, _ in race_lengths(rule, law)] for law in laws)
        longer = share_of(one > other for one, other in zip(high, middle, strict=True))
        words = f"{np.mean(high):,.0f} pairs of games at 99 %, {np.mean(middle):,.0f} at 50 %; longer in "
        evidence = longer._replace(estimate=words + longer.estimate)
        limit = "" if rule.epsilon <= UNLIMITED else f", limited at {EPSILON:g}"
        clause = Clause("share of races that are longer", evidence, least=0.5, strict=True)
        return Claim("VI-A", sentence, f"{race} race{limit}, {gap}", (clause,), ours=race != "paper")

    yield claim(limited, "equal gap in score (0)", lambda score: score)
    yield claim(limited, f"equal gap of {ELO} Elo", lambda score: with_elo(score, ELO))
    if race == "paper":
        rule = Race(race, DELTA, UNLIMITED)
        yield claim(rule, f"equal gap of {ELO} Elo, without the limit", lambda score: with_elo(score, ELO))


def races() -> Iterator[Claim]:
    """Yield the statements of section II-A."""
    games, wins = 101, 51
    weak = 0.499
    chance = sum(math.comb(games, k) * weak**k * (1 - weak) ** (games - k) for k in range(wins, games + 1))
    yield Claim(
        "II-A", "101 games can select the weaker of two close players with a probability close to 50 %",
        "a player who wins 49.9 %", (Clause("probability", exact(chance, f"{chance:.4f}"), least=0.45, most=0.5),),
    )  # fmt: skip
    wrong = share_of(sign > 0 for _, sign in race_lengths(Race("paper", DELTA, EPSILON), (0.51, 0.49), MORE))
    yield Claim(
        "II-A", "A Bernstein race selects the weaker player with probability at most delta",
        "paper race, a challenger who wins 49 %", (Clause("share of wrong decisions", wrong, most=DELTA),), "5 %",
    )  # fmt: skip
    equal = [used for used, _ in race_lengths(Race("paper", DELTA, EPSILON), (0.5, 0.5))]
    yield Claim(
        "II-A", "The limited race stops between equal players", "paper race, precision 0.01",
        (fact("all stop", len(equal) == REPETITIONS, f"{np.mean(equal):,.0f} games on average"),),
        note="the paper gives no number",
    )  # fmt: skip


# The algorithms

CHECKED, TRAINED = "permutation-ttt", 20_000  # the game and the budget of the steps that are checked
DOUBLED, SHRUNK = 2.0, 0.84


def _steps(method: str) -> list[Step]:
    arena = Arena(known_game(CHECKED), SEED, Race("count-mixture"), "redrawn", Budget(TRAINED))
    return [Step(arena.start, False, 1.0, 1), *steps_of(method, arena)]


def _sigma(steps: Sequence[Step]) -> Clause:
    """Return the clause that sigma doubles after an accepted point and shrinks to 0.84 of itself after any other."""
    right = sum(
        math.isclose(after.sigma or 0.0, (before.sigma or 0.0) * (DOUBLED if after.accepted else SHRUNK))
        for before, after in pairwise(steps)
    )
    return fact("step size", right == len(steps) - 1, f"{right} of {len(steps) - 1} steps")


def _population(steps: Sequence[Step], grows: bool) -> Clause:
    right = sum(
        after.population == before.population + (grows and after.accepted)
        and (after.accepted or bool(np.array_equal(before.theta, after.theta)))
        for before, after in pairwise(steps)
    )
    return fact("population", right == len(steps) - 1, f"{right} of {len(steps) - 1} steps")


def algorithms() -> Iterator[Claim]:
    """Yield the rules of the algorithms, each checked on the steps of a short run."""
    told = "sigma is doubled after a success and multiplied by 0.84 otherwise; "
    for number, method, grows in (
        (1, "naive", False), (2, "iterative", False),
        (3, "real-coevolution", True), (4, "approximate-coevolution", True),
    ):  # fmt: skip
        keeps = "every accepted point joins the population" if grows else "only the accepted point is kept"
        steps = _steps(method)
        yield Claim(f"II, algorithm {number}", told + keeps, f"{method}, {CHECKED}, {TRAINED:,} games",
                    (_sigma(steps), _population(steps, grows)))  # fmt: skip
    _, *steps = _steps("seeds")
    right = sum(step.population == count for count, step in enumerate(steps, 1))
    clause = fact("population", right == len(steps), f"{right} of {len(steps)} steps")
    yield Claim("II-E", "The method of seeds adds a random individual while the budget lasts",
                f"seeds, {CHECKED}, {TRAINED:,} games", (clause,))  # fmt: skip


def claims(say: Callable[[str], None]) -> list[Claim]:
    say("races")
    found = [*races(), *slow_near_certainty("paper")]
    say("the steps of the algorithms")
    return [*found, *algorithms()]


def section2(say: Callable[[str], None]) -> Report:
    found = claims(say)
    paragraph = (
        "Cauwet & Teytaud 2018, section II, and the sentence of section VI-A on races near 100 %. An observation is a "
        "game, or a pair of games against the common opponent of two candidates. "
        f"{REPETITIONS} simulated races for every length. The unlimited race and the limited one answer differently: "
        "near 100 %, 20 Elo are less than the precision, so the limited race stops before it has shown a difference."
    )
    tables = [claim_table(found, "Races and algorithms"), _lengths()]
    return Report("section2", "Section II: races and algorithms", "fogspiel paper section2", (paragraph,), tables)


def _lengths() -> Table:
    names = ("paper", "ebgstop", "count-mixture")
    rows = [(name, games_between_equals(name)) for name in names]
    return Table("equals", "Games of a race between equal players without draws, in pairs", ("race", "games"), rows)


EXPERIMENTS = (
    Computation("section2", CAUWET, lambda options, say: section2(say), place=4, claims=lambda _, say: claims(say)),
)
