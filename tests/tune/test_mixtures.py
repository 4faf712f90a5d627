"""A mixture is a strategy like any other: it is found, stored, resumed, reported, played, explained and exported."""

import json
import sys
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from fogspiel.core.agents import (
    MIXED,
    decode_policy_or_none,
    encode_policy,
    find_policy,
    fixed_baseline,
    mixture_policy,
    policies_in_turn,
    redrawn_baseline,
)
from fogspiel.core.game import known_game
from fogspiel.core.rng import stream_of
from fogspiel.core.simulate import PolicyMatch
from fogspiel.games import morra as morra
from fogspiel.runs.agent_parser import parse_agent
from fogspiel.runs.kind import Context, execute
from fogspiel.runs.requests import MatchRequest, RoundRobinRequest, TuneRequest
from fogspiel.runs.store import DeferredRun, Store, canonical
from fogspiel.runs.tuning_run import recommendation_of
from fogspiel.stats.evaluate import evaluate, report_key
from fogspiel.stats.race import Race
from fogspiel.tuning.arena import Step, freeze_mixture
from fogspiel.tuning.methods import tune_methods
from fogspiel.tuning.tune import tune_strategy
from fogspiel.web.session_store import freeze_opponent, thaw_opponent

MORRA, BATAWAF, ORDERS = (known_game(name) for name in ("morra", "batawaf", "permutation-ttt"))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A finished psro run of Morra: its store and its name."""
    path = tmp_path_factory.mktemp("mixtures") / "runs.db"
    with Store.open(path, write=True) as store, store.create(request().to_json()) as run:
        execute(run)
        return path, run.name


def request(**more):
    return TuneRequest(
        **({"game": "morra", "method": "psro", "race": "count-mixture", "baseline": "fixed", "games": 60_000} | more)
    )


def read(run):
    with Store.open(run[0], write=False) as store:
        return store.read(run[1])


@pytest.mark.thorough
def test_the_report_games_are_played_by_the_mixture_that_is_stored(run):
    result = read(run).result
    assert len(result["thetas"]) == len(result["weights"]) > 1 and sum(result["weights"]) == pytest.approx(1, abs=1e-12)
    assert result["theta"] == result["thetas"][int(np.argmax(result["weights"]))]
    player = mixture_policy(MORRA, np.array(result["thetas"]), result["weights"])
    baseline = parse_agent(MORRA, "fixed", run[0], 1)
    assert evaluate(MORRA, player, baseline, report_key(1), 20_000).to_json() == result["report"]


def test_the_steps_store_newcomers_and_weights_and_never_the_archive_anew(run):
    found = read(run)
    weighted = [step for step in found.steps if "weights" in step]
    assert all(step["population"] == len(step["weights"]) for step in weighted)
    assert sum(len(step["newcomers"]) for step in weighted) == weighted[-1]["population"]
    assert "thetas" not in "".join(canonical(step) for step in found.steps)


def test_an_unfinished_run_plays_what_it_has_so_far(run):
    rows = [*read(run).rows]
    so_far = SimpleNamespace(summary_rows=rows, result=None)
    final = recommendation_of(so_far)
    rows.pop()
    assert recommendation_of(so_far) == final
    while "weights" not in rows[-1].body or len(rows[-1].body["weights"]) > 2:
        rows.pop()
    early = recommendation_of(so_far)
    assert len(early.get("thetas", ())) <= 2
    del rows[1:]
    assert recommendation_of(so_far) is None


def test_a_run_and_its_export_play_the_same_mixture(run, tmp_path, answer, fogspiel):
    path, name = run
    player = parse_agent(MORRA, name, path, 1)
    assert player.selection == MIXED
    exported = answer("export", name, "--store", path)
    assert exported["thetas"] == read(run).result["thetas"]
    file = tmp_path / "player.json"
    file.write_text(json.dumps(exported))
    again = parse_agent(MORRA, str(file), path, 1)
    assert (again.thetas == player.thetas).all() and again.weights == player.weights
    assert answer("match", "morra", name, str(file), "--exact", "--store", path)["score"] == 0.5
    rate = answer("match", "morra", name, "uniform", "--exact", "--store", path)["score"]
    played = answer("match", "morra", name, "uniform", "--store", path, "--games", 20_000)
    assert played["interval"][0] <= rate <= played["interval"][1]
    assert len(fogspiel("export", name, "--format", "csv", "--store", path).stdout.splitlines()) > 2


def test_people_read_how_many_members_a_mixture_has(run, fogspiel):
    path, name = run
    many = len(read(run).result["thetas"])
    told = fogspiel("explain", name, "--store", path)
    assert told.returncode == 0 and f"draws one of {many} members" in told.stdout
    assert f"a mixture of {many} vectors" in fogspiel("resume", name, "--store", path).stdout


def test_the_laws_of_both_seats_are_coupled_into_whole_vectors():
    numbers = np.random.default_rng(3)
    thetas = numbers.normal(size=(5, 18))
    weights = np.array([[0.5, 0.5, 0, 0, 0], [0, 0, 0.2, 0.3, 0.5]])
    found = freeze_mixture(thetas, weights)
    rows, shares = np.array(found["thetas"]), np.array(found["weights"])
    for row, weight in zip(rows, shares, strict=True):
        assert row[:9].tolist() in thetas[:2, :9].tolist() and row[9:].tolist() in thetas[2:, 9:].tolist()
        assert weight > 0
    for seat, half in ((0, slice(0, 9)), (1, slice(9, 18))):
        for member in range(5):
            share = shares[(rows[:, half] == thetas[member, half]).all(axis=1)].sum()
            assert share == pytest.approx(weights[seat, member])


def test_one_member_alone_is_a_vector():
    step = Step(np.zeros(3), True, thetas=np.array([[1.0, 2, 3], [4, 5, 6]]), weights=np.array([0.0, 1.0]))
    assert step.recommendation == {"theta": [4.0, 5.0, 6.0]}


WRONG = {
    "few": ([[0.0] * 3] * 2, [1.0], "2 members but 1 weights"),
    "none": ([[0.0] * 3], None, "1 members but no weights"),
    "empty": ([], [], "no members"),
    "flat": ([0.0, 1.0], [0.5, 0.5], "no list of numbers"),
    "short": ([[0.0] * 3, [0.0] * 2], [0.5, 0.5], "takes 3 parameters"),
    "infinite": ([[0.0, 0.0, float("inf")]], [1.0], "must be finite"),
    "text": ([["a", 0.0, 0.0]], [1.0], "not a number"),
    "negative": ([[0.0] * 3] * 2, [1.5, -0.5], "a weight -0.5"),
    "nan": ([[0.0] * 3] * 2, [float("nan"), 1.0], "must be finite"),
    "true": ([[0.0] * 3], [True], "a weight True"),
    "sum": ([[0.0] * 3] * 2, [0.5, 0.500001], "add up to 1.000001"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_spoilt_mixture_file_is_refused_in_one_sentence(name, tmp_path):
    thetas, weights, part = WRONG[name]
    file = tmp_path / "player.json"
    file.write_text(json.dumps({"game": "batawaf", "thetas": thetas, "weights": weights}))
    with pytest.raises(ValueError) as refusal:
        parse_agent(BATAWAF, str(file), tmp_path / "runs.db", 1)
    assert part in str(refusal.value) and "\n" not in str(refusal.value)


def test_a_mixture_file_is_played_as_it_says(tmp_path):
    file = tmp_path / "player.json"
    file.write_text(json.dumps({"thetas": [[0, 0, 50], [50, 0, 0]], "weights": [0.25, 0.75]}))
    player = parse_agent(BATAWAF, str(file), tmp_path / "runs.db", 1)
    assert player.weights == (0.25, 0.75) and player.thetas.tolist() == [[0, 0, 50], [50, 0, 0]]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("method", "game", "games"),
    [
        ("psro", "morra", 15_000), ("psro", "permutation-ttt", 15_000), ("portfolio", "permutation-ttt", 15_000),
        ("auto", "morra", 56_000), ("auto", "permutation-ttt", 56_000),
    ],
)  # fmt: skip
def test_an_interrupted_mixture_resumes_to_the_same_bytes(method, game, games, tmp_path):
    class Interruption(Exception):
        pass

    asked = request(game=game, method=method, games=games, report_games=100)

    def rows(path, every):
        with Store.open(path, write=True) as store:
            name = store.create(asked.to_json()).name
        for _ in count():
            steps = count(1)

            def stop(progress, steps=steps):
                if every and "population" in progress.text and next(steps) == every:
                    raise Interruption

            with Store.open(path, write=True) as store, store.acquire(name) as run:
                try:
                    execute(run, Context(path, on_progress=stop))
                except Interruption:
                    continue
                return [(row.kind, canonical(row.body)) for row in run.rows]

    assert rows(tmp_path / "a.db", 9) == rows(tmp_path / "b.db", 0)


def test_a_run_of_another_version_of_the_method_is_refused_in_a_sentence(tmp_path):
    asked, rows = request(game="morra", method="auto", games=2000, report_games=100), []
    with Store.open(tmp_path / "a.db", write=True) as store:
        with store.create(asked.to_json()) as run:
            execute(run)
            rows += run.steps
        for event in ({"pairs": "44", "games": 4}, {"decision": 1, "counts": [], "games": 0}):
            with store.create(asked.to_json()) as run:
                run.append("step", {**rows[0], "events": [event]})
                with pytest.raises(ValueError, match=r"step 1 comes out differently, so it cannot be resumed"):
                    execute(run)


def test_tuned_answers_the_mixture_too():
    policy = tune_strategy("morra", "psro", 60_000, race=Race("count-mixture")).policy
    assert len(policy.thetas) == len(policy.weights) > 1


def test_the_exact_exploitability_of_a_mixture_is_that_of_its_mean_law():
    pure = np.zeros((6, 66))
    for fingers in range(6):
        pure[fingers, 11 * fingers + 2 * fingers] = 1000.0  # show f, call 2 f
    assert morra.exploitability(pure[0]) == pytest.approx(0.5)
    player = mixture_policy(MORRA, pure, [1 / 6] * 6)
    assert float(morra.exploitability_of(player)) == pytest.approx(0, abs=1e-9)


# The winner's curse


LUCKIEST = """
import numpy as np
from fogspiel.tuning.arena import Step

