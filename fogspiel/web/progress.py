"""The trail of a run: a point for every step, so that one can see where it goes.

What a point says depends on the kind of run: the last race of a tuning step, the score of a match so far, the bounds of
a solve. Every value comes with its interval where there is one.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from ..core.game import WIN_DRAW_LOSS, games
from ..kriegspiel.matches import elo_of_pairs
from ..runs.jobs import METHOD as PAPER
from ..runs.kinds.bounds import METHOD as BOUNDS
from ..runs.kinds.kriegspiel import METHOD as BOUTS
from ..runs.kinds.match import METHOD as MATCH
from ..runs.kinds.round_robin import METHOD as TOURNAMENT
from ..runs.kinds.solve import METHOD as SOLVE
from ..stats.race import interval, mean
from ..tune.arena import decode

MIXING = ("seed-nash", "psro", "portfolio")
"""Methods whose steps have the value of a mixture, and no race."""
Point = dict[str, Any]
Body = Mapping[str, Any]


def kind_of(method: str | None) -> str:
    """What sort of run it is, in a word."""
    return {BOUTS: "Kriegspiel match", PAPER: "paper", SOLVE: "solution", BOUNDS: "bounds"}.get(
        method or "", method if method in (MATCH, TOURNAMENT) else "tuning"
    )


class Trail:
    """Jobs that are done one after the other: a point says only how many."""

    title, x, y = "", "jobs", ""
    total: int | None = None
    unit = "jobs"

    def __init__(self, ask: Body):
        self.ask = ask
        self.done = 0

    def step(self, body: Body) -> Point:
        """The point of the next step."""
        self.done += 1
        row = body.get("row", {})
        words = " ".join(str(row[key]) for key in ("job", "game", "method", "first", "second", "seed") if key in row)
        return {"at": self.done, "words": words}

    def under_way(self, body: Body) -> Point | None:
        """The point of the step that is not yet done."""
        return None

    def end(self, result: Body) -> Point | None:
        """The point of the result, where it says more than the steps."""
        return None

    def as_json(self) -> dict[str, Any]:
        """How to draw it, and how far it has come."""
        drawn = {"title": self.title, "x": self.x, "y": self.y}
        return {"chart": drawn if self.title else None, "done": self.done, "total": self.total, "unit": self.unit}


class Races(Trail):
    """Tuning: the last race of each step, or the value of the mixture that was found."""

    title = "Every step: the newcomer's score against whom it had to beat"
    x, y = "games", "score"
    unit = "games"

    def __init__(self, ask: Body):
        super().__init__(ask)
        self.total = ask["games"]
        game = games().get(ask["game"])
        self.top = len(game.payoffs) - 1 if game else 2
        self.symmetric = game is not None and game.symmetric
        if game and game.payoffs != WIN_DRAW_LOSS:
            self.y = f"score, as the share of the way from {float(game.payoffs[0]):g} to {float(game.payoffs[-1]):g}"
        if ask["method"] in MIXING:
            self.title = "Every step: what the first player gets where nobody of the mixture can do better"

    def step(self, body: Body) -> Point:
        """The last race or round of duels of a step."""
        self.done = body["games"]
        point: Point = {"at": self.done, "accepted": body["accepted"], "population": body["population"]}
        if self.ask["method"] in MIXING:
            return point if self.symmetric else point | {"value": body.get("value")}
        for event in reversed(body["events"]):
            if (counts := self._counts(event)) is not None:
                return point | _scored(counts)
        return point

    def under_way(self, body: Body) -> Point | None:
        """The race that is going on."""
        counts = self._counts(body)
        if counts is None or self.ask["method"] in MIXING:
            return None
        return {"at": self.done + body["games"], "accepted": False, **_scored(counts)}

    def _counts(self, event: Body) -> np.ndarray | None:
        """The newcomer's observations, by their score."""
        if "counts" in event:
            return np.array(event["counts"], np.int64)
        if not event.get("scores"):
            return None
        return np.bincount(decode(event["scores"]).reshape(-1, 2).sum(axis=1), minlength=2 * self.top + 1)


class Scores(Trail):
    """A match: the score so far."""

    title, x, y = "The score so far", "games", "score"
    unit = "games"

    def __init__(self, ask: Body):
        super().__init__(ask)
        self.total = ask["games"]

    def step(self, body: Body) -> Point:
        """The score when the match was interrupted."""
        self.done = body["games"]
        return {"at": self.done, "value": body["score"], "low": body["interval"][0], "high": body["interval"][1]}

    def under_way(self, body: Body) -> Point | None:
        """The score now."""
        return self.step(body)

    def end(self, result: Body) -> Point | None:
        """The score when all games are played."""
        return self.step(result)


class Bouts(Trail):
    """Two engines: the score after every two games."""

    title, x, y = "The first engine's score so far", "games", "score"
    unit = "games"

    def __init__(self, ask: Body):
        super().__init__(ask)
        self.total = 2 * -(-ask["games"] // 2)
        self.pairs = np.zeros(5, np.int64)

    def step(self, body: Body) -> Point:
        """The score after one bout more."""
        self.done += 2
        self.pairs += elo_of_pairs([body["row"]]).pairs
        return {"at": self.done, **_scored(self.pairs)}


class Bounds(Trail):
    """A solve or bounds: between what the value lies."""

    title, x, y = "The value lies between", "rounds", "value of the game"
    unit = "rounds"

    def step(self, body: Body) -> Point:
        """The bounds after a round."""
        self.done = body["number"]
        return {"at": self.done, **_bounded(body)}

    def under_way(self, body: Body) -> Point | None:
        """The bounds so far, where they are kept."""
        saved = body.get("saved") or {}
        return {"at": 1, **_bounded(saved)} if "lower" in saved else None

    def end(self, result: Body) -> Point | None:
        """The bounds at last."""
        return {"at": self.done + 1, **_bounded(result)} if not self.done else None


def trail_of(ask: Body) -> Trail:
    """The trail of a run with this request, before its first step."""
    method = ask.get("method")
    if method in (SOLVE, BOUNDS):
        return Bounds(ask)
    if method == MATCH:
        return Scores(ask)
    if method == BOUTS and len(ask["players"]) == 2:
        return Bouts(ask)
    if method == PAPER:
        return Trail(ask)
    if method in (TOURNAMENT, BOUTS):
        return _meetings(ask)
    return Races(ask)


def _meetings(ask: Body) -> Trail:
    """A round robin: so many pairs, or bouts of all pairs."""
    trail, many = Trail(ask), len(ask["players"])
    trail.unit = "pairs" if ask["method"] == TOURNAMENT else "bouts"
    trail.total = many * (many - 1) // 2 * (1 if ask["method"] == TOURNAMENT else -(-ask["games"] // 2))
    return trail


def _scored(counts: np.ndarray) -> Point:
    low, high = interval(counts)
    return {"value": mean(counts), "low": low, "high": high}


def _bounded(body: Body) -> Point:
    """Bounds as numbers; they may be fractions in words."""
    lower, upper = (
        float(Fraction(str(body[key]))) if body.get(key) is not None else None for key in ("lower", "upper")
    )
    middle = None if lower is None or upper is None else (lower + upper) / 2
    return {"value": middle, "low": lower, "high": upper}
