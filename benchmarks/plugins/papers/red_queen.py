"""Section V-B of Cauwet & Teytaud (2018) trained again: dichotomy, OL, ONL, Best and on, each tuned against the last.

A step is Algorithm 1: the opponent x^0 is also the start, and a mutant replaces x if it scores more against x^0. The
families are the paper's: alpha (Eq. 1) against dichotomy, alpha and gamma (Eq. 2) against OL, all four parameters
(Eq. 3) from then on. Every step is scored exactly; a player that does not beat its opponent is dropped. A chain ends
when the four parameters improve nothing. Beside Algorithm 1 runs our `reply`, with the same games.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np

from fogspiel.core.agents import ParametricPolicy, vector_policy
from fogspiel.core.game import known_game
from fogspiel.core.rng import child
from fogspiel.core.simulate import PolicyMatch
from fogspiel.games.guess_who import exact as truth
from fogspiel.papers.cauwet2018.figure1 import CAUWET, GAME, player
from fogspiel.papers.cauwet2018.printed_tables import NAIVE
from fogspiel.papers.claims import ERROR, Claim, Clause, Verdict, claim_table, exact, fact, missing
from fogspiel.papers.kinds import Batches, PaperPart
from fogspiel.runs.kind import Job, Row, rows_by
from fogspiel.runs.report import Cell, Chart, Report, Series, Table
from fogspiel.runs.requests import PaperRequest
from fogspiel.stats.race import Race
from fogspiel.tuning.arena import GameContest
from fogspiel.tuning.tune import search

FAMILIES = (1, 2, 4)  # free parameters of the first steps: Eqs. 1, 2 and 3; later steps have all four
NAMES = ("dichotomy", "OL", "ONL", "Best")  # the paper's players, in the order of training
METHODS = (NAIVE, "reply")
GAMES, QUICK, SEEDS, QUICK_SEEDS = 1_000_000, 0.1, 3, 2
MAX_STEPS = 10
TUNED = "tuned"
HALF = Fraction(1, 2)


class FamilyContest(GameContest):
    """Guess Who with the first few parameters free and the others 0, from an opponent that is also the start."""

    mixes = False

    def __init__(self, opponent: Sequence[float], free: int) -> None:
        game = known_game(GAME)
        assert game.strategy is not None
        super().__init__(game, replace(game.strategy, parameters=game.strategy.parameters[:free]), 0)
        self.free, self.opponent = free, np.array(opponent)

    def start(self) -> np.ndarray:
        return self.opponent[: self.free]

    def match(self, firsts: np.ndarray, seconds: np.ndarray) -> PolicyMatch:
        missing = ((0, 0), (0, len(self.opponent) - self.free))
        return super().match(np.pad(firsts, missing), np.pad(seconds, missing))


def tune_step(method: str, seed: int, step: int, free: int, games: int, race: str, chain: list[list[float]]) -> Row:
    """Tune against the last of a chain; return the player with its exact scores against all of it and God."""
    contest = FamilyContest(chain[-1], free)
    answer, played, steps, _ = search(contest, method, games, int(child(seed, step)), Race(race), share=0.0)
    theta = [*answer["theta"], *[0.0] * (len(chain[-1]) - free)]
    found, game = _vector(theta), known_game(GAME)
    scores = [truth.exact_score(game, found, _vector(other)) for other in chain]
    god, (reply,) = truth.exact_score(game, found, player("God")), truth.best_replies(game, found)
    return {"theta": theta, "played": played, "steps": steps, "god": str(god), "response": reply.score} | {
        "scores": list(map(str, scores))
    }


def _vector(theta: Sequence[float]) -> ParametricPolicy:
    return vector_policy(known_game(GAME), tuple(theta))


def batches(request: PaperRequest) -> Batches:
    """Yield one step of every chain that still improves, until none does."""
    seeds = request.seeds or (QUICK_SEEDS if request.quick else SEEDS)
    games = max(2, round(GAMES * request.scale * (QUICK if request.quick else 1.0)))
    origin = player(NAMES[0]).thetas[0].tolist()
    chains = {(method, seed): [origin] for method in METHODS for seed in range(request.seed, request.seed + seeds)}
    going = list(chains)
    for step in range(MAX_STEPS):
        free = FAMILIES[min(step, len(FAMILIES) - 1)]
        asked = {"step": step + 1, "free": free, "games": games, "race": request.race}
        rows = yield [
            Job(TUNED, tune_step, {"method": method, "seed": seed, **asked}, {"chain": list(chains[method, seed])})
            for method, seed in going
        ]
        for row in rows:
            if improved(row):
                chains[row["method"], row["seed"]].append(row["theta"])
        going = [(row["method"], row["seed"]) for row in rows if improved(row) or free < len(origin)]
        if not going:
            return


def improved(row: Row) -> bool:
    return Fraction(row["scores"][-1]) > HALF


# Claims: those of section V-B on players that were trained anew


def claims(request: PaperRequest, rows: Sequence[Row]) -> list[Claim]:
    return [claim for method in METHODS for claim in _claims_of(method, rows)]


def _claims_of(method: str, rows: Sequence[Row]) -> list[Claim]:
    """Return the paper's claims on players trained by its Algorithm 1, and findings, which are of our seeds."""
    mine = [row for row in rows if row["method"] == method]
    steps = {number: [row for row in mine if row["step"] == number] for number in (1, 2, 3)}
    subject, ours = f"players tuned by {method}", method != NAIVE
    ol = truth.exact_score(known_game(GAME), player("OL"), player("dichotomy"))
    later = [row["god"] for number in (2, 3) for row in steps[number] if improved(row)]
    return [
        Claim(
            "V-B", "the optimum against dichotomy plays as well there as OL", subject,
            (_all("score against dichotomy", [row["scores"][0] for row in steps[1]], least=ol, most=ol),),
            f"alpha = 1, which scores {ol}", ours=ours,
        ),
        Claim(
            "V-B", "against God only the player tuned against dichotomy reaches 50 %", subject,
            (
                _all("OL", [row["god"] for row in steps[1]], least=HALF),
                _all("ONL and Best", later, most=HALF, strict=True),
            ), ours=ours,
        ),
        *(
            Claim(
                "V-B", f"seeds from which the player tuned in the place of {NAMES[number]} beats its opponent", subject,
                (_all("score", [row["scores"][-1] for row in steps[number]], least=HALF, strict=True),), ours=True,
                note="the paper trained once",
            )
            for number in (1, 2, 3)
        ),
        Claim("II-C", "red queen, which the paper asks about", subject, (_red_queen(mine),), ours=True),
    ]  # fmt: skip


