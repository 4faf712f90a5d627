"""Probability matrices, the trees of approaches A, B and C, and the opponent's model."""

import time
from itertools import product

import numpy as np
import pytest
from support.levels import default_cases

from fogspiel.core.rng import random_below, stream_of
from fogspiel.games.chess.bitboards import KING, PAWN
from fogspiel.games.chess.fen import START, parse_move, parse_square, position_of
from fogspiel.games.chess.moves import LIMITS, is_legal, restrict
from fogspiel.games.chess.position import MEN, move_of
from fogspiel.kriegspiel.beliefs.matrix_motion import hear_our_tries, predict_capture, predict_quiet_move, tilt
from fogspiel.kriegspiel.beliefs.probability_matrices import (
    KINGS,
    KNOWN,
    PAWNS,
    PIECES,
    SURVEY,
    attacked_squares,
    clear_squares,
    lose_man,
    new_record,
    note_own_move,
    place_at_home,
    survey_board,
    total,
)
from fogspiel.kriegspiel.engine import SearchLimit
from fogspiel.kriegspiel.engines.mcts import ENGINES, ApproachC
from fogspiel.kriegspiel.engines.sampling import Random
from fogspiel.kriegspiel.game import rules
from fogspiel.kriegspiel.game.attempts import MESSAGE
from fogspiel.kriegspiel.parameters import (
    LATEST,
    MatrixParameters,
    attraction_of,
    count_placements,
    model_of,
    read_model,
    write_model,
)
from fogspiel.kriegspiel.referee import Referee, play_game
from fogspiel.kriegspiel.search.approach_a import Remedies, draw_fitting_board, empty_message_tree, play_boards
from fogspiel.kriegspiel.search.move_value import FEATURES, OUTCOMES, OUTLOOK, expected_value, weigh_outcomes

pytestmark = pytest.mark.interpreted

PARAMETERS = MatrixParameters().record
EVEN = np.ones((3, 64), np.float32)


def known_of(fen: str, colour: int = 0) -> np.record:
    """What a side knows for sure in a position."""
    pos, known = position_of(fen), new_record(KNOWN)
    known.men[:] = pos[: KING + 1] & pos[MEN + colour]
    known.own, known.colour, known.their_pawns, known.their_pieces = pos[MEN + colour], colour, 8, 7
    return known


def at_home(colour: int = 0) -> tuple[np.ndarray, np.record]:
    prob, known = np.zeros((3, 64), np.float32), known_of(START, colour)
    place_at_home(prob, known, colour)
    return prob, known


def survey_of(prob: np.ndarray, known: np.record) -> np.record:
    survey = new_record(SURVEY)
    survey_board(prob, known, PARAMETERS, survey)
    return survey


def games_of(first: str, second: str, games: int, nodes: int) -> list[Referee]:
    return [
        play_game(
            (
                ENGINES[first](SearchLimit(nodes=nodes), stream_of(seed, 1))
                if first in ENGINES
                else random_player(seed, 1),
                ENGINES[second](SearchLimit(nodes=nodes), stream_of(seed, 2))
                if second in ENGINES
                else random_player(seed, 2),
            ),
            Referee(),
            600,
        )
        for seed in range(games)
    ]


def random_player(seed: int, seat: int) -> Random:
    return Random(SearchLimit(nodes=1), stream_of(seed, seat))


def test_kernels_receive_every_parameter_under_its_name():
    for name in MatrixParameters.__dataclass_fields__:
        assert getattr(PARAMETERS, name) == getattr(MatrixParameters(), name)


def test_a_game_begins_with_one_king_eight_pawns_and_seven_pieces_at_home():
    prob, _ = at_home(colour=1)
    assert [total(prob, row) for row in range(3)] == [1, 8, 7]
    assert prob[KINGS, parse_square("e1")] == prob[PAWNS, parse_square("e2")] == prob[PIECES, parse_square("d1")] == 1


def test_control_counts_the_men_that_could_take_on_a_square():
    prob, known = at_home()
    survey = survey_of(prob, known)
    control, hazard = survey.control, survey.hazard
    assert control[PAWNS, parse_square("e6")] == pytest.approx(2)
    assert control[PAWNS, parse_square("a6")] == pytest.approx(1)
    assert control[PIECES, parse_square("c6")] == pytest.approx(4 / 7, abs=0.03)  # from b8 and d8; all lines are shut
    assert control[KINGS, parse_square("e7")] == 1
    assert hazard[0, parse_square("e4")] < 0.05 < hazard[0, parse_square("e6")]


def test_his_men_neither_vanish_nor_multiply_when_he_moves():
    prob, known = at_home()
    for _ in range(40):
        predict_quiet_move(prob, known, EVEN, False, PARAMETERS)
    assert total(prob, KINGS) == pytest.approx(1, abs=1e-3)
    assert total(prob, PAWNS) + total(prob, PIECES) == pytest.approx(15, abs=1e-2)
    assert total(prob, PAWNS) > 6 and prob.min() >= 0


