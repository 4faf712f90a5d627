"""Vectors: what strategies get in each world, found by sweeps over points, saved, resumed, and proved."""

import copy
import json
import time
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from support.certificates import reseal

from fogspiel.games.boards.board import BOARDS
from fogspiel.solving.bounds import search_bounds
from fogspiel.solving.bounds.and_or_search import Fields
from fogspiel.solving.bounds.certificate import explain, make_certificate
from fogspiel.solving.bounds.point_based import PointSearch, proved_worth, vector_proof
from fogspiel.solving.bounds.window_regrets import round_row
from fogspiel.solving.bounds.windows import GRID, SHARES
from fogspiel.solving.proofs.checkers.phantom_bounds import FORMER, verify

TWO, THREE, FOUR = (BOARDS[f"ponnuki-{n}x{n}"] for n in (2, 3, 4))


def after_sweeps(board, player, sweeps, search=None):
    search = search or PointSearch(board, player)
    for _ in range(sweeps):
        search.sweep()
    return search


@cache
def white_on_2x2():
    """A proof by vectors for White on 2x2, the whole game with a worth for each world as well."""
    search = after_sweeps(TWO, 1, 2)
    nodes = vector_proof(search)
    worth = Fraction(nodes[-1].pop("worth"))
    nodes[-1] |= {"worths": [int(worth * GRID)] * 4, "unit": GRID}
    return json.loads(json.dumps(make_certificate("phantom-ponnuki-2x2", Fraction(0), [], 1 - worth, nodes)))


@pytest.mark.slow
def test_the_vectors_of_black_on_3x3_win_nearly_always():
    search = after_sweeps(THREE, 0, 4)
    worth = proved_worth(search.to_json())
    proof = make_certificate("phantom-ponnuki-3x3", worth, vector_proof(search), Fraction(1), [])
    assert verify(json.loads(json.dumps(proof)))[0] == worth > Fraction(999, 1000)


@pytest.mark.thorough
def test_the_whole_game_may_have_a_worth_for_each_world():
    assert Fraction(1, 2) <= verify(white_on_2x2())[1] < Fraction(501, 1000)


@pytest.mark.thorough
def test_a_proof_by_vectors_is_explained():
    lines = explain(white_on_2x2(), everything=True)
    assert "at most 50001/100000" in lines[0]
    assert any("node 0: with A1, 2 possible positions of the opponent, it gets 99999/100000" in line for line in lines)


def test_the_vectors_of_both_players_on_2x2_stay_within_the_value():
    for player in (0, 1):
        search = after_sweeps(TWO, player, 4)
        worth = proved_worth(search.to_json())
        nodes = vector_proof(search)
        proof = (worth, nodes, Fraction(1), []) if player == 0 else (Fraction(0), [], 1 - worth, nodes)
        lower, upper = verify(make_certificate("phantom-ponnuki-2x2", *proof))
        assert lower <= Fraction(1, 2) <= upper and (player or lower > 0)


def test_a_search_that_was_interrupted_goes_on_to_the_same_bytes():
    straight = json.dumps(after_sweeps(THREE, 0, 4).to_json())
    first = json.loads(json.dumps(after_sweeps(THREE, 0, 2).to_json()))
    other = PointSearch(THREE, 0)
    other.go_on_from(first)
    assert json.dumps(after_sweeps(THREE, 0, 2, other).to_json()) == straight


def test_a_sweep_that_is_stopped_in_the_middle_changes_nothing_that_was_saved():
    class Stop(Exception):
        pass

    looks = iter(range(100_000))

    def check():
        if next(looks) == 40:
            raise Stop

    search = PointSearch(THREE, 0, check)
    saved = None
    with pytest.raises(Stop):
        while True:
            search.sweep()
            saved = json.dumps(search.to_json())
    assert saved is None or saved == json.dumps(after_sweeps(THREE, 0, json.loads(saved)["sweeps"]).to_json())


def test_worlds_are_numbered_beside_the_own_stones():
    fields = Fields(THREE, 1)
    own = 1 << 4 | 1 << 0
    least, turns = fields.image(own)
    worlds = fields.worlds_beside(own)
    for turn in turns:
        ranks = fields.ranks_of(worlds, own, turn)
        assert sorted(ranks.tolist()) == list(range(len(worlds)))
        images = [
            sum(1 << int(THREE.symmetries[turn, c]) for c in range(9) if world >> c & 1) for world in worlds.tolist()
        ]
        assert fields.worlds_beside(least)[ranks].tolist() == images


def test_shares_add_up_and_small_ones_are_left_out():
    out = np.zeros(3, np.int64)
    round_row(np.array([0.6, 0.004, 0.396]), 0.01, SHARES, out)
    assert out.sum() == SHARES and out[1] == 0
    round_row(np.zeros(3), 0.01, SHARES, out)
    assert out.tolist() == [SHARES, 0, 0]


def root(proof):
    """The node of the whole game."""
    return proof["white"][-1]


def jump(proof):
    """How the whole game goes on after its first try, if that stays."""
    return root(proof)["rows"][0][0][3]


