"""Flip: what the other has played, and the cards that were turned up."""

import numpy as np

from ...core.game import Game
from . import rules
from .draw import PILES
from .rules import PASS, RANKS

OWN, OTHER = range(2)


def news_between(game: Game, before: np.ndarray, action: int, now: np.ndarray) -> list[str]:
    """The card that the own stack opened, what the other played and opened, and what two passes turned up."""
    piles, turned = _piles(now), _is_turned(before, action, now)
    news = [] if action == PASS else _opened("You open", before, now, OWN, action // 2)
    if turned and before[rules.SEEN_PASSES]:  # the own pass was the second one, and the other has moved since
        return [*news, "Both have passed: each stack gives a card to the piles.", *_reply(before, now, piles)]
    if turned:
        shown = " and ".join(str(pile + 1) for pile in piles)
        return [*news, "the other: pass", f"Both have passed: the stacks give {shown} to the piles."]
    if now[rules.SEEN_PHASE] == rules.FINISHED and action == PASS and before[rules.SEEN_PASSES]:
        return news
    if now[rules.SEEN_HELD + OWN] == 0:
        return news
    earlier = _piles(before)
    if action != PASS:
        earlier[action % 2] = action // 2
    for place, (old, new) in enumerate(zip(earlier, piles, strict=True)):
        if old != new:
            played = f"the other: {new + 1} on the {PILES[place]} pile"
            return [*news, played, *_opened("The other opens", before, now, OTHER, new)]
    return [*news, "the other: pass"]


def _piles(seen: np.ndarray) -> list[int]:
    """The ranks on the piles."""
    return [int(rank) for rank in seen[rules.SEEN_PILE : rules.SEEN_PILE + 2]]


def _is_turned(before: np.ndarray, action: int, now: np.ndarray) -> bool:
    """True if the stacks gave cards to the piles: a player who passes has a card less only then."""
    return bool(action == PASS and now[rules.SEEN_HELD + OWN] < before[rules.SEEN_HELD + OWN])


def _opened(words: str, before: np.ndarray, now: np.ndarray, who: int, played: int) -> list[str]:
    """The card that a stack opened when a card of that rank was played, if there was a stack."""
    gain = (now - before)[rules.SEEN_OPEN + RANKS * who :][:RANKS].copy()
    gain[played] += 1
    return [f"{words} {rank + 1}." for rank in np.flatnonzero(gain > 0)]


def _reply(before: np.ndarray, now: np.ndarray, piles: list[int]) -> list[str]:
    """List the opponent's actions on newly turned piles, as far as its open cards reveal them."""
    if now[rules.SEEN_PASSES]:
        return ["the other: pass"]
    gone = np.flatnonzero((now - before)[rules.SEEN_OPEN + RANKS * OTHER :][:RANKS] < 0)
    places = [place for place in range(2) if len(gone) == 1 and piles[place] == gone[0]]
    if len(places) != 1:
        return ["the other: plays a card"]
    rank = int(gone[0])
    played = f"the other: {rank + 1} on the {PILES[places[0]]} pile"
    return [played, *_opened("The other opens", before, now, OTHER, rank)]
