"""Players that sample boards: what is sampled fits what was heard, whatever happens to the pool."""

import random

import numpy as np
import pytest

from fogspiel.core.game import DRAW, WIN
from fogspiel.core.rng import stream_of
from fogspiel.games.chess.bitboards import NO_SQUARE, PAWN
from fogspiel.games.chess.fen import parse_move
from fogspiel.games.chess.moves import LIMITS, MAX_MOVES, is_legal
from fogspiel.games.chess.position import MEN, MOVER, POSITION
from fogspiel.kriegspiel.beliefs.board_filter import evolve, keep_where_accepted, keep_where_refused, list_replies
from fogspiel.kriegspiel.beliefs.consistent_boards import faults, observation_of, observe_last
from fogspiel.kriegspiel.engine import SearchLimit
from fogspiel.kriegspiel.engines.sampling import NOTHING, SAMPLERS, Greedy, Random
from fogspiel.kriegspiel.game import rules
from fogspiel.kriegspiel.game.attempts import CHECKS, MESSAGE, SQUARE, TAKEN, TRIES, fits_position
from fogspiel.kriegspiel.referee import Referee, play_game
from fogspiel.kriegspiel.search.gain_tables import DOUBT, ILLEGAL, Quiescence, mean_advantages, tabulate

LITTLE = SearchLimit(nodes=150)


def turns(games, seed, greedy=True):
    """The umpire of games between simple players, and what is tried next."""
    for game in range(games):
        umpire = Referee()
        kinds = (Greedy, Random) if greedy else (Random, Random)
        players = [kind(LITTLE, stream_of(seed, game, side)) for side, kind in enumerate(kinds)]
        for side, player in enumerate(players):
            player.begin(side)
        while not umpire.over and umpire.plies < 200:
            side = umpire.mover
            action = players[side].choose(umpire.view(side), umpire.actions)
            yield umpire, action
            umpire.attempt(action)


def men_in(squares):
    return (int(squares) & 2**64 - 1).bit_count()


def said_of(umpire, colour):
    return umpire.state[rules.SAID + MESSAGE * colour : rules.SAID + MESSAGE * (colour + 1)].copy()


def test_the_true_board_stays_in_the_pool():
    limits, moves, weights = np.empty(LIMITS, np.int64), np.empty(MAX_MOVES, np.int64), np.empty(MAX_MOVES)
    for umpire, action in turns(6, seed=1):
        colour, pool = umpire.mover, umpire.state[None, :POSITION].copy()
        after = Referee()
        after.state[:] = umpire.state
        if not after.attempt(action).accepted:
            assert keep_where_refused(pool, np.ones(1), 1, action) == 1
            continue
        assert keep_where_refused(pool.copy(), np.ones(1), 1, action) == 0
        message = said_of(after, colour)
        count = list_replies(pool[0], NO_SQUARE, message, 0, limits, moves, weights)
        assert action in moves[:count]
        assert fits_position(after.state[:POSITION].copy(), message, limits, 0)
        assert keep_where_accepted(pool, np.ones(1), 1, action, message, 0) == 1
        assert (pool[0] == after.state[:POSITION]).all()


def test_a_pool_makes_moves_that_give_the_message_that_was_heard():
    limits, out = np.empty(LIMITS, np.int64), np.empty((40, POSITION), np.int64)
    for umpire, action in turns(3, seed=2):
        colour, pool = umpire.mover, umpire.state[None, :POSITION].copy()
        after = Referee()
        after.state[:] = umpire.state
        if not after.attempt(action).accepted:
            continue
        message = said_of(after, colour)
        count = evolve(pool, 1, NO_SQUARE, message, 0, len(out), stream_of(3, umpire.plies), out)
        assert count == len(out)
        for board in out:
            assert board[MOVER] == 1 - colour
            assert fits_position(board, message, limits, 0)
            assert men_in(board[MEN + 1 - colour]) == men_in(after.state[MEN + 1 - colour])


