"""Balance of any game: free constants, values as by brute force, races elsewhere, the same bytes again."""

import json
import re
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog
from support.bids import BIDS

from fogspiel.core.find import free_constants, load_game, load_variant, with_constants
from fogspiel.core.game import CHANCE, OVER
from fogspiel.core.session import Session
from fogspiel.runs.kind import Context, execute
from fogspiel.runs.kinds.constants import parts_of
from fogspiel.runs.requests import ConstantsRequest
from fogspiel.runs.store import Store

ROOT = Path(__file__).parents[2]


@pytest.fixture
def bluff(tmp_path):
    """The README's bluff with a free payoff of a fold."""
    (text,) = re.findall(r'^```python title="bluff.py"\n(.*?)^```$', (ROOT / "README.md").read_text(), re.M | re.S)
    freed = 'FOLD = 3  # index of the payoff after a fold\nFREE = {"FOLD": range(5)}\nCARD, BET, CALL = 0'
    text = text.replace("CARD, BET, CALL = 0", freed).replace(
        "return 3 if state[CALL] == 0", "return FOLD if state[CALL] == 0"
    )
    (tmp_path / "bluff.py").write_text(text)
    return str(tmp_path / "bluff.py")


def brute_value(game):
    """The value by all pairs of pure strategies and a linear program on their matrix, without any tree or solver."""
    seen = [set(), set()]

    def collect(record):
        session = played(game, record)
        if session.mover >= 0:
            seen[session.mover].add((tuple(session.view(session.mover).tolist()), tuple(session.actions)))
        for action in session.actions:
            collect([*record, action])

    collect([])
    plans = [
        [dict(zip([view for view, _ in mine], chosen, strict=True)) for chosen in product(*(acts for _, acts in mine))]
        for mine in map(sorted, seen)
    ]

    def payoff(pair, record=()):
        session = played(game, record)
        if (mover := session.mover) == OVER:
            return float(game.payoffs[session.payoff_index])
        if mover == CHANCE:
            return float(np.mean([payoff(pair, (*record, action)) for action in session.actions]))
        return payoff(pair, (*record, pair[mover][tuple(session.view(mover).tolist())]))

    matrix = np.array([[payoff((one, other)) for other in plans[1]] for one in plans[0]])
    rows, columns = matrix.shape
    found = linprog(
        [0] * rows + [-1], np.hstack([-matrix.T, np.ones((columns, 1))]), [0] * columns,
        [[1] * rows + [0]], [1], [(0, None)] * rows + [(None, None)],
    )  # fmt: skip
    return -found.fun


def played(game, record):
    session = Session(game)
    for action in record:
        session.apply(action)
    return session


@pytest.mark.thorough
def test_the_fair_constants_are_those_of_brute_force(bluff, answer):
    found = answer("balance", bluff, "--processes", "1")
    by_force = {values: brute_value(load_variant(bluff, {"FOLD": values})) for values in range(5)}
    assert found["variants"] == found["solved"] == 5 and found["even"] == 0
    for one in found["tables"]:
        assert float(Fraction(one["exact"])) == pytest.approx(by_force[one["constants"]["FOLD"]], abs=1e-9)
    least = min(map(abs, by_force.values()))
    nearest = [
        one["constants"]["FOLD"] for one in found["tables"] if abs(one["score"]) == pytest.approx(least, abs=1e-9)
    ]
    assert nearest == [value for value in range(5) if abs(by_force[value]) < least + 1e-9]
    assert brute_value(load_game(bluff)) == pytest.approx(1 / 3)  # the file as it is


@pytest.mark.thorough
def test_a_written_variant_is_a_game_whose_certificate_is_valid(bluff, tmp_path, fogspiel):
    assert fogspiel("balance", bluff, "--certificates", str(tmp_path / "fair"), "--nearest", "1").returncode == 0
    done = fogspiel(
        "verify", str(tmp_path / "fair" / "bluff-1.json"), "--source", str(tmp_path / "fair" / "bluff-1.py")
    )
    assert done.returncode == 0 and "exactly 0" in done.stdout


def test_constants_are_replaced_where_the_file_assigns_them_and_nowhere_else():
    text = 'A = (1,\n     2)  # A = 3\nFREE = {"A": [(1, 2)], "Ä": [1]}\nÄ = "é"; B = A\n'
    assert with_constants(text, {"A": (5, 6), "Ä": 7}) == text.replace("(1,\n     2)", "(5, 6)").replace('"é"', "7")
    assert with_constants(text, {"A": (1, 2)}).partition("\n")[0] == "A = (1, 2)  # A = 3"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "has no free constants"),
        ("FREE = {'NOSUCH': [1]}", "is not assigned in the file"),
        ("COST = 1\nCOST = 2\nFREE = {'COST': [1]}", "assigned twice"),
        ("COST = 1\nFREE = {'COST': []}", "has 0 variants"),
        ("COST = 1\nFREE = {'COST': range(10**6)}", "has 1,000,000 variants"),
        ("COST = 1\nFREE = {'COST': [print]}", "of numbers, text and tuples"),
        ("FREE = 3", "has no free constants"),
    ],
)
def test_wrong_free_constants_are_one_sentence(tmp_path, refused, text, problem):
    file = tmp_path / "wrong.py"
    file.write_text(re.sub(r"^FREE = .*$", "", BIDS, flags=re.MULTILINE) + "\n" + text + "\n")
    refused("balance", str(file), because=problem)


def test_games_of_the_catalogue_are_named_by_braces(refused):
    base, free = free_constants("goofspiel-{4,5}")
    assert base.name == "goofspiel-4" and free == {"part 1": ["4", "5"]}
    assert load_variant("goofspiel-{4,5}", {"part 1": "5"}).name == "goofspiel-5"
    refused("balance", "goofspiel-{4,99}", because="no game")
    refused("balance", "kuhn", because="has no free constants")


def test_blocks_cover_all_games():
    assert [(part["first"], part["count"]) for part in parts_of(20, 45)] == [(20, 20), (40, 20), (60, 5)]


def run_balance(path, file, stop=None):
    base, free = free_constants(file)
    with Store.open(path, write=True) as store:
        run = store.create(ConstantsRequest(base.name, nearest=1, level=1, games=100, free=free).to_json())

        def watch(progress):
            if len(run.steps) == stop:
                raise KeyboardInterrupt

        if stop:
            with pytest.raises(KeyboardInterrupt):
                execute(run, Context(path, 1, on_progress=watch))
        execute(run, Context(path, 1))
        return run.result, json.dumps([run.request, run.steps, run.result])


@pytest.mark.thorough
def test_a_game_too_large_to_solve_is_raced_and_an_interrupted_race_goes_on_to_the_same_bytes(tmp_path):
    file = tmp_path / "bids.py"
    file.write_text(BIDS.replace("range(-6, 8, 3)", "range(-20, 21, 20)"))
    found, whole = run_balance(tmp_path / "whole.db", str(file))
    assert found["solved"] == 0 and found["tables"][0]["constants"] == {"BONUS": 0}
    games = {one["constants"]["BONUS"]: (one["games"], one["dropped"]) for one in found["tables"]}
    assert games == {0: (100, False), -20: (60, True), 20: (60, True)}
    for one in found["tables"]:
        low, high = one["interval"]
        assert low <= one["score"] <= high
    assert run_balance(tmp_path / "broken.db", str(file), stop=9)[1] == whole
