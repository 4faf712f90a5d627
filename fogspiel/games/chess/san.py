"""Moves in standard algebraic notation: `Nf3`, which names the man only as far as legal moves leave a doubt."""

import re
from collections.abc import Sequence

import numpy as np

from ...core.game import blank
from .attempts import MOST_ATTEMPTS
from .bits import NO_SQUARE
from .fen import LETTERS, parse_square, square_name
from .limits import CHECKERS, LIMITS, restrict
from .men import KING, PAWN, kind_on
from .move_code import end_of, promotion_of, start_of
from .moves import can_move, legal_moves
from .position import make, victim_square

SAN = re.compile(r"([NBRQK]?)([a-h]?)([1-8]?)[-x:]?([a-h][1-8])(?:=?([NBRQnbrq]))?")
CASTLING = {"O-O": 2, "0-0": 2, "O-O-O": -2, "0-0-0": -2}  # how far the king goes
MARKS = "+#!?"


def short_name(pos: np.ndarray, move: int) -> str:
    """A legal move in standard algebraic notation."""
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
    return text + _threat(pos, move)


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


def _threat(pos: np.ndarray, move: int) -> str:
    """The mark of check or mate."""
    after, limits = pos.copy(), blank(LIMITS)
    make(after, move)
    restrict(after, limits)
    if not limits[CHECKERS]:
        return ""
    return "+" if can_move(after, limits) else "#"


def moves_in(pos: np.ndarray) -> list[int]:
    """The legal moves of a position."""
    limits, out = blank(LIMITS), blank(MOST_ATTEMPTS)
    restrict(pos, limits)
    return list(out[: legal_moves(pos, limits, out)].tolist())


def meant(text: str, men: np.ndarray, moves: Sequence[int]) -> list[int]:
    """List the moves that a text may denote, short or long, with the men in the first cells of `men`."""
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
    # Coordinates alone, as in g1f3, do not say which man it is; a pawn that takes is named by its file.
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
