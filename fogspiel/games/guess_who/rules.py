"""Guess Who: find the opponent's character first; a question splits the characters still possible into c and n-c.

Any set of characters can be asked about, so only the numbers of characters left matter, and both are public.

Data sheet of a state (int64 cells)
    0 CHARACTERS  initial number of characters of each player's search
    1 TURN        the player to ask
    2 ASKED       characters in the pending question; 0: the next question has not been put
    3 POOL        characters still possible, for each player (those to search, not those to show)
Data sheet of a view: own pool, the opponent's pool, CHARACTERS, 1 if the turn is one's own (else 0), ASKED.

Actions of a player with n characters left: c = 1..n-1, ask about c of them. Chance then draws the right one of the n,
0..n-1: below c the answer is yes and c are left, otherwise no and n-c. One left wins at once.
"""

import numpy as np

from ...core.compile.kernel import Kernel, inlined, kernel
from ...core.game import CHANCE, LOSS, OVER, WIN, Game, Rules, Sizes, Strategy, nothing_hidden, nothing_to_prepare
from ...core.picture import BoardPicture, Cell, Facts, Messages, Parts
from ...core.rng import random_below, random_unit

CHARACTERS, TURN, ASKED, POOL = range(4)
SEEN_OWN, SEEN_OTHER, SEEN_CHARACTERS, SEEN_TURN, SEEN_ASKED = range(5)


# The six rules


def start_with(characters: int) -> Kernel:
    @kernel
    def start(state):
        state[CHARACTERS] = characters
        state[TURN] = 0
        state[ASKED] = 0
        state[POOL] = characters
        state[POOL + 1] = characters

    return start


@kernel
def mover(state):
    if state[POOL] == 1 or state[POOL + 1] == 1:
        return OVER
    return CHANCE if state[ASKED] > 0 else state[TURN]


@kernel
def legal(state, out):
    left = state[POOL + state[TURN]]
    if state[ASKED] > 0:  # the reply: any of the characters left may be the right one
        for i in range(left):
            out[i] = i
        return left
    for c in range(1, left):
        out[c - 1] = c
    return left - 1


@kernel
def apply(state, action):
    if state[ASKED] == 0:
        state[ASKED] = action
        return
    player, asked = state[TURN], state[ASKED]
    state[POOL + player] = asked if action < asked else state[POOL + player] - asked
    state[ASKED] = 0
    state[TURN] = 1 - player


@kernel
def view(state, player, out):
    out[SEEN_OWN] = state[POOL + player]
    out[SEEN_OTHER] = state[POOL + 1 - player]
    out[SEEN_CHARACTERS] = state[CHARACTERS]
    out[SEEN_TURN] = 1 if state[TURN] == player else 0
    out[SEEN_ASKED] = state[ASKED]


@kernel
def score(state):
    return WIN if state[POOL] == 1 else LOSS


# The strategy of the paper, section V-B, equations 1-3

ALPHA, GAMMA, ZETA, IOTA, BETA = range(5)
LARGEST = 1e280  # larger parameters are clipped to this, so that no sum below overflows to inf - inf


@kernel
def prepare(theta, plan):
    for i in range(len(theta)):
        plan[i] = min(max(theta[i], -LARGEST), LARGEST)


@inlined
def question(plan, own, other, r):
    """Return the number of characters to ask about; r in [0, 1) is used only with a fifth parameter, beta."""
    # n/2 - alpha delta/2 + n/2 (gamma u^2 + zeta u^3) + iota (n-m)/2 with u = delta/n. Term by term, rounding pushes
    # ONL below an integer in ten positions; with the divisions by n last every named vector gets its exact floor.
    n = float(own)
    gap = float(own - other)
    delta = max(gap, 0.0)
    bent = (plan[GAMMA] * delta * delta + plan[ZETA] * delta * delta * delta / n) / n
    size = (n - plan[ALPHA] * delta + bent + plan[IOTA] * gap) / 2.0
    if len(plan) > BETA:
        size = plan[BETA] * r * (n - 1.0) / 2.0 + (1.0 - plan[BETA]) * size
    return int(min(max(size, 1.0), n - 1.0))


