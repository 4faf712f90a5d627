"""Morra: both show some fingers and call the total of both hands; a player who alone calls it right wins.

Data sheets of state and view: `rock_paper_scissors.py`.
Action 11 * fingers + call: fingers 0..5, call 0..10.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ..core.agents import ANYBODY, REDRAWN, BestResponseScore, ParametricPolicy, members_of
from ..core.compile.kernel import inlined, kernel
from ..core.explain import Explanation, Table, heat_map, percent
from ..core.game import DRAW, UNIFORM, Game, Sizes, Strategy, Vector, check_vector
from ..core.picture import BoardPicture, Cards, Cell, Facts, Messages, Parts
from ..core.rng import random_below, random_unit
from . import rock_paper_scissors as shared
from .boards.board import resample_one

FINGERS, CALLS = 6, 11
ACTIONS = FINGERS * CALLS


# Rules specific to Morra


@inlined
def result(first, second):
    """Return the first player's score: calls that are both right or both wrong make a draw."""
    total = first // CALLS + second // CALLS
    return DRAW + int(first % CALLS == total) - int(second % CALLS == total)


@kernel
def score(state):
    return result(state[shared.SHOWN], state[shared.SHOWN + 1])


# The strategy: a softmax over all throws, drawn from Walker's alias table

SHARE, ALIAS = 0, ACTIONS
# A column for each action: the fraction that belongs to the action itself, and the action that has the rest.
PLAN = 2 * ACTIONS


@kernel
def weigh(theta, out):
    """Write the unnormalised probabilities of the actions; the likeliest has 1."""
    most = theta[0]
    for action in range(1, ACTIONS):
        most = max(most, theta[action])
    for action in range(ACTIONS):
        out[action] = math.exp(theta[action] - most)


@inlined
def next_light(plan, action):
    """Return the next action with at most one column of probability that has no alias yet."""
    while action < ACTIONS and (plan[SHARE + action] > 1 or plan[ALIAS + action] != action):
        action += 1
    return action


@inlined
def next_heavy(plan, action):
    """Return the next action with more than one column of probability."""
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
    # When either kind has run out, each remaining action fills one column, up to rounding errors.
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
    """Draw a column uniformly, then one of its two actions."""
    column = random_below(stream, ACTIONS)
    return column if random_unit(stream) < plan[SHARE + column] else int(plan[ALIAS + column])


@kernel
def choose(seen, actions, plan, stream):
    return throw(plan, stream)


@kernel
def play(state, plan_0, plan_1, chance, stream_0, stream_1):
    return result(throw(plan_0, stream_0), throw(plan_1, stream_1))


# Text


def label(action: int) -> str:
    return f"show {action // CALLS} call {action % CALLS}"


def describe(theta: np.ndarray) -> str:
    weights = np.zeros(ACTIONS)
    weigh(theta, weights)
    often = np.argsort(-weights, kind="stable")[:3].tolist()
    return "throws most often: " + ", ".join(f"{label(a)} {weights[a] / weights.sum():.1%}" for a in often)


NEVER = -1000.0  # so far below the largest parameter that the probability underflows to exactly 0


def sensible(fingers: int, other: int) -> int:
    """Return the action that shows `fingers` and is right when the opponent shows `other`, both in 0..5."""
    return CALLS * fingers + fingers + other


def any_of(actions: set[int]) -> Vector:
    """Return the parameters that throw each of these actions equally often and no other."""
    return tuple(0.0 if action in actions else NEVER for action in range(ACTIONS))


SOURCE = (
    "Cauwet & Teytaud 2018: a parameter for each of all the joint actions, 6 finger counts by 11 calls. Ours: a game "
    "is one throw, calls that are both right or both wrong draw, and a softmax turns parameters into probabilities. "
    "Ours too: uniform36 throws each of the 36 actions that can be right equally often; equilibrium throws only six of "
    "them, equally often: it shows f = 0..5 and calls 2f, as if the opponent showed the same. Nobody scores more than "
    "1/2 against either."
)
FAMILY = Strategy(
    "probabilities of the throws", tuple(map(label, range(ACTIONS))), PLAN, prepare, choose, describe=describe
)

