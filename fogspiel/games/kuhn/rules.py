"""Kuhn poker: three cards, one each; both may bet once, and the higher card wins unless a player folds.

The first player passes or bets; after a pass the second may bet too. The rules and the data sheets of state and view:
`shared/one_bet.py`; cards are 0 jack, 1 queen, 2 king, and the two that are dealt differ.
"""

from ..shared.one_bet import poker

CARDS = "JQK"
SOURCE = (
    "Kuhn 1950, A simplified two-person poker. The value is -1/18. The first player has a family of optimal "
    "strategies, told apart by how often they bet the jack; the second has one."
)
GAMES = (poker("kuhn", "Kuhn poker, three cards", SOURCE, CARDS, openers=2, twins=0),)
