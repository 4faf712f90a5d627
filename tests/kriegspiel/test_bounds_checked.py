"""Kernels of engines stay inside their arrays, which compiled code does not check by itself."""

import os
import subprocess
import sys

import pytest

GAMES, PLIES = 24, 250
PLAY = f"""
import sys
from fogspiel.core.rng import stream_of
from fogspiel.kriegspiel.engine import SearchLimit, find_engine
from fogspiel.kriegspiel.referee import Referee, play_game

for number in range({GAMES}):
    one = find_engine(sys.argv[1])(SearchLimit(nodes=200), stream_of(9, number, 0))
    other = find_engine("greedy")(SearchLimit(nodes=1), stream_of(9, number, 1))
    play_game((one, other) if number % 2 else (other, one), Referee(), {PLIES})
"""


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["A", "B1", "B10", "C", "fog", "hs", "los", "minimax"])
def test_engines_stay_inside_their_arrays(tmp_path, engine):
    checked = os.environ | {"NUMBA_BOUNDSCHECK": "1", "FOGSPIEL_CACHE": str(tmp_path)}
    played = subprocess.run([sys.executable, "-c", PLAY, engine], env=checked, capture_output=True, text=True)
    assert played.returncode == 0, played.stderr[-2000:]
