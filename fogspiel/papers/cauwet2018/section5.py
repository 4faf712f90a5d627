"""Section V of Cauwet & Teytaud (2018): good cards first at War, risks at Guess Who, and never to lose at Cheat."""

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np

from ...core.agents import find_policy, fixed_baseline, named_policy
from ...core.find import unknown
from ...core.game import known_game
from ...runs.kind import Job, Row
from ...runs.report import Cell, Chart, Report, Series, Table
from ...runs.requests import PaperRequest
from ...stats.evaluate import MatchResult, evaluate, moments, report_key
from .. import claims
from ..kinds import Batches, PaperPart, any_number
from . import figure1

BATAWAF = {"random": 0.688, "ascending": 0.575, "descending": 0.5}
WAR = {"random": 0.700, "ascending": 0.533, "descending": 0.5}  # scores of descending order in the paper
PAPER = {"batawaf": BATAWAF, "batawaf-shared": BATAWAF, "war": WAR, "war56": WAR, "war-shared": WAR}
DECKS = {
    "batawaf": "6 values of 6",
    "batawaf-shared": "6 values of 6, shared shortage",
    "war": "13 values of 4",
    "war56": "14 values of 4",
    "war-shared": "13 values of 4, shared shortage",
}
PAPER_GAMES = 10_000
FULL_GAMES, QUICK_GAMES = 1_000_000, 100_000  # a million games give every figure a standard error of at most 0.0005
# Standard errors above which a figure counts as different; of 15 figures, one is off by two just by chance.
SUSPICIOUS = 3.0
DIGIT = 0.001  # the last digit that the paper prints
ROUNDING = DIGIT / math.sqrt(12)  # the standard deviation of an error that is uniform over a tenth of a per cent
CHEAT_FULL, CHEAT_QUICK = 50_000, 10_000
CHEATS = ("cheat", "cheat-special", "cheat-challenge-last")
OPPONENTS = ("uniform", "redrawn", *(f"fixed, seed {seed}" for seed in range(1, 6)), "never_lose")
ORDERS, RISKS, DRAWS = "V-A", "V-B", "V-C"


# Measuring


def questions(
    quick: bool = False, seed: int = 1, score_games: int | None = None, only: Sequence[str] | None = None
) -> list[Row]:
    """List the computations in the order of the paper; `answer(**question)` executes one."""
    games, fewer = (QUICK_GAMES, CHEAT_QUICK) if quick else (FULL_GAMES, CHEAT_FULL)
    games, fewer = score_games or games, score_games or fewer
    orders = [(deck, "descending", opponent) for deck in DECKS for opponent in PAPER[deck]]
    risks = [(figure1.GAME, first, second) for first, second in figure1.PAIRS]
    draws = [(variant, "never_lose", opponent) for variant in CHEATS for opponent in OPPONENTS]
    return [
        {"part": part, "game": game, "first": first, "second": second} | played
        for part, pairs, played in (
            (ORDERS, orders, {"games": games, "seed": seed}),
            (RISKS, risks, {}),
            (DRAWS, draws, {"games": fewer, "seed": seed}),
        )
        for game, first, second in pairs
        if only is None or game in only
    ]


def answer(part: str, game: str, first: str, second: str, games: int = 0, seed: int = 1, threads: int = 1) -> Row:
    """Return the exact score of a question of V-B, or the counts of fresh games."""
    if part == RISKS:
        return {"exact": str(figure1.exact(first, second))}
    rules = known_game(game)
    # With seats swapped, equal deterministic players share the points of every deal: that would measure nothing.
    seats = "alternating" if part == ORDERS and first == second else "swapped"
    fixed = second.startswith("fixed")
    other = fixed_baseline(rules, int(second.split()[-1])) if fixed else named_policy(rules, second, seed=0)
    score = evaluate(rules, find_policy(rules, first), other, report_key(seed), games, seats, threads)
    return {"seats": seats, "outcomes": list(score.outcomes), "observed": list(score.observed)}


