"""What fog learns from games: how opponents reply and what men are worth, on data of which the truth is known."""

import numpy as np
import pytest
from kriegspiel_training import (
    POPULATION,
    FogTraining,
    count_men,
    decisions_of,
    fit_logistic,
    fit_policy,
    fit_worths,
    log_chances,
    quiet_counts,
    white_score,
)

from fogspiel.core.rng import stream_of
from fogspiel.games.chess.bitboards import KINDS, NO_SQUARE
from fogspiel.games.chess.moves import LIMITS, MAX_MOVES, legal_moves, restrict
from fogspiel.games.chess.position import MOVER, PLY, POSITION
from fogspiel.kriegspiel.beliefs.reply_policy import CELLS, FACTORS, MEMORY, NOISE, SCENE, weigh_replies
from fogspiel.kriegspiel.engine import SearchLimit
from fogspiel.kriegspiel.engines.sampling import Greedy, Random
from fogspiel.kriegspiel.game.attempts import SQUARE, TRIES
from fogspiel.kriegspiel.parameters import SHIPPED, phase_of_men, read_fog_weights, write_fog_weights
from fogspiel.kriegspiel.pgn import read_pgn
from fogspiel.kriegspiel.referee import Referee, play_game

LITTLE = SearchLimit(nodes=1)


def weigh(row, heard, policy):
    """The legal moves of a row and their probabilities."""
    limits, moves, weights = np.empty(LIMITS, np.int64), np.empty(MAX_MOVES, np.int64), np.empty(MAX_MOVES)
    restrict(row, limits)
    count = legal_moves(row, limits, moves)
    scene, cells = np.empty(SCENE, np.int64), np.empty(FACTORS, np.int64)
    weigh_replies(row, row[MEMORY], moves, count, heard, heard[TRIES], limits, policy, scene, cells, weights)
    return moves[:count], weights[:count]


@pytest.fixture(scope="module")
def records():
    """Games between simple players, each colour as often the better one."""
    found = []
    for game in range(24):
        players = [Greedy(LITTLE, stream_of(1, game)), Random(LITTLE, stream_of(2, game))][:: -1 if game % 2 else 1]
        found.append(play_game(tuple(players), Referee(), 160).record)
    return found


@pytest.fixture(scope="module")
def known(records):
    """A policy, and decisions drawn from it, four in each position of some games."""
    draw = np.random.default_rng(3)
    policy, seen = np.exp(draw.normal(size=CELLS) / 2), decisions_of((record, (0, 1)) for record in records)
    four = seen.chosen(np.arange(len(seen)).repeat(4))
    for number in range(len(four)):
        listed, weights = weigh(four.rows[number], four.heard[number], policy)
        four.moves[number] = draw.choice(listed, p=weights / weights.sum())
    return policy, four


def chance_under(policy, decisions):
    return log_chances(decisions, np.log(policy)).mean()


def test_decisions_are_the_moves_that_were_made(records):
    record = records[0]
    found, umpire, made, own = decisions_of([(record, (7, 8))]), Referee(), [], ([], [])
    for action in record:
        side, before = umpire.turn, umpire.state[:POSITION].tolist()
        last = own[side][-2:]
        memory = sum((move & 4095) << 12 * place for place, move in enumerate(reversed(last)))
        told = [int(umpire.view(side)[cell]) for cell in (*range(15, 19), *range(11, 15))]
        if umpire.attempt(action).accepted:
            made.append((*before, memory, *told, action, 7 + side))
            own[side].append(action)
    columns = (found.rows, found.heard[:, :8], found.moves[:, None], found.engines[:, None])
    assert [tuple(row) for row in np.hstack(columns).tolist()] == made
    lost = found.heard[:, SQUARE]
    assert (found.heard[2:, 8] == lost[:-2]).all() and (found.heard[:2, 8] == NO_SQUARE).all()
    assert (lost != NO_SQUARE).any()
    for board, square in zip(found.rows, lost, strict=True):
        assert square == NO_SQUARE or board[6 + 1 - board[MOVER]] >> square & 1  # the taker stands there
    assert found.rows[:, PLY].tolist() == list(range(len(found)))


def test_probabilities_of_replies_sum_to_one_and_none_is_excluded(known):
    policy, decisions = known
    for number in range(0, len(decisions), 50):
        _, weights = weigh(decisions.rows[number], decisions.heard[number], policy)
        assert weights.sum() == pytest.approx(1) and (weights >= NOISE / len(weights)).all()


