"""The referee of chess against another implementation of the rules: legal moves, notation, how games end."""

import random

import chess
import pytest

from fogspiel.games.chess.fen import START, move_name, parse_move
from fogspiel.games.chess.game import CHECKMATE, FIFTY, MATERIAL, REPETITION, STALEMATE, ChessGame, numbered_moves


def ending_of(board):
    """How the other implementation says that a game has ended."""
    if board.is_checkmate():
        return CHECKMATE
    if board.is_stalemate():
        return STALEMATE
    if board.is_insufficient_material():
        return MATERIAL
    if board.halfmove_clock >= 100:
        return FIFTY
    return REPETITION if board.is_repetition(3) else None


def compare(rng, fen=START):
    """Play a random game on both boards; how it ended, and its length."""
    game, board, names = ChessGame(fen), chess.Board(fen), []
    lazy = rng.random() < 0.5  # a game in which pieces move more often than pawns sees more repetitions
    while game.ending is None:
        assert {move_name(move) for move in game.legal} == {move.uci() for move in board.legal_moves}
        assert ending_of(board) is None
        moves = sorted(game.legal)
        if lazy and rng.random() < 0.8:
            quiet = [m for m in moves if not board.is_zeroing(chess.Move.from_uci(move_name(m)))]
            moves = quiet or moves
        back = [m for m in moves if len(game.moves) > 1 and m & 63 == game.moves[-2] >> 6 & 63]
        move = rng.choice(back if back and lazy and rng.random() < 0.5 else moves)
        made = chess.Move.from_uci(move_name(move))
        names.append(board.san(made))
        board.push(made)
        game.make(move)
    assert ending_of(board) == game.ending
    result = {"1-0": 1.0, "0-1": 0.0}.get(board.result(claim_draw=False), 0.5)
    assert game.score == result
    assert [word for word in numbered_moves(fen, game.moves) if not word[0].isdigit()] == names
    return game.ending, len(names)


@pytest.mark.thorough
def test_random_games_are_what_another_implementation_makes_of_them():
    rng = random.Random(1)
    assert {compare(rng)[0] for _ in range(25)} == {CHECKMATE, STALEMATE, MATERIAL, FIFTY, REPETITION}


@pytest.mark.slow
def test_hundreds_of_random_games_end_as_another_implementation_says():
    rng = random.Random(2)
    assert sum(compare(rng)[1] for _ in range(300)) > 30_000


ENDGAMES = ["8/8/8/4k3/8/8/4P3/4K3 w - - 0 1", "k7/8/1K6/8/8/8/8/7Q b - - 0 1", "8/2k5/8/8/3pP3/8/8/K7 b - e3 0 1"]


@pytest.mark.parametrize("fen", ENDGAMES)
def test_games_from_a_position_agree_too(fen):
    rng = random.Random(3)
    assert all(compare(rng, fen)[1] > 0 for _ in range(20))


def test_the_numbers_of_moves_go_on_from_the_position():
    game = ChessGame("4k3/8/8/8/8/8/4P3/4K3 b - - 0 31")
    for move in ("e8e7", "e2e4", "e7e6"):
        game.make(parse_move(move))
    assert numbered_moves(game.fen, game.moves) == ["31...", "Ke7", "32.", "e4", "Ke6"]
    assert game.uci_position == "position fen 4k3/8/8/8/8/8/4P3/4K3 b - - 0 31 moves e8e7 e2e4 e7e6"


def test_an_illegal_move_is_refused():
    with pytest.raises(ValueError, match="e2e5 is not a legal move in rnbqkbnr"):
        ChessGame().make(parse_move("e2e5"))
