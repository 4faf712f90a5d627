"""Round-robin standings: the jobs of each pair, and results as tables, charts, sentences and JSON."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from ..core.game import WIN_DRAW_LOSS, Game
from ..process.heartbeat import SilenceLimits
from ..stats import round_robin
from ..stats.evaluate import INTERVALS_NOTE
from ..stats.race import Race, decision, interval
from ..stats.round_robin import TRUSTED_SHARE, counts_of, cyclic_share, error_bars, nash_average, scores_of
from .kind import Job, Row, rows_of
from .report import Cell, Chart, Series, Table
from .request import signed, with_interval
from .store import Json, Run

RISK = 0.05
RACE = Race("count-mixture")  # may stop the games of a pair early


class Standings:
    """Players, scores with simultaneous intervals, and rankings with error bars."""

    def __init__(self, players: Sequence[str], counts: np.ndarray, seed: int) -> None:
        """Compute all statistics from the counts of a round robin; `seed` is for resampling."""
        self.players, self.counts, self.scores = tuple(players), counts, scores_of(counts)
        # Limits at [i, j], simultaneously valid at 95 % confidence.
        self.limits = np.full((*self.scores.shape, 2), 0.5)
        for i, j in combinations(range(len(players)), 2):
            low, high = interval(counts[i, j], RISK / self.pairs)  # Bonferroni
            self.limits[i, j], self.limits[j, i] = (low, high), (1 - high, 1 - low)
        self.claims, self.luck = round_robin.claims(counts), round_robin.share_of_luck(counts)
        self.nash, self.share = nash_average(self.scores), cyclic_share(self.scores)
        again = list(round_robin.resample(counts, seed, round_robin.RESAMPLES))
        equilibria = [nash_average(scores_of(drawn)) for drawn in again]
        self.weight_bars = error_bars([found.weights for found in equilibria])
        self.support_bars = [float(bar) for bar in error_bars([found.support for found in equilibria])]
        self.share_bars = [float(bar) for bar in error_bars([cyclic_share(scores_of(drawn)) for drawn in again])]
        rated = self.share < TRUSTED_SHARE
        self.elo = round_robin.elo(counts) if rated else None
        self.elo_bars = error_bars([round_robin.elo(drawn) for drawn in again]) if rated else None

    @property
    def pairs(self) -> int:
        return len(self.players) * (len(self.players) - 1) // 2

    @property
    def beats(self) -> np.ndarray:
        """Wins between players shown at 95 % confidence for all claims together."""
        return self.claims <= RISK

    @property
    def best(self) -> list[str]:
        """Best players by the definition of Table III: at least one half against every opponent."""
        return [self.players[i] for i in round_robin.undefeated(self.scores)]

    @property
    def circle(self) -> list[str]:
        """Players in a cycle of significant wins; empty if there is none."""
        return [self.players[i] for i in round_robin.cycle(self.beats)]

    def order(self) -> list[int]:
        """Return the players by score against the Nash average, then by mean score."""
        return sorted(
            range(len(self.players)), key=lambda i: (-round(float(self.nash.scores[i]), 9), -self.scores[i].sum())
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "players": list(self.players),
            "observations": int(self.counts.sum()) // 2,
            "pairs": self.pairs,
            "scores": self.scores.tolist(),
            "intervals": self.limits.tolist(),
            "claims": self.claims.tolist(),
            "best": self.best,
            "ranking": [self.players[i] for i in self.order()],
            "nash": {
                "weights": self.nash.weights.tolist(),
                "low": self.weight_bars[0].tolist(),
                "high": self.weight_bars[1].tolist(),
                "scores": self.nash.scores.tolist(),
                "support": self.nash.support,
                "support_bars": self.support_bars,
            },
            "cyclic_share": self.share,
            "cyclic_share_bars": self.share_bars,
            "luck": self.luck,
            "circle": self.circle,
            "elo": None if self.elo is None else self.elo.tolist(),
            "elo_bars": None if self.elo_bars is None else [bar.tolist() for bar in self.elo_bars],
        }


@lru_cache(maxsize=8)
def standings_of_pairs(players: tuple[str, ...], pairs: tuple[tuple[int, ...], ...], seed: int) -> Standings:
    """Return the cached standings from the observations of each pair, in the order of `combinations`."""
    met = dict(zip(combinations(range(len(players)), 2), pairs, strict=True))
    return Standings(players, counts_of(len(players), met), seed)


class Meetings(ABC):
    """Round-robin pairings: the players, the jobs of each pair, and the counting of their rows.

    Agents of any game play by `evaluate`; a slice whose players need more (clocks, rules, records) supplies a subclass.
    """

    seed: int  # of the games and of the resampled error bars
    stop: bool = False  # true if a pair stops as soon as a winner is shown
    rounds: bool = False  # true if all undecided pairs play on together, for twice as long in each round
    seconds: float | None = None  # of work, after which no more games begin; the first round is played in any case
    job_games: int = 2  # games per job

    @property
    @abstractmethod
    def names(self) -> list[str]: ...

    @abstractmethod
    def jobs(self, meeting: tuple[int, int]) -> list[Job]:
        """Return the jobs of a pair; their rows hold the names as `first` and `second`."""

    @abstractmethod
    def observed(self, rows: Sequence[Row]) -> tuple[int, ...]:
        """Count the game pairs by the first player's score, from two losses to two wins."""

    def tally(self, rows: Sequence[Row]) -> str:
        """Return the progress text of a pair."""
        return ""

    @property
    def patience(self) -> SilenceLimits:
        return SilenceLimits()

    @property
    def meetings(self) -> list[tuple[int, int]]:
        return list(combinations(range(len(self.names)), 2))

    def rows(self, run: Run) -> list[list[Row]]:
        names = self.names
        places = {(names[i], names[j]): place for place, (i, j) in enumerate(self.meetings)}
        found: list[list[Row]] = [[] for _ in self.meetings]
        for row in rows_of(run):
            found[places[row["first"], row["second"]]].append(row)
        return found

    def proved_winner(self, rows: Sequence[Row]) -> int:
        """Return the winner shown by the race: 1 the first, -1 the second, 0 neither yet."""
        return decision(RACE, np.array(self.observed(rows), np.int64))

    def batches(self, jobs: Sequence[list[Job]], found: Sequence[list[Row]]) -> Iterator[list[tuple[int, Job]]]:
        """Yield the jobs that are done together, each with the place of its pair, as far as the rows decide.

        Without a race all jobs form one batch, so that no process waits for the last game of each pair.
        """
        places, done, end = range(len(jobs)), 0, 1
        if not (self.stop or self.rounds):
            yield [(place, job) for place in places for job in jobs[place]]
        elif not self.rounds:
            yield from ([(place, job) for job in jobs[place]] for place in places)
        else:
            while batch := [
                (place, job)
                for place in places
                if not (self.stop and found[place] and self.proved_winner(found[place]))
                for job in jobs[place][done:end]
            ]:
                yield batch
                done, end = end, 2 * end

    def standings(self, rows: Sequence[Sequence[Row]]) -> Standings:
        return standings_of_pairs(tuple(self.names), tuple(map(self.observed, rows)), self.seed)

    def outcome(self, rows: Sequence[Sequence[Row]]) -> Json:
        games = 2 * sum(sum(self.observed(part)) for part in rows)
        return {"games": games, "best": self.standings(rows).best}


