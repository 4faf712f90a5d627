"""The opening table counts every game once for each side and length, by the own moves alone."""

import importlib.util
from pathlib import Path

from fogspiel.games.chess.fen import parse_move

FILE = Path(__file__).parents[2] / "benchmarks" / "kriegspiel_openings.py"


def openings():
    spec = importlib.util.spec_from_file_location("kriegspiel_openings", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_table_counts_accepted_moves_and_scores_of_each_side():
    record = [parse_move(move) for move in ("e2e4", "d7d5", "e4e5", "f7f6", "b1c3", "c7c6")]
    games = [{"white": 0, "result": 2, "record": record}, {"white": 1, "result": 2, "record": record}]
    found = {(one["side"], *one["moves"]): one for one in openings().table(games, 2)}
    assert set(found) == {
        ("white", "e4"), ("white", "e4", "e5"), ("white", "e4", "e5", "Nc3"),
        ("black", "d5"), ("black", "d5", "f6"), ("black", "d5", "f6", "c6"),
    }  # fmt: skip
    assert all(one["games"] == 2 and one["score"] == 0.5 for one in found.values())
    low, high = found["white", "e4"]["interval"]
    assert 0 <= low < 0.5 < high <= 1
    (won,) = [one for one in openings().table(games[:1], 1) if one["moves"] == ["e4"]]
    assert won["score"] == 1.0 and openings().table(games, 3) == []
