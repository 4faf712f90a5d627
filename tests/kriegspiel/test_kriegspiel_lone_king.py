"""Endings against a lone king: tables, the exact set of its squares, mates against a king that sees everything."""

import numpy as np
import pytest
from kriegspiel_endings import defend, draw_ending
from kriegspiel_endings_tuning import ENDS, MATE, play_endings
from support.levels import default_cases

from fogspiel.core.rng import random_below, stream_of
from fogspiel.games.chess.bitboards import BISHOP, KINDS, KING, KNIGHT, PAWN, QUEEN, ROOK
from fogspiel.games.chess.fen import parse_move, parse_square
from fogspiel.games.chess.position import MEN, MOVER, POSITION, king_of
from fogspiel.kriegspiel.endings import LoneKingPlayer, faces_lone_king
from fogspiel.kriegspiel.endings.tablebase import NO_MATE, endgame_table, let_reply
from fogspiel.kriegspiel.endings.values import WEIGHTS
from fogspiel.kriegspiel.engine import SearchLimit, find_engine
from fogspiel.kriegspiel.engines.minimax import Minimax
from fogspiel.kriegspiel.game import rules
from fogspiel.kriegspiel.referee import HouseRules, Referee

pytestmark = pytest.mark.thorough

QUICK = SearchLimit(nodes=1)
SEED = 7


def ending_of(men, number):
    """How the player fares with some men against a king that sees everything, set up at random."""
    stream = stream_of(SEED, number)
    umpire, player = Referee(draw_ending(men, stream)), LoneKingPlayer(QUICK, stream_of(SEED, number, 1))
    player.begin(0)
    while not umpire.over:
        white = umpire.mover == 0
        umpire.attempt(player.choose(umpire.view(0), umpire.actions) if white else defend(umpire.state, stream))
    return umpire.ending


@pytest.mark.parametrize("name", ["los", "aosp", "hs", "fog"])
def test_engines_that_sample_boards_mate_a_lone_king_by_its_exact_squares(name):
    stream, umpire = stream_of(SEED, 1), Referee("8/8/8/4k3/8/8/8/R3K3 w - - 0 1")
    umpire.state[rules.TAKEN + 2 : rules.TAKEN + 4] = 8, 7  # every other man of Black's was taken
    player = find_engine(name)(QUICK, stream_of(SEED, 2))
    player.begin(0)
    while not umpire.over:
        white = umpire.mover == 0
        umpire.attempt(player.choose(umpire.view(0), umpire.actions) if white else defend(umpire.state, stream))
    assert umpire.ending == "checkmate" and player.listener is player.ending


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kinds", "longest"), [((QUEEN,), 10), ((ROOK,), 16), ((PAWN,), 28), ((BISHOP, BISHOP), 19), ((BISHOP, KNIGHT), 33)]
)
def test_the_longest_mates_are_those_that_are_known(kinds, longest):
    found = endgame_table(*kinds).to_mate
    assert found[found != NO_MATE].max() == longest


def test_a_table_is_only_made_of_few_men():
    with pytest.raises(ValueError, match="there is no table of 3 men"):
        endgame_table(ROOK, BISHOP, KNIGHT)


def test_a_table_knows_mates_stalemates_and_captures():
    table = endgame_table(QUEEN)
    king, queen, corner = (parse_square(name) for name in ("b6", "b7", "a8"))
    assert table.to_be_mated[king + 64 * queen, corner] == 0
    assert table.to_be_mated[king + 64 * parse_square("c7"), corner] == NO_MATE  # stalemate
    assert table.to_be_mated[parse_square("h1") + 64 * queen, corner] == NO_MATE  # it takes


def worlds_after(worlds, action, seen):
    """The true states, of those that may be, in which an attempt is answered as it was, after every reply."""
    found = {}
    for state in worlds:
        after, view = state.copy(), np.zeros(rules.VIEW, np.int64)
        rules.apply(after, action)
        if after[MOVER] == state[MOVER]:
            replies = [after]
        else:
            replies = []
            listed = np.empty(512, np.int64)
            for reply in listed[: rules.legal(after, listed)].tolist() if not after[rules.END] else []:
                answered = after.copy()
                rules.apply(answered, reply)
                replies += [answered] if answered[MOVER] == state[MOVER] else []
        for reply in replies:
            rules.view(reply, 0, view)
            if np.array_equal(view[rules.SEEN_MEN :], seen[rules.SEEN_MEN :]):
                found[int(king_of(reply, 1))] = reply
    return list(found.values())


