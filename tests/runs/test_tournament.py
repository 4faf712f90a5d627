"""Tournaments: the same bytes however they are played, games recalled, and reports that claim what was proved."""

import csv
import json

import numpy as np
import pytest

from fogspiel.runs.kind import Context, execute, find_or_create_run
from fogspiel.runs.kinds import round_robin as played
from fogspiel.runs.requests import RoundRobinRequest
from fogspiel.runs.standings import Standings, sentences
from fogspiel.runs.store import Store
from fogspiel.stats.round_robin import counts_of

BATAWAF = ("descending", "ascending", "uniform")


def asked(path, words=BATAWAF, games=400, game="batawaf"):
    return RoundRobinRequest(game, tuple(words), games).resolved(path)


def outcome(path, request, processes=1, watch=lambda progress: None):
    with Store.open(path, write=True) as store:
        run = find_or_create_run(store, request.to_json())
        execute(run, Context(path, processes, on_progress=watch))
        return run.name, played.KIND.standings_json(run), [(row.kind, row.body) for row in run.rows]


@pytest.mark.slow
def test_two_processes_give_the_same_bytes_as_one(tmp_path):
    one = outcome(tmp_path / "one.db", asked(tmp_path / "one.db"))
    assert one == outcome(tmp_path / "two.db", asked(tmp_path / "two.db"), processes=2)


@pytest.mark.parametrize("moment", (1, 2))
def test_an_interrupted_tournament_goes_on_to_the_same_bytes(tmp_path, moment):
    def stop(progress):
        if progress.share == moment / 3:
            raise KeyboardInterrupt

    path = tmp_path / "cut.db"
    with pytest.raises(KeyboardInterrupt):
        outcome(path, asked(path), watch=stop)
    assert outcome(path, asked(path)) == outcome(tmp_path / "whole.db", asked(tmp_path / "whole.db"))


def test_one_player_more_recalls_what_the_others_have_played(tmp_path, monkeypatch):
    path = tmp_path / "runs.db"
    outcome(path, asked(path))
    games, evaluate = [], played.evaluate
    monkeypatch.setattr(played, "evaluate", lambda *given: games.append(given) or evaluate(*given))
    name, found, _ = outcome(path, asked(path, (*BATAWAF, "redrawn")))
    assert name == "batawaf-2" and len(games) == 3 and len(found["players"]) == 4
    outcome(path, asked(path))
    assert len(games) == 3


def test_vectors_mixtures_and_runs_are_kept_as_numbers(tmp_path):
    file = tmp_path / "mixture.json"
    file.write_text(json.dumps({"game": "morra", "thetas": [[0.0] * 66, [1.0] * 66], "weights": [0.25, 0.75]}))
    request = asked(tmp_path / "runs.db", (str(file), "uniform", "fixed"), 200, "morra")
    file.unlink()
    mixture, uniform, fixed = request.players
    assert mixture.numbers["weights"] == [0.25, 0.75] and len(fixed.numbers["theta"]) == 66
    assert uniform.spec == "uniform" and uniform.numbers == {}
    _, found, _ = outcome(tmp_path / "runs.db", request)
    assert len(found["scores"]) == 3


def test_a_circle_is_proved_and_elo_refused_with_its_reason():
    beaten, luck = [0, 0, 0, 0, 500], [100, 100, 100, 100, 100]
    circle = Standings("abc", counts_of(3, {(0, 1): beaten, (1, 2): beaten, (0, 2): beaten[::-1]}), 1)
    assert circle.circle == ["a", "b", "c"] and circle.best == [] and circle.elo is None
    assert circle.nash.weights == pytest.approx([1 / 3] * 3)
    assert any("No Elo is given: the cyclic share is 100.0%" in words for words in sentences(circle))
    even = Standings("abc", counts_of(3, {(0, 1): luck, (1, 2): luck, (0, 2): luck}), 1)
    assert even.best == ["a", "b", "c"] and not even.beats.any() and even.circle == []


def test_intervals_hold_together_and_mirror_each_other():
    counts = counts_of(3, {(0, 1): [10, 0, 20, 0, 70], (0, 2): [5, 5, 5, 5, 80], (1, 2): [30, 10, 10, 10, 40]})
    found = Standings("abc", counts, 1)
    assert np.allclose(found.limits[..., 0] + found.limits.transpose(1, 0, 2)[..., 1], 1)
    assert (found.limits[..., 0] <= found.scores).all() and (found.scores <= found.limits[..., 1]).all()
    alone = Standings("ab", counts_of(2, {(0, 1): [10, 0, 20, 0, 70]}), 1)
    assert found.limits[0, 1, 0] < alone.limits[0, 1, 0]
    assert alone.elo is not None and alone.elo_bars[0][0] < alone.elo[0] < alone.elo_bars[1][0]


def test_a_tournament_is_played_printed_and_written(answer, fogspiel, tmp_path):
    words = ("round-robin", "batawaf", *BATAWAF, "--games", 1000, "--processes", 1, "--output", tmp_path / "report")
    found = answer(*words)
    assert found["best"] == ["descending"] and found["ranking"][0] == "descending"
    low, high = found["intervals"][0][2]
    assert low < 0.6888 < high  # descending against random order, from the paper's section V-A
    assert found["claims"][0][2] < 0.05 and found["pairs"] == 3 and found["run"] == "batawaf-1"
    with (tmp_path / "report" / "tournament-batawaf-pairs.csv").open() as file:
        assert [row["proved"] for row in csv.DictReader(file)][1] == "descending beats uniform"
    shown = fogspiel(*words)
    assert shown.returncode == 0 and "found finished in the store" in shown.stderr
    assert "Best, as Table III" in shown.stdout and "Nash average" in shown.stdout
    assert "batawaf-1" in fogspiel("runs").stdout


def test_bad_tournaments_are_refused_before_anything_is_written(refused, tmp_path):
    refused("round-robin", "batawaf", "descending", because="2 to 100 players")
    refused("round-robin", "batawaf", "descending", "descending", because="must be different")
    refused("round-robin", "batawaf", "descending", "nobody", because="not a player of batawaf")
    refused("round-robin", "batawaf", "descending", "uniform", "--games", 0, because="--games is 0")
    assert not (tmp_path / "runs.db").exists()
