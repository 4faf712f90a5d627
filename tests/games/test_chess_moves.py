"""Chess under Kriegspiel: published counts of move sequences, and python-chess as the judge of everything else."""

import random
import re
from collections import Counter
from pathlib import Path

import chess
import numpy as np
import pytest
from perft import legal_count, perft

import fogspiel
from fogspiel.games.chess.fen import START, fen_of, move_name, parse_move, parse_square, position_of, square_name
from fogspiel.games.chess.moves import (
    CHECKERS,
    LIMITS,
    MAX_MOVES,
    can_move,
    is_legal,
    legal_moves,
    possible_passant,
    restrict,
)
from fogspiel.games.chess.position import cannot_mate, key_of, make

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
ROOK_ENDING = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
PROMOTIONS = "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"
KNIGHT_FORK = "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8"
QUIET = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"
PUBLISHED = {
    START: [20, 400, 8_902, 197_281, 4_865_609, 119_060_324],
    KIWIPETE: [48, 2_039, 97_862, 4_085_603, 193_690_690],
    ROOK_ENDING: [14, 191, 2_812, 43_238, 674_624, 11_030_083],
    PROMOTIONS: [6, 264, 9_467, 422_333, 15_833_292],
    KNIGHT_FORK: [44, 1_486, 62_379, 2_103_487, 89_941_194],
    QUIET: [46, 2_079, 89_890, 3_894_594, 164_075_551],
}
DEPTHS = {START: 5, KIWIPETE: 4, ROOK_ENDING: 6, PROMOTIONS: 5, KNIGHT_FORK: 4, QUIET: 4}


@pytest.mark.thorough
@pytest.mark.parametrize("fen", PUBLISHED)
def test_move_sequences_are_as_many_as_published(fen):
    depth = DEPTHS[fen]
    assert [perft(position_of(fen), plies) for plies in range(depth + 1)] == [1, *PUBLISHED[fen][:depth]]


@pytest.mark.slow
@pytest.mark.parametrize("fen", PUBLISHED)
def test_long_move_sequences_are_as_many_as_published(fen):
    assert perft(position_of(fen), len(PUBLISHED[fen])) == PUBLISHED[fen][-1]


class Position:
    """A position with its limits, to be compared with a board of python-chess."""

    def __init__(self, fen):
        self.cells, self.limits, self.out = position_of(fen), np.zeros(LIMITS, np.int64), np.zeros(MAX_MOVES, np.int64)
        restrict(self.cells, self.limits)

    def moves(self):
        return self.out[: legal_moves(self.cells, self.limits, self.out)].tolist()

    def make(self, move):
        make(self.cells, move)
        restrict(self.cells, self.limits)

    def key(self):
        return int(key_of(self.cells, possible_passant(self.cells, self.limits)))


def agree(position, board):
    """Everything that both can say about a position is the same."""
    moves = position.moves()
    assert sorted(map(move_name, moves)) == sorted(move.uci() for move in board.legal_moves)
    assert len(moves) == legal_count(position.cells, position.limits)
    assert bool(moves) == can_move(position.cells, position.limits)
    assert all(is_legal(position.cells, position.limits, move) for move in moves)
    assert fen_of(position.cells) == board.fen(en_passant="fen")
    assert int(position.limits[CHECKERS]) % 2**64 == int(board.checkers())
    assert cannot_mate(position.cells) == board.is_insufficient_material()
    assert (possible_passant(position.cells, position.limits) >= 0) == board.has_legal_en_passant()


def rare(board, move):
    """Whether a move is of a kind that chance seldom finds."""
    return board.is_castling(move) or board.is_en_passant(move) or move.promotion


def drawn_move(board, rng):
    """A random move, often one of the rare kinds."""
    moves = list(board.legal_moves)
    odd = [move for move in moves if rare(board, move)]
    return rng.choice(odd if odd and rng.random() < 0.8 else moves)


def played_in_step(fen, seed, longest):
    """Play a random game on both boards; the kinds of moves that were made."""
    rng, board, position, kinds, keys = random.Random(seed), chess.Board(fen), Position(fen), Counter(), {}
    for _ in range(longest):
        agree(position, board)
        assert keys.setdefault(board._transposition_key(), position.key()) == position.key()
        if not any(board.legal_moves):
            kinds["checkmate" if board.is_check() else "stalemate"] += 1
            break
        move = drawn_move(board, rng)
        kinds["castling"] += board.is_castling(move)
        kinds["en passant"] += board.is_en_passant(move)
        kinds["promotion"] += move.promotion is not None
        board.push(move)
        position.make(parse_move(move.uci()))
    assert len(set(keys.values())) == len(keys)
    return kinds


@pytest.mark.thorough
def test_legal_moves_of_random_games_are_those_of_python_chess():
    kinds = sum((played_in_step(fen, seed, 80) for seed in range(6) for fen in PUBLISHED), Counter())
    kinds += sum((played_in_step(START, seed, 500) for seed in range(6)), Counter())
    assert min(kinds[kind] for kind in ("castling", "en passant", "promotion")) > 5, kinds