# Text


def best_sentence(names: Sequence[str]) -> str:
    return f"At least one half against each of the others: {', '.join(names) or 'nobody'}."


def tally(figures: Mapping[str, object]) -> str:
    return f"+{figures['wins']} ={figures['draws']} -{figures['losses']}"


def elo_text(figures: Mapping[str, Any]) -> str:
    """Format an Elo difference with its interval; None is infinite."""
    low, high = figures["elo_interval"]
    limits = f"[{signed(low, '-')}, {signed(high, '+')}]"
    return f"{signed(figures['elo'], '+' if figures['score'] > 0.5 else '-')} {limits}"


def strength_lines(first: str, second: str, figures: Json, stop: bool) -> Iterator[str]:
    """Describe the strength of the first player relative to the second: score, Elo, game pairs, decision."""
    score = with_interval(figures["score"], figures["interval"]) + " (95 %, valid at any time)"
    yield f"{first} against {second}: {tally(figures)} in {figures['games']} games, score {score}"
    normalised = ""
    if figures["normalised_elo"] is not None:  # None if all game pairs have the same score
        low, high = figures["normalised_elo_interval"]
        normalised = f"; normalised Elo {figures['normalised_elo']:+.0f} [{low:+.0f}, {high:+.0f}]"
    kind = "valid at any time" if figures["elo_interval_of"] == "anytime" else "from the spread of the pairs"
    pairs, ratio = " ".join(map(str, figures["pairs"])), figures["wins_per_loss"]
    wins = "" if ratio is None else f"; {ratio:.2f} wins for a loss"
    yield f"Elo {elo_text(figures)}{normalised} (95 %, {kind}); pairs by half points 0 to 4: {pairs}{wins}"
    if stop:
        proved = {1: f"{first} is proved to be better", -1: f"{second} is proved to be better", 0: "nothing is proved"}
        yield proved[figures["decision"]]


