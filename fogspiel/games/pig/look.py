"""Pig: the banks, and the die to roll."""

import numpy as np

from ...core.agents import ParametricPolicy, find_policy, redrawn_baseline
from ...core.explain import Explanation, Table, heat_map
from ...core.game import Game, Strategy
from ...core.picture import Cards, Cell, Facts, Messages, Parts
from . import rules
from .exact import optimum, rate, redrawn_law, saddle, threshold_matrix
from .rules import GOAL, MIN, OPTIMUM, describe, threshold_of


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    """Draw the banks and the points of this turn; clicking the die rolls, clicking the bank holds."""
    own, other, turn, mine, phase = (int(cell) for cell in seen)
    banks = Facts((("your bank", f"{own} of {GOAL}"), ("the other's bank", f"{other} of {GOAL}")))
    if phase == rules.FINISHED:
        return Messages(("You have won." if own >= GOAL else "You have lost.",)), banks
    whose = "Your turn" if mine else "The other's turn"
    words = Messages((f"{whose}: {turn} points so far.",))
    if not mine or phase != rules.DECIDING:
        return words, banks
    roll = Cell("roll", "die rolling", rules.ROLL, "roll the die: a 1 costs the turn")
    hold = Cell(f"bank {turn}", "own", rules.HOLD, f"hold: bank {turn} points")
    return words, Cards("", (roll, hold)), banks


def draw_state(game: Game, state: np.ndarray) -> Parts:
    banks = tuple((f"bank of player {who + 1}", str(state[rules.BANKED + who])) for who in range(2))
    turn = (("this turn", f"player {state[rules.MOVER] + 1}, {state[rules.TURN]} points"),)
    return (Facts(banks if state[rules.PHASE] == rules.FINISHED else banks + turn),)


# Explanation: the threshold, its score and its cost.

BANKS = range(0, GOAL, 10)


def explain(game: Game, player: ParametricPolicy, seed: int) -> Explanation:
    """Return the scores, and for a threshold its loss compared with the best one."""
    if player.strategy is OPTIMUM:
        others = [find_policy(game, name) for name in game.policies if name != player.name] + [redrawn_baseline(game)]
        return _optimal(player, _scores(player, {other.name: rate(player, other) for other in others}))
    threshold, best, matrix = threshold_of(player.thetas[0]), saddle(), threshold_matrix()
    scores = {}
    for name, known in game.policies.items():
        if isinstance(known, Strategy):
            scores[name] = rate(player, find_policy(game, name))
        else:
            scores[name] = float(matrix[threshold, threshold_of(np.array(known))])
    scores["redrawn"] = float(matrix[threshold, MIN:] @ redrawn_law()[MIN:])
    worst = MIN + int(matrix[threshold, MIN:].argmin())
    regret = 0.5 - matrix[threshold, best]
    if threshold == best:
        second = f"No other threshold beats {best}: its regret is 0."
    else:
        second = f"Against {best}, the threshold that no other one beats, it scores {0.5 - regret:.6f}: a regret of "
        second += f"{regret:.6f}; of all thresholds {worst} beats it most and leaves it {matrix[threshold, worst]:.6f}."
    return Explanation((f"{player.name} {describe(player.thetas[0])}.", second), (_scores(player, scores),))


def _scores(player: ParametricPolicy, scores: dict[str, float]) -> Table:
    rows = tuple((name, f"{score:.6f}") for name, score in scores.items())
    return Table(f"What {player.name} scores, by calculation", ("against", "score"), rows)


def _optimal(player: ParametricPolicy, scores: Table) -> Explanation:
    """Chart the smallest turn total at which optimal play holds, by both banks."""
    rolls = optimum().rolls
    first_hold = [
        [next((turn for turn in range(MIN, GOAL - own) if not rolls[own, other, turn]), GOAL - own) for other in BANKS]
        for own in BANKS
    ]
    title = "Points of a turn at which it stops first (or has won): own bank downwards, the other's across"
    table = Table(
        title, ("own bank", *map(str, BANKS)), tuple((own, *row) for own, row in zip(BANKS, first_hold, strict=True))
    )
    shares = [[stop / GOAL for stop in row] for row in first_hold]
    picture = heat_map(title + ", as a share of 100", shares, list(BANKS), list(BANKS), 1.0)
    said = f"{player.name} looks at both banks and at the turn, and has the best chance to win in every position."
    level = f"With nothing banked on either side the first total of a turn at which it stops is {first_hold[0][0]}."
    return Explanation((said, level), (scores, table), (picture,))


# Rules of Pig for a first-time player.

HOW_TO_PLAY = (
    "Roll a die as often as you dare. What you roll is added to the points of this turn.",
    "A 1 costs all points of this turn, and the turn is over.",
    "Hold to put the points of this turn into your bank, where they are safe.",
    "Then it is the other's turn.",
    "The first roll of a turn is made by itself.",
    "Who has 100 points first wins; points that reach 100 are banked at once.",
    "Nothing is hidden: all that counts is when to stop.",
)


# News: the rolls of the die.


def chance_words(game: Game, state: np.ndarray, action: int, side: int) -> str:
    die = "Your die" if state[rules.MOVER] == side else "The other's die"
    if action > 1:
        return f"{die} shows {action}."
    lost = int(state[rules.TURN])
    return f"{die} shows 1: {lost} points are lost, the turn is over." if lost else f"{die} shows 1: the turn is over."