@pytest.mark.parametrize("men", default_cases(["KQ"], ["KBN", "KQ", "KP", "KRB"]))
def test_the_squares_of_the_king_are_exactly_those_of_all_games_that_sound_alike(men):
    for number in range(3):
        stream, house = stream_of(number, 5), HouseRules(fifty=False, repetition=False, material=False)
        umpire, player = Referee(draw_ending(men, stream), house), LoneKingPlayer(QUICK, stream_of(number, 6))
        player.begin(0)
        player.choose(umpire.view(0), umpire.actions)
        worlds = []
        for square in range(64):
            if player.squares >> square & 1:
                position = umpire.state[:POSITION].copy()
                old, new = np.int64(1) << np.int64(king_of(position, 1)), np.int64(1) << np.int64(square)
                position[5] ^= old ^ new if old != new else 0
                position[MEN + 1] = new
                state = np.zeros(rules.STATE, np.int64)
                rules.begin(state, position, house.bits)
                worlds.append(state)
        for _ in range(12):
            action = int(umpire.actions[random_below(stream, len(umpire.actions))])
            player.last = action
            umpire.attempt(action)
            if umpire.over:
                break
            if umpire.mover == 1:
                umpire.attempt(defend(umpire.state, stream))
            if umpire.over:
                break
            seen = umpire.view(0)
            player.follow(seen, action)
            worlds = worlds_after(worlds, action, seen)
            squares = sum(1 << int(king_of(state, 1)) for state in worlds)
            assert player.squares & 2**64 - 1 == squares
            assert sum(1 << int(square) for square in np.flatnonzero(player.belief)) == squares
            assert player.belief.sum() == pytest.approx(1)


@pytest.mark.parametrize("men", ["KQ", "KR", "KRR"])
def test_heavy_men_mate_a_king_that_sees_everything(men):
    assert [ending_of(men, number) for number in range(8)] == ["checkmate"] * 8


def test_a_king_that_could_have_taken_is_seldom_there_and_one_that_sees_goes_where_mate_is_far():
    men, table = np.zeros(KINDS, np.int64), endgame_table(ROOK).to_mate
    king, rook, beside, away = (parse_square(name) for name in ("a1", "d5", "e6", "h8"))
    men[KING], men[ROOK] = np.int64(1) << np.int64(king), np.int64(1) << np.int64(rook)
    belief = np.zeros(64)
    belief[beside], belief[away] = 0.5, 0.5
    let_reply(belief, np.int64(-(1 << 63) | 1 << beside), men, table)
    assert belief[[parse_square(name) for name in ("g8", "g7", "h7")]].sum() == pytest.approx(0.5)
    assert 0 < belief[parse_square("f6")] < 0.05
    distances = [int(table[king + 64 * rook, parse_square(name)]) for name in ("g8", "g7", "h7")]
    chances = [belief[parse_square(name)] for name in ("g8", "g7", "h7")]
    assert np.argmax(distances) == np.argmax(chances)


@pytest.mark.thorough
def test_games_in_a_kernel_end_as_those_at_the_referee():
    endings = np.zeros(ENDS, np.int64)
    kinds, table = np.array([QUEEN], np.int64), endgame_table(QUEEN).to_mate
    score = play_endings(kinds, table, WEIGHTS[(QUEEN,)], SEED, 50, endings)
    assert endings[MATE] == 50
    assert 0.9 < score < 1


def test_the_same_seed_gives_the_same_game():
    assert ending_of("KBB", 3) == ending_of("KBB", 3)


def test_black_mates_as_white_does():
    umpire, player = Referee("4r3/8/8/8/3K4/8/8/k3r3 b - - 0 1"), Minimax(QUICK, stream_of(2), opposed=(0, 0))
    player.begin(1)
    stream = stream_of(3)
    while not umpire.over:
        if umpire.mover == 1:
            umpire.attempt(player.choose(umpire.view(1), umpire.actions))
        else:
            actions = umpire.actions
            umpire.attempt(int(actions[random_below(stream, len(actions))]))
    assert umpire.ending == "checkmate"
    assert player.ending is not None


def test_a_refused_attempt_is_not_made_again_and_says_where_the_king_is():
    umpire = Referee("8/8/8/3k4/8/3K4/8/Q7 w - - 0 1")
    player = LoneKingPlayer(QUICK, stream_of(1))
    player.begin(0)
    player.follow(umpire.view(0), parse_move("d3d4"))
    umpire.attempt("d3d4")
    assert player.choose(umpire.view(0), umpire.actions) != parse_move("d3d4")
    assert player.squares >> parse_square("d5") & 1
    assert player.squares.bit_count() <= 3


def test_men_that_were_taken_tell_of_a_lone_king():
    seen = np.zeros(rules.VIEW, np.int64)
    assert not faces_lone_king(seen)
    seen[rules.SEEN_TAKEN + 2], seen[rules.SEEN_TAKEN + 3] = 8, 7
    assert faces_lone_king(seen)


@pytest.mark.slow
@pytest.mark.parametrize(("men", "least"), [("KQ", 60), ("KRR", 60), ("KR", 58), ("KP", 54), ("KBB", 49), ("KBN", 46)])
def test_endings_are_won_against_the_best_defence(men, least):
    endings = [ending_of(men, number) for number in range(60)]
    assert endings.count("checkmate") >= least, endings
    if men != "KP":
        assert "stalemate" not in endings
