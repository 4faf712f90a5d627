"""The Resistance: a team with hidden spies in it sends missions, which the spies on them may sabotage.

Both teams act as one player each: the first player is the resistance, who picks the missions, the second the spies,
who know each other. A mission gives the spies a point if at least as many of them as it needs are on it and they
choose to sabotage it; all see who gets the point. Who has three points first wins.

Data sheet of a state (int64 cells)
    0 PLAYERS   how many play
    1 SPIES     how many of them are spies
    2 SIZE      players on each of the five missions
    7 NEEDED    sabotages that each mission takes
   12 ROUND     missions finished
   13 SECRET    the spies as a mask of players (player i is bit i), 0 before the draw
   14 MISSION   the mission of each round as a mask, 0 before it is picked
   19 OUTCOME   of each round: 1 the resistance's point, 2 the spies', 0 not yet
Data sheet of a view: PLAYERS, SPIES, SIZE and NEEDED as above, then the missions, the outcomes, and last the mask of
the spies (0 for the resistance).

Actions: chance draws the spies and the resistance picks a mission by the mask; for the spies 1 << 13 is to let the
mission pass and (1 << 13) + 1 to sabotage it.
"""

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np

from ...core.compile.kernel import Kernel, inlined, kernel, ones
from ...core.game import CHANCE, OVER, Game, Rules, Sizes
from ...games.boards.board import pick
from . import MAX_PLAYED, PLAYED_ROUNDS, SETUPS, VERSION, Setup, name_of

ROUNDS, POINTS, MAX_IN_MASK = PLAYED_ROUNDS, 3, MAX_PLAYED
PLAYERS, SPIES, SIZE, NEEDED, ROUND, SECRET, MISSION, OUTCOME = 0, 1, 2, 7, 12, 13, 14, 19
STATE = OUTCOME + ROUNDS
SEEN_MISSION, SEEN_OUTCOME, SEEN_SECRET = 12, 17, 22
VIEW = SEEN_SECRET + 1
UNKNOWN, SUCCESS, FAILURE = range(3)
PASS, SABOTAGE = 1 << MAX_IN_MASK, (1 << MAX_IN_MASK) + 1


# The six rules


@inlined
def points(state, outcome):
    total = 0
    for number in range(state[ROUND]):
        if state[OUTCOME + number] == outcome:
            total += 1
    return total


def start_with(setup: Setup) -> Kernel:
    players, spies = setup.players, setup.spies
    sizes, needed = setup.sizes, setup.needed

    @kernel
    def start(state):
        for cell in range(STATE):
            state[cell] = 0
        state[PLAYERS] = players
        state[SPIES] = spies
        for number in range(ROUNDS):
            state[SIZE + number] = sizes[number]
            state[NEEDED + number] = needed[number]

    return start


@kernel
def mover(state):
    if state[SECRET] == 0:
        return CHANCE
    if points(state, SUCCESS) == POINTS or points(state, FAILURE) == POINTS:
        return OVER
    return 0 if state[MISSION + state[ROUND]] == 0 else 1


@kernel
def legal(state, out):
    mission = state[MISSION + state[ROUND]]
    if state[SECRET] > 0 and mission > 0:
        out[0] = PASS
        out[1] = SABOTAGE
        return 2 if ones(mission & state[SECRET]) >= state[NEEDED + state[ROUND]] else 1
    size = state[SPIES] if state[SECRET] == 0 else state[SIZE + state[ROUND]]
    count = 0
    mask = (1 << size) - 1
    while mask < 1 << state[PLAYERS]:
        out[count] = mask
        count += 1
        lowest = mask & -mask  # the next larger number with as many bits (Gosper's hack)
        moved = mask + lowest
        mask = ((mask ^ moved) >> 2) // lowest | moved
    return count


@kernel
def apply(state, action):
    if state[SECRET] == 0:
        state[SECRET] = action
    elif state[MISSION + state[ROUND]] == 0:
        state[MISSION + state[ROUND]] = action
    else:
        state[OUTCOME + state[ROUND]] = SUCCESS if action == PASS else FAILURE
        state[ROUND] += 1


