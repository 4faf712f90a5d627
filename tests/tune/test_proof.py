"""The test at the end of a program's tuning, and the records of engine testing."""

import re

import numpy as np
import pytest
from bounded import tuned
from proofs import misses, pair_law, simulate

from fogspiel.core.agents import find_policy
from fogspiel.core.game import known_game
from fogspiel.runs.kind import Context, execute, kind_of
from fogspiel.runs.kinds.match import play_match
from fogspiel.runs.requests import MatchRequest, ProgramMatchRequest, ProgramRequest
from fogspiel.runs.store import Store
from fogspiel.stats.evaluate import elo_of, evaluate, report_key
from fogspiel.stats.race import GainTest, decision, interval
from fogspiel.stats.sprt import Gsprt
from fogspiel.tuning.arena import FINAL, Arena, Budget
from fogspiel.tuning.programs.contest import FunctionBackend, ProgramContest, Scale
from fogspiel.tuning.programs.parameters import Parameters
from fogspiel.tuning.tune import validate

# Counts of pairs, the two hypotheses in normalised Elo, and the ratio that the public server printed for them.
PUBLISHED = [
    ((46, 936, 2083, 1043, 63), (0, 5), 2.91),  # Yoshie2000/PlentyChess, pull requests 95, 213, 233 and 334
    ((44, 241, 590, 413, 71), (0, 3), 2.91),
    ((59, 1365, 2872, 1515, 89), (0, 3), 2.91),
    ((5, 942, 2469, 1050, 5), (-3, 1), 2.90),
    ((214, 8992, 19871, 9102, 235), (0, 2.5), 0.16),
    ((374, 7478, 16137, 7776, 389), (0, 3), 2.91),  # Quanticade/Quanticade, pull request 158
    ((320, 12431, 27275, 12858, 316), (0, 2), 2.95),  # official-stockfish/Stockfish, pull requests 6018 and 6285
    ((197, 45541, 117722, 46579, 228), (0.5, 2.5), 2.96),
    ((289, 26459, 62934, 26379, 331), (-1.75, 0.25), 2.94),
]


@pytest.mark.parametrize(("counts", "elos", "printed"), PUBLISHED)
def test_published_records_have_their_printed_ratio(counts, elos, printed):
    assert Gsprt(*elos, normalised=True).ratio(counts) == pytest.approx(printed, abs=0.0051)


def test_match_judges_a_record_without_games(answer, refused):
    found = answer("match", "--sprt", "0", "3", "--counts", "59", "1365", "2872", "1515", "89")
    assert found["llr"] == pytest.approx(2.91, abs=0.005) and found["decision"] == 0
    record = ("--counts", "1", "2", "3", "4", "5")
    assert "--sprt ELO0 ELO1: give both" in refused("match", *record).stderr
    assert "elo1 must be the larger" in refused("match", "--sprt", "3", "0", *record).stderr
    assert "Missing argument 'game'" in refused("match", "--sprt", "0", "3").stderr


def higher(a, b, seed):
    return (1 + (a["x"] > b["x"]) - (a["x"] < b["x"])) / 2


def test_the_progress_line_and_the_page_have_the_same_bar_of_a_test(tmp_path, monkeypatch):
    """The bar counts all pairs, those after the decision too, and is that of the proof in the end."""
    space, scale = Parameters.of({"x": {"start": 0, "low": 0, "high": 10}}), Scale()
    program = ProgramContest("hill", space, FunctionBackend(higher, scale), scale)
    told, drawn = [], []
    monkeypatch.setattr("fogspiel.runs.kind.KEEP_SECONDS", -1.0)

    def watch(progress):
        told.extend(re.findall(r"(?:log capital|LLR) [^,]*", progress.text))
        drawn.append((kind_of(run).panels_json(run)["decision"] or {}).get("text"))

    with Store.open(tmp_path / "runs.db", write=True) as store:
        asked = {"sort": "function", "digest": "0", "parameters": tuple(space.to_json()), "games": 160}
        run = store.create(ProgramRequest(**asked, search="duel").to_json())
        execute(run, Context(tmp_path / "runs.db", prepared=program, on_progress=watch))
        proof, bars = run.result["proof"], [float(one.split()[2]) for one in told]
        assert bars == sorted(bars) and bars[-1] > proof["goal"] > bars[0] and proof["capital"] >= bars[-1] - 0.01
        sides = {"names": ("new", "old"), "first": {"x": 6.0}, "second": {"x": 5.0}, "sprt": (0.0, 30.0, 0.05, 0.05)}
        run = store.create(ProgramMatchRequest(**asked, **sides).to_json())
        execute(run, Context(tmp_path / "runs.db", prepared=program, on_progress=watch))
        low, high = run.result["sprt"]["bounds"]
        assert told[-1] == f"LLR {run.result['sprt']['llr']:.2f} between {low:.2f} and {high:.2f}"
    assert told == [text for text in drawn if text is not None]


