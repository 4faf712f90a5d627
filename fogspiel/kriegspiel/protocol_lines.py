"""The engine protocol in lines: what a referee tells the program that plays for one side (docs/kriegspiel-protocol.md).

Every line follows from the view of that side, its own attempts, the rules of the house and the limits; this file knows
neither the referee nor a state. `Listener` is the other end: it makes the same view of the lines again.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from ..games.chess.bits import NO_SQUARE
from ..games.chess.fen import CASTLES, fen_of, move_name, parse_move, parse_square, put_men, square_name
from ..games.chess.men import KINDS
from ..games.chess.messages import CHECKS, MESSAGE, PAWN_TAKEN, PIECE_TAKEN, SQUARE, TAKEN, TRIES
from ..games.chess.move_code import end_of, start_of
from ..games.chess.position import MEN, PASSANT, POSITION, RIGHTS
from ..games.chess.words import DIRECTIONS
from ..games.kriegspiel import rules
from .engine import Effort

VERSION = 1
HELLO, READY = f"kriegspiel {VERSION}", f"kriegspielok {VERSION}"
"""What the referee says first, and what a program answers, which is not what an echo would."""
RULES = "icc"
SIDE_WORDS = ("white", "black")
DIRECTION_WORDS = [name.replace(" ", "-") for name in DIRECTIONS]
SILENCE = (0, NO_SQUARE, 0, 0)
"""A message of nothing."""


def limit_words(effort: Effort) -> str:
    """How long the program may think about an attempt."""
    if effort.nodes is not None:
        return f"nodes {effort.nodes}"
    return f"movetime {max(1, round(1000 * (effort.seconds or 0)))}"


def new_line(side: int, switches: Mapping[str, bool | str], effort: Effort, seed: int) -> str:
    """A new game: the side, the rules, the limits, and a seed for programs that want one."""
    house = " ".join(f"{name} {_word(value)}" for name, value in switches.items())
    limits = f"{limit_words(effort)} threads {effort.threads}"
    return f"new side {SIDE_WORDS[side]} rules {RULES} {house} {limits} seed {seed}"


def _word(value: bool | str) -> str:
    return value if isinstance(value, str) else "on" if value else "off"


class Reporter:
    """Tells a program what its side sees, turn by turn."""

    def __init__(self) -> None:
        self.last: int | None = None
        """The attempt whose answer has not been told yet."""
        self.ply: int | None = None

    def news(self, seen: np.ndarray) -> list[str]:
        """What the referee has said since the last time: of the own attempt, and of the other side's move."""
        ply, own, other = (seen[cells] for cells in (rules.SEEN_PLY, OWN, OTHER))
        made, lines = 0 if self.ply is None else int(ply) - self.ply, []
        if self.last is not None:
            name = move_name(self.last)
            lines.append(_line(f"accepted {name}", own) if made else f"illegal {name}")
        if self.ply is None and tuple(own) != SILENCE:
            lines.append(_line("began", own))
        if made > 1 or (self.ply is None and (ply or tuple(other) != SILENCE)):
            lines.append(_line("moved", other))
        self.last, self.ply = None, int(ply)
        return lines

    def turn(self, seen: np.ndarray, actions: Sequence[int]) -> list[str]:
        """All that the side knows at its turn, and what it may try."""
        position = np.zeros(POSITION, np.int64)
        position[:KINDS] = seen[OWN_MEN]
        position[MEN + seen[rules.SEEN_PLAYER]] = np.bitwise_or.reduce(seen[OWN_MEN])
        position[RIGHTS], position[PASSANT] = seen[rules.SEEN_RIGHTS], NO_SQUARE
        men, _, castling = fen_of(position).split()[:3]
        counts = seen[rules.SEEN_TAKEN : rules.SEEN_TAKEN + 4].tolist()
        return [
            *self.news(seen),
            f"view ply {seen[rules.SEEN_PLY]} men {men} castling {castling} "
            f"lost {counts[0]},{counts[1]} taken {counts[2]},{counts[3]}",
            " ".join(["try", *map(move_name, actions)]),
        ]


OWN_MEN = slice(rules.SEEN_MEN, rules.SEEN_MEN + KINDS)
OWN = slice(rules.SEEN_OWN, rules.SEEN_OWN + MESSAGE)
OTHER = slice(rules.SEEN_OTHER, rules.SEEN_OTHER + MESSAGE)


def _line(word: str, message: np.ndarray) -> str:
    """A line with a message: `moved taken pawn e5 check file tries 2`."""
    words = [word]
    if message[TAKEN]:
        words.append(f"taken {'pawn' if message[TAKEN] == PAWN_TAKEN else 'piece'} {square_name(int(message[SQUARE]))}")
    words += [f"check {name}" for i, name in enumerate(DIRECTION_WORDS) if message[CHECKS] >> i & 1]
    if message[TRIES]:
        words.append(f"tries {message[TRIES]}")
    return " ".join(words)


class Listener:
    """Hears the lines of one game and keeps the view that they were made of."""

    def __init__(self, side: int) -> None:
        self.seen = np.zeros(rules.VIEW, np.int64)
        self.seen[rules.SEEN_PLAYER] = self.seen[rules.SEEN_MOVER] = side
        self.seen[OWN] = self.seen[OTHER] = SILENCE
        self.actions: list[int] = []

    def hear(self, word: str, rest: Sequence[str]) -> None:
        """Take in a line; words that are not known are passed over."""
        refused = self.seen[rules.SEEN_REFUSED :]
        if word == "illegal":
            move = parse_move(rest[0])
            refused[start_of(move)] |= np.int64(1) << np.int64(end_of(move))
        elif word == "accepted":
            refused[:] = 0
            self.seen[OWN] = _message(rest[1:])
        elif word == "began":
            self.seen[OWN] = _message(rest)
        elif word == "moved":
            self.seen[OTHER] = _message(rest)
        elif word == "try":
            self.actions = [parse_move(name) for name in rest]
        elif word == "view":
            self._look(pairs_in(rest))

    def _look(self, given: Mapping[str, str]) -> None:
        position = np.zeros(POSITION, np.int64)
        put_men(position, given["men"])
        self.seen[OWN_MEN] = position[:KINDS]
        self.seen[rules.SEEN_RIGHTS] = sum(1 << i for i, letter in enumerate(CASTLES) if letter in given["castling"])
        self.seen[rules.SEEN_PLY] = int(given["ply"])
        counts = f"{given['lost']},{given['taken']}".split(",")
        self.seen[rules.SEEN_TAKEN : rules.SEEN_TAKEN + 4] = [int(count) for count in counts]


def pairs_in(words: Sequence[str]) -> dict[str, str]:
    """The values of a line by their names."""
    return dict(zip(words[::2], words[1::2], strict=False))


def _message(words: Sequence[str]) -> list[int]:
    """The cells of a message in words."""
    cells, left = list(SILENCE), iter(words)
    for word in left:
        if word == "taken":
            cells[TAKEN] = PAWN_TAKEN if next(left, "") == "pawn" else PIECE_TAKEN
            cells[SQUARE] = parse_square(next(left, ""))
        elif word == "check":
            cells[CHECKS] |= 1 << DIRECTION_WORDS.index(next(left, ""))
        elif word == "tries":
            cells[TRIES] = int(next(left, ""))
    return cells