def batches(request: PaperRequest) -> Batches:
    asked = questions(request.quick, request.seed, request.score_games, request.names("only"))
    yield [Job("answer", answer, question) for question in asked]


# Text


def score_of(row: Row) -> MatchResult:
    payoffs = tuple(float(payoff) for payoff in known_game(row["game"]).payoffs)
    return MatchResult(payoffs, tuple(row["outcomes"]), tuple(row["observed"]))


def standard_error(score: MatchResult) -> float:
    """Return the standard error of the mean, from the observations (game pairs, or single games)."""
    count, _, squares = moments(score.observed)
    return math.sqrt(squares) / count


def paper_error(score: MatchResult) -> float:
    """Return the standard error of the paper's figure: that of as many independent games as it played."""
    shares = np.array(score.outcomes) / score.games
    return math.sqrt(float(shares @ (np.array(score.payoffs) - score.mean) ** 2) / PAPER_GAMES)


def errors_apart(ours: MatchResult, paper: float, deviation: float | None) -> float:
    """Return the distance of ours from a figure of the paper, which has this deviation, in standard errors."""
    return abs(ours.mean - paper) / math.hypot(standard_error(ours), deviation or 0.0, ROUNDING)


def printed_error(figure: float) -> float:
    """Return the standard error of a winning rate of the paper without draws, which is the largest it can have."""
    return math.sqrt(figure * (1 - figure) / PAPER_GAMES)


def verdict(ours: MatchResult, paper: float) -> str:
    errors = errors_apart(ours, paper, paper_error(ours))
    if errors < SUSPICIOUS:
        return "reproduced"
    return f"differs by {ours.mean - paper:+.4f} ({errors:.1f} standard errors)"


def report(request: PaperRequest, found: Sequence[Row]) -> Report:
    parts: dict[str, list[Row]] = {ORDERS: [], RISKS: [], DRAWS: []}
    for row in found:
        parts[row["part"]].append(row)
    sections = (
        (ORDERS, "## V-A. Batawaf and War: good cards first", _orders),
        (RISKS, "## V-B. Guess Who: play risky moves when late", _risks),
        (DRAWS, "## V-C. Cheat: ensuring a draw", _draws),
    )
    return Report(
        name="section5",
        title="Section V: surprising strategies, played again",
        command=request.command,
        paragraphs=tuple(_preamble(request.quick and request.score_games is None)),
        parts=(
            claims.claim_table(section5_claims(request, found), "Claims of sections V and VI-B"),
            *(part for key, title, show in sections if parts[key] for part in (title, *show(parts[key]))),
        ),
    )


# The claims


PEOPLE, FEATURES = "needs people", "our features of Cheat are a reconstruction"


def section5_claims(request: PaperRequest, found: Sequence[Row]) -> list[claims.Claim]:
    """Return the claims of sections V-A, V-C and VI-B; those of V-B are those of figure 1."""
    scores = {(row["game"], row["second"]): score_of(row) for row in found if row["part"] in (ORDERS, DRAWS)}
    untested = [
        claims.Claim(section, sentence, "cheat", (claims.Clause("", claims.missing(why)),))
        for section, sentence, why in (
            ("V-C", "The naive and the iterative method found a strategy with a lot of draws", FEATURES),
            ("VI-B", "The strategy of Cheat is strong against people", PEOPLE),
        )
    ]
    return [*_order_claims(scores), *_draw_claims(scores), *untested]


