"""One game of chess: an object interface to the rules, its notation and PGN text, and a UCI engine.

game = ChessGame()
game.make(parse_move("e2e4"))
game.ending                     # None: not over
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import fill

import numpy as np

from ...core.game import new_cells
from ...process.guard import ProcessGuard
from ...process.line_process import ProgramProcess
from .bitboards import KING, NO_SQUARE, PAWN, WHITE, kind_on
from .fen import LETTERS, START, fen_of, move_name, parse_square, position_of, square_name
from .moves import CHECKERS, LIMITS, MAX_ATTEMPTS, can_move, legal_moves, possible_passant, restrict
from .position import CLOCK, MOVER, PLY, cannot_mate, end_of, key_of, make, promotion_of, start_of, victim_square

CHECKMATE, STALEMATE = "checkmate", "stalemate"
MATERIAL = "neither side has men enough to mate"
FIFTY = "fifty moves without a capture or a pawn move"
REPETITION = "the position stands for the third time"
LONGEST_QUIET = 100  # plies without a capture or a pawn move that end a game


class ChessGame:
    """A game: its position and the moves that led there; draws need not be claimed."""

    def __init__(self, fen: str = START):
        self.position = position_of(fen)
        self.fen, self.moves = fen_of(self.position), list[int]()
        self._limits, self._room = new_cells(LIMITS), new_cells(MAX_ATTEMPTS)
        self._seen: Counter[int] = Counter()
        self._arrive()

    def _arrive(self) -> None:
        restrict(self.position, self._limits)
        count = legal_moves(self.position, self._limits, self._room)
        self.legal: list[int] = self._room[:count].tolist()
        key = int(key_of(self.position, possible_passant(self.position, self._limits)))
        self._seen[key] += 1
        self.ending: str | None = None
        if not self.legal:
            self.ending = CHECKMATE if self._limits[CHECKERS] else STALEMATE
        elif cannot_mate(self.position):
            self.ending = MATERIAL
        elif self.position[CLOCK] >= LONGEST_QUIET:
            self.ending = FIFTY
        elif self._seen[key] >= 3:
            self.ending = REPETITION

    @property
    def turn(self) -> int:
        """Side to move: 0 White, 1 Black."""
        return int(self.position[MOVER])

    @property
    def ply(self) -> int:
        """Plies since the start of the game that the initial position belongs to."""
        return int(self.position[PLY])

    @property
    def quiet(self) -> int:
        return int(self.position[CLOCK])

    @property
    def score(self) -> float:
        """White's score: 0, 1/2 or 1; a game that is not over counts as drawn."""
        if self.ending != CHECKMATE:
            return 0.5
        return 0.0 if self.turn == WHITE else 1.0

    @property
    def uci_position(self) -> str:
        """The position and the moves that led there, as a UCI `position` command."""
        first = "startpos" if self.fen == START else f"fen {self.fen}"
        return f"position {first}" + (f" moves {' '.join(map(move_name, self.moves))}" if self.moves else "")

    def make(self, move: int) -> None:
        if move not in self.legal:
            raise ValueError(f"{move_name(move)} is not a legal move in {fen_of(self.position)}")
        make(self.position, move)
        self.moves.append(move)
        self._arrive()


def numbered_moves(fen: str, moves: Iterable[int]) -> list[str]:
    """Return moves in standard algebraic notation with move numbers, as PGN tokens."""
    position, words = position_of(fen), list[str]()
    for move in moves:
        ply = int(position[PLY])
        if position[MOVER] == WHITE or not words:
            words.append(f"{ply // 2 + 1}{'.' if position[MOVER] == WHITE else '...'}")
        words.append(short_name(position, move))
        make(position, np.int64(move))
    return words


# A UCI chess engine in a separate process.


class UciEngine(ProgramProcess):
    """A UCI engine in a separate process, after its identification and options were read."""

    what, language = "chess engine", "UCI"

    def __init__(self, command: str | Sequence[str], patience: float = 10.0, guard: ProcessGuard | None = None):
        super().__init__(command, patience, guard)
        self.say("uci")
        # Lines with its identification and options.
        self.handshake = [line for line in self.answer("uci", "uciok") if line.startswith(("id ", "option "))]

    def ready(self) -> None:
        """Wait until the engine has processed all commands."""
        self.say("isready")
        for _ in self.answer("isready", "readyok"):
            pass


# Standard algebraic notation: `Nf3`, with the man disambiguated only as far as legal moves require.

SAN = re.compile(r"([NBRQK]?)([a-h]?)([1-8]?)[-x:]?([a-h][1-8])(?:=?([NBRQnbrq]))?")
CASTLING = {"O-O": 2, "0-0": 2, "O-O-O": -2, "0-0-0": -2}  # how far the king goes
MARKS = "+#!?"


def short_name(pos: np.ndarray, move: int) -> str:
    kind, start, end = int(kind_on(pos, start_of(move))), start_of(move), end_of(move)
    takes = "x" if int(victim_square(pos, move)) != NO_SQUARE else ""
    if kind == KING and abs(end - start) == 2:
        text = "O-O" if end > start else "O-O-O"
    elif kind == PAWN:
        text = (square_name(start)[0] + takes if takes else "") + square_name(end)
    else:
        text = LETTERS[kind].upper() + _distinction(pos, kind, move) + takes + square_name(end)
    if promotion := promotion_of(move):
        text += "=" + LETTERS[promotion].upper()
    after, limits = pos.copy(), new_cells(LIMITS)
    make(after, move)
    restrict(after, limits)
    if not limits[CHECKERS]:
        return text
    return text + ("+" if can_move(after, limits) else "#")