@pytest.mark.slow
def test_legal_moves_of_many_random_games_are_those_of_python_chess():
    kinds = sum((played_in_step(START, seed, 600) for seed in range(100, 500)), Counter())
    assert min(kinds[kind] for kind in ("castling", "en passant", "promotion", "checkmate", "stalemate")) > 10, kinds


@pytest.mark.parametrize(
    "fen",
    [
        "8/8/8/8/k2Pp2R/8/8/4K3 b - d3 0 1",  # both pawns leave the rank between king and rook
        "8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3 0 1",  # the capture blocks nothing
        "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",  # the passing pawn gives check and is taken
        "4k3/8/8/8/2pP4/B7/5k2/4K3 b - - 0 1".replace(
            "5k2", "8"
        ),  # a pinned pawn has no en passant right to begin with
        "2b5/8/8/4pP2/6K1/8/8/4k3 w - e6 0 1",  # pinned on the diagonal of the capture
        "8/8/8/8/1k1PpR2/8/8/4K3 b - d3 0 1",
    ],
)
def test_en_passant_is_judged_after_both_pawns_have_gone(fen):
    agree(Position(fen), chess.Board(fen))


def random_sparse_board(rng):
    """Two kings and up to three other men."""
    board = chess.Board(None)
    squares = rng.sample(range(64), 5)
    for square, symbol in zip(squares, "Kk", strict=False):
        board.set_piece_at(square, chess.Piece.from_symbol(symbol))
    for square in squares[2 : rng.randint(2, 5)]:
        board.set_piece_at(square, chess.Piece.from_symbol(rng.choice("nbNBbBbBrPqp")))
    return board


def test_men_that_cannot_mate_are_those_of_python_chess():
    rng, answers = random.Random(4), Counter()
    while sum(answers.values()) < 1500:
        board = random_sparse_board(rng)
        if board.is_valid():
            answer = bool(cannot_mate(position_of(board.fen())))
            assert answer == board.is_insufficient_material(), board.fen()
            answers[answer] += 1
    assert min(answers.values()) > 200


def ending_of(board, rules):
    """Why a game is over, in the words of the rules."""
    if not any(board.legal_moves):
        return rules.CHECKMATE if board.is_check() else rules.STALEMATE
    if board.is_insufficient_material():
        return rules.MATERIAL
    if board.halfmove_clock >= 100:
        return rules.FIFTY
    return rules.REPETITION if board.is_repetition(3) else 0


def undoes(move, other):
    return (move.from_square, move.to_square) == (other.to_square, other.from_square)


@pytest.mark.slice("kriegspiel")
def test_games_end_when_python_chess_ends_them():
    """Few men that shuffle: repetition, fifty moves, bare kings, mates."""
    from fogspiel.kriegspiel.game import rules

    ends = Counter()
    fens = ["8/8/8/3k4/8/2R1K3/8/8 w - - 60 80", "7k/8/5K2/6R1/8/8/8/8 w - - 90 99", ROOK_ENDING, KIWIPETE]
    fens += ["7k/5K2/8/8/8/8/6Q1/8 w - - 0 1", "8/8/8/8/8/k1p5/p7/K7 b - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"]
    for seed in range(6):
        for fen in fens:
            rng, board, state = random.Random(seed), chess.Board(fen), np.zeros(rules.STATE, np.int64)
            state[: rules.SWITCHES] = position_of(fen)
            rules.begin_here(state)
            while True:
                assert state[rules.END] == ending_of(board, rules), board.fen()
                if state[rules.END]:
                    ends[int(state[rules.END])] += 1
                    break
                moves = list(board.legal_moves)
                back = [move for move in moves if len(board.move_stack) > 1 and undoes(move, board.move_stack[-2])]
                move = rng.choice(back if back and rng.random() < seed % 2 else moves)
                rules.apply(state, parse_move(move.uci()))
                board.push(move)
    assert set(ends) == {rules.CHECKMATE, rules.STALEMATE, rules.MATERIAL, rules.FIFTY, rules.REPETITION}, ends


@pytest.mark.parametrize("fen", [*PUBLISHED, "4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 33", "8/8/8/8/8/1k6/8/K7 w - - 99 150"])
def test_a_fen_comes_back_as_it_was(fen):
    assert fen_of(position_of(fen)) == fen


def test_the_counters_of_a_fen_may_be_left_out():
    assert fen_of(position_of("4k3/8/8/8/8/8/8/4K2R w K -")) == "4k3/8/8/8/8/8/8/4K2R w K - 0 1"


def test_squares_and_moves_come_back_as_they_were():
    assert [parse_square(square_name(square)) for square in range(64)] == list(range(64))
    assert [move_name(parse_move(text)) for text in ("e2e4", "a7b8q", "h2g1n", "e1g1")] == [
        "e2e4",
        "a7b8q",
        "h2g1n",
        "e1g1",
    ]
    assert parse_move(" E7E8Q ") == parse_move("e7e8q")


