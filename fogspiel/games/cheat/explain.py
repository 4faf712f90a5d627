"""Cheat in words: what drives laying, lying and calling, and how often it lies and calls in typical situations."""

from typing import NamedTuple

import numpy as np

from ...core.agents import Policy
from ...core.explanation import Cell, Explanation, Table
from ...core.game import Game
from ...core.session import replay
from ..shared.sampling import choices, estimate_score
from . import rules
from .rules import CALL, COLOUR, COLOURS, DEALT, HALF, HAND, LAID, NAMES, OPENER, RANKS
from .valuation import NOISE

ASKED = 4000  # how often the player is asked in each situation
SHOWN = 4  # terms that are listed for each kind of action
RULES = (
    "{} never loses: no opponent ever lays its last card against it.",
    "While the other has more than three cards it tries anything, all actions alike.",
    "When the other has three cards or fewer and a colour is set, it calls cheat.",
    "When the other has three cards or fewer and the table is empty, it opens with the colour of which it has most "
    "cards, all of which are then its own, so that the other must lie or call in vain.",
)


class Situation(NamedTuple):
    """A moment of a round that the other opened with clubs: the own hand and the own cards in the pile, by colour."""

    title: str
    hand: tuple[int, int, int, int]
    laid: tuple[int, int, int, int]


SITUATIONS = (
    Situation("a round begins, clubs in hand", (4, 8, 7, 7), (0, 0, 0, 0)),
    Situation("a round begins, no clubs", (0, 9, 9, 8), (0, 0, 0, 0)),
    Situation("a long pile, clubs in hand", (3, 6, 5, 4), (4, 2, 1, 1)),
    Situation("a long pile, no clubs", (0, 6, 6, 6), (4, 2, 1, 1)),
    Situation("nearly done, a club left", (1, 1, 0, 0), (2, 2, 0, 0)),
    Situation("nearly done, no clubs", (0, 1, 1, 0), (2, 2, 0, 0)),
    Situation("the other has two cards left", (10, 11, 10, 10), (1, 1, 1, 1)),
)
OPENING = (8, 7, 6, 5)
SAME = {"1", "other's hand"}  # features that are the same for all actions of a moment, and so decide nothing alone


def explain(game: Game, player: Policy, seed: int) -> Explanation:
    """The largest coefficients by kind of action, and answers in typical situations."""
    rows: list[tuple[Cell, ...]] = []
    for situation in SITUATIONS:
        state = position(game, situation)
        often = choices(game, player, state, seed, ASKED)
        others, pile = (int(part.sum()) for part in (state[HAND + COLOURS : LAID], state[LAID:]))
        lies = sum(often[colour] for colour in range(1, COLOURS))
        shares = (estimate_score(count, ASKED) for count in (often[0], lies, often[CALL]))
        rows.append((situation.title, sum(situation.hand), others, pile, *shares))
    columns = ("situation; the colour is clubs", "own hand", "other's", "pile", "lays a club", "lies", "calls")
    table = Table(f"What {player.name} does, asked {ASKED} times each, with 95 % intervals", columns, tuple(rows))
    opened = choices(game, player, opening(game), seed, ASKED).most_common()
    colours = ", ".join(f"{NAMES[colour]} {estimate_score(count, ASKED)}" for colour, count in opened)
    held = ", ".join(f"{number} {name}" for number, name in zip(OPENING, NAMES, strict=True))
    first = f"With {held} it opens: {colours}."
    if player.strategy is rules.NEVER_LOSE:
        return Explanation((*(rule.format(player.name) for rule in RULES), first), (table,))
    return Explanation((*_drivers(player), first), (table,))


def _drivers(player: Policy) -> tuple[str, ...]:
    """The terms that weigh most, by the kind of action that they are about."""
    kinds: dict[str, list[tuple[float, str]]] = {
        "every action, so for which card to lay": [],
        "lying": [],
        "calling": [],
    }
    whatever, lying, calling = kinds.values()
    for name, weight in zip(rules.PARAMETERS, player.thetas[0].tolist(), strict=False):  # a 29th one is no coefficient
        factors = name.split(" x ")
        if weight and not set(factors) <= SAME:
            terms = calling if "call" in factors else lying if "lie" in factors else whatever
            terms.append((weight, " x ".join(factor for factor in factors if factor != "1")))
    said = []
    for kind, terms in kinds.items():
        heavy = sorted(terms, key=lambda term: -abs(term[0]))[:SHOWN]
        listed = ", ".join(f"{weight:+.3g} {name}" for weight, name in heavy)
        said.append(f"What counts most in {kind}: {listed or 'nothing'}.")
    odd = f", plus arbitrary numbers of standard deviation {rules.SPECIAL:g} that its last parameter stands for"
    return (
        f"{player.name} takes the action of the highest value, a quadratic function of what it leads to"
        f"{odd if len(player.thetas[0]) > rules.SEED else ''}, with noise of standard deviation {NOISE:g}.",
        *said,
        "Hands and pile count in 26 cards, own suited cards in 13; lie is 1 for a lie, and for a call the chance that "
        "a card of the other's is none of the colour; call is 1 for a call.",
    )


def _table(game: Game, hand: tuple[int, ...], laid: tuple[int, ...], others: int) -> np.ndarray:
    """The state in which the first player is to move with these cards, and the other has `others` cards in the pile."""
    state = next(replay(game, [])).state
    rest = RANKS - np.array(hand) - np.array(laid)
    given = np.zeros(COLOURS, np.int64)
    for colour in range(COLOURS):
        given[colour] = min(rest[colour], others - given.sum())
    state[DEALT] = HALF
    state[HAND : HAND + COLOURS] = hand
    state[HAND + COLOURS : LAID] = rest - given
    state[LAID : LAID + COLOURS] = laid
    state[LAID + COLOURS : LAID + 2 * COLOURS] = given
    return state


def position(game: Game, situation: Situation) -> np.ndarray:
    """The state of a situation: the other opened with clubs, who has laid one card more."""
    state = _table(game, situation.hand, situation.laid, sum(situation.laid) + 1)
    state[COLOUR], state[OPENER] = 0, 1
    return state


def opening(game: Game) -> np.ndarray:
    """The first player to open a round."""
    return _table(game, OPENING, (0, 0, 0, 0), 0)
