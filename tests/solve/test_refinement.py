"""Refined strategies: as good as any against the stated opponent, without dominated actions, and proved."""

import copy
import json
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from support.certificates import reseal
from support.levels import default_cases
from support.plan_programs import PlanProgram

from fogspiel.core.find import load_game
from fogspiel.runs.kinds import solve
from fogspiel.runs.kinds.solve import solve_game
from fogspiel.runs.request import StoredAgent
from fogspiel.solving import refinement
from fogspiel.solving.known_values import known_values
from fogspiel.solving.methods import run_to_end
from fogspiel.solving.methods.lp import Simplex, _pack
from fogspiel.solving.proofs import verify
from fogspiel.solving.proofs.checkers import refined
from fogspiel.solving.proofs.checkers.tree import GamePositions
from fogspiel.solving.quasi_perfect import quasi_perfect
from fogspiel.solving.refinement import refine, uniform_behaviour
from fogspiel.solving.tree import build_tree, sequence_form
from fogspiel.solving.tree.sequence_form import best_total, exact_plan_of, infosets_of, plan_of

ACE = """EFG 2 R "Guess the Ace" { "Player 1" "Player 2" }
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


@cache
def solved(name, **options):
    return solve_game(name, **options)


def mean_score(certificate):
    first, second = map(Fraction, certificate["refinement"]["scores"])
    return (first - second) / 2


# Mean of both seats against uniform play, the most that any optimal strategies score; from PlanProgram, too.
FIGURES = {
    "kuhn": ("-1/18", 1 / 6),
    "goofspiel-4": ("0", 2 / 3),
    "liars-dice-4": ("1/16", 0.56996838),
    "leduc": (None, 0.74646734),
}


@pytest.mark.parametrize("name", default_cases(["kuhn", "goofspiel-4"], FIGURES))
def test_refined_strategies_score_the_most_against_uniform_play_and_keep_the_value(name):
    value, score = FIGURES[name]
    found = solved(name)
    assert float(mean_score(found.certificate)) == pytest.approx(score, abs=1e-8)
    plain = solved(name, refine="none", exact=True)
    assert found.value == plain.value == (value or plain.value) and "refinement" not in plain.certificate
    lower, upper = verify(found.certificate)
    assert lower == upper == Fraction(found.value)


@pytest.mark.slow
def test_liars_dice_with_six_sides_is_refined_on_request():
    found = solved("liars-dice-6", refine="uniform")
    assert float(mean_score(found.certificate)) == pytest.approx(0.70792212, abs=1e-8) and found.value == "-7/258"
    assert verify(found.certificate) == (Fraction(-7, 258),) * 2
    assert "refinement" not in solved("liars-dice-6", exact=True).certificate


@pytest.mark.interpreted
def test_after_the_mistake_of_the_ace_the_guess_is_right_51_times_of_52(tmp_path, fogspiel):
    file, proof = tmp_path / "ace.efg", tmp_path / "ace.json"
    file.write_text(ACE)
    assert fogspiel("solve", file, "--certificate", proof).returncode == 0
    body = json.loads(proof.read_text())
    assert [row["probabilities"] for row in body["strategies"][1]] == [["0", "1"]]
    assert body["refinement"]["scores"][1] == str(Fraction(-1000, 2) * Fraction(51, 52))
    assert "exactly 0" in fogspiel("verify", proof, "--source", file).stdout


@pytest.mark.parametrize("name", default_cases(["kuhn"], ["kuhn", "leduc", "liars-dice-4"]))
def test_scores_and_safe_scores_are_those_of_another_program(name):
    tree = build_tree(load_game(name))
    form = sequence_form(tree)
    certificate, stated = solved(name).certificate, []
    for player, treeplex in enumerate(form.treeplexes):  # a strategy that may not take every action
        choice = np.random.default_rng(player)
        stated.append([Fraction(1)])
        for _, _, count in infosets_of(treeplex):
            shares = choice.integers(0, 3, count) + np.eye(count, dtype=int)[0]
            stated[-1] += [Fraction(int(share), int(shares.sum())) for share in shares]
    optimal = run_to_end(refine(form, _optimal(form), tuple(stated)))
    for player in (0, 1):
        program = PlanProgram(form, player)
        value, _ = program.most(program.root())
        for opponents, safety, found in (
            (stated, 0, optimal),
            (stated, Fraction(1, 50), run_to_end(refine(form, _optimal(form), tuple(stated), Fraction(1, 50)))),
            (None, 0, None),
        ):
            theirs = form.treeplexes[1 - player]
            behaviour = opponents[1 - player] if opponents else uniform_behaviour(theirs)
            score = program.score(plan_of(theirs, np.array(behaviour, float)))
            most, _ = program.most(score, secured=value - float(safety) - 1e-9)
            told = found[player].score if found else Fraction(certificate["refinement"]["scores"][player])
            assert float(told) * (1 - 2 * player) == pytest.approx(most, abs=1e-5)
            if found:
                assert float(found[player].secured) * (1 - 2 * player) == pytest.approx(value - float(safety), abs=1e-9)


def _optimal(form):
    """Optimal strategies in fractions, not refined."""
    from fogspiel.solving.exact import exact_bounds
    from fogspiel.solving.methods.lp import equilibrium

    found = exact_bounds(form, 1, equilibrium(form, 1).point)
    assert found.proved
    return found.behaviours


TEN = (
    "kuhn",
    "leduc",
    "liars-dice-4",
    "goofspiel-4",
    "rps",
    "binary-poker",
    "morra",
    "rps-half",
    "ace",
    "random",
)


def dominated(form, player, behaviour):
    """The infosets where an action is played that another one dominates, whatever the opponent does.

    One-step lookahead: after either action the strategy goes on as it is; the opponent may do anything.
    """
    mine, theirs = form.treeplexes[player], form.treeplexes[1 - player]
    own, other = (form.columns, form.rows) if player else (form.rows, form.columns)
    gains, shares = np.zeros((mine.sequences, theirs.sequences)), np.array(behaviour, float)
    np.add.at(gains, (own, other), form.payoffs * (1.0 - 2 * player))
    found = []
    for number, (parent, first, count) in reversed([*enumerate(infosets_of(mine))]):
        here = range(first, first + count)
        for s in (s for s in here if behaviour[s]):
            for t in (t for t in here if t != s):
                more = gains[t] - gains[s]
                if -best_total(theirs, -more) > -1e-9 and best_total(theirs, more) > 1e-9:
                    found.append((number, s, t))
        gains[parent] += shares[first : first + count] @ gains[first : first + count]
    return found


@pytest.mark.parametrize(
    "name", [name if name in ("kuhn", "ace") else pytest.param(name, marks=pytest.mark.thorough) for name in TEN]
)
def test_no_dominated_action_is_played_on_or_off_the_path(name, tmp_path):
    if name == "random":
        from support.sequence_forms import random_form

        form = random_form(5, ((2, 8), (2, 8)), largest=50, density=0.3)
    elif name == "ace":
        from fogspiel.core.find import read_tree

        (tmp_path / "ace.efg").write_text(ACE)
        form = sequence_form(read_tree(str(tmp_path / "ace.efg")).tree(1))
    else:
        form = sequence_form(build_tree(load_game(name)))
    uniform = tuple(map(uniform_behaviour, form.treeplexes))
    plain = _optimal(form)
    found = run_to_end(refine(form, plain, uniform))
    for player in (0, 1):
        assert not dominated(form, player, found[player].behaviour)
        assert not dominated(form, player, quasi_perfect(form).behaviours[player])
    if name == "kuhn":
        assert any(dominated(form, player, plain[player]) for player in (0, 1))


def test_the_answer_does_not_depend_on_the_path_of_the_solver(monkeypatch):
    form = sequence_form(build_tree(load_game("leduc")))
    uniform = tuple(map(uniform_behaviour, form.treeplexes))
    optimal = _optimal(form)
    found = run_to_end(refine(form, optimal, uniform))

    class Another(Simplex):
        """The primal simplex method from another vertex, without presolve."""

        def _presolve(self):
            self._stage = 1

        def _slice(self, solver, iterations):
            solver.setOptionValue("simplex_strategy", 4)
            solver.setOptionValue("presolve", "off")
            solver.run()
            self._status = _pack(solver)
            return True

    monkeypatch.setattr(refinement, "Simplex", Another)
    other = run_to_end(refine(form, (found[0].behaviour, found[1].behaviour), uniform))
    for one, two, treeplex in zip(found, other, form.treeplexes, strict=True):
        assert exact_plan_of(treeplex, one.behaviour) == exact_plan_of(treeplex, two.behaviour)
        assert one.score == two.score
    assert exact_plan_of(form.treeplexes[0], optimal[0]) != exact_plan_of(form.treeplexes[0], found[0].behaviour)


# Tampering


def changes():
    """Changes of the refinement of Kuhn poker, each of which makes it false or malformed."""
    body = solved("kuhn").certificate
    refined = body["refinement"]
    for key in refined:
        yield f"without {key}", lambda r, key=key: r.pop(key)
    yield "a key more", lambda r: r.update(note="fine")
    for value in ("nonuniform", None, [], [[], []], refined["proofs"]):
        yield f"the opponent {str(value)[:9]}", lambda r, value=value: r.update(opponent=value)
    for value in ("1/10", "-1/10", "x", 0, "0/1"):
        yield f"the safety {value}", lambda r, value=value: r.update(safety=value)
    for player in (0, 1):
        for value in ("1", "-1", "0", "x", 0.5):
            yield f"score {player} {value}", lambda r, p=player, v=value: r["scores"].__setitem__(p, v)
        for value in ("0", "-8", "x", None, "1/1000"):
            yield f"weight {player} {value}", lambda r, p=player, v=value: r["weights"].__setitem__(p, v)
        for number, row in enumerate(refined["proofs"][player]):
            yield f"proof {player} without {number}", lambda r, p=player, n=number: r["proofs"][p].pop(n)
            if len(set(row["probabilities"])) > 1:
                yield (
                    f"proof {player} {number}",
                    lambda r, p=player, n=number: r["proofs"][p][n]["probabilities"].reverse(),
                )
    yield "proofs swapped", lambda r: r["proofs"].reverse()


CHANGES = list(changes())


@pytest.mark.interpreted
@pytest.mark.parametrize("change", [change for _, change in CHANGES], ids=[name for name, _ in CHANGES])
def test_a_changed_refinement_is_refused(change):
    body = copy.deepcopy(dict(solved("kuhn").certificate))
    change(body["refinement"])
    with pytest.raises(ValueError, match="certificate is not valid"):
        verify(reseal(body))


@pytest.mark.parametrize("side", [0, 1])
def test_a_row_that_is_no_best_response_after_a_mistake_is_refused(side):
    body = copy.deepcopy(dict(solved("leduc").certificate))
    rows, refuted = body["strategies"][side], 0
    played = {None: True}
    for number, row in enumerate(rows):
        after = None if row["after"] is None else tuple(row["after"])
        for action, share in zip(row["actions"], row["probabilities"], strict=True):
            played[number, action] = played[after] and share != "0"
        if not played[after] and refuted < 2:
            changed = copy.deepcopy(body)
            changed["strategies"][side][number]["probabilities"].reverse()
            if changed["strategies"][side][number] != row:
                with pytest.raises(ValueError, match="not a best response"):
                    verify(reseal(changed))
                refuted += 1
    assert refuted == 2


@pytest.fixture(scope="module")
def rounded():
    """Kuhn poker, refined in floating point."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(refinement, "vertex", lambda *given: None)
        return solve_game("kuhn").certificate