def _order_claims(scores: Mapping[tuple[str, str], MatchResult]) -> Iterator[claims.Claim]:
    def score(deck: str, opponent: str) -> claims.Evidence:
        known = scores.get((deck, opponent))
        return claims.mean_of(known.observed) if known else claims.missing()

    for deck, figures in PAPER.items():
        game = "Batawaf" if figures is BATAWAF else "War"
        yield claims.Claim(
            "V-A", f"{game}: the winning rates of descending order against random order, ascending order and itself",
            f"{deck}, {DECKS[deck]}",
            tuple(
                claims.printed(other, score(deck, other), figure, printed_error(figure), DIGIT)
                for other, figure in figures.items()
            ),
            ", ".join(f"{figure:.1%}" for figure in figures.values()),
            f"the deviation is that of {PAPER_GAMES:,} games; the paper does not print its deck",
        )  # fmt: skip
    yield claims.Claim(
        "VI-B", "The heuristic gets close to 70 % against the baseline that most people play",
        "batawaf and war, random order",
        tuple(claims.Clause(deck, score(deck, "random"), least=0.65, most=0.75) for deck in ("batawaf", "war")),
        "70 %", "close: within 5 points",
    )  # fmt: skip


def _draw_claims(scores: Mapping[tuple[str, str], MatchResult]) -> Iterator[claims.Claim]:
    for game in CHEATS:
        played = [score for (variant, _), score in scores.items() if variant == game]
        lost, games = sum(score.outcomes[0] for score in played), sum(score.games for score in played)
        share, words = claims.mean_of([games - lost, lost]), f"{lost} of {games:,}"
        seen = claims.exact(lost, words) if lost else share._replace(estimate=words) if games else claims.missing()
        clause = claims.Clause("games lost", seen, most=0)
        yield claims.Claim(
            "V-C", "The strategy ensures a draw: it never loses", f"{game}, never_lose", (clause,), "never",
            "one lost game would refute it; games alone cannot show it (docs/games.md has a proof)",
        )  # fmt: skip


def _preamble(quick: bool) -> Iterator[str]:
    yield (
        "Cauwet & Teytaud 2018, section V: the strategies that the paper describes in words, and every number that it "
        "gives for them. Games are fresh, each deal is played twice with the seats swapped, a draw counts 1/2, and "
        "intervals are 95 %, valid at any time, one figure at a time."
    )
    if quick:
        yield (
            f"This is the quick version: {QUICK_GAMES:,} games for a figure of V-A instead of {FULL_GAMES:,} (a "
            f"standard error of up to 0.0016 instead of 0.0005), and {CHEAT_QUICK:,} instead of {CHEAT_FULL:,} for a "
            "line of V-C. Nothing else is left out."
        )


def _orders(found: list[Row]) -> Iterator[Table | Chart | str]:
    lines: list[tuple[Cell, ...]] = []
    by_opponent: dict[str, dict[str, MatchResult]] = {}
    fits: dict[str, bool] = {}
    for row in found:
        score, paper = score_of(row), PAPER[row["game"]][row["second"]]
        judged = verdict(score, paper)
        fits[row["game"]] = fits.get(row["game"], True) and judged == "reproduced"
        low, high = score.interval
        draws = f"{score.outcomes[1] / score.games:.1%}"
        lines.append(
            (row["game"], row["second"], paper, score.mean, low, high, judged, draws, score.games,
             f"{standard_error(score):.5f}", f"{paper_error(score):.5f}", DECKS[row["game"]])
        )  # fmt: skip
        by_opponent.setdefault(row["second"], {})[row["game"]] = score
    yield (
        "The paper says how often descending order (the best card first) wins against random order, against ascending "
        f"order and against itself, from {PAPER_GAMES:,} games each. It does not print the decks. With the shortage "
        "“shared”, both skip the face-down card of a battle when one player has just one card left; otherwise the "
        "player who cannot continue a battle loses."
    )
    yield Table("orders", "Descending order", ORDER_COLUMNS, lines, ORDER_NOTE)
    good, bad = (", ".join(f"`{deck}`" for deck in fits if fits[deck] is fit) or "none" for fit in (True, False))
    yield (
        f"All three figures are reproduced by these decks: {good}. Not all of them by these: {bad}. Which decks and "
        "rules the authors used is unknown; we know only what fits."
    )
    yield from (_panel(opponent, scores) for opponent, scores in by_opponent.items() if opponent != "descending")


