"""The engine protocol in lines: what a referee tells the program that plays for one side (docs/kriegspiel-protocol.md).

Every line follows from the view of that side, its own attempts, the rules of the house and the limits; this file knows
neither the referee nor a state. `Listener` is the other end: it makes the same view of the lines again.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from ..games.chess.bits import NO_SQUARE
from ..games.chess.fen import CASTLES, fen_of, parse_square, put_men, square_name
from ..games.chess.men import KINDS
from ..games.chess.messages import (
    CHECKS,
    MAN_TAKEN,
    MESSAGE,
    PASSANT_TAKEN,
    PAWN_TAKEN,
    PIECE_TAKEN,
    SQUARE,
    TAKEN,
    TRIES,
)
from ..games.chess.move_code import end_of, start_of
from ..games.chess.position import MEN, PASSANT, POSITION, RIGHTS
from ..games.chess.words import DIRECTIONS
from ..games.kriegspiel import rules
from ..games.kriegspiel.announcements import REFUSALS_HEARD, TRIES_BY_SQUARE, TRIES_YES_NO
from ..games.kriegspiel.rule_sets import ICC
from ..games.kriegspiel.words import ANSWERS, attempt_name, parse_attempt, squares_in
from .engine import Effort
from .switches import FLAGS, WORDS, Switches

VERSION = 1
# What the referee says first, and what a program answers, which is not what an echo would.
HELLO, READY = f"kriegspiel {VERSION}", f"kriegspielok {VERSION}"
SIDE_WORDS = ("white", "black")
DIRECTION_WORDS = [name.replace(" ", "-") for name in DIRECTIONS]
TAKEN_WORDS = {PAWN_TAKEN: "pawn", PIECE_TAKEN: "piece", MAN_TAKEN: "man", PASSANT_TAKEN: "passant"}
SOME_TRIES = "some"  # instead of a number of tries, where it is only said that there are some
SILENCE = (0, NO_SQUARE, 0, 0)  # a message of nothing
UNTOLD = (0,) * rules.TURN


def limit_words(effort: Effort) -> str:
    """Return the program's limit per attempt."""
    if effort.nodes is not None:
        return f"nodes {effort.nodes}"
    return f"movetime {max(1, round(1000 * (effort.seconds or 0)))}"


def new_line(side: int, switches: Switches, effort: Effort, seed: int) -> str:
    """A new game: the side, the rules, the limits, and a seed for programs that want one."""
    named = {"rules": ICC} | switches.to_json()
    house = " ".join(f"{name} {_word(value)}" for name, value in named.items())
    limits = f"{limit_words(effort)} threads {effort.threads}"
    return f"new side {SIDE_WORDS[side]} {house} {limits} seed {seed}"


def house_in(given: Mapping[str, str]) -> Switches:
    """The rules of the house that a `new` line names; switches that it does not are the usual ones."""
    chosen: dict[str, bool | str] = {name: given[name] for name in WORDS if name in given}
    chosen |= {name: given[name] != "off" for name in FLAGS if name in given}
    return Switches.usual(given["rules"], chosen)


def _word(value: bool | str) -> str:
    return value if isinstance(value, str) else "on" if value else "off"


class Reporter:
    """Tells a program what its side sees, turn by turn."""

    def __init__(self) -> None:
        self.last: int | None = None  # the attempt whose answer has not been told yet
        self.ply: int | None = None

    def news(self, seen: np.ndarray) -> list[str]:
        """List the referee's messages since the last time: on the own attempt, and on the other side's move."""
        ply, own, other = (seen[cells] for cells in (rules.SEEN_PLY, OWN, OTHER))
        switches = int(seen[rules.SEEN_SWITCHES])
        made, lines = 0 if self.ply is None else int(ply) - self.ply, []
        if self.last is not None:
            lines.append(self._answer(seen, made > 0))
        if self.ply is None and tuple(own) != SILENCE:
            lines.append(_line("began", own, UNTOLD, switches))
        if made > 1 or (self.ply is None and (ply or tuple(other) != SILENCE)):
            lines.append(_line("moved", other, seen[OTHER_TURN], switches))
        self.last, self.ply = None, int(ply)
        return lines

    def _answer(self, seen: np.ndarray, made: bool) -> str:
        """The answer to the own attempt, or question."""
        assert self.last is not None
        name = attempt_name(self.last)
        if self.last == rules.ANY:
            return f"answer {name} {ANSWERS[int(seen[rules.SEEN_TURN + rules.ANSWER])]}"
        if not made:
            return f"illegal {name}"
        return _line(f"accepted {name}", seen[OWN], UNTOLD, int(seen[rules.SEEN_SWITCHES]))

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
            " ".join(["try", *map(attempt_name, actions)]),
        ]