def _all(text: str, scores: Sequence[str], strict: bool = False, **limits: Fraction) -> Clause:
    """Return the clause that all of some exact scores are within limits: the worst of them is its evidence."""
    if not scores:
        return Clause(text, missing(), **limits, strict=strict)
    values = sorted(map(Fraction, scores))
    # The score that breaks a limit, if any does; otherwise any of them.
    broken = [v for v in values if Clause(text, exact(v), **limits, strict=strict).verdict(ERROR) is not Verdict.HOLDS]
    shown = f"{len(values) - len(broken)} of {len(values)} seeds; {float(values[0]):.4f} to {float(values[-1]):.4f}"
    return Clause(text, exact((broken or values)[0], shown), **limits, strict=strict)


def _red_queen(rows: Sequence[Row]) -> Clause:
    winners = [row for row in rows if improved(row) and len(row["scores"]) > 1]
    losers = [row for row in winners if min(map(Fraction, row["scores"])) < HALF]
    text = f"{len(losers)} of {len(winners)} generations that beat their predecessor lose to an earlier one"
    return fact("some lose to an earlier one", bool(losers), text) if winners else Clause("some lose", missing())


# The report

COLUMNS = (
    "method", "seed", "step", "tuned against", "alpha", "gamma", "zeta", "iota", "v opponent", "exact", "v dichotomy",
    "v God", "v the worst of its ancestors", "best response to it", "",
)  # fmt: skip