GAMES = (
    Game(
        name="morra",
        title="Morra, 0 to 5 fingers",
        family="morra",
        category="Guessing",
        rules=shared.rules_among(ACTIONS, score),
        resample=resample_one(shared.hidden_among(ACTIONS)),
        sizes=Sizes(shared.SHOWN + 2, 2, ACTIONS),
        show=shared.show_with(label, "show 0 to 5 fingers and call the total of both hands", "throw"),
        reveal=shared.reveal_with(label, "nobody has thrown"),
        label=label,
        source=SOURCE,
        strategy=FAMILY,
        policies={
            "uniform36": any_of({sensible(f, h) for f in range(FINGERS) for h in range(FINGERS)}),
            "equilibrium": any_of({sensible(f, f) for f in range(FINGERS)}),
        },
        play=play,
        symmetric=True,
    ),
)


# Morra solved: only two marginals of a player matter, and exploitability has a closed form.
#
# With f the fingers a player shows and h = call - f the fingers it expects from the opponent, its call is right exactly
# when h is the opponent's f. So the score of a player with marginals a of f and b of h against one with a' and b' is
#
#     1/2 + (b . a' - b' . a) / 2
#
# where only h = 0..5 counts. A best response holds it to 1/2 - (max a - min b) / 2, and a strategy is optimal if and
# only if both marginals are uniform on 0..5.
#
# The probabilities are those of the softmax as the kernel computes it: the weights are doubles, interpreted as exact
# fractions and normalised. Rounding in the alias table changes a probability by less than 1e-14.

Law = list[Fraction]  # the probability of each of the 66 actions


def law(theta: Sequence[float] | np.ndarray) -> Law:
    """Return the exact action probabilities of a parameter vector."""
    weights = np.zeros(ACTIONS)
    weigh(check_vector(GAMES[0], theta), weights)
    exact = [Fraction(weight) for weight in weights.tolist()]
    total = sum(exact)
    return [weight / total for weight in exact]


def law_of(player: ParametricPolicy) -> Law:
    """Return the exact action probabilities of a policy.

    A redrawn Gaussian vector has exchangeable entries, so on average over the draws every action has probability 1/66.
    The score is linear in the probabilities: in one throw it plays exactly like the uniform player.
    """
    members = members_of(player, Fraction)
    if player.strategy is UNIFORM or player.selection == REDRAWN:
        return [Fraction(1, ACTIONS)] * ACTIONS
    if player.strategy is not FAMILY:
        raise ValueError(f"{player.name} is not a player of morra whose probabilities are known")
    mean = [Fraction(0)] * ACTIONS
    for weight, theta in members:
        mean = [p + weight * q for p, q in zip(mean, law(theta), strict=True)]
    return mean


def _marginals(probabilities: Law) -> tuple[Law, Law]:
    """Return the distributions of the fingers shown, and of those expected from the opponent within 0..5."""
    shown = [sum(probabilities[CALLS * f : CALLS * (f + 1)], Fraction(0)) for f in range(FINGERS)]
    expected = [sum((probabilities[sensible(f, h)] for f in range(FINGERS)), Fraction(0)) for h in range(FINGERS)]
    return shown, expected


def exact_score(game: Game, first: ParametricPolicy, second: ParametricPolicy) -> Fraction:
    (a, b), (other_a, other_b) = _marginals(law_of(first)), _marginals(law_of(second))
    won = sum((x * y for x, y in zip(b, other_a, strict=True)), Fraction(0))
    lost = sum((x * y for x, y in zip(other_b, a, strict=True)), Fraction(0))
    return (1 + won - lost) / 2