OWN_MEN = slice(rules.SEEN_MEN, rules.SEEN_MEN + KINDS)
OWN = slice(rules.SEEN_OWN, rules.SEEN_OWN + MESSAGE)
OTHER = slice(rules.SEEN_OTHER, rules.SEEN_OTHER + MESSAGE)
OWN_TURN = slice(rules.SEEN_TURN, rules.SEEN_TURN + rules.TURN)
OTHER_TURN = slice(rules.SEEN_OTHER_TURN, rules.SEEN_OTHER_TURN + rules.TURN)
REFUSED = slice(rules.SEEN_REFUSED, rules.SEEN_REFUSED + 64)


def _line(word: str, message: np.ndarray, turn: Sequence[int] | np.ndarray, switches: int) -> str:
    """A line with a message: `moved taken pawn e5 check file tries 2`."""
    words = [word]
    if turn[rules.REFUSED_BEFORE]:
        words.append(f"refused {turn[rules.REFUSED_BEFORE]}")
    if turn[rules.ANSWER]:
        words.append(f"asked {ANSWERS[int(turn[rules.ANSWER])]} refused {turn[rules.REFUSED_AFTER]}")
    if message[TAKEN]:
        words.append(f"taken {TAKEN_WORDS[int(message[TAKEN])]} {square_name(int(message[SQUARE]))}")
    if turn[rules.PROMOTED]:
        words.append("promoted")
    words += [f"check {name}" for i, name in enumerate(DIRECTION_WORDS) if message[CHECKS] >> i & 1]
    if message[TRIES]:
        words.append(f"tries {_tries(int(message[TRIES]), switches)}")
    return " ".join(words)


def _tries(tries: int, switches: int) -> str:
    """Return the announcement of pawn captures as one word."""
    if switches & TRIES_YES_NO:
        return SOME_TRIES
    return ",".join(squares_in(tries)) if switches & TRIES_BY_SQUARE else str(tries)


def _parse_tries(word: str) -> int:
    """The cell of what is said of pawn captures."""
    if word == SOME_TRIES:
        return 1
    return int(word) if word.isdigit() else sum(1 << parse_square(name) for name in word.split(","))


class Listener:
    """Hears the lines of one game and keeps the view that they were made of."""

    def __init__(self, side: int, switches: int = 0) -> None:
        self.seen = np.zeros(rules.VIEW, np.int64)
        self.seen[rules.SEEN_SWITCHES] = switches
        self.seen[rules.SEEN_PLAYER] = self.seen[rules.SEEN_MOVER] = side
        self.seen[OWN] = self.seen[OTHER] = SILENCE
        self.actions: list[int] = []

    def hear(self, word: str, rest: Sequence[str]) -> None:
        """Take in a line; words that are not known are passed over."""
        if word == "illegal":
            self._refuse(parse_attempt(rest[0]))
        elif word == "answer":
            self.seen[OWN_TURN][rules.ANSWER] = rules.YES if rest[1] == ANSWERS[rules.YES] else rules.NO
        elif word == "accepted":
            self.seen[REFUSED] = self.seen[OWN_TURN] = 0
            self.seen[OWN] = _message(rest[1:])
        elif word == "began":
            self.seen[OWN] = _message(rest)
        elif word == "moved":
            self.seen[OTHER], self.seen[OTHER_TURN] = _message(rest), _turn(rest)
        elif word == "try":
            self.actions = [parse_attempt(name) for name in rest]
        elif word == "view":
            self._look(pairs_in(rest))

    def _refuse(self, move: int) -> None:
        """An own attempt was refused; where both sides hear of that, it counts."""
        self.seen[REFUSED][start_of(move)] |= np.int64(1) << np.int64(end_of(move))
        if self.seen[rules.SEEN_SWITCHES] & REFUSALS_HEARD:
            turn = self.seen[OWN_TURN]
            turn[rules.REFUSED_AFTER if turn[rules.ANSWER] else rules.REFUSED_BEFORE] += 1

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
            cells[TAKEN] = {name: kind for kind, name in TAKEN_WORDS.items()}[next(left, "")]
            cells[SQUARE] = parse_square(next(left, ""))
        elif word == "check":
            cells[CHECKS] |= 1 << DIRECTION_WORDS.index(next(left, ""))
        elif word == "tries":
            cells[TRIES] = _parse_tries(next(left, ""))
    return cells


def _turn(words: Sequence[str]) -> list[int]:
    """The cells of what is heard of the other side's turn."""
    cells, left = list(UNTOLD), iter(words)
    for word in left:
        if word == "refused":
            cells[rules.REFUSED_AFTER if cells[rules.ANSWER] else rules.REFUSED_BEFORE] = int(next(left, ""))
        elif word == "asked":
            cells[rules.ANSWER] = rules.YES if next(left, "") == ANSWERS[rules.YES] else rules.NO
        elif word == "promoted":
            cells[rules.PROMOTED] = 1
    return cells
