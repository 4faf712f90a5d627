"""Pictures and texts of games for people, by the functions of `Game.look`; a game without them is drawn in letters."""

from typing import Protocol

import numpy as np

from .game import Game
from .picture import Parts, Text


def draw_view(game: Game, view: np.ndarray) -> Parts:
    """The picture of a view: what the player who sees it knows."""
    draw = game.look.draw_view
    return draw(game, view) if draw else (Text(game.show(view)),)


def draw_state(game: Game, state: np.ndarray) -> Parts:
    """The picture of a state, for the umpire and for replays."""
    draw = game.look.draw_state
    return draw(game, state) if draw else (Text(game.reveal(state)),)


def how_to_play(game: Game) -> tuple[str, ...]:
    """Return the rules in some ten lines, or the game's source where its look has none."""
    tell = game.look.how_to_play
    return tell(game) if tell else (game.source,) if game.source else ()


def news_between(game: Game, before: np.ndarray | None, action: int | None, now: np.ndarray) -> list[str] | None:
    """List the visible events since a player's last action, from its view before that and its view now.

    Before the first action there is no such view: what happened until then is told by `first_news`, where it can be.
    Lines that begin with "the other: " are what the other did. None where the game's look has no news.
    """
    tell, tell_first = game.look.news_between, game.look.first_news
    if tell is None:
        return None
    lines: list[str] = []
    if before is not None:
        lines = tell(game, before, action, now)
    elif tell_first is not None:
        lines = tell_first(game, now)
    return lines


class NewsMemory(Protocol):
    """Memory of a player, where two views do not show what happened between them."""

    def note(self, seen: np.ndarray, action: int) -> None:
        """Remember an own action, and the view before it."""

    def news(self, now: np.ndarray) -> list[str]:
        """List the events since the last action, as `news_between` does."""


def memory_of(game: Game) -> NewsMemory | None:
    """A memory at the start of a game; None where the game's look has none, because views suffice."""
    make = game.look.memory
    memory: NewsMemory | None = make(game) if make else None
    return memory


def chance_words(game: Game, state: np.ndarray, action: int, side: int) -> str:
    """Describe a chance move in a game without hidden information, for the player on a side; empty if untold."""
    tell = game.look.chance_text
    return tell(game, state, action, side) if tell else ""


def routine_action(game: Game, seen: np.ndarray) -> int | None:
    """Return the automatic action of a player who plays on, or None where a player should think."""
    choose = game.look.routine_action
    return choose(game, seen) if choose else None
