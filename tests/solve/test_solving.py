"""Solves from request to result: every method, the same values; interrupted at any moment, the same bytes."""

import json
from fractions import Fraction

import pytest
from support.levels import default_cases

from fogspiel.runs.kind import Context, execute
from fogspiel.runs.kinds.solve import solve_unstored
from fogspiel.runs.request import StoredAgent
from fogspiel.runs.requests import SolveRequest
from fogspiel.runs.store import Store
from fogspiel.solving.proofs import verify
from fogspiel.solving.sources import find_source

VALUES = {
    "rps": "0",
    "rps-half": "0",
    "binary-poker": "0",
    "kuhn": "-1/18",
    "morra": "1/2",
    "liars-dice-4": "1/16",
    "goofspiel-4": "0",
    "leduc": "-1454920850547486749701863871533/16995463438839962469905132501930",
    "leduc-labelled": "-1454920850547486749701863871533/16995463438839962469905132501930",
}
METHODS = ["lp", "cfr+", "dcfr", "pcfr+", "double-oracle"]


def assert_sound(result, problem):
    """The certificate proves the bounds, by the checker; so no probability is negative and every row adds up to 1."""
    body = json.loads(json.dumps(result.certificate))
    lower, upper = verify(body, problem.source)
    assert lower <= upper
    assert float(lower) == pytest.approx(float(Fraction(result.lower)), abs=1e-15)
    assert float(upper) == pytest.approx(float(Fraction(result.upper)), abs=1e-15)


@pytest.mark.parametrize("name", default_cases(VALUES.keys() - {"liars-dice-4"}, VALUES))
def test_small_games_are_solved_exactly(name):
    result = solve_unstored(SolveRequest(name, exact=True))
    assert result.exact and result.value == result.lower == result.upper == VALUES[name]
    assert_sound(result, find_source(name))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "value"), [("goofspiel-5", "0"), ("liars-dice-6", "-7/258")])
def test_larger_games_are_solved_exactly(name, value):
    result = solve_unstored(SolveRequest(name, exact=True))
    assert result.exact and result.value == value
    assert_sound(result, find_source(name))


def test_the_value_of_leduc_is_the_published_one():
    assert float(Fraction(VALUES["leduc"])) == pytest.approx(-0.085606424078, abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["rps-half", "binary-poker", "kuhn", "leduc", "goofspiel-4", "liars-dice-4"])
def test_every_method_comes_to_the_same_value(name, method):
    gap = 1e-3 if method in ("cfr+", "dcfr", "pcfr+") else 1e-6
    result = solve_unstored(SolveRequest(name, method, gap=gap))
    assert_sound(result, find_source(name))
    lower, upper = (Fraction(getattr(result, bound)) for bound in ("lower", "upper"))
    assert upper - lower <= Fraction(gap) * 2
    assert lower <= Fraction(VALUES[name]) <= upper


def test_the_pure_strategies_of_binary_poker_are_found():
    """Bossle 2018, section 3.5: bet and call with 1; with 0 fold, and passing or betting is then worth the same."""
    rows = solve_unstored(SolveRequest("binary-poker")).certificate["strategies"]
    assert all(set(row["probabilities"]) <= {"0", "1"} for side in rows for row in side)


@pytest.mark.thorough
def test_labelled_cards_collapse_to_ranks():
    small, large = (solve_unstored(SolveRequest(name)).sizes["quotient"] for name in ("leduc", "leduc-labelled"))
    assert large["rows"] <= small["rows"] * 1.01 and large["columns"] <= small["columns"] * 1.01


class Interrupted(Exception):
    """Stands for a signal."""


def run_with_interruptions(path, request, every):
    """Work on a request, interrupted after every few remarks; returns the rows and how often it was interrupted."""
    problem, stops = find_source(request.game), 0
    with Store.open(path, write=True) as store:
        name = store.create(request.to_json(problem)).name
    while True:
        left = every

        def watch(progress):
            nonlocal left
            left -= "histories" not in progress.text
            if left < 0:
                raise KeyboardInterrupt

        with Store.open(path, write=True) as store:
            try:
                execute(store.acquire(name), Context(path, on_progress=watch))
            except KeyboardInterrupt:
                stops += 1
                every += 1
                continue
        with Store.open(path, write=False) as store:
            return [(row.kind, row.body) for row in store.read(name).rows], stops