def test_a_man_who_takes_ours_stands_there():
    prob, known = at_home()
    for _ in range(10):
        predict_quiet_move(prob, known, EVEN, False, PARAMETERS)
    square = parse_square("e4")
    clear_squares(prob, np.int64(1) << square, ~known.own)  # a man of ours stood there
    predict_capture(prob, known, square, 1, PARAMETERS)
    assert prob[:, square].sum() == pytest.approx(1, abs=1e-3)
    assert prob[PAWNS].sum() + prob[PIECES].sum() == pytest.approx(15, abs=1e-2)


@pytest.mark.parametrize("colour", [0, 1])
def test_castling_ends_with_the_rook_that_has_moved_or_was_taken(colour):
    rank = 56 * colour
    prob, known = at_home(colour)
    known.rights = 3 << 2 * colour
    note_own_move(prob, known, move_of(rank, rank + 1, 0), 0, rank + 1)
    assert known.rights == 1 << 2 * colour, "the king's side is left"
    lose_man(known, rank + 7)
    assert known.rights == 0


def test_without_a_try_his_men_are_not_where_our_pawns_take_and_with_tries_they_are():
    prob, known = at_home()
    for _ in range(10):
        predict_quiet_move(prob, known, EVEN, False, PARAMETERS)
    silent = prob.copy()
    hear_our_tries(silent, known, 0)
    assert silent[PAWNS:, parse_square("d3")].sum() < 0.1 * prob[PAWNS:, parse_square("d3")].sum() + 1e-6
    hear_our_tries(prob, known, 2)
    pairs = sum((2 if 0 < file < 7 else 1) * prob[PAWNS:, 16 + file].sum() for file in range(8))
    assert pairs == pytest.approx(2, abs=0.05)


def test_tilted_chances_expect_as_many_events_as_were_heard():
    chances, times = np.array([0.1, 0.5, 0.2]), np.array([1.0, 1.0, 2.0])
    tilt(chances, times, 3, 2.0)
    assert (chances * times).sum() == pytest.approx(2, abs=1e-6)
    assert chances[0] < chances[2] < chances[1]


def test_the_outcomes_of_a_move_are_all_there_is():
    prob, known = at_home()
    for _ in range(20):
        predict_quiet_move(prob, known, EVEN, False, PARAMETERS)
    features, outlook = new_record(FEATURES), new_record(OUTLOOK)
    chances, boards = np.empty(OUTCOMES), np.empty(OUTCOMES)
    for move in ("e2e4", "g1f3", "b1c3"):
        legal = weigh_outcomes(prob, known, parse_move(move), PARAMETERS, features, outlook, chances, boards)
        weighted = outlook.bonus + (chances * boards).sum()
        assert weighted == pytest.approx(expected_value(outlook, PARAMETERS), abs=1e-4)
        assert 0 < legal <= 1
        assert chances.sum() == pytest.approx(1)
        assert chances.min() >= 0


@pytest.mark.thorough
def test_the_bare_king_is_never_lost_from_the_matrices():
    # outside truth: the umpire's board; the king walks at random, the queen tries anything
    for seed in range(3):
        umpire, dice = Referee("8/8/3k4/8/8/8/2Q5/3K4 w - - 0 1"), stream_of(seed, 5)
        seer, walker = ApproachC(SearchLimit(nodes=1), stream_of(seed), opposed=(0, 0)), random_player(seed, 4)
        seer.begin(0)
        walker.begin(1)
        while not umpire.over and umpire.plies < 60:
            if umpire.mover == 1:
                umpire.attempt(walker.choose(umpire.view(1), umpire.actions))
                continue
            actions = umpire.actions
            seer.choose(umpire.view(0), actions)
            king = umpire.state[KING] & umpire.state[MEN + 1]
            net = int(attacked_squares(seer.known))
            assert sum(seer.prob[KINGS, s] for s in range(64) if king >> s & 1) > 0
            assert not any(seer.prob[KINGS, s] for s in range(64) if net >> s & 1)
            seer.last = actions[random_below(dice, len(actions))]
            seer.fresh = True
            umpire.attempt(seer.last)


@pytest.mark.thorough
def test_the_matrices_know_more_about_the_true_squares_than_mere_counts():
    # outside truth: the mean logarithm of the chance given to what really is on each square that is not ours
    told, blind = [], []
    for seed in range(4):
        umpire, seer, other = Referee(), ApproachC(SearchLimit(nodes=1), stream_of(seed)), random_player(seed, 1)
        seer.begin(0)
        other.begin(1)
        while not umpire.over and umpire.plies < 60:
            side = umpire.mover
            move = (seer, other)[side].choose(umpire.view(side), umpire.actions)
            if side == 0:
                his, own = int(umpire.state[MEN + 1]), int(seer.known.own)
                free = [square for square in range(64) if not own >> square & 1]
                rate = sum(his >> square & 1 for square in free) / len(free)
                for square in free:
                    chance = min(0.99, max(0.01, float(seer.prob[:, square].sum())))
                    told.append(np.log(chance if his >> square & 1 else 1 - chance))
                    blind.append(np.log(rate if his >> square & 1 else 1 - rate))
            umpire.attempt(move)
    assert np.mean(told) > 0.8 * np.mean(blind)  # both are negative


