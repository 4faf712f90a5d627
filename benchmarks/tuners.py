"""Our methods, the paper's and other optimisers on the games of the benchmark, with the same number of games.

    python benchmarks/tuners.py [--seeds 3] [--scale 1] [--store beyond.db] [--processes 2] [--output tuners]

The peers (nevergrad's TBPSA and noisy (1+1), and `cma` alone) minimise the common criterion: the score against Gaussian
vectors, redrawn for every game pair, with 32 games for every point that they propose. The budgets are those of
`fogspiel paper table2`. Ours and the paper's are the rows of `plugins/papers/methods_compared.py`, recalled if the
store has them. Every row is stored: after an interruption the same command resumes.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from optimisers import PEERS, cma_alone, last, peer, redrawn
from plugins.papers import methods_compared
from plugins.papers.methods_compared import JUDGED, OURS, seeds_of

from fogspiel.core.game import known_game
from fogspiel.papers.cauwet2018.printed_tables import LINES, METHODS, Line
from fogspiel.papers.cauwet2018.table2 import (
    SCORED,
    CellScore,
    idle_note,
    score_answer,
    scores_of,
    scoring_games,
    training_games,
)
from fogspiel.papers.kinds import Batches, PaperKind, PaperPart
from fogspiel.runs.kind import Context, Job, Progress, Row, find_or_create_run, rows_of
from fogspiel.runs.report import Report, Table, write_report
from fogspiel.runs.requests import PaperRequest
from fogspiel.runs.store import Store
from fogspiel.tuning.arena import Arena, Budget

CMA = "cma alone"
OTHERS = (*PEERS, CMA)


def search(game: str, method: str, seed: int, games: int) -> Row:
    arena = Arena(known_game(game), seed, budget=Budget(games))
    walk = cma_alone if method == CMA else peer(method, redrawn)
    return {"theta": last(arena, walk).tolist(), "played": arena.games}


def batches(request: PaperRequest) -> Batches:
    """Yield the peers' training runs, the games that score them, and everything of `methods_compared`."""
    found = yield [
        Job("searched", search, {"game": line.game, "method": method, "seed": seed, "games": games})
        for line in LINES
        for games in [training_games(line.game, OURS[0], request)]
        for method in OTHERS
        for seed in seeds_of(request, line.game, method)
    ]
    yield [
        Job(
            SCORED,
            score_answer,
            {key: row[key] for key in ("game", "method", "seed")}
            | {"race": request.race, "training": row["games"], "against": JUDGED}
            | {"games": scoring_games(row["game"], request)},
            {"found": row},
        )
        for row in found
    ]
    yield from methods_compared.batches(request)


def report(request: PaperRequest, rows: Sequence[Row]) -> Report:
    scores, seeds = scores_of(rows), seeds_of(request, LINES[0].game, OURS[0])
    return Report(
        name="tuners",
        title="Our methods beside the paper's and other people's optimisers, with the same number of games",
        command=f"python benchmarks/tuners.py --seeds {len(seeds)} --scale {request.scale:g}",
        paragraphs=(
            "Scores of fresh games against Gaussian vectors that are redrawn for every pair of games, with the same "
            "number of training games for everybody (the paper's method of seeds more in some games, see Table II); "
            f"means over {len(seeds)} training seeds from {seeds[0]} on (the paper's: those of Table II), with the "
            "interval over seeds (fewer than six: the lowest and the highest). The verdict says what ours is beside "
            "each of the others: `better` or `worse` where these intervals are clear of each other and those over "
            "games are too, else `not told apart`.",
            "The best of ours is the best of several by these same games, and so is the best of the paper's; a peer "
            "stands alone. `reply` and `auto` of ours and `naive` of the paper's methods train against what judges, as "
            "the peers do; the others never meet it.",
            *idle_note(rows),
            "Numbers are kept within a million: where few parameters decide and large ones are all alike, the steps of "
            "`cma` alone and of the noisy (1+1) grow beyond all limits, and the mean of `cma` may end anywhere.",
        ),
        parts=(Table("verdicts", "Who finds what", COLUMNS, [_line(line, scores) for line in LINES]),),
    )


COLUMNS = (
    "game", "best of ours", "mean, ours", "from", "to", "best of the paper's", "mean, the paper's", "the paper's from",
    "the paper's to", "verdict", *(f"{name}{what}" for name in OTHERS for what in ("", " from", " to", ": verdict")),
)  # fmt: skip


def _line(line: Line, scores: methods_compared.Scores) -> tuple:
    def best(methods: Sequence[str]) -> tuple[str, CellScore]:
        found = {name: scores[line.game, name, JUDGED] for name in methods if (line.game, name, JUDGED) in scores}
        name = max(found, key=lambda name: found[name].mean)
        return name, found[name]

    ours, mine = best(OURS)
    cells: list = [line.title, ours, mine.mean, *mine.over_seeds[1:3]]
    for theirs, score in (best(METHODS), *(best((other,)) for other in OTHERS)):
        cells += [theirs] if theirs in METHODS else []
        cells += [score.mean, *score.over_seeds[1:3], methods_compared.verdict(mine, score)]
    return tuple(cells)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--scale", type=float, default=1.0)
    options.add_argument("--store", type=Path, default=Path("beyond.db"))
    options.add_argument("--processes", type=int, default=2)
    options.add_argument("--output", type=Path, default=Path("tuners"))
    asked = options.parse_args()
    request = PaperRequest("tuners", seeds=asked.seeds, scale=asked.scale)

    def watch(progress: Progress) -> None:
        print(progress.text, flush=True)

    with Store.open(asked.store, write=True) as store:
        run = find_or_create_run(store, request.to_json())
        tuners = PaperKind(lambda name: PaperPart(name, "ours", batches, report))
        tuners.execute(run, Context(asked.store, asked.processes, on_progress=watch))
    for path in write_report(report(request, rows_of(run)), asked.output):
        print(path)


if __name__ == "__main__":
    main()