def _panel(opponent: str, scores: dict[str, MatchResult]) -> Chart:
    ours, papers = [], []
    for deck, score in scores.items():
        paper, margin = PAPER[deck][opponent], 1.96 * paper_error(score)
        ours.append((deck, score.mean, *score.interval))
        papers.append((deck, paper, paper - margin, paper + margin))
    series = (Series.of("ours", ours), Series.of("the paper", papers))
    note = "95 % intervals; the paper's are 1.96 times its standard error." if opponent == "random" else ""
    title = f"descending against {opponent} order"
    return Chart(f"against-{opponent}", title, "", "score", series, "dots", note, group="decks")


ORDER_COLUMNS = (
    "game", "against", "paper", "ours", "from", "to", "verdict", "draws", "games", "our standard error",
    "paper's standard error", "deck",
)  # fmt: skip
ORDER_NOTE = (
    f"The paper's standard error is that of {PAPER_GAMES:,} independent games with our shares of wins and draws. "
    f"“Reproduced”: less than {SUSPICIOUS:g} standard errors of the difference apart, the rounding of the paper's "
    "figure included. Against itself any strategy scores 1/2 by symmetry; those games are not paired, else even the "
    "sample would give 1/2. Endless games are recognised as cycles, which are the paper's draws after a million moves."
)


def _risks(found: list[Row]) -> Iterator[Table | str]:
    scores = {(row["first"], row["second"]): Fraction(row["exact"]) for row in found}
    if not scores:
        return
    half = Fraction(1, 2)
    even = [one for (one, two), score in scores.items() if two == "God" and score == half]
    lines: list[tuple[Cell, ...]] = [
        (f"{one} beats {two}", figure1.both(scores[one, two]), claims.verdict(scores[one, two] > half))
        for one, two in (("OL", "dichotomy"), ("ONL", "OL"), ("Best", "OL"), ("Best", "ONL"))
    ]
    against = "; ".join(f"{one} {figure1.both(score)}" for (one, two), score in scores.items() if two == "God")
    lines.append(("only OL holds 50 % against God", against, claims.verdict(even == ["OL"])))
    yield (
        "With 128 characters, mean of both starting orders, exact by dynamic programming. God is the optimal strategy. "
        "`fogspiel paper figure1` has the other numbers of characters."
    )
    yield Table("risks", "What section V-B claims", ("claim", "exact score", "verdict"), lines)
    yield figure1.misprint_table()


def _draws(found: list[Row]) -> Iterator[Table | str]:
    lines: list[tuple[Cell, ...]] = []
    lost, games = 0, 0
    for row in found:
        score = score_of(row)
        losses, draws, wins = score.outcomes
        lines.append((row["game"], row["second"], score.games, wins, draws, losses, score.mean, *score.interval))
        lost, games = lost + losses, games + score.games
    yield (
        "The paper's strategy that ensures a draw, as `never_lose`: anything while the opponent has more than 3 cards, "
        "here uniformly random actions; then open with a colour that the opponent lacks, and call whatever it lays. "
        f"{games:,} games were played and {lost:,} lost; that none can be lost is proved in docs/games.md."
    )
    columns = ("game", "against", "games", "wins", "draws", "losses", "score", "from", "to")
    note = (
        "`fixed`: a Gaussian vector drawn once from its seed; `redrawn`: a new one for every pair of games; `uniform`: "
        "any action. Draws are games of 1000 actions (our limit). `cheat-special` has the 29th parameter; in "
        "`cheat-challenge-last` even the last card may be called."
    )
    yield Table("cheat", "never_lose", columns, lines, note)


def check_game(name: str) -> None:
    if name not in (known := [*DECKS, figure1.GAME, *CHEATS]):
        raise unknown("game of section 5", name, known)


EXPERIMENTS = (
    PaperPart(
        "section5", figure1.CAUWET, batches, report, place=5, claims=section5_claims,
        selects={"only": check_game, "score_games": any_number},
    ),
)  # fmt: skip
