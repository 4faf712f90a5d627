"""Locked information states: the value of the rest, by another program; the proof, and what it refuses."""

import copy
import json
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from support.certificates import reseal
from support.plan_programs import PlanProgram

from fogspiel.core.agents import find_policy
from fogspiel.core.find import load_game
from fogspiel.core.game import known_game
from fogspiel.runs.agent_parser import find_agent
from fogspiel.runs.kinds.solve import solve_game
from fogspiel.runs.request import StoredAgent
from fogspiel.solving.policies import table_json
from fogspiel.solving.policies.exploitability import measure_policies, states_of
from fogspiel.solving.proofs import certificate_agent, verify
from fogspiel.solving.tree import build_tree, sequence_form
from fogspiel.solving.tree.sequence_form import infosets_of


@cache
def drawn(name, player):
    """Probabilities at about half of the infosets of a player: by infoset of the treeplex."""
    source, tree = np.random.default_rng(7), build_tree(load_game(name))
    found = {}
    for number, (_, _, count) in enumerate(infosets_of(tree.treeplex(player))):
        shares = [int(share) for share in source.integers(0, 4, count)]
        if source.random() < 0.5 and sum(shares):
            found[number] = [Fraction(share, sum(shares)) for share in shares]
    return found


@pytest.fixture(scope="module")
def policy_file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("policies")

    def written(name, player):
        game, path = known_game(name), folder / f"{name}-{player}.json"
        mine = [state for state in states_of(game, build_tree(game)) if state.player == player]
        rows = [(mine[number], shares) for number, shares in drawn(name, player).items()]
        path.write_text(json.dumps(table_json(game, rows)), encoding="utf-8")
        return StoredAgent(str(path))

    return written


def value_by_program(name, player, weight):
    """The first player's value if a player's policy is locked with this probability, by the player's own program."""
    form, weight = sequence_form(build_tree(load_game(name))), float(weight)
    locks = []
    infosets = [*infosets_of(form.treeplexes[player])]
    for number, shares in drawn(name, player).items():
        parent, first, _ = infosets[number]
        locks += [(parent, first + slot, float(share)) for slot, share in enumerate(shares)]
    program = PlanProgram(form, player)
    if weight == 1:
        value, _ = program.most(program.root(), locks)
    else:
        value = program.with_copy(locks, weight)
    return value * (1 - 2 * player)


GAMES = ("kuhn", "leduc", "liars-dice-4")
SLOWER = [pytest.param(name, marks=[] if name == "kuhn" else pytest.mark.thorough) for name in GAMES]


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("weight", ["1", "9/10"])
@pytest.mark.parametrize("name", SLOWER)
def test_locked_values_are_those_of_another_program(name, player, weight, policy_file):
    found = solve_game(name, lock=policy_file(name, player), seat=player + 1, lock_weight=weight)
    assert float(Fraction(found.value)) == pytest.approx(value_by_program(name, player, Fraction(weight)), abs=1e-7)
    lower, upper = verify(found.certificate)
    assert lower == upper == Fraction(found.value)
    assert len(found.certificate["lock"]["rows"][player]) == len(drawn(name, player))
    assert "refinement" in found.certificate


def test_both_seats_may_be_locked_and_a_response_to_all_of_a_policy_is_a_best_response():
    game = known_game("kuhn")
    found, other = (solve_game("kuhn", lock=StoredAgent("uniform"), seat=seat) for seat in (None, 2))
    assert found.value == "1/8" and all(len(rows) == 6 for rows in found.certificate["lock"]["rows"])
    uniform = find_policy(game, "uniform")
    assert Fraction(other.value) == measure_policies(game, uniform).best_replies[0]