BAD_FENS = {
    "": "four to six fields",
    "8/8/8/8/8/8/8/4K2k w - - 0 1 extra": "four to six fields",
    "8/8/8/8/8/8/4K2k w - -": "eight ranks, not 7",
    "8/8/8/8/8/8/8/4K2kk w - -": "rank 1 .* does not describe eight squares",
    "8/8/8/8/8/8/8/4K1k w - -": "rank 1 .* does not describe eight squares",
    "8/8/8/8/8/8/8/4K2X w - -": "rank 1 .* does not describe eight squares",
    "9/8/8/8/8/8/8/4K2k w - -": "rank 8 .* does not describe eight squares",
    "8/8/8/8/8/8/8/4K2k x - -": "mover of a FEN is w or b, not 'x'",
    "8/8/8/8/8/8/8/4K2k w X -": "castling rights of a FEN .* 'X'",
    "4k3/8/8/8/8/8/8/R3K2R w KK -": "castling rights of a FEN .* 'KK'",
    "8/8/8/8/8/8/8/4K2k w - e9": "'e9' is not a square",
    "8/8/8/8/8/8/8/4K2k w - - x 1": "ends in two numbers.* 'x'",
    "8/8/8/8/8/8/8/4K2k w - - 0 -1": "ends in two numbers.* '-1'",
    "8/8/8/8/8/8/8/4K2k w - - 99999999999999999999 1": "ends in two numbers",
    "8/8/8/8/8/8/8/4K2k w - - ² 1": "ends in two numbers",
    "8/8/8/8/8/8/8/7k w - -": "White must have one king, not 0",
    "4kk2/8/8/8/8/8/8/4K3 w - -": "Black must have one king, not 2",
    "4k3/8/8/8/8/8/8/P3K3 w - -": "pawns cannot stand",
    "4k3/8/8/8/8/8/8/4K2r b - -": "White is in check although Black is to move",
    "4k3/8/8/8/8/8/8/4Kk2 w - -": "Black must have one king",
    "8/8/8/8/8/8/8/4Kk2 w - -": "Black is in check although White is to move",
    "4k3/8/8/8/8/8/8/4K3 w K -": "castling right K needs White's king on e1 and a rook on h1",
    "4k3/8/8/8/8/8/8/R2K4 w Q -": "castling right Q needs White's king on e1 and a rook on a1",
    "4k2R/8/8/8/8/8/8/4K3 b k -": "castling right k needs Black's king on e8 and a rook on h8",
    "4k3/8/8/8/8/8/8/4K3 b q -": "castling right q needs Black's king on e8 and a rook on a8",
    "4k3/8/8/4p3/8/8/8/4K3 w - d6": "no pawn of Black can just have passed over d6",
    "4k3/8/4p3/4p3/8/8/8/4K3 w - e6": "no pawn of Black can just have passed over e6",
    "4k3/4n3/8/4p3/8/8/8/4K3 w - e6": "no pawn of Black can just have passed over e6",
    "4k3/8/8/4p3/8/8/8/4K3 b - e6": "no pawn of White can just have passed over e6",
    "4k3/8/8/4p3/8/8/8/4K3 w - e1": "no pawn of Black can just have passed over e1",
    "4k3/8/8/4p3/8/8/8/4K3 b - e8": "no pawn of White can just have passed over e8",
    "4k3/pppppppp/p7/8/8/8/8/4K3 w - -": "Black has too many men: 9 pawns",
    "4k3/8/8/8/8/8/PPPPPPPP/QQ2K3 w - -": "White has too many men: 8 pawns and 1 ",
    "4k3/8/8/8/QQQQ4/QQQQ4/QQ6/4K3 w - -": "White has too many men: 0 pawns and 9 ",
}


@pytest.mark.parametrize("fen", BAD_FENS)
def test_a_bad_fen_is_refused_in_one_sentence(fen):
    with pytest.raises(ValueError, match=BAD_FENS[fen]) as refusal:
        position_of(fen)
    assert "\n" not in str(refusal.value) and len(str(refusal.value)) < 200


@pytest.mark.parametrize("text", ["", "e2", "e2e9", "i1a1", "e2-e4", "Nf3", "O-O", "e7e8k", "e7e8qq", "e2e4\ne7e5"])
def test_text_that_is_no_move_is_refused_in_one_sentence(text):
    with pytest.raises(ValueError, match="is not a move: write the squares it leaves and goes to, as e2e4 or e7e8q"):
        parse_move(text)


def test_the_package_itself_imports_neither_oracle():
    """`chess` has a licence that the package could not keep its own with."""
    for path in Path(fogspiel.__file__).parent.rglob("*.py"):
        assert not re.search(r"^ *(import|from) (chess|kriegspiel)\b", path.read_text(), re.MULTILINE), path.name
