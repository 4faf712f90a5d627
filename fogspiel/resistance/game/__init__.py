"""The Resistance. Its set-ups are read without its rules, which need Numba, by the checker of its certificates."""

import re
from typing import Any, NamedTuple

from ...core import NotFound


def __getattr__(name: str) -> Any:
    if name != "GAMES":
        raise AttributeError(f"the folder of The Resistance has no {name!r}")
    from ...core.game import equip
    from . import look
    from .rules import GAMES

    equip(GAMES, look)
    return GAMES


def named_game(name: str) -> Any:
    """Return the game of a variant's name, None for a name of another family; the other variants are solved only."""
    if not is_variant(name) and not is_unofficial(name):
        return None
    setup = find_setup(name)
    if not is_playable(setup):
        raise NotFound(
            f"{name} cannot be played: take {PLAYED_ROUNDS} missions and {MAX_PLAYED} players at most, or `solve`"
        )
    from ...core.game import equip
    from . import look
    from .rules import table

    game = table(setup)
    equip([game], look)
    return game


# Set-ups of The Resistance: plain numbers, so that the checkers read them without NumPy and the solvers.

VERSION = 1  # version of the rules, and so of the games and of the certificates


class Setup(NamedTuple):
    """Number of players, and the missions; `needed` sabotages give the spies the point of a mission."""

    players: int
    spies: int
    sizes: tuple[int, ...]
    needed: tuple[int, ...]
    points: int = 3  # points that win; there are 2 points - 1 missions

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
}  # the official set-ups for 5 to 10 players; 11 to 13 players have none and use the missions of 8 to 10
OFFICIAL = {f"resistance{players}": setup for players, setup in SETUPS.items()}


# Variants, which are named by their numbers

MAX_PLAYERS = 14
POINTS_OF_ROUNDS = {3: 2, 5: 3, 7: 4}  # possible numbers of missions, and the points that win
FORM = "resistance7-2-3-3-4x2-4-2spies (players, missions, where 4x2 is one of four that takes two sabotages, spies)"
VARIANT = re.compile(r"resistance([1-9]\d?)-((?:[1-9]\d?(?:x[1-9])?-){1,9})([1-9]\d?)spies", re.ASCII)


MAX_PLAYED, PLAYED_ROUNDS = 13, 5  # players and missions that the cells of a state hold


def is_variant(name: str) -> bool:
    return name.startswith("resistance") and name.endswith("spies")


def is_unofficial(name: str) -> bool:
    """True for a mere number of players that has no set-up, such as resistance14."""
    return re.fullmatch(r"resistance\d+", name, re.ASCII) is not None and name not in OFFICIAL


def is_playable(setup: Setup) -> bool:
    return setup.players <= MAX_PLAYED and setup.rounds == PLAYED_ROUNDS


def name_of(setup: Setup) -> str:
    """Return the name of an official set-up, or the variant's name of any other one."""
    if SETUPS.get(setup.players) == setup:
        return f"resistance{setup.players}"
    missions = zip(setup.sizes, setup.needed, strict=True)
    words = [f"{size}" if needed == 1 else f"{size}x{needed}" for size, needed in missions]
    return "-".join([f"resistance{setup.players}", *words, f"{setup.spies}spies"])


def find_setup(name: str) -> Setup:
    if name in OFFICIAL:
        return OFFICIAL[name]
    if is_unofficial(name):
        raise NotFound(f"{name} is not an official game: name its missions and spies, as in {FORM}")
    found = VARIANT.fullmatch(name)
    if found is None:
        raise ValueError(f"{name[:80]!r} is no variant of The Resistance: one is {FORM}")
    missions = [word.partition("x") for word in found[2].split("-")[:-1]]
    sizes, needed = zip(*((int(size), int(many or 1)) for size, _, many in missions), strict=True)
    return make_setup(int(found[1]), int(found[3]), sizes, needed)


def vary(name: str, missions: str | None, spies: int | None, fails: str | None) -> str:
    """Return the name of a game of The Resistance with other missions, spies or sabotages, as users write these.

    Omitted numbers stay unchanged; missions of another number take one sabotage each. A mere number of players needs
    missions and spies.
    """
    if (missions, spies, fails) == (None, None, None):
        return name
    plain = re.fullmatch(r"resistance([1-9]\d?)", name, re.ASCII)
    if plain is None and not is_variant(name):
        raise ValueError(f"{name[:80]!r} has no missions: --missions, --spies and --fails are for resistance5 and such")
    if plain is None or int(plain[1]) in SETUPS:
        setup = find_setup(name)
    elif missions is None or spies is None:
        raise ValueError(f"{name} is not an official game: say its --missions and its --spies")
    else:
        setup = Setup(int(plain[1]), spies, (), ())
    sizes = setup.sizes if missions is None else whole_numbers(missions, "missions")
    needed = setup.needed if len(sizes) == len(setup.needed) else (1,) * len(sizes)
    if fails is not None:
        needed = whole_numbers(fails, "fails")
    return name_of(make_setup(setup.players, setup.spies if spies is None else spies, sizes, needed))


def whole_numbers(text: str, option: str) -> tuple[int, ...]:
    if re.fullmatch(r"[1-9]\d?(,[1-9]\d?)*", text, re.ASCII) is None:
        raise ValueError(f"--{option} is {text[:80]!r}: it must be whole numbers with commas, as 2,3,3,4,4")
    return tuple(map(int, text.split(",")))


def make_setup(players: int, spies: int, sizes: tuple[int, ...], needed: tuple[int, ...]) -> Setup:
    """Return the set-up of these numbers, or raise a ValueError naming the wrong one."""
    if len(sizes) not in POINTS_OF_ROUNDS:
        raise ValueError(f"the number of missions is {len(sizes)}: it must be 3, 5 or 7, so that a team wins most")
    return check_setup(Setup(players, spies, sizes, needed, POINTS_OF_ROUNDS[len(sizes)]))


def check_setup(setup: Setup) -> Setup:
    """Return the set-up, or raise a ValueError naming its wrong number."""
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
