"""An analysis follows from one view, nodes and seed alone, and its figures mean what they say."""

import random

import numpy as np
import pytest
from support.levels import default_cases

from fogspiel.core.rng import stream_of
from fogspiel.games.chess.bitboards import QUEEN
from fogspiel.games.chess.fen import parse_move, parse_square
from fogspiel.kriegspiel.analysis import GameAnalysis, analyse, cost_of, look_back, rank_attempts
from fogspiel.kriegspiel.decisions import described_decision, filtered_decisions, replayed_decisions
from fogspiel.kriegspiel.engine import SearchLimit, find_engine
from fogspiel.kriegspiel.game import RULE_SETS, attempt_name, rules
from fogspiel.kriegspiel.inferences import AttemptTable, Boards, look, make_engine
from fogspiel.kriegspiel.pgn import read_pgn, write_pgn
from fogspiel.kriegspiel.referee import HouseRules, Referee, play_game
from fogspiel.kriegspiel.search.gain_tables import ILLEGAL

pytestmark = pytest.mark.thorough

LIGHT = SearchLimit(nodes=300)
NO_BOARDS = Boards(np.empty((0, 13), np.int64), np.empty(0))


@pytest.fixture(scope="module")
def umpires():
    """Some games of players who take what they can."""
    found = []
    for seed in range(6):
        players = tuple(
            find_engine(name)(LIGHT, stream_of(seed, side)) for side, name in enumerate(("greedy", "random"))
        )
        found.append(play_game(players, Referee(), 90))
    return found


def as_json(positions):
    return [position.to_json() for position in positions]


@pytest.mark.parametrize("side", (0, 1))
def test_views_of_filtered_games_are_those_of_the_referee(umpires, side):
    for umpire in umpires:
        decisions, _ = replayed_decisions(umpire.record, side)
        (reading,) = read_pgn(write_pgn(umpire.record, viewer=("white", "black")[side]))
        filtered = filtered_decisions(reading)
        assert [decision.action for decision in decisions] == [decision.action for decision in filtered]
        for one, other in zip(decisions, filtered, strict=True):
            assert np.array_equal(one.seen, other.seen), one.ply
            assert one.actions == other.actions


def test_what_can_be_tried_follows_from_the_view(umpires):
    for umpire in umpires[:3]:
        again = Referee()
        decisions = {side: iter(replayed_decisions(umpire.record, side)[0]) for side in (0, 1)}
        for action in umpire.record:
            assert sorted(next(decisions[again.mover]).actions) == sorted(again.actions)
            again.attempt(action)


def test_the_same_seed_and_nodes_give_the_same_analysis_of_a_game_or_of_one_turn(umpires):
    decisions, _ = replayed_decisions(umpires[0].record[:20], 0)
    first, second = (as_json(analyse(decisions, "hs", LIGHT, 3)) for _ in range(2))
    assert first == second and len(first) == sum(decision.action is not None for decision in decisions)
    ply = decisions[-2].ply
    here, again = (as_json(analyse(decisions, "hs", LIGHT, 3, only=ply)) for _ in range(2))
    assert here == again and {position["ply"] for position in here} == {ply}
    assert first != as_json(analyse(decisions, "hs", LIGHT, 4))


def twins(side, draws):
    """Two records that differ in what the other side did, with equal views of one side at every decision."""
    true, other = Referee(), Referee()
    while not true.over and len(true.record) < 60:
        action = draws.choice(true.actions)
        if true.mover == side:
            choices = [action]
        else:
            choices = draws.sample(other.actions, len(other.actions))
        found = None
        for choice in choices:
            trial, copy = (Referee() for _ in range(2))
            for past in true.record:
                trial.attempt(past)
            for past in other.record:
                copy.attempt(past)
            trial.attempt(action)
            copy.attempt(choice)
            if trial.mover == copy.mover and np.array_equal(trial.view(side), copy.view(side)):
                found = choice
                break
        if found is None:
            break
        true.attempt(action)
        other.attempt(found)
    return true, other