@kernel
def view(state, player, out):
    for cell in range(ROUND):
        out[cell] = state[cell]
    for number in range(ROUNDS):
        out[SEEN_MISSION + number] = state[MISSION + number]
        out[SEEN_OUTCOME + number] = state[OUTCOME + number]
    out[SEEN_SECRET] = state[SECRET] if player == 1 else 0


@kernel
def score(state):
    return 1 if points(state, SUCCESS) == POINTS else 0


def resample(state: np.ndarray, player: int, stream: np.ndarray) -> np.ndarray:
    """Draw other spies who may have sabotaged all the failed missions: the resistance does not know them."""
    other = state.copy()
    if player == 0 and state[SECRET] > 0:
        teams = (sum(1 << spy for spy in team) for team in combinations(range(state[PLAYERS]), int(state[SPIES])))
        failed = [number for number in range(ROUNDS) if state[OUTCOME + number] == FAILURE]
        other[SECRET] = pick(
            [
                team
                for team in teams
                if all((team & int(state[MISSION + n])).bit_count() >= state[NEEDED + n] for n in failed)
            ],
            stream,
        )
    return other


# Text

OUTCOMES = ("under way", "success", "sabotaged")


def crew(mask: int) -> str:
    """Return player numbers counted from 1."""
    return " ".join(str(player + 1) for player in range(MAX_IN_MASK) if mask >> player & 1)


def label(action: int) -> str:
    if action >= PASS:
        return "sabotage" if action == SABOTAGE else "let it pass"
    return f"send {crew(action)}"


def rounds_text(cells: np.ndarray, mission: int, outcome: int) -> list[str]:
    return [
        f"round {number + 1}: {crew(int(cells[mission + number]))}, {OUTCOMES[cells[outcome + number]]}"
        for number in range(ROUNDS)
        if cells[mission + number]
    ]


def show(seen: np.ndarray) -> str:
    lines = [f"{seen[PLAYERS]} players, {seen[SPIES]} of them spies"]
    if seen[SEEN_SECRET]:
        lines.append(f"the spies are {crew(int(seen[SEEN_SECRET]))}")
    lines += rounds_text(seen, SEEN_MISSION, SEEN_OUTCOME)
    following = int((seen[SEEN_OUTCOME:SEEN_SECRET] > 0).sum())
    if following < ROUNDS and not seen[SEEN_MISSION + following]:
        need = "" if seen[NEEDED + following] == 1 else f", which takes {seen[NEEDED + following]} sabotages"
        lines.append(f"next: a mission of {seen[SIZE + following]}{need}")
    return "\n".join(lines)


def reveal(state: np.ndarray) -> str:
    spies = f"spies: {crew(int(state[SECRET]))}" if state[SECRET] else "spies not drawn"
    return "\n".join([spies, *rounds_text(state, MISSION, OUTCOME)])


SOURCE = (
    "The Resistance by Don Eskridge, as Bossle 2018 models it: two teams that each act as one player, without votes. "
    "Official for 5 to 10 players; for 11 to 13 the missions of 8 to 10 players with a third of the players as spies."
)


def table(setup: Setup) -> Game:
    players, name = setup.players, name_of(setup)
    variant = name != f"resistance{players}"
    most = max(comb(players, size) for size in (*setup.sizes, setup.spies))
    return Game(
        name=name,
        title=f"The Resistance, {players} players" + ", a variant" * variant,
        family="resistance",
        series="The Resistance",
        size=str(players),
        category="Hidden roles",
        version=VERSION,
        rules=Rules(start_with(setup), mover, legal, apply, view, score),
        resample=resample,
        sizes=Sizes(STATE, VIEW, most),
        show=show,
        reveal=reveal,
        label=label,
        source=SOURCE,
        payoffs=(Fraction(-1), Fraction(1)),
    )


GAMES = tuple(map(table, SETUPS.values()))
