"""Power and false claims of the test at the end of a program's tuning, simulated on counts of game pairs.

    python benchmarks/proofs.py [--runs 1000] [--seed 11] [--into docs/results/races.md]

A run of G games has a quarter of them for the test (`GainTest.for_pairs`), whose error probability is 5 %. Half of the
games are drawn, and the two games of a pair are independent. A row is a number of games and a true gain: how many runs
claim a gain, how many have an anytime-valid 95 % interval (of all the games that were played) that misses the true
score, and the mean number of games of the test before its verdict.
"""

import argparse
from pathlib import Path

import numpy as np

from fogspiel.stats.evaluate import elo_of, score_of
from fogspiel.stats.race import LOG_WEIGHTS, STAKES, GainTest, form, run
from fogspiel.tuning.programs.contest import SHARE

DRAWS = 0.5
ROWS = ((3_000, 0), (12_000, 0), (128_000, 0), (12_000, 10), (12_000, 20), (128_000, 3), (128_000, 5), (128_000, 10))
HEADING = "## The test at the end of a program's tuning"


def pair_law(elo: float) -> np.ndarray:
    """Return the distribution of the half points of a pair of independent games."""
    win = score_of(elo) - DRAWS / 2
    game = np.array([1 - DRAWS - win, DRAWS, win])
    return np.convolve(game, game)


def simulate(games: int, elo: float, runs: int, seed: int) -> tuple[float, float, float]:
    pairs, law = int(games * SHARE) // 2, pair_law(elo)
    kind, terms = form(GainTest.for_pairs(pairs), 4)
    rng, claimed, missed, used = np.random.default_rng([seed, games, int(elo)]), 0, 0, 0
    for _ in range(runs):
        counts = np.zeros(5, np.int64)
        observed = rng.choice(5, size=pairs, p=law)
        spent, decision = run(kind, terms, counts, observed)
        if decision > 0:  # the rest makes the interval narrower
            counts += np.bincount(observed[spent:], minlength=5)
        claimed, used = claimed + (decision > 0), used + 2 * spent
        missed += misses(counts, score_of(elo))
    return claimed / runs, missed / runs, used / runs


def misses(counts: np.ndarray, score: float) -> bool:
    """True if a score lies outside of `interval`: where the bets on a larger or on a smaller one have won."""
    for seen, mean in ((counts, score), (counts[::-1], 1 - score)):
        values = np.arange(len(seen)) / (len(seen) - 1) / mean
        logs = LOG_WEIGHTS + np.array([float(seen @ np.log(1 - stake + stake * values)) for stake in STAKES])
        if float(np.exp(np.minimum(logs, 700)).sum()) >= 2 / 0.05:
            return True
    return False


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runs", type=int, default=1000)
    options.add_argument("--seed", type=int, default=11)
    options.add_argument("--into", type=Path)
    asked = options.parse_args()
    lines = [HEADING, "", f"Made by `python benchmarks/proofs.py --runs {asked.runs} --seed {asked.seed}`: half of the"]
    lines += [f"games drawn, {asked.runs:,} simulated runs for each row.", ""]
    lines += ["| games of the run | true gain | second Elo of the test | claim a gain | interval misses | games used |"]
    lines += ["|---:|---:|---:|---:|---:|---:|"]
    for games, elo in ROWS:
        claimed, missed, used = simulate(games, elo, asked.runs, asked.seed)
        second = elo_of(GainTest.for_pairs(int(games * SHARE) // 2).high)
        lines.append(f"| {games:,} | {elo:+d} | {second:.1f} | {claimed:.1%} | {missed:.1%} | {used:,.0f} |")
        print(lines[-1], flush=True)
    if asked.into:
        before = asked.into.read_text().partition(HEADING)[0].rstrip()
        asked.into.write_text("\n".join([before, "", *lines, ""]))


if __name__ == "__main__":
    main()