def test_where_fractions_are_too_hard_floats_are_refined_and_their_slack_is_proved(rounded):
    part = rounded["refinement"]
    assert verify(rounded) == (Fraction(-1, 18),) * 2 and mean_score(rounded) == pytest.approx(1 / 6, abs=1e-8)
    assert all(0 < Fraction(slack) < Fraction(1, 10**8) for slack in part["slack"])
    assert 0 < Fraction(part["safety"]) < Fraction(1, 10**8)


@pytest.mark.parametrize("name", ["slack", "secured", "scores", "weights"])
@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("more", ["1/1000000000", "-1/1000000000", None])
def test_a_changed_refinement_in_floating_point_is_refused(rounded, name, player, more):
    body = copy.deepcopy(dict(rounded))
    numbers = body["refinement"][name]
    numbers[player] = more and str(Fraction(numbers[player]) + Fraction(more))
    with pytest.raises(ValueError, match="certificate is not valid"):
        verify(reseal(body))


def test_a_refinement_in_floating_point_cannot_pass_for_an_exact_one(rounded):
    for keys in (["slack"], ["secured"], ["slack", "secured"], ["slack", "secured", "strategies"], ["strategies"]):
        body = copy.deepcopy(dict(rounded))
        for key in keys:
            del body["refinement"][key]
        with pytest.raises(ValueError, match="certificate is not valid"):
            verify(reseal(body))


