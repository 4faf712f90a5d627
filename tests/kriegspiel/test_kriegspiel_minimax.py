"""Metapositions against hidden truths, and the program that plays."""

import numpy as np
import pytest

from fogspiel.core.rng import random_below, stream_of
from fogspiel.games.chess import bitboards
from fogspiel.games.chess.bitboards import KINDS, KING, KNIGHT, NO_SQUARE, PAWN, QUEEN, ROOK
from fogspiel.games.chess.fen import parse_move, parse_square
from fogspiel.games.chess.position import MEN
from fogspiel.kriegspiel.beliefs import metaposition, metaposition_update
from fogspiel.kriegspiel.beliefs.metaposition import META
from fogspiel.kriegspiel.endings import search
from fogspiel.kriegspiel.engine import Engine, SearchLimit, find_engine
from fogspiel.kriegspiel.engines.minimax import Minimax
from fogspiel.kriegspiel.game.attempts import BY_FILE, BY_LONG_DIAGONAL
from fogspiel.kriegspiel.referee import Referee, play_game
from fogspiel.kriegspiel.search import metaposition_search, metaposition_value

pytestmark = pytest.mark.interpreted

QUICK = SearchLimit(nodes=300)
NOBODY = np.zeros(64, np.int64)


def squares(text):
    """A set of squares by their names."""
    bits = sum(1 << parse_square(name) for name in text.split())
    return np.int64(bits - 2**64 if bits >= 2**63 else bits)


def names(squares_set):
    """The names of the squares of a set."""
    return {f"{'abcdefgh'[s % 8]}{s // 8 + 1}" for s in range(64) if int(squares_set) >> s & 1}


def home():
    """A metaposition at the start of a game."""
    meta = np.zeros(1, META)[0]
    metaposition.begin_at_home(meta)
    return meta


def facing(kings, **men):
    """A metaposition of some own men against a bare king."""
    meta = np.zeros(1, META)[0]
    for kind, placed in men.items():
        meta.men[("pawns", "knights", "bishops", "rooks", "queens", "king").index(kind)] = squares(placed)
    metaposition.begin_anywhere(meta, 0, 0)
    meta.theirs[KING] = squares(kings)
    return meta


def said(taken=0, square=NO_SQUARE, checks=0, tries=0):
    """A message."""
    return np.array([taken, square, checks, tries], np.int64)


def faults(meta, umpire, side):
    """What a metaposition gets wrong about the true position."""
    truth = umpire.state[:MOVER_CELL].copy()
    if side:
        truth = truth.byteswap()
        truth[[MEN, MEN + 1]] = truth[[MEN + 1, MEN]]
    own, theirs = truth[MEN], truth[MEN + 1]
    found = []
    for kind in range(KINDS):
        if meta.men[kind] != truth[kind] & own:
            found.append(f"own men of kind {kind}")
        if truth[kind] & theirs & ~meta.theirs[kind]:
            found.append(f"{names(truth[kind] & theirs & ~meta.theirs[kind])} hold kind {kind}")
    if ~(own | theirs) & ~meta.empty:
        found.append(f"{names(~(own | theirs) & ~meta.empty)} are empty")
    if (int(theirs) & 2**64 - 1).bit_count() != meta.their_pawns + meta.their_pieces + 1:
        found.append("the number of men")
    for file in range(8):
        pawns = sum(int(truth[PAWN] & theirs) >> (8 * rank + file) & 1 for rank in range(8))
        if not int(meta.fewest) >> 8 * file & 255 <= pawns <= int(meta.most) >> 8 * file & 255:
            found.append(f"{pawns} pawns on file {file}")
    return found


MOVER_CELL = MEN + 2


class Watched(Minimax):
    """A program whose metaposition is compared with the truth after every word of the referee."""

    def __init__(self, umpire, stream, wild):
        super().__init__(SearchLimit(nodes=1), stream)
        self.umpire, self.wild, self.faults, self.compared = umpire, wild, [], 0

    def compare(self):
        self.compared += 1
        if not self.faults:  # one mistake leads to others
            self.faults += faults(self.meta, self.umpire, self.side)

    def on_refusal(self, move, seen):
        super().on_refusal(move, seen)
        self.compare()

    def on_answer(self, message, seen):
        super().on_answer(message, seen)
        self.compare()

    def attempt(self, seen, actions):
        if self.wild:
            return int(actions[random_below(self.stream, len(actions))])
        return super().attempt(seen, actions)


def watched(number):
    """A finished game of a watched program against a random or a greedy one."""
    umpire = Referee()
    program = Watched(umpire, stream_of(number, 1), wild=number % 3 == 2)
    other = find_engine(("random", "greedy")[number % 2])(QUICK, stream_of(number, 2))
    play_game((program, other) if number % 4 < 2 else (other, program), umpire, 300)
    return program


