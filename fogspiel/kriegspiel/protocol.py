"""The engine protocol as lines: a referee's messages to the program of one side (docs/kriegspiel-protocol.md).

Every line follows from the view of that side, its own attempts, the house rules and the limits; this file imports
neither the referee nor a state. `ProtocolReader` is the other end: it rebuilds the same view from the lines.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from ..core.agents import Player
from ..games.chess.bitboards import KINDS, NO_SQUARE
from ..games.chess.fen import CASTLES, DIRECTIONS, fen_of, parse_square, put_men, square_name
from ..games.chess.position import MEN, MOVER, PASSANT, POSITION, RIGHTS, end_of, start_of
from .engine import EngineFactory, SearchLimit, allotted_seconds, tell_clock
from .game import ANSWERS, FLAGS, ICC, WORDS, HouseRules, attempt_name, attempts, parse_attempt, rules, squares_in
from .game.attempts import CHECKS, MAN_TAKEN, PASSANT_TAKEN, PAWN_TAKEN, PIECE_TAKEN, SQUARE, TAKEN, TRIES
from .warm_up import play_trial

VERSION = 1
# First line of the referee, and the program's reply, which differs from an echo.
HELLO, READY = f"kriegspiel {VERSION}", f"kriegspielok {VERSION}"
SIDE_WORDS = ("white", "black")
DIRECTION_WORDS = [name.replace(" ", "-") for name in DIRECTIONS]
TAKEN_WORDS = {PAWN_TAKEN: "pawn", PIECE_TAKEN: "piece", MAN_TAKEN: "man", PASSANT_TAKEN: "passant"}
SOME_TRIES = "some"  # replaces the number of tries where only their existence is announced
SILENCE = (0, NO_SQUARE, 0, 0)  # an empty message
UNTOLD = (0,) * rules.TURN


def limit_words(effort: SearchLimit, clock: tuple[float, float] | None = None) -> str:
    """Return a limit as words; a clock is the seconds left and the increment."""
    if effort.nodes is not None:
        return f"nodes {effort.nodes}"
    words = f"movetime {max(1, round(1000 * (effort.seconds or 0)))}"
    return words if clock is None else f"{words} clock {round(1000 * clock[0])} increment {round(1000 * clock[1])}"


def clock_in(given: Mapping[str, str]) -> tuple[float, float] | None:
    return (int(given["clock"]) / 1000, int(given.get("increment", 0)) / 1000) if "clock" in given else None


def new_line(
    side: int, switches: HouseRules, effort: SearchLimit, seed: int, clock: tuple[float, float] | None = None
) -> str:
    """Return the `new` line: the side, the rules, the limits, and a seed for programs that want one."""
    named = {"rules": ICC} | switches.to_json()
    words = {name: value if isinstance(value, str) else "on" if value else "off" for name, value in named.items()}
    house = " ".join(f"{name} {word}" for name, word in words.items())
    limits = f"{limit_words(effort, clock)} threads {effort.threads}"
    return f"new side {SIDE_WORDS[side]} {house} {limits} seed {seed}"


def house_in(given: Mapping[str, str]) -> HouseRules:
    """Parse the house rules of a `new` line; omitted switches have their defaults."""
    chosen: dict[str, bool | str] = {name: given[name] for name in WORDS if name in given}
    chosen |= {name: given[name] != "off" for name in FLAGS if name in given}
    return HouseRules.usual(given["rules"], chosen)


class ProtocolWriter:
    """Writer of a side's view, turn by turn, as protocol lines."""

    def __init__(self) -> None:
        self.last: int | None = None  # the attempt whose answer has not been sent yet
        self.ply: int | None = None

    def news(self, seen: np.ndarray) -> list[str]:
        """List the referee's messages since the last call: on the own attempt, and on the opponent's move."""
        ply, own, other = (seen[cells] for cells in (rules.SEEN_PLY, rules.OWN_MESSAGE, rules.OTHER_MESSAGE))
        switches = int(seen[rules.SEEN_SWITCHES])
        made, lines = 0 if self.ply is None else int(ply) - self.ply, []
        if self.last is not None:
            lines.append(self._answer(seen, made > 0))
        if self.ply is None and tuple(own) != SILENCE:
            lines.append(_line("began", own, UNTOLD, switches))
        if made > 1 or (self.ply is None and (ply or tuple(other) != SILENCE)):
            lines.append(_line("moved", other, seen[rules.OTHER_TURN], switches))
        self.last, self.ply = None, int(ply)
        return lines

    def _answer(self, seen: np.ndarray, made: bool) -> str:
        assert self.last is not None
        name = attempt_name(self.last)
        if self.last == rules.ANY:
            return f"answer {name} {ANSWERS[int(seen[rules.SEEN_TURN + rules.ANSWER])]}"
        if not made:
            return f"illegal {name}"
        return _line(f"accepted {name}", seen[rules.OWN_MESSAGE], UNTOLD, int(seen[rules.SEEN_SWITCHES]))

    def turn(self, seen: np.ndarray, actions: Sequence[int]) -> list[str]:
        """Return the side's knowledge at its turn, and its possible attempts."""
        men, _, castling = fen_of(own_board(seen)).split()[:3]
        counts = seen[rules.SEEN_TAKEN : rules.SEEN_TAKEN + 4].tolist()
        return [
            *self.news(seen),
            f"view ply {seen[rules.SEEN_PLY]} men {men} castling {castling} "
            f"lost {counts[0]},{counts[1]} taken {counts[2]},{counts[3]}",
            " ".join(["try", *map(attempt_name, actions)]),
        ]


