"""Log-linear policy of an opponent that does not see our men, over its legal moves.

The chance of a move is proportional to the product of two weights: one for what the move is (quiet, taking back where
a man was just lost, taking elsewhere, castling or promoting), by the kind of man, by whether the side is in check and
by whether the man will be protected; and one for the change of place, worth[end] / worth[start], by the kind of man
and the phase of the game. A refused attempt costs an opponent nothing, so the choice is among legal moves only. The
weights are fitted to games of engines (`training.reply_fit`).

Data sheet of a policy: rows of 64 weights, squares as the mover sees them
     0 .. 17   places: row 6 * phase + kind
    18, 19     classes, while not in check and in check: cell 6 * class + kind, 24 further if protected
"""

from ...core.kernel import in_place, inlined
from ...games.chess.bits import NO_SQUARE, bit
from ...games.chess.limits import attackers
from ...games.chess.men import BLACK, KINDS, KING, PAWN, kind_on
from ...games.chess.move_code import end_of, promotion_of, start_of
from ...games.chess.position import MEN, MOVER, PASSANT, PLY, occupied

FIRST_PLIES = (0, 20, 60)  # the plies at which the phases begin
CLASS_ROW = len(FIRST_PLIES) * KINDS
ROWS = CLASS_ROW + 2
QUIET, TAKES_BACK, TAKES, SPECIAL = 0, 1, 2, 3
CLASSES = 4
UPSIDE_DOWN = 56  # what the number of a square is combined with (exclusive or) when Black looks at it


@inlined
def phase_of(ply):
    """The phase of the game in which a ply is played."""
    if ply < FIRST_PLIES[1]:
        return 0
    return 1 if ply < FIRST_PLIES[2] else 2


@inlined
def class_of(board, move, kind, lost):
    """Return the class of a legal move by kind of man; `lost` is its side's last lost square, or NO_SQUARE."""
    start, end = start_of(move), end_of(move)
    if promotion_of(move) or (kind == KING and abs(end - start) == 2):
        return SPECIAL
    if board[MEN + 1 - board[MOVER]] & bit(end):
        return TAKES_BACK if end == lost else TAKES
    return TAKES if kind == PAWN and end == board[PASSANT] and (end - start) % 8 else QUIET


@in_place
def class_cell(board, move, kind, lost):
    """The cell with the weight for what a legal move is."""
    left = bit(start_of(move))
    guards = attackers(board, end_of(move), board[MOVER], occupied(board) & ~left) & ~left
    return KINDS * (class_of(board, move, kind, lost) + (CLASSES if guards else 0)) + kind


@in_place
def weigh_replies(board, moves, count, lost, checked, policy, weights):
    """Fill in the weights of legal moves, those of a man standing together. Their sum."""
    turned = UPSIDE_DOWN if board[MOVER] == BLACK else 0
    first_place, classes = KINDS * phase_of(board[PLY]), policy[CLASS_ROW + (1 if checked else 0)]
    total, last, kind = 0.0, NO_SQUARE, PAWN
    for i in range(count):
        start, end = start_of(moves[i]), end_of(moves[i])
        if start != last:
            last, kind = start, kind_on(board, start)
        places = policy[first_place + kind]
        weights[i] = classes[class_cell(board, moves[i], kind, lost)] * places[end ^ turned] / places[start ^ turned]
        total += weights[i]
    return total