@pytest.mark.parametrize("side", (0, 1))
def test_equal_views_with_different_true_boards_give_byte_equal_analyses(side):
    pairs = [twins(side, random.Random(seed)) for seed in range(6)]
    different = [pair for pair in pairs if pair[0].fen != pair[1].fen]
    assert different
    for pair in different:
        first, second = (replayed_decisions(umpire.record, side)[0] for umpire in pair)
        assert [decision.action for decision in first] == [decision.action for decision in second]
        assert as_json(analyse(first, "hs", LIGHT)) == as_json(analyse(second, "hs", LIGHT))


def test_values_are_advantages_over_the_mean_attempt_and_costs_compare_the_same_boards():
    moves = np.array([parse_move(name) for name in ("a2a3", "b2b3", "c2d3")])
    gains = np.array([[100, -100, ILLEGAL]] * 30 + [[300, 100, 800]] * 10, np.int32)
    table = AttemptTable(gains, moves, NO_BOARDS, int(moves[0]), np.ones(40))
    attempts = rank_attempts(table)
    assert [one.move for one in attempts] == ["c2d3", "a2a3", "b2b3"]
    assert attempts[0].legal == 0.25 and attempts[0].error is None and attempts[0].gain == 8.0
    assert attempts[1].gain == pytest.approx(1.5) and attempts[1].legal == 1.0
    # on thirty boards a2a3 is the first legal attempt, which gains two pawns more; on ten it is c2d3, which gains seven
    cost, error = cost_of(table, attempts, int(moves[1]))
    assert cost == pytest.approx((30 * 2 + 10 * 7) / 40) and error > 0
    assert cost_of(table, attempts, int(moves[2]))[0] == 0.0
    assert cost_of(table, attempts, parse_move("h2h3")) == (None, None)


def test_copies_of_a_board_do_not_make_an_error_smaller():
    moves = np.array([parse_move("a2a3"), parse_move("b2b3")])
    few = np.array([[100, -100], [0, 40]], np.int32)
    tables = [
        AttemptTable(np.repeat(few, copies, axis=0), moves, NO_BOARDS, int(moves[0]), np.ones(2 * copies))
        for copies in (1, 500)
    ]
    errors = [{one.move: one.error for one in rank_attempts(table)}["a2a3"] for table in tables]
    assert errors[0] == pytest.approx(errors[1])


def test_messages_are_put_in_words():
    decision = described_decision(0, "8/8/8/8/4P3/8/8/4K3", "tries 1", refused="e4d5")
    (position,) = analyse([decision], "hs", SearchLimit(nodes=2000))
    said = " ".join(position.implied)
    assert "The other king is on one of" in said and "1 pawn capture is legal:" in said and "e4f5" in said
    assert "e4d5" not in {one.move for one in position.attempts}
    decision = described_decision(0, "8/8/8/8/8/8/PPP2PPP/R3K2R", "taken piece d5 check file", lost="2,3", taken="1,2")
    (position,) = analyse([decision], "hs", SearchLimit(nodes=2000))
    assert any(sentence.startswith("The check on the file comes from") for sentence in position.implied)
    assert any(sentence.startswith("What took on d5 is") for sentence in position.implied)
    assert position.tried is None and position.cost is None and position.accepted is None


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"men": "8/8/8/8/8/8/8/4k3"}, "White's own men only"),
        ({"men": "8/8/8/8/8/8/8/8"}, "one king"),
        ({"men": "8/8/8/8/8/8/8/P3K3"}, "first or the last rank"),
        ({"men": "4K3"}, "eight ranks"),
        ({"last": "taken pawn z9"}, "z9"),
        ({"last": "silence"}, "taken pawn d5 check file"),
        ({"last": "check up"}, "cannot be read"),
        ({"last": "taken pawn e1"}, "take it off"),
        ({"lost": "1"}, "pawns and pieces"),
        ({"taken": "9,9"}, "at most 8 pawns"),
        ({"castling": "KQ"}, "king and rook at home"),
        ({"castling": "kq"}, "castling is 'kq'"),
        ({"ply": 3}, "even number"),
        ({"refused": "e9"}, "e9"),
    ],
)
def test_a_view_that_cannot_be_is_refused_in_a_sentence(change, part):
    words = {"side": 0, "men": "8/8/8/8/8/8/8/4K3"} | change
    with pytest.raises(ValueError, match=part):
        described_decision(**words)


