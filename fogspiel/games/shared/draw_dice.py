"""Liar's dice and Pig."""

import numpy as np

from ...core.drawing import Picture
from ...core.picture import Board, Cards, Cell, Facts, Parts, Words
from .. import liars_dice
from ..pig import rules as pig

DICE, TENS, LIAR = liars_dice.DICE, liars_dice.TENS, liars_dice.LIAR


def die(face: int, name: str) -> Cell:
    """A die, 0 if it is covered."""
    return (
        Cell(str(face), "die", None, f"{name} shows {face}")
        if face
        else Cell("", "die face-down", None, f"{name} is covered")
    )


def bids(sides: int, history: np.ndarray, open_now: bool) -> Board:
    """Every bid there is, those that were made marked."""
    said = [int(action) for action in history if action >= 0]
    highest = max(said, default=0)

    def cell(number: int, face: int) -> Cell:
        bid = TENS * number + face
        name = f"{number} x {face}"
        if bid in said:
            return Cell(name, "marked", None, f"{name}, was bid")
        free = open_now and bid > highest
        return Cell(name, "" if free else "unknown", bid if free else None, name)

    rows = tuple(tuple(cell(number, face) for face in range(1, sides + 1)) for number in range(1, DICE + 1))
    return Board(rows, "Bids")


def bidding(sides: int, history: np.ndarray) -> Words:
    """What was said, by both in turn."""
    said = [int(action) for action in history if action >= 0]
    lines = tuple(f"player {place % 2 + 1}: {liars_dice.label(action)}" for place, action in enumerate(said))
    return Words(lines or (f"Nobody has bid. {sides} is wild.",), "Said so far")


def liars_view(seen: np.ndarray) -> Parts:
    """The own die, all bids, and the right to call."""
    sides, own, other = (int(cell) for cell in seen[: liars_dice.SEEN_HISTORY])
    history = seen[liars_dice.SEEN_HISTORY :]
    if own == 0:
        return (Words(("The dice are rolled.",)),)
    said = [int(action) for action in history if action >= 0]
    over = LIAR in said
    call = (Cards("", (Cell("liar!", "marked", LIAR, "call the last bid a lie"),)),) if said and not over else ()
    return (
        Cards("Your die", (die(own, "your die"),)),
        Cards("The other's die", (die(other, "the other's die"),)),
        bids(sides, history, not over),
        *call,
        bidding(sides, history),
    )


def liars_truth(state: np.ndarray) -> Parts:
    """Both dice and all bids."""
    sides, first, second = (int(cell) for cell in state[: liars_dice.MOVES])
    history = state[liars_dice.HISTORY :]
    dice = tuple(die(face, f"the die of player {who}") for who, face in ((1, first), (2, second)))
    return Cards("Dice of players 1 and 2", dice), bids(sides, history, False), bidding(sides, history)


def pig_view(seen: np.ndarray) -> Parts:
    """The banks and the points of this turn; the die rolls, the bank holds."""
    own, other, turn, mine, phase = (int(cell) for cell in seen)
    banks = Facts((("your bank", f"{own} of {pig.GOAL}"), ("the other's bank", f"{other} of {pig.GOAL}")))
    if phase == pig.FINISHED:
        return Words(("You have won." if own >= pig.GOAL else "You have lost.",)), banks
    whose = "Your turn" if mine else "The other's turn"
    words = Words((f"{whose}: {turn} points so far.",))
    if not mine or phase != pig.DECIDING:
        return words, banks
    roll = Cell("roll", "die", pig.ROLL, "roll the die: a 1 costs the turn")
    hold = Cell(f"bank {turn}", "own", pig.HOLD, f"hold: bank {turn} points")
    return words, Cards("", (roll, hold)), banks


def pig_truth(state: np.ndarray) -> Parts:
    """The banks and the points of this turn."""
    banks = tuple((f"bank of player {who + 1}", str(state[pig.BANKED + who])) for who in range(2))
    turn = (("this turn", f"player {state[pig.MOVER] + 1}, {state[pig.TURN]} points"),)
    return (Facts(banks if state[pig.PHASE] == pig.FINISHED else banks + turn),)


PICTURES = {game.name: Picture(liars_view, liars_truth) for game in liars_dice.GAMES} | {
    game.name: Picture(pig_view, pig_truth) for game in pig.GAMES
}
