"""Results of a round robin, computed once and shown as tables, charts, sentences and JSON."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from ..core.game import WIN_DRAW_LOSS, Game
from ..stats.race import interval
from ..stats.round_robin import (
    RESAMPLES,
    TRUSTED_SHARE,
    claims,
    counts_of,
    cycle,
    cyclic_share,
    elo,
    error_bars,
    nash_average,
    resample,
    scores_of,
    share_of_luck,
    undefeated,
)
from .report import Chart, Series, Table

RISK = 0.05


class Standings:
    """Players, every score with its interval (all of them hold together), and the rankings with their error bars."""

    def __init__(self, players: Sequence[str], counts: np.ndarray, seed: int) -> None:
        """Work everything out from the counts of a round robin; the seed is that of the resampled error bars."""
        self.players, self.counts, self.scores = tuple(players), counts, scores_of(counts)
        # Lower and upper limits at [i, j]: with 95 % all of them are right.
        self.limits = np.full((*self.scores.shape, 2), 0.5)
        for i, j in combinations(range(len(players)), 2):
            low, high = interval(counts[i, j], RISK / self.pairs)  # Bonferroni
            self.limits[i, j], self.limits[j, i] = (low, high), (1 - high, 1 - low)
        self.claims, self.luck = claims(counts), share_of_luck(counts)
        self.nash, self.share = nash_average(self.scores), cyclic_share(self.scores)
        again = list(resample(counts, seed, RESAMPLES))
        equilibria = [nash_average(scores_of(drawn)) for drawn in again]
        self.weight_bars = error_bars([found.weights for found in equilibria])
        self.support_bars = [float(bar) for bar in error_bars([found.support for found in equilibria])]
        self.share_bars = [float(bar) for bar in error_bars([cyclic_share(scores_of(drawn)) for drawn in again])]
        rated = self.share < TRUSTED_SHARE
        self.elo = elo(counts) if rated else None
        self.elo_bars = error_bars([elo(drawn) for drawn in again]) if rated else None

    @property
    def pairs(self) -> int:
        """Number of pairs played."""
        return len(self.players) * (len(self.players) - 1) // 2

    @property
    def beats(self) -> np.ndarray:
        """Return the proved wins between players, all claims right with 95 %."""
        return self.claims <= RISK

    @property
    def best(self) -> list[str]:
        """The best as Table III defines them: at least one half against each of the others."""
        return [self.players[i] for i in undefeated(self.scores)]

    @property
    def circle(self) -> list[str]:
        """Players each of whom has proved to beat the next, and the last the first; none if there is no such circle."""
        return [self.players[i] for i in cycle(self.beats)]

    def order(self) -> list[int]:
        """The players by their score against the Nash average, then by their mean score."""
        return sorted(
            range(len(self.players)), key=lambda i: (-round(float(self.nash.scores[i]), 9), -self.scores[i].sum())
        )

    def as_json(self) -> dict[str, Any]:
        """Everything, with players in the order in which they were given."""
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
    """The standings from the observations of every two players, in the order of `combinations`; worked out once."""
    met = dict(zip(combinations(range(len(players)), 2), pairs, strict=True))
    return Standings(players, counts_of(len(players), met), seed)


# In words


def unit_of(game: Game) -> str:
    """Return the unit of a round robin's scores: shares, not payoffs."""
    if game.payoffs == WIN_DRAW_LOSS:
        return "a win counts 1, a draw 1/2"
    return f"a score is the share of the way from {float(game.payoffs[0]):g} to {float(game.payoffs[-1]):g}"


def sentences(found: Standings) -> Iterator[str]:
    """Describe the standings."""
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


# As tables and charts

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
    """The ranking, the cross-table and all pairs; the prefix goes before the names of their files."""
    names, order, means = found.players, found.order(), _means(found)
    ranked = []
    for i in order:
        rated: tuple[float | None, ...] = (None, None, None)
        if found.elo is not None and found.elo_bars is not None:
            rated = (float(found.elo[i]), float(found.elo_bars[0][i]), float(found.elo_bars[1][i]))
        ranked.append(
            (
                names[i], found.nash.scores[i], means[i], found.nash.weights[i], found.weight_bars[0][i],
                found.weight_bars[1][i], f"{int(found.beats[i].sum())}", "yes" if names[i] in found.best else "no",
                *rated,
            )
        )  # fmt: skip
    crossed = [(names[i], *("" if i == j else _cell(found, i, j) for j in order)) for i in order]
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


def _means(found: Standings) -> np.ndarray:
    """Every player's mean score against the others."""
    return np.asarray((found.scores.sum(axis=1) - 0.5) / (len(found.players) - 1))


def _cell(found: Standings, i: int, j: int) -> str:
    low, high = found.limits[i, j]
    return f"{found.scores[i, j]:.4f} [{low:.4f}, {high:.4f}]"


def charts(found: Standings, prefix: str = "") -> list[Chart]:
    """A panel for each player: the scores against the others with their intervals; and the weights of the average."""
    names, order, drawn = found.players, found.order(), []
    for i in order:
        scores = Series.of("score", [(names[j], found.scores[i, j], *found.limits[i, j]) for j in order if j != i])
        title = f"{names[i]} against"
        drawn.append(Chart(f"{prefix}{i}", title, "", "score", [scores], kind="dots", group=f"{prefix}scores"))
    low, high = found.weight_bars
    weights = Series.of("Nash weight", [(names[i], found.nash.weights[i], low[i], high[i]) for i in order])
    return [*drawn, Chart(f"{prefix}nash", "Nash average", "", "weight", [weights], kind="bars")]
