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

import re
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from ...core.compile.kernel import Kernel, inlined, kernel, ones
from ...core.game import CHANCE, OVER, Game, Rules, Sizes
from ...games.boards.board import pick

# The set-ups of The Resistance: plain numbers, so that the independent checker can read them without the solvers.

VERSION = 1  # the version of the rules, and so of the games and of the certificates


class Setup(NamedTuple):
    """Number of players, and the missions; `needed` sabotages give the spies the point of a mission."""

    players: int
    spies: int
    sizes: tuple[int, ...]
    needed: tuple[int, ...]
    points: int = 3  # who has this many points first wins; there are 2 points - 1 missions

    @property
    def rounds(self) -> int:
        return len(self.sizes)

    @property
    def nested(self) -> bool:
        """True if all late missions can be drawn from the last one, so that they are clean if it is."""
        return self.needed[-1] == 1 and self.sizes[-1] == max(self.sizes[self.points - 1 :])


LARGE = (3, 4, 4, 5, 5)
TWO_IN_THE_FOURTH = (1, 1, 1, 2, 1)

SETUPS = {
    5: Setup(5, 2, (2, 3, 2, 3, 3), (1, 1, 1, 1, 1)),
    6: Setup(6, 2, (2, 3, 4, 3, 4), (1, 1, 1, 1, 1)),
    7: Setup(7, 3, (2, 3, 3, 4, 4), TWO_IN_THE_FOURTH),
    8: Setup(8, 3, LARGE, TWO_IN_THE_FOURTH),
    9: Setup(9, 3, LARGE, TWO_IN_THE_FOURTH),
    10: Setup(10, 4, LARGE, TWO_IN_THE_FOURTH),
    11: Setup(11, 4, LARGE, TWO_IN_THE_FOURTH),
    12: Setup(12, 4, LARGE, TWO_IN_THE_FOURTH),
    13: Setup(13, 5, LARGE, TWO_IN_THE_FOURTH),
}  # the official set-ups for 5 to 10 players, and the missions of 8 to 10 players for 11 to 13, who have none


# Variants, which are named by their numbers

MAX_PLAYERS = 14
POINTS_OF_ROUNDS = {3: 2, 5: 3, 7: 4}  # how many missions there may be, and the points that win
FORM = "resistance7-2-3-3-4x2-4-2spies (players, missions, where 4x2 is one of four that takes two sabotages, spies)"
VARIANT = re.compile(r"resistance([1-9]\d?)-((?:[1-9]\d?(?:x[1-9])?-){1,9})([1-9]\d?)spies", re.ASCII)


def is_variant(name: str) -> bool:
    """True if a name is meant to be that of a variant."""
    return name.startswith("resistance") and name.endswith("spies")


def name_of(setup: Setup) -> str:
    """The name of an official set-up, or that of the variant that any other one is."""
    if SETUPS.get(setup.players) == setup:
        return f"resistance{setup.players}"
    missions = zip(setup.sizes, setup.needed, strict=True)
    words = [f"{size}" if needed == 1 else f"{size}x{needed}" for size, needed in missions]
    return "-".join([f"resistance{setup.players}", *words, f"{setup.spies}spies"])


def find_setup(name: str) -> Setup:
    """The set-up of that name, or a ValueError that says what is wrong with it."""
    official = {f"resistance{players}": setup for players, setup in SETUPS.items()}
    if name in official:
        return official[name]
    found = VARIANT.fullmatch(name)
    if found is None:
        raise ValueError(f"{name[:80]!r} is no variant of The Resistance: one is {FORM}")
    missions = [word.partition("x") for word in found[2].split("-")[:-1]]
    sizes, needed = zip(*((int(size), int(many or 1)) for size, _, many in missions), strict=True)
    return make_setup(int(found[1]), int(found[3]), sizes, needed)


def vary(name: str, missions: str | None, spies: int | None, fails: str | None) -> str:
    """The name of a game of The Resistance with other missions, spies or sabotages, as users write these.

    What is not said stays as it is; missions of another number take one sabotage each.
    """
    if (missions, spies, fails) == (None, None, None):
        return name
    setup = _setup_to_vary(name, missions, spies)
    sizes = setup.sizes if missions is None else whole_numbers(missions, "missions")
    needed = setup.needed if len(sizes) == len(setup.needed) else (1,) * len(sizes)
    if fails is not None:
        needed = whole_numbers(fails, "fails")
    return name_of(make_setup(setup.players, setup.spies if spies is None else spies, sizes, needed))