@pytest.mark.parametrize("weight", ["1", "9/10"])
def test_the_rest_of_a_locked_game_is_chosen_against_a_policy(weight, policy_file):
    lock, against = policy_file("kuhn", 0), policy_file("kuhn", 1)
    given = {"lock": lock, "seat": 1, "lock_weight": weight}
    found, plain = solve_game("kuhn", **given, against=against), solve_game("kuhn", **given)
    assert verify(found.certificate) == verify(plain.certificate) and found.value == plain.value
    game = known_game("kuhn")
    told = Fraction(found.certificate["refinement"]["scores"][0])
    if weight == "1":  # then the agent that keeps to the lock is all of the strategy
        one, two = (certificate_agent("", solution.certificate, game) for solution in (found, plain))
        other = find_agent(game, against.spec)
        scores = [measure_policies(game, agent, other, missing="uniform").value for agent in (one, two)]
        assert float(scores[0]) == pytest.approx(float(told)) and scores[0] >= scores[1]
    assert found.certificate["refinement"]["opponent"] != "uniform"


@pytest.mark.parametrize("seat", [1, 2])
def test_a_locked_solution_plays_the_lock_and_its_rest(policy_file, seat):
    game = known_game("leduc")
    found = solve_game("leduc", lock=policy_file("leduc", seat - 1))
    agent = certificate_agent("locked", found.certificate, game)
    measured = measure_policies(game, agent, missing="uniform")
    assert measured.value == Fraction(found.value)
    mine = [state for state in states_of(game, build_tree(game)) if state.player == seat - 1]
    for number, shares in drawn("leduc", seat - 1).items():
        assert agent.action_probabilities(mine[number]) == shares
    # The other seat plays its best against what is locked and a best rest, so nobody there gains
    assert measured.gains[2 - seat] == 0


def test_states_of_a_tree_file_are_locked(tmp_path, fogspiel, answer):
    efg, table, proof = tmp_path / "cards.efg", tmp_path / "lock.csv", tmp_path / "lock.json"
    assert fogspiel("export-game", "kuhn", "--output", efg).returncode == 0
    efg.write_text(efg.read_text().replace("Kuhn", "Cards").replace("kuhn", "cards"))
    states = answer("exploit", efg, "uniform", "--worst", 20)["worst"]
    first = next(state for state in states if state["player"] == 1)
    names = list(first["probabilities"])
    lines = [f"1,{first['id']},{names[0]},0.25", f"1,{first['id']},{names[1]},0.75"]
    table.write_text("\n".join(["player,id,action,probability", *lines]), encoding="utf-8")
    found = answer("solve", efg, "--lock", table, "--certificate", proof)
    body = json.loads(proof.read_text())
    assert [len(rows) for rows in body["lock"]["rows"]] == [1, 0]
    assert set(body["lock"]["rows"][0][0]["probabilities"]) == {"1/4", "3/4"}
    checked = answer("verify", proof, "--source", efg)
    assert checked["lower"] == found["value"] and checked["locked"] == 1
    told = answer("exploit", efg, proof, "--missing", "uniform")
    assert told["value"] == pytest.approx(float(Fraction(found["value"])))


@pytest.mark.thorough
@pytest.mark.parametrize("weight", ["1", "9/10"])
def test_a_locked_solution_of_a_tree_file_plays_as_that_of_the_game(tmp_path, fogspiel, answer, weight):
    efg, told = tmp_path / "cards.efg", []
    assert fogspiel("export-game", "leduc", "--output", efg).returncode == 0
    efg.write_text(efg.read_text().replace("leduc", "cards").replace("Leduc", "Cards"))
    for game in ("leduc", efg):
        proof = tmp_path / f"{len(told)}.json"
        lock = ("--lock", "uniform", "--seat", 2, "--lock-weight", weight)
        found = answer("solve", game, *lock, "--certificate", proof)
        assert answer("verify", proof, "--source", game)["lower"] == found["value"]
        told.append(
            (found["value"], answer("exploit", game, proof, "--missing", "uniform")["fractions"]["best_replies"])
        )
    assert told[0] == told[1]


