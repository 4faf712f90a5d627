"""Pig: roll as often as you dare; a 1 costs the whole turn, and the first to bank 100 points wins.

The first roll of a turn is forced. Points that reach 100 are banked at once.

Data sheet of a state (int64 cells)
    0 PHASE     rolling (chance moves), deciding (a player moves) or finished
    1 MOVER     the player to move
    2 TURN      points of this turn, not banked yet
    3 BANKED    points in the bank, of each player
Data sheet of a view: own bank, the opponent's bank, TURN, 1 if the turn is one's own, PHASE: nothing is hidden.

Chance rolls 1..6. Actions of a player: 0 hold, 1 roll.
"""

import numpy as np

from ...core.compile.kernel import inlined, kernel
from ...core.game import CHANCE, LOSS, OVER, WIN, Game, Rules, Sizes, Strategy, nothing_hidden
from ...core.picture import Facts, Messages, Parts, Race
from ...core.rng import random_below

PHASE, MOVER, TURN, BANKED = range(4)
ROLLING, DECIDING, FINISHED = range(3)
HOLD, ROLL = 0, 1
GOAL, FACES = 100, 6
SEEN_OWN, SEEN_OTHER, SEEN_TURN, SEEN_MINE, SEEN_PHASE = range(5)


# The six rules


@kernel
def start(state):
    state[PHASE] = ROLLING
    state[MOVER] = 0
    state[TURN] = 0
    state[BANKED] = 0
    state[BANKED + 1] = 0


@kernel
def mover(state):
    if state[PHASE] == FINISHED:
        return OVER
    return CHANCE if state[PHASE] == ROLLING else state[MOVER]


@kernel
def legal(state, out):
    if state[PHASE] == ROLLING:
        for face in range(1, FACES + 1):
            out[face - 1] = face
        return FACES
    out[0] = HOLD
    out[1] = ROLL
    return 2


@inlined
def pass_turn(state, gain):
    """Bank the gain, which may be 0, and pass the turn to the opponent."""
    state[BANKED + state[MOVER]] += gain
    state[MOVER] = 1 - state[MOVER]
    state[TURN] = 0
    state[PHASE] = ROLLING


@kernel
def apply(state, action):
    if state[PHASE] == DECIDING:
        if action == HOLD:
            pass_turn(state, state[TURN])
        else:
            state[PHASE] = ROLLING
    elif action == 1:
        pass_turn(state, 0)
    else:
        state[TURN] += action
        state[PHASE] = DECIDING
        if state[BANKED + state[MOVER]] + state[TURN] >= GOAL:
            pass_turn(state, state[TURN])
            state[PHASE] = FINISHED


@kernel
def view(state, player, out):
    out[SEEN_OWN] = state[BANKED + player]
    out[SEEN_OTHER] = state[BANKED + 1 - player]
    out[SEEN_TURN] = state[TURN]
    out[SEEN_MINE] = 1 if state[MOVER] == player else 0
    out[SEEN_PHASE] = state[PHASE]


@kernel
def score(state):
    return WIN if state[BANKED] >= GOAL else LOSS


# The strategy: hold at a threshold

MIN, MIDDLE, SLOPE = 2, 20, 2


@kernel
def prepare(theta, plan):
    """Write the threshold 20 + 2x, rounded half to even, from 2 to 100."""
    plan[0] = np.rint(min(max(MIDDLE + SLOPE * theta[0], MIN), GOAL))


@kernel
def choose(seen, actions, plan, stream):
    return HOLD if seen[SEEN_TURN] >= plan[0] else ROLL


# The same game in one kernel


@inlined
def banked_after_turn(banked, threshold, chance):
    """Return the bank after a turn that ends at the threshold, at the goal or at a 1."""
    target = min(threshold, GOAL - banked)
    turn = 0
    while turn < target:
        face = 1 + random_below(chance, FACES)
        if face == 1:
            return banked
        turn += face
    return banked + turn


@kernel
def play(state, plan_0, plan_1, chance, stream_0, stream_1):
    threshold_0, threshold_1 = int(plan_0[0]), int(plan_1[0])
    banked_0, banked_1 = 0, 0
    while True:
        banked_0 = banked_after_turn(banked_0, threshold_0, chance)
        if banked_0 >= GOAL:
            return WIN
        banked_1 = banked_after_turn(banked_1, threshold_1, chance)
        if banked_1 >= GOAL:
            return LOSS


# The optimum of Neller & Presser 2004, "Optimal Play of the Dice Game Pig"

MAX_STEPS, SETTLED = 50, 1e-14  # Newton steps per pair of banks at most, and the change at which they stop


@kernel
def best_turn(own, other, wins, lost, plan, values, slopes):
    """Plan a turn; return P(win) when to move and its slope in `lost`, the probability after a turn lost by a 1."""
    for turn in range(GOAL - own, GOAL - own + FACES):
        values[turn] = 1.0
        slopes[turn] = 0.0
    for turn in range(GOAL - own - 1, -1, -1):
        value, slope = lost, 1.0
        for face in range(2, FACES + 1):
            value += values[turn + face]
            slope += slopes[turn + face]
        held = 1.0 - wins[other, own + turn] if turn > 0 else 0.0
        roll = value > FACES * held
        plan[(own * GOAL + other) * GOAL + turn] = ROLL if roll else HOLD
        values[turn] = value / FACES if roll else held
        slopes[turn] = slope / FACES if roll else 0.0
    return values[0], slopes[0]


