"""What is served of a game: what its person knows, in words, as a picture and as data, and what may be done now.

Everything here is made from the person's view and the game's words. How far the game has come is counted in moments of
the person's own (own actions, and whether it is the own turn), because the length of the record would tell how often
the other side was refused.
"""

from itertools import pairwise
from typing import Any

from ..core.drawing import draw_state, draw_view
from ..core.game import CHANCE, OVER, Game
from ..core.person_session import Moment, PersonSession
from ..core.picture import as_data
from ..games.chess.fen import SIDES as COLOURS
from ..kriegspiel.belief_map import Belief, beliefs
from ..runs.agent_texts import KRIEGSPIEL
from .session_store import StoredSession
from .transcript import refused, transcript_of

SEATS = ("the first player", "the second player")


def scene(kept: StoredSession, thinking: bool) -> dict[str, Any]:
    """A game as its person may see it."""
    sitting, game = kept.sitting, kept.sitting.game
    view = sitting.seen()
    return {
        "key": kept.key,
        "game": game.name,
        "title": game.title,
        "against": kept.against,
        "side": sitting.side,
        "seat": seat_of(game, sitting.side),
        "moment": 2 * len(sitting.decisions) + (not thinking),
        "thinking": thinking,
        "over": sitting.over,
        "score": _score(game, sitting),
        "result": _result(game, _score(game, sitting)),
        "seen": game.show(view),
        "picture": as_data(draw_view(game, view)),
        "told": transcript_of(kept, thinking),
        "trouble": None,
        "choices": [] if thinking else [{"action": a, "label": game.label(a)} for a in sitting.choices()],
    }


def seat_of(game: Game, side: int) -> str | None:
    """What a side is called; None where both are the same."""
    if game.name == KRIEGSPIEL:
        return COLOURS[side]
    return None if game.symmetric else SEATS[side]


def _score(game: Game, sitting: PersonSession) -> float | None:
    """What the person got, between the worst and the best of the game's payoffs."""
    if sitting.score is None:
        return None
    top = len(game.payoffs) - 1
    return float(game.payoffs[sitting.score if sitting.side == 0 else top - sitting.score])


def _result(game: Game, score: float | None) -> str | None:
    """How the game ended for the person, in a sentence."""
    if score is None:
        return None
    least, most = float(game.payoffs[0]), float(game.payoffs[-1])
    even = (least + most) / 2
    words = "You won" if score > even else "You lost" if score < even else "A draw"
    if len(game.payoffs) <= 3:
        return f"{words}."
    return f"{words}: you got {score:+g}, where {least:+g} is the least and {most:+g} the most."


def replay(kept: StoredSession) -> dict[str, Any]:
    """The whole truth about a game that is over, move by move."""
    game, sitting, moments = kept.sitting.game, kept.sitting, list(kept.sitting.moments())
    return {
        "key": kept.key,
        "game": game.name,
        "title": game.title,
        "side": sitting.side,
        "against": kept.against,
        "seed": str(sitting.seed),
        "result": _result(game, _score(game, sitting)),
        "moments": [
            {
                "mover": {CHANCE: "chance", OVER: "over"}.get(moment.mover, moment.mover),
                "action": _action(game, moment),
                "truth": moment.reveal,
                "views": [game.show(view) for view in moment.views],
                "refused": was_refused,
                "belief": belief,
            }
            for moment, was_refused, belief in zip(moments, _refusals(game, moments), _beliefs(kept), strict=True)
        ],
    }


def _refusals(game: Game, moments: list[Moment]) -> list[bool]:
    """Whether each action was an attempt that was refused."""
    return [
        then.mover in (0, 1)
        and then.action is not None
        and refused(
            game, draw_view(game, then.views[then.mover]), draw_view(game, after.views[then.mover]), then.action
        )
        for then, after in pairwise(moments)
    ] + [False]


def _beliefs(kept: StoredSession) -> list[Belief | None]:
    """What the opponent believed at every moment, where it is an engine that keeps a belief."""
    sitting = kept.sitting
    if sitting.game.name != KRIEGSPIEL:
        return [None] * (len(sitting.record) + 1)
    return beliefs(kept.against, 1 - sitting.side, sitting.record)


def pictures(kept: StoredSession, number: int) -> dict[str, Any]:
    """One moment of a game that is over, as pictures: the truth, and what both sides saw."""
    game, moment = kept.sitting.game, kept.sitting.moment(number)
    return {
        "moment": number,
        "truth": as_data(draw_state(game, moment.state)),
        "views": [as_data(draw_view(game, view)) for view in moment.views],
    }


def _action(game: Game, moment: Moment) -> str | None:
    """What was done at a moment, in words."""
    if moment.action is None:
        return None
    return game.label(moment.action) if moment.mover in (0, 1) else str(moment.action)
