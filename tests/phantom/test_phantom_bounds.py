"""Beliefs, sure wins, the lemmas, and bounds on phantom ponnuki with their proofs."""

import copy
import itertools
import json
import random
from fractions import Fraction

import numpy as np
import pytest
from support.certificates import reseal

from fogspiel.games.boards.board import BOARDS, GOES_ON, ILLEGAL, WINS
from fogspiel.papers.claims import Verdict
from fogspiel.papers.teytaud2011 import cells, matrix_node, ponnuki_claims, step_claims
from fogspiel.solving import bounds
from fogspiel.solving.bounds import search_bounds
from fogspiel.solving.bounds.and_or_search import REFUTED, AndOrSearch
from fogspiel.solving.bounds.beliefs import (
    DRAWN,
    LOST,
    WON,
    Beliefs,
    PerfectInformation,
    dominating_try,
)
from fogspiel.solving.bounds.information_relaxation import Relaxation, solve_informed_once
from fogspiel.solving.bounds.sure_win import find_sure_win, random_play_bounds
from fogspiel.solving.methods import run_to_end
from fogspiel.solving.proofs.checkers.phantom_bounds import PonnukiRules, verify

TWO, THREE, FOUR = (BOARDS[f"ponnuki-{n}x{n}"] for n in (2, 3, 4))


def result_of(name, seconds=60.0, saved=None):
    """The certificate of a run of bounds, with its steps."""
    steps, running = [], search_bounds(name, seconds, 1.0, saved)
    while True:
        try:
            steps.append(next(running))
        except StopIteration as end:
            return end.value, steps


def positions(board, count, seed):
    """Positions that random games lead to: who moves, the mover's stones, the other's."""
    draw = random.Random(seed)
    while count:
        stones, player = [0, 0], 0
        while True:
            yield player, stones[player], stones[1 - player]
            count -= 1
            moves = [c for c in range(board.cells) if board.fate(player, *_seen(stones, player), c) == GOES_ON]
            if not moves or not count:
                break
            stones[player] |= 1 << draw.choice(moves)
            player = 1 - player


def _seen(stones, player):
    return stones[player], stones[1 - player]


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_the_checker_has_the_same_rules(size):
    board, rules = BOARDS[f"ponnuki-{size}x{size}"], PonnukiRules(size, size)
    words = {ILLEGAL: "illegal", GOES_ON: "legal", WINS: "wins"}
    for player, own, other in positions(board, 200, 2):
        for cell in range(board.cells):
            assert rules.fate(own, other, cell) == words[board.fate(player, own, other, cell)]
    assert sorted(rules.turns) == board.symmetries.tolist()


def test_a_belief_is_split_and_answered_like_all_its_worlds():
    beliefs, own = Beliefs(THREE, 0), 1 << 4
    worlds = np.array([1 << a | 1 << b for a, b in itertools.combinations([0, 1, 2, 3, 5], 2)], np.int64)
    worlds.sort()
    for cell in range(9):
        fates = [THREE.fate(0, own, int(w), cell) for w in worlds]
        split = beliefs.split(own, worlds, cell)
        assert split.illegal.tolist() == [w for w, f in zip(worlds.tolist(), fates, strict=True) if f == ILLEGAL]
        assert split.going.tolist() == [w for w, f in zip(worlds.tolist(), fates, strict=True) if f == GOES_ON]
        assert split.wins == fates.count(WINS)
    after, losses = beliefs.after_answer(own, worlds)
    answers = {w: [THREE.fate(1, w, own, c) for c in range(9)] for w in worlds.tolist()}
    assert set(after.tolist()) == {w | 1 << c for w, fates in answers.items() for c in range(9) if fates[c] == GOES_ON}
    assert losses == sum(WINS in fates for fates in answers.values())


def test_white_wins_2x2_and_4x4_with_open_eyes_and_black_3x3():
    assert [PerfectInformation(board).outcome(0, 0, 0) for board in (TWO, THREE, FOUR)] == [LOST, WON, LOST]


def test_tic_tac_toe_is_a_draw_with_open_eyes():
    assert PerfectInformation(BOARDS["ttt"]).outcome(0, 0, 0) == DRAWN


def test_a_look_with_open_eyes_can_be_limited_and_then_repeated_without_limit():
    eyes = PerfectInformation(FOUR)
    assert eyes.outcome(0, 0, 0, 50) is None
    assert eyes.outcome(0, 0, 0) == LOST


def plain_sure(board, player, own, worlds):
    """The definition of a sure win, without any of the search's devices."""
    for cell in range(board.cells):
        fates = {w: board.fate(player, own, w, cell) for w in worlds}
        illegal = frozenset(w for w in worlds if fates[w] == ILLEGAL)
        going = [w for w in worlds if fates[w] == GOES_ON]
        if len(illegal) == len(worlds):
            continue
        mine = own | 1 << cell
        answers = [(w, c, board.fate(1 - player, w, mine, c)) for w in going for c in range(board.cells)]
        if any(verdict == WINS for _, _, verdict in answers):
            continue
        after = frozenset(w | 1 << c for w, c, verdict in answers if verdict == GOES_ON)
        if (not after or plain_sure(board, player, mine, after)) and (
            not illegal or plain_sure(board, player, own, illegal)
        ):
            return True
    return False


