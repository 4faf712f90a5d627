"""Fit of the constants that Ciancarini and Favini (2010) do not print: games of a printed program against the minimax.

    fogspiel tune --function benchmarks/kriegspiel_printed_constants.py:play_c_exposure --single \
        --parameters benchmarks/kriegspiel_printed_constants.toml --games 6000 --seed 1

One function per program; a game with an even seed is played with White. The limits of the parameters follow the
paper's words where it has some: a retaliation is "very likely".
"""

from fogspiel.core.rng import stream_of
from fogspiel.kriegspiel.engine import SearchLimit, find_engine, tunable_engines
from fogspiel.kriegspiel.referee import Referee, play_game

NODES, B_NODES, OPPONENT_NODES, LONGEST = 1000, 100, 1000, 300


def play(engine, nodes, constants, seed):
    """Play one game with these constants; return the score against the minimax program."""
    known = tunable_engines()[engine]
    chosen = known.constants.from_json(known.constants.to_json() | constants)
    player = known.make(SearchLimit(nodes=nodes), stream_of(seed, 0), parameters=chosen)
    opponent = find_engine("minimax")(SearchLimit(nodes=OPPONENT_NODES), stream_of(seed, 1))
    black = seed % 2
    score = play_game((opponent, player) if black else (player, opponent), Referee(), LONGEST).payoff_index / 2
    return 1 - score if black else score


def play_c(a, seed):
    return play("C:paper", NODES, a, seed)


def play_c_exposure(a, seed):
    return play("C:exposure", NODES, a, seed)


def play_b(a, seed):
    return play("B3:paper", B_NODES, a, seed)


def play_b_exposure(a, seed):
    return play("B3:exposure", B_NODES, a, seed)
