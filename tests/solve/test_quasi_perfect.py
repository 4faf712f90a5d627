"""Quasi-perfect strategies: best against rare errors at every information state, and proved."""

import copy
import json
from fractions import Fraction
from functools import cache
from itertools import product

import pytest
from support.certificates import reseal
from support.sequence_forms import random_form

from fogspiel.runs.kinds.solve import solve_game
from fogspiel.solving import quasi_perfect as errors
from fogspiel.solving.proofs import verify
from fogspiel.solving.quasi_perfect import lengths_of, quasi_perfect
from fogspiel.solving.tree.sequence_form import infosets_of

# The first player stops with 0, or pays 1 to go on to a matrix game of 2 and 3 that is worth 0 by 3/5, 2/5 of both.
MISTAKE = """EFG 2 R "Mistake" { "Player 1" "Player 2" }
p "" 1 1 "" { "stop" "enter" } 0
  t "" 1 "" { 0, 0 }
  p "" 1 2 "" { "a" "b" } 0
    p "" 2 1 "" { "c" "d" } 0
      t "" 2 "" { 1, -1 }
      t "" 3 "" { -4, 4 }
    p "" 2 1 "" { "c" "d" } 0
      t "" 4 "" { -4, 4 }
      t "" 5 "" { 7/2, -7/2 }
"""


@cache
def solved(name):
    return solve_game(name, refine="quasi-perfect").certificate


def solve_file(folder, text):
    file = folder / "game.efg"
    file.write_text(text)
    body = solve_game(str(file), refine="quasi-perfect").certificate
    assert verify(body, str(file)) == (0, 0)
    return [[row["probabilities"] for row in rows] for rows in body["strategies"]]


@pytest.mark.interpreted
def test_after_the_mistake_of_the_ace_the_guess_is_the_likelier_card(tmp_path):
    ace = """EFG 2 R "Guess the Ace" { "Player 1" "Player 2" }
c "" 1 "" { "ace" 1/52 "other" 51/52 } 0
  p "" 1 1 "" { "stop" "offer" } 0
    t "" 1 "" { 0, 0 }
    p "" 2 1 "" { "ace" "other" } 0
      t "" 2 "" { -1000, 1000 }
      t "" 3 "" { 0, 0 }
  p "" 1 1 "" { "stop" "offer" } 0
    t "" 1 "" { 0, 0 }
    p "" 2 1 "" { "ace" "other" } 0
      t "" 3 "" { 0, 0 }
      t "" 2 "" { -1000, 1000 }
"""
    assert solve_file(tmp_path, ace) == [[["1", "0"]], [["0", "1"]]]  # right 51 times of 52


@pytest.mark.interpreted
def test_after_its_own_mistake_a_player_plays_the_equilibrium_of_the_subgame(tmp_path):
    # a and b by p, 1 - p: p - 4 (1 - p) = -4 p + 7/2 (1 - p), so p = 3/5; uniform trembles would lead to b alone
    share = [str(Fraction(3, 5)), str(Fraction(2, 5))]
    assert solve_file(tmp_path, MISTAKE) == [[["1", "0"], share], [share]]


def least_plans(treeplex, error):
    """The perturbed plans that take one action of each infoset as often as possible, and the others e^k times."""
    lengths = lengths_of(treeplex)
    for choice in product(*map(range, treeplex.count)):
        plan = [Fraction(1)] * treeplex.sequences
        for (parent, first, count), chosen in zip(infosets_of(treeplex), choice, strict=True):
            for s in range(first, first + count):
                plan[s] = error ** int(lengths[s])
            plan[first + chosen] += plan[parent] - sum(plan[first : first + count])
        yield plan


