"""Small dark hex for the double oracle over pure strategies and the checker of its certificates."""

from fogspiel.games.boards.board import BOARDS, Board, half_turn, hex_fate
from fogspiel.solving.methods.pure_oracle import SOLVABLE
from fogspiel.solving.proofs.checkers.primitives import hex_board
from fogspiel.solving.proofs.checkers.pure_strategies import GAMES


def make_hex(monkeypatch, name, variant):
    """Make a small game, such as hex-2x3, known to the solver and to the checker; its name."""
    rows, columns = int(name[-3]), int(name[-1])
    game = f"{name}-{variant}"
    monkeypatch.setitem(BOARDS, name, Board(name, rows, columns, hex_fate(rows, columns), half_turn(rows, columns)))
    monkeypatch.setitem(SOLVABLE, game, (name, variant))
    monkeypatch.setitem(GAMES, game, (lambda: hex_board(rows, columns), variant))
    return game
