"""Balance: the constants that make a game fair, found by solving or by races between players that search."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from ...core.find import absolute_spec, free_constants, load_variant
from ...core.game import Game, known_game
from ...core.rng import child
from ...stats.evaluate import report_key
from ..agent_parser import parse_agent
from ..kind import Context, Job, JobRunner, Kind, Outputs, Progress, Recorder, Row, finished_facts
from ..report import Cell, Chart, Part, Report, Series, Table
from ..requests import ConstantsRequest
from ..store import Json, Run
from .report import BLOCK, mirror_score, play_mirror, value_of

RISK = 0.05  # of all intervals together
RACES = 4  # child stream of a run's seed
TABLES_NOTE = (
    "Values are those of the first seat; exact ones are proved by solving. The others are mean payoffs between players "
    "that search, with intervals that hold all together with 95 % at any time. Those that are dropped cannot be among "
    "the nearest any more."
)
Values = tuple[Any, ...]  # of the free constants, in their order


class Candidate(NamedTuple):
    """A choice of constants, with what is known about the first seat's payoff."""

    values: Values
    low: float
    high: float
    score: float
    exact: str | None
    games: int

    def distances(self, middle: float) -> tuple[float, float]:
        """Return the least and the greatest distance from an even game."""
        return max(self.low - middle, middle - self.high, 0.0), max(abs(self.low - middle), abs(self.high - middle))


def variant_of(source: str, names: Sequence[str], values: Sequence[Any], rules: int | str) -> Game:
    base, constants = free_constants(source)
    if base.version != rules or list(constants) != list(names):
        raise ValueError(f"the rules in {source} have changed since the run began: start it anew")
    return load_variant(source, dict(zip(names, values, strict=True)))


def solve_variant(game: str, rules: int | str, names: Sequence[str], values: Sequence[Any], source: str) -> Row:
    return value_of(variant_of(source, names, values, rules))


def race_variant(
    game: str, rules: int | str, names: Sequence[str], values: Sequence[Any], players: str, seed: int,
    first: int, count: int, source: str, store: Path,
) -> Row:  # fmt: skip
    """Play games of a searching player against itself with some constants."""
    chosen = variant_of(source, names, values, rules)
    agent, key = parse_agent(chosen, players, store, seed), int(child(report_key(seed), RACES))
    return play_mirror(chosen, agent, key, first, count)


