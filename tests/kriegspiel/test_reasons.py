"""Every reason that is printed is true: checked against the record and the true boards by another chess library."""

import re
from collections import Counter

import pytest

from fogspiel.core.rng import stream_of
from fogspiel.games.chess.fen import move_name, parse_move
from fogspiel.kriegspiel.analysis import PositionAnalysis, analyse
from fogspiel.kriegspiel.decisions import filtered_decisions, replayed_decisions
from fogspiel.kriegspiel.engine import SearchLimit, find_engine
from fogspiel.kriegspiel.pgn import read_pgn, write_pgn
from fogspiel.kriegspiel.reasons import PATTERNS, reasons_of
from fogspiel.kriegspiel.referee import Referee, play_game

chess = pytest.importorskip("chess")

MEN = {name: place for place, name in enumerate(("", "pawn", "knight", "bishop", "rook", "queen", "king"))}
LINES = {
    "rank": lambda a, b: chess.square_rank(a) == chess.square_rank(b),
    "file": lambda a, b: chess.square_file(a) == chess.square_file(b),
}


class Truth:
    """An attempt in a record, with the true boards before it, after it, and after the reply."""

    def __init__(self, attempts, place):
        self.attempts, self.place = attempts, place
        self.before, self.move, self.answer, self.offered, self.heard = attempts[place]
        self.board = chess.Board(self.before)
        self.side, self.refused = self.board.turn, not self.answer.accepted
        self.start, self.end = chess.parse_square(self.move[:2]), chess.parse_square(self.move[2:4])
        self.man = self.board.piece_type_at(self.start)
        later = [one for one in attempts[place + 1 :] if one[2].accepted]
        self.replied = later[0][2].message if later and not self.refused else None
        after = self.board.copy()
        if not self.refused:
            after.push(chess.Move.from_uci(self.move))
        self.after = after

    @property
    def turn(self):
        """Attempts of the same turn, this one included."""
        first = self.place
        while first and self.attempts[first - 1][0] == self.before:
            first -= 1
        return self.attempts[first : self.place + 1]

    def earlier(self, back):
        """Attempts of the own turn so many turns before."""
        boards = list(dict.fromkeys(one[0] for one in self.attempts[: self.place + 1]))
        here = boards.index(self.before) - 2 * back
        return [one for one in self.attempts if here >= 0 and one[0] == boards[here]]

    def lost(self, square):
        """True if the reply took a man of the mover on this square."""
        there = self.after.piece_at(square)
        named = self.replied is not None and self.replied.taken and self.replied.square == chess.square_name(square)
        return bool(named and there and there.color == self.side)

    def guards(self, board, square):
        return set(board.attackers(self.side, square))

    def checkers(self):
        return set(self.board.checkers())


def squares_in(sentence):
    return [chess.parse_square(name) for name in re.findall(r"\b[a-h][1-8]\b", sentence)]


def named(sentence):
    return [MEN[name] for name in re.findall(r"\b(pawn|knight|bishop|rook|queen|king)\b", sentence)]


def moved(true, sentence):
    """True if the sentence names the man that moved and the square to which it moved."""
    return not true.refused and named(sentence)[0] == true.man and squares_in(sentence)[0] == true.end


def took_and_lost(true, sentence):
    return moved(true, sentence) and true.board.piece_at(true.end) is not None and true.lost(true.end)


def moved_unguarded(true, sentence):
    return moved(true, sentence) and true.lost(true.end) and not true.guards(true.after, true.end)


def moved_and_lost(true, sentence):
    return moved(true, sentence) and true.lost(true.end) and not true.board.piece_at(true.end)


def guard_left(true, sentence):
    (guard, man), (left, square) = named(sentence), squares_in(sentence)
    found = true.guards(true.board, square) <= {left} and not true.guards(true.after, square)
    right = left == true.start and guard == true.man and man == true.after.piece_type_at(square)
    return found and right and true.lost(square)


def left_unguarded(true, sentence):
    (square,) = squares_in(sentence)
    right = named(sentence) == [true.after.piece_type_at(square)] and square != true.end
    return right and true.lost(square) and not true.guards(true.after, square)


def gave_tries(true, sentence):
    (square,) = squares_in(sentence)
    captures = [one for one in true.after.legal_moves if true.after.piece_type_at(one.from_square) == chess.PAWN]
    return true.lost(square) and any(true.after.is_capture(one) for one in captures)


def try_not_taken(true, sentence):
    pawns = [one for one in true.board.legal_moves if true.board.piece_type_at(one.from_square) == chess.PAWN]
    diagonal = true.man == chess.PAWN and (true.end - true.start) % 8
    return any(true.board.is_capture(one) for one in pawns) and not diagonal and not true.refused


def not_taken_back(true, sentence):
    square, move = re.search(r"on (..), .* as by (....),", sentence).groups()
    tried = {one[1][2:4] for one in true.turn}
    offered = {name[:4] for name in true.turn[0][3]}
    return true.heard.taken and true.heard.square == square and square not in tried and move in offered


def gave_up_castling(true, sentence):
    rights = [
        board.clean_castling_rights() & chess.BB_RANKS[0 if true.side else 7] for board in (true.board, true.after)
    ]
    castles = true.board.is_castling(chess.Move.from_uci(true.move))
    return named(sentence) == [true.man] and rights[0] != rights[1] and not castles


