"""The `kriegspiel` package as the oracle of every rule set: the same questions, and all that it says beside ours."""

import chess
from kriegspiel.game import KriegspielGame
from kriegspiel.move import CapturedPieceAnnouncement, KriegspielMove, MainAnnouncement, QuestionAnnouncement
from kriegspiel.move import SpecialCaseAnnouncement as Special

from fogspiel.core.game import LOSS, WIN
from fogspiel.kriegspiel.game import rules
from fogspiel.kriegspiel.game.attempts import MAN_TAKEN, MESSAGE, PASSANT_TAKEN, PAWN_TAKEN, PIECE_TAKEN

from .kriegspiel_referees import ENDS, SPECIAL_CHECKS

NAMES = {
    "icc": "wild16",
    "berkeley": "berkeley",
    "berkeley-any": "berkeley_any",
    "cincinnati": "cincinnati",
    "rand": "rand",
    "english": "english",
}
ALL_ENDS = ENDS | {
    Special.STALEMATE_WHITE_WINS: rules.LOST_STALEMATE,
    Special.STALEMATE_BLACK_WINS: rules.LOST_STALEMATE,
    Special.DRAW_TOOMANYREVERSIBLEMOVES: rules.TOO_LONG,
}
WINNERS = {
    Special.CHECKMATE_WHITE_WINS: WIN,
    Special.CHECKMATE_BLACK_WINS: LOSS,
    Special.STALEMATE_WHITE_WINS: WIN,
    Special.STALEMATE_BLACK_WINS: LOSS,
}
OURS_ALONE = (rules.FIFTY, rules.REPETITION)
"""Draws that the package does not know: it goes on."""
ASK = KriegspielMove(QuestionAnnouncement.ASK_ANY)


class Oracle:
    """One game before the package's referee."""

    def __init__(self, name, fen=chess.STARTING_FEN):
        self.name, self.game = name, KriegspielGame(ruleset=NAMES[name])
        self.game._board = chess.Board(fen)
        self.game._generate_possible_to_ask_list()
        self.refused, self.secret = set(), None

    def attempts(self):
        """What the package lets the mover ask, but for three things in which we follow the texts (docs/kriegspiel.md).

        A refused capture that promotes is refused whatever the pawn becomes; what was refused is not offered again in
        the same turn; a capture en passant is not offered unless captures are: that it is possible is secret.
        """
        if self.secret is None:
            captures = set(self.game._generate_possible_pawn_captures())
            self.secret = captures - self.game._ruleset.pawn_capture_attempts_for_prompt(self.game)
        offered = set(self.game.possible_to_ask) - self.secret
        names = {"any" if move == ASK else move.chess_move.uci() for move in offered}
        return {name for name in names if name[:4] not in self.refused}

    def ask(self, text):
        """The package's answer."""
        move = ASK if text == "any" else KriegspielMove(QuestionAnnouncement.COMMON, chess.Move.from_uci(text))
        answer = self.game.ask_for(move)
        if answer.move_done:
            self.refused, self.secret = set(), None
        elif answer.main_announcement == MainAnnouncement.ILLEGAL_MOVE:
            self.refused.add(text[:4])
        return answer

    def heard(self, colour):
        """What a side has heard of the other's turn that was played last, in our cells."""
        own = self.game._whites_scoresheet if colour == 0 else self.game._blacks_scoresheet
        cells = [0, 0, 0, 0]
        for question, answer in own.moves_opponent[-1] if own.moves_opponent else []:
            said = answer.main_announcement
            if said == MainAnnouncement.ILLEGAL_MOVE:
                cells[rules.REFUSED_AFTER if cells[rules.ANSWER] else rules.REFUSED_BEFORE] += 1
            if question == QuestionAnnouncement.ASK_ANY:
                cells[rules.ANSWER] = rules.YES if said == MainAnnouncement.HAS_ANY else rules.NO
            cells[rules.PROMOTED] = int(bool(answer.promotion_announced))
        return cells


def message_cells(umpire):
    """The last message in numbers."""
    last = rules.SAID + MESSAGE * (1 - umpire.turn)
    return umpire.state[last : last + MESSAGE].tolist()


def taken_by(answer):
    """What the package says of a capture: what was taken, and where."""
    if answer.main_announcement != MainAnnouncement.CAPTURE_DONE:
        return [0, -1]
    kinds = {None: MAN_TAKEN, CapturedPieceAnnouncement.PAWN: PAWN_TAKEN, CapturedPieceAnnouncement.PIECE: PIECE_TAKEN}
    kind = PASSANT_TAKEN if answer.en_passant_announced else kinds[answer.captured_piece_announcement]
    return [kind, answer.capture_at_square]


def tries_by(answer):
    """What the package says of pawn captures."""
    squares = answer.next_turn_pawn_try_squares
    told = [answer.next_turn_pawn_tries, answer.next_turn_has_pawn_capture]
    told.append(None if squares is None else sum(1 << square for square in squares))
    said = [tries for tries in told if tries is not None]
    return int(said[0]) if said else 0


def agree(oracle, umpire, text, ours):
    """Ask the package what our referee was asked, and compare everything that it says."""
    answer = oracle.ask(text)
    said = answer.main_announcement
    if text == "any":
        assert ours.text == {MainAnnouncement.HAS_ANY: "yes", MainAnnouncement.NO_ANY: "no"}[said]
        return answer
    assert answer.move_done == ours.accepted
    if not ours.accepted:
        assert said == MainAnnouncement.ILLEGAL_MOVE
        return answer
    cells, special, end = message_cells(umpire), answer.special_announcement, int(umpire.state[rules.END])
    assert cells[:2] == taken_by(answer)
    if special in ALL_ENDS:  # it does not say from where mate is given
        assert end == ALL_ENDS[special] and cells[3] == 0
        assert special not in WINNERS or umpire.score == WINNERS[special]
        return answer
    assert end == 0 or end in OURS_ALONE
    directions = (answer.check_1, answer.check_2) if special == Special.CHECK_DOUBLE else (special,)
    assert cells[2] == sum(SPECIAL_CHECKS.get(direction, 0) for direction in directions)
    assert cells[3] % 2**64 == tries_by(answer)
    return answer