class ConstantsKind(Kind):
    """Look for the constants of a game file that are nearest to fair."""

    name = method = "constants"
    title = heading = "balance"
    has_report = True
    request = ConstantsRequest

    def check(self, run: Run) -> ConstantsRequest:
        self.demand_versions(run)
        return ConstantsRequest.from_json(run.request)

    def compute(self, run: Run, recorder: Recorder, context: Context) -> Json:
        """Solve every variant that is small enough; then race the others in rounds, dropping those that are too far."""
        request, runner = self.check(run), JobRunner(run, recorder, context)
        game = known_game(request.game)
        names, choices = list(request.free), list(product(*(map(hashable, one) for one in request.free.values())))
        middle = float(game.payoffs[0] + game.payoffs[-1]) / 2
        shared = {"game": request.game, "rules": game.version, "names": names}
        source: Json = {"source": request.template or absolute_spec(request.game) or request.game}
        jobs = [Job("value", solve_variant, shared | {"values": list(values)}, source) for values in choices]
        known, raced = list[Candidate](), dict[Values, list[Row]]()
        with closing(runner.rows(jobs)) as rows:
            for done, (values, row) in enumerate(zip(choices, rows, strict=True), 1):
                context.on_progress(Progress(f"{done:,} of {len(choices):,} variants", done / len(choices)))
                if row["value"] is None:
                    raced[values] = []
                else:
                    score = row["value"]
                    known.append(Candidate(values, score, score, score, row["exact"], 0))
        risk, open_, first, count = RISK / max(len(raced), 1), list(raced), 0, BLOCK
        while open_ and first < request.games:
            block: Json = {"players": request.player, "seed": request.seed}
            given, parts = source | {"store": context.store}, list(parts_of(first, min(count, request.games - first)))
            jobs = [
                Job("race", race_variant, shared | {"values": list(values)} | block | part, given)
                for values in open_
                for part in parts
            ]
            with closing(runner.rows(jobs)) as rows:
                for done, row in enumerate(rows, 1):
                    raced[hashable(row["values"])].append(row)
                    context.on_progress(Progress(f"{len(open_)} variants race", done / len(jobs)))
            first, count = first + min(count, request.games - first), 2 * count
            current = [*known, *(raced_candidate(game, values, rows, risk) for values, rows in raced.items())]
            limit = sorted(one.distances(middle)[1] for one in current)[: request.nearest][-1]
            left = {one.values for one in current if one.distances(middle)[0] <= limit}
            open_ = [values for values in open_ if values in left]
        found = [*known, *(raced_candidate(game, values, rows, risk) for values, rows in raced.items())]
        found.sort(key=lambda one: (abs(one.score - middle), one.values))
        return {
            "free": {name: list(values) for name, values in request.free.items()},
            "variants": len(choices), "solved": len(known), "even": middle,
            "tables": [
                {"constants": dict(zip(names, one.values, strict=True)), "score": one.score, "exact": one.exact}
                | {"interval": [one.low, one.high], "games": one.games}
                | {"dropped": one.values in raced and one.values not in open_}
                for one in found
            ],
        }  # fmt: skip

    def headline(self, run: Run) -> str:
        return f"balance of {run.request['game']}"

    def summary(self, run: Run) -> list[str]:
        if run.result is None:
            return []
        found, best = run.result, run.result["tables"][0]
        low, high = best["interval"]
        score = best["exact"] or f"{best['score']:.4f} [{low:.4f}, {high:.4f}]"
        return [
            f"{found['variants']:,} variants, {found['solved']:,} of them solved; an even game has {found['even']:g}.",
            f"Nearest to fair: {constants_text(best['constants'])}, where the first seat gets {score}.",
        ]

    def terminal_lines(self, run: Run, delivered: Outputs) -> Iterator[str | Table]:
        yield f"{run.request['game']}: the constants nearest to fair"
        yield from self.summary(run)
        yield self._table(run, run.request["nearest"])

    def _table(self, run: Run, most: int | None = None) -> Table:
        found = (run.result or {})["tables"][:most]
        rows: list[Sequence[Cell]] = [
            (
                *map(str, one["constants"].values()),
                one["score"],
                *one["interval"],
                one["exact"] or "",
                one["games"],
                "dropped" if one["dropped"] else "",
            )
            for one in found
        ]
        columns = (*run.request["free"], "first seat", "from", "to", "exact", "games", "")
        return Table("tables", "The constants nearest to fair", columns, rows, note=TABLES_NOTE)

    def result_json(self, run: Run, delivered: Outputs) -> Json:
        return finished_facts(run) | (run.result or {})

    def report(self, run: Run) -> Report:
        found = (run.result or {})["tables"]
        points = [(constants_text(one["constants"]), one["score"], *one["interval"]) for one in found[:40]]
        drawn = Chart(
            "values", "Payoff of the first seat", "", "payoff", [Series.of("first seat", points)], kind="dots"
        )
        parts: list[Part] = [self._table(run), drawn]
        title = f"Balance: {run.request['game']}"
        return Report(f"balance-{run.request['game']}", title, self.command(run.request), self.summary(run), parts)


def hashable(value: Any) -> Any:
    """Return a value of a constant as it was before JSON turned its tuples into lists."""
    return tuple(map(hashable, value)) if isinstance(value, list | tuple) else value


def parts_of(first: int, count: int) -> Iterator[Json]:
    for at in range(first, first + count, BLOCK):
        yield {"first": at, "count": min(BLOCK, first + count - at)}


def raced_candidate(game: Game, values: Values, rows: Sequence[Mapping[str, Any]], risk: float) -> Candidate:
    games, score, low, high = mirror_score(game, rows, risk)
    return Candidate(values, low, high, score, None, games)


def constants_text(constants: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in constants.items())


KIND = ConstantsKind()
KINDS = (KIND,)
