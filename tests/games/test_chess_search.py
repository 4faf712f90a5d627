"""The chess search against a plain one on top of an independent move generator."""

import random

import numpy as np
import pytest

from fogspiel.games.chess.fen import START, parse_move, position_of
from fogspiel.games.chess.moves import LIMITS, legal_moves, restrict
from fogspiel.games.chess.position import MOVER, make
from fogspiel.games.chess.search import EDGE_DRIVE, MATE, NEAR_DRIVE, WORTH, change, material_score, value_of

chess = pytest.importorskip("chess")


def plain_static(board):
    """The static value for the mover, written from its description."""
    score = 0
    for square, man in board.piece_map().items():
        worth = int(WORTH[0 if man.color else 1, man.piece_type - 1, square])
        score += worth if man.color else -worth
    for colour, sign in ((chess.WHITE, 1), (chess.BLACK, -1)):
        if board.occupied_co[not colour].bit_count() == 1:
            king, own = board.king(not colour), board.king(colour)
            edge = 6 - min(king // 8, 7 - king // 8) - min(king % 8, 7 - king % 8)
            near = 14 - abs(king // 8 - own // 8) - abs(king % 8 - own % 8)
            score += sign * (EDGE_DRIVE * edge + NEAR_DRIVE * near)
    return score if board.turn else -score


def plain_value(board, depth, alpha, beta, level=0):
    """Alpha-beta with quiescence as a recursion."""
    checked, moves = board.is_check(), list(board.legal_moves)
    best = -100_000
    if depth > 0 or checked:
        if not moves:
            return level - MATE if checked else 0
    else:
        if board.occupied_co[board.turn].bit_count() == 1 and not moves:
            return 0
        best = plain_static(board)
        moves = [
            move for move in moves if move.promotion == chess.QUEEN or (board.is_capture(move) and not move.promotion)
        ]
    for move in sorted(moves, key=lambda move: -(board.piece_type_at(move.to_square) or 0)):
        if best >= beta:
            break
        board.push(move)
        best = max(best, -plain_value(board, depth - 1, -beta, -max(alpha, best), level + 1))
        board.pop()
    return best


def random_boards(count, seed, bare=False):
    """Positions of random games; with few men, if only bare kings are wanted."""
    draw = random.Random(seed)
    while count:
        board = chess.Board()
        for _ in range(draw.randrange(2, 90)):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(draw.choice(moves))
        if bare:
            for square, man in board.piece_map().items():
                if man.piece_type != chess.KING and (man.color == chess.BLACK or draw.random() < 0.8):
                    board.remove_piece_at(square)
            board.clear_stack()
            board.castling_rights, board.ep_square = 0, None
        if board.is_valid():
            count -= 1
            yield board


@pytest.mark.parametrize(
    "depth, count, bare",
    [
        (0, 20, False),
        pytest.param(0, 60, False, marks=pytest.mark.thorough),
        (1, 8, False),
        (2, 15, True),
        pytest.param(0, 400, False, marks=pytest.mark.slow),
        pytest.param(1, 60, False, marks=pytest.mark.slow),
        pytest.param(2, 12, False, marks=pytest.mark.slow),
    ],
)
def test_the_search_finds_the_value_that_a_plain_alpha_beta_finds(depth, count, bare):
    for board in random_boards(count, seed=depth, bare=bare):
        value, nodes = value_of(position_of(board.fen()), depth)
        assert value == plain_value(board, depth, -100_000, 100_000), board.fen()
        assert nodes > 0


def test_a_mate_is_worth_more_the_nearer_it_is():
    assert value_of(position_of("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"), 1)[0] == MATE - 1
    assert value_of(position_of("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"), 3)[0] == MATE - 3


def test_a_lone_king_that_cannot_move_is_not_lost():
    assert value_of(position_of("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"))[0] == 0


def test_a_defended_pawn_is_left_alone_by_quiescence_and_a_hanging_queen_is_taken():
    defended = position_of("4k3/2p5/3p4/8/8/8/3R4/4K3 w - - 0 1")
    assert value_of(defended)[0] == material_score(defended, WORTH)
    assert value_of(position_of("4k3/8/3q4/8/8/8/3R4/4K3 w - - 0 1"))[0] > 0


def test_the_change_by_a_move_is_that_of_the_static_value():
    draw = random.Random(5)
    out, limits = np.empty(256, np.int64), np.empty(LIMITS, np.int64)
    for _ in range(20):
        pos = position_of(START)
        for _ in range(120):
            restrict(pos, limits)
            count = legal_moves(pos, limits, out)
            if count == 0:
                break
            move = int(out[draw.randrange(count)])
            expected = material_score(pos, WORTH) + change(pos, move, WORTH)
            make(pos, move)
            assert material_score(pos, WORTH) == expected


def test_the_men_of_both_colours_are_worth_the_same():
    mirrored = WORTH[1].reshape(6, 8, 8)[:, ::-1].reshape(6, 64)
    assert (WORTH[0] == mirrored).all()
    pos = position_of(START)
    assert material_score(pos, WORTH) == 0
    make(pos, parse_move("e2e4"))
    assert pos[MOVER] == 1 and material_score(pos, WORTH) > 0