@pytest.mark.thorough
def test_a_fitted_policy_foretells_as_well_as_the_true_one(known):
    policy, decisions = known
    order = np.random.default_rng(4).permutation(len(decisions))
    held_out, rest = decisions.chosen(order[:2000]), decisions.chosen(order[2000:])
    fitted, uniform = np.exp(fit_policy(rest, 1)), np.ones(CELLS)
    true, found, nothing = (chance_under(each, held_out) for each in (policy, fitted, uniform))
    assert found - nothing > 0.7 * (true - nothing) > 0.3
    assert (np.exp(fit_policy(rest, 1)) == fitted).all()


def test_logistic_regression_finds_the_weights_of_made_up_scores():
    draw, true = np.random.default_rng(5), np.array([0.5, -1.0, 2.0])
    features = draw.normal(size=(20_000, 3))
    scores = (draw.random(20_000) < 1 / (1 + np.exp(-features @ true))).astype(float)
    assert fit_logistic(features, scores, np.zeros(3)) == pytest.approx(true, abs=0.1)
    drawn = fit_logistic(features, scores, np.array([0.0, 0.0, 100.0]))
    assert abs(drawn[2]) < 0.01 < abs(drawn[1])


def test_the_worth_of_men_is_that_of_the_games(records):
    games = []
    for record in records:
        umpire = Referee()
        for action in record:
            umpire.apply(action)
        ahead = np.subtract(*count_men(umpire.state)) @ np.array([1, 2, 2, 4, 8, 0])
        games.append((record, 1 / (1 + np.exp(-ahead / 4))))
    found = fit_worths(games)
    assert found.shape == (3, KINDS) and np.isfinite(found).all()
    assert found[:, 0] == pytest.approx(100) and (found[:, :5] > 0).all() and (found[:, 5] == 0).all(), found
    assert (found[:, 4] > found[:, 3]).all()  # a queen and a rook


def test_a_position_is_quiet_if_nothing_is_taken_near_it():
    umpire = Referee()
    for name in ("a2a3", "a7a6", "b2b3", "b7b6", "c2c3", "c7c6", "d2d3", "d7d6", "e2e4", "e7e5", "f2f4", "e5f4"):
        assert umpire.attempt(name).accepted
    for name in ("g2g3", "h7h6"):
        assert umpire.attempt(name).accepted
    counts = quiet_counts(umpire.record)
    assert len(counts) == 0
    for name in ("a3a4", "a6a5", "b3b4", "b6b5"):
        assert umpire.attempt(name).accepted
    counts = quiet_counts(umpire.record)
    assert len(counts) == 4 and (counts.sum((1, 2)) == 31).all()


@pytest.mark.parametrize(("men", "phase"), [(32, 0), (24, 0), (23, 1), (12, 1), (11, 2), (2, 2)])
def test_phases_are_told_by_the_number_of_men(men, phase):
    assert phase_of_men(men) == phase


def test_games_that_tell_too_little_are_refused_in_a_sentence():
    record = read_pgn("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 5. d3 d6 6. O-O O-O 1-0")[0].record
    with pytest.raises(ValueError, match="do not tell what a pawn is worth with fewer than 33 men"):
        fit_worths([(record, 1.0)])
    with pytest.raises(ValueError, match="no quiet position with fewer than 33 men"):
        fit_worths([(record[:4], 1.0)])


def test_the_usual_training_is_the_recipe_of_the_shipped_weights(tmp_path):
    match = FogTraining(POPULATION, SearchLimit(nodes=1), 910, tmp_path / "fog.npz").round_robin()
    assert match.seed == 31 and match.games == 10 and len(match.meetings) == 91
    assert match.names[2:4] == ["minimax (1,000 nodes)", "B1 (100 nodes)"]
    assert len(POPULATION) > 5  # no engine has more than a fifth of the games
    assert SHIPPED.stat().st_size < 1_000_000
    path = tmp_path / "copy.npz"
    write_fog_weights(read_fog_weights(), path)
    assert path.read_bytes() == SHIPPED.read_bytes()


def test_the_score_of_white_is_that_of_whoever_had_white():
    assert [white_score(result, white) for result, white in ((2, 0), (2, 1), (0, 1), (1, 1))] == [1.0, 0.0, 1.0, 0.5]
