"""Figure 1 of Cauwet & Teytaud (2018): Guess Who against the number of characters, exact, and what its text claims."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np

from ...core.agents import ParametricPolicy, find_policy, vector_policy
from ...core.game import known_game
from ...games.guess_who import exact as truth
from ...games.guess_who.rules import VECTORS, printed_vector
from ...runs.report import Cell, Chart, Report, Series, Table
from ..claims import facts, verdict
from ..kinds import Computation

CAUWET = "Cauwet & Teytaud 2018"  # the paper, in lists
GAME, RANDOMISED = "guesswho128", "guesswho128-stochastic"
MAX = 128
TABLED = (24, 64, 96, 128)
PLAYERS = ("OL", "ONL", "Best", "dichotomy", "God")
ALIKE = 1e-12  # rates closer than this are equal: they are multiples of 1/(2 N^2), computed in floating point
PAIRS = (
    ("OL", "God"), ("ONL", "God"), ("Best", "God"), ("dichotomy", "God"), ("ONL", "OL"), ("Best", "OL"),
    ("Best", "ONL"), ("OL", "dichotomy"), ("God", "dichotomy"),
)  # fmt: skip
ALPHAS = [step / 10 for step in range(-20, 41)]
BETAS = (0.05, 0.1, 0.2, 0.5, 1.0)
# A vector of the family of Eq. 2 that scores more against OL than the paper's ONL (the best on a grid of quarters).
BETTER = (-0.75, -2.0, 0.0, 0.0)


def player(name: str) -> ParametricPolicy:
    """Return the player of that name; with `-printed`, as Eqs. 2 and 3 print it, with delta = max(n - m, 0)/2."""
    game = known_game(GAME)
    if name.endswith("-printed"):
        return vector_policy(game, printed_vector(*VECTORS[name.removesuffix("-printed")]), name)
    return find_policy(game, name)


@cache
def rates(first: str, second: str) -> dict[int, float]:
    """Return the first player's score against the second for every number of characters, both orders counted alike."""
    table = truth.win_table(player(first), player(second), MAX)
    return {n: float(table[0, n, n] + 1 - table[1, n, n]) / 2 for n in range(2, MAX + 1)}


@cache
def exact(first: str, second: str) -> Fraction:
    return truth.exact_score(known_game(GAME), player(first), player(second))


def both(score: Fraction) -> str:
    return f"{float(score):.4f} = {score}"


# Claims of the paper


class Claim(NamedTuple):
    """A statement of the paper, our finding with 128 characters, and whether it holds there and elsewhere."""

    claim: str
    found: str
    verdict: str
    elsewhere: str = ""


def _beats(first: str, second: str, words: str) -> Claim:
    wins = sum(rate > 0.5 + ALIKE for rate in rates(first, second).values())
    score = exact(first, second)
    return Claim(words, both(score), verdict(score > Fraction(1, 2)), f"at {wins} of {MAX - 1} N")


def even_with_god(name: str) -> list[int]:
    """Return the numbers of characters with which a player holds the optimal one to one half."""
    return [n for n, rate in rates(name, "God").items() if rate > 0.5 - ALIKE]


def relations() -> list[Claim]:
    """Check the relations between the named players that Fig. 1 and its text state."""
    against = {name: exact(name, "God") for name in PLAYERS[:4]}
    only = [name for name, score in against.items() if score == Fraction(1, 2)] == ["OL"]
    weaker = [n for n in range(2, MAX + 1) if all(rates(x, "God")[n] < rates("OL", "God")[n] for x in ("ONL", "Best"))]
    god = min(1 - score for score in against.values())
    return [
        _beats("OL", "dichotomy", "OL wins against dichotomy"),
        _beats("ONL", "OL", "ONL wins against OL"),
        _beats("Best", "OL", "Best wins against OL"),
        _beats("Best", "ONL", "Best wins against ONL"),
        Claim(
            "against God only OL reaches 50 %",
            "; ".join(f"{name} {both(score)}" for name, score in against.items()),
            verdict(only),
            f"OL reaches it at N = {_in_words(even_with_god('OL'))}",
        ),
        Claim(
            "methods optimised against OL are weaker against God than OL is",
            f"OL {float(against['OL']):.4f}, ONL {float(against['ONL']):.4f}, Best {float(against['Best']):.4f}",
            verdict(max(against["ONL"], against["Best"]) < against["OL"]),
            f"at {len(weaker)} of {MAX - 1} N; on average OL {_mean('OL', 'God'):.4f}, ONL {_mean('ONL', 'God'):.4f}",
        ),
        Claim(
            "God cannot be exploited",
            f"scores at least {both(god)} against the four",
            verdict(god >= Fraction(1, 2)),
            "God is optimal in every position up to 128 by 128",
        ),
        Claim(
            "dichotomy performs very poorly",
            f"{both(against['dichotomy'])} against God",
            verdict(against["dichotomy"] == min(against.values())),
        ),
    ]


