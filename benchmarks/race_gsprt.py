"""Expected games of our race and of the GSPRT of engine testing, at the same error probabilities.

    python benchmarks/race_gsprt.py [--repetitions 4000] [--seed 17] [--into docs/results/races.md]

Both observe game pairs with colours swapped and evaluate after each. Both guarantee: a true difference of elo0 = 0 or
less is accepted with probability at most 5 %, one of elo1 or more is rejected with probability at most 5 %. For the
race (count-mixture-asymmetric) this is the null hypothesis 1/2 against 1/2 + 2 epsilon, the expected score of elo1.
With --into, the section of that file is replaced.

The GSPRT is the generalised sequential probability ratio test of fishtest (Van den Bergh, "The generalised maximum
likelihood ratio for the expectation value of a distribution"): the log-likelihood ratio of elo1 to elo0, with the
distribution of pairs replaced by its most likely one under each hypothesis. It stops when the ratio leaves Wald's
bounds. Its error rates are Wald's in the limit of many games; for a given number of games it guarantees none, unlike
our races.
"""

import argparse
import math
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from fogspiel.core.compile.kernel import kernel
from fogspiel.core.rng import child, random_unit, split
from fogspiel.stats.evaluate import score_of
from fogspiel.stats.race import Race, form, run
from fogspiel.stats.sprt import Gsprt, log_ratio

RISK = 0.05
ELOS = (-10, -5, 0, 5, 10, 15, 20)
BOUNDS = ((0.0, 5.0), (0.0, 10.0))
LAWS = {
    "with draws": (0.004, 0.236, 0.52, 0.236, 0.004),
    "without draws": (0.25, 0.0, 0.5, 0.0, 0.25),
}
"""Pairs by half points between equal players: engines from unbalanced openings (as on fishtest), and coins."""
BLOCK = 128
HEADING = "## Beside the GSPRT of engine testing"


def law_at(even: tuple[float, ...], elo: float) -> np.ndarray:
    """Return the distribution of pairs at a difference in Elo: the even one tilted exponentially to that score."""
    weights, values, goal = np.array(even), np.arange(5) / 4, score_of(elo)
    low, high = -20.0, 20.0
    for _ in range(100):
        middle = (low + high) / 2
        law = weights * np.exp(middle * values)
        law /= law.sum()
        low, high = (middle, high) if law @ values < goal else (low, middle)
    return law


@kernel
def draw_block(stream, law, observed):
    for i in range(len(observed)):
        left, value = random_unit(stream), 0
        while value < 4 and left >= law[value]:
            left -= law[value]
            value += 1
        observed[i] = value


@kernel
def simulate_race(kind, terms, law, seed, pairs, decisions):
    """Race once per cell of `pairs`, each on a separate stream."""
    stream, observed, counts = np.empty(1, np.uint64), np.empty(BLOCK, np.int64), np.empty(5, np.int64)
    for r in range(len(pairs)):
        stream[0] = split(seed, r)
        for v in range(5):
            counts[v] = 0
        used, sign = 0, 0
        while sign == 0:
            draw_block(stream, law, observed)
            more, sign = run(kind, terms, counts, observed)
            used += more
        pairs[r] = used
        decisions[r] = sign


@kernel
def simulate_gsprt(score_0, score_1, low, high, law, seed, pairs, decisions):
    """Test once per cell of `pairs`, on the same streams."""
    stream, observed, counts = np.empty(1, np.uint64), np.empty(BLOCK, np.int64), np.empty(5)
    for r in range(len(pairs)):
        stream[0] = split(seed, r)
        for v in range(5):
            counts[v] = 0.0
        used, sign = 0, 0
        while sign == 0:
            draw_block(stream, law, observed)
            for i in range(BLOCK):
                counts[observed[i]] += 1.0
                used += 1
                ratio = log_ratio(counts, score_0, score_1)
                if ratio >= high or ratio <= low:
                    sign = 1 if ratio >= high else -1
                    break
        pairs[r] = used
        decisions[r] = sign


class Found(NamedTuple):
    games: float
    error: float
    """Standard error of the mean games."""
    accepted: float
    """Share of runs that accepted elo1."""


def measure(test: Race | Gsprt, law: np.ndarray, seed: int, repetitions: int) -> Found:
    pairs, decisions = np.empty(repetitions, np.int64), np.empty(repetitions, np.int64)
    if isinstance(test, Race):
        simulate_race(*form(test, 4), law, seed, pairs, decisions)
    else:
        scores = score_of(test.elo0), score_of(test.elo1)
        simulate_gsprt(*scores, *test.bounds, law, seed, pairs, decisions)
    games = 2 * pairs
    error = float(games.std(ddof=1)) / math.sqrt(repetitions)
    return Found(float(games.mean()), error, float((decisions > 0).mean()))


def promise_of(elo: float, elo1: float) -> str:
    return "at most 5 % accepted" if elo <= 0 else "at least 95 % accepted" if elo >= elo1 else "nothing"


class Line(NamedTuple):
    """One true difference: the race, the GSPRT, and the GSPRT at the race's measured errors."""

    elo: float
    race: Found
    gsprt: Found
    equal: Found


