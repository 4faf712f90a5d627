"""The programs of Ciancarini and Favini (2010) as printed: equations, messages, names, and games."""

import numpy as np
import pytest

from fogspiel.core.rng import stream_of
from fogspiel.games.chess.bitboards import KNIGHT, ROOK
from fogspiel.games.chess.position import PAWN, POSITION, move_of
from fogspiel.kriegspiel.beliefs.probability_matrices import (
    KINGS,
    KNOWN,
    PAWNS,
    PIECES,
    SURVEY,
    new_record,
    place_at_home,
    survey_board,
)  # fmt: skip
from fogspiel.kriegspiel.engine import SearchLimit, engine_file, engines, find_engine
from fogspiel.kriegspiel.referee import Referee, play_game
from fogspiel.kriegspiel.search import approach_a
from fogspiel.kriegspiel.search.move_value import CHECK, MOVED_TAKEN, NOTHING, OUTCOMES, PAWN_TAKEN, REPLIES, SILENT
from fogspiel.papers.ciancarini2010 import abstract_model, figure10
from fogspiel.papers.ciancarini2010.abstract_model import FITTED_C, exchange
from fogspiel.papers.kinds import find_experiment
from fogspiel.runs.requests import PaperRequest

CONSTANTS, PRINTED = FITTED_C[0].opponent(by_exposure=False), FITTED_C[0].matrices
A1, A8, E1, E2, E4, E8, D1, H8 = 0, 56, 4, 12, 28, 60, 3, 63


def lonely(men, prob):
    """Known facts with these men of ours (White), and their men by row and square."""
    known, matrices = new_record(KNOWN), np.zeros((3, 64), np.float32)
    known.colour = 0
    for kind, square in men:
        known.men[kind] |= 1 << square
        known.own |= 1 << square
    for row, square, chance in prob:
        matrices[row, square] = chance
    known.their_pawns, known.their_pieces = round(matrices[PAWNS].sum()), round(matrices[PIECES].sum())
    survey = new_record(SURVEY)
    survey_board(matrices, known, PRINTED.record, survey)
    return matrices, known, survey


def test_a_move_is_legal_with_the_product_over_its_path():
    men = [(5, E1), (ROOK, A1)]
    prob, known, survey = lonely(men, [(PIECES, A8 - 16, 0.25), (PAWNS, 24, 0.5), (KINGS, H8, 1.0)])
    legal = abstract_model.prob_legal(prob, known, survey, ROOK, A1, A8)
    assert legal == pytest.approx((1 - 0.25) * (1 - 0.5), abs=1e-6)
    assert abstract_model.prob_legal(prob, known, survey, ROOK, A1, 16) == pytest.approx(1.0)


def test_a_man_before_its_king_is_pinned_by_the_control_of_its_square_and_a_king_by_that_of_its_end():
    men = [(5, E1), (KNIGHT, E2)]
    prob, known, survey = lonely(men, [(PIECES, E8, 0.7), (KINGS, H8, 1.0)])
    control = abstract_model.prob_control(survey, E2)
    assert 0 < control < 3 / 7
    assert abstract_model.prob_legal(prob, known, survey, KNIGHT, E2, 22) == pytest.approx(1 - control, abs=1e-6)
    there = abstract_model.prob_control(survey, D1)
    assert abstract_model.prob_legal(prob, known, survey, 5, E1, D1) == pytest.approx(1 - there, abs=1e-6)


def outcomes(men, prob, kind, start, end):
    matrices, known, survey = lonely(men, prob)
    chances, values = np.zeros(OUTCOMES), np.zeros(OUTCOMES)
    record = PRINTED.record
    abstract_model.get_outcome_probabilities(
        matrices, known, kind, move_of(start, end, 0), survey, CONSTANTS, record, chances, values
    )
    return chances.reshape(-1, REPLIES), values.reshape(-1, REPLIES), known


def test_the_messages_have_the_probabilities_of_section_5_2():
    men = [(5, E1), (ROOK, A1)]
    prob = [(PAWNS, A8 - 8, 0.4), (PIECES, A8 - 8, 0.1), (KINGS, H8, 1.0)]
    chances, values, known = outcomes(men, prob, ROOK, A1, A8 - 8)
    assert chances.sum() == pytest.approx(1.0)
    assert chances[PAWN_TAKEN].sum() == pytest.approx(0.4, abs=1e-6)
    balance = abstract_model.material_balance(known, CONSTANTS.theirs)
    assert values[SILENT, NOTHING] == balance and values[PAWN_TAKEN, NOTHING] == balance + 1
    retaliated = chances[PAWN_TAKEN, MOVED_TAKEN] / chances[PAWN_TAKEN].sum()
    assert retaliated >= CONSTANTS.retaliation - 1e-6


