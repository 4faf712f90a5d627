"""Binary poker: each player gets a card that is 0 or 1, independently; the first may bet, the second call or fold.

The rules and the data sheets of state and view: `shared/one_bet.py`.
"""

from ..shared.one_bet import poker

CARDS = "01"
SOURCE = (
    "Bossle 2018, section 3.5, an example without a name; ours: the name, and an ante of 1, which follows from the "
    "payoff of a fold. The objective printed there has -0.5 S1[0P] + 0.5 S1[1P]; its rules give -0.25 and +0.25, since "
    "a player who passes meets the other card only half of the time. The value is 0: bet and call with 1, pass and "
    "fold with 0."
)
GAMES = (poker("binary-poker", "Binary poker, a card of 0 or 1 each", SOURCE, CARDS, openers=1, twins=1),)