def test_a_locked_run_is_stored_resumed_and_explained(tmp_path, policy_file, fogspiel, answer, refused):
    path = policy_file("kuhn", 0).spec
    run = answer("solve", "kuhn", "--lock", path, "--seat", "1", "--store", tmp_path / "runs")["run"]
    rows = answer("explain", run, "--store", tmp_path / "runs")
    locked = [row for row in rows["first"] if row["reached"] == "locked"]
    assert len(locked) == len(drawn("kuhn", 0)) < len(rows["first"])
    assert fogspiel("match", "kuhn", run, "uniform", "--games", 100, "--store", tmp_path / "runs").returncode == 0
    refused("solve", "kuhn", "--lock", path, "--seat", "2", because="has no probabilities at any information state")


# Tampering


@cache
def certificate(weight):
    return solve_game("kuhn", lock=StoredAgent("uniform"), seat=1, lock_weight=weight, refine="none").certificate


def changes():
    """Changes of a certificate with locks, each of which makes it false or malformed."""
    lock = certificate("1/2")["lock"]
    for key in lock:
        yield f"without {key}", lambda b, key=key: b["lock"].pop(key)
    yield "without the lock", lambda b: b.pop("lock")
    yield "a key more", lambda b: b["lock"].update(note="fine")
    for value in ("1", "0", "1/3", "3/2", "-1/2", "x", 0.5, None):
        yield f"the weight {value}", lambda b, value=value: b["lock"].update(weight=value)
    for value in (None, [], [[], []], [[]], {}, "x"):
        yield f"rows {value}", lambda b, value=value: b["lock"].update(rows=value)
    yield "the other player's", lambda b: b["lock"]["rows"].reverse()
    for number, row in enumerate(lock["rows"][0]):
        for key, value in (
            ("history", [9]),
            ("history", "x"),
            ("view", row["view"][::-1]),
            ("view", [row["view"][0] + 7, *row["view"][1:]]),
            ("actions", row["actions"][::-1]),
            ("actions", [8, 9]),
            ("probabilities", ["1/3", "2/3"]),
            ("probabilities", ["1/2", "1/3"]),
            ("probabilities", ["0.5", "0.5"]),
        ):
            if key in ("history", "actions", "probabilities") or value != row["view"]:
                yield (
                    f"lock {number} with {key} {value}",
                    lambda b, n=number, key=key, value=value: b["lock"]["rows"][0][n].update({key: value}),
                )
        yield f"lock {number} twice", lambda b, n=number: b["lock"]["rows"][0].append(b["lock"]["rows"][0][n])
        yield f"lock {number} left out", lambda b, n=number: b["lock"]["rows"][0].pop(n)
    yield "another value", lambda b: b.update(value="0", lower="0", upper="0")


CHANGES = list(changes())


@pytest.mark.interpreted
@pytest.mark.parametrize("change", [change for _, change in CHANGES], ids=[name for name, _ in CHANGES])
def test_a_changed_lock_is_refused(change):
    assert len(CHANGES) >= 40
    body = copy.deepcopy(dict(certificate("1/2")))
    change(body)
    with pytest.raises(ValueError, match="certificate is not valid"):
        verify(reseal(body))


@pytest.mark.interpreted
def test_a_row_of_a_lock_has_its_keys_alone_and_a_weight_is_for_one_player():
    body = copy.deepcopy(dict(certificate("1/2")))
    body["lock"]["rows"][0][0]["note"] = "fine"
    with pytest.raises(ValueError, match="lock 0 of the first player must have exactly the keys"):
        verify(reseal(body))
    body = copy.deepcopy(dict(certificate("1/2")))
    body["lock"]["rows"][1] = body["lock"]["rows"][0]
    with pytest.raises(ValueError, match="a lock with a weight must be of one player"):
        verify(reseal(body))
    body["lock"]["weight"] = "1"
    with pytest.raises(ValueError, match=r"^(?!.*a lock with a weight)"):
        verify(reseal(body))