@pytest.mark.parametrize(
    "engine",
    default_cases([("C", 10, 1)], [("C", 10, 1), *product(["A", "B1", "B7", "C"], [60], [1, 2])]),
)
def test_an_engine_with_nodes_and_a_seed_is_deterministic(engine):
    (name, nodes, threads), records = engine, []
    for _ in range(2):
        player = ENGINES[name](SearchLimit(nodes=nodes, threads=threads), stream_of(4))
        other, umpire = random_player(4, 1), Referee()
        records.append(play_game((player, other), umpire, nodes // 4).record)
    assert records[0] == records[1]


def test_a_refused_attempt_leaves_the_rest_of_the_tree():
    umpire, engine = Referee(), ApproachC(SearchLimit(nodes=800), stream_of(3))
    engine.begin(0)
    first = engine.choose(umpire.view(0), umpire.actions)
    places = int(engine.trees[0].used[0])
    view = umpire.view(0)
    view[rules.SEEN_REFUSED + (first & 63)] |= 1 << (first >> 6 & 63)
    second = engine.choose(view, [action for action in umpire.actions if action != first])
    assert second != first
    assert int(engine.trees[0].used[0]) > places


@pytest.mark.thorough
def test_c_wins_against_a_random_mover():
    results = [umpire.payoff_index for umpire in games_of("C", "random", 4, 300)]
    assert results.count(2) >= 3


def test_a_drawn_board_has_our_men_and_as_many_of_his_as_are_left():
    prob, known = at_home()
    for _ in range(10):
        predict_quiet_move(prob, known, EVEN, False, PARAMETERS)
    pos, limits = np.empty(13, np.int64), np.empty(LIMITS, np.int64)
    assert draw_fitting_board(prob, known, 0, np.zeros(64, np.int64), pos, limits, True, stream_of(1))
    assert pos[MEN] == known.own
    assert int(pos[MEN + 1] & np.int64(2**63 - 1)).bit_count() + int(pos[MEN + 1] < 0) == 16
    restrict(pos, limits)
    assert is_legal(pos, limits, parse_move("e2e4")) in (True, False)


def test_approach_a_visits_its_root_once_for_every_board():
    prob, known = at_home()
    known.rights = 3
    tree = empty_message_tree(10_000)
    last = np.zeros(MESSAGE, np.int64)
    last[1] = -1
    play_boards(tree, prob, known, 0, np.zeros(64, np.int64), last, 0.7, Remedies(), stream_of(2), 50)
    assert tree.nodes[0].visits == 50
    assert 0 <= tree.nodes[0].outcomes <= 50


def test_a_model_counts_where_men_stood_in_the_records(tmp_path):
    umpires = [play_game((random_player(seed, 1), random_player(seed, 2)), Referee(), 60) for seed in range(6)]
    counts = sum(count_placements(umpire.record) for umpire in umpires)
    pawn_moves = sum(umpire.plies >= 1 for umpire in umpires)
    assert counts[0, KING, 0].sum() == pawn_moves == 6
    assert counts[0, PAWN, 0].sum() == 48
    model = model_of(counts)
    assert model.shape == (2, 6, LATEST, 64)
    assert np.allclose(model[:, KING].sum(axis=-1), 1, atol=1e-3)
    assert np.allclose(read_model(write_model(model, tmp_path / "model.npz")), model, atol=1e-3)
    attraction = attraction_of(model, 1, 3, 1.0)
    assert attraction.min() > 0
    assert np.allclose(attraction.mean(axis=1), 1, atol=1e-3)
    assert (attraction_of(None, 1, 3, 1.0) == 1).all()


def test_a_file_that_is_no_model_is_refused_with_a_sentence(tmp_path):
    path = tmp_path / "model.npz"
    path.write_text("nothing")
    with pytest.raises(ValueError, match="is not a model"):
        read_model(path)


@pytest.mark.slow
def test_c_searches_at_least_120_000_nodes_in_a_second():
    engine, umpire = ApproachC(SearchLimit(nodes=20_000), stream_of(1)), Referee()
    engine.begin(0)
    engine.choose(umpire.view(0), umpire.actions)
    engine.begin(0)
    engine.nodes = 0
    begun = time.process_time()
    engine.choose(umpire.view(0), umpire.actions)
    assert engine.nodes / (time.process_time() - begun) > 120_000


@pytest.mark.slow
def test_c_wins_nine_games_of_ten_against_a_random_mover():
    wins = sum(umpire.payoff_index == 2 for umpire in games_of("C", "random", 100, 2000))
    wins += sum(umpire.payoff_index == 0 for umpire in games_of("random", "C", 100, 2000))
    assert wins >= 180