def own_board(seen: np.ndarray) -> np.ndarray:
    position, side = np.zeros(POSITION, np.int64), seen[rules.SEEN_PLAYER]
    position[:KINDS] = seen[rules.OWN_MEN]
    position[MEN + side] = np.bitwise_or.reduce(seen[rules.OWN_MEN])
    position[MOVER], position[RIGHTS], position[PASSANT] = side, seen[rules.SEEN_RIGHTS], NO_SQUARE
    return position


def _line(word: str, message: np.ndarray, turn: Sequence[int] | np.ndarray, switches: int) -> str:
    """Format a message as a line: `moved taken pawn e5 check file tries 2`."""
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
    if tries := int(message[TRIES]):
        told = ",".join(squares_in(tries)) if switches & attempts.TRIES_BY_SQUARE else str(tries)
        words.append(f"tries {SOME_TRIES if switches & attempts.TRIES_YES_NO else told}")
    return " ".join(words)


class ProtocolReader:
    """Reader of the lines of one game that rebuilds their view."""

    def __init__(self, side: int, switches: int = 0) -> None:
        self.seen = np.zeros(rules.VIEW, np.int64)
        self.seen[rules.SEEN_SWITCHES] = switches
        self.seen[rules.SEEN_PLAYER] = self.seen[rules.SEEN_MOVER] = side
        self.seen[rules.OWN_MESSAGE] = self.seen[rules.OTHER_MESSAGE] = SILENCE
        self.actions: list[int] = []

    def hear(self, word: str, rest: Sequence[str]) -> None:
        """Process a line; unknown keywords are ignored."""
        if word == "illegal":
            self._refuse(parse_attempt(rest[0]))
        elif word == "answer":
            self.seen[rules.OWN_TURN][rules.ANSWER] = rules.YES if rest[1] == ANSWERS[rules.YES] else rules.NO
        elif word == "accepted":
            self.seen[rules.REFUSALS] = self.seen[rules.OWN_TURN] = 0
            self.seen[rules.OWN_MESSAGE] = _message(rest[1:])
        elif word == "began":
            self.seen[rules.OWN_MESSAGE] = _message(rest)
        elif word == "moved":
            self.seen[rules.OTHER_MESSAGE], self.seen[rules.OTHER_TURN] = _message(rest), _turn(rest)
        elif word == "try":
            self.actions = [parse_attempt(name) for name in rest]
        elif word == "view":
            self._look(pairs_in(rest))

    def _refuse(self, move: int) -> None:
        """Record a refused own attempt; count it where refusals are public."""
        self.seen[rules.REFUSALS][start_of(move)] |= np.int64(1) << np.int64(end_of(move))
        if self.seen[rules.SEEN_SWITCHES] & attempts.REFUSALS_HEARD:
            turn = self.seen[rules.OWN_TURN]
            turn[rules.REFUSED_AFTER if turn[rules.ANSWER] else rules.REFUSED_BEFORE] += 1

    def _look(self, given: Mapping[str, str]) -> None:
        position = np.zeros(POSITION, np.int64)
        put_men(position, given["men"])
        self.seen[rules.OWN_MEN] = position[:KINDS]
        self.seen[rules.SEEN_RIGHTS] = sum(1 << i for i, letter in enumerate(CASTLES) if letter in given["castling"])
        self.seen[rules.SEEN_PLY] = int(given["ply"])
        counts = f"{given['lost']},{given['taken']}".split(",")
        self.seen[rules.SEEN_TAKEN : rules.SEEN_TAKEN + 4] = [int(count) for count in counts]


