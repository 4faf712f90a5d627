"""Spies who do not know each other: exact values, certificates, and joint replies by brute force."""

import copy
import json
from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from lone_spies import lone_game, solve
from support.certificates import reseal

from fogspiel.resistance import certificate
from fogspiel.resistance.checkers.lone_spies import FORMAT, verify
from fogspiel.resistance.explain import explain_lone_spies, follower
from fogspiel.resistance.game import SETUPS, Setup, name_of
from fogspiel.solving import proofs
from fogspiel.solving.sources import find_source

SMALL = Setup(4, 2, (2, 2, 2), (1, 1, 1), points=2)


@pytest.fixture(scope="module")
def small():
    return solve(lone_game(SMALL))


# Values


def mission_chances(setup, table, history, last):
    """The probability of each labelled mission after labelled missions with their numbers of sabotages."""
    signatures = [tuple(player not in mission for mission, _ in history) for player in range(setup.players)]
    groups, past = [tuple(range(setup.players))], []
    for number, (mission, sabotages) in enumerate(history):
        past.append(",".join(str(len(mission & set(group))) for group in groups) + f":{sabotages}")
        seen = sorted({signature[: number + 1] for signature in signatures})
        groups = [tuple(p for p in range(setup.players) if signatures[p][: number + 1] == s) for s in seen]
    row, size = table[" ".join(past)], setup.sizes[-1 if last else len(history)]
    for mission in map(frozenset, combinations(range(setup.players), size)):
        numbers = [len(mission & set(group)) for group in groups]
        share = Fraction(row.get(",".join(map(str, numbers)), "0"))
        ways = np.prod([comb(len(group), number) for group, number in zip(groups, numbers, strict=True)])
        if share:
            yield mission, share / int(ways)


def best_joint_plan(setup, table):
    """What the resistance wins against the best joint plan, each player's by what that player alone knows.

    Only for two spies and first missions of one player, where the public history tells each spy its own moves.
    """
    places = [(0, frozenset())] + [(1, frozenset([player])) for player in range(setup.players)]
    plans = list(product((False, True), repeat=len(places)))

    def won(spies, sabotage, history, score):
        if setup.points in score:
            return Fraction(score[0] == setup.points)
        last, total = score[1] == setup.points - 1, Fraction(0)
        for mission, chance in mission_chances(setup, table, history, last):
            if last:
                total += chance * (not mission & spies)
                continue
            place = places.index((len(history), history[0][0] if history else frozenset()))
            sabotages = sum(sabotage[spy][place] for spy in mission & spies)
            failed = sabotages >= setup.needed[len(history)]
            after = score[0] + (not failed), score[1] + failed
            total += chance * won(spies, sabotage, [*history, (mission, sabotages)], after)
        return total

    unit = 10**12
    sums = np.zeros((len(plans),) * setup.players, np.int64)
    exact = {}
    for pair in combinations(range(setup.players), 2):
        shape = [1] * setup.players
        shape[pair[0]] = shape[pair[1]] = len(plans)
        for first, second in product(range(len(plans)), repeat=2):
            both = {pair[0]: plans[first], pair[1]: plans[second]}
            exact[pair, first, second] = won(frozenset(pair), both, [], (0, 0))
        table_of = [[round(exact[pair, i, j] * unit) for j in range(len(plans))] for i in range(len(plans))]
        sums += np.array(table_of).reshape(shape)
    best = np.unravel_index(sums.argmin(), sums.shape)
    total = sum(exact[pair, best[pair[0]], best[pair[1]]] for pair in combinations(range(setup.players), 2))
    return total / comb(setup.players, 2)


@pytest.mark.parametrize(
    "setup",
    [
        Setup(3, 2, (1, 1, 1), (1, 1, 1), points=2),
        pytest.param(Setup(4, 2, (1, 1, 1), (1, 1, 1), points=2), marks=pytest.mark.thorough),
    ],
    ids=lambda setup: setup.players,
)
def test_no_joint_plan_of_spies_beats_the_strategy_of_the_resistance(setup):
    proof = solve(lone_game(setup))
    wins = (Fraction(proof["value"]) + 1) / 2
    assert 0 < wins < 1
    assert best_joint_plan(setup, proof["resistance"]) == wins


def test_not_knowing_each_other_costs_the_spies_something(small):
    assert Fraction(small["value"]) > Fraction(certificate.solve(SMALL)["value"])


@pytest.mark.slow
@pytest.mark.parametrize(("players", "value", "infosets"), [(5, "-1961/22785", 24578), (6, "-13129/83725", 187664)])
def test_the_official_games_are_solved_exactly(players, value, infosets):
    game = lone_game(SETUPS[players])
    assert game.form.sizes["infosets"][1] == infosets
    assert verify(solve(game)) == (Fraction(value),) * 2


# Words and refusals