def marginals(theta: Sequence[float] | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the frequency of each number of fingers shown, and of each number the call expects."""
    shown, expected = _marginals(law(theta))
    return np.array(shown, float), np.array(expected, float)


def exploitability(theta: Sequence[float] | np.ndarray) -> Fraction:
    """Return the best opponent's gain over 1/2: (max P(fingers shown) - min P(fingers expected)) / 2."""
    shown, expected = _marginals(law(theta))
    return (max(shown) - min(expected)) / 2


def exploitability_of(player: ParametricPolicy) -> Fraction:
    """Return the gain over 1/2 of the best opponent, which knows the player but not its draws."""
    shown, expected = _marginals(law_of(player))
    return (max(shown) - min(expected)) / 2


def best_response(theta: Sequence[float] | np.ndarray) -> int:
    """Return the action that scores best: show the least expected fingers, expect the most frequent ones."""
    shown, expected = _marginals(law(theta))
    return sensible(expected.index(min(expected)), shown.index(max(shown)))


def best_replies(game: Game, player: ParametricPolicy) -> list[BestResponseScore]:
    """Return the best response: a game is one throw, so only the mean distribution of the members counts."""
    laws = [(weight, *marginals(theta)) for weight, theta in members_of(player, float)]
    shown, expected = (sum(law[0] * law[place] for law in laws) for place in (1, 2))
    return [BestResponseScore(ANYBODY, 0.5 + float(np.max(shown) - np.min(expected)) / 2)]


# Drawings: fingers by calls, and the throws made.


def throws(own: int, other: int, is_open: bool) -> BoardPicture:
    def cell(fingers: int, call: int) -> Cell:
        action = CALLS * fingers + call
        sensible = fingers <= call <= fingers + FINGERS - 1
        look = "own" if action == own else "other" if action == other else "" if sensible else "unknown"
        return Cell(str(call), look, action if is_open else None, label(action))

    rows = tuple(tuple(cell(fingers, call) for call in range(CALLS)) for fingers in range(FINGERS))
    names = tuple(str(fingers) for fingers in range(FINGERS))
    return BoardPicture(rows, "Rows: fingers to show. Cells: the total to call.", row_names=names)


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    own, other = (int(throw) for throw in seen)
    if own < 0:
        return Messages(("Show 0 to 5 fingers and call the total of both hands.",)), throws(own, other, True)
    if other < 0:
        return Messages((f"Your throw: {label(own)}.",)), throws(own, other, False)
    total = own // CALLS + other // CALLS
    facts = (("your throw", label(own)), ("the other's throw", label(other)), ("total", str(total)))
    hands = (
        Cell(str(throw // CALLS), f"hand {look}", None, f"{whose} hand, {throw // CALLS} fingers")
        for throw, look, whose in ((own, "own", "your"), (other, "other", "the other's"))
    )
    return (
        Messages((f"The total is {total}.",)),
        Cards("Both hands", tuple(hands)),
        throws(own, other, False),
        Facts(facts),
    )


def draw_state(game: Game, state: np.ndarray) -> Parts:
    made = shared.throws_of(state)
    facts = tuple((f"player {who}", label(throw)) for who, throw in enumerate(made, 1) if throw >= 0)
    return Facts(facts or (("nobody", "has thrown"),)), throws(*made, False)


# Explanation: the fingers shown, the fingers expected, and their cost.


def explain(game: Game, player: ParametricPolicy, seed: int) -> Explanation:
    """Return the two marginals, which determine all scores, and the best response to them."""
    theta = player.thetas[0]
    shown, expected = marginals(theta)
    cost = exploitability(theta)
    nonsense = max(0.0, 1.0 - float(expected.sum()))
    if cost:
        exactly = f" = {cost}" if len(str(cost)) < 24 else ""
        reply = f"The best reply is to {label(best_response(theta))}; it scores {0.5 + float(cost):.6f}, so the "
        reply += f"exploitability is {float(cost):.6f}{exactly}."
    else:
        reply = "Nobody scores more than 1/2 against it: its exploitability is exactly 0."
    wrong = "Calls that cannot be right, as the other would have to show fewer than 0 or more than 5 fingers"
    sentences = (f"{player.name} {describe(theta)}.", f"{wrong}: {percent(nonsense)}.", reply)
    rows = tuple((f, percent(shown[f]), percent(expected[f])) for f in range(FINGERS))
    table = Table(f"The fingers of {player.name}", ("fingers", "shows them", "expects them"), rows)
    chances = [[float(chance) for chance in law(theta)[CALLS * f : CALLS * (f + 1)]] for f in range(FINGERS)]
    title = "Probability of each throw: fingers downwards, call across"
    picture = heat_map(title, chances, range(FINGERS), range(CALLS), max(map(max, chances)))
    return Explanation(sentences, (table,), (picture,))


SCENE = "felt"
HOW_TO_PLAY = (
    "Both players show 0 to 5 fingers at the same time and call the total of both hands.",
    "Who alone calls the total right wins the throw.",
    "If both are right or both are wrong, it is a draw.",
    "On the board the row is the number of fingers you show, and the cell is the total you call.",
    "Calls that cannot be right with your own fingers are dim.",
    "The other chooses without seeing your throw.",
)


def news_between(game: Game, before: np.ndarray, action: int, now: np.ndarray) -> list[str]:
    own, other = int(now[shared.SEEN_OWN]), int(now[shared.SEEN_OTHER])
    if other < 0:
        return []
    return [f"the other: {label(other)}", f"The total is {own // CALLS + other // CALLS}."]