def compare(
    even: tuple[float, ...], bounds: tuple[float, float], seed: int, repetitions: int
) -> tuple[Gsprt, list[Line]]:
    """Return the GSPRT at the race's measured errors, and a line for each true difference."""
    race, test = Race("count-mixture-asymmetric", RISK, (score_of(bounds[1]) - 0.5) / 2), Gsprt(*bounds, RISK, RISK)
    laws = {elo: law_at(even, elo) for elo in ELOS}
    races = {elo: measure(race, laws[elo], child(seed, n), repetitions) for n, elo in enumerate(ELOS)}
    least = 1 / repetitions
    alpha, beta = max(races[bounds[0]].accepted, least), max(1 - races[bounds[1]].accepted, least)
    equal = Gsprt(*bounds, alpha, beta)
    lines = []
    for n, elo in enumerate(ELOS):
        both = (measure(each, laws[elo], child(seed, n), repetitions) for each in (test, equal))
        lines.append(Line(elo, races[elo], *both))
    return equal, lines


def table(equal: Gsprt, lines: list[Line]) -> list[str]:
    rows = [
        "| true Elo | race: games | accepted | GSPRT: games | accepted | race / GSPRT "
        "| GSPRT at the race's errors: games | accepted | race / that | promised |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|",
    ]
    for line in lines:
        cells = [f"{line.elo:+d}"]
        for found in (line.race, line.gsprt):
            cells += [f"{found.games:,.0f} +- {found.error:,.0f}", f"{found.accepted:.4f}"]
        cells += [f"{line.race.games / line.gsprt.games:.2f}", f"{line.equal.games:,.0f} +- {line.equal.error:,.0f}"]
        cells += [f"{line.equal.accepted:.4f}", f"{line.race.games / line.equal.games:.2f}"]
        rows.append("| " + " | ".join([*cells, promise_of(line.elo, equal.elo1)]) + " |")
    return rows


def section(repetitions: int, seed: int) -> list[str]:
    began, tables, found = time.process_time(), [], []
    for place, (name, even) in enumerate(LAWS.items()):
        for number, bounds in enumerate(BOUNDS):
            equal, lines = compare(even, bounds, child(seed, place, number), repetitions)
            found.append((f"{name}, [{bounds[0]:g}, {bounds[1]:g}]", bounds[1], lines))
            tables += ["", f"**Pairs {name}, bounds [{bounds[0]:g}, {bounds[1]:g}] Elo** (the race's measured errors: "]
            tables[-1] += f"alpha {equal.alpha:.4f}, beta {equal.beta:.4f})"
            tables += ["", *table(equal, lines)]
            print(tables[-len(ELOS) - 4], f"{time.process_time() - began:.0f} CPU s", file=sys.stderr, flush=True)
    return [HEADING, "", *words(repetitions, seed, found), *tables, ""]


def words(repetitions: int, seed: int, found: list[tuple[str, float, list[Line]]]) -> list[str]:
    told = [(elo1, line) for _, elo1, lines in found for line in lines]
    near = [line for elo1, line in told if 0 <= line.elo <= elo1]
    far = [line for elo1, line in told if not 0 <= line.elo <= elo1]
    promised = [line for elo1, line in told if line.elo <= 0 or line.elo >= elo1]
    wrong = [
        max(test.accepted if line.elo <= 0 else 1 - test.accepted for line in promised for test in [line[1 + place]])
        for place in range(2)
    ]
    lost = sum(line.race.games < line.gsprt.games for _, line in told)
    return [
        f"Made by `python benchmarks/race_gsprt.py --repetitions {repetitions} --seed {seed}`: {repetitions:,} "
        "simulated matches per cell, a number chosen beforehand; pairs of games with colours swapped, a look after "
        "every pair. Elo is logistic. The race is `count-mixture-asymmetric` with delta 0.05, null hypothesis 1/2 "
        "against 1/2 + 2 epsilon, the expected score of elo1; the GSPRT has alpha = beta = 0.05 and fishtest's "
        "likelihood ratio on pentanomial counts, without its correction for overshoot. Both promise the same; between "
        "elo0 and elo1 neither promises anything.",
        "",
        f"From elo0 to elo1 the GSPRT needs fewer games: the race takes {_range(near, 'gsprt')} times as many. Beyond, "
        f"where the difference is clear, the race takes {_range(far, 'gsprt')} times as many; it needs fewer in {lost} "
        f"of all {len(told)} cells. Part of the difference is caution: the largest share of wrong decisions where "
        f"something is promised is {wrong[0]:.4f} for the race and {wrong[1]:.4f} for the GSPRT (standard error at 5 "
        f"%: {math.sqrt(RISK * (1 - RISK) / repetitions):.4f}). With alpha and beta set to the errors that the race "
        f"really had, the race takes {_range(near, 'equal')} times as many games as the GSPRT from elo0 to elo1, and "
        f"{_range(far, 'equal')} times beyond. What is left is the price of the promise: the race's is proved for "
        "every law of the games, at every number of games and however often somebody looks; the GSPRT's holds in the "
        "limit of many games, for a law of the pairs that is estimated on the way.",
    ]


def _range(lines: list[Line], other: str) -> str:
    ratios = [line.race.games / getattr(line, other).games for line in lines]
    return f"{min(ratios):.2f} to {max(ratios):.2f}"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--repetitions", type=int, default=4000)
    options.add_argument("--seed", type=int, default=17)
    options.add_argument("--into", type=Path, metavar="FILE", help="replace the section of this file")
    asked = options.parse_args()
    text = "\n".join(section(asked.repetitions, asked.seed))
    if asked.into is None:
        print(text)
        return
    before, _, after = asked.into.read_text().partition(HEADING)
    rest = after.partition("\n## ")[2]
    asked.into.write_text(before.rstrip() + "\n\n" + text + (f"\n## {rest}" if rest else ""))


if __name__ == "__main__":
    main()