def king_into_check(true, sentence):
    return true.man == chess.KING and moved(true, sentence) and bool(true.replied.checks)


def went_back(true, sentence):
    last = true.earlier(1)[-1]
    return moved(true, sentence) and last[2].accepted and last[1][:4] == true.move[2:4] + true.move[:2]


def refused_again(true, sentence):
    turns = [true.turn, true.earlier(1), true.earlier(2)]
    return all((true.move, False) in [(one[1], one[2].accepted) for one in turn] for turn in turns)


def check_not_met(true, sentence):
    (checker,), king = true.checkers(), true.board.king(true.side)
    met = chess.SquareSet(chess.between(king, checker)) | chess.BB_SQUARES[checker]
    return true.refused and true.man != chess.KING and true.end not in met


def king_alone_may_move(true, sentence):
    return len(true.checkers()) == 2 and true.man != chess.KING and true.refused


def king_stayed_on_line(true, sentence):
    king = true.board.king(true.side)
    on_line = [true.end in chess.SquareSet(chess.ray(king, one)) for one in true.checkers()]
    line = re.search("on the (rank|file|long diagonal|short diagonal)", sentence)[1]
    right = LINES[line](king, true.end) if line in LINES else any(on_line)
    return right and any(on_line) and true.refused and true.man == chess.KING


def attempts_of(umpire):
    """Replay a record: the board, the attempt, its answer, what was offered, and what was heard before it."""
    again, found = Referee(), []
    for action in umpire.record:
        before, offered, heard = again.fen, again.attempts(), again.message
        found.append((before, move_name(action), again.attempt(action), offered, heard))
    return found


@pytest.fixture(scope="module")
def games():
    """Ten games of weak players."""
    found = []
    for seed in range(10):
        names = (("greedy", "random"), ("random", "greedy"), ("greedy", "greedy"))[seed % 3]
        players = tuple(
            find_engine(name)(SearchLimit(nodes=1), stream_of(seed, side)) for side, name in enumerate(names)
        )
        found.append(play_game(players, Referee(), 160))
    return found


def test_every_sentence_of_ten_games_is_true(games):
    found = Counter()
    for umpire in games:
        attempts = attempts_of(umpire)
        for side in (0, 1):
            decisions, _ = replayed_decisions(umpire.record, side)
            own = [place for place, one in enumerate(attempts) if chess.Board(one[0]).turn == (side == 0)]
            for place, decision in enumerate(decisions):
                for name, sentence in reasons_of(decisions, place) if decision.action is not None else ():
                    true = Truth(attempts, own[place])
                    assert true.move == move_name(decision.action)
                    assert globals()[name](true, sentence), (attempts[own[place]], sentence)
                    found[name] += 1
    assert {pattern.name for pattern in PATTERNS} - {"king_alone_may_move"} <= set(found)
    assert found.total() > 500


def test_a_filtered_game_has_the_same_reasons(games):
    """Reasons depend on the player's view alone."""
    umpire = games[0]
    for side in (0, 1):
        whole = replayed_decisions(umpire.record, side)[0]
        (reading,) = read_pgn(write_pgn(umpire.record, viewer=("white", "black")[side]))
        filtered = filtered_decisions(reading)
        for place in range(min(len(whole), len(filtered)) - 1):
            assert reasons_of(whole, place) == reasons_of(filtered, place)


def played(*moves):
    umpire = Referee()
    for move in moves:
        umpire.attempt(move)
    return umpire


def names_at(umpire, side, move):
    decisions, _ = replayed_decisions(umpire.record, side)
    place = next(at for at, one in enumerate(decisions) if one.action == parse_move(move))
    return dict(reasons_of(decisions, place))


def test_known_positions_have_the_known_reasons():
    opened = ("e2e4", "d7d5", "b1c3", "d5e4", "f1c4", "a7a6")
    found = names_at(played(*opened), 0, "f1c4")
    assert found["not_taken_back"] == "A man was lost on e4, and taking back there, as by c3e4, was not tried"
    assert "try_not_taken" in names_at(played(*opened), 0, "b1c3")
    left = played("e2e4", "d7d5", "b1c3", "g8f6", "c3b5", "d5e4", "b5c3")
    assert names_at(left, 0, "c3b5")["guard_left"].startswith("The knight on c3 alone could guard the pawn on e4")
    assert "went_back" in names_at(left, 0, "b5c3")
    doubled = Referee("4k3/8/8/8/8/5n2/PP2r3/4K2R w - - 0 1")
    doubled.attempt("a2a3")
    assert set(names_at_start(doubled)) == {"king_alone_may_move"}


def names_at_start(umpire):
    decisions, _ = replayed_decisions(umpire.record, 0, "4k3/8/8/8/8/5n2/PP2r3/4K2R w - - 0 1")
    return dict(reasons_of(decisions, 0))


@pytest.mark.thorough
def test_an_analysis_gives_reasons_where_a_move_cost_something(games):
    decisions, _ = replayed_decisions(games[1].record[:60], 0)
    found = list(analyse(decisions, "fog", SearchLimit(nodes=300)))
    assert any(one.reasons for one in found)
    for place, one in enumerate(found):
        sentences = tuple(sentence for _, sentence in reasons_of(decisions, place))
        costs = not one.accepted or (one.cost or 0) > 0
        assert one.reasons == (sentences if costs else ())
        assert PositionAnalysis.from_json(one.to_json()).reasons == one.reasons
