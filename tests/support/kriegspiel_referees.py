"""Two other referees of Kriegspiel: the `kriegspiel` package (wild 16), and a slow one on python-chess.

The slow one is written from the rule book and shares nothing with ours.
"""

from collections import Counter

import chess
from kriegspiel.move import CapturedPieceAnnouncement, KriegspielMove, MainAnnouncement, QuestionAnnouncement
from kriegspiel.move import SpecialCaseAnnouncement as Special
from kriegspiel.wild16 import Wild16Game

from fogspiel.kriegspiel.game import rules

SPECIAL_CHECKS = {
    Special.CHECK_RANK: 1,
    Special.CHECK_FILE: 2,
    Special.CHECK_LONG_DIAGONAL: 4,
    Special.CHECK_SHORT_DIAGONAL: 8,
    Special.CHECK_KNIGHT: 16,
}
ENDS = {
    Special.CHECKMATE_WHITE_WINS: rules.CHECKMATE,
    Special.CHECKMATE_BLACK_WINS: rules.CHECKMATE,
    Special.DRAW_STALEMATE: rules.STALEMATE,
    Special.DRAW_INSUFFICIENT: rules.MATERIAL,
}
DIRECTIONS = {"rank": 1, "file": 2, "long": 4, "short": 8, "knight": 16}
STEPS = {
    chess.KNIGHT: [(a, b) for a in (-2, -1, 1, 2) for b in (-2, -1, 1, 2) if abs(a) != abs(b)],
    chess.BISHOP: [(a, b) for a in (-1, 1) for b in (-1, 1)],
    chess.ROOK: [(1, 0), (-1, 0), (0, 1), (0, -1)],
    chess.QUEEN: [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b],
}
STEPS[chess.KING] = STEPS[chess.QUEEN]
FAR = (chess.BISHOP, chess.ROOK, chess.QUEEN)


def walk(square, up, right, far):
    """The squares in one direction."""
    rank, file = chess.square_rank(square) + up, chess.square_file(square) + right
    while 0 <= rank < 8 and 0 <= file < 8:
        yield chess.square(file, rank)
        if not far:
            return
        rank, file = rank + up, file + right


class SlowReferee:
    """One game of Kriegspiel by the rules of the Internet Chess Club."""

    def __init__(self, fen=chess.STARTING_FEN, per_piece=False, at_arrival=False):
        self.board, self.per_piece, self.at_arrival = chess.Board(fen), per_piece, at_arrival
        self.seen = Counter([self.key()])
        self.refused = set()

    def key(self):
        """What repetition compares."""
        board = self.board
        passant = any(map(board.is_en_passant, board.legal_moves)) and board.ep_square
        return board.board_fen(), board.turn, board.castling_rights, passant

    def pawn_captures(self):
        """The legal captures by pawns."""
        board = self.board
        return [
            move
            for move in board.legal_moves
            if board.piece_type_at(move.from_square) == chess.PAWN and move.from_square % 8 != move.to_square % 8
        ]

    def tries(self):
        """Their number: a promotion counts once unless the house counts promotions."""
        moves = self.pawn_captures()
        return len(moves) if self.per_piece else len({(move.from_square, move.to_square) for move in moves})

    def checks(self):
        """The directions of check."""
        board, found = self.board, set()
        king = board.king(board.turn)
        for checker in board.checkers():
            ranks = chess.square_rank(checker) - chess.square_rank(king)
            files = chess.square_file(checker) - chess.square_file(king)
            if board.piece_type_at(checker) == chess.KNIGHT:
                found.add("knight")
            elif ranks == 0:
                found.add("rank")
            elif files == 0:
                found.add("file")
            else:
                lengths = {sign: sum(len(list(walk(king, d, d * sign, True))) for d in (-1, 1)) for sign in (-1, 1)}
                sign = 1 if ranks == files else -1
                found.add("long" if lengths[sign] > lengths[-sign] else "short")
        return sum(DIRECTIONS[name] for name in found)

    def attempts(self):
        """Everything that the mover could try for all that he knows, in UCI."""
        board, colour, captures = self.board, self.board.turn, self.tries() > 0
        found, own = set(), board.occupied_co[self.board.turn]
        for square in chess.SquareSet(own):
            kind = board.piece_type_at(square)
            if kind == chess.PAWN:
                up = 1 if colour else -1
                first = chess.square_rank(square) == (1 if colour else 6)
                ends = []
                for end in list(walk(square, up, 0, True))[: 2 if first else 1]:
                    if own >> end & 1:
                        break
                    ends.append(end)
                if captures:
                    ends += [end for right in (-1, 1) for end in walk(square, up, right, False) if not own >> end & 1]
                for end in ends:
                    last = chess.square_rank(end) in (0, 7)
                    for letter in "qrbn" if last else [""]:
                        found.add(chess.square_name(square) + chess.square_name(end) + letter)
                continue
            for step in STEPS[kind]:
                for end in walk(square, *step, kind in FAR):
                    if own >> end & 1:
                        break
                    found.add(chess.square_name(square) + chess.square_name(end))
        home = 0 if colour else 56
        for rook, between, end in ((7, (5, 6), 6), (0, (1, 2, 3), 2)):
            if board.castling_rights >> (home + rook) & 1 and not any(own >> (home + file) & 1 for file in between):
                found.add(chess.square_name(home + 4) + chess.square_name(home + end))
        return {text for text in found if text[:4] not in self.refused}

    def taken(self, move):
        """What is announced of a capture: 0 nothing, 1 pawn, 2 piece; and the square."""
        board = self.board
        if board.is_en_passant(move):
            victim = chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
            return 1, move.to_square if self.at_arrival else victim
        kind = board.piece_type_at(move.to_square)
        return (0, -1) if kind is None else (1 if kind == chess.PAWN else 2, move.to_square)

    def attempt(self, text):
        """The message about a legal move, or None."""
        move = chess.Move.from_uci(text)
        if move not in self.board.legal_moves:
            self.refused.add(text[:4])
            return None
        taken = self.taken(move)
        self.board.push(move)
        self.refused.clear()
        self.seen[self.key()] += 1
        return [*taken, self.checks(), self.tries()]

    def ending(self):
        """Why the game is over, as the number that the rules give to it, or 0."""
        board = self.board
        if not any(board.legal_moves):
            return 1 if board.is_check() else 2
        if board.is_insufficient_material():
            return 3
        if board.halfmove_clock >= 100:
            return 4
        return 5 if self.seen[self.key()] >= 3 else 0