def test_a_check_has_the_chance_of_the_king_on_a_threatened_square_and_its_man_is_taken_by_a_constant_chance():
    chances, _, _ = outcomes([(5, E1), (ROOK, A1)], [(KINGS, A8, 0.6), (KINGS, H8, 0.4)], ROOK, A1, 7 + 56 - 8)
    assert chances[CHECK].sum() == pytest.approx(0.4, abs=1e-6)
    chances, _, _ = outcomes([(5, E1), (ROOK, 1)], [(KINGS, A8, 0.6), (KINGS, 30, 0.4)], ROOK, 1, 8)
    damped = 0.6 * PRINTED.damping**5
    assert chances[CHECK].sum() == pytest.approx(damped, abs=1e-5)
    assert chances[CHECK, MOVED_TAKEN] / chances[CHECK].sum() >= CONSTANTS.checker_taken - 1e-6


@pytest.mark.parametrize(
    ("protectors", "control", "gain"), [(0, 1.0, 0.0), (1, 1.0, 1.0), (1, 2.0, 0.0), (2, 2.0, 1.0), (1, 1.5, 0.5)]
)
def test_an_exchange_gains_a_man_for_every_recapture_and_loses_one_for_every_retaliation(protectors, control, gain):
    assert exchange(protectors, control, 1.0) == pytest.approx(gain)


def test_the_paper_s_programs_have_names_and_b_any_k():
    assert {"A:paper", "B1:paper", "B3:paper", "B7:paper", "B10:paper", "C:paper"} <= set(engines())
    for name in ("B5", "B5:paper", "stray-C:paper"):
        find_engine(name)(SearchLimit(nodes=10), stream_of(1))
    assert engine_file("C:paper") == engine_file("B12:paper") != engine_file("C")
    for wrong in ("B0:paper", "B100", "D:paper", "C:papers.npz"):
        with pytest.raises(ValueError):
            find_engine(wrong)


def test_a_drawn_board_has_as_many_doubled_pawns_as_they_have_captured_men_at_most():
    """After quiet moves their pawns may stand on any rank, but each on a file of its own."""
    prob, known = np.zeros((3, 64), np.float32), new_record(KNOWN)
    place_at_home(prob, known, 0)
    known.own = 0xFFFF
    prob[PAWNS, 8:56] += 0.1
    pos, stream = np.empty(POSITION, np.int64), stream_of(7)

    def most_doubled(files=True):
        found = 0
        for _ in range(300):
            approach_a.draw_board(prob, known, 0, pos, files, stream)
            pawns = int(pos[PAWN]) & ~int(known.men[0])
            counts = [bin(pawns & (0x0101010101010101 << file)).count("1") for file in range(8)]
            assert sum(counts) == 8
            found = max(found, sum(max(0, count - 1) for count in counts))
        return found

    assert most_doubled() == 0 < most_doubled(files=False)  # without the limits boards that cannot occur
    known.own = 0xFFF0  # four men lost
    assert 0 < most_doubled() <= 4


def test_the_reading_of_5_3_counts_our_men_alone():
    """A recapture restores nothing then: of two men with one protector, the second one is as lost as the first."""
    _, known, _ = lonely([(5, E1), (ROOK, A1)], [(PIECES, A8, 1.0), (KINGS, H8, 1.0)])
    assert abstract_model.material_balance(known, 1.0) == 0 and abstract_model.material_balance(known, 0.0) == 1
    assert exchange(1, 1.0, 0.0) == 0 and exchange(2, 2.0, 0.0) == -1
    assert find_engine("C:allied")(SearchLimit(nodes=1), stream_of(1)).constants.theirs == 0.0


def test_in_the_second_reading_a_man_that_leaves_an_attacked_square_is_lost_less_often():
    """As printed, the chance to lose a man is the same whatever we do; by exposure it is not."""
    men, prob = [(5, E1), (ROOK, A1)], [(PIECES, A8, 1.0), (KINGS, H8, 1.0)]
    matrices, known, survey = lonely(men, prob)
    lost = {}
    for reading in (False, True):
        constants = FITTED_C[reading].opponent(reading)
        for end in (A1 + 8, A1 + 1):
            chances, values = np.zeros(OUTCOMES), np.zeros(OUTCOMES)
            abstract_model.get_outcome_probabilities(
                matrices, known, ROOK, move_of(A1, end, 0), survey, constants, PRINTED.record, chances, values
            )
            lost[reading, end] = 1 - chances.reshape(-1, REPLIES)[:, NOTHING].sum()
    assert lost[False, A1 + 8] == pytest.approx(CONSTANTS.capture) and lost[True, A1 + 8] > lost[True, A1 + 1]


@pytest.mark.parametrize("name", ["C:exposure", "B5:exposure", "C:allied"])
@pytest.mark.thorough
def test_the_other_readings_play_the_same_game_twice(name):
    def record():
        players = [
            find_engine(engine)(SearchLimit(nodes=20), stream_of(7, side))
            for side, engine in enumerate((name, "random"))
        ]
        return play_game(tuple(players), Referee(), 24).record

    assert record() == record()


def test_a_figure_is_played_with_the_chosen_engines_and_games_of_the_request():
    with pytest.raises(ValueError, match="paper kriegspiel has no --nodes"):
        find_experiment("kriegspiel").check(PaperRequest(name="kriegspiel", nodes=10))
    only_c = figure10.matches(PaperRequest(name="kriegspiel", only="C:paper", games=2))
    assert {match.seats[0].engine for match in only_c} == {"C:paper"} and {match.games for match in only_c} <= {1, 2}