def _setup_to_vary(name: str, missions: str | None, spies: int | None) -> Setup:
    """The set-up that a game has by its name; one that only has a number of players needs missions and spies."""
    plain = re.fullmatch(r"resistance([1-9]\d?)", name, re.ASCII)
    if plain is None and not is_variant(name):
        raise ValueError(f"{name[:80]!r} has no missions: --missions, --spies and --fails are for resistance5 and such")
    if plain is not None and int(plain[1]) not in SETUPS:
        if missions is None or spies is None:
            raise ValueError(f"{name} is not an official game: say its --missions and its --spies")
        return Setup(int(plain[1]), spies, (), ())
    return find_setup(name)


def whole_numbers(text: str, option: str) -> tuple[int, ...]:
    """The whole numbers of a list with commas."""
    if re.fullmatch(r"[1-9]\d?(,[1-9]\d?)*", text, re.ASCII) is None:
        raise ValueError(f"--{option} is {text[:80]!r}: it must be whole numbers with commas, as 2,3,3,4,4")
    return tuple(map(int, text.split(",")))


def make_setup(players: int, spies: int, sizes: tuple[int, ...], needed: tuple[int, ...]) -> Setup:
    """The set-up of these numbers, or a ValueError that says which of them is wrong."""
    if len(sizes) not in POINTS_OF_ROUNDS:
        raise ValueError(f"the number of missions is {len(sizes)}: it must be 3, 5 or 7, so that a team wins most")
    return check_setup(Setup(players, spies, sizes, needed, POINTS_OF_ROUNDS[len(sizes)]))


def check_setup(setup: Setup) -> Setup:
    """The set-up, or a ValueError that says which of its numbers is wrong."""
    players, spies, sizes, needed, points = setup
    if POINTS_OF_ROUNDS.get(len(sizes)) != points:
        raise ValueError(f"{points} points win after {len(sizes)} missions: it must be 2 of 3, 3 of 5 or 4 of 7")
    if len(needed) != len(sizes) or min(needed) < 1:
        raise ValueError(
            f"the sabotages that missions take are {needed}: it must be 1 or more for each of {len(sizes)}"
        )
    if not 0 < spies < players <= MAX_PLAYERS:
        raise ValueError(
            f"{spies} of {players} players are spies: it must be from 1 to all but one, of {MAX_PLAYERS} at most"
        )
    if not 0 < min(sizes) <= max(sizes) <= players:
        raise ValueError(f"missions have {min(sizes)} to {max(sizes)} players: it must be from 1 to {players}")
    return setup


ROUNDS, POINTS, MAX_IN_MASK = 5, 3, 13
PLAYERS, SPIES, SIZE, NEEDED, ROUND, SECRET, MISSION, OUTCOME = 0, 1, 2, 7, 12, 13, 14, 19
STATE = OUTCOME + ROUNDS
SEEN_MISSION, SEEN_OUTCOME, SEEN_SECRET = 12, 17, 22
VIEW = SEEN_SECRET + 1
UNKNOWN, SUCCESS, FAILURE = range(3)
PASS, SABOTAGE = 1 << MAX_IN_MASK, (1 << MAX_IN_MASK) + 1


# The six rules


@inlined
def points(state, outcome):
    """Count the missions that have ended that way."""
    total = 0
    for number in range(state[ROUND]):
        if state[OUTCOME + number] == outcome:
            total += 1
    return total


def start_with(setup: Setup) -> Kernel:
    """The kernel that starts a game of that set-up."""
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
    """Draw other spies, who may have sabotaged all the missions that failed: the resistance does not know them."""
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


# Words

OUTCOMES = ("under way", "success", "sabotaged")


def crew(mask: int) -> str:
    """Players as people count them, from 1."""
    return " ".join(str(player + 1) for player in range(MAX_IN_MASK) if mask >> player & 1)


def label(action: int) -> str:
    if action >= PASS:
        return "sabotage" if action == SABOTAGE else "let it pass"
    return f"send {crew(action)}"


def rounds_text(cells: np.ndarray, mission: int, outcome: int) -> list[str]:
    """A line for each round that has begun."""
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


def table(players: int, setup: Setup) -> Game:
    """The record of one number of players."""
    most = max(comb(players, size) for size in (*setup.sizes, setup.spies))
    return Game(
        name=f"resistance{players}",
        title=f"The Resistance, {players} players",
        family="resistance",
        series="The Resistance",
        size=str(players),
        kind="Hidden roles",
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


GAMES = tuple(table(players, setup) for players, setup in SETUPS.items())
