"""Measurement of a peer at chess or Kriegspiel: a job and its CPU seconds in, a line of JSON out.

This script imports nothing of fogspiel, so a peer may live in a separate environment (see `kriegspiel_speed.py`). The
jobs are `chess`, perft by python-chess; `kriegspiel`, random attempts before the referee of that package (wild 16);
`openspiel`, random attempts at OpenSpiel's game, from Python and inside its C++ loop.
"""

import json
import random
import sys
import time
from collections.abc import Callable


def rate(work: Callable[[int], int], seconds: float) -> float:
    """Return units of work per CPU second, the best of five repeats."""
    best, seed = 0.0, 0
    for _ in range(5):
        began, done = time.process_time(), 0
        while time.process_time() - began < seconds / 5:
            seed += 1
            done += work(seed)
        best = max(best, done / (time.process_time() - began))
    return best


def chess_perft(seconds: float) -> dict[str, float]:
    """Return python-chess's nodes per second; leaves are counted without being visited."""
    import chess

    def perft(board: chess.Board, depth: int) -> int:
        if depth == 1:
            return board.legal_moves.count()
        total = 0
        for move in board.legal_moves:
            board.push(move)
            total += perft(board, depth - 1)
            board.pop()
        return total

    return {"python-chess, perft": rate(lambda _: perft(chess.Board(), 3), seconds)}


def package_attempts(seconds: float) -> dict[str, float]:
    from kriegspiel.wild16 import Wild16Game

    def game(seed: int) -> int:
        rng, referee, attempts = random.Random(seed), Wild16Game(), 0
        while not referee.game_over and attempts < 500:
            referee.ask_for(rng.choice(referee.possible_to_ask))
            attempts += 1
        return attempts

    return {"kriegspiel, wild 16": rate(game, seconds)}


def openspiel_attempts(seconds: float) -> dict[str, float]:
    import pyspiel

    rules = pyspiel.load_game("kriegspiel")
    bots = [pyspiel.make_uniform_random_bot(player, 7 + player) for player in (0, 1)]

    def inside(seed: int) -> int:
        state = rules.new_initial_state()
        pyspiel.evaluate_bots(state, bots, seed)
        return len(state.history())

    def outside(seed: int) -> int:
        rng, state, attempts = random.Random(seed), rules.new_initial_state(), 0
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
            attempts += 1
        return attempts

    return {"OpenSpiel, C++ loop": rate(inside, seconds), "OpenSpiel, Python loop": rate(outside, seconds)}


JOBS = {"chess": chess_perft, "kriegspiel": package_attempts, "openspiel": openspiel_attempts}

if __name__ == "__main__":
    print(json.dumps(JOBS[sys.argv[1]](float(sys.argv[2]))))
