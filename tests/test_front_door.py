"""The front door: ordinary calls work, old names warn, and every mistake is one sentence."""

import doctest
import importlib
import inspect
import io
import json
import pkgutil
import subprocess
import sys
import warnings
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.commands import COMMAND

import fogspiel
from fogspiel import api
from fogspiel.core.find import load_game
from fogspiel.core.plugins import _former_modules

FORMER = [
    "Match", "PolicyMatch", "Store", "below", "check_game", "evaluate", "exploitability", "find_game", "openspiel_game",
    "pettingzoo_env", "policy_from_openspiel", "solve_game", "tune_strategy", "unit",
]  # fmt: skip
DOORS = [
    name
    for name in fogspiel.__all__
    if getattr(getattr(fogspiel, name), "__module__", "") == api.__name__ and name not in ("play", "open_store")
]


def foreign_policy():
    return fogspiel.find_policy("batawaf", "descending")


def level(a, b, seed):
    return 0.5


PEAK = {"x": {"start": 0.5, "low": 0, "high": 1}}
PICTURES = {
    "match": lambda: fogspiel.match("batawaf", "descending", "random", games=20),
    "tune": lambda: fogspiel.tune("batawaf", games=4000, report_games=200),
    "solve": lambda: fogspiel.solve("kuhn", method="lp"),
    "rounds": lambda: fogspiel.solve("kuhn", method="double-oracle"),
    "bounds": lambda: fogspiel.bounds("phantom-ponnuki-2x2", seconds=5),
    "exploit": lambda: fogspiel.exploit("kuhn", "uniform"),
}


@pytest.mark.parametrize("name", PICTURES)
def test_results_draw_themselves_and_become_tables(name, tmp_path, monkeypatch):
    found = PICTURES[name]()
    figure = found.plot(tmp_path / "picture.png")
    assert figure.axes[0].get_title(loc="left") and (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    json.dumps(found.to_json())
    assert found.to_dict() and found.rows()
    frames = SimpleNamespace(DataFrame=lambda rows: ("a table", rows))
    monkeypatch.setitem(sys.modules, "pandas", frames)
    assert found.to_pandas() == ("a table", found.rows())
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(fogspiel.BadInput, match=r"pandas is not installed: pip install .fogspiel\[tables\]"):
        found.to_pandas()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(fogspiel.BadInput, match=r"matplotlib is not installed: pip install 'fogspiel\[paper\]'"):
        found.plot()


def test_tables_have_the_numbers_of_the_result(tmp_path):
    match = PICTURES["match"]()
    assert [row["games"] for row in match.rows()] == list(match.outcomes)
    assert sum(row["loss"] for row in PICTURES["exploit"]().rows()) == pytest.approx(11 / 12)
    steps = PICTURES["tune"]().rows()
    assert steps and all(row["low"] <= row["value"] <= row["high"] for row in steps if "value" in row)
    with pytest.raises(fogspiel.BadInput, match="cannot be written"):
        match.plot(tmp_path / "nowhere" / "picture.png")
    with pytest.raises(fogspiel.BadInput, match="Format 'xyz'"):
        match.plot(tmp_path / "picture.xyz")


def test_the_sequence_form_of_a_game_pays_what_uniform_players_get():
    form, smaller = fogspiel.sequence_form("kuhn"), fogspiel.sequence_form("kuhn", reduced=True)
    plans = []
    for treeplex in form.treeplexes:
        plan = [Fraction(1)] * treeplex.sequences
        for parent, first, count in zip(treeplex.parent, treeplex.first, treeplex.count, strict=True):
            for sequence in range(first, first + count):
                plan[sequence] = plan[parent] / int(count)
        plans.append(plan)
    cells = zip(form.rows, form.columns, form.payoffs.tolist(), strict=True)
    value = sum(plans[0][row] * plans[1][column] * pay for row, column, pay in cells) / form.denominator
    assert value == Fraction(1, 8)  # of uniform players, by hand
    assert len(smaller.payoffs) < len(form.payoffs)
    with pytest.raises(fogspiel.NotFound, match="there is no game 'nonsense'"):
        fogspiel.sequence_form("nonsense")


def test_no_public_name_is_that_of_a_module_which_would_replace_it_when_imported():
    modules = {module.name for module in pkgutil.iter_modules(fogspiel.__path__)}
    assert {"core", "api"} <= modules and not modules & {*fogspiel.__all__}


def test_every_public_name_is_there():
    assert all(getattr(fogspiel, name) is not None for name in fogspiel.__all__)
    with pytest.warns(DeprecationWarning):
        assert fogspiel.openspiel_policy is fogspiel.to_openspiel_policy


def test_a_certificate_is_an_agent_and_a_function_is_tuned():
    certificate = fogspiel.solve("kuhn").certificate
    assert fogspiel.exploit("kuhn", certificate).nash_conv == 0
    assert fogspiel.match("kuhn", certificate, "uniform", games=4).games == 4
    found = fogspiel.tune_function(level, PEAK, games=100)
    assert found.to_json()["parameters"] == {"x": 0.5} and not found.proved and "initial" in repr(found)


def test_a_match_is_that_of_the_command(tmp_path, monkeypatch):
    monkeypatch.setenv("FOGSPIEL_STORE", str(tmp_path / "runs.db"))
    words = ["match", "batawaf", "descending", "random", "--seed", "7", "--games", "60", "--json"]
    told = json.loads(subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=True).stdout)
    found = fogspiel.match("batawaf", "descending", "random", seed=7, games=60)
    assert (told["outcomes"], told["observed"]) == (list(found.outcomes), list(found.observed))


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


