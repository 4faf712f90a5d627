"""Flip: two piles, and the open cards of both players."""

import numpy as np

from ...core.agents import ParametricPolicy
from ...core.explain import Explanation, Table, choices
from ...core.game import CHANCE, OVER, Game
from ...core.picture import Cards, Cell, Facts, Messages, Parts
from ...core.rng import random_below, stream_of
from ...core.session import actions_in, view_of
from ..one_card_poker import face_up
from . import rules
from .rules import PASS, RANKS, ROW, cards_of, label

PILES = ("left", "right")


def fits(rank: int, pile: int) -> bool:
    return (rank - pile) % RANKS in (1, RANKS - 1)


def own_rows(cards: list[int], piles: list[int], playing: bool) -> list[Cards]:
    """Return the player's open cards; those that fit both piles appear a second time, for the right one."""
    first, second = [], []
    for card in cards:
        where = [pile for pile in range(2) if playing and fits(card, piles[pile])]
        name = str(card + 1)
        spoken = f"{name}, on the {PILES[where[0]]} pile" if where else f"{name}, fits no pile"
        first.append(Cell(name, "own", 2 * card + where[0] if where else None, spoken))
        if len(where) == 2:
            second.append(Cell(name, "own", 2 * card + 1, f"{name}, on the right pile"))
    rows = [Cards("Your open cards", tuple(first), seat="own")]
    return [*rows, Cards("Fit the right pile as well", tuple(second), seat="own")] if second else rows


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    if seen[rules.SEEN_PHASE] == rules.DEALING:
        return (Messages(("The cards are being dealt.",)),)
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
    return (
        Messages((words,)),
        Cards("Piles", table),
        *rows,
        Cards("The opponent's open cards", shown, seat="other"),
        Facts(facts),
    )


def draw_state(game: Game, state: np.ndarray) -> Parts:
    if state[rules.PHASE] == rules.DEALING:
        return (Messages((f"{state[rules.DEALT]} of {rules.DECK} cards are dealt.",)),)
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


# Explanation: the largest terms, and the preferred plays in a sample position.

SHOWN, STREAM, MIN_PLAYS = 10, 0xF11B, 4


def explain(game: Game, player: ParametricPolicy, seed: int) -> Explanation:
    """Return the largest coefficients, and the plays of one position sorted by value."""
    theta, plan, state = player.thetas[0], player.plan, sample(game, seed)
    mover = int(game.rules.mover(state))
    seen, actions, counts = view_of(game, state, mover), actions_in(game, state).tolist(), np.zeros(rules.MANY)
    at = (rules.SEEN_PILE, rules.SEEN_HELD, rules.SEEN_HELD + 1, rules.SEEN_OPEN, rules.SEEN_OPEN + RANKS)
    values = {action: float(rules.value_of_play(plan, seen, *at, counts, action)) for action in actions}
    [chosen] = choices(game, player, state, seed, 1)
    ranked = sorted(actions, key=lambda action: (-values[action], action))
    title = "A sample position: " + "; ".join(rules.show(seen).splitlines())
    plays = tuple((label(action), f"{values[action]:+.4g}", "chosen" if action == chosen else "") for action in ranked)
    tables = [Table(title, ("play", "value", ""), plays)]
    if heavy := rules.coefficients(theta)[:SHOWN]:
        rows = tuple((f"{weight:+.4g}", name) for name, weight in heavy)
        tables.insert(
            0, Table("The largest coefficients; features are counts over their units", ("weight", "of"), rows)
        )
    tied = sum(value == values[chosen] for value in values.values()) > 1
    equal = ", the lowest of equals" if tied else ", to which it gives the highest value"
    sentence = f"In the sample position it prefers {label(chosen)}{equal}."
    return Explanation((f"{player.name} {rules.describe(theta)}.", sentence), tuple(tables))


def sample(game: Game, seed: int) -> np.ndarray:
    """Return the first position of a random game with several plays on different piles."""
    stream, state = stream_of(seed, STREAM), np.zeros(game.sizes.state, np.int64)
    game.rules.start(state)
    while True:
        mover = int(game.rules.mover(state))
        if mover == OVER:
            game.rules.start(state)
            continue
        actions = actions_in(game, state)
        if mover != CHANCE and len(actions) >= MIN_PLAYS and state[rules.PILE] != state[rules.PILE + 1]:
            return state
        game.rules.apply(state, actions[random_below(stream, len(actions))])


SCENE = "cards"
HOW_TO_PLAY = (
    "The deck has four cards of each rank from 1 to 8, and the ranks form a circle: 8 and 1 are neighbours.",
    "Each player has fifteen cards: five lie open for both to see, the others in a stack that nobody has looked at.",
    "Two cards begin two piles.",
    "In turn put one of your open cards on a pile whose card is next in rank, one up or one down.",
    "Who can play must play; then the top card of the own stack is opened.",
    "Who cannot play passes. After two passes in a row both turn the top card of their stacks onto the piles.",
    "If a player has no stack left for that, the game is over and fewer cards win.",
    "Who gets rid of all cards first wins.",
)


OWN, OTHER = range(2)


def news_between(game: Game, before: np.ndarray, action: int, now: np.ndarray) -> list[str]:
    """List the card opened by the player, the opponent's play and opened card, and cards turned up by two passes."""
    # The stacks gave cards to the piles: only then has a player who passes one card less.
    turned = action == PASS and now[rules.SEEN_HELD + OWN] < before[rules.SEEN_HELD + OWN]
    piles, earlier = ([int(rank) for rank in seen[rules.SEEN_PILE : rules.SEEN_PILE + 2]] for seen in (now, before))
    news = [] if action == PASS else _opened("You open", before, now, OWN, action // 2)
    if turned and before[rules.SEEN_PASSES]:  # the player's pass was the second one, and the opponent has moved since
        return [*news, "Both have passed: each stack gives a card to the piles.", *_reply(before, now, piles)]
    if turned:
        shown = " and ".join(str(pile + 1) for pile in piles)
        return [*news, "the other: pass", f"Both have passed: the stacks give {shown} to the piles."]
    if now[rules.SEEN_PHASE] == rules.FINISHED and action == PASS and before[rules.SEEN_PASSES]:
        return news
    if now[rules.SEEN_HELD + OWN] == 0:
        return news
    if action != PASS:
        earlier[action % 2] = action // 2
    for place, (old, new) in enumerate(zip(earlier, piles, strict=True)):
        if old != new:
            played = f"the other: {new + 1} on the {PILES[place]} pile"
            return [*news, played, *_opened("The other opens", before, now, OTHER, new)]
    return [*news, "the other: pass"]


def _opened(words: str, before: np.ndarray, now: np.ndarray, who: int, played: int) -> list[str]:
    """Report the card that a stack opened after a card of rank `played`, if there was a stack."""
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
