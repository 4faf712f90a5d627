"""The weights of `fog`: made by one command from stored games, the same bytes after an interruption."""

import json
import re

import numpy as np
import pytest
from support.commands import DOCUMENTED

from fogspiel.core.rng import stream_of
from fogspiel.kriegspiel.engine import SearchLimit, find_engine
from fogspiel.kriegspiel.match import code_of
from fogspiel.kriegspiel.parameters import SHAPES, SHIPPED, read_fog_weights, write_fog_weights
from fogspiel.kriegspiel.pgn import read_pgn
from fogspiel.kriegspiel.training.value_fit import fit_worths
from fogspiel.papers.fog_training import POPULATION, FogTraining, white_score
from fogspiel.runs.kinds import kriegspiel as bouts

TRAIN = ("kriegspiel", "train")
SMALL = ("--engines", "greedy,random@2n", "--nodes", 1, "--games", 60, "--seed", 3, "--processes", 1)


@pytest.mark.thorough
def test_weights_are_made_from_stored_games_that_are_recalled(answer, fogspiel, tmp_path):
    output = tmp_path / "fog.npz"
    found = answer(*TRAIN, *SMALL, "--output", output)
    assert found["games"] == 60 and found["runs"] == ["kriegspiel-1"] and found["seed"] == 3
    assert found["bytes"] == output.stat().st_size and found["decisions"] > 1000 and -4 < found["log_chance"] < 0
    row = next(line for line in DOCUMENTED.splitlines() if line.startswith("| `kriegspiel train`"))
    assert found.keys() <= set(re.findall(r"`(\w+)`", row))
    learned = read_fog_weights(output)
    assert all(np.isfinite(array).all() and array.shape == SHAPES[name] for name, array in learned._asdict().items())
    again = tmp_path / "again.npz"
    shown = fogspiel(*TRAIN, *SMALL, "--output", again)
    assert "found finished in the store" in shown.stderr and "60 games" in shown.stdout
    assert again.read_bytes() == output.read_bytes()
    assert code_of(f"fog:{output}") != code_of("fog") == code_of("stray-fog")
    find_engine(f"fog:{output}")(SearchLimit(nodes=1), stream_of(1))


def test_an_interrupted_training_says_how_to_go_on_and_ends_with_the_same_bytes(fogspiel, tmp_path, monkeypatch):
    seen, elo_of_pairs = [], bouts.elo_of_pairs

    def interrupt(rows):
        seen.append(rows)
        if len(seen) == 7:
            raise KeyboardInterrupt
        return elo_of_pairs(rows)

    files = [tmp_path / name for name in ("whole.npz", "cut.npz")]
    assert fogspiel(*TRAIN, *SMALL, "--output", files[0], "--store", tmp_path / "other.db").returncode == 0
    monkeypatch.setattr(bouts, "elo_of_pairs", interrupt)
    stopped = fogspiel(*TRAIN, *SMALL, "--output", files[1], "--json")
    body = json.loads(stopped.stdout)
    assert stopped.returncode == 130 and body["state"] == "interrupted" and not files[1].exists()
    assert body["resume"].startswith("fogspiel kriegspiel train --engines greedy,random@2n ")
    monkeypatch.setattr(bouts, "elo_of_pairs", elo_of_pairs)
    assert fogspiel(*TRAIN, *SMALL, "--output", files[1]).returncode == 0
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_training_that_cannot_be_given_is_one_sentence_and_writes_nothing(refused, tmp_path):
    refused(*TRAIN, "--games", 0, because="--games is 0")
    refused(*TRAIN, "--output", "fog.txt", because="ends with .npz")
    refused(*TRAIN, "--output", tmp_path / "nowhere" / "fog.npz", because="there is no folder")
    refused(*TRAIN, "--engines", "C,,minimax", because="no Kriegspiel engine ''")
    refused(*TRAIN, "--engines", "C,C", because="is there 2 times")
    refused(*TRAIN, "--time", 1, "--nodes", 1, because="exclude each other")
    assert not (tmp_path / "runs.db").exists()


def test_games_that_tell_too_little_are_refused_in_a_sentence(fogspiel, tmp_path):
    words = ("--engines", "random", "--nodes", 1, "--games", 2, "--processes", 1, "--output", tmp_path / "fog.npz")
    result = fogspiel(*TRAIN, *words)
    assert result.returncode == 2 and "more" in result.stderr and not (tmp_path / "fog.npz").exists()
    record = read_pgn("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 5. d3 d6 6. O-O O-O 1-0")[0].record
    with pytest.raises(ValueError, match="do not tell what a pawn is worth with fewer than 33 men"):
        fit_worths([(record, 1.0)])
    with pytest.raises(ValueError, match="no quiet position with fewer than 33 men"):
        fit_worths([(record[:4], 1.0)])


def test_the_usual_training_is_the_recipe_of_the_shipped_weights(tmp_path):
    match = FogTraining(POPULATION, SearchLimit(nodes=1), 900, tmp_path / "fog.npz").round_robin()
    assert match.seed == 11 and match.games == 60 and len(match.meetings) == 15
    assert match.names[2:4] == ["minimax (1,000 nodes)", "stray-C (3,000 nodes)"]
    assert SHIPPED.stat().st_size < 1_000_000
    path = tmp_path / "copy.npz"
    write_fog_weights(read_fog_weights(), path)
    assert path.read_bytes() == SHIPPED.read_bytes()


def test_the_score_of_white_is_that_of_whoever_had_white():
    assert [white_score(result, white) for result, white in ((2, 0), (2, 1), (0, 1), (1, 1))] == [1.0, 0.0, 1.0, 0.5]