def test_the_search_agrees_with_the_definition_of_a_sure_win():
    draw = random.Random(3)
    search = [AndOrSearch(THREE, player) for player in (0, 1)]
    for _ in range(60):
        places = draw.sample(range(9), 7)
        player = draw.randrange(2)
        own = sum(1 << c for c in places[: 2 + player % 1])
        free = [c for c in range(9) if not own >> c & 1]
        count = 2 + player
        worlds = {sum(1 << c for c in draw.sample(free, count)) for _ in range(draw.randrange(1, 6))}
        worlds = {w for w in worlds if all(THREE.fate(player, own, w, c) != WINS for c in range(9))} or {
            sum(1 << c for c in free[:count])
        }
        expected = plain_sure(THREE, player, own, frozenset(worlds))
        assert search[player].is_sure_win(own, np.array(sorted(worlds), np.int64)) == expected


def openings(board):
    """The first cells from which the other search finds a sure win."""
    return [cell for cell in range(board.cells) if find_sure_win(board, cell).won]


@pytest.mark.parametrize("devices", [{}, {"dominance": False}, {"dominance": False, "pruning": False}])
def test_black_wins_3x3_for_sure_from_the_centre_only(devices):
    search = AndOrSearch(THREE, 0, **devices)
    found = []
    for cell in range(9):
        worlds, _ = search.beliefs.after_answer(1 << cell, np.array([0], np.int64))
        if search.is_sure_win(1 << cell, worlds):
            found.append(cell)
    assert found == [4] == openings(THREE)


def test_nobody_wins_2x2_or_4x4_for_sure():
    for board in (TWO, FOUR):
        assert openings(board) == []
        white = AndOrSearch(board, 1)
        assert not white.is_sure_win(0, white.beliefs.start)


def test_a_search_that_is_stopped_goes_on_from_its_table():
    search = AndOrSearch(FOUR, 0, dominance=False, pruning=False)
    own = cells("C3", "B2")
    worlds, _ = search.beliefs.after_answer(own, np.array([1 << c for c in range(16) if not own >> c & 1], np.int64))
    steps = search.steps(own, worlds)
    for _ in range(200):
        next(steps)
    assert search.nodes == 199 and len(search.table) < 199
    other = AndOrSearch(FOUR, 0, dominance=False, pruning=False)
    other.table = dict(search.table)
    assert other.winning_try(own, worlds) != REFUTED
    alone = AndOrSearch(FOUR, 0, dominance=False, pruning=False)
    assert alone.is_sure_win(own, worlds) and other.nodes < alone.nodes


def test_a_search_without_time_says_that_it_does_not_know():
    *_, last = search_bounds("phantom-ponnuki-5x5", seconds=0.0)
    assert last.remark.startswith("not decided")


def test_a_belief_without_worlds_is_refused():
    with pytest.raises(ValueError, match="without worlds"):
        AndOrSearch(TWO, 0).is_sure_win(0, np.array([], np.int64))


def test_lemma_1_counts_three_kinds_of_cells():
    assert FOUR.orbits == [[0, 3, 12, 15], [1, 2, 4, 7, 8, 11, 13, 14], [5, 6, 9, 10]]


def test_lemma_3_finds_the_three_tries_that_win_or_tell_at_the_end_of_3x3():
    beliefs = Beliefs(THREE, 0)
    own, white = 0b010_110_000, 0b001_000_000
    worlds = np.array([white | 1 << a | 1 << b for a, b in itertools.combinations((0, 1, 2, 3), 2)], np.int64)
    worlds.sort()
    found = []
    while len(worlds) and (cell := dominating_try(beliefs.tally(own, worlds))) is not None:
        assert {THREE.fate(0, own, int(w), cell) for w in worlds} in ({ILLEGAL, WINS}, {WINS})
        worlds = beliefs.split(own, worlds, cell).illegal
        found.append(cell)
    assert found == [0, 1, 2]


def test_lemma_4_gives_the_papers_odds_to_the_player_who_wins_with_open_eyes():
    assert random_play_bounds(FOUR) == (None, (0, 1 - Fraction(1, 2027025)))
    assert random_play_bounds(THREE) == (4, (Fraction(1, 105), 1))


@pytest.mark.thorough
def test_the_matrix_game_of_the_paper_is_worth_a_half_exactly():
    own, worlds = matrix_node()
    exact, game = solve_informed_once(FOUR, 0, own, worlds)
    assert len(worlds) == 27 and game.histories > 50_000
    assert exact.lower == exact.upper == Fraction(1, 2)


@pytest.mark.thorough
def test_the_three_strengths_of_lemma_2_are_in_order_at_the_matrix_game():
    own, worlds = matrix_node()
    relaxation = Relaxation(FOUR, 0)
    every = relaxation.guarantee(own, worlds)
    later = run_to_end(relaxation.solve(relaxation.relaxed_game(own, worlds, 2)))
    assert every <= later + 1e-9 and later == pytest.approx(0.5)


