"""Frequency of tuning runs that end below their initial parameters: every method, many seeds, four games.

    python benchmarks/starts.py [--seeds 100] [--games 20000] [--methods auto,duel] [--rows FILE] [--output FILE.md]

The result of a run is scored against its own initial parameters. The score is exact where the rate of two vectors is
known (Pig, Guess Who, Nim). Elsewhere it is measured by fresh games, and counts as below if the whole anytime-valid
interval lies below 1/2. Rows are saved in a file as they are found, and recalled; seeds are those from 401 on, on which
no method was developed.
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from fogspiel.core import plugins
from fogspiel.core.agents import MIXED, ParametricPolicy, exact_score, fixed_baseline
from fogspiel.core.game import known_game
from fogspiel.process.jobs import beat
from fogspiel.stats.evaluate import evaluate, report_key
from fogspiel.tuning.methods import tune_methods
from fogspiel.tuning.tune import tune_strategy

plugins.use(Path(__file__).with_name("plugins"))  # methods outside the package

GAMES = ("pig", "guesswho128", "batawaf", "nim")
FIRST_SEED = 401
FRESH = 20_000
HEADER = ("method", *(f"{name}: below, as good, better" for name in GAMES), "least score against the start")


def score_against_start(name: str, policy: ParametricPolicy, seed: int) -> tuple[float, float]:
    """Return the score of a result against its run's initial parameters, and its upper limit."""
    game = known_game(name)
    start = fixed_baseline(game, seed)
    if name != "batawaf" and policy.selection != MIXED:
        exact = float(exact_score(game, policy, start))
        return exact, exact
    score = evaluate(game, policy, start, report_key(seed), FRESH)
    return score.mean, score.interval[1]


def rows(asked: argparse.Namespace) -> list[dict]:
    """Return a row for each method, game and seed; rows of the file are recalled."""
    known = [json.loads(line) for line in asked.rows.read_text().splitlines()] if asked.rows.exists() else []
    found = {(row["method"], row["game"], row["seed"]): row for row in known if row["games"] == asked.games}
    with asked.rows.open("a") as file:
        for method in asked.methods.split(",") if asked.methods else tune_methods():
            for name in GAMES:
                for seed in range(FIRST_SEED, FIRST_SEED + asked.seeds):
                    if (method, name, seed) in found:
                        continue
                    beat()
                    tuned = tune_strategy(name, method, asked.games, seed)
                    score, upper = score_against_start(name, tuned.policy, seed)
                    proved = tuned.final is not None and tuned.final.proved
                    row = {"method": method, "game": name, "seed": seed, "games": asked.games}
                    found[method, name, seed] = row | {"score": score, "upper": upper, "proved": proved}
                    print(json.dumps(found[method, name, seed]), file=file, flush=True)
    return list(found.values())


def lines(found: list[dict], asked: argparse.Namespace) -> list[str]:
    cells = []
    for method in dict.fromkeys(row["method"] for row in found):
        line: list[str] = [f"`{method}`"]
        for name in GAMES:
            mine = [row for row in found if (row["method"], row["game"]) == (method, name)]
            below = sum(row["upper"] < 0.5 for row in mine)
            better = sum(row["proved"] for row in mine)
            line.append(f"{below}, {len(mine) - below - better}, {better}")
        line.append(f"{min(row['score'] for row in found if row['method'] == method):.4f}")
        cells.append(line)
    table = ["| " + " | ".join(row) + " |" for row in (HEADER, ["---"] * len(HEADER), *cells)]
    return [
        "# Tuning runs do not end below their start",
        "",
        f"Made by `python benchmarks/starts.py --seeds {asked.seeds} --games {asked.games}`.",
        "",
        f"{asked.seeds} seeds of every method and game, {asked.games:,} games per run, the last tenth of which is for "
        "the race of the answer against the start. Below: the answer loses to its own start (exactly, or, at Batawaf "
        f"and for mixtures, by the whole interval of {FRESH:,} fresh games); better: the run has proved a gain; as "
        "good: no gain was proved and the start is the answer. The race allows five of a hundred to end below.",
        "",
        *table,
    ]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seeds", type=int, default=100)
    options.add_argument("--games", type=int, default=20_000)
    options.add_argument("--methods", default="")
    options.add_argument("--rows", type=Path, default=Path("starts.jsonl"))
    options.add_argument("--output", type=Path)
    asked = options.parse_args()
    text = "\n".join(lines(rows(asked), asked)) + "\n"
    if asked.output is not None:
        asked.output.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
