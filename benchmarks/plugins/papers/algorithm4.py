"""Algorithm 4 of Cauwet & Teytaud (2018), approximate coevolution, at Guess Who: its score against its budget.

The algorithm accepts what beats one point of the population, drawn at random, and mutates what it accepted last. Three
changes, one at a time, tell the causes apart: sigma stays 1; a mutant must beat the last point too; or only the last
point is met, which is Algorithm 2. Beside the last point of each stands its population as a mixture, which section II-D
calls the Parisian approach.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import log

import numpy as np

from fogspiel.core.agents import mixture_policy, named_policy, vector_policy
from fogspiel.core.game import Game, known_game
from fogspiel.core.rng import child
from fogspiel.papers.cauwet2018.figure1 import CAUWET
from fogspiel.papers.kinds import Batches, PaperPart
from fogspiel.process.heartbeat import beat
from fogspiel.runs.kind import Job, Row, rows_by
from fogspiel.runs.report import Cell, Chart, Report, Series, Table
from fogspiel.runs.requests import PaperRequest
from fogspiel.stats.evaluate import evaluate, median_interval, report_key
from fogspiel.stats.race import Race, Verdict
from fogspiel.tuning.arena import NARROWER, WIDER, Arena, Budget, BudgetSpent, Step
from fogspiel.tuning.methods.evolution import Population, approximate, evolve, iterative

GAMES = {"guesswho128": "Guess who-deter", "guesswho128-stochastic": "Guess who"}
BUDGETS = (5_000, 20_000, 50_000, 200_000, 500_000)
SCORING, QUICK, SEEDS, QUICK_SEEDS = 10_000, 0.1, 10, 3
EVOLVED, JUDGED = "evolved", 3  # the stream of games that compare accepted points, below a seed
EVEN_SHARE = log(1 / NARROWER) / log(WIDER / NARROWER)  # of accepted mutants: sigma grows above it, shrinks below


def beats_two(arena: Arena) -> Iterator[Step]:
    """Algorithm 4 whose mutants must also beat the last accepted point."""

    def is_better(candidate: np.ndarray, population: Population) -> bool:
        drawn = population[arena.pick(len(population))]
        return arena.race(candidate, drawn).decision > 0 and arena.race(candidate, population[-1]).decision > 0

    return evolve(arena, is_better)


PRINTED = "Algorithm 4"
VARIANTS: dict[str, Callable[[Arena], Iterator[Step]]] = {
    PRINTED: approximate,
    "sigma stays 1": lambda arena: approximate(arena, lambda sigma, success: sigma),
    "must beat the last too": beats_two,
    "Algorithm 2": iterative,
}


@dataclass
class WatchedArena(Arena):
    """An arena that counts the first race of every mutant, by the age of the point that it meets."""

    members: list[np.ndarray] = field(default_factory=list)
    met: list[tuple[int, bool]] = field(default_factory=list)  # place of the point in the population, and success

    def race(self, challenger: np.ndarray, incumbent: np.ndarray, rule: Race | None = None) -> Verdict:
        found = super().race(challenger, incumbent, rule)
        place = next(i for i in reversed(range(len(self.members))) if (self.members[i] == incumbent).all())
        self.met.append((place, found.decision > 0))
        return found


def run_variant(game: str, variant: str, seed: int, race: str, budgets: list[int], scoring: int) -> Row:
    """Run a variant to the largest budget; score its last point and its population at every budget."""
    rules = known_game(game)
    arena = WatchedArena(rules, seed, Race(race), budget=Budget(budgets[-1]), on_batch=lambda *_: beat())
    arena.members = members = [arena.start]
    states = [(0, 1, 1.0)]
    steps = VARIANTS[variant](arena)
    while True:
        try:
            step = next(steps)
        except BudgetSpent:
            break
        if step.accepted:
            members.append(step.theta)
        states.append((arena.games, len(members), step.sigma or 0.0))
        beat()
    marks = [max(state for state in states if state[0] <= budget) for budget in (0, *budgets)]
    scores = [_scores(rules, members[:count], seed, scoring) for _, count, _ in marks]
    worse = [_loses(rules, one, before, seed) for before, one in pairwise(members)]
    older = [won for place, won in arena.met if place < len(members) // 2]
    return {
        "population": [count for _, count, _ in marks], "sigma": [sigma for _, _, sigma in marks],
        "last": [last for last, _ in scores], "mixture": [mixed for _, mixed in scores],
        "accepted": len(worse), "mutants": len(states) - 1, "worse": sum(worse),
        "met older": len(older), "beat older": sum(older),
        "met newer": len(arena.met) - len(older), "beat newer": sum(won for _, won in arena.met) - sum(older),
    }  # fmt: skip


def _scores(game: Game, members: Sequence[np.ndarray], seed: int, games: int) -> tuple[float, float]:
    """Return the scores of the last point and of all in equal shares, against the redrawn baseline."""
    last, baseline = vector_policy(game, members[-1]), named_policy(game, "redrawn", seed)
    found = [last, mixture_policy(game, np.array(members), [1.0] * len(members)) if len(members) > 1 else last]
    one, mixed = (evaluate(game, player, baseline, report_key(seed), games).score for player in found)
    beat()
    return one, mixed


def _loses(game: Game, one: np.ndarray, before: np.ndarray, seed: int) -> bool:
    """True if a point is shown to lose to the one before it: near copies, which draw, do not count."""
    first, second = (vector_policy(game, theta) for theta in (one, before))
    return evaluate(game, first, second, int(child(seed, JUDGED)), SCORING).interval[1] < 0.5


def batches(request: PaperRequest) -> Batches:
    seeds = request.seeds or (QUICK_SEEDS if request.quick else SEEDS)
    budgets = [max(2, round(games * request.scale * (QUICK if request.quick else 1.0))) for games in BUDGETS]
    yield [
        Job(
            EVOLVED,
            run_variant,
            {"game": game, "variant": variant, "seed": seed, "race": request.race}
            | {"budgets": budgets, "scoring": SCORING},
        )
        for game in GAMES
        for variant in VARIANTS
        for seed in range(request.seed, request.seed + seeds)
    ]


# The report

COLUMNS = (
    "game", "variant", "games", "last point, median", "from", "to", "population as a mixture, median", "from ", "to ",
    "mixture better, seeds", "population", "sigma, median", "lowest", "highest",
)  # fmt: skip
CAUSES = (
    "game", "variant", "mutants", "accepted", "share", "shown to lose to the point they replace", "share of accepted",
    "success against the older half", "against the newer half",
)  # fmt: skip


def report(request: PaperRequest, rows: Sequence[Row]) -> Report:
    cells = rows_by(rows, "game", "variant")
    return Report(
        name=request.name,
        title="Algorithm 4 at Guess Who: score against budget",
        command=request.command,
        paragraphs=(
            f"Approximate coevolution by the {request.race} race, {len(cells[next(iter(cells))])} training seeds, "
            f"each budget a stop of the same run. Scores are against the redrawn baseline, {SCORING:,} games each; "
            "medians over seeds with an interval for the true median (order statistics).",
            f"By the step-size rule sigma grows where more than {EVEN_SHARE:.1%} of the mutants are accepted and "
            "shrinks where fewer are, whatever they are accepted for.",
            *(_sentence(game, cells) for game in GAMES),
        ),
        parts=(
            Table(
                "budgets", "Score against budget", COLUMNS, [line for cell in cells.items() for line in _lines(*cell)]
            ),
            *(_chart(game, title, cells) for game, title in GAMES.items()),
            Table("causes", "Acceptance", CAUSES, [_causes(*cell) for cell in cells.items()], CAUSES_NOTE),
        ),
    )


CAUSES_NOTE = (
    f"An accepted mutant replaces the point that is mutated. It is shown to lose to that point if the 95 % "
    f"interval of {SCORING:,} games is below one half. "
    "Halves of the population are by age, at the end of the run."
)
Cells = dict[tuple[str, ...], list[Row]]


def _sentence(game: str, cells: Cells) -> str:
    def medians(variant: str, what: str) -> str:
        runs = cells[game, variant]
        return ", ".join(f"{np.median(scores):.3f}" for scores in zip(*(run[what] for run in runs), strict=True))

    budgets = ", ".join(f"{games:,}" for games in (0, *cells[game, PRINTED][0]["budgets"]))
    return (
        f"{GAMES[game]}, after {budgets} games: Algorithm 4 {medians(PRINTED, 'last')}; its population as a mixture "
        f"{medians(PRINTED, 'mixture')}; "
        + "; ".join(f"{name} {medians(name, 'last')}" for name in VARIANTS if name != PRINTED)
        + "."
    )


def _lines(key: tuple[str, ...], runs: Sequence[Row]) -> Iterator[tuple[Cell, ...]]:
    game, variant = key
    for place, games in enumerate((0, *runs[0]["budgets"])):
        last, mixture, sigma, count = (
            [run[what][place] for run in runs] for what in ("last", "mixture", "sigma", "population")
        )
        better = sum(mixed > one for mixed, one in zip(mixture, last, strict=True))
        yield (
            GAMES[game], variant, games, *median_interval(last)[:3], *median_interval(mixture)[:3],
            f"{better} of {len(runs)}", float(np.median(count)), float(np.median(sigma)), min(sigma), max(sigma),
        )  # fmt: skip


def _causes(key: tuple[str, ...], runs: Sequence[Row]) -> tuple[Cell, ...]:
    def total(what: str) -> int:
        return sum(run[what] for run in runs)

    def share(part: str, whole: str) -> float | None:
        return total(part) / total(whole) if total(whole) else None

    game, variant = key
    return (
        GAMES[game], variant, total("mutants"), total("accepted"), share("accepted", "mutants"), total("worse"),
        share("worse", "accepted"), share("beat older", "met older"), share("beat newer", "met newer"),
    )  # fmt: skip


def _chart(game: str, title: str, cells: Cells) -> Chart:
    series = []
    for variant in VARIANTS:
        runs = cells[game, variant]
        budgets = [f"{games:,}" for games in (0, *runs[0]["budgets"])]
        for what, suffix in (("last", ""), ("mixture", ", as a mixture")):
            if what == "last" or variant == PRINTED:
                spreads = [median_interval(scores)[:3] for scores in zip(*(run[what] for run in runs), strict=True)]
                points = [(games, *spread) for games, spread in zip(budgets, spreads, strict=True)]
                series.append(Series.of(variant + suffix, points))
    return Chart(f"algorithm4-{game}", title, "games", "score", series, group="scores")


EXPERIMENTS = (PaperPart("algorithm4", CAUWET, batches, report, place=8),)