def test_floods_agree_with_step_by_step_moves():
    rng = np.random.default_rng(3)
    for _ in range(200):
        men, free = (np.int64(x) for x in rng.integers(-(2**63), 2**63 - 1, 2))
        men &= np.int64(rng.integers(-(2**63), 2**63 - 1))
        for kernel, steps in (
            (bitboards.sideways, ((0, 1), (0, -1))),
            (bitboards.north, ((1, 0),)),
            (bitboards.south, ((-1, 0),)),
            (bitboards.diagonally, ((1, 1), (1, -1), (-1, 1), (-1, -1))),
        ):
            wanted = {s for s in range(64) if int(men) >> s & 1}
            for start in list(wanted):
                for up, right in steps:
                    rank, file = start // 8 + up, start % 8 + right
                    while 0 <= rank < 8 and 0 <= file < 8 and int(free) >> (8 * rank + file) & 1:
                        wanted.add(8 * rank + file)
                        rank, file = rank + up, file + right
            assert {s for s in range(64) if int(kernel(men, free)) >> s & 1} == wanted


@pytest.mark.thorough
def test_a_metaposition_never_rules_out_the_truth():
    games = [watched(number) for number in range(12)]
    assert [game.faults for game in games if game.faults] == []
    assert sum(game.compared for game in games) > 1000


@pytest.mark.slow
def test_a_metaposition_never_rules_out_the_truth_in_many_games():
    games = [watched(number) for number in range(100, 400)]
    wrong = [game.faults for game in games if game.faults]
    assert len(wrong) <= 1, wrong  # ambiguous words may mislead it, hardly ever


def test_at_home_everything_is_known():
    meta = home()
    assert names(meta.theirs[QUEEN]) == {"d8"}
    assert names(meta.empty) == {f"{f}{r}" for f in "abcdefgh" for r in (3, 4, 5, 6)}
    assert metaposition.age_sum(meta, np.int64(-1)) == 16 * metaposition.AGE_AT_HOME


def test_the_other_side_spreads_by_one_move():
    meta = home()
    metaposition_update.hear_other(meta, NO_SQUARE, said(), NOBODY)
    assert names(meta.theirs[KNIGHT]) == {"b8", "g8", "a6", "c6", "f6", "h6"}
    assert names(meta.theirs[PAWN] & squares("e7 e6 e5 e4")) == {"e7", "e6", "e5"}
    assert names(meta.theirs[QUEEN]) == {"d8"}
    metaposition_update.hear_other(meta, NO_SQUARE, said(), NOBODY)
    assert names(meta.theirs[QUEEN]) >= {"d8", "d7", "d6", "e7", "h4", "a5"}


def test_no_tries_say_what_is_empty_and_refused_pushes_what_is_not():
    meta = home()
    metaposition_update.hear_own(meta, parse_move("e2e4"), said())
    metaposition_update.hear_other(meta, NO_SQUARE, said(), NOBODY)
    assert not meta.theirs[PAWN] & squares("d5 f5")
    assert meta.empty & squares("e5")
    metaposition_update.hear_refusal(meta, parse_move("e4e5"))
    assert not meta.empty & squares("e5")
    assert names(meta.theirs[PAWN] & squares("e5 e6 e7")) >= {"e5"}


def test_a_check_confines_the_king_to_its_line():
    meta = facing("a8 d8 e5 h4 c3", rooks="a1", king="g2")
    metaposition_update.hear_own(meta, parse_move("a1d1"), said(checks=BY_FILE))
    assert names(meta.theirs[KING]) == {"d8"}
    meta = facing("a8 d8 e5 h4 b7", queens="a1", king="g1")
    metaposition_update.hear_own(meta, parse_move("a1b2"), said())
    assert "b7" not in names(meta.theirs[KING])
    assert "e5" not in names(meta.theirs[KING])
    meta = facing("a8 e5 h4", queens="c1", king="g1")
    metaposition_update.hear_own(meta, parse_move("c1b2"), said(checks=BY_LONG_DIAGONAL))
    assert names(meta.theirs[KING]) == {"e5"}


def test_captures_count_men_and_pawns_of_files():
    meta = home()
    metaposition.take(meta, parse_square("d7"), True)
    assert (meta.their_pawns, meta.their_pieces) == (7, 7)
    assert not meta.theirs[PAWN] & squares("d7")
    metaposition.take(meta, parse_square("d8"), False)
    assert (meta.their_pawns, meta.their_pieces) == (7, 6)
    for _ in range(6):
        metaposition.take(meta, parse_square("h8"), False)
    assert not meta.theirs[ROOK]  # none is left, and no pawn can have promoted yet


def test_a_refused_king_move_says_where_a_bare_king_is():
    meta = facing("a8 c6 h1", rooks="a1", king="e5")
    metaposition_update.hear_refusal(meta, parse_move("e5d5"))
    assert names(meta.theirs[KING]) == {"c6"}