def report(request: PaperRequest, rows: Sequence[Row]) -> Report:
    chains = rows_by(rows, "method", "seed")
    return Report(
        name=request.name,
        title="The red queen: Guess Who trained again, each player against the last",
        command=request.command,
        paragraphs=(
            "Cauwet & Teytaud 2018, section V-B and the question of section II-C. The paper trained three times for "
            f"four hours: OL against dichotomy, ONL against OL, Best against ONL. Here a step has {rows[0]['games']:,} "
            f"games, and goes on until nothing improves (or {MAX_STEPS} steps). Scores are exact, with 128 characters "
            "and both starting orders: nothing but the tuning plays games.",
            *(_sentence(method, [row for row in rows if row["method"] == method]) for method in METHODS),
        ),
        parts=(
            claim_table(claims(request, rows), "Claims, on players that were trained anew"),
            *(_chart(method, found) for (method, seed), found in chains.items() if seed == request.seed),
            Table("chains", "Every step", COLUMNS, [_line(row, found) for found in chains.values() for row in found]),
            *(_cross(method, found) for (method, seed), found in chains.items() if seed == request.seed),
        ),
    )


def _sentence(method: str, rows: Sequence[Row]) -> str:
    chains = rows_by(rows, "seed").values()
    lengths = ", ".join(str(sum(map(improved, chain))) for chain in chains)
    stopped = sum(not improved(chain[-1]) for chain in chains)
    first, last = ([float(Fraction(_kept(chain)[place]["god"])) for chain in chains] for place in (0, -1))
    return (
        f"`{method}`: chains of {lengths} improvements; {stopped} of {len(chains)} ended because nothing improved. "
        f"Against God the first player scores {np.median(first):.4f} and the last {np.median(last):.4f} (medians of "
        f"seeds); the best response to the last scores {np.median([_kept(c)[-1]['response'] for c in chains]):.4f}."
    )


def _kept(chain: Sequence[Row]) -> list[Row]:
    return [row for row in chain if improved(row)] or list(chain[:1])


def _line(row: Row, chain: Sequence[Row]) -> tuple[Cell, ...]:
    scores = list(map(Fraction, row["scores"]))
    steps = [0, *(other["step"] for other in chain if improved(other) and other["step"] < row["step"])]
    whom = NAMES[0] if not steps[-1] else f"step {steps[-1]}"
    return (
        row["method"], row["seed"], row["step"], whom, *row["theta"], float(scores[-1]), str(scores[-1]),
        float(scores[0]), float(Fraction(row["god"])), float(min(scores)), row["response"],
        "" if improved(row) else "dropped: no improvement",
    )  # fmt: skip


def _chart(method: str, chain: Sequence[Row]) -> Chart:
    kept = _kept(chain)
    lines: dict[str, Callable[[Row], str]] = {
        "against its opponent": lambda row: row["scores"][-1], "against dichotomy": lambda row: row["scores"][0],
        "against God": lambda row: row["god"], "of the best response to it": lambda row: str(row["response"]),
    }  # fmt: skip
    series = [
        Series.of(name, [(place, float(Fraction(of(row)))) for place, row in enumerate(kept, 1)])
        for name, of in lines.items()
    ]
    return Chart(f"red-queen-{method}", f"tuned by {method}", "generation", "exact score", series, group="generations")


def _cross(method: str, chain: Sequence[Row]) -> Table:
    kept = _kept(chain)
    names = [NAMES[0], *(f"step {row['step']}" for row in kept)]
    cells = [
        (name, *(float(Fraction(score)) for score in row["scores"]), *[None] * (len(kept) - len(row["scores"])))
        for name, row in zip(names[1:], kept, strict=True)
    ]
    cycles = sum(float(Fraction(one["scores"][-2])) < 0.5 for _, one in pairwise(kept) if len(one["scores"]) > 1)
    note = f"{cycles} of {max(len(kept) - 1, 0)} lose to the one before their opponent."
    return Table(f"cross-{method}", f"Each against its ancestors, {method}", ("", *names[:-1]), cells, note)


EXPERIMENTS = (PaperPart("red-queen", CAUWET, batches, report, place=7, claims=claims),)
