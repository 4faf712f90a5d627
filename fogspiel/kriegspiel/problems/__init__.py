"""A problem: White's own men and a set of possible boards; White mates within n moves on all of them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ...core.untrusted_input import parse_json
from ...games.chess.bitboards import KINDS
from ...games.chess.fen import FILES, fen_of, men_letters, parse_square, position_of, put_men, square_name
from ...games.chess.moves import LIMITS, restrict
from ...games.chess.position import CLOCK, MEN, PLY, POSITION, king_of
from ..game.attempts import directions, pawn_tries
from .solver import Boards

MAX_MOVES, MAX_BOARDS, MAX_BYTES = 6, 256, 1 << 24
EMPTY = "/".join(["8"] * 8)
KEYS = {"title", "source", "mate_in", "men", "kings", "boards"}
MAN = re.compile(r"([PNBRQK]?)([a-h][1-8])")
SHIPPED = Path(__file__).with_name("problems.json")


@dataclass(frozen=True)
class Problem:
    """Mate within `mate_in` moves on every board, with White to move and not knowing which it is."""

    boards: tuple[str, ...]  # all men of each board as in the first field of a FEN
    mate_in: int
    title: str = "A problem"
    source: str = ""

    def __post_init__(self) -> None:
        if not 1 <= self.mate_in <= MAX_MOVES:
            raise ValueError(f"mate in {self.mate_in} cannot be asked for: it must be in 1 to {MAX_MOVES} moves")
        if not 1 <= len(set(self.boards)) <= MAX_BOARDS:
            raise ValueError(f"a problem has 1 to {MAX_BOARDS} possible boards, not {len(set(self.boards))}")
        positions = [self._position(board) for board in self.boards]
        if len({tuple((position[:KINDS] & position[MEN]).tolist()) for position in positions}) > 1:
            raise ValueError("White's men must stand on the same squares of all boards, because White sees them")
        if len({_heard_before(position) for position in positions}) > 1:
            raise ValueError("White has heard other checks or pawn tries on some of these boards: leave these out")

    @staticmethod
    def _position(board: str) -> np.ndarray:
        """Return a board as a position; raise ValueError that names it if it is invalid."""
        try:
            position = position_of(f"{board} w - - 0 1")
        except ValueError as error:
            raise ValueError(f"{error} (board {board})") from None
        position[CLOCK] = position[PLY] = 0
        return position

    @cached_property
    def positions(self) -> Boards:
        return frozenset(self._position(board).tobytes() for board in self.boards)

    @property
    def kings(self) -> tuple[str, ...]:
        return king_squares(self.positions)

    @property
    def known(self) -> str | None:
        """All men but Black's king as in a FEN; None if the boards differ in more than the king."""
        rest = {_board_of(["." if man == "k" else man for man in letters_of(board)]) for board in self.boards}
        return rest.pop() if len(rest) == 1 else None

    def to_json(self) -> dict[str, Any]:
        facts: dict[str, Any] = {"title": self.title, "source": self.source, "mate_in": self.mate_in}
        return facts | ({"men": self.known, "kings": list(self.kings)} if self.known else {"boards": list(self.boards)})

    @classmethod
    def from_json(cls, facts: Any) -> "Problem":
        """Parse a stored problem; raise ValueError if it is invalid."""
        if not isinstance(facts, Mapping) or not facts.keys() <= KEYS or ("men" in facts) == ("boards" in facts):
            raise ValueError("a problem is an object with mate_in, and men and kings, or boards")
        words = {key: facts.get(key, usual) for key, usual in (("title", "A problem"), ("source", ""))}
        if not all(isinstance(word, str) for word in words.values()) or type(facts.get("mate_in")) is not int:
            raise ValueError("title and source of a problem are texts, mate_in is a whole number")
        names = facts.get("boards", facts.get("kings"))
        if not isinstance(names, list) or not all(isinstance(name, str) for name in [*names, facts.get("men", "")]):
            raise ValueError("men of a problem is a text, kings or boards is a list of texts")
        boards = tuple(names) if "boards" in facts else put_kings(facts["men"], names)
        return cls(boards, facts["mate_in"], **words)


def put_kings(men: str, kings: Iterable[str]) -> tuple[str, ...]:
    return tuple(with_man(men, "k", parse_square(king)) for king in dict.fromkeys(kings))


def men_from_words(white: str, black: str = "") -> str:
    """Parse all men but Black's king into a FEN field from lists such as `Kc3,Qd4,e4`; a pawn needs no letter."""
    board = EMPTY
    for words, side in ((white, str.upper), (black, str.lower)):
        for word in filter(None, (word.strip() for word in words.split(","))):
            man = MAN.fullmatch(word[:-2].upper() + word[-2:].lower())
            if man is None:
                raise ValueError(f"{word[:20]!r} is not a man: write its letter and its square, as Qd4, a pawn as e4")
            board = with_man(board, side(man[1] or "P"), parse_square(man[2]))
    return board


def read_problems(text: str) -> list[Problem]:
    """Parse the problems of a file: one, or a list of `problems`; raise ValueError if it is invalid."""
    try:
        found = parse_json(text)
    except ValueError:
        raise ValueError("a file of problems is JSON, which this is not") from None
    several = found.get("problems") if isinstance(found, dict) and "problems" in found else [found]
    if not isinstance(several, list) or not several:
        raise ValueError("the problems of a file are a list of at least one")
    return [Problem.from_json(facts) for facts in several]


def shipped_problems() -> list[Problem]:
    return read_problems(SHIPPED.read_text(encoding="utf-8"))


def find_problem(number: int) -> Problem:
    problems = shipped_problems()
    if not 1 <= number <= len(problems):
        raise ValueError(f"there is no problem {number}: they are 1 to {len(problems)}")
    return problems[number - 1]


def king_squares(boards: Boards) -> tuple[str, ...]:
    squares = {int(king_of(np.frombuffer(board, np.int64), 1)) for board in boards}
    return tuple(square_name(square) for square in sorted(squares))


def fen_of_board(board: bytes) -> str:
    return fen_of(np.frombuffer(board, np.int64))


def letters_of(board: str) -> list[str]:
    """Return the 64 letters of a board from a1 to h8, `.` for empty squares."""
    position = np.zeros(POSITION, np.int64)
    put_men(position, board)
    return list(men_letters(position[:KINDS].tolist(), int(position[MEN])))


def with_man(board: str, letter: str, square: int) -> str:
    """Return a board with one man more; raise ValueError if the square is occupied."""
    letters = letters_of(board)
    if letters[square] != ".":
        raise ValueError(f"two men cannot stand on {square_name(square)}")
    letters[square] = letter
    return _board_of(letters)


def _board_of(letters: Sequence[str]) -> str:
    ranks = ["".join(letters[8 * rank : 8 * rank + 8]) for rank in range(len(FILES) - 1, -1, -1)]
    return "/".join(re.sub(r"\.+", lambda gap: str(len(gap[0])), rank) for rank in ranks)


def _heard_before(position: np.ndarray) -> tuple[int, int]:
    limits = np.empty(LIMITS, np.int64)
    restrict(position, limits)
    return int(directions(position, limits)), int(pawn_tries(position, limits, False))
