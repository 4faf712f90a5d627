"""Morra: both show some fingers and call the total of both hands; who alone calls it right wins.

Data sheets of state and view: `shared/one_throw.py`.
Action 11 * fingers + call: fingers 0..5, call 0..10.
"""

import math

import numpy as np

from ...core.game import DRAW, Game, Rules, Sizes, Strategy, Vector
from ...core.kernel import inlined, kernel
from ...core.rng import below, unit
from ..shared import one_throw
from ..shared.hidden import resample_one
from ..shared.one_throw import SHOWN, apply, mover, start, view

FINGERS, CALLS = 6, 11
ACTIONS = FINGERS * CALLS


# The rules that are its own


@inlined
def result(first, second):
    """The first player's score: calls that are both right or both wrong make a draw."""
    total = first // CALLS + second // CALLS
    return DRAW + int(first % CALLS == total) - int(second % CALLS == total)


@kernel
def score(state):
    return result(state[SHOWN], state[SHOWN + 1])


# The strategy: a softmax over all the throws, drawn from Walker's alias table

SHARE, ALIAS = 0, ACTIONS
# A column for each action: the share of it that is the action's own, and the action that has the rest.
PLAN = 2 * ACTIONS


@kernel
def weigh(theta, out):
    """Write the probabilities of the actions, not normalised: the likeliest has 1."""
    most = theta[0]
    for action in range(1, ACTIONS):
        most = max(most, theta[action])
    for action in range(ACTIONS):
        out[action] = math.exp(theta[action] - most)


@inlined
def next_light(plan, action):
    """The next action with at most a column's worth of probability that is not topped up yet."""
    while action < ACTIONS and (plan[SHARE + action] > 1 or plan[ALIAS + action] != action):
        action += 1
    return action


@inlined
def next_heavy(plan, action):
    """The next action with more than a column's worth of probability."""
    while action < ACTIONS and plan[SHARE + action] <= 1:
        action += 1
    return action


@kernel
def prepare(theta, plan):
    """Fill columns of equal height in one sweep: a heavy action tops light ones up until it is light itself."""
    weigh(theta, plan)
    total = 0.0
    for action in range(ACTIONS):
        total += plan[action]
    for action in range(ACTIONS):
        plan[SHARE + action] = plan[action] * ACTIONS / total
        plan[ALIAS + action] = action
    light, heavy = next_light(plan, 0), next_heavy(plan, 0)
    left = plan[SHARE + heavy] if heavy < ACTIONS else 0.0
    # What is left when either kind has run out is a full column each, but for rounding errors.
    while heavy < ACTIONS and (light < ACTIONS or left <= 1):
        if left > 1:
            plan[ALIAS + light] = heavy
            left -= 1 - plan[SHARE + light]
            light = next_light(plan, light + 1)
        else:
            spent, heavy = heavy, next_heavy(plan, heavy + 1)
            if heavy < ACTIONS:
                plan[SHARE + spent] = left
                plan[ALIAS + spent] = heavy
                left += plan[SHARE + heavy] - 1


@inlined
def throw(plan, stream):
    """Any column with equal chance, then one of its two actions."""
    column = below(stream, ACTIONS)
    return column if unit(stream) < plan[SHARE + column] else int(plan[ALIAS + column])


@kernel
def choose(seen, actions, plan, stream):
    return throw(plan, stream)


@kernel
def play(state, plan_0, plan_1, chance, stream_0, stream_1):
    """The same game in one kernel, without lists of actions."""
    return result(throw(plan_0, stream_0), throw(plan_1, stream_1))


# Words


def label(action: int) -> str:
    return f"show {action // CALLS} call {action % CALLS}"


def words(theta: np.ndarray) -> str:
    """Describe the most frequent throw of a vector."""
    weights = np.zeros(ACTIONS)
    weigh(theta, weights)
    often = np.argsort(-weights, kind="stable")[:3].tolist()
    return "throws most often: " + ", ".join(f"{label(a)} {weights[a] / weights.sum():.1%}" for a in often)


NEVER = -1000.0  # a parameter so far below the largest one that the probability underflows to exactly 0


def sensible(fingers: int, other: int) -> int:
    """The action that shows `fingers` and is right when the opponent shows `other`, both in 0..5."""
    return CALLS * fingers + fingers + other


def any_of(actions: set[int]) -> Vector:
    """The parameters that throw each of these actions equally often and no other one at all."""
    return tuple(0.0 if action in actions else NEVER for action in range(ACTIONS))


SOURCE = (
    "Cauwet & Teytaud 2018: a parameter for each of all the joint actions, 6 finger counts by 11 calls. Ours: a game "
    "is one throw, calls that are both right or both wrong draw, and a softmax turns parameters into probabilities. "
    "Ours too: uniform36 throws each of the 36 actions that can be right equally often; equilibrium throws only six of "
    "them, equally often: it shows f = 0..5 and calls 2f, as if the opponent showed the same. Nobody scores more than "
    "1/2 against either."
)
FAMILY = Strategy("probabilities of the throws", tuple(map(label, range(ACTIONS))), PLAN, prepare, choose, words=words)

GAMES = (
    Game(
        name="morra",
        title="Morra, 0 to 5 fingers",
        family="morra",
        kind="Guessing",
        version=1,
        rules=Rules(start, mover, one_throw.legal_among(ACTIONS), apply, view, score),
        resample=resample_one(one_throw.hidden_among(ACTIONS)),
        sizes=Sizes(SHOWN + 2, 2, ACTIONS),
        show=one_throw.show_with(label, "show 0 to 5 fingers and call the total of both hands", "throw"),
        reveal=one_throw.reveal_with(label, "nobody has thrown"),
        label=label,
        source=SOURCE,
        strategy=FAMILY,
        named={
            "uniform36": any_of({sensible(f, h) for f in range(FINGERS) for h in range(FINGERS)}),
            "equilibrium": any_of({sensible(f, f) for f in range(FINGERS)}),
        },
        play=play,
        symmetric=True,
    ),
)