@kernel
def choose(seen, actions, plan, stream):
    """Return the question of the family; with five parameters a new r is drawn for each."""
    r = random_unit(stream) if len(plan) > BETA else 0.0
    return question(plan, seen[SEEN_OWN], seen[SEEN_OTHER], r)


@kernel
def choose_god(seen, actions, plan, stream):
    """Play optimally: halve, but when far behind ask about 2^k only, where 2^k < m <= 2^(k+1)."""
    risky = 1
    while 2 * risky < seen[SEEN_OTHER]:
        risky *= 2
    return risky if seen[SEEN_OWN] > 2 * risky else seen[SEEN_OWN] // 2


# The same game in one kernel


@inlined
def pool_after(pool, asked, chance):
    return asked if random_below(chance, pool) < asked else pool - asked


def play_with(characters: int) -> Kernel:
    @kernel
    def play(state, plan_0, plan_1, chance, stream_0, stream_1):
        pool_0, pool_1 = characters, characters
        while True:
            r = random_unit(stream_0) if len(plan_0) > BETA else 0.0
            pool_0 = pool_after(pool_0, question(plan_0, pool_0, pool_1, r), chance)
            if pool_0 == 1:
                return WIN
            r = random_unit(stream_1) if len(plan_1) > BETA else 0.0
            pool_1 = pool_after(pool_1, question(plan_1, pool_1, pool_0, r), chance)
            if pool_1 == 1:
                return LOSS

    return play


# Text


def show(seen: np.ndarray) -> str:
    own, other, characters, turn, asked = (int(cell) for cell in seen)
    lines = [f"your search: {own} of {characters} characters left; the other's: {other}"]
    if asked:
        lines.append(f"{'your' if turn else 'the other’s'} question about {asked} of them waits for its answer")
    return "\n".join(lines)


def reveal(state: np.ndarray) -> str:
    lines = [f"player {player + 1}: {state[POOL + player]} of {state[CHARACTERS]} left" for player in (0, 1)]
    if state[ASKED]:
        lines.append(f"player {state[TURN] + 1} asks about {state[ASKED]}")
    return "\n".join(lines)


def label(action: int) -> str:
    return f"ask about {action} character{'s' if action > 1 else ''}"


LETTERS = ("alpha", "gamma", "zeta", "iota", "beta")
FAMILY = Strategy("size of the question", LETTERS[:4], 4, prepare, choose)
STOCHASTIC = Strategy("size of the question, randomised", LETTERS, 5, prepare, choose)
GOD = Strategy("God", (), 1, nothing_to_prepare, choose_god)


def printed_vector(alpha: float, gamma: float, zeta: float, iota: float) -> tuple[float, float, float, float]:
    """Return the vector that plays as printed, with half the delta: the family with alpha/2, gamma/4 and zeta/8."""
    return (alpha / 2, gamma / 4, zeta / 8, iota)


ONL, BEST = (-0.25, -1.5, 0.0, 0.0), (-0.56, -1.58, -0.06, -0.022)
VECTORS = {
    "dichotomy": (0.0, 0.0, 0.0, 0.0),
    "OL": (1.0, 0.0, 0.0, 0.0),
    "ONL": ONL,
    "Best": BEST,
    "ONL-printed": printed_vector(*ONL),
    "Best-printed": printed_vector(*BEST),
}

SOURCE = (
    "Rules, strategy family and its named vectors: Cauwet & Teytaud 2018, section V-B, equations 1-3; God: the optimal "
    "strategy the paper refers to, here checked against dynamic programming. Ours: a question leaves at least one "
    "character out (the paper prints only the lower limit 1), the games with 24 and 96 characters, and the reading of "
    "a misprint: equations 2 and 3 print delta = max(n-m, 0)/2, but only delta = max(n-m, 0) makes the paper's claims "
    "true; ONL-printed and Best-printed play as printed."
)


