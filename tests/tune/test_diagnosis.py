"""Diagnosis: exploiters never beat what is proved, come close to it, and histories tell circles from progress."""

import numpy as np
import pytest

from fogspiel.core.agents import best_response_scores, find_policy, fixed_baseline, mixture_policy, vector_policy
from fogspiel.core.game import known_game
from fogspiel.games.guess_who import exact as guesswho
from fogspiel.games.pig import exact as pig
from fogspiel.runs.kinds.diagnose import checkpoints, diagnose
from fogspiel.runs.requests import DiagnoseRequest
from fogspiel.runs.requests import TuneRequest as Tuning
from fogspiel.runs.store import Store
from fogspiel.runs.tuning_run import recommendations_of
from fogspiel.stats.evaluate import evaluate, report_key
from fogspiel.tuning.best_response import find_exploiter

SMALL = DiagnoseRequest(("batawaf-1",), games=5_000, report_games=2_000, pair_games=400)


def five_at_random(game):
    return mixture_policy(game, np.vstack([fixed_baseline(game, seed).thetas for seed in range(5)]), [1] * 5)


@pytest.mark.parametrize("name", ["morra", "permutation-ttt"])
@pytest.mark.parametrize("frozen", [lambda game: fixed_baseline(game, 1), five_at_random], ids=["vector", "mixture"])
def test_an_exploiter_comes_close_to_the_exact_best_reply_and_never_beyond_its_interval(name, frozen):
    game = known_game(name)
    player = frozen(game)
    found, games = find_exploiter(game, player, 60_000, seed=3)
    score = evaluate(game, found, player, report_key(3), 20_000)
    exact = best_response_scores(game, player)[0].score
    assert games < 63_000
    assert score.interval[0] <= exact + 1e-12
    assert score.mean - 0.5 >= 0.7 * (exact - 0.5)


@pytest.mark.slow
def test_the_exploiter_of_ascending_batawaf_does_not_fall_short_of_descending():
    game = known_game("batawaf")
    found, _ = find_exploiter(game, find_policy(game, "ascending"), 20_000, seed=3)
    score = evaluate(game, found, find_policy(game, "ascending"), report_key(3), 20_000)
    assert score.interval[1] >= 0.578  # what descending scores, by the paper's section V-A; a fifth of that is drawn


def test_the_same_seed_gives_the_same_exploiter():
    game = known_game("morra")
    found = [find_exploiter(game, fixed_baseline(game, 1), 5_000, seed=1, threads=threads) for threads in (1, 2)]
    thetas = [exploiter.policy.thetas for exploiter in found]
    assert np.array_equal(*thetas)


def test_best_replies_are_at_least_what_anybody_known_scores():
    game = known_game("pig")
    anybody, threshold = best_response_scores(game, vector_policy(game, [0.0]))
    assert anybody.exact and not threshold.exact
    assert anybody.score > pig.rate(find_policy(game, "optimal"), find_policy(game, "hold20")) > threshold.score
    assert threshold.score == pytest.approx(max(pig.threshold_matrix()[2:, 20]))
    game = known_game("guesswho24")
    for name in ("OL", "dichotomy"):
        assert best_response_scores(game, find_policy(game, name))[0].score >= guesswho.rate(
            find_policy(game, "God"), find_policy(game, name), 24
        )
    game = known_game("nim")
    assert best_response_scores(game, find_policy(game, "exact"))[0].score == 0.5


def test_replies_to_mixtures_are_limits_where_the_member_would_have_to_be_guessed():
    game = known_game("pig")
    both = mixture_policy(game, np.array([[0.0], [2.5]]), [0.5, 0.5])
    told, threshold = best_response_scores(game, both)
    assert not told.exact and told.score > threshold.score
    assert best_response_scores(known_game("batawaf"), find_policy(known_game("batawaf"), "descending")) == []


def run_with(path, game, bodies):
    ask = Tuning(game, games=1000).to_json()
    with Store.open(path, write=True) as store, store.create(ask) as run:
        for body in bodies:
            run.append("step", {"accepted": True, "games": 1, "population": 1, "sigma": 1.0, "events": [], **body})
        name = run.name
    with Store.open(path, write=False) as store:
        return store.read(name)


def thrower(fingers, expects):
    theta = np.full((6, 11), -60.0)
    theta[fingers, fingers + expects] = 60.0
    return {"theta": theta.reshape(-1).tolist()}


@pytest.mark.thorough
def test_a_history_in_circles_is_called_so_and_a_mixture_is_diagnosed(tmp_path):
    # Showing f and expecting h beats whoever shows h and does not expect f: a circle of four, or of three.
    run = run_with(tmp_path / "a.db", "morra", [thrower(0, 1), thrower(1, 2), thrower(2, 0), thrower(0, 1)])
    found = diagnose([run], SMALL)[0]
    assert found.history.circle and "it goes in circles" in found.conclusion
    assert found.forgotten and found.best[0].score == 1.0
    assert found.score.interval[0] <= 1.0 and found.gain > 0.4

    members = [thrower(f, f)["theta"] for f in range(6)]
    bodies = [{"newcomers": members[:1], "weights": [1.0]}, {"newcomers": members[1:], "weights": [1 / 6] * 6}]
    found = diagnose([run_with(tmp_path / "b.db", "morra", bodies)], SMALL)[0]
    assert found.members == 6 and found.best[0].score == pytest.approx(0.5)
    assert found.score.interval[0] <= 0.5 and "no exploiter was found (exactly 0.0000)" in found.conclusion


def test_checkpoints_are_thinned_to_twelve_from_the_start_to_the_answer(tmp_path):
    run = run_with(tmp_path / "a.db", "pig", [{"theta": [float(i)]} for i in range(40)])
    players = checkpoints(known_game("pig"), run)
    assert len(players) == 12 and players[0].name == "the start"
    assert players[-1].theta == (39.0,) and len(list(recommendations_of(run))) == 41


def test_steady_progress_shows_no_sign_of_cycling(tmp_path):
    better = [{"theta": [x]} for x in (-8.0, -5.0, 0.0)]
    found = diagnose([run_with(tmp_path / "a.db", "pig", better)], SMALL)[0]
    assert found.forgotten == [] and found.conclusion.endswith("no sign of cycling.")


@pytest.mark.thorough
def test_runs_are_diagnosed_printed_and_written(answer, fogspiel, refused, tmp_path):
    answer("tune", "morra", "--race", "count-mixture", "--games", 5000, "--report-games", 200)
    words = ("diagnose", "morra-1", "--games", 5000, "--report-games", 1000, "--pair-games", 200)
    words += ("--output", tmp_path / "report", "--threads", 1)
    found = answer(*words)["runs"][0]
    assert found["run"] == "morra-1" and found["best_replies"][0]["exact"]
    assert found["exploiter"]["interval"][0] <= found["best_replies"][0]["score"] + 1e-12
    assert found["exploiter"]["lower_bound"] == pytest.approx(found["exploiter"]["interval"][0] - 0.5)
    assert (tmp_path / "report" / "diagnosis.html").exists()
    assert "Exploiters" in fogspiel(*words).stdout
    refused("diagnose", "morra-1", "--games", 10, because="at least 5000")
    refused("diagnose", "morra-7", because="morra-7")
    answer("round-robin", "morra", "uniform", "fixed", "--games", 20, "--processes", 1, "--output", tmp_path / "t")
    refused("diagnose", "morra-2", because="diagnose takes runs of `fogspiel tune`")