def unit_of(game: Game) -> str:
    """Describe the unit of a round robin's scores: fractions of the payoff range, not payoffs."""
    if game.payoffs == WIN_DRAW_LOSS:
        return "a win counts 1, a draw 1/2"
    return f"a score is the share of the way from {float(game.payoffs[0]):g} to {float(game.payoffs[-1]):g}"


def sentences(found: Standings) -> Iterator[str]:
    best, circle = found.best, found.circle
    yield (
        "Best, as Table III of Cauwet & Teytaud (2018) defines it (at least one half against each of the others): "
        + (", ".join(best) if best else "nobody")
        + f". Proved at 95 % for all {2 * found.pairs} claims together (Holm): {int(found.beats.sum())} times that one "
        "player beats another."
    )
    taken = [f"{found.players[i]} {found.nash.weights[i]:.3f}" for i in found.order() if found.nash.weights[i] > 5e-4]
    yield f"The Nash average mixes {found.nash.support} of {len(found.players)} players: {', '.join(taken)}."
    low, high = found.share_bars
    yield (
        f"Cyclic share {found.share:.1%} [{low:.1%}, {high:.1%}]: what is left of the differences when every player is "
        f"given one strength; luck alone is expected to make {found.luck:.1%}. "
        + (f"Proved circle: {' beats '.join([*circle, circle[0]])}." if circle else "No circle is proved.")
    )
    if found.elo is None:
        more = " More games may bring it down." if found.luck > found.share / 2 else ""
        yield (
            f"No Elo is given: the cyclic share is {found.share:.1%}, and above {TRUSTED_SHARE:.0%} one number for "
            f"each player predicts the scores badly.{more}"
        )


# Tables and charts

RANKING = (
    "player", "score against the Nash average", "mean score", "Nash weight", "weight from", "weight to",
    "proved to beat", "best", "Elo", "Elo from", "Elo to",
)  # fmt: skip
RANKING_NOTE = (
    "Ranked by the score against the Nash average, the mixture of greatest entropy that nobody here beats (Balduzzi et "
    "al. 2018): copies of a player do not change it. Error bars of weights and Elo: the middle 95 % of resampled games."
)
PAIRS = ("first", "second", "score", "from", "to", "proved", "corrected p")
PAIRS_NOTE = (
    "The intervals are valid at any time and hold all together with 95 % (Bonferroni). The corrected p is Holm's, from "
    "bets against the score being at most one half; a claim stands where it is at most 0.05."
)


