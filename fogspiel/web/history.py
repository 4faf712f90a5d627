"""A person's own games: what may be told of those whose keys the person has, and the score so far per game."""

from collections.abc import Sequence

import numpy as np
from pydantic import BaseModel

from ..core.game import Game
from ..stats.race import interval, mean
from .session_json import result_words, seat_of
from .session_store import SessionStore, SessionSummary

MOST_KEYS = 200
"""Games of a list, and of a series that count, the latest ones."""
MOST_LETTERS = 60


class PlayedGame(BaseModel):
    """A game of a list."""

    key: str
    game: str
    title: str
    against: str
    seat: str | None
    began: float
    """In seconds of the epoch."""
    over: bool
    result: str | None


class Standing(BaseModel):
    """The score of some games: the mean payoff, and the interval in which the true one lies."""

    game: str
    title: str
    games: int
    mean: float
    interval: tuple[float, float]


class History(BaseModel):
    """Some games, the newest first, and the score of those that are over, per game."""

    games: list[PlayedGame]
    standings: list[Standing]


def history_of(keys: Sequence[str], only: str, store: SessionStore) -> History:
    """The games with these keys, or only those of one game; keys that belong to none are left out."""
    told = [(key, outline) for key in dict.fromkeys(keys) if (outline := store.outline(key)) is not None]
    told = sorted((one for one in told if only in ("", one[1].game.name)), key=lambda one: -one[1].began)
    marks: dict[str, tuple[Game, list[int]]] = {}
    for _, outline in reversed(told):
        if outline.mark is not None:
            marks.setdefault(outline.game.name, (outline.game, []))[1].append(outline.mark)
    return History(games=[_played(*one) for one in told], standings=[standing(*series) for series in marks.values()])


def _played(key: str, outline: SessionSummary) -> PlayedGame:
    """A game of the list; of one that goes on its result is not known."""
    game = outline.game
    return PlayedGame(
        key=key,
        game=game.name,
        title=game.title,
        against=outline.against[:MOST_LETTERS],
        seat=seat_of(game, outline.side),
        began=outline.began,
        over=outline.mark is not None,
        result=result_words(game, outline.mark, outline.resigned),
    )


def standing(game: Game, marks: list[int]) -> Standing:
    """The score of games that ended with these indices of the payoffs, of which there is one at least."""
    counts = np.bincount(marks[-MOST_KEYS:], minlength=game.top + 1).astype(np.int64)
    least, most = float(game.payoffs[0]), float(game.payoffs[-1])
    low, high = interval(counts)
    score, lower, upper = (least + share * (most - least) for share in (mean(counts), low, high))
    return Standing(game=game.name, title=game.title, games=int(counts.sum()), mean=score, interval=(lower, upper))
