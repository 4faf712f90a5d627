"""The front door: ordinary calls work, old names warn, and every mistake is one sentence."""

import doctest
import importlib
import inspect
import io
import json
import subprocess
import sys
import warnings
from fractions import Fraction

import pytest

import fogspiel
from fogspiel import api
from fogspiel.core.find import load_game
from fogspiel.core.plugins import _former_modules

FORMER = [
    "Match", "PolicyMatch", "Store", "below", "check_game", "evaluate", "exploitability", "find_game", "openspiel_game",
    "pettingzoo_env", "policy_from_openspiel", "solve_game", "tune_strategy", "unit",
]  # fmt: skip
DOORS = [
    name for name in fogspiel.__all__ if inspect.isfunction(vars(api).get(name)) and name not in ("play", "open_store")
]


def test_a_match_has_the_games_of_the_command():
    found = fogspiel.match("batawaf", "descending", "random", seed=1, games=200)
    assert (found.score, found.games) == (0.71, 200)
    assert repr(found) == "Score 0.710 (95 %: 0.615 to 0.803) in 200 games"
    assert found.to_json()["wins"] == 142 and found.to_dict()["outcomes"] == (58, 0, 142)


def test_games_and_agents_are_given_by_name_or_as_objects():
    batawaf = fogspiel.load_game("batawaf")
    random = fogspiel.find_policy(batawaf, "random")
    by_name = fogspiel.match("batawaf", "descending", "random", games=20)
    assert fogspiel.match(batawaf, fogspiel.find_policy("batawaf", "descending"), random, games=20) == by_name
    by_numbers = fogspiel.match("batawaf", [1, 2, 3], "random", games=20)
    assert fogspiel.match(batawaf, "1,2,3", random, games=20) == by_numbers
    assert fogspiel.match(batawaf, fogspiel.vector_policy("batawaf", [1, 2, 3]), random, games=20) == by_numbers
    assert fogspiel.Session("kuhn").game.name == "kuhn"


def test_a_solution_has_fractions_and_a_certificate_and_is_an_agent():
    solution = fogspiel.solve("kuhn", method="lp", exact=True)
    assert (solution.value, solution.lower, solution.upper, solution.exact) == (Fraction(-1, 18),) * 3 + (True,)
    assert "-1/18" in repr(solution) and json.loads(json.dumps(solution.to_json()))["value"] == "-1/18"
    assert fogspiel.verify(solution.certificate) == fogspiel.verify(solution) == (Fraction(-1, 18), Fraction(-1, 18))
    assert fogspiel.exploit("kuhn", solution).nash_conv == fogspiel.exploit("kuhn", "solved").nash_conv == 0
    assert fogspiel.match("kuhn", solution, "uniform", games=10).games == 10


def test_a_value_that_is_not_exact_is_a_float():
    found = fogspiel.solve("kuhn", method="cfr+", gap=0.1)
    assert isinstance(found.value, float) and found.lower < found.upper and not found.exact


def test_certificates_are_checked_by_file_and_dictionary(tmp_path):
    solution = fogspiel.solve(fogspiel.load_game("kuhn"))
    file = tmp_path / "kuhn.json"
    file.write_text(json.dumps(solution.certificate))
    found = fogspiel.verify(file)
    assert found == fogspiel.verify(str(file)) == fogspiel.verify(solution.certificate)
    assert found.exact and found.to_json() == {"lower": "-1/18", "upper": "-1/18", "exact": True}
    with pytest.raises(fogspiel.BadInput, match="not valid"):
        fogspiel.verify(solution.certificate | {"value": "1/2"})


def test_exact_scores_are_known_by_name():
    assert fogspiel.exact_score("nim", "perfect", "exact") == Fraction(1, 2)
    assert fogspiel.exact_score("kuhn", "solved", "uniform") > 0


def test_a_tuning_gives_a_policy_with_its_evidence(tmp_path):
    found = fogspiel.tune("batawaf", games=4000, report_games=200, seed=3)
    assert fogspiel.match("batawaf", found.policy, "random", games=20).games == 20
    assert "batawaf" in repr(found) and json.dumps(found.to_json())
    kept = fogspiel.tune("batawaf", games=4000, report_games=200, seed=3, store=tmp_path / "runs.db")
    assert kept.run and kept.to_json() | {"run": ""} == found.to_json()


def test_runs_are_stored_where_a_store_is_named(tmp_path):
    path = tmp_path / "runs.db"
    fogspiel.match("kuhn", "uniform", "solved", games=20, store=path)
    assert fogspiel.solve("kuhn", store=path).run == "kuhn-2"
    fogspiel.exploit("kuhn", "kuhn-2", store=path)
    assert fogspiel.verify("kuhn-2", store=path).exact
    with fogspiel.open_store(path) as store:
        assert store.names() == ["kuhn-1", "kuhn-2", "kuhn-3"]
    with pytest.raises(fogspiel.FogspielError, match="needs a name or a file"):
        fogspiel.match("kuhn", lambda state: {}, "uniform", store=path)


def test_a_person_plays_in_the_terminal(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO("1\n" * 9))
    ending = fogspiel.play("kuhn", "uniform", seed=1)
    assert ending.score is not None and "The game is over" in capsys.readouterr().out