def test_a_match_stops_at_the_verdict_of_its_test(answer):
    words = ("match", "batawaf", "ascending", "descending", "--games", "5000", "--sprt", "0", "10")
    found = answer(*words)
    assert found["games"] == 500 and found["sprt"]["decision"] == -1 and sum(found["sprt"]["pairs"]) == 250
    assert found == answer(*words, "--threads", "1")


@pytest.mark.parametrize(("rule", "width"), [(("--until", "0.04"), 0.08), (("--until-elo", "30"), None)])
def test_a_match_stops_as_soon_as_its_interval_is_narrow_enough(answer, rule, width):
    words = ("match", "batawaf", "ascending", "descending", *rule)
    found = answer(*words)
    low, high = found["interval"]
    assert high - low <= width if width else elo_of(high) - elo_of(low) <= 60
    before = answer("match", "batawaf", "ascending", "descending", "--games", str(found["games"] * 15 // 16 - 2))
    low, high = before["interval"]
    assert high - low > width if width else elo_of(high) - elo_of(low) > 60
    assert found["games"] < 10_000 and found == answer(*words, "--threads", "1")


def test_an_interrupted_match_with_a_rule_ends_at_the_same_game():
    request = MatchRequest("kuhn", "uniform", "uniform", until=0.3)
    game = known_game("kuhn")
    sides = (find_policy(game, "uniform"),) * 2
    whole = play_match(request, game, sides, 1)
    begun = evaluate(game, *sides, report_key(1), 36).to_json()
    assert whole == play_match(request, game, sides, 1, counted=begun) and 36 < whole["games"] < 20_000


def test_rules_that_stop_a_match_exclude_each_other_and_elo_needs_wins(refused):
    words = ("match", "batawaf", "ascending", "descending", "--until", "0.1")
    assert "one rule to stop" in refused(*words, "--sprt", "0", "10").stderr
    assert "one rule to stop" in refused(*words, "--until-elo", "5").stderr
    assert "--until is 0.0" in refused(*words[:-1], "0").stderr
    assert "use --until" in refused("match", "kuhn", "uniform", "uniform", "--until-elo", "5").stderr


@pytest.mark.thorough
def test_small_gains_are_shown_and_none_is_claimed_where_there_is_none():
    assert simulate(128_000, 5, 40, 3)[0] >= 0.75 and simulate(12_000, 20, 60, 3)[0] >= 0.9
    claimed, missed, _ = simulate(3_000, 0, 200, 3)
    assert claimed <= 0.05 and missed <= 0.05


def final_of(task, theta, games, **more):
    arena = Arena(task, 5, budget=Budget(games), purpose=FINAL, **more)
    *_, final = validate(arena, {"theta": theta.tolist()}, [])
    return arena, final


def test_a_program_has_one_test_with_all_the_games():
    task = tuned(2, 31)
    arena, final = final_of(task, task.best, 3000)
    assert final.proved and final.games == 3000 and arena.event_count == 2
    worse = 2 * task.start() - task.best
    arena, final = final_of(task, task.clip(worse), 3000)
    assert not final.proved and final.games == 3000 and final.answer == {"theta": [0.0, 0.0]}
    _, early = final_of(task, task.clip(worse), 3000, gain_test=GainTest(0.5, 0.52))
    assert not early.proved and 0 < early.games < 3000
    assert final.candidate == "answer" and final.score < 0.5


def test_a_test_that_goes_on_counts_its_earlier_games_as_if_it_had_been_longer():
    task = tuned(2, 32)
    rule = GainTest.for_pairs(100)
    resumed = GainTest(rule.low, rule.high, fails=False)
    _, whole = final_of(task, task.best, 4000, gain_test=resumed)
    start = {"event": 0, "counts": [0, 2, 4, 3, 1], "games": 20}
    observed = np.bincount(
        task.match(task.best[None], task.start()[None])
        .scores(Arena(task, 5, purpose=FINAL)._key(0), 0, 10)
        .sum(axis=1),
        minlength=5,
    )
    _, later = final_of(task, task.best, 4000, gain_test=resumed, partial=start | {"counts": observed.tolist()})
    assert later == whole


def test_a_test_without_failure_only_waits():
    counts = np.array([900, 900, 2000, 500, 100])
    rule = GainTest(0.5, 0.52)
    assert decision(rule, counts) == -1 and decision(GainTest(0.5, 0.52, fails=False), counts) == 0
    assert decision(GainTest(0.5, 0.52, fails=False), counts[::-1].copy()) == 1


def test_the_table_counts_the_scores_that_the_interval_misses():
    counts = np.array([20, 90, 300, 120, 40])
    low, high = interval(counts)
    for score, missed in ((low - 1e-4, True), (low + 1e-4, False), (high - 1e-4, False), (high + 1e-4, True)):
        assert misses(counts, score) == missed


def test_the_capital_is_what_decides():
    rule, rng = GainTest.for_pairs(2000), np.random.default_rng(4)
    for elo in (0, 15, 30):
        counts = np.bincount(rng.choice(5, size=2000, p=pair_law(elo)), minlength=5)
        assert (decision(rule, counts) == 1) == (rule.capital(counts) >= -np.log(0.05))
