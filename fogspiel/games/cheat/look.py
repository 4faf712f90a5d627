"""Cheat: a hand of four colours, the pile, and the call."""

from typing import NamedTuple

import numpy as np

from ...core.agents import ParametricPolicy
from ...core.explain import Cell as TableCell
from ...core.explain import Explanation, Table, choices
from ...core.game import DRAW, LOSS, WIN, Game
from ...core.picture import Cards, Cell, Facts, Messages, Parts
from ...core.session import replay
from ..boards.board import estimate_score
from ..one_card_poker import SUITS, face_down
from . import rules
from .rules import CALL, COLOUR, COLOURS, DEALT, HALF, HAND, LAID, NAMES, NOISE, OPENER, RANKS, count_cards

LOOKS = ("black", "red", "red", "black")
ENDS = {LOSS: "Player 2 has won.", DRAW: "A draw.", WIN: "Player 1 has won."}


def stacks(counts: np.ndarray, can_lay: bool = False) -> tuple[Cell, ...]:
    """Return the cards of each colour as one stack with its number: ranks do not count."""
    return tuple(
        Cell(f"{number} × {SUITS[name]}", f"{LOOKS[colour]} stack", colour if can_lay else None, f"{number} {name}")
        for colour, (name, number) in enumerate(zip(NAMES, counts.tolist(), strict=True))
        if number
    )


def table(colour: int) -> str:
    return "The table is empty: whoever starts names the colour." if colour < 0 else f"The colour is {NAMES[colour]}."


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    colour, over = int(seen[rules.SEEN_COLOUR]), seen[rules.SEEN_RESULT] >= 0
    hand, laid = seen[rules.SEEN_HAND : rules.SEEN_LAID], seen[rules.SEEN_LAID :]
    now = "Your turn." if seen[rules.SEEN_MINE] else "The other's turn."
    turn = ENDS.get(int(seen[rules.SEEN_RESULT]), now)
    other, other_laid = int(seen[rules.SEEN_OTHER]), int(seen[rules.SEEN_OTHER_LAID])
    known = ""
    if colour < 0 and int(hand.sum()) + other == rules.CARDS:
        known = f": {count_cards(rules.RANKS - hand)}"
    call = () if colour < 0 or over else (Cards("", (Cell("cheat!", "marked", CALL, "call cheat"),)),)
    return (
        Messages((f"{table(colour)} {turn}",)),
        Cards("Your hand", stacks(hand, not over), seat="own"),
        *call,
        Cards("In the pile, laid by you", stacks(laid)),
        Cards("In the pile, laid by the opponent", face_down(other_laid), seat="other"),
        Facts((("your cards", str(int(hand.sum()))), ("the other's cards", f"{other}{known}"))),
    )


def draw_state(game: Game, state: np.ndarray) -> Parts:
    result = int(state[rules.RESULT])
    hands, laid = state[rules.HAND : rules.LAID].reshape(2, COLOURS), state[rules.LAID :].reshape(2, COLOURS)
    words = ENDS.get(result, f"Player {int(state[rules.TURN]) + 1} is to act.")
    parts = [Cards(f"Hand of player {player + 1}", stacks(hands[player])) for player in range(2)]
    piles = [Cards(f"In the pile, laid by player {player + 1}", stacks(laid[player])) for player in range(2)]
    return Messages((f"{table(int(state[rules.COLOUR]))} {words}",)), *parts, *piles


# Explanation: the terms behind laying, lying and calling, and their frequencies in typical situations.

ASKED = 4000  # samples of the player's action in each situation
SHOWN = 4  # terms listed for each kind of action
RULES = (
    "{} never loses: no opponent ever lays its last card against it.",
    "While the other has more than three cards it tries anything, all actions alike.",
    "When the other has three cards or fewer and a colour is set, it calls cheat.",
    "When the other has three cards or fewer and the table is empty, it opens with the colour of which it has most "
    "cards, all of which are then its own, so that the other must lie or call in vain.",
)


class Situation(NamedTuple):
    """A moment of a round that the opponent opened with clubs: the player's hand and cards in the pile, by colour."""

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
SAME = {"1", "other's hand"}  # features equal for all actions of a moment, which decide nothing alone


def explain(game: Game, player: ParametricPolicy, seed: int) -> Explanation:
    """Return the largest coefficients by kind of action, and action frequencies in typical situations."""
    rows: list[tuple[TableCell, ...]] = []
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


def _drivers(player: ParametricPolicy) -> tuple[str, ...]:
    kinds: dict[str, list[tuple[float, str]]] = {
        "every action, so for which card to lay": [],
        "lying": [],
        "calling": [],
    }
    whatever, lying, calling = kinds.values()
    for name, weight in zip(rules.PARAMETERS, player.thetas[0].tolist(), strict=False):  # a 29th is no coefficient
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
    """Return the state in which the first player is to move and the opponent has `others` cards in the pile."""
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
    """Return the state of a situation; the opponent, who opened, has laid one card more."""
    state = _table(game, situation.hand, situation.laid, sum(situation.laid) + 1)
    state[COLOUR], state[OPENER] = 0, 1
    return state


def opening(game: Game) -> np.ndarray:
    return _table(game, OPENING, (0, 0, 0, 0), 0)


LINES = (
    "A deck of 52 cards, of which only the four colours count: clubs, diamonds, hearts and spades.",
    "Each player gets 26 cards. Get rid of yours.",
    "Who begins a round lays a card, whose colour both see: it is the colour of the round.",
    "Then in turn lay any card face down, which ought to be of that colour, or call the other's last card a cheat.",
    "If the card that was called is of the colour the caller takes the whole pile, else the one who laid it does.",
    "Who took the pile begins the next round; then all cards are in the two hands, and you can count the other's.",
)
LAST = {
    False: "Who has no cards left wins at once. A thousand actions make a draw.",
    True: "Even the last card may be called a cheat; who gets rid of it wins. A thousand actions make a draw.",
}
ROUTINE = "Play on lays cards of the colour for you, and stops when you have none or the other is short of cards."


SCENE = "cards"


def how_to_play(game: Game) -> tuple[str, ...]:
    return *LINES, LAST[game.name == "cheat-challenge-last"], ROUTINE


def news_between(game: Game, before: np.ndarray, action: int, now: np.ndarray) -> list[str]:
    held, holds = (int(seen[rules.SEEN_HAND : rules.SEEN_LAID].sum()) for seen in (before, now))
    if action == CALL:
        news = ["It was of the colour: you take the pile." if holds > held else "A cheat: the other takes the pile."]
    elif not now[rules.SEEN_LAID :].any():  # the player's card is no longer on the pile
        fair = "You did cheat: you take the pile." if holds >= held else "You did not cheat: the other takes the pile."
        news = ["the other: call cheat", fair]
    else:
        return ["the other: lay a card face down"] if now[rules.SEEN_OTHER] < before[rules.SEEN_OTHER] else []
    if now[rules.SEEN_OTHER_LAID] == 1 and now[rules.SEEN_COLOUR] >= 0:
        news.append(f"the other: begin with {NAMES[int(now[rules.SEEN_COLOUR])]}")
    return news


FEW = 4  # the player decides when the opponent has fewer cards than this


def routine_action(game: Game, seen: np.ndarray) -> int | None:
    """Return a card of the current colour if there is one and the opponent has at least FEW cards."""
    colour = int(seen[rules.SEEN_COLOUR])
    if colour < 0 or seen[rules.SEEN_HAND + colour] == 0 or seen[rules.SEEN_OTHER] < FEW:
        return None
    return colour