@pytest.mark.thorough
@pytest.mark.parametrize(
    "request_",
    [
        SolveRequest("kuhn", "lp"),
        pytest.param(SolveRequest("leduc", "lp"), marks=pytest.mark.thorough),
        SolveRequest("leduc", "lp", lock=StoredAgent("uniform"), seat=1, lock_weight="1/2"),
        SolveRequest("leduc", against=StoredAgent("uniform"), safety="1/10"),
        SolveRequest("leduc", "pcfr+", gap=1e-3),
        SolveRequest("goofspiel-4", "dcfr", gap=1e-3),
        SolveRequest("leduc", "double-oracle"),
        SolveRequest("kuhn", "external-sampling", iterations=20_000),
        pytest.param(SolveRequest("leduc", "external-sampling", iterations=20_000), marks=pytest.mark.thorough),
        SolveRequest("kuhn", "outcome-sampling", iterations=50_000, seed=3),
        SolveRequest("resistance5", "knowledge-trees"),
        pytest.param(SolveRequest("permutation-ttt"), marks=pytest.mark.slow),
    ],
    ids=lambda request: f"{request.game}, {request.solver}",
)
def test_an_interrupted_solve_resumes_to_the_same_bytes(tmp_path, monkeypatch, request_):
    monkeypatch.setattr("fogspiel.solving.methods.tree.SLICE", 40)
    whole, none = run_with_interruptions(tmp_path / "whole.db", request_, 10**9)
    cut, stops = run_with_interruptions(tmp_path / "cut.db", request_, 1)
    assert none == 0 and stops >= 2
    assert json.dumps(cut) == json.dumps(whole)


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        (dict(game="kuhn", solver="guess"), "no method 'guess'"),
        (dict(game="kuhn", solver="cfr+", exact=True), "--exact needs a vertex"),
        (dict(game="kuhn", gap=0), "--gap is 0"),
        (dict(game="kuhn", gap=float("nan")), "--gap is nan"),
        (dict(game="kuhn", memory=-1), "--memory is -1"),
        (dict(game="khun"), "no game 'khun'"),
        (dict(game="missing.efg"), "cannot be read"),
        (dict(game="kuhn", solver="knowledge-trees"), "is for The Resistance, not for kuhn"),
    ],
)
def test_requests_that_cannot_be_met_are_refused_in_a_sentence(request_, sentence):
    with pytest.raises(ValueError, match=sentence):
        solve_unstored(SolveRequest(**request_))


def test_a_game_that_does_not_fit_is_refused_before_memory_runs_out():
    with pytest.raises(ValueError, match=r"has more than [\d,]+ histories .* raise --memory"):
        solve_unstored(SolveRequest("goofspiel-5", memory=0.001))
    with pytest.raises(ValueError, match="far too many for a tree"):
        solve_unstored(SolveRequest("batawaf"))


def test_a_large_tree_has_a_certificate_of_an_interval_and_a_larger_one_is_judged_in_floats(monkeypatch):
    monkeypatch.setattr("fogspiel.solving.methods.tree.EASY_TO_CHECK", 10)
    result = solve_unstored(SolveRequest("kuhn"))
    assert result.certificate["format"] == "fogspiel large tree certificate 1" and not result.exact
    assert result.lower <= -1 / 18 <= result.upper and result.upper - result.lower < 1e-8
    monkeypatch.setattr("fogspiel.solving.methods.tree.MAX_CHECKED", 10)
    result = solve_unstored(SolveRequest("kuhn"))
    assert result.certificate is None and not result.exact
    assert result.lower == pytest.approx(-1 / 18) == pytest.approx(result.upper)


@pytest.mark.thorough
def test_auto_takes_regret_minimisation_where_the_program_would_be_too_large(monkeypatch):
    monkeypatch.setattr("fogspiel.solving.methods.tree.SMALL_ENOUGH", 0)
    result = solve_unstored(SolveRequest("leduc", gap=1e-3))
    assert "regret minimisation" in result.description and "pcfr+" in result.description
    assert 0 < result.upper - result.lower <= 1e-3 + 1e-8
    assert_sound(result, find_source("leduc"))
