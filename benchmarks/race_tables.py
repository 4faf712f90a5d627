"""Games and wrong picks of the races, compared with the prototype and the KL lower bound.

    python benchmarks/race_tables.py [--quick]

Each cell is printed as: mean games +- standard error (the prototype's figure; deviation in standard errors), then the
same for the share of wrong picks. A deviation counts the standard errors of both measurements and the rounding.
"""

import argparse
import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from fogspiel.core.compile.kernel import kernel
from fogspiel.core.rng import child, random_unit, split
from fogspiel.stats.race import Race, form, run

RATES = (0.5, 0.505, 0.51, 0.52, 0.55, 0.6, 0.7, 0.9)
BERNSTEIN = ("paper", "ebgstop")
NAMES = ("paper", "ebgstop", "count-mixture", "count-mixture-symmetric")
BLOCK = 128
Figures = tuple[tuple[int, ...], tuple[float, ...]]

# (delta, draws) -> race -> mean games, wrong picks from rate 0.505 on. Draws are 0.15 at rate 0.9 where there are any.
PROTOTYPE: dict[tuple[float, float], dict[str, Figures]] = {
    (0.05, 0.0): {
        "paper": ((107406, 107369, 92948, 26292, 4840, 1433, 445, 129), (0, 0, 0, 0, 0, 0, 0)),
        "ebgstop": ((71511, 71350, 60169, 19254, 3841, 1186, 406, 127), (0.005, 0, 0, 0, 0, 0, 0)),
        "count-mixture": ((8121, 6864, 4674, 2218, 583, 190, 54, 14), (0.148, 0.025, 0.006, 0.002, 0.001, 0, 0)),
        "count-mixture-symmetric": ((5663, 5054, 3842, 2166, 656, 214, 62, 16), (0.182, 0.04, 0.004, 0, 0.001, 0, 0)),
    },
    (0.05, 0.5): {
        "paper": ((56919, 56917, 49845, 15119, 3075, 985, 328, 117), (0, 0, 0, 0, 0, 0, 0)),
        "ebgstop": ((39073, 39002, 33589, 11283, 2486, 843, 304, 117), (0.006, 0, 0, 0, 0, 0, 0)),
        "count-mixture": ((4538, 3734, 2489, 1186, 314, 100, 27, 12), (0.126, 0.025, 0.004, 0.002, 0, 0, 0)),
        "count-mixture-symmetric": ((4307, 3672, 2606, 1301, 364, 114, 30, 13), (0.128, 0.017, 0.002, 0, 0, 0, 0)),
    },
    (0.01, 0.0): {
        "paper": ((116920, 116894, 102042, 28944, 5415, 1607, 504, 149), (0, 0, 0, 0, 0, 0, 0)),
        "ebgstop": ((81460, 81441, 69326, 22090, 4401, 1373, 468, 147), (0.001, 0, 0, 0, 0, 0, 0)),
        "count-mixture": ((14919, 11430, 7040, 3276, 838, 265, 74, 19), (0.089, 0.007, 0.002, 0, 0, 0, 0)),
        "count-mixture-symmetric": ((11466, 9459, 6525, 3395, 945, 299, 82, 20), (0.097, 0.008, 0.001, 0, 0, 0, 0)),
    },
    (0.01, 0.5): {
        "paper": ((62159, 62158, 54800, 16636, 3423, 1109, 372, 135), (0, 0, 0, 0, 0, 0, 0)),
        "count-mixture": ((7950, 6076, 3757, 1714, 446, 138, 36, 15), (0.064, 0.004, 0.001, 0, 0, 0, 0)),
        "count-mixture-symmetric": ((8050, 6244, 4006, 1877, 501, 154, 40, 16), (0.068, 0.004, 0, 0, 0, 0, 0)),
    },
}
# The safe weights with epsilon 0.005, delta 0.05, no draws, 2000 repetitions.
TIGHTER = {0.5: 31394, 0.505: 17393, 0.51: 8285, 0.52: 3156, 0.55: 686}


def kl_bound(law: Sequence[float], delta: float, epsilon: float) -> float:
    """Return a lower bound on the expected observations that this guarantee needs under a distribution."""
    lose, win = sorted(growth(side, 0.5 - epsilon) for side in (law, law[::-1]))
    low, high = delta, 1 - delta  # the probability s of picking the better player at which the two bounds are equal
    for _ in range(100):
        s = (low + high) / 2
        low, high = (s, high) if divergence(s, delta) * lose < divergence(1 - s, delta) * win else (low, s)
    return divergence(high, delta) / win


