"""The Resistance: who is sent, and how the missions end."""

import numpy as np

from ...core.game import Game
from . import rules
from .rules import FAILURE, OUTCOMES, POINTS, ROUNDS, SUCCESS, UNKNOWN, crew


def news_between(game: Game, before: np.ndarray, action: int, now: np.ndarray) -> list[str]:
    """Report the outcome of the mission under way, and the next team."""
    outcomes = now[rules.SEEN_OUTCOME : rules.SEEN_OUTCOME + ROUNDS].tolist()
    won, lost, news = outcomes.count(SUCCESS), outcomes.count(FAILURE), []
    for place in range(ROUNDS):
        mission, outcome = int(now[rules.SEEN_MISSION + place]), outcomes[place]
        if outcome != before[rules.SEEN_OUTCOME + place]:
            news.append(
                f"Mission {place + 1} (players {crew(mission)}): {OUTCOMES[outcome]}. It stands {won} to {lost}."
            )
        elif mission and outcome == UNKNOWN:
            news += _sent(now, mission)
    if POINTS in (won, lost):
        news.append(f"The {'resistance' if won == POINTS else 'spies'} won.")
    return news


def first_news(game: Game, now: np.ndarray) -> list[str]:
    """Report the first team, as the spies see it."""
    return _sent(now, int(now[rules.SEEN_MISSION]))


def _sent(now: np.ndarray, mission: int) -> list[str]:
    """Report a team to the spies."""
    return [f"the other: send {crew(mission)}"] if mission and now[rules.SEEN_SECRET] else []
