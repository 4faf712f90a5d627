"""A game file of a designer that is too large to solve, with a constant that decides whether it is fair."""

BIDS = '''"""Bids: both bid up to four coins in secret, twelve times; the higher bid takes a point, and both pay.

Data sheet of a state and a view: turn, the first's bid of this round (-1 if hidden), points of both, coins of both.
"""

from fogspiel import OVER, Game, Rules, Sizes, kernel

ROUNDS = 12
COINS = 20
BONUS = 1  # points of the second player at the start, in halves
FREE = {"BONUS": range(-6, 8, 3)}

TURN, BID, POINTS, LEFT = 0, 1, 2, 4


@kernel
def start(state):
    state[:] = 0
    state[BID] = -1
    state[LEFT] = COINS
    state[LEFT + 1] = COINS


@kernel
def mover(state):
    return state[TURN] % 2 if state[TURN] < 2 * ROUNDS else OVER


@kernel
def legal(state, out):
    most = min(state[LEFT + state[TURN] % 2], 4)
    for bid in range(most + 1):
        out[bid] = bid
    return most + 1


@kernel
def apply(state, action):
    if state[TURN] % 2 == 0:
        state[BID] = action
    else:
        first = state[BID]
        if first != action:
            state[POINTS + (action > first)] += 1
        state[LEFT] -= first
        state[LEFT + 1] -= action
        state[BID] = -1
    state[TURN] += 1


@kernel
def view(state, player, out):
    for cell in range(6):
        out[cell] = state[cell]
    if player == 1:
        out[BID] = -1


@kernel
def score(state):
    lead = 2 * (state[POINTS] - state[POINTS + 1]) - BONUS
    return 2 if lead > 0 else 1 if lead == 0 else 0


GAMES = [Game("bids", Rules(start, mover, legal, apply, view, score), Sizes(state=6, view=6, actions=5))]
'''