def test_a_safe_capture_is_worth_more_than_a_quiet_move():
    meta = home()
    after = np.empty(1, META)
    quiet, taking = parse_move("b1c3"), parse_move("b1c3")
    values, power = np.empty(1), NOBODY.copy()
    metaposition_search.value_moves(meta, np.array([quiet]), 1, power, after, metaposition_value.WEIGHTS, values)
    before = values[0]
    power[parse_square("b1")] = squares("c3")
    metaposition_search.value_moves(meta, np.array([taking]), 1, power, after, metaposition_value.WEIGHTS, values)
    assert values[0] > before + 2


def test_the_parts_of_a_bare_king_s_squares_are_those_of_the_referee():
    stack = search.empty_stack(0)
    men, parts, shares = np.zeros(KINDS, np.int64), stack.parts[0], stack.shares[0]
    men[KING], men[ROOK] = squares("b3"), squares("h2")
    kings = squares("a1 c1 d1 h8 e3")
    search.divide(men, kings, parse_move("h2h1"), stack.after[0], stack.lines[0], parts, shares)
    assert names(parts[search.MATED]) == {"a1"}
    assert shares[search.SILENT] == 1
    assert shares[search.SILENT + 1] == 2  # checks on the rank, from c1 and d1
    assert shares[search.SILENT + 2] == 1  # on the file, from h8


def result(number, other, effort=QUICK):
    """A game of the program: 1 won, 0 drawn, -1 lost."""
    umpire, side = Referee(), number % 2
    players = [find_engine(name)(effort, stream_of(number, seat)) for seat, name in enumerate(("minimax", other))]
    play_game((players[side], players[1 - side]), umpire, 600)
    return (umpire.payoff_index - 1) * (-1 if side else 1)


@pytest.mark.thorough
def test_it_beats_the_random_and_the_greedy_player():
    for other in ("random", "greedy"):
        results = [result(number, other) for number in range(10)]
        assert min(results) >= 0
        assert sum(results) >= 7


@pytest.mark.slow
def test_it_wins_nearly_always_against_the_random_player():
    assert sum(result(number, "random", SearchLimit(nodes=1000)) == 1 for number in range(100)) >= 95


def test_the_same_seed_and_nodes_give_the_same_game():
    records = []
    for _ in range(2):
        umpire = Referee()
        players = [find_engine(name)(QUICK, stream_of(5, seat)) for seat, name in enumerate(("minimax", "greedy"))]
        records.append(play_game((players[0], players[1]), umpire, 30).record)
    assert records[0] == records[1]


@pytest.mark.thorough
def test_time_and_threads_are_kept_to():
    for effort in (SearchLimit(seconds=0.02), SearchLimit(nodes=500, threads=2), SearchLimit(nodes=1)):
        players = [Minimax(effort, stream_of(6, seat)) for seat in range(2)]
        assert play_game((players[0], players[1]), Referee(), 24).plies == 24
        assert all(player.searcher.spent > 0 for player in players)


class Eavesdropper(Minimax):
    """A program that keeps what it was shown."""

    def __init__(self, effort, stream):
        super().__init__(effort, stream)
        self.shown = []

    def choose(self, seen, actions):
        self.shown.append(seen.tobytes())
        return super().choose(seen, actions)


def test_what_it_is_shown_is_all_it_needs():
    """Replaying only the views in a new program gives the same attempts: nothing else is looked at."""
    umpire = Referee()
    program = Eavesdropper(QUICK, stream_of(8, 0))
    play_game((program, find_engine("greedy")(QUICK, stream_of(8, 1))), umpire, 30)
    again: Engine = Minimax(QUICK, stream_of(8, 0))
    again.begin(0)
    shadow, tried = Referee(), 0
    for action in umpire.record:
        if shadow.mover == 0:
            seen = np.frombuffer(program.shown[tried], np.int64)
            assert again.choose(seen, shadow.actions) == action
            tried += 1
        shadow.attempt(action)


@pytest.mark.thorough
def test_a_game_may_begin_in_the_middle():
    for fen in ("4k3/pppp4/8/8/8/8/4PPPP/4K2R w K - 0 1", "4k2r/4pppp/8/8/8/8/PPPP4/4K3 b k - 0 1"):
        umpire = Referee(fen)
        players = [Minimax(QUICK, stream_of(9, seat)) for seat in range(2)]
        assert play_game((players[0], players[1]), umpire, 40).plies == 40


def test_a_capture_in_passing_is_understood():
    umpire = Referee()
    program = Watched(umpire, stream_of(1), wild=True)
    program.begin(0)
    for own, other in (("e2e4", "a7a6"), ("e4e5", "d7d5"), ("e5d6", "a6a5")):
        move = parse_move(own)
        program.attempt = lambda seen, actions, move=move: move
        umpire.attempt(program.choose(umpire.view(0), umpire.actions))
        umpire.attempt(other)
    program.choose(umpire.view(0), umpire.actions)
    assert program.faults == []
    assert program.meta.their_pawns == 7
    assert program.meta.empty & squares("d5")