def test_the_solution_can_be_read(small):
    lines = explain_lone_spies(small)
    assert lines[0].startswith("The Resistance with 4 players, 2 of them spies, who do not know each other")
    assert any(line.startswith("round 2, groups A B | C D, sabotages: A B had 0") for line in lines)
    assert len(explain_lone_spies(small, everything=True)) >= len(lines)
    with pytest.raises(ValueError, match="cannot be played here"):
        follower("it", small)


def test_the_package_says_where_the_solver_is():
    with pytest.raises(ValueError, match=r"benchmarks/lone_spies\.py"):
        find_source("lone-resistance5")


@pytest.mark.parametrize("setup", [SETUPS[7], Setup(5, 2, (3, 3, 3, 3, 2), (1,) * 5)], ids=name_of)
def test_larger_games_are_refused(setup):
    with pytest.raises(ValueError, match="6 players at most"):
        lone_game(setup)


# Tampering


def changed(*path, value):
    """What puts a value into a certificate, below some keys."""

    def change(body):
        for key in path[:-1]:
            body = body[key]
        body[path[-1]] = value

    return change


def without(*path):
    """What takes something out of a certificate."""

    def change(body):
        for key in path[:-1]:
            body = body[key]
        del body[path[-1]]

    return change


def renamed(side, old, new):
    """What gives an entry of a strategy another name."""

    def change(body):
        body[side][new] = body[side].pop(old)

    return change


FAULTS = {
    "no format": without("format"),
    "another format": changed("format", value="fogspiel resistance certificate 1"),
    "a format that is none": changed("format", value=7),
    "one key more": changed("note", value="trust me"),
    "no strategy": without("spies"),
    "no name": changed("game", value=None),
    "a name that is a list": changed("game", value=["lone-resistance5"]),
    "a name without lone": changed("game", value="resistance4-2-2-2-2spies"),
    "another game": changed("game", value="lone-resistance5"),
    "more spies": changed("game", value="lone-resistance4-2-2-2-3spies"),
    "fewer spies": changed("game", value="lone-resistance4-2-2-2-1spies"),
    "more players": changed("game", value="lone-resistance5-2-2-2-2spies"),
    "other missions": changed("game", value="lone-resistance4-1-2-2-2spies"),
    "a star": changed("game", value="lone-resistance4-2x2-2-2-2spies"),
    "written otherwise": changed("game", value="lone-resistance4-2x1-2-2-2spies"),
    "too many players": changed("game", value="lone-resistance7"),
    "a small last mission": changed("game", value="lone-resistance4-2-2-1-2spies"),
    "no game at all": changed("game", value="lone-" + "9" * 10**6),
    "other rules": changed("rules", value=2),
    "rules that are true": changed("rules", value=True),
    "a better value": changed("value", value="1"),
    "a better lower bound": changed("lower", value="1/2"),
    "a worse upper bound": changed("upper", value="1"),
    "a bound that is a number": changed("lower", value=0.25),
    "a bound with blanks": changed("upper", value=" 1"),
    "a huge bound": changed("upper", value="1/" + "9" * 10**6),
    "a strategy that is a list": changed("resistance", value=[]),
    "a strategy of lists": changed("spies", value={"2": []}),
    "an empty strategy": changed("resistance", value={}),
    "an empty row": changed("resistance", "", value={}),
    "a row that is text": changed("spies", "2", value="1"),
    "a mission that is too large": changed("resistance", "", value={"3": "1"}),
    "a mission of strangers": changed("resistance", "", value={"2,0": "1"}),
    "a mission that is a word": changed("resistance", "", value={"two": "1"}),
    "a probability above 1": changed("resistance", "", "2", value="2"),
    "a negative probability": changed("resistance", "", "2", value="-1"),
    "probabilities that are too small": changed("resistance", "", "2", value="1/2"),
    "a probability that is a number": changed("resistance", "", "2", value=1),
    "orders for strangers": changed("spies", "2", value={"3": "1"}),
    "orders that always tell all": changed("spies", "2", value={"2": "1"}),
    "orders that tell nobody": changed("spies", "2", value={"0": "1"}),
    "a situation more": changed("spies", "3", value={"1": "1"}),
    "a history more": changed("resistance", "2:7", value={"1,1": "1"}),
    "a situation of another name": renamed("spies", "2", "2 "),
    "a history of another name": renamed("resistance", "", "0"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_certificate_that_was_changed_is_refused_in_a_sentence(small, fault):
    body = copy.deepcopy(small)
    FAULTS[fault](body)
    with pytest.raises(ValueError, match="the certificate is not valid") as caught:
        verify(reseal(body))
    assert len(str(caught.value)) < 500


def test_a_true_certificate_holds(small):
    assert small["format"] == FORMAT
    lower, upper = proofs.verify(json.loads(json.dumps(small)))
    assert lower == upper == Fraction(small["value"])
    with pytest.raises(ValueError, match="its digest does not fit"):
        verify(small | {"value": "0"} if small["value"] != "0" else small | {"value": "1"})
