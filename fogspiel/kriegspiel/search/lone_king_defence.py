"""The best defence of a lone king that sees the whole board: what endings are measured against, not an engine."""

import numpy as np

from ...core.rng import random_below
from ...games.chess.bitboards import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK
from ...games.chess.moves import LIMITS, MOST_MOVES, legal_moves, restrict
from ...games.chess.position import MEN, POSITION, make
from ...games.chess.search import value_of
from ..endings.tablebase import NO_MATE, EndgameTable, endgame_table, kinds_of, placement_of
from ..referee import Referee

DEPTH = 4  # plies that the king looks ahead where there is no table
# The men beside the king of whom tables are made.
TABLES = {(QUEEN,), (ROOK,), (PAWN,), (BISHOP, BISHOP), (BISHOP, KNIGHT), (ROOK, ROOK)}


def table_of(kinds: tuple[int, ...]) -> EndgameTable | None:
    """The table of an ending, if there is one."""
    return endgame_table(*kinds) if kinds in TABLES else None


def defend(position: np.ndarray, stream: np.ndarray) -> int:
    """The move of Black's lone king: it takes a man, or goes where mate is farthest; of equals any."""
    pos, limits, listed = position[:POSITION].copy(), np.empty(LIMITS, np.int64), np.empty(MOST_MOVES, np.int64)
    restrict(pos, limits)
    moves = listed[: legal_moves(pos, limits, listed)].tolist()
    captures = [move for move in moves if int(pos[MEN]) >> (move >> 6 & 63) & 1]
    if captures:
        return int(captures[random_below(stream, len(captures))])
    men = pos[: KING + 1] & pos[MEN]
    table, number = table_of(kinds_of(men)), int(placement_of(men))
    distances = [int(table.to_mate[number, move >> 6 & 63]) if table else -_value_after(pos, move) for move in moves]
    best = [move for move, distance in zip(moves, distances, strict=True) if distance == max(distances)]
    return int(best[random_below(stream, len(best))])


def _value_after(pos: np.ndarray, move: int) -> int:
    """Return the value of White's position after a move of the king, by search."""
    after = pos.copy()
    make(after, move)
    return value_of(after, DEPTH)[0]


def draw_ending(men: str, stream: np.ndarray) -> str:
    """A random position of White's men, as letters, against a king, as FEN: White is to move, and could win if it saw.

    Two bishops stand on squares of both colours, pawns from their second to their sixth rank.
    """
    while True:
        board = ["."] * 64
        for letter in men + "k":
            free = [s for s in range(64) if board[s] == "." and (letter != "P" or 8 <= s < 48)]
            board[free[random_below(stream, len(free))]] = letter
        fen = "/".join("".join(board[8 * r : 8 * r + 8]).replace(".", "1") for r in range(7, -1, -1)) + " w - - 0 1"
        try:
            umpire = Referee(fen)
        except ValueError:  # the king that is not to move is in check
            continue
        if not umpire.over and _is_won(umpire.state[:POSITION]):
            return fen


def _is_won(pos: np.ndarray) -> bool:
    """True if White, to move, wins if it sees the board and the ending has a table."""
    men = pos[: KING + 1] & pos[MEN]
    table, number = table_of(kinds_of(men)), int(placement_of(men))
    king = int(np.flatnonzero((pos[KING] & pos[MEN + 1]) >> np.arange(64) & 1)[0])
    return table is None or int(table.to_mate[number, king]) != NO_MATE