TAMPERED = {
    "a worth raised": lambda p: root(p)["worths"].__setitem__(2, GRID),
    "a worth raised a little": lambda p: root(p)["worths"].__setitem__(3, 50_001),
    "a worth more": lambda p: root(p)["worths"].append(0),
    "a worth less": lambda p: root(p)["worths"].pop(),
    "no worths": lambda p: root(p)["worths"].clear(),
    "worths that are none": lambda p: root(p).update(worths=None),
    "worths that are text": lambda p: root(p).update(worths="1" * 9),
    "worths that are a table": lambda p: root(p).update(worths={"0": 1}),
    "a worth that is text": lambda p: root(p)["worths"].__setitem__(0, "1"),
    "a worth that is a float": lambda p: root(p)["worths"].__setitem__(0, 0.5),
    "a worth that is true": lambda p: root(p)["worths"].__setitem__(0, True),
    "a worth that is a list": lambda p: root(p)["worths"].__setitem__(0, [1]),
    "a worth below 0": lambda p: root(p)["worths"].__setitem__(0, -1),
    "a worth above 1": lambda p: root(p)["worths"].__setitem__(0, root(p)["unit"] + 1),
    "a huge worth": lambda p: root(p)["worths"].__setitem__(0, 10**4000),
    "a unit of 0": lambda p: root(p).update(unit=0),
    "a unit below 0": lambda p: root(p).update(unit=-1),
    "a unit that is text": lambda p: root(p).update(unit="100000"),
    "a huge unit": lambda p: root(p).update(unit=10**4000),
    "a smaller unit": lambda p: root(p).update(unit=max(root(p)["worths"])),
    "no unit": lambda p: root(p).pop("unit"),
    "the best worth everywhere": lambda p: [node.update(worths=[GRID] * len(node["worths"])) for node in p["white"]],
    "worth and worths": lambda p: root(p).update(worth="1"),
    "neither worth nor worths": lambda p: root(p).pop("worths"),
    "a key more": lambda p: root(p).update(note="x"),
    "a world twice": lambda p: root(p)["worlds"].__setitem__(0, root(p)["worlds"][1]),
    "a world less": lambda p: root(p)["worlds"].pop(),
    "a world off the board": lambda p: root(p)["worlds"].__setitem__(0, 1 << 4),
    "a world that is text": lambda p: root(p)["worlds"].__setitem__(0, "1"),
    "a world below 0": lambda p: root(p)["worlds"].__setitem__(0, -1),
    "a world that is true": lambda p: root(p)["worlds"].__setitem__(0, True),
    "a world on own stones": lambda p: p["white"][0]["worlds"].__setitem__(0, p["white"][0]["own"]),
    "worlds that are a table": lambda p: root(p).update(worlds={}),
    "own stones off the board": lambda p: root(p).update(own=1 << 30),
    "own stones that are text": lambda p: root(p).update(own="16"),
    "other own stones": lambda p: p["white"][0].update(own=0),
    "no rows": lambda p: root(p).update(rows=[]),
    "an empty row": lambda p: root(p)["rows"].append([]),
    "a jump to itself": lambda p: jump(p)[0].__setitem__(0, len(p["white"])),
    "a jump by no symmetry": lambda p: jump(p)[0].__setitem__(1, 8),
    "a jump with more than 1 in all": lambda p: jump(p).append([0, 0, "1/2"]),
    "a jump that is broken": lambda p: jump(p).append([0]),
    "a probability above 1": lambda p: root(p)["rows"][0][0].__setitem__(1, "2"),
    "a try off the board": lambda p: root(p)["rows"][0][0].__setitem__(0, 9),
    "a row that leads back": lambda p: root(p)["rows"][0][0].__setitem__(2, 0),
    "another upper bound": lambda p: p.update(upper="0"),
    "another root": lambda p: p["white"].pop(),
    "nodes in another order": lambda p: p["white"].reverse(),
    "the former format": lambda p: p.update(format=FORMER),
    "a format to come": lambda p: p.update(format="fogspiel phantom bounds 3"),
    "the other player's nodes": lambda p: p.update(black=p["white"], white=[]),
}


def test_there_are_forty_ways_to_tamper():
    assert len(TAMPERED) >= 40


@pytest.mark.parametrize("way", TAMPERED)
def test_a_proof_by_vectors_that_was_tampered_with_is_refused_in_a_sentence_within_a_second(way):
    proof = copy.deepcopy(white_on_2x2())
    TAMPERED[way](proof)
    began = time.process_time()
    with pytest.raises(ValueError, match="the certificate is not valid: ") as caught:
        verify(reseal(proof))
    assert time.process_time() - began < 1
    assert len(str(caught.value)) < 300 and "\n" not in str(caught.value)


def test_a_format_of_before_is_still_read():
    proof = make_certificate("phantom-ponnuki-3x3", Fraction(0), [], Fraction(1), [])
    assert verify(reseal(proof | {"format": FORMER})) == (0, 1)


@pytest.mark.slow
def test_white_gets_more_than_an_eighth_on_4x4_within_a_cpu_minute():
    steps = search_bounds("phantom-ponnuki-4x4", 60.0)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            proof = end.value
            break
    assert verify(json.loads(json.dumps(proof)))[1] <= Fraction(876, 1000)
