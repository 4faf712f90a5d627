"""The belief of fog: Bayes' rule over all moves against an independent enumeration, and beliefs that are mended."""

import random

import chess
import numpy as np
import pytest

from fogspiel.core.game import new_cells
from fogspiel.core.rng import stream_of
from fogspiel.games.chess.bitboards import KINDS, NO_SQUARE, ROOK, bit
from fogspiel.games.chess.fen import fen_of, parse_move
from fogspiel.games.chess.moves import LIMITS
from fogspiel.games.chess.position import CLOCK, MEN, MOVER, PLY, POSITION, RIGHTS, ROOK_HOME, end_of, start_of
from fogspiel.kriegspiel.beliefs.board_filter import (
    ENOUGH,
    draw_children,
    empty_children,
    keep_where_accepted,
    keep_where_refused,
    list_children,
    select_children,
)
from fogspiel.kriegspiel.beliefs.consistent_boards import faults, observation_of, observe_last, vary_boards
from fogspiel.kriegspiel.beliefs.reply_policy import CELLS, HEARD, NOISE, ROW, TABLES
from fogspiel.kriegspiel.engine import Engine, SearchLimit
from fogspiel.kriegspiel.engines.fog import BeliefSize, BoardBelief
from fogspiel.kriegspiel.game import rules
from fogspiel.kriegspiel.game.attempts import MESSAGE, SQUARE
from fogspiel.kriegspiel.referee import Referee

ROOM, MANY = 2000, 50
"""Room of a filter, and moves of a board that are more than there ever are."""
POLICY = np.exp(np.random.default_rng(1).normal(size=CELLS) / 2)
"""Any policy: every factor differs."""
LINES = (
    ("e2e4", "e7e6", "d2d4", "b8c6"),
    ("e2e4", "d7d5", "e4d5", "d8d5"),  # a try, then a man lost that may be taken back
    ("d2d4", "e7e5", "d4e5", "f8b4"),  # a pawn lost, a check
    ("a2a3", "c7c5", "b2b4", "c5c4"),
)
"""Games of two moves."""


# An enumeration that shares nothing with the filter but the rules of the referee


def fewest(board, by, square):
    """The class of the least attacker of a square: 1 a pawn, 2 a knight or bishop, 3 another, 0 none."""
    kinds = [board.piece_type_at(man) for man in board.attackers(by, square)]
    return 0 if not kinds else 1 if min(kinds) == 1 else 2 if min(kinds) <= 3 else 3


def steps(one, other):
    return 3 if other == NO_SQUARE else min(chess.square_distance(one, other), 3)


def in_line(before, start, end):
    """Whether a man goes on along the line of its last move."""
    return before != end and bool(chess.ray(before, start) & chess.BB_SQUARES[end])