def test_every_step_of_the_papers_proof_is_a_sure_win():
    assert {claim.verdict(0.05) for claim in step_claims()} == {Verdict.HOLDS}


@pytest.mark.slow
def test_all_claims_about_ponnuki_are_right():
    assert {claim.verdict(0.05) for claim in ponnuki_claims()} <= {Verdict.HOLDS, Verdict.NEW}


@pytest.mark.parametrize(("name", "value"), [("phantom-ponnuki-2x2", "1/2"), ("phantom-ponnuki-3x3", "1")])
def test_small_boards_are_solved_with_a_proof(name, value):
    result, _ = result_of(name)
    assert (result["lower"], result["upper"]) == (value, value)
    proof = json.loads(json.dumps(result))
    assert verify(proof) == (Fraction(value), Fraction(value))


def broken(proof, change):
    """A copy of a proof with a change and a digest that fits it."""
    copied = copy.deepcopy(proof)
    change(copied)
    return reseal(copied)


def test_a_proof_that_was_tampered_with_is_refused_with_a_sentence():
    proof = result_of("phantom-ponnuki-2x2")[0]
    changes = {
        "claims the lower bound": lambda p: p.update(lower="3/4"),
        "exactly the keys": lambda p: p.update(more=1),
        "its format": lambda p: p.update(format="another"),
        "its game": lambda p: p.update(game="phantom-ttt-abrupt"),
        "but guarantees": lambda p: p["black"][-1].update(worth="1"),
        "is not the beginning": lambda p: p["white"][-1].update(worlds=[1]),
        "not 1 in all": lambda p: p["black"][-1]["rows"][0][0].__setitem__(1, "1/7"),
        "no earlier node": lambda p: p["black"][-1]["rows"][0][0].__setitem__(3, [[5, 0, "1"]]),
        "row that does not exist": lambda p: p["black"][-1]["rows"][0][0].__setitem__(3, 99),
        "leads back": lambda p: p["black"][-1]["rows"][0][0].__setitem__(2, 0),
        "has no worlds": lambda p: p["black"][-1].update(worlds=[]),
        "lowest terms": lambda p: p.update(upper="2/4"),
        "is not possible": lambda p: p["black"][-1].update(worlds=[1 << 9]),
    }
    for sentence, change in changes.items():
        with pytest.raises(ValueError, match=f"the certificate is not valid: .*{sentence}"):
            verify(broken(proof, change))
    with pytest.raises(ValueError, match="digest does not fit"):
        verify(proof | {"lower": "1/3"})


def test_giving_up_anywhere_in_a_proof_lowers_what_it_guarantees():
    proof = result_of("phantom-ponnuki-3x3")[0]
    refused = 0
    for node, body in enumerate(proof["black"]):
        for place in (2, 3):
            if body["rows"][0][0][place] is not None:

                def give_up(p, node=node, place=place):
                    p["black"][node]["rows"][0][0][place] = None

                with pytest.raises(ValueError, match="but guarantees 0"):
                    verify(broken(proof, give_up))
                refused += 1
    assert refused >= 10


def test_bounds_of_another_game_are_refused():
    with pytest.raises(ValueError, match="there are no bounds for"):
        next(search_bounds("phantom-ttt-abrupt"))
    with pytest.raises(ValueError, match="the saved bounds are of"):
        next(search_bounds("phantom-ponnuki-4x4", saved={"game": "phantom-ponnuki-5x5"}))


@pytest.mark.interpreted
def test_bounds_without_time_are_the_trivial_ones():
    for name in ("phantom-ponnuki-4x4", "phantom-ponnuki-5x5"):
        result, _ = result_of(name, 0.0)
        assert (result["lower"], result["upper"]) == ("0", "1") and verify(result) == (0, 1)


def test_a_search_goes_on_from_what_was_saved():
    _, steps = result_of("phantom-ponnuki-3x3")
    saved = json.loads(json.dumps(steps[-1].saved)) | {"lower": "0", "black": []}
    result, again = result_of("phantom-ponnuki-3x3", 60.0, saved)
    assert result["lower"] == "1" and again[-1].remark.startswith("Black wins for sure after")
    assert verify(result) == (1, 1)


@pytest.mark.slow
def test_black_gets_three_quarters_on_4x4_and_the_work_can_be_interrupted(monkeypatch):
    monkeypatch.setattr(bounds, "MANY", 0)  # no sweeps of White's search, whose work would not end
    _, steps = result_of("phantom-ponnuki-4x4", 8.0)
    saved = json.loads(json.dumps(steps[-1].saved)) if steps else None
    result, _ = result_of("phantom-ponnuki-4x4", 600.0, saved)
    assert Fraction(result["lower"]) == Fraction(3, 4)
    assert verify(json.loads(json.dumps(result)))[0] == Fraction(3, 4)