def test_boards_of_the_last_observation_explain_it():
    out = np.empty((8, POSITION), np.int64)
    boards = exact = 0
    for umpire, _ in turns(3, seed=4):
        side = umpire.mover
        seen = umpire.view(side)
        count = observe_last(observation_of(seen), NOTHING, len(out), stream_of(5, len(umpire.record)), out)
        assert count == len(out)
        heard = seen[rules.SEEN_OTHER : rules.SEEN_OTHER + MESSAGE]
        for board in out:
            put_up = Referee()
            put_up.state[:POSITION] = board
            rules.begin_here(put_up.state)
            boards += 1
            said = said_of(put_up, 1 - side)
            exact += bool(said[CHECKS] == heard[CHECKS] and said[TRIES] == heard[TRIES])
            assert (board[:6] & board[MEN + side] == seen[rules.SEEN_MEN : rules.SEEN_MEN + 6]).all()
            assert board[MEN] & board[MEN + 1] == 0
            assert men_in(board[MEN + 1 - side]) == men_in(umpire.state[MEN + 1 - side])
            board[MOVER] = 1 - side
            out_of_reach = np.empty(LIMITS, np.int64)
            rules.restrict(board, out_of_reach)
            assert out_of_reach[rules.CHECKERS] == 0
            if heard[TAKEN]:
                assert board[MEN + 1 - side] >> heard[SQUARE] & 1
    assert boards > 800 and exact > 0.98 * boards


def test_refused_attempts_are_not_legal_on_boards_of_the_last_observation():
    out, limits = np.empty((50, POSITION), np.int64), np.empty(LIMITS, np.int64)
    umpire = Referee("4k3/8/8/3p4/3P4/8/8/4K3 w - - 0 1")
    assert not umpire.attempt("d4d5").accepted
    observe_last(observation_of(umpire.view(0)), NOTHING, len(out), stream_of(1), out)
    for board in out:
        rules.restrict(board, limits)
        assert not is_legal(board, limits, parse_move("d4d5"))


def test_boards_like_a_model_explain_the_last_observation():
    limits, out = np.empty(LIMITS, np.int64), np.empty((20, POSITION), np.int64)
    explained, stayed = [], []
    for umpire, _ in turns(2, seed=5):
        own, other = MEN + umpire.mover, MEN + 1 - umpire.mover
        seen, true = observation_of(umpire.view(umpire.mover)), umpire.state[:POSITION].copy()
        count = observe_last(seen, true[None], len(out), stream_of(6, len(umpire.record)), out)
        for board in out[:count]:
            assert board[own] == true[own]
            assert men_in(board[other]) == men_in(true[other])
            explained.append(faults(seen, board, limits) == 0)
            stayed.append(men_in(board[other] & true[other]) / men_in(true[other]))
    assert np.mean(explained) > 0.97
    assert np.mean(stayed) > 0.8


def test_more_pieces_taken_than_there_were_have_been_pawns():
    seen = Referee().view(0)
    seen[rules.SEEN_TAKEN + 2 : rules.SEEN_TAKEN + 4] = 3, 9
    out = np.empty((5, POSITION), np.int64)
    assert observe_last(observation_of(seen), NOTHING, 5, stream_of(1), out) == 5
    assert all(men_in(board[MEN + 1]) == 4 and men_in(board[PAWN] & board[MEN + 1]) == 3 for board in out)


@pytest.mark.parametrize("name", list(SAMPLERS))
def test_a_seed_fixes_the_game_and_threads_do_not_matter(name):
    def record(threads):
        player = SAMPLERS[name](SearchLimit(nodes=100, threads=threads), stream_of(1))
        return play_game((player, Greedy(LITTLE, stream_of(2))), Referee(), 24).record

    assert record(1) == record(1) == record(2)