def factors_of(board, move, own, heard):
    """The factors of a legal move, from python-chess; `own` are the mover's two last moves."""
    start, end, mover, foe = move.from_square, move.to_square, board.turn, not board.turn
    kind, turned = board.piece_type_at(start) - 1, 0 if mover else 56
    ply = 2 * board.fullmove_number - 2 + (not mover)
    phase = (ply >= 20) + (ply >= 60)
    victim = 0 if board.is_en_passant(move) else board.piece_type_at(end) - 1 if board.is_capture(move) else 6
    takes = victim < 6
    guards = [man for man in board.attackers(mover, end) if man != start]
    guarded, left_guarded = bool(guards), bool(board.attackers(mover, start))
    attack, lost, before = fewest(board, foe, end), int(heard[SQUARE]), int(heard[2 * MESSAGE])
    tries = min(
        sum(board.is_capture(each) and board.piece_type_at(each.from_square) == 1 for each in board.legal_moves), 2
    )
    checks = int(heard[2])
    check = 0 if not checks else 6 if checks & (checks - 1) else checks.bit_length()
    (last, last_end), (old, old_end) = own
    again = 0
    if (last, last_end) != (0, 0) and start == last_end:
        again = 2 if end == last else 3 if in_line(last, start, end) else 1
    earlier = 0 if (old, old_end) == (0, 0) else 2 if end == old else int(start == old_end)
    said = 2 * bool(heard[MESSAGE]) + bool(heard[MESSAGE + 2])
    lost_kind = 0 if not heard[0] else 1 if heard[0] == 1 else 2
    moved = board.copy(stack=False)
    man = moved.remove_piece_at(start)
    reached = chess.BB_PAWN_ATTACKS[mover][end] if kind == 0 else None
    if reached is None:
        moved.set_piece_at(end, man)
        reached = int(moved.attacks(end))
    kinds = [board.piece_type_at(square) for square in chess.SquareSet(reached & board.occupied_co[foe])]
    target = {None: 0, 1: 1, 2: 2, 3: 2, 4: 3, 5: 4, 6: 5}[max(kinds, default=None)]
    forward = (chess.square_rank(end) - chess.square_rank(start)) * (1 if mover else -1)
    men = [min((board.occupied_co[side].bit_count() - 1) // 4, 3) for side in (mover, foe)]
    pawns = board.pieces(1, foe)
    passed = not any(
        abs(chess.square_file(pawn) - chess.square_file(end)) <= 1
        and (chess.square_rank(pawn) > chess.square_rank(end)) == mover
        and chess.square_rank(pawn) != chess.square_rank(end)
        for pawn in pawns
    )
    direction = 0 if forward > 0 else 1 if forward == 0 else 2
    special = 5 if board.is_castling(move) else move.promotion - 1 if move.promotion else 0
    rank = (end ^ turned) >> 3
    cells = [
        (phase * 6 + kind) * 64 + (end ^ turned),
        (phase * 6 + kind) * 64 + (start ^ turned),
        (check * 6 + kind) * 4 + 2 * takes + guarded,
        kind * 64 + attack * 16 + fewest(board, foe, start) * 4 + 2 * guarded + left_guarded,
        (kind * 7 + victim) * 18 + (0 if lost == NO_SQUARE else 2 if lost == end else 1) * 6 + tries * 2 + guarded,
        (kind * 12 + again * 3 + earlier) * 8 + said * 2 + takes,
        kind * 48 + lost_kind * 16 + steps(end, lost) * 4 + steps(start, lost),
        (kind * 3 + phase) * 24 + target * 4 + 2 * guarded + bool(attack),
        (kind * 3 + phase) * 16 + chess.square_distance(end, board.king(foe)) * 2 + takes,
        kind * 36 + (direction * 3 + min(chess.square_distance(start, end), 3) - 1) * 4 + men[1],
        rank * 48 + (passed * 3 + phase) * 8 + attack * 2 + guarded if kind == 0 else 384 + kind,
        kind * 32 + steps(end, before) * 8 + steps(start, before) * 2 + takes,
        (kind * 3 + phase) * 6 + special,
        kind * 32 + (4 * men[0] + men[1]) * 2 + takes,
    ]
    sizes = list(TABLES.values())
    assert all(0 <= cell < size for cell, size in zip(cells, sizes, strict=True))
    return [POLICY[sum(sizes[:table]) + cell] for table, cell in enumerate(cells)]


def chances_of(state, own, heard):
    """The chance of each legal move of the opponent, which has made two moves and heard something."""
    board = chess.Board(fen_of(state[:POSITION]))
    weights = {parse_move(move.uci()): np.prod(factors_of(board, move, own, heard)) for move in board.legal_moves}
    total = sum(weights.values())
    return {move: (1 - NOISE) * weight / total + NOISE / len(weights) for move, weight in weights.items()}


def begun():
    """A state in which all men are at home."""
    state = new_cells(rules.STATE)
    rules.start(state)
    return state


def made(state, move):
    """The state after an attempt, or None if it is refused."""
    after = state.copy()
    rules.apply(after, move)
    return after if after[PLY] > state[PLY] else None


def said(state):
    """The last message."""
    last = 1 - int(state[MOVER])
    return state[rules.SAID + MESSAGE * last :][:MESSAGE].copy()


def name_of(board):
    """What tells boards apart: men, mover, rights and the passed square."""
    return tuple(board[:CLOCK].tolist())


def heard_in(line):
    """The messages of a game."""
    state, heard = begun(), []
    for move in map(parse_move, line):
        state = made(state, move)
        heard.append(said(state))
    return heard


def heard_before(heard, ply):
    """What the side to move has heard: of the other's last move, of its own, and where it lost a man before."""
    found = np.zeros(HEARD, np.int64)
    found[[SQUARE, MESSAGE + SQUARE, 2 * MESSAGE]] = NO_SQUARE
    for back, place in ((1, slice(MESSAGE)), (2, slice(MESSAGE, 2 * MESSAGE))):
        if ply >= back:
            found[place] = heard[ply - back]
    if ply >= 3:
        found[2 * MESSAGE] = heard[ply - 3][SQUARE]
    return found


def enumerate_boards(line, side):
    """All boards after a game by their names, with their chances for a side that hears it."""
    worlds, heard = [(begun(), ((0, 0), (0, 0)), 1.0)], heard_in(line)
    for ply, (move, message) in enumerate(zip(map(parse_move, line), heard, strict=True)):
        found = {}
        for state, own, weight in worlds:
            mine = state[MOVER] == side
            chances = {move: 1.0} if mine else chances_of(state, own, heard_before(heard, ply))
            for each, chance in chances.items():
                after = made(state, each)
                if after is not None and (said(after) == message).all():
                    name = name_of(after)
                    memory = own if mine else ((start_of(each), end_of(each)), own[0])
                    _, memory, already = found.get(name, (None, memory, 0.0))
                    found[name] = after, memory, already + weight * chance
        worlds = list(found.values())
    total = sum(weight for *_, weight in worlds)
    return {name_of(state): weight / total for state, _, weight in worlds}


def filter_boards(line, side, wanted=ROOM, stream=None):
    """The boards and weights after a game by the filter, with room for so many after the last move."""
    boards, spare, weights, other = *np.zeros((2, ROOM, ROW), np.int64), np.ones(ROOM), np.ones(ROOM)
    boards[0, :POSITION], count, children, heard = rules.HOME[:POSITION], 1, empty_children(ROOM), heard_in(line)
    for ply, (move, message) in enumerate(zip(map(parse_move, line), heard, strict=True)):
        if ply % 2 == side:
            count = keep_where_accepted(boards, weights, count, move, message, 0)
        else:
            told = heard_before(heard, ply)
            found = list_children(boards[:count], weights[:count], told, message, 0, POLICY, children)
            room = wanted if ply == len(line) - 1 else ROOM * MANY
            given = children, found, room, message, 0, stream_of(1) if stream is None else stream
            count = select_children(boards, *given, spare, other)
            boards, spare, weights, other = spare, boards, other, weights
    return boards[:count].copy(), weights[:count] / weights[:count].sum()


@pytest.mark.parametrize("moves", [2, 4])
@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("side", [0, 1])
def test_the_weights_are_those_of_an_enumeration_of_all_games(line, side, moves):
    line = line[:moves] if side == 0 else line[: moves - 1]
    boards, weights = filter_boards(line, side)
    expected = enumerate_boards(line, side)
    names = [name_of(board) for board in boards]
    assert len(set(names)) == len(names)
    assert dict(zip(names, weights, strict=True)) == pytest.approx(expected, rel=1e-9)


def test_of_more_boards_than_there_is_room_for_the_expected_weights_stay():
    line, wanted, streams = LINES[0], 40, 2000
    expected = enumerate_boards(line, 0)
    assert len(expected) > 3 * wanted
    sums, squares = dict.fromkeys(expected, 0.0), dict.fromkeys(expected, 0.0)
    boards, weights, other = np.empty((2, ROOM, ROW), np.int64), np.ones(ROOM), np.empty(ROOM)
    held, boards_before = filter_boards(line[:3], 0), boards[0]
    count = len(held[0])
    boards_before[:count], weights[:count] = held
    children, heard = empty_children(ROOM), heard_in(line)
    told = heard_before(heard, 3)
    found = list_children(boards_before[:count], weights[:count], told, heard[3], 0, POLICY, children)
    everything = draw_children(boards_before, children, found, found, heard[3], 0, stream_of(3), boards[1], other)
    assert everything == len(expected)
    total = other[:everything].sum()
    kept = select_children(boards_before, children, found, wanted, heard[3], 0, stream_of(3), boards[1], other)
    assert ENOUGH * wanted <= kept <= 2 * wanted and other[:kept].sum() == pytest.approx(1)
    for number in range(streams):
        given = children, found, wanted, heard[3], 0, stream_of(3, number)
        kept = draw_children(boards_before, *given, boards[1], other)
        other[:kept] /= total
        names = [name_of(board) for board in boards[1, :kept]]
        assert len(set(names)) == kept
        for name, weight in zip(names, other[:kept], strict=True):
            sums[name] += weight
            squares[name] += weight**2
    greatest = 0.0
    for name, weight in expected.items():
        mean = sums[name] / streams
        drawn = max(2 / wanted, weight)  # what a board weighs if it is kept is no more than this
        deviation = np.sqrt(max(weight * (drawn - weight), 0.0) / streams)
        assert abs(mean - weight) < 5 * deviation + 1e-9
        greatest = max(greatest, abs(squares[name] / streams - mean**2))
    assert greatest > 1e-6  # light boards are drawn, not always there


def random_turns(seed, plies, every=7):
    """The referee of a random game, at some of its turns."""
    rng, umpire = random.Random(seed), Referee()
    while not umpire.over and umpire.plies < plies:
        if len(umpire.record) % every == 0:
            yield umpire
        umpire.attempt(rng.choice(umpire.actions))


def test_answers_keep_exactly_the_boards_on_which_the_referee_gives_them():
    pool, checked = np.empty((30, POSITION), np.int64), 0
    for umpire in random_turns(4, 90):
        side = umpire.turn
        pool[0] = umpire.state[:POSITION]
        count = 1 + observe_last(observation_of(umpire.view(side)), pool[:0], 29, stream_of(5, umpire.plies), pool[1:])
        states = []
        for board in pool[:count]:
            state = umpire.state.copy()
            state[:POSITION] = board
            rules.begin_here(state)
            states.append(state)
        for move in random.Random(umpire.plies).sample(umpire.actions, 5):
            afters = [made(state, move) for state in states]
            boards, weights = pool.copy(), np.arange(1.0, 31.0)
            refused = [number for number, after in enumerate(afters) if after is None]
            kept = keep_where_refused(boards, weights, count, move)
            assert (weights[:kept] - 1).tolist() == refused
            assert (boards[:kept] == pool[refused]).all()
            for message in {said(after).tobytes(): said(after) for after in afters if after is not None}.values():
                boards, weights = pool.copy(), np.arange(1.0, 31.0)
                accepted = [
                    number
                    for number, after in enumerate(afters)
                    if after is not None and (said(after) == message).all()
                ]
                kept = keep_where_accepted(boards, weights, count, move, message, 0)
                assert (weights[:kept] - 1).tolist() == accepted
                assert all(name_of(boards[i]) == name_of(afters[j]) for i, j in enumerate(accepted))
                checked += kept
    assert checked > 1000


# The belief through games


class Listener(Engine):
    """Keeps a belief and tries anything."""

    def __init__(self, size, seed, policy=POLICY):
        super().__init__(SearchLimit(nodes=1), stream_of(seed))
        self.belief, self.rng = BoardBelief(size, policy, stream_of(seed, 1)), random.Random(seed)
        self.first = None

    def reset(self, seen):
        self.belief.begin(self.side, seen)
        if self.first is not None:
            self.belief._boards[0], self.belief._weights[0], self.belief.count = [*self.first, 0], 1.0, 1

    def on_refusal(self, move, seen):
        self.belief.refuse(move, seen)

    def on_acceptance(self, move, message, seen):
        self.belief.accept(move, message)

    def on_answer(self, message, seen):
        self.belief.answer(message, seen)

    def attempt(self, seen, actions):
        return int(self.rng.choice(actions))


def listen(listeners, umpire, plies):
    """The side to move, after it has heard everything, at every attempt of a game."""
    for side, listener in enumerate(listeners):
        listener.begin(side)
    while not umpire.over and umpire.plies < plies:
        side = umpire.turn
        action = listeners[side].choose(umpire.view(side), umpire.actions)
        yield side, listeners[side].belief
        umpire.attempt(action)


UNCUT, MAX_MOVES = BeliefSize(20_000, 0, 10), 30
"""Never mended, and cut only when it has grown very large; more moves than a side has on average in these games."""


def check_true_board(umpire, listeners, plies, watched=(0, 1)):
    """Check that the true board keeps its weight for these sides until a belief is cut; how many turns there were."""
    turns = 0
    for side, belief in listen(listeners, umpire, plies):
        if side not in watched:
            continue
        true = [name_of(board) == name_of(umpire.state) for board in belief.boards]
        assert sum(true) == 1 and belief.weights[true] > 0
        turns += 1
        if belief.count * MAX_MOVES > UNCUT.most:
            break
    return turns


def test_the_true_board_keeps_a_weight_from_the_first_move():
    turns = [check_true_board(Referee(), [Listener(UNCUT, 10 * seed + n) for n in (0, 1)], 40) for seed in range(6)]
    assert min(turns) >= 3


@pytest.mark.parametrize(
    "fen",
    [
        pytest.param("4k3/2p5/8/8/8/8/5P2/4K3 w - - 0 2", marks=pytest.mark.thorough),
        "4k3/p7/8/8/8/8/7P/4K3 b - - 0 9",
    ],
)
def test_the_true_board_keeps_a_weight_through_an_ending(fen):
    turns = []
    for seed in range(4):
        umpire, listeners = Referee(fen), [Listener(UNCUT, 10 * seed + n) for n in (0, 1)]
        listeners[umpire.turn].first = umpire.state[:POSITION].copy()
        turns.append(check_true_board(umpire, listeners, 60, (umpire.turn,)))
    assert sum(turns) > 40


def men_in(squares):
    return (int(squares) & 2**64 - 1).bit_count()


def is_sound(board):
    """Whether every man of a board is of one kind and of one colour, and whoever may castle has a rook for it."""
    kinds, (white, black) = board[:KINDS], board[MEN : MEN + 2]
    rights = [(right // 2, right % 2) for right in range(4) if board[RIGHTS] >> right & 1]
    return (
        white & black == 0
        and white | black == np.bitwise_or.reduce(kinds)
        and men_in(white | black) == sum(map(men_in, kinds))
        and all(board[ROOK] & board[MEN + colour] & bit(ROOK_HOME[colour, side]) for colour, side in rights)
    )


def test_variants_of_boards_are_sound():
    umpire = Referee("r3k2r/8/8/8/8/8/8/4K3 w kq - 0 9")
    out, true = np.empty((500, POSITION), np.int64), umpire.state[None, :POSITION].copy()
    count = vary_boards(observation_of(umpire.view(0)), true, len(out), stream_of(1), out)
    assert count > 300 and all(is_sound(board) for board in out[:count])
    assert len({int(board[RIGHTS]) for board in out[:count]}) > 1


def check_explains(belief, seen):
    """Check that all boards of a belief explain the last observation, and have the own men."""
    limits, side = np.empty(LIMITS, np.int64), belief.side
    assert belief.count > 0 and belief.weights.sum() == pytest.approx(1) and (belief.weights >= 0).all()
    for board in belief.boards:
        assert faults(observation_of(seen), board, limits) == 0 and is_sound(board)
        assert (board[:KINDS] & board[MEN + side] == seen[rules.SEEN_MEN : rules.SEEN_MEN + KINDS]).all()
        assert board[MOVER] == side


def test_a_belief_that_is_contradicted_begins_anew_with_boards_that_explain_what_was_heard():
    umpire = Referee("rnbqkb1r/pppppppp/8/8/4n3/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
    belief = BoardBelief(BeliefSize(100, 50, 60), POLICY, stream_of(1))
    belief.begin(0, umpire.view(0))
    assert not umpire.attempt("e2e4").accepted  # it is legal on every board that has all men at home
    belief.refuse(parse_move("e2e4"), umpire.view(0))
    assert belief.count == 60
    check_explains(belief, umpire.view(0))


@pytest.mark.thorough
def test_a_belief_of_five_boards_is_mended_and_explains_what_was_heard():
    mended = 0
    for seed in range(3):
        umpire = Referee()
        for side, belief in listen([Listener(BeliefSize(5, 50, 40), 10 * seed + n) for n in (0, 1)], umpire, 60):
            if belief.count > 6:
                mended += 1
            check_explains(belief, umpire.view(side))
    assert mended > 50


def test_a_belief_that_is_mended_at_every_refusal_never_overflows():
    refused, size = 0, BeliefSize(60, 10**9, 40)
    for seed in range(3):
        umpire = Referee()
        for _, belief in listen([Listener(size, 10 * seed + n) for n in (0, 1)], umpire, 80):
            assert belief.count > 0 and belief.weights.sum() == pytest.approx(1)
            assert all(is_sound(board) for board in belief.boards[::7])
        refused += sum(umpire.refused)
    assert refused > 100


@pytest.mark.parametrize("ply", [1, 3])
def test_a_game_that_begins_with_black_to_move_is_believed(ply):
    umpire = Referee(f"4k3/4p3/8/8/8/8/8/4K2Q b - - 0 {(ply + 1) // 2}")
    listener = Listener(BeliefSize(50, 5, 40), 1)
    listener.begin(1)
    listener.choose(umpire.view(1), umpire.actions)
    check_explains(listener.belief, umpire.view(1))
    assert len(listener.belief.turns) == 1