def cells(umpire):
    """The last message as numbers: what was taken, where, directions of check, tries."""
    last = rules.SAID + 4 * (1 - umpire.turn)
    return umpire.state[last : last + 4].tolist()


def of_the_package(fen):
    """The package's referee in a position."""
    game = Wild16Game()
    game._board = chess.Board(fen)
    game._generate_possible_to_ask_list()
    return game


def questions(game):
    """What the package lets the mover ask, but for captures en passant without tries: they give a secret away."""
    captures = [move.chess_move.uci() for move in game._generate_possible_pawn_captures()]
    hidden = captures if not game.current_turn_pawn_tries else []
    return {move.chess_move.uci() for move in game.possible_to_ask} - set(hidden)


def package_agrees(game, text, umpire, accepted):
    """Ask the package the same question, and compare all that it says."""
    answer = game.ask_for(KriegspielMove(QuestionAnnouncement.COMMON, chess.Move.from_uci(text)))
    assert answer.move_done == accepted
    if not accepted:
        assert answer.main_announcement == MainAnnouncement.ILLEGAL_MOVE
        return
    taken, square, checks, tries = cells(umpire)
    if answer.main_announcement == MainAnnouncement.CAPTURE_DONE:
        assert (
            taken
            == {CapturedPieceAnnouncement.PAWN: 1, CapturedPieceAnnouncement.PIECE: 2}[
                answer.captured_piece_announcement
            ]
        )
        assert square == answer.capture_at_square
    else:
        assert (taken, square) == (0, -1)
    special = answer.special_announcement
    if special in ENDS:  # it does not say from where mate is given, nor that there are no tries
        assert int(umpire.state[rules.END]) == ENDS[special] and tries == 0
        return
    assert int(umpire.state[rules.END]) in (0, rules.FIFTY, rules.REPETITION)
    directions = (answer.check_1, answer.check_2) if special == Special.CHECK_DOUBLE else (special,)
    assert checks == sum(SPECIAL_CHECKS.get(direction, 0) for direction in directions)
    assert tries == answer.next_turn_pawn_tries


def attempt_everywhere(text, umpire, slow, game=None):
    """Try a move before all referees, who must agree; the message as numbers, or None."""
    before = umpire.fen
    accepted, message = umpire.attempt(text).accepted, slow.attempt(text)
    assert accepted == (message is not None), (before, text)
    if game is not None:
        package_agrees(game, text, umpire, accepted)
    assert message is None or cells(umpire) == message, (before, text)
    return message