def test_only_engines_that_keep_boards_can_analyse():
    with pytest.raises(ValueError, match="keeps no boards in mind: an analysis needs one of fog, los, aosp, hs"):
        make_engine("greedy", LIGHT, 1, 0)


def test_beliefs_are_chances_of_men_that_are_left(umpires):
    decisions, truth = replayed_decisions(umpires[1].record[:60], 1)
    positions = list(analyse(decisions, "hs", LIGHT))
    for position, decision in zip(positions, decisions, strict=False):
        if position.boards == 0:
            continue
        assert sum(position.belief["king"]) == pytest.approx(1.0, abs=0.04)
        own = decision.seen[rules.SEEN_MEN : rules.SEEN_MEN + 6]
        for square in (square for square in range(64) if any(int(kind) >> square & 1 for kind in own)):
            assert all(row[square] == 0 for row in position.belief.values())
    boards = [board for decision, board in zip(decisions, truth, strict=True) if decision.action is not None]
    phases = look_back(positions, boards)
    assert sum(phase.decisions for phase in phases) == sum(position.boards > 0 for position in positions)
    assert phases[0].log_loss < phases[0].even_log_loss and phases[0].king_rank < 6


def test_the_first_position_is_known_for_certain():
    decisions, truth = replayed_decisions([], 0)
    (position,) = analyse(decisions, "hs", LIGHT)
    assert position.boards == 1 and position.belief["king"][parse_square("e8")] == 1.0
    assert position.implied == ("The other king is on e8 on all boards",)
    (phase,) = look_back([position], truth)
    assert phase.king_rank == 1.0 and phase.king_chance == 1.0


@pytest.mark.thorough
def test_the_worst_turns_are_moves_that_were_made(umpires):
    decisions, _ = replayed_decisions(umpires[2].record, 1)
    positions = tuple(analyse(decisions, "hs", LIGHT))
    found = GameAnalysis("hs", LIGHT, 1, 1, ("?", "?"), positions)
    costs = [position.cost for position in found.worst]
    assert len(costs) <= 5 and costs == sorted(costs, reverse=True) and all(one.accepted for one in found.worst)
    assert found.to_json()["worst"][0]["cost"] == costs[0]


@pytest.mark.parametrize("engine", ("los", "aosp"))
def test_other_sampling_engines_analyse_too(umpires, engine):
    decisions, _ = replayed_decisions(umpires[0].record[:30], 0)
    positions = list(analyse(decisions, engine, LIGHT))
    assert any(one.attempts and one.attempts[0].value is not None for one in positions)


def test_an_engine_that_is_asked_about_another_attempt_goes_on_with_that_one():
    decisions, _ = replayed_decisions([parse_move("e2e4"), parse_move("e7e5"), parse_move("d2d4")], 0)
    engine = make_engine("hs", LIGHT, 1, 0)
    for decision in decisions[:2]:
        look(engine, decision)
        assert engine.last == decision.action


def test_weights_of_boards_count_as_copies_of_them_would():
    moves = np.array([parse_move("a2a3"), parse_move("c2d3")])
    gains = np.array([[100, ILLEGAL], [300, 800]], np.int32)
    weighed = AttemptTable(gains, moves, NO_BOARDS, int(moves[0]), np.array([30.0, 10.0]))
    copied = AttemptTable(np.repeat(gains, (30, 10), axis=0), moves, NO_BOARDS, int(moves[0]), np.ones(40))
    assert rank_attempts(weighed) == rank_attempts(copied)
    attempts = rank_attempts(weighed)
    assert cost_of(weighed, attempts, int(moves[0])) == cost_of(copied, attempts, int(moves[0])) == (1.25, 1.875)


