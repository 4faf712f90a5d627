"""A game file of a user, which imports from `fogspiel` alone."""

OWN_RPS = '''"""Rock-paper-scissors in two scales; the first choice stays hidden until both are made.

Data sheet of a state: the choice of each player (-1 before it is made), then the scale. Of a view: the own choice.
"""

from fractions import Fraction

from fogspiel import OVER, Game, Rules, Sizes, kernel, variant

SCALE = 2


def start_with(scale):
    """The start kernel of a scale of payoffs."""

    @variant(scale)
    def start(state):
        state[0] = -1
        state[1] = -1
        state[SCALE] = scale

    return start


@kernel
def mover(state):
    return 0 if state[0] < 0 else 1 if state[1] < 0 else OVER


@kernel
def legal(state, out):
    for choice in range(3):
        out[choice] = choice
    return 3


@kernel
def apply(state, action):
    state[mover(state)] = action


@kernel
def view(state, player, out):
    out[0] = state[player]


@kernel
def score(state):
    lead = (state[0] - state[1]) % 3
    if lead == 0:
        return 2
    if lead == 1:  # paper, which is worth more, beats rock
        return 4 if state[0] == 1 else 4 - state[SCALE]
    return 0 if state[1] == 1 else state[SCALE]


GAMES = tuple(
    Game(
        name=name,
        title=name,
        version=1,
        rules=Rules(start_with(scale), mover, legal, apply, view, score),
        sizes=Sizes(3, 1, 3),
        show=lambda seen: f"your choice: {int(seen[0])}",
        reveal=lambda state: f"choices: {int(state[0])} {int(state[1])}",
        label=lambda action: ("rock", "paper", "scissors")[action],
        source="Folklore.",
        payoffs=tuple(Fraction(k, 2) for k in range(-2, 3)),
    )
    for name, scale in (("own-rps", 0), ("own-rps-half", 1))
)
'''
