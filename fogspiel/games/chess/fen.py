"""Text forms of positions, squares and moves: FEN and UCI."""

import re
from collections.abc import Sequence

import numpy as np

from ...core.compile.kernel import interpreted
from . import position
from .bitboards import BLACK, FORWARD, KINDS, KING, KNIGHT, NO_SQUARE, PAWN, ROOK, WHITE
from .moves import attackers
from .position import CLOCK, MEN, MOVER, PASSANT, PLY, POSITION, RIGHTS, end_of, king_of, move_of, occupied, start_of

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
LETTERS = "pnbrqk"
NAMES = ("pawn", "knight", "bishop", "rook", "queen", "king")
SIDES = ("White", "Black")
FILES, RANKS = "abcdefgh", "12345678"
CASTLES = "KQkq"
RIGHTS_OF_A_FEN = re.compile(r"-|(?=.)K?Q?k?q?")
NUMBER_OF_A_FEN = re.compile(r"[0-9]{1,5}")
UCI = re.compile(r"([a-h][1-8])([a-h][1-8])([nbrq]?)")


def square_name(square: int) -> str:
    return FILES[square % 8] + RANKS[square // 8]


def parse_square(name: str) -> int:
    if len(name) != 2 or name[0] not in FILES or name[1] not in RANKS:
        raise ValueError(f"{name!r} is not a square: squares are a1 to h8")
    return 8 * RANKS.index(name[1]) + FILES.index(name[0])


def move_name(move: int) -> str:
    promotion = position.promotion_of(move)
    return square_name(start_of(move)) + square_name(end_of(move)) + (LETTERS[promotion] if promotion else "")


def parse_move(text: str) -> int:
    """Return the number of a UCI move; raise ValueError if it is malformed."""
    found = UCI.fullmatch(text.strip().lower())
    if found is None:
        raise ValueError(
            f"{text.strip()[:20]!r} is not a move: write the squares it leaves and goes to, as e2e4 or e7e8q"
        )
    start, end, promotion = found.groups()
    with interpreted():  # engines read their openings at import
        return int(move_of(parse_square(start), parse_square(end), LETTERS.index(promotion) if promotion else 0))


def position_of(fen: str) -> np.ndarray:
    """Return the position of a FEN; raise ValueError with the fault if it is invalid."""
    fields = fen.split()
    if not 4 <= len(fields) <= 6:
        raise ValueError(f"a FEN has four to six fields, not {len(fields)}: {fen[:90]!r}")
    pos = np.zeros(POSITION, np.int64)
    put_men(pos, fields[0])
    if fields[1] not in ("w", "b"):
        raise ValueError(f"the mover of a FEN is w or b, not {fields[1]!r}")
    pos[MOVER] = "wb".index(fields[1])
    if not RIGHTS_OF_A_FEN.fullmatch(fields[2]):
        raise ValueError(f"the castling rights of a FEN are some of the letters KQkq, or -, not {fields[2]!r}")
    pos[RIGHTS] = sum(1 << i for i, letter in enumerate(CASTLES) if letter in fields[2])
    pos[PASSANT] = NO_SQUARE if fields[3] == "-" else parse_square(fields[3])
    for cell, text in zip((CLOCK, PLY), fields[4:], strict=False):
        if not NUMBER_OF_A_FEN.fullmatch(text):
            raise ValueError(
                f"a FEN ends in two numbers, plies since a capture or pawn move and move, not {text[:20]!r}"
            )
        pos[cell] = int(text)
    pos[PLY] = 2 * max(int(pos[PLY]) - 1, 0) + pos[MOVER]
    _check(pos)
    return pos


def put_men(pos: np.ndarray, placement: str) -> None:
    """Place the men of a FEN's first field on an empty board."""
    rows = placement.split("/")
    if len(rows) != 8:
        raise ValueError(f"the board of a FEN has eight ranks, not {len(rows)}: {placement[:80]!r}")
    for rank, row in zip(range(7, -1, -1), rows, strict=True):
        file = 0
        for letter in row:
            if letter in "12345678":
                file += int(letter)
            elif letter in LETTERS + LETTERS.upper() and file < 8:
                here = np.int64(1) << np.int64(8 * rank + file)
                pos[LETTERS.index(letter.lower())] |= here
                pos[MEN + (WHITE if letter.isupper() else BLACK)] |= here
                file += 1
            else:
                file = 9
        if file != 8:
            raise ValueError(f"rank {rank + 1} of the FEN, {row!r}, does not describe eight squares")


def _check(pos: np.ndarray) -> None:
    """Reject positions that no chess game can reach and that the rules cannot continue from."""
    for colour in (WHITE, BLACK):
        _check_men([(int(pos[kind] & pos[MEN + colour]) % 2**64).bit_count() for kind in range(KINDS)], SIDES[colour])
    if pos[PAWN] & ~np.int64(0x00FFFFFFFFFFFF00):
        raise ValueError("pawns cannot stand on the first or the last rank")
    mover, other = int(pos[MOVER]), 1 - int(pos[MOVER])
    if attackers(pos, king_of(pos, other), mover, occupied(pos)):
        raise ValueError(f"{SIDES[other]} is in check although {SIDES[mover]} is to move")
    for i, letter in enumerate(CASTLES):
        own, king, rook = (int(pos[cell]) for cell in (MEN + i // 2, KING, ROOK))
        home, corner = int(position.KING_HOME[i // 2]), int(position.ROOK_HOME[i // 2, i % 2])
        if pos[RIGHTS] >> i & 1 and not (own & king) >> home & (own & rook) >> corner & 1:
            raise ValueError(
                f"the castling right {letter} needs {SIDES[i // 2]}'s king on {square_name(home)} "
                f"and a rook on {square_name(corner)}"
            )
    if pos[PASSANT] != NO_SQUARE:
        passed, step = int(pos[PASSANT]), int(FORWARD[other])
        empty, pawns = ~int(occupied(pos)), int(pos[PAWN] & pos[MEN + other])
        right_rank = passed // 8 == (2 if other == WHITE else 5)
        if not (right_rank and empty >> passed & empty >> (passed - step) & pawns >> (passed + step) & 1):
            raise ValueError(f"no pawn of {SIDES[other]} can just have passed over {square_name(passed)}")


def _check_men(counts: list[int], side: str) -> None:
    """Reject more men of a side than eight pawns can leave or promote to."""
    if counts[KING] != 1:
        raise ValueError(f"{side} must have one king, not {counts[KING]}")
    promoted = sum(max(count - first, 0) for count, first in zip(counts[KNIGHT:KING], (2, 2, 2, 1), strict=True))
    if counts[PAWN] > 8 or promoted > 8 - counts[PAWN]:
        raise ValueError(
            f"{side} has too many men: {counts[PAWN]} pawns and {promoted} that only pawns can have become"
        )


def fen_of(pos: np.ndarray) -> str:
    letters = men_letters(pos, int(pos[MEN]))
    ranks = (letters[8 * rank : 8 * rank + 8] for rank in range(7, -1, -1))
    rows = [re.sub(r"\.+", lambda gap: str(len(gap[0])), rank) for rank in ranks]
    rights = "".join(letter for i, letter in enumerate(CASTLES) if pos[RIGHTS] >> i & 1) or "-"
    passant = "-" if pos[PASSANT] == NO_SQUARE else square_name(int(pos[PASSANT]))
    return f"{'/'.join(rows)} {'wb'[pos[MOVER]]} {rights} {passant} {pos[CLOCK]} {pos[PLY] // 2 + 1}"


# Text forms of check directions and boards.

DIRECTIONS = ("rank", "file", "long diagonal", "short diagonal", "knight")


def directions_in(checks: int) -> list[str]:
    return [name for i, name in enumerate(DIRECTIONS) if checks >> i & 1]


def men_letters(men: Sequence[int] | np.ndarray, whites: int) -> str:
    """Return the men on a1 to h8 as letters: capitals for White, dots for empty or unknown squares."""
    found, white = ["."] * 64, int(whites)
    for there, letter in zip(map(int, men[:KINDS]), LETTERS, strict=True):
        for square in range(64):
            if there >> square & 1:
                found[square] = letter.upper() if white >> square & 1 else letter
    return "".join(found)


def draw_letters(letters: Sequence[str]) -> str:
    """Draw the letters of a1 to h8 as a board with the eighth rank on top."""
    ranks = [f"{rank + 1}  {' '.join(letters[8 * rank : 8 * rank + 8])}" for rank in range(7, -1, -1)]
    return "\n".join([*ranks, "   a b c d e f g h"])


def board_text(men: Sequence[int], whites: int) -> str:
    return draw_letters(men_letters(men, whites))