def test_costs_that_leave_a_tie_are_noticed(monkeypatch):
    monkeypatch.setattr(refinement, "STEP", 1)  # all arbitrary costs are equal
    found = solve_game("goofspiel-4").certificate["refinement"]
    assert "slack" in found


def test_a_run_says_that_it_was_refined_in_floating_point(monkeypatch, rounded):
    (told,) = solve._chosen(rounded)
    assert "in floating point, at most 1.3e-09 below the best that secure as much (proved)" in told


@pytest.mark.interpreted
def test_sums_beyond_64_bits_are_not_refined(tmp_path, fogspiel):
    file, large = tmp_path / "ace.efg", "10000000000000000001"
    file.write_text(ACE.replace("1000", large))
    told = fogspiel("solve", file).stdout
    assert "exactly 0" in told and "not refined: sums of its payoffs" in told
    refused = fogspiel("solve", file, "--refine", "uniform")
    assert refused.returncode == 2 and "cannot be refined: sums of its payoffs" in refused.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("options", "because"),
    [
        (("--refine", "best"), "it must be auto, none, uniform or quasi-perfect"),
        (("--refine", "uniform", "--method", "cfr+"), "a refinement needs a vertex"),
        (("--against", "uniform", "--refine", "none"), "leave out --refine none"),
        (("--seat", "1"), "add --lock POLICY"),
        (("--lock", "uniform", "--seat", "3"), "it must be 1 or 2"),
        (("--lock", "uniform", "--lock-weight", "2"), "above 0 and at most 1"),
        (("--lock", "uniform", "--lock-weight", "1/0"), "must be a number, as in"),
        (("--lock", "uniform", "--lock-weight", "1/2"), "add --seat 1 or --seat 2"),
        (("--lock", "/dev/zero"), "'/dev/zero' is not a policy of kuhn: a table or a certificate ends with .json"),
        (("--safety", "0.1"), "add --against POLICY"),
        (("--against", "uniform", "--safety", "-1"), "it must be 0 or more"),
        (
            ("--against", "nobody"),
            "'nobody' is not a player of kuhn",
        ),
    ],
)
def test_questions_that_make_no_sense_are_refused(refused, options, because):
    refused("solve", "kuhn", *options, because=because)