def box(characters: int, stochastic: bool) -> Game:
    return Game(
        name=f"guesswho{characters}" + ("-stochastic" if stochastic else ""),
        title=f"Guess Who, {characters} characters" + (", with a randomness parameter" if stochastic else ""),
        family="guesswho",
        category="Guessing",
        rules=Rules(start_with(characters), mover, legal, apply, view, score),
        resample=nothing_hidden,
        sizes=Sizes(POOL + 2, SEEN_ASKED + 1, characters),
        show=show,
        reveal=reveal,
        label=label,
        source=SOURCE,
        strategy=STOCHASTIC if stochastic else FAMILY,
        policies={name: (*vector, 0.0) if stochastic else vector for name, vector in VECTORS.items()} | {"God": GOD},
        policy_notes={"dichotomy": "asks about half of those that are left"},
        play=play_with(characters),
    )


GAMES = tuple(box(characters, stochastic) for characters in (24, 96, 128) for stochastic in (False, True))


# Drawings: the characters that are still possible.

IN_A_ROW = 8


def characters(left: int, of: int, title: str, can_ask: bool, look: str) -> BoardPicture:
    """Draw the characters that are still possible; the c-th asks about the first c."""
    cells = []
    for place in range(1, of + 1):
        if place > left:
            cells.append(Cell("", "unknown", None, "ruled out"))
        elif can_ask and place < left:
            cells.append(Cell(str(place), f"{look} face", place, label(place)))
        else:
            cells.append(Cell(str(place), f"{look} face", None, "still possible"))
    rows = tuple(tuple(cells[first : first + IN_A_ROW]) for first in range(0, of, IN_A_ROW))
    return BoardPicture(rows, title)


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    own, other, of, mine, asked = (int(cell) for cell in seen)
    if 1 in (own, other):
        words = "You have found the other's character." if own == 1 else "The other has found yours."
    elif asked:
        words = f"{'Your' if mine else 'The other’s'} question about {asked} characters waits for its answer."
    else:
        words = "Your turn: choose how many characters to ask about." if mine else "The other's turn."
    can_ask = bool(mine) and not asked and 1 not in (own, other)
    facts = Facts((("your search", f"{own} of {of} left"), ("the other's search", f"{other} of {of} left")))
    return Messages((words,)), characters(own, of, "Still possible in your search", can_ask, "own"), facts


def draw_state(game: Game, state: np.ndarray) -> Parts:
    of, asked = int(state[CHARACTERS]), int(state[ASKED])
    left = [int(number) for number in state[POOL : POOL + 2]]
    words = f"Player {state[TURN] + 1} " + (f"asks about {asked}." if asked else "is to ask.")
    boards = tuple(
        characters(left[player], of, f"Search of player {player + 1}", False, ("own", "other")[player])
        for player in range(2)
    )
    return Messages((words,)), *boards


SCENE = "faces"
HOW_TO_PLAY = (
    "Each player has a secret character, and searches for the other's among those on the board.",
    "In turn ask a question about some of the characters that are still possible in your search.",
    "Any set of them can be asked about, so only their number matters: you choose how many.",
    "If the answer is yes, these are left; if it is no, the others are.",
    "A question about few characters is bold: it seldom gets a yes, but then much is won.",
    "Both players see how many characters are left in both searches.",
    "Who has a single character left first has found it and wins.",
)


def chance_words(game: Game, state: np.ndarray, action: int, side: int) -> str:
    mover, asked = int(state[TURN]), int(state[ASKED])
    left = asked if action < asked else int(state[POOL + mover]) - asked
    whose = "you have" if mover == side else "the other has"
    return f"{'Yes' if action < asked else 'No'}: {whose} {left} left."
