"""Knowledge of a person at its own decision: what may be hidden, and what each choice costs.

Everything follows from the person's own views, the rules and the named opponent, never from the state: two games that
the person cannot tell apart have the same answer. What is hidden is read from the opponent's view in each state that
fits, drawn by the same function as the person's own view, so it holds for every game that has a drawing.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ..belief import Belief, Known, Opponent, follow_game, known_opponent
from ..core.agents import Agent
from ..core.behaviour_policy import BehaviourPolicy, InformationState
from ..core.game import Game, draw_state, draw_view, nothing_hidden
from ..core.picture import BoardPicture, Cards, Cell, Part, Parts, picture_json
from ..core.rng import stream_of
from ..core.session import PersonSession, view_of
from ..runs.agent_parser import engines_of
from ..solving.policies.coach import CERTIFIED, certified_agent, find_coach
from . import JsonObject

PARTICLES, SEED = 600, 1  # of a belief that cannot be enumerated; its draws depend on nothing but the own views
COST_STEPS = 150_000  # actions that may be applied for the costs of a decision: about a second
LISTED = 6  # boards that are shown
MOST_STATES = 2500  # states that are drawn; of more, the most probable ones
REDRAWN = 200  # states drawn by the game's own resampler where few particles are left
SIMPLE, TREMOR = 20, 1e-5  # denominators up to which a share is a fraction, and what a known opponent may slip


class Place(NamedTuple):
    """A cell of the person's picture."""

    part: int
    row: int
    column: int


class Decision(NamedTuple):
    """A decision of a person, copied from its session, which may move on."""

    game: Game
    side: int
    record: list[int]
    earlier: list[tuple[np.ndarray, int]]  # the own decisions so far: the view, and the action there
    view: np.ndarray
    choices: list[int]
    opponent: Agent


def decision_of(session: PersonSession) -> Decision:
    record, earlier, choices = list(session.record), list(session.decisions), session.choices()
    return Decision(session.game, session.side, record, earlier, session.seen(), choices, session.opponent)


def knowledge_json(decision: Decision) -> JsonObject:
    """Return the beliefs and costs of a person who is to move."""
    game, side, record, view, opponent = decision.game, decision.side, decision.record, decision.view, decision.opponent
    body: dict[str, Any] = {"count": None, "exact": True, "boards": [], "hidden": [], "costs": None, "plays": None}
    body["assumes"] = "every move of the opponent is equally likely"
    if game.resample is not nothing_hidden and not engines_of(game):
        # Tables of probabilities only: to ask a strategy at every history may take minutes.
        known = known_opponent(opponent) if isinstance(opponent, BehaviourPolicy) else None
        if known is not None:
            body["assumes"] = f"the opponent plays as {opponent.name}"
        body |= _belief(game, side, known, record, view)
    return body | _costs(decision)


def _belief(game: Game, side: int, known: Known | None, record: Sequence[int], view: np.ndarray) -> dict[str, Any]:
    belief = Belief(game, side, Opponent(game, side, known), PARTICLES, SEED)
    follow_game(game, record, side, belief)
    if belief.lost:
        return {"count": 0, "exact": False}
    found = belief.distribution
    if not belief.exact and len(found) < REDRAWN and game.resample is not None:
        found = _redrawn(game, side, found)
    return {**hidden_json(game, side, view, found), "exact": belief.exact}


def hidden_json(game: Game, side: int, view: np.ndarray, found: Sequence[tuple[np.ndarray, float]]) -> dict[str, Any]:
    """Return what is hidden from a player in some states with their probabilities, by its place in the own view."""
    own, worlds = draw_view(game, view), defaultdict[Any, float](float)
    pictures: dict[Any, tuple[Parts, np.ndarray]] = {}
    for state, share in found[:MOST_STATES]:
        theirs = draw_view(game, view_of(game, state, 1 - side))
        key = tuple(_secrets(own, theirs))
        worlds[key] += share
        pictures.setdefault(key, (theirs, state))
    total = sum(worlds.values())
    ordered = sorted(worlds, key=lambda key: (-worlds[key], key))
    boards = []
    if any(
        isinstance(own[place.part], BoardPicture) and not own[place.part].seat for key in ordered for place, _ in key
    ):
        for key in ordered[:LISTED]:
            parts = draw_state(game, pictures[key][1])
            board = tuple(part for part in parts if isinstance(part, BoardPicture))[:1]
            boards.append({"probability": worlds[key] / total, "picture": picture_json(board)})
    chances = defaultdict[Place, dict[tuple[str, str, str], float]](lambda: defaultdict(float))
    for key in ordered:
        for place, cell in key:
            chances[place][cell] += worlds[key] / total
    hidden = [
        {
            "part": place.part,
            "row": place.row,
            "column": place.column,
            "chances": [_chance(*cell, share) for cell, share in sorted(cells.items())],
        }
        for place, cells in sorted(chances.items())
    ]
    return {"count": len(worlds), "boards": boards, "hidden": hidden}


