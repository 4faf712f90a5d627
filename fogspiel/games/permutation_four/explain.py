"""Permutation four in a row in words: the columns turn by turn, and the scores against random players."""

import numpy as np

from ...core.agents import Policy
from ...core.explanation import Explanation, Table
from ...core.game import Game
from ...core.rng import child, fill_normal
from ...stats.evaluate import Score
from ..shared.sampling import plan_of
from .exact import first_player_matrix
from .rules import COLUMNS, TURNS_EACH

OPPONENTS = 2000  # random players met in each seat
STREAM = 0xF042
SEATS = ("moving first", "moving second")


def explain(game: Game, player: Policy, seed: int) -> Explanation:
    """Both lists of orders, and how they do."""
    theta = player.thetas[0]
    first, second = (plan_of(player).astype(int) + 1).reshape(2, TURNS_EACH, COLUMNS).tolist()
    rows = tuple(
        (turn, one[0], " ".join(map(str, one)), other[0], " ".join(map(str, other)))
        for turn, (one, other) in enumerate(zip(first, second, strict=True), 1)
    )
    columns = ("turn", "first tries", "moving first, the whole order", "second tries", "moving second, the whole order")
    orders = Table(f"The columns of {player.name}, turn by turn: a full one is passed over for the next", columns, rows)
    scores = _scores(game, theta, seed)
    shown = tuple(
        (seat, f"{score.mean:.4f}", f"{score.interval[0]:.4f} to {score.interval[1]:.4f}", score.games)
        for seat, score in zip(SEATS, scores, strict=True)
    )
    title = f"What {player.name} scores against {OPPONENTS} random players in each seat"
    table = Table(title, ("seat", "score", "95 % interval", "games"), shown)
    beginnings = [" ".join(str(order[0]) for order in role) for role in (first, second)]
    said = (
        f"{player.name} sees nothing, so it tries the same columns in every game: moving first it begins its turns "
        f"with columns {beginnings[0]}, moving second with {beginnings[1]}."
    )
    return Explanation((said,), (orders, table))


def _scores(game: Game, theta: np.ndarray, seed: int) -> list[Score]:
    """The scores in both seats; the players never vary, so one game against each opponent says all."""
    others, found = np.zeros((OPPONENTS, 2)), []
    fill_normal(np.array([child(seed, STREAM)], np.uint64), others.reshape(-1))
    points_first = first_player_matrix([float(theta[0])], others[:, 1].tolist())
    points_second = 2 - first_player_matrix(others[:, 0].tolist(), [float(theta[1])])
    for points in (points_first, points_second):
        outcomes = tuple(np.bincount(points.reshape(-1), minlength=3).tolist())
        found.append(Score(tuple(map(float, game.payoffs)), outcomes, outcomes))
    return found