def divergence(a: float, b: float) -> float:
    """Return the Kullback-Leibler divergence of a coin with probability a from one with probability b."""
    return a * math.log(a / b) + (1 - a) * math.log((1 - a) / (1 - b))


def growth(law: Sequence[float], m: float) -> float:
    """Return Kinf: the greatest expected log growth of a constant bet on a mean above m under this distribution."""
    steps = [(p, v / (len(law) - 1) - m) for v, p in enumerate(law) if p > 0]
    low, high = 0.0, 1 / m
    for _ in range(100):  # the derivative falls; if it is negative at zero, the best bet is zero
        bet = (low + high) / 2
        rising = sum(p * step / (1 + bet * step) for p, step in steps) > 0
        low, high = (bet, high) if rising else (low, bet)
    return sum(p * math.log1p(low * step) for p, step in steps)


def draws_at(rate: float, some_draws: float) -> float:
    return min(some_draws, 0.15) if rate == 0.9 else some_draws


@kernel
def simulate(kind, terms, lose, draws, seed, games, decisions):
    """Race once per cell of `games`, each on a separate stream, drawing outcomes block by block."""
    stream = np.empty(1, np.uint64)
    observed = np.empty(BLOCK, np.int64)
    counts = np.empty(3, np.int64)
    for r in range(len(games)):
        stream[0] = split(seed, r)
        counts[0], counts[1], counts[2] = 0, 0, 0
        used, sign = 0, 0
        while sign == 0:
            for i in range(BLOCK):
                u = random_unit(stream)
                observed[i] = 0 if u < lose else 1 if u < lose + draws else 2
            more, sign = run(kind, terms, counts, observed)
            used += more
        games[r] = used
        decisions[r] = sign


def games_deviation(games: float, spread: float, repetitions: int, noted: float, noted_repetitions: int) -> float:
    """Return the distance of our mean games from the prototype's in standard errors."""
    return (games - noted) / math.sqrt(spread**2 * (1 / repetitions + 1 / noted_repetitions) + 1 / 12)


def wrong_deviation(wrong: float, repetitions: int, noted: float, noted_repetitions: int) -> float:
    """Return the same for the share of wrong picks, which the prototype prints to 0.001."""
    pooled = (wrong * repetitions + noted * noted_repetitions) / (repetitions + noted_repetitions)
    variance = pooled * (1 - pooled) * (1 / repetitions + 1 / noted_repetitions) + 0.001**2 / 12
    return (wrong - noted) / math.sqrt(variance)


@dataclass
class Tally:
    seed: int
    quick: bool
    simulated: int = 0
    cells: int = 0
    outside: list[str] = field(default_factory=list)
    at_the_edge: list[str] = field(default_factory=list)
    ratios: list[tuple[float, float, float, float, float]] = field(default_factory=list)

    def measure(self, race: Race, rate: float, draws: float, repetitions: int) -> tuple[float, float, float]:
        """Return mean games, their standard deviation and the share of wrong picks, on streams not used before."""
        self.simulated += 1
        games, decisions = np.empty(repetitions, np.int64), np.empty(repetitions, np.int64)
        seed = child(self.seed, self.simulated)
        simulate(*form(race, 2), 1 - rate - draws / 2, draws, seed, games, decisions)
        return games.mean(), games.std(ddof=1), (decisions < 0).mean()

    def compare(self, place: str, ours: float, noted: float, deviation: float) -> str:
        self.cells += 1
        if abs(deviation) > 3:
            self.outside.append(f"  {place}: {ours:.6g}, prototype {noted:.6g} ({deviation:+.1f} SE)")
        return f" ({noted:>6g}; {deviation:+5.1f})"


def print_race(tally: Tally, race: Race, some_draws: float, notes: Figures | None) -> list[float]:
    """Print a line per win rate; return the mean games."""
    repetitions = (100 if tally.quick else 2000) if race.name in BERNSTEIN else 1000 if tally.quick else 10_000
    noted_repetitions = 1000 if race.name in BERNSTEIN else 4000 if race.delta == 0.05 else 2000
    print(f"  {race.name}, {repetitions} repetitions")
    means = []
    for column, rate in enumerate(RATES):
        draws = draws_at(rate, some_draws)
        place = f"{race.name} at {rate}, delta {race.delta}, draws {draws:g}"
        games, spread, wrong = tally.measure(race, rate, draws, repetitions)
        means.append(games)
        left = f"{games:9.1f} +- {spread / math.sqrt(repetitions):6.1f}"
        right = f"{wrong:.4f} +- {math.sqrt(wrong * (1 - wrong) / repetitions):.4f}"
        if rate == 0.51:
            tally.at_the_edge.append(f"  {place}: {right}")
        if notes is not None:
            noted = notes[0][column]
            deviation = games_deviation(games, spread, repetitions, noted, noted_repetitions)
            left += tally.compare(f"games of {place}", games, noted, deviation)
            if rate > 0.5:
                noted_wrong = notes[1][column - 1]
                deviation = wrong_deviation(wrong, repetitions, noted_wrong, noted_repetitions)
                right += tally.compare(f"wrong picks of {place}", wrong, noted_wrong, deviation)
        print(f"    {rate:<5} {left}   {right if rate > 0.5 else ''}", flush=True)
    return means