@kernel
def solve(wins, plan):
    """Compute P(win) at the start of a turn and the optimal plan by value iteration, full banks first.

    With the banks given, the probabilities x and y of the two players to move depend on each other only through a lost
    turn, and linearly until a decision changes. Each step solves the two linear equations, so few steps suffice.
    """
    values, slopes = np.zeros(GOAL + FACES), np.zeros(GOAL + FACES)
    for banked in range(2 * GOAL - 2, -1, -1):
        for own in range(max(0, banked - GOAL + 1), banked // 2 + 1):
            other = banked - own
            x, y = 0.5, 0.5
            for _ in range(MAX_STEPS):
                best_x, slope_x = best_turn(own, other, wins, 1.0 - y, plan, values, slopes)
                best_y, slope_y = best_turn(other, own, wins, 1.0 - x, plan, values, slopes)
                # best_x - x = dx + slope_x dy and best_y - y = dy + slope_y dx
                dx = (best_x - x - slope_x * (best_y - y)) / (1.0 - slope_x * slope_y)
                dy = best_y - y - slope_y * dx
                x += dx
                y += dy
                if abs(dx) + abs(dy) < SETTLED:
                    break
            wins[own, other] = x
            wins[other, own] = y


@kernel
def prepare_optimum(theta, plan):
    """Compute the optimal policy from scratch: about ten milliseconds."""
    solve(np.zeros((GOAL, GOAL)), plan)


@kernel
def choose_optimum(seen, actions, plan, stream):
    return int(plan[(seen[SEEN_OWN] * GOAL + seen[SEEN_OTHER]) * GOAL + seen[SEEN_TURN]])


# Text


def label(action: int) -> str:
    return ("hold", "roll")[action]


def show(seen: np.ndarray) -> str:
    own, other, turn, mine, phase = (int(cell) for cell in seen)
    banks = f"your bank: {own}; the other's: {other}"
    return banks if phase == FINISHED else f"{banks}\n{'your' if mine else 'the other’s'} turn, {turn} points so far"


def reveal(state: np.ndarray) -> str:
    banks = f"player 1: {state[BANKED]}; player 2: {state[BANKED + 1]}"
    return banks if state[PHASE] == FINISHED else f"{banks}; player {state[MOVER] + 1} has {state[TURN]} in this turn"


def threshold_of(theta: np.ndarray) -> int:
    plan = np.zeros(1)
    prepare(theta, plan)
    return int(plan[0])


def describe(theta: np.ndarray) -> str:
    return f"holds as soon as a turn has {threshold_of(theta)} points"


FAMILY = Strategy("hold at a threshold", ("threshold",), 1, prepare, choose, describe=describe)
OPTIMUM = Strategy("optimum", (), GOAL**3, prepare_optimum, choose_optimum)

SOURCE = (
    "Cauwet & Teytaud 2018 name the game and give it one parameter, no more. Ours: the rules of Neller & Presser 2004 "
    "(but the first roll of a turn is forced and 100 points are banked at once), and the threshold 20 + 2x for the "
    "parameter x: with it the best threshold scores 0.522 against a redrawn Gaussian, as in the paper. hold20 is the "
    "folk rule, hold25 the threshold that no other one beats, optimal the optimum of Neller & Presser, which looks at "
    "both banks."
)

GAMES = (
    Game(
        name="pig",
        title="Pig, first to 100",
        family="pig",
        category="Dice and heaps",
        rules=Rules(start, mover, legal, apply, view, score),
        resample=nothing_hidden,
        sizes=Sizes(BANKED + 2, SEEN_PHASE + 1, FACES),
        show=show,
        reveal=reveal,
        label=label,
        source=SOURCE,
        strategy=FAMILY,
        policies={"hold20": (0.0,), "hold25": (2.5,), "optimal": OPTIMUM},
        policy_notes={"optimal": "cannot be improved"},
        play=play,
    ),
)


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    """Draw the banks and the points of this turn."""
    own, other, turn, mine, phase = (int(cell) for cell in seen)
    banks = Race((("You", own, turn if mine else 0, GOAL), ("Opponent", other, 0 if mine else turn, GOAL)))
    if phase == FINISHED:
        return Messages(("You have won." if own >= GOAL else "You have lost.",)), banks
    whose = "Your turn" if mine else "The other's turn"
    words = Messages((f"{whose}: {turn} points so far.",))
    return words, banks


def action_note(game: Game, seen: np.ndarray, action: int) -> str:
    return f"bank {seen[SEEN_TURN]} points" if action == HOLD else "a 1 costs the turn"


def draw_state(game: Game, state: np.ndarray) -> Parts:
    banks = tuple((f"bank of player {who + 1}", str(state[BANKED + who])) for who in range(2))
    turn = (("this turn", f"player {state[MOVER] + 1}, {state[TURN]} points"),)
    return (Facts(banks if state[PHASE] == FINISHED else banks + turn),)


SCENE = "dice"
HOW_TO_PLAY = (
    "Roll a die as often as you dare. What you roll is added to the points of this turn.",
    "A 1 costs all points of this turn, and the turn is over.",
    "Hold to put the points of this turn into your bank, where they are safe.",
    "Then it is the other's turn.",
    "The first roll of a turn is made by itself.",
    "Who has 100 points first wins; points that reach 100 are banked at once.",
    "Nothing is hidden: all that counts is when to stop.",
)


def chance_words(game: Game, state: np.ndarray, action: int, side: int) -> str:
    die = "Your die" if state[MOVER] == side else "The other's die"
    if action > 1:
        return f"{die} shows {action}."
    lost = int(state[TURN])
    return f"{die} shows 1: {lost} points are lost, the turn is over." if lost else f"{die} shows 1: the turn is over."
