"""Flip: two piles, and the open cards of both players."""

import numpy as np

from ...core.game import Game
from ...core.picture import Cards, Cell, Facts, Parts, Words
from ..shared.cards import face_up
from . import rules
from .rules import PASS, RANKS, ROW, cards_of

PILES = ("left", "right")


def fits(rank: int, pile: int) -> bool:
    """True if a card is next in rank to the one on a pile."""
    return (rank - pile) % RANKS in (1, RANKS - 1)


def own_rows(cards: list[int], piles: list[int], playing: bool) -> list[Cards]:
    """The own open cards; those that fit both piles come a second time, for the right one."""
    first, second = [], []
    for card in cards:
        where = [pile for pile in range(2) if playing and fits(card, piles[pile])]
        name = str(card + 1)
        spoken = f"{name}, on the {PILES[where[0]]} pile" if where else f"{name}, fits no pile"
        first.append(Cell(name, "own", 2 * card + where[0] if where else None, spoken))
        if len(where) == 2:
            second.append(Cell(name, "own", 2 * card + 1, f"{name}, on the right pile"))
    rows = [Cards("Your open cards", tuple(first))]
    return [*rows, Cards("Fit the right pile as well", tuple(second))] if second else rows


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    """The piles, the open cards of both, and how many are left."""
    if seen[rules.SEEN_PHASE] == rules.DEALING:
        return (Words(("The cards are being dealt.",)),)
    piles = [int(card) for card in seen[rules.SEEN_PILE : rules.SEEN_PILE + 2]]
    own, other = (cards_of(seen[rules.SEEN_OPEN + RANKS * who :][:RANKS]) for who in range(2))
    held, others = (int(number) for number in seen[rules.SEEN_HELD : rules.SEEN_HELD + 2])
    mine, playing = bool(seen[rules.SEEN_MINE]), seen[rules.SEEN_PHASE] == rules.PLAYING
    if playing:
        words = ("Your turn" if mine else "The other's turn") + (", after a pass." if seen[rules.SEEN_PASSES] else ".")
    else:
        words = "A draw." if held == others else "You have won." if held < others else "You have lost."
    rows = own_rows(own, piles, playing)
    if playing and all(cell.action is None for cell in rows[0].cards):
        rows.append(Cards("", (Cell("pass", "marked", PASS, "pass: none of your cards fits"),)))
    left = Facts((("your stack", str(max(held - ROW, 0))), ("the other's stack", str(max(others - ROW, 0)))))
    table = tuple(Cell(str(card + 1), "", None, f"{PILES[i]} pile, {card + 1}") for i, card in enumerate(piles))
    shown = face_up((str(card + 1) for card in other), "other")
    stacked = cards_of(seen[rules.SEEN_STACKED :])
    facts = (*left.rows, ("in the two stacks together", " ".join(str(card + 1) for card in stacked) or "nothing"))
    return Words((words,)), Cards("Piles", table), *rows, Cards("The other's open cards", shown), Facts(facts)


def draw_state(game: Game, state: np.ndarray) -> Parts:
    """The piles, the open cards and the stacks."""
    if state[rules.PHASE] == rules.DEALING:
        return (Words((f"{state[rules.DEALT]} of {rules.DECK} cards are dealt.",)),)
    piles = face_up(str(card + 1) for card in state[rules.PILE : rules.PILE + 2].tolist())
    parts = [Cards("Piles", piles)]
    for player in range(2):
        end = rules.STACKS + rules.STACK * (player + 1)
        stack = state[end - max(int(state[rules.HELD + player]) - ROW, 0) : end].tolist()
        shown = cards_of(state[rules.OPEN + RANKS * player :][:RANKS])
        look = ("own", "other")[player]
        parts.append(Cards(f"Player {player + 1}, open", face_up((str(card + 1) for card in shown), look)))
        parts.append(Cards(f"Player {player + 1}, stack from the top", face_up(str(card + 1) for card in stack)))
    return tuple(parts)