def print_ratios(tally: Tally, delta: float, some_draws: float, means: dict[str, list[float]]) -> None:
    """Print per win rate the ratios of the safe weights to the paper's race and to the lower bound."""
    print("  rate    bound   paper/safe   safe/bound   symmetric/bound")
    for column, rate in enumerate(RATES):
        draws = draws_at(rate, some_draws)
        bound = kl_bound([1 - rate - draws / 2, draws, rate - draws / 2], delta, 0.01)
        paper, _, safe, symmetric = (means[name][column] for name in NAMES)
        tally.ratios.append((paper / safe, safe / bound, rate, delta, draws))
        print(f"  {rate:<5} {bound:7.1f} {paper / safe:12.2f} {safe / bound:12.2f} {symmetric / bound:17.2f}")


def print_tighter_zone(tally: Tally) -> None:
    """Print the safe race with half the tolerance; the prototype left the bets unscaled and we scale them."""
    print("\nTighter zone: epsilon 0.005, delta 0.05, no draws, safe weights (the prototype left the bets unscaled)")
    repetitions = 500 if tally.quick else 4000
    for rate, noted in TIGHTER.items():
        games, spread, wrong = tally.measure(Race("count-mixture", 0.05, 0.005), rate, 0.0, repetitions)
        deviation = games_deviation(games, spread, repetitions, noted, 2000)
        line = f"  {rate:<5} {games:9.1f} +- {spread / math.sqrt(repetitions):6.1f} ({noted:6}; {deviation:+5.1f})"
        print(line + f"   {games / noted:.2f} times" + (f"   wrong {wrong:.4f} (0.046)" if rate == 0.505 else ""))


def print_summary(tally: Tally) -> None:
    def place(ratio: tuple[float, ...]) -> str:
        return "at {}, delta {}, draws {:g}".format(*ratio[2:])

    print(f"\n{tally.cells - len(tally.outside)} of {tally.cells} cells are within 3 standard errors; outside:")
    print("\n".join(tally.outside) or "  none")
    print("(Beyond 1000 games the prototype looked at every tenth, except in the first table: up to 9 games more.)")
    slowest = min(tally.ratios)
    print(f"smallest paper/safe: {slowest[0]:.2f} {place(slowest)} (target >= 6)")
    close = min(ratio for ratio in tally.ratios if ratio[2] <= 0.52 and ratio[3] == 0.05)
    print(f"  at rates up to 0.52, delta 0.05: {close[0]:.2f} {place(close)} (the prototype's goal >= 12)")
    farthest = max(tally.ratios, key=lambda ratio: ratio[1])
    print(f"largest safe/bound: {farthest[1]:.2f} {place(farthest)} (target <= 2.2)")
    for delta, goal in ((0.05, 2.0), (0.01, 1.7)):
        farthest = max((ratio for ratio in tally.ratios if ratio[3] == delta), key=lambda ratio: ratio[1])
        print(f"  at delta {delta}: {farthest[1]:.2f} {place(farthest)} (the prototype's goal <= {goal})")
    print("wrong picks at the edge of the zone:\n" + "\n".join(tally.at_the_edge))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="half a minute instead of minutes, with wider errors")
    parser.add_argument("--seed", type=int, default=2018)
    options = parser.parse_args()
    tally, started = Tally(options.seed, options.quick), time.process_time()
    for (delta, some_draws), notes in PROTOTYPE.items():
        print(f"\ndelta {delta}, draws {some_draws:g}{' (0.15 at rate 0.9)' if some_draws else ''}")
        means = {name: print_race(tally, Race(name, delta), some_draws, notes.get(name)) for name in NAMES}
        print_ratios(tally, delta, some_draws, means)
    print_tighter_zone(tally)
    print_summary(tally)
    print(f"{time.process_time() - started:.0f} CPU seconds")


if __name__ == "__main__":
    main()