@pytest.mark.parametrize(("name", "blind"), [("aosp", 1), pytest.param("hs", 0, marks=pytest.mark.thorough)])
def test_a_pool_that_runs_empty_begins_anew(name, blind):
    player = SAMPLERS[name](LITTLE, stream_of(3))
    umpire, other = Referee(), Random(LITTLE, stream_of(4))
    for side, each in enumerate((player, other)):
        each.begin(side)
    turns_without = set()
    while umpire.plies < 30 and not umpire.over:
        side = umpire.mover
        umpire.attempt((player, other)[side].choose(umpire.view(side), umpire.actions))
        if side == 0 and player.count == 0:
            turns_without.add(umpire.plies)
        if umpire.plies == 10:
            player.count = 0
    assert len(turns_without) == blind
    assert player.count > 0


@pytest.mark.parametrize("name", list(SAMPLERS))
@pytest.mark.parametrize(
    "fen", ["4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "4k3/4p3/8/8/8/8/8/4K2Q b - - 0 1", "7k/8/8/8/8/8/R7/1R4K1 w - - 3 40"]
)
def test_a_game_may_begin_in_the_middle(name, fen):
    players = tuple(SAMPLERS[name](LITTLE, stream_of(5, side)) for side in range(2))
    assert play_game(players, Referee(fen), 30).plies > 1


def test_an_attempt_is_weighed_only_on_boards_where_it_is_legal():
    gains = np.array([[10, ILLEGAL, 30], [100, 300, 200]], np.int32)
    out, counts = np.empty((2, 3))
    mean_advantages(gains, np.ones(2), np.zeros(3), DOUBT, out, counts)
    assert counts.tolist() == [2, 1, 2]
    assert out[1] > out[2] > out[0]


def test_a_mate_is_the_greatest_gain_and_stalemate_a_loss():
    board = Referee("7k/8/5KQ1/8/8/8/8/8 w - - 0 1").state[None, :POSITION].copy()
    names = ["f6f7", "g6g7", "g6e8", "g6f5", "g6h7"]
    gains = np.empty((1, len(names)), np.int32)
    attempts = np.array(sorted(map(parse_move, names), key=lambda move: move % 64), np.int64)
    evaluator = Quiescence()
    tabulate(board, attempts, evaluator.depth, evaluator.rows[0], gains)
    gain = dict(zip(attempts.tolist(), gains[0].tolist(), strict=True))
    assert gain[parse_move("g6g7")] == 2000
    assert gain[parse_move("f6f7")] < -500


@pytest.mark.thorough
def test_a_pool_that_knows_the_board_mates():
    umpire = Referee()
    player = SAMPLERS["aosp"](SearchLimit(nodes=300), stream_of(1))
    play_game((player, Random(LITTLE, stream_of(7))), umpire, 400)
    assert umpire.payoff_index in (WIN, DRAW)


@pytest.mark.slow
@pytest.mark.parametrize("stronger, weaker", [("los", "random"), ("aosp", "los"), ("hs", "los")])
def test_better_samples_play_better(stronger, weaker):
    makers = {**SAMPLERS, "random": Random}
    points, games = 0, 20
    for game in range(games):
        names = (stronger, weaker) if game % 2 == 0 else (weaker, stronger)
        players = tuple(
            makers[name](SearchLimit(nodes=1000), stream_of(6, game // 2, side)) for side, name in enumerate(names)
        )
        score = play_game(players, Referee(), 600).payoff_index
        points += score if game % 2 == 0 else 2 - score
    assert points > 1.2 * games


def test_shuffled_orders_do_not_matter_to_the_table():
    draw = random.Random(1)
    umpire = Referee()
    attempts = umpire.actions
    board = umpire.state[None, :POSITION].copy()
    evaluator, tables = Quiescence(), []
    for _ in range(2):
        gains = np.empty((1, len(attempts)), np.int32)
        evaluator.evaluate(board, np.array(attempts, np.int64), gains)
        tables.append(dict(zip(attempts, gains[0].tolist(), strict=True)))
        draw.shuffle(attempts)
    assert tables[0] == tables[1]