def test_fog_values_every_attempt_and_ranks_its_choice_first(umpires):
    decisions, truth = replayed_decisions(umpires[3].record[:60], 0)
    positions = list(analyse(decisions, "fog", SearchLimit(nodes=2000)))
    for position, decision in zip(positions, decisions, strict=False):
        offered = {action for action in decision.actions if action >> 12 in (0, QUEEN)}
        assert {parse_move(one.move) for one in position.attempts} == offered
        assert position.best == position.choice and position.boards > 0
        assert sum(position.belief["king"]) == pytest.approx(1.0, abs=0.04)
        assert all(0 <= one.legal <= 1 for one in position.attempts)
    boards = [board for decision, board in zip(decisions, truth, strict=True) if decision.action is not None]
    assert all(phase.log_loss < phase.even_log_loss for phase in look_back(positions, boards))
    assert as_json(positions) == as_json(analyse(decisions, "fog", SearchLimit(nodes=2000)))


def test_an_analysis_does_not_change_how_fog_plays(umpires):
    decisions, _ = replayed_decisions(umpires[3].record[:30], 0)
    chosen = []
    for _ in range(2):
        engine = find_engine("fog")(LIGHT, stream_of(1, 0))
        engine.begin(0)
        chosen.append([])
        for decision in decisions[:-1]:
            chosen[-1].append(engine.choose(decision.seen, decision.actions))
            engine.last = decision.action
        list(analyse(decisions, "fog", LIGHT))
    assert chosen[0] == chosen[1]


def test_against_a_lone_king_the_choice_and_the_squares_are_told():
    decision = described_decision(0, "8/8/8/8/8/8/4K3/R6R", taken="8,7", ply=60, refused="e2d3")
    (position,) = analyse([decision], "fog", LIGHT)
    assert position.attempts == () and position.evaluated == 0 and position.cost is None
    assert parse_move(position.choice) in decision.actions and position.best == position.choice
    assert position.implied == ("The other king stands alone, on one of 5 squares: c2, c3, c4, d4, e4",)
    assert position.boards == 5 and [chance for chance in position.belief["king"] if chance] == [0.2] * 5


@pytest.mark.parametrize("name", default_cases(["cincinnati", "rand"], RULE_SETS))
def test_games_by_every_rule_set_are_analysed(name):
    switches = HouseRules.usual(name)
    players = tuple(find_engine("greedy")(LIGHT, stream_of(5, side)) for side in (0, 1))
    umpire = play_game(players, Referee(switches=switches), 40)
    again = Referee(switches=switches)
    decisions = {side: replayed_decisions(umpire.record, side, switches=switches)[0] for side in (0, 1)}
    each = {side: iter(decisions[side]) for side in (0, 1)}
    for action in umpire.record:
        assert sorted(next(each[again.mover]).actions) == sorted(again.actions)
        again.attempt(action)
    for engine, side in (("fog", 0), ("hs", 1)):
        positions = list(analyse(decisions[side], engine, LIGHT))
        assert [one.tried for one in positions] == [
            attempt_name(one.action) for one in decisions[side] if one.action is not None
        ]
        asked = [one for one in positions if one.tried == "any"]
        assert bool(asked) == (name in ("berkeley-any", "english"))
        assert all(one.accepted and one.cost is None for one in asked)
        assert any(one.cost is not None for one in positions)


def test_filtered_games_of_other_rule_sets_are_refused_in_a_sentence():
    umpire = Referee(switches=HouseRules.usual("berkeley"))
    for move in ("e2e4", "e7e5", "g1f3"):
        umpire.attempt(move)
    text = write_pgn(umpire.record, viewer="white", switches=umpire.switches)
    with pytest.raises(ValueError, match="filtered by the rules berkeley"):
        filtered_decisions(read_pgn(text)[0])