def test_methods_with_strategies_of_their_own_are_not_refined(refused):
    refused("solve", "phantom-ttt", "--refine", "uniform", because="take --method lp")


def test_two_different_solutions_are_said_to_be_both_optimal(answer, fogspiel):
    old = Path(__file__).parents[1] / "golden" / "certificates" / "certificate-1.json"
    found = answer("exploit", "goofspiel-4", old, "solved")
    assert found["both_optimal"] and found["differing"] > 0
    assert "both optimal in both seats; they differ at" in fogspiel("exploit", "goofspiel-4", old, "solved").stdout
    assert answer("exploit", "kuhn", "solved", "solved")["differing"] == 0
    assert "both_optimal" not in answer("exploit", "kuhn", "solved", "uniform")


@pytest.mark.interpreted
def test_certificates_of_the_first_format_are_still_accepted():
    old = Path(__file__).parents[1] / "golden" / "certificates" / "certificate-1.json"
    body = json.loads(old.read_text(encoding="utf-8"))
    assert body["format"] == "fogspiel certificate 1" and verify(body) == (0, 0)


@pytest.mark.interpreted
def test_the_shipped_solutions_are_refined():
    found = {}
    for name, known in known_values().items():
        body = json.loads(known.shipped.read_text(encoding="utf-8")) if known.shipped else {}
        if body.get("format") == refined.FORMAT:
            found[name] = float(mean_score(body))
    assert len(found) == 12 and found["liars-dice-6"] == pytest.approx(0.70792212, abs=1e-8)
    assert all(found[name] == pytest.approx(score, abs=1e-8) for name, (_, score) in FIGURES.items())


def refused_as(body, sentence):
    with pytest.raises(ValueError, match=sentence):
        verify(reseal(body))


@pytest.mark.interpreted
def test_each_check_of_the_form_of_a_refinement_refuses_what_it_should():
    body = copy.deepcopy(dict(solved("kuhn").certificate))
    refused_as(body | {"refinement": body["refinement"] | {"note": "fine"}}, "must have exactly the keys")
    refused_as(body | {"refinement": sorted(body["refinement"])}, "must have exactly the keys")
    for row in body["strategies"][0]:
        row["probabilities"] = ["1/2", "1/2"]
    tree, plan = GamePositions(load_game("kuhn")), refined.plan_of(body["strategies"][0], "first")
    lower = refined.best_response_value(tree, refined.reached(plan), 0)
    refused_as(body | {"lower": str(lower)}, "a refinement needs an exact value")


@pytest.mark.interpreted
def test_a_strategy_that_risks_more_than_it_says_is_refused():
    body = copy.deepcopy(dict(solve_game("kuhn", against=StoredAgent("uniform"), safety="1/50").certificate))
    verify(body)
    body["refinement"]["safety"] = "1/1000"
    refused_as(body, "the strategy of the first player secures")