def _distinction(pos: np.ndarray, kind: int, move: int) -> str:
    """Disambiguate a man from others of its kind with the same destination: by file, rank, or both."""
    start = start_of(move)
    others = [
        start_of(other)
        for other in moves_in(pos)
        if other != move and end_of(other) == end_of(move) and int(kind_on(pos, start_of(other))) == kind
    ]
    name = square_name(start)
    if not others:
        return ""
    if all(other % 8 != start % 8 for other in others):
        return name[0]
    return name[1] if all(other // 8 != start // 8 for other in others) else name


def moves_in(pos: np.ndarray) -> list[int]:
    limits, out = new_cells(LIMITS), new_cells(MAX_ATTEMPTS)
    restrict(pos, limits)
    return list(out[: legal_moves(pos, limits, out)].tolist())


def meant(text: str, men: np.ndarray, moves: Sequence[int]) -> list[int]:
    """List the moves that a text may denote, in short or long notation, with the men in the first cells of `men`."""
    plain = text.strip().rstrip(MARKS)
    if plain in CASTLING:
        return [
            move
            for move in moves
            if int(kind_on(men, start_of(move))) == KING and end_of(move) - start_of(move) == CASTLING[plain]
        ]
    found = SAN.fullmatch(plain)
    if found is None:
        return []
    letter, file, rank, end, promotion = found.groups()
    # Coordinates alone, as in g1f3, do not identify the man; a capturing pawn is named by its file.
    kind = LETTERS.index(letter.lower()) if letter else None if file and rank else PAWN
    file = end[0] if kind == PAWN and not file else file
    wanted, goal = LETTERS.index(promotion.lower()) if promotion else 0, parse_square(end)
    return [
        move
        for move in moves
        if end_of(move) == goal
        and promotion_of(move) == wanted
        and (kind is None or int(kind_on(men, start_of(move))) == kind)
        and square_name(start_of(move)).startswith(file)
        and square_name(start_of(move)).endswith(rank)
    ]


# PGN as text, for any game: tags, half-moves with their comments, results.

WIDTH = 79  # of a line of movetext, by the PGN standard (8.2.1: below 80)
RESULTS = ("0-1", "1/2-1/2", "1-0")
UNFINISHED = "*"
# The tags required in every PGN, in order; the result is last.
ROSTER = {"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?", "White": "?", "Black": "?"}
TOKEN = re.compile(
    r"""\s+ | (?P<comment>\{[^}]*\}) | ;(?P<line>[^\n]*) | (?P<tag>\[\s*\w+\s+"(?:\\.|[^"\\])*"\s*\])
    | (?P<open>\() | (?P<close>\)) | \$\d+ | (?P<result>(?:1-0|0-1|1/2-1/2|\*)(?!\S)) | \d+\.+ | \d+(?=\s)
    | (?P<move>[^\s{}();\[\]]+)""",
    re.VERBOSE,
)


@dataclass
class Movetext:
    """A parsed game: tags, and half-moves with their comments."""

    tags: dict[str, str] = field(default_factory=dict)
    half_moves: list[tuple[str, str]] = field(default_factory=list)  # each with all its comments
    result: str | None = None
    line: int = 1  # line of its start in the file
    lines: list[int] = field(default_factory=list)  # line of each half-move


def games_in(text: str, line: int = 1) -> Iterator[Movetext]:
    """Yield the games of a PGN text that begins on this line of its file, as written, without replaying them."""
    game, place, depth = Movetext(line=line), 0, 0
    while place < len(text):
        token = TOKEN.match(text, place)
        if token is None:
            raise ValueError(f"line {line} of the PGN cannot be read from {text[place : place + 20]!r} on")
        here, line, place = line, line + text.count("\n", place, token.end()), token.end()
        kind, word = token.lastgroup, token.group().strip()
        if kind == "tag" and depth == 0:
            if game.half_moves or game.result:
                yield game
                game = Movetext(line=here)
            elif not game.tags:
                game.line = here
            name, _, value = word[1:-1].strip().partition('"')
            game.tags[name.strip()] = re.sub(r"\\(.)", r"\1", value.rstrip()[:-1])
        elif kind in ("open", "close"):  # a variation, which was not played
            depth = max(depth + (1 if kind == "open" else -1), 0)
        elif depth == 0 and kind == "move":
            if not game.tags and not game.half_moves:
                game.line = here
            game.half_moves.append((word, ""))
            game.lines.append(here)
        elif depth == 0 and kind in ("comment", "line") and game.half_moves:
            move, said = game.half_moves[-1]
            game.half_moves[-1] = move, f"{said} {' '.join(word.strip('{};').split())}".strip()
        elif depth == 0 and kind == "result":
            game.result = word
    if game.tags or game.half_moves:
        yield game


def tag_lines(tags: Mapping[str, str]) -> list[str]:
    lines = []
    for key, value in tags.items():
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'[{key} "{escaped}"]')
    return lines


def fill_movetext(words: Sequence[str]) -> str:
    return fill(" ".join(words), WIDTH, break_long_words=False, break_on_hyphens=False)