def _redrawn(game: Game, side: int, found: list[tuple[np.ndarray, float]]) -> list[tuple[np.ndarray, float]]:
    """Return states drawn by the resampler of the game from those that are left: each reproduces the present view."""
    stream = stream_of(SEED, side)
    assert game.resample is not None
    drawn = [game.resample(found[number % len(found)][0], side, stream) for number in range(REDRAWN)]
    return [(state, 1 / REDRAWN) for state in drawn]


def _chance(text: str, look: str, name: str, share: float) -> JsonObject:
    simple = Fraction(share).limit_denominator(SIMPLE)
    fraction = [simple.numerator, simple.denominator] if abs(float(simple) - share) < TREMOR else None
    return {"text": text, "look": look, "name": name, "share": share, "fraction": fraction}


def _secrets(own: Parts, theirs: Parts) -> Iterator[tuple[Place, tuple[str, str, str]]]:
    """Yield what the opponent sees and the person does not, by the place where the person would see it."""
    for number, part in enumerate(own):
        for other in _counterparts(part, theirs, number):
            for row, (mine, seen) in enumerate(zip(_rows(part), _rows(other), strict=False)):
                for column, (hidden, cell) in enumerate(zip(mine, seen, strict=False)):
                    if _is_hidden(part, hidden) and _tells(part, hidden, cell):
                        yield Place(number, row, column), (cell.text, cell.look, cell.name)


def _counterparts(part: Part, theirs: Parts, number: int) -> Iterator[Part]:
    """Yield the part of the opponent's view that shows what this part of the own view hides."""
    if isinstance(part, BoardPicture | Cards):
        if part.seat == "other":
            yield from (one for one in theirs if isinstance(one, type(part)) and one.seat == "own")
        elif not part.seat and number < len(theirs) and isinstance(theirs[number], type(part)):
            yield theirs[number]


def _rows(part: Part) -> Sequence[Sequence[Cell]]:
    return part.rows if isinstance(part, BoardPicture) else (part.cards,) if isinstance(part, Cards) else ()


def _is_hidden(part: Part, cell: Cell) -> bool:
    words = set(cell.look.split())
    if isinstance(part, Cards) and not part.seat:
        return "token" in words
    return bool(words & {"fog", "unknown", "face-down"})


def _tells(part: Part, hidden: Cell, cell: Cell) -> bool:
    """True if the opponent's cell has something of its own: a stone, a ship, a card or a mark."""
    words = set(cell.look.split()) - set(hidden.look.split())
    if isinstance(part, BoardPicture):
        return "own" in words
    return bool(cell.text) and "face-down" not in words and ("token" not in hidden.look or "red" in words)


def _costs(decision: Decision) -> dict[str, Any]:
    """Return the value and the cost of each choice, and the probabilities of the certified solution."""
    game, side, view, choices = decision.game, decision.side, decision.view, decision.choices
    values: Mapping[int, float] | None = None
    if game.exact.action_values is not None:
        values = game.exact.action_values(game, view)
    body: dict[str, Any] = {"unit": unit_of(game), "proved": False, "erred": False}
    agent = certified_agent(game.name)
    if not values and isinstance(agent or decision.opponent, BehaviourPolicy):
        with suppress(ValueError):  # the opponent's probabilities are not known
            coach = find_coach(game, side, decision.opponent)
            costs = coach.costs(decision.earlier, view, COST_STEPS)
            if costs is not None:
                values = {action: in_unit(game, side, worth) for action, worth in costs.worths.items()}
                body["proved"] = coach.against == CERTIFIED and not costs.erred
                body["erred"] = costs.erred
    if values:
        best = max(values.values())
        pairs = [(action, values[action]) for action in choices if action in values]
        body["costs"] = [{"action": action, "worth": worth, "cost": best - worth} for action, worth in pairs]
    if isinstance(agent, BehaviourPolicy):
        with suppress(ValueError, KeyError):
            state = InformationState(game, side, view, list(choices), tuple(action for _, action in decision.earlier))
            shares = zip(choices, agent.action_probabilities(state), strict=True)
            body["plays"] = [
                {"action": act, "share": float(share), "exact": str(share)} for act, share in shares if share
            ]
    return body


def unit_of(game: Game) -> str:
    """Return the unit of payoffs for people: shares of wins, chips or points."""
    return "wins" if len(game.payoffs) <= 3 else "chips" if game.look.scene == "felt" else "points"


def in_unit(game: Game, side: int, worth: float) -> float:
    """Return a mean payoff of a player in the unit of the game; a draw is half a win."""
    if unit_of(game) != "wins":
        return worth
    least, most = float(game.payoffs[0]), float(game.payoffs[-1])
    return (worth - least) / (most - least) if side == 0 else 1 - (-worth - least) / (most - least)