def searches() -> list[Claim]:
    """Return the paper's search results: the best linear strategy, the best of Eq. 2, and no use for beta."""
    game, dichotomy = known_game(GAME), player("dichotomy")
    linear = {a: truth.rate(vector_policy(game, (a, 0.0, 0.0, 0.0)), dichotomy, MAX) for a in ALPHAS}
    most = max(linear.values())
    best = [a for a, rate in linear.items() if rate > most - ALIKE]
    mixed = {
        beta: truth.rate(vector_policy(known_game(RANDOMISED), (1.0, 0.0, 0.0, 0.0, beta)), dichotomy, MAX)
        for beta in BETAS
    }
    better, onl = truth.exact_score(game, vector_policy(game, BETTER), player("OL")), exact("ONL", "OL")
    return [
        Claim(
            "alpha = 1 is the best linear strategy against dichotomy",
            f"best of alpha = -2, -1.9, .., 4: {_in_words(best)}, with {most:.4f}; "
            "-1 asks about the other part of the same split",
            verdict(1.0 in best),
        ),
        Claim(
            "beta > 0 is poor",
            "OL with beta scores against dichotomy: " + ", ".join(f"{b:g}: {rate:.4f}" for b, rate in mixed.items()),
            verdict(max(mixed.values()) < linear[1.0]),
        ),
        Claim(
            "ONL is the best of Eq. 2 against OL",
            f"alpha = {BETTER[0]:g}, gamma = {BETTER[1]:g} scores {float(better):.4f}, ONL {float(onl):.4f}",
            verdict(better <= onl),
        ),
    ]


def misprint() -> list[tuple[str, str, str, str]]:
    """Return scores with 128 characters by both readings of delta: pair, the paper's claim, delta whole, as printed."""
    claimed = {
        ("OL", "God"): "50 %", ("ONL", "God"): "less", ("Best", "God"): "less", ("ONL", "OL"): "wins",
        ("Best", "OL"): "wins", ("Best", "ONL"): "wins", ("OL", "dichotomy"): "wins",
    }  # fmt: skip
    rows = []
    for (first, second), claim in claimed.items():
        # OL is defined by Eq. 1 already, where nothing is misprinted.
        one, other = (f"{name}-printed" if name in ("ONL", "Best") else name for name in (first, second))
        rows.append((f"{first} - {second}", claim, both(exact(first, second)), both(exact(one, other))))
    rows.append(("OL by Eqs. 2, 3 - OL by Eq. 1", "the same", both(Fraction(1, 2)), both(exact("OL-printed", "OL"))))
    return rows


def _mean(first: str, second: str) -> float:
    return float(np.mean(list(rates(first, second).values())))


def _in_words(numbers: Sequence[float]) -> str:
    return ", ".join(f"{number:g}" for number in numbers)


# The report

MISPRINT = (
    "Equations 2 and 3 print delta = max(n - m, 0)/2. That must be a misprint: the paper says that alpha = 1 is the "
    "same strategy in Eqs. 1, 2 and 3, which is so only with delta = max(n - m, 0); and as printed, ONL and Best lose "
    "the games that the paper says they win. `ONL-printed` and `Best-printed` play as printed."
)
CLAIMS = ("the paper", "ours, with 128 characters", "verdict", "with other numbers N of characters")


def misprint_table() -> Table:
    columns = ("pair", "the paper", "delta = max(n - m, 0)", "as printed, max(n - m, 0)/2")
    return Table("misprint", "The misprint, with 128 characters", columns, misprint(), MISPRINT)


def _panel(opponent: str, title: str, group: str) -> Chart:
    series = [Series.of(name, rates(name, opponent).items()) for name in PLAYERS if name != opponent]
    return Chart(f"against-{opponent}", title, "characters N", "win rate", series, group=group)


def figure1(watch: Callable[[str], None] = lambda remark: None) -> Report:
    """Return figure 1 with its text: three panels, the panel of the text, tables, and every claim checked."""
    watch("win rates by dynamic programming")
    panels = [_panel(name, f"against {name}", "panels") for name in ("God", "ONL", "dichotomy")]
    rows: list[tuple[Cell, ...]] = [
        (f"{one} - {two}", *(rates(one, two)[n] for n in TABLED), _mean(one, two), str(exact(one, two)))
        for one, two in PAIRS
    ]
    shares = ", ".join(f"{truth.first_player_rate(n):.4f} ({n})" for n in TABLED)
    watch("the claims of the text")
    checked = [*relations(), *searches()]
    return Report(
        name="figure1",
        title="Figure 1: Guess Who against the number of characters",
        command="fogspiel paper figure1",
        paragraphs=(
            "Cauwet & Teytaud 2018, Figure 1 and section V-B. Win rates with N = 2 to 128 characters, the mean of both "
            "starting orders. Nothing is simulated: every rate is the solution of a dynamic program, so there are no "
            "intervals. The paper prints no numbers for this figure, only the relations that are checked below.",
            f"A caveat that the paper does not make: OL scores 1/2 against God, the optimal strategy, at N = "
            f"{_in_words(even_with_god('OL'))} only, and averaged over N it is ONL that comes a little closer "
            f"({_mean('ONL', 'God'):.4f}, OL {_mean('OL', 'God'):.4f}).",
        ),
        parts=(
            *panels,
            Table(
                "rates",
                "Win rate of the first of each pair",
                ("pair", *(f"N = {n}" for n in TABLED), f"mean of N = 2..{MAX}", f"exact, N = {MAX}"),
                rows,
                f"Between two optimal players the one who starts wins {shares}.",
            ),
            "## What the paper claims",
            Table("claims", "Claims and verdicts", CLAIMS, checked),
            "The text sees “(right) that ONL wins against OL, as well as Best”; by its caption the panel on the right "
            "is against dichotomy. This is the panel that the text describes:",
            _panel("OL", "against OL", ""),
            "## The misprint",
            misprint_table(),
        ),
    )


EXPERIMENTS = (
    Computation(
        "figure1", CAUWET, lambda options, say: figure1(say), place=6,
        claims=lambda options, say: facts("V-B, figure 1", "Guess Who, 128 characters", [*relations(), *searches()]),
    ),
)  # fmt: skip