@pytest.mark.parametrize("seed", range(8))
def test_plans_are_optimal_in_the_perturbed_game_by_brute_force(seed):
    form = random_form(seed, ((1, 2), (1, 2)), largest=[1, 3, 9][seed % 3])
    found, error = quasi_perfect(form), Fraction(1, 10**6)
    plans = [
        [sum(share * error**k for k, share in enumerate(shares)) for shares in zip(*powers, strict=True)]
        for powers in found.plans
    ]
    for treeplex, plan in zip(form.treeplexes, plans, strict=True):
        assert all(share >= error ** int(k) for share, k in zip(plan, lengths_of(treeplex), strict=True))
        assert all(sum(plan[first : first + count]) == plan[parent] for parent, first, count in infosets_of(treeplex))

    def payoff(x, y):
        cells = zip(form.rows.tolist(), form.columns.tolist(), form.payoffs.tolist(), strict=True)
        return sum(x[row] * y[column] * gain for row, column, gain in cells)

    first, second = (list(least_plans(treeplex, error)) for treeplex in form.treeplexes)
    value = payoff(*plans)
    assert max(payoff(x, plans[1]) for x in first) == value == min(payoff(plans[0], y) for y in second)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name", ["leduc", "goofspiel-4", "morra", "phantom-ponnuki-2x2", "binary-poker", "liars-dice-4"]
)
def test_other_games_have_a_proved_solution(name):
    body = solved(name)
    assert verify(body) == (Fraction(body["value"]),) * 2


def changes():
    """Changes of the trembles and rows of Kuhn poker, each of which makes the proof false or malformed."""
    body = solved("kuhn")
    for value in (None, {}, [], [[], []], body["quasi_perfect"][::-1], [None, None]):
        yield f"trembles {str(value)[:12]}", lambda b, v=value: b.update(quasi_perfect=v)
    for side in (0, 1):
        for number, row in enumerate(body["quasi_perfect"][side]):

            def at(b, s=side, n=number):
                return b["quasi_perfect"][s][n]

            yield f"{side} without tremble {number}", lambda b, s=side, n=number: b["quasi_perfect"][s].pop(n)
            if row["plan"][0] != row["plan"][-1]:
                yield f"{side} {number} turned", lambda b, at=at: at(b)["plan"].reverse()
            yield f"{side} {number} doubled", lambda b, at=at: at(b)["plan"][0].__setitem__(0, "2")
            yield f"{side} {number} negative", lambda b, at=at: at(b)["plan"][1].insert(0, "-1")
            yield f"{side} {number} zero", lambda b, at=at: at(b)["plan"].__setitem__(0, ["0"])
            yield f"{side} {number} key", lambda b, at=at: at(b).update(probabilities=["1", "0"])
            yield f"{side} {number} view", lambda b, at=at: at(b)["view"].__setitem__(0, 7)
    for value in ("x", 1, ["0"] * 2000, [0.5], []):
        yield (
            f"coefficients {str(value)[:9]}",
            lambda b, v=value: b["quasi_perfect"][0][0]["plan"].__setitem__(0, v),
        )


CHANGES = list(changes())


@pytest.mark.interpreted
@pytest.mark.parametrize("change", [change for _, change in CHANGES], ids=[name for name, _ in CHANGES])
def test_a_changed_proof_is_refused(change):
    body = copy.deepcopy(dict(solved("kuhn")))
    change(body)
    with pytest.raises(ValueError, match="certificate is not valid"):
        verify(reseal(body))


def test_a_worse_action_after_a_mistake_is_refused_though_its_trembles_agree(tmp_path):
    file = tmp_path / "game.efg"
    file.write_text(MISTAKE)
    body = copy.deepcopy(dict(solve_game(str(file), refine="quasi-perfect").certificate))
    body["strategies"][1][0]["probabilities"] = ["1/2", "1/2"]
    body["quasi_perfect"][1][0]["plan"] = [["1/2"], ["1/2"]]
    with pytest.raises(ValueError, match="row 1 of the first player is not best against errors"):
        verify(reseal(body), str(file))


def test_a_program_that_is_too_large_is_refused_with_its_size(monkeypatch):
    monkeypatch.setattr(errors, "MAX_ROWS", 10)
    with pytest.raises(ValueError, match="kuhn cannot be refined: its program has 20 rows"):
        solve_game("kuhn", refine="quasi-perfect")


@pytest.mark.thorough
def test_a_run_of_it_is_verified_explained_and_played(tmp_path, fogspiel):
    proof = tmp_path / "kuhn.json"
    told = fogspiel("solve", "kuhn", "--refine", "quasi-perfect", "--certificate", proof).stdout
    assert "refined: quasi-perfect" in told and "(proved)" in told
    assert "; quasi-perfect" in fogspiel("verify", proof).stdout
    assert json.loads(fogspiel("verify", proof, "--json").stdout)["quasi_perfect"] is True
    assert "after its own mistake" in fogspiel("explain", proof).stdout
    assert "scores exactly" in fogspiel("match", "kuhn", proof, "uniform", "--exact").stdout