def tables(found: Standings, prefix: str = "", what: str = "") -> list[Table]:
    """Return the ranking, the cross-table and all pairs; `prefix` starts their file names."""
    names, order = found.players, found.order()
    means = (found.scores.sum(axis=1) - 0.5) / (len(names) - 1)  # against the opponents; the diagonal is one half
    ranked, crossed = list[Sequence[Cell]](), list[Sequence[Cell]]()
    for i in order:
        rated: tuple[float | None, ...] = (None, None, None)
        if found.elo is not None and found.elo_bars is not None:
            rated = (float(found.elo[i]), float(found.elo_bars[0][i]), float(found.elo_bars[1][i]))
        weights = (found.nash.weights[i], found.weight_bars[0][i], found.weight_bars[1][i])
        shown = (f"{int(found.beats[i].sum())}", "yes" if names[i] in found.best else "no")
        ranked.append((names[i], found.nash.scores[i], means[i], *weights, *shown, *rated))
        cells = ("" if i == j else with_interval(found.scores[i, j], found.limits[i, j]) for j in order)
        crossed.append((names[i], *cells))
    pairs = []
    for i, j in combinations(range(len(names)), 2):
        claim = min(found.claims[i, j], found.claims[j, i])
        winner = names[i] if found.claims[i, j] < found.claims[j, i] else names[j]
        proved = f"{winner} beats {names[j] if winner == names[i] else names[i]}" if claim <= RISK else "nothing"
        pairs.append((names[i], names[j], found.scores[i, j], *found.limits[i, j], proved, float(claim)))
    return [
        Table(f"{prefix}ranking", f"Ranking{what}", RANKING, ranked, note=RANKING_NOTE),
        Table(f"{prefix}cross", f"Cross-table{what}", ("player", *(f"v {names[j]}" for j in order)), crossed),
        Table(f"{prefix}pairs", f"All pairs{what}", PAIRS, pairs, note=PAIRS_NOTE),
    ]


def charts(found: Standings, prefix: str = "") -> list[Chart]:
    """Return a panel of scores with intervals for each player, and one of the Nash weights."""
    names, order, drawn = found.players, found.order(), []
    for i in order:
        scores = Series.of("score", [(names[j], found.scores[i, j], *found.limits[i, j]) for j in order if j != i])
        title = f"{names[i]} against"
        drawn.append(Chart(f"{prefix}{i}", title, "", "score", [scores], kind="dots", group=f"{prefix}scores"))
    low, high = found.weight_bars
    weights = Series.of("Nash weight", [(names[i], found.nash.weights[i], low[i], high[i]) for i in order])
    return [*drawn, Chart(f"{prefix}nash", "Nash average", "", "weight", [weights], kind="bars")]


# Players whose games are won, drawn and lost: the figures of each pair.

Pair = tuple[str, str, Json]
STRENGTH = ("games", "wins", "draws", "losses", "score", "score from", "score to", "Elo", "Elo from", "Elo to")


def strength_cells(found: Json) -> tuple[Any, ...]:
    counts = (found[key] for key in ("games", "wins", "draws", "losses", "score"))
    return (*counts, *found["interval"], found["elo"], *found["elo_interval"])


def wins_table(what: str, names: Sequence[str], pairs: Sequence[Pair]) -> Table:
    """Tabulate wins, draws, losses and the score of the row against the column."""
    cells: dict[tuple[str, str], str] = {}
    for first, second, found in pairs:
        cells[first, second] = f"{tally(found)} ({found['score']:.3f})"
        mirrored = {"wins": found["losses"], "draws": found["draws"], "losses": found["wins"]}
        cells[second, first] = f"{tally(mirrored)} ({1 - found['score']:.3f})"
    rows = [(name, *(cells.get((name, other), "") for other in names)) for name in names]
    return Table("wins", "Wins, draws and losses", (what, *(f"v {name}" for name in names)), rows)


def elo_chart(pairs: Sequence[Pair]) -> Chart:
    """Chart Elo differences of each pair; infinite ones are omitted."""
    points = [(f"{first} v {second}", found["elo"], *found["elo_interval"]) for first, second, found in pairs]
    title = "Elo of the first over the second, with 95 % intervals"
    return Chart("elo", title, "", "Elo", [Series.of("Elo", points)], kind="dots", note=INTERVALS_NOTE)


def rating_charts(what: str, found: Standings) -> list[Chart]:
    """Chart the Elo of every player, unless cyclic play makes single ratings meaningless."""
    if found.elo is None or found.elo_bars is None:
        return []
    points = sorted(zip(found.players, found.elo, *found.elo_bars, strict=True), key=lambda point: -float(point[1]))
    title, note = f"Elo of each {what}, with 95 % intervals", "Intervals are the middle 95 % of resampled games."
    return [Chart("rating", title, "", "Elo", [Series.of("rating", points)], kind="dots", note=note)]