SEEN = {}

def luckiest(arena):
    players = np.tile(np.array([0.0, 0.0, 1.0]), (256, 1)) + 1e-9 * arena.gaussians(256)
    scores = arena.play_pairs(players, np.tile(arena.baseline.thetas, (256, 1)), 4).mean(axis=(1, 2)) / 2
    SEEN["claimed"], SEEN["mean"] = float(scores.max()), float(scores.mean())
    yield Step(players[int(scores.argmax())], True)
    while True:
        arena.play_pairs(players[:1], players[:1])

METHODS = {"luckiest": luckiest}
"""


def test_a_lucky_candidate_cannot_bring_its_luck_into_the_report(tmp_path, monkeypatch):
    """A method of a plug-in folder that picks who was luckiest in eight games of 256 equal players."""
    (tmp_path / "tune" / "methods").mkdir(parents=True)
    (tmp_path / "tune" / "methods" / "lucky.py").write_text(LUCKIEST)
    monkeypatch.setenv("FOGSPIEL_PLUGINS", str(tmp_path))
    assert list(tune_methods())[-1] == "luckiest"
    keys = []
    scores = PolicyMatch.scores
    monkeypatch.setattr(
        PolicyMatch, "scores", lambda self, key, *a, **k: keys.append(int(key)) or scores(self, key, *a, **k)
    )
    with Store.open(tmp_path / "a.db", write=True) as store:
        asked = TuneRequest("batawaf", "luckiest", games=2100, baseline="fixed", report_games=40_000, final=False)
        with store.create(asked.to_json()) as run:
            result = execute(run)
    seen = sys.modules["fogspiel.tuning.methods.lucky"].SEEN
    assert seen["claimed"] > seen["mean"] + 0.2
    assert abs(result["score"] - seen["mean"]) < 0.05
    report = report_key(1)
    assert report in keys and set(keys[: keys.index(report)]).isdisjoint({report})
    assert set(keys[keys.index(report) :]) == {report}


# Frozen players


def as_written(frozen):
    """What is frozen, as a store gives it back."""
    return json.loads(json.dumps(frozen))


def test_a_frozen_player_thaws_to_the_last_bit():
    dice = np.random.default_rng(3)
    for members in range(1, 20):
        player = mixture_policy(
            MORRA, dice.normal(size=(members, len(MORRA.strategy.parameters))), dice.random(members)
        )
        again = decode_policy_or_none(MORRA, as_written(encode_policy(MORRA, player)), player.name)
        assert (again.name, again.selection, again.weights) == (player.name, player.selection, player.weights)
        assert again.strategy is player.strategy and (again.thetas == player.thetas).all()
    alone = fixed_baseline(MORRA, 4)
    assert as_written(encode_policy(MORRA, alone)) == {"theta": list(alone.theta)}
    assert decode_policy_or_none(MORRA, as_written(encode_policy(MORRA, alone)), "fixed").theta == alone.theta
    for by_name in (find_policy(MORRA, "uniform"), redrawn_baseline(MORRA), policies_in_turn(MORRA, alone.thetas)):
        assert encode_policy(MORRA, by_name) == {} and decode_policy_or_none(MORRA, {}, by_name.name) is None


def mixture_file(path, thetas):
    path.write_text(json.dumps({"game": "morra", "thetas": thetas, "weights": [0.5, 0.5]}))
    return str(path)


def asked_match(words, store, games):
    return MatchRequest("morra", *words, 1, games).resolved(store).to_json()


def test_a_stored_match_keeps_a_mixture_whose_file_changes(tmp_path):
    one, other = ([list(fixed_baseline(MORRA, seed).theta) for seed in seeds] for seeds in ((1, 2), (3, 4)))
    words = mixture_file(tmp_path / "mixture.json", one)
    first, second = (parse_agent(MORRA, name, tmp_path, 1) for name in (words, "fixed"))
    ask = as_written(asked_match((words, "fixed"), tmp_path, 400))
    expected = evaluate(MORRA, first, second, report_key(1), 400)
    mixture_file(tmp_path / "mixture.json", other)
    assert evaluate(MORRA, parse_agent(MORRA, words, tmp_path, 1), second, report_key(1), 400) != expected
    context = Context(tmp_path)
    assert execute(DeferredRun(tmp_path, ask, print), context) == expected.to_json()
    half = evaluate(MORRA, first, second, report_key(1), 200).to_json()
    (tmp_path / "mixture.json").unlink()
    with Store.open(tmp_path / "half.db", write=True) as store, store.create(ask) as run:
        run.append("step", half)
        assert execute(run, context) == expected.to_json()


def test_the_request_of_a_match_of_vectors_has_a_vector_for_each_side():
    ask = asked_match(("fixed", "uniform"), Path(), 2)
    assert as_written(ask)["first_theta"] == list(fixed_baseline(MORRA, 1).theta) and ask["second_theta"] is None
    assert {key for key in ask if key.startswith(("first", "second"))} == {
        f"{side}{part}" for side in ("first", "second") for part in ("", "_theta")
    }


def test_matches_tournaments_and_games_at_a_table_freeze_in_one_way(tmp_path):
    words = mixture_file(tmp_path / "mixture.json", [list(fixed_baseline(MORRA, seed).theta) for seed in (1, 2)])
    for name in (words, "fixed", "redrawn"):
        player = parse_agent(MORRA, name, tmp_path, 1)
        kept = encode_policy(MORRA, player)
        robin = RoundRobinRequest("morra", (name, "uniform"), 2).resolved(tmp_path)
        assert robin.to_json()["players"][0] == {"name": name, **kept}
        if name != words:  # a page may not name a file
            assert freeze_opponent(MORRA, name, tmp_path, 1) == {"words": name, **kept}
        ask = asked_match((name, name), tmp_path, 2)
        assert {key: ask[f"first_{key}"] for key in kept} == kept


def test_a_game_at_a_table_that_keeps_a_vector_in_the_earlier_form_goes_on(tmp_path):
    """Even if the run that the vector came from is gone."""
    theta = list(fixed_baseline(MORRA, 2).theta)
    for kept in ({"thetas": [theta], "weights": []}, {"theta": theta}):
        player = thaw_opponent(MORRA, {"words": "morra-77", **kept}, tmp_path, 1).new_player(stream_of(1))
        assert player.policy.theta == tuple(theta)