@pytest.mark.thorough
def test_a_competition_of_a_store_is_found_again_and_its_report_is_written(tmp_path):
    (tmp_path / "entries").mkdir()
    (tmp_path / "entries" / "notes.txt").write_text("no entry")
    asked = {"agents": ["uniform", "solved"], "games": 20, "store": tmp_path / "runs.db"}
    found = fogspiel.compete(tmp_path / "entries", "kuhn", **asked)
    again = fogspiel.compete(tmp_path / "entries", "kuhn", **asked)
    assert (found.run, again.run) == ("kuhn-1", "kuhn-1") and found.to_json() == again.to_json()
    assert [row["entry"] for row in found.rows()] == ["uniform", "solved"]
    assert [one["file"] for one in found.figures["skipped"]] == ["notes.txt"]
    assert "competition-kuhn.html" in {file.name for file in found.write(tmp_path / "report")}
    assert repr(found).startswith("Competition: Kuhn")
    assert found.plot().axes
    with pytest.raises(fogspiel.BadInput):
        found.write(tmp_path / "runs.db")


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
        (fogspiel.BadInput, lambda: fogspiel.bounds("kuhn", informed="every"), "there are no bounds for kuhn"),
        (fogspiel.TooLarge, lambda: fogspiel.solve("leduc", method="lp", memory=1e-5), "memory"),
        (fogspiel.BadInput, lambda: fogspiel.match("kuhn", foreign_policy(), "uniform"), "strategy of .*, not of kuhn"),
        (fogspiel.BadInput, lambda: fogspiel.match(None, "uniform", "uniform"), "NoneType is not a game"),
        (fogspiel.BadInput, lambda: fogspiel.match(["kuhn"], "uniform", "uniform"), "list is not a game"),
        (fogspiel.BadInput, lambda: fogspiel.match("kuhn", None, "uniform"), "NoneType is not a policy"),
        (fogspiel.BadInput, lambda: fogspiel.match("kuhn", [1, 2], "uniform"), "no parametric strategy"),
        (fogspiel.BadInput, lambda: fogspiel.match("batawaf", ["a", "b", "c"], "random"), "is not a vector"),
        (fogspiel.BadInput, lambda: fogspiel.match("batawaf", [[1, 2], [3]], "random"), "is not a vector"),
        (fogspiel.BadInput, lambda: fogspiel.match("kuhn", "uniform", "uniform", games=-5), "games is -5"),
        (fogspiel.BadInput, lambda: fogspiel.match("kuhn", "uniform", "uniform", games="ten"), "games is 'ten'"),
        (fogspiel.BadInput, lambda: fogspiel.match("kuhn", "uniform", "uniform", games="many"), "games is 'many'"),
        (fogspiel.BadInput, lambda: fogspiel.match("kuhn", "uniform", "uniform", threads="x"), "threads is 'x'"),
        (fogspiel.BadInput, lambda: fogspiel.match("kuhn", "uniform", "uniform", seats="both"), "swapped"),
        (fogspiel.BadInput, lambda: fogspiel.match("kuhn", "uniform", "uniform", store=3), "store is 3"),
        (fogspiel.BadInput, lambda: fogspiel.match("kuhn", {"a": 1}, "uniform"), "dict is not a policy"),
        (fogspiel.NotFound, lambda: fogspiel.match("kuhn", Path("nothing.json"), "uniform"), "nothing.json"),
        (fogspiel.BadInput, lambda: fogspiel.open_store(3), "store is 3: it must be the name of a file"),
        (fogspiel.BadInput, lambda: fogspiel.play("kuhn", seat=1), "seat is '1': it must be first or second"),
        (fogspiel.BadInput, lambda: fogspiel.play("kuhn", seed=-1), "the seed is -1"),
        (fogspiel.BadInput, lambda: fogspiel.solve("kuhn", method=None), "method is None: it must be a name"),
        (fogspiel.BadInput, lambda: fogspiel.solve("kuhn", exact="yes"), "exact is 'yes': it must be True or False"),
        (fogspiel.BadInput, lambda: fogspiel.bounds("phantom-ponnuki-2x2", seconds=-1), "^seconds is -1"),
        (fogspiel.BadInput, lambda: fogspiel.bounds("phantom-ponnuki-2x2", informed=3), "informed is 3: .* once"),
        (fogspiel.BadInput, lambda: fogspiel.verify("kuhn", seconds="a"), "seconds is 'a'"),
        (fogspiel.BadInput, lambda: fogspiel.verify({}), "not valid"),
        (fogspiel.BadInput, lambda: fogspiel.verify([1]), "list is not a certificate"),
        (fogspiel.NotFound, lambda: fogspiel.verify(Path("nothing.json")), "there is no certificate"),
        (fogspiel.NotFound, lambda: fogspiel.check(Path(".")), "there is no game"),
        (fogspiel.BadInput, lambda: fogspiel.tune("batawaf", games=9, baseline=[1, 2, 3]), "baseline is .1, 2, 3."),
        (fogspiel.BadInput, lambda: fogspiel.vector_policy("batawaf", None), "None is not a vector"),
        (fogspiel.BadInput, lambda: fogspiel.mixture_policy("batawaf", [[1, 2, 3]], 3), "3 is not a vector"),
        (fogspiel.BadInput, lambda: fogspiel.tune_function(3, {}), "int is not a function"),
        (fogspiel.BadInput, lambda: fogspiel.tune_function(print, [1, 2]), "a table for each parameter"),
        (fogspiel.BadInput, lambda: fogspiel.tune_function(level, PEAK, games="a"), "games is 'a'"),
        (fogspiel.BadInput, lambda: fogspiel.tune_function(level, PEAK, score_range=3), "score_range is 3"),
        (fogspiel.BadInput, lambda: fogspiel.tune_function(lambda a, b, seed: None, PEAK), "has returned None"),
        (fogspiel.BadInput, lambda: fogspiel.Session(None), "NoneType is not a game"),
        (fogspiel.NotFound, lambda: fogspiel.Race("horse"), "There is no race"),
        (fogspiel.BadInput, lambda: fogspiel.match("kuhn", "uniform", "uniform", games=4).plot(3), "is not a file"),
        (fogspiel.BadInput, lambda: fogspiel.verify(fogspiel.solve("kuhn").plot), "method is not a certificate"),
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
