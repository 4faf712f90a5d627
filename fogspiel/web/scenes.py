"""What is served of a game: what its person knows, in words and as data, and what may be done now.

Everything here is made from the person's view and the game's words. How far the game has come is counted in moments of
the person's own (own actions, and whether it is the own turn), because the length of the record would tell how often
the other side was refused.
"""

from typing import Any

from ..game import CHANCE, OVER, Game
from ..parlour import Kept
from ..sitting import Sitting


def scene(kept: Kept, thinking: bool) -> dict[str, Any]:
    """A game as its person may see it."""
    sitting, game = kept.sitting, kept.sitting.game
    return {
        "key": kept.key,
        "game": game.name,
        "title": game.title,
        "against": kept.against,
        "side": sitting.side,
        "moment": 2 * sitting.own + (not thinking),
        "thinking": thinking,
        "over": sitting.over,
        "score": _score(game, sitting),
        "seen": game.show(sitting.seen()),
        "trouble": None,
        "choices": [] if thinking else [{"action": a, "label": game.label(a)} for a in sitting.actions()],
    }


def _score(game: Game, sitting: Sitting) -> float | None:
    """What the person got, between the worst and the best of the game's payoffs."""
    if sitting.score is None:
        return None
    top = len(game.payoffs) - 1
    return float(game.payoffs[sitting.score if sitting.side == 0 else top - sitting.score])


def replay(kept: Kept) -> dict[str, Any]:
    """The whole truth about a game that is over, move by move."""
    game, moments = kept.sitting.game, kept.sitting.moments()
    return {
        "key": kept.key,
        "game": game.name,
        "side": kept.sitting.side,
        "against": kept.against,
        "seed": str(kept.sitting.seed),
        "moments": [
            {
                "mover": {CHANCE: "chance", OVER: "over"}.get(mover, mover),
                "action": None if action is None else game.label(action) if mover in (0, 1) else str(action),
                "truth": reveal,
                "views": [game.show(view) for view in views],
            }
            for mover, action, reveal, views in moments
        ],
    }