@pytest.mark.parametrize(
    "error, call, words",
    [
        (fogspiel.NotFound, lambda: fogspiel.match("batawaff", "a", "b"), "did you mean batawaf"),
        (fogspiel.NotFound, lambda: fogspiel.match("batawaf", "nobody", "random"), "not a player of batawaf"),
        (fogspiel.NotFound, lambda: fogspiel.find_policy("batawaf", "nobody"), "the names are random"),
        (fogspiel.NotFound, lambda: fogspiel.exact_score("nim", "a", "b"), "not a player of nim"),
        (fogspiel.NotFound, lambda: fogspiel.solve("kuhn", method="magic"), "there is no method 'magic'"),
        (fogspiel.NotFound, lambda: fogspiel.verify("nothing.json"), "there is no certificate"),
        (fogspiel.NotFound, lambda: fogspiel.load_game("nothing.py"), "nothing.py"),
        (fogspiel.NotFound, lambda: fogspiel.match("kuhn", "kuhn-77", "uniform"), "kuhn-77"),
        (fogspiel.BadInput, lambda: fogspiel.match(3, "random", "random"), "int is not a game"),
        (fogspiel.BadInput, lambda: fogspiel.match("batawaf", 3, "random"), "int is not a policy"),
        (fogspiel.BadInput, lambda: fogspiel.match("batawaf", "random", "random", games=0), "^games is 0"),
        (fogspiel.BadInput, lambda: fogspiel.match("batawaf", "random", "random", seed="x"), "the seed is x"),
        (fogspiel.BadInput, lambda: fogspiel.solve("kuhn", method="cfr+", exact=True), "^exact needs a vertex"),
        (fogspiel.BadInput, lambda: fogspiel.vector_policy("batawaf", {"A": 1}), "not a vector"),
        (fogspiel.BadInput, lambda: fogspiel.verify(3), "int is not a certificate"),
        (fogspiel.BadInput, lambda: fogspiel.tune("kuhn", games=10), "no parametric strategy"),
        (fogspiel.BadInput, lambda: fogspiel.bounds("kuhn"), "there are no bounds for kuhn"),
        (fogspiel.TooLarge, lambda: fogspiel.solve("leduc", method="lp", memory=1e-5), "memory"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_sentence(error, call, words):
    with pytest.raises(error, match=words) as caught:
        call()
    assert isinstance(caught.value, ValueError) and "\n" not in str(caught.value)


@pytest.mark.parametrize("name", FORMER)
def test_old_names_work_and_warn(name):
    with pytest.warns(DeprecationWarning, match=f"fogspiel.{name} is deprecated: use fogspiel"):
        assert callable(getattr(fogspiel, name))


def test_old_calls_give_what_they_gave():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        game = fogspiel.find_game("batawaf")
        policies = [fogspiel.find_policy(game, name) for name in ("descending", "random")]
        assert fogspiel.evaluate(game, *policies, key=1, games=200).mean == 0.665
        assert fogspiel.solve_game("kuhn").value == "-1/18"


def test_old_modules_are_the_new_ones_and_rebind_no_function():
    solve, tune = fogspiel.solve, fogspiel.tune
    for old, new in _former_modules().items():
        sys.modules.pop(old, None)
        with pytest.warns(DeprecationWarning, match=f"^{old} is deprecated: it is now {new}$"):
            assert importlib.import_module(old) is importlib.import_module(new)
    for name in ("fogspiel.solve", "fogspiel.tune", "fogspiel.solving.methods.lp", "fogspiel.tuning.tune"):
        importlib.import_module(name)
    assert (fogspiel.solve, fogspiel.tune) == (solve, tune)
    assert fogspiel.solve("kuhn").value == Fraction(-1, 18)
    assert fogspiel.tune("batawaf", games=200, report_games=20).game == "batawaf"


def test_old_modules_are_imported_by_statements():
    code = (
        "import fogspiel, fogspiel.solve.lp, fogspiel.tune.methods.spsa\n"
        "from fogspiel.core.kernel import kernel\nfrom fogspiel.solve import cfr\n"
        "assert kernel is fogspiel.kernel and cfr.__name__ == 'fogspiel.solving.methods.cfr'\n"
        "print(fogspiel.solve.__name__, fogspiel.tune.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "solve tune\n"


def test_importing_the_package_imports_nothing_heavy():
    code = "import sys, fogspiel; print(*{name.partition('.')[0] for name in sys.modules}); fogspiel.FogspielError"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "numba", "pydantic", "scipy", "typer"} & set(done.stdout.split())


@pytest.mark.parametrize("name", DOORS)
def test_the_examples_of_the_docstrings_run(name):
    """Each function says what it takes, and its example gives what it says."""
    function = getattr(fogspiel, name)
    assert "Parameters:" in function.__doc__
    for parameter in inspect.signature(function).parameters.values():
        assert parameter.kind is not parameter.VAR_KEYWORD and f"        {parameter.name}: " in function.__doc__
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
    (test,) = finder.find(function, name, globs=vars(fogspiel) | {name: getattr(fogspiel, name) for name in DOORS})
    assert test.examples
    assert runner.run(test).failed == 0


def test_a_game_that_only_the_caller_has_is_played_and_forgotten():
    from dataclasses import replace

    mine = replace(load_game("kuhn"), name="mine")
    assert fogspiel.match(mine, "uniform", "uniform", games=10).games == 10
    assert fogspiel.solve(mine).value == Fraction(-1, 18)
    assert "mine" not in fogspiel.list_games()