def pairs_in(words: Sequence[str]) -> dict[str, str]:
    return dict(zip(words[::2], words[1::2], strict=False))


def _message(words: Sequence[str]) -> list[int]:
    cells, left = list(SILENCE), iter(words)
    for word in left:
        if word == "taken":
            cells[TAKEN] = {name: kind for kind, name in TAKEN_WORDS.items()}[next(left, "")]
            cells[SQUARE] = parse_square(next(left, ""))
        elif word == "check":
            cells[CHECKS] |= 1 << DIRECTION_WORDS.index(next(left, ""))
        elif word == "tries":
            told = next(left, "")
            if told == SOME_TRIES or told.isdigit():
                cells[TRIES] = 1 if told == SOME_TRIES else int(told)
            else:
                cells[TRIES] = sum(1 << parse_square(name) for name in told.split(","))
    return cells


def _turn(words: Sequence[str]) -> list[int]:
    cells, left = list(UNTOLD), iter(words)
    for word in left:
        if word == "refused":
            cells[rules.REFUSED_AFTER if cells[rules.ANSWER] else rules.REFUSED_BEFORE] = int(next(left, ""))
        elif word == "asked":
            cells[rules.ANSWER] = rules.YES if next(left, "") == ANSWERS[rules.YES] else rules.NO
        elif word == "promoted":
            cells[rules.PROMOTED] = 1
    return cells


# One of our engines as a program that uses the engine protocol.


def serve(name: str, maker: EngineFactory, lines: Iterable[str], say: Callable[[str], None]) -> None:
    """Answer a referee until `quit` or the end of input; raise ValueError for an unreadable line."""
    player: Player | None = None
    listener = ProtocolReader(0)
    for line in lines:
        word, *rest = line.split() or [""]
        try:
            if word == "quit":
                return
            if word == "kriegspiel":
                play_trial(maker)
                say(f"id name fogspiel {name}")
                say(READY)
            elif word == "new":
                player, listener = _begin(maker, pairs_in(rest))
            elif word == "go":
                if player is None:
                    raise ValueError("no game has begun")
                if clock := clock_in(pairs_in(rest)):
                    tell_clock(player, *clock)
                say(f"attempt {attempt_name(player.choose(listener.seen.copy(), list(listener.actions)))}")
            else:
                listener.hear(word, rest)
        except (ValueError, LookupError) as error:
            reason = f"there is no {error.args[0]!r}" if isinstance(error, KeyError) else error
            raise ValueError(
                f"the referee has said {line.strip()[:80]!r}, which cannot be followed ({reason}): "
                f"it must speak the protocol {HELLO}"
            ) from None


def _begin(maker: EngineFactory, given: dict[str, str]) -> tuple[Player, ProtocolReader]:
    house = house_in(given)
    side, threads = SIDE_WORDS.index(given["side"]), int(given.get("threads", 1))
    if "nodes" in given:
        effort = SearchLimit(nodes=int(given["nodes"]), threads=threads)
    else:
        clock = clock_in(given)
        seconds = allotted_seconds(*clock) if clock else int(given["movetime"]) / 1000
        effort = SearchLimit(seconds=seconds, threads=threads)
    player = maker(effort, np.array([int(given.get("seed", 1))], np.uint64))
    player.begin(side)
    return player, ProtocolReader(side, house.bits)
