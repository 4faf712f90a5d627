"""Adjudication of a game of two chess engines: by both engines' evaluations, and by a maximum length.

The usual rules of testers: fishtest lets an engine resign that sees itself 600 hundredths of a pawn behind for three
moves, and ends a game as drawn after move 34 if both see at most 20 for eight plies. The rules here are stricter, for
an engine that is tuned may have a scale of its own: both must agree, on 1000 and 10, and draws wait for move 40.
"""

import re
from collections import deque
from dataclasses import dataclass

from ...games.chess.fen import SIDES

RESIGN, DRAW, LONGEST = (
    re.compile(r"resign=(\d{1,6})x(\d{1,3})"),
    re.compile(r"draw=(\d{1,6})x(\d{1,3})@(\d{1,4})"),
    re.compile(r"longest=(\d{1,5})"),
)
NEVER = "none"
USAGE = "write none, or some of resign=1000x3, draw=10x8@40 and longest=600, with commas"


@dataclass(frozen=True)
class Rules:
    """The rules by which games end early; 0 moves or plies switch one off."""

    resign_score: int = 1000
    resign_moves: int = 3  # both agree on so much, the loser and the winner each in so many moves in a row
    draw_score: int = 10
    draw_plies: int = 8
    # Both see at most so much in so many plies in a row, without a capture or a pawn move, after this move.
    draw_after: int = 40
    longest: int = 600  # plies after which a game is drawn

    @classmethod
    def parse(cls, text: str) -> "Rules":
        """The rules in words; those that are not named are off, but for the greatest length."""
        chosen = {"resign_moves": 0, "draw_plies": 0}
        for part in text.split(",") if text != NEVER else ():
            if found := RESIGN.fullmatch(part):
                chosen |= {"resign_score": int(found[1]), "resign_moves": int(found[2])}
            elif found := DRAW.fullmatch(part):
                chosen |= {"draw_score": int(found[1]), "draw_plies": int(found[2]), "draw_after": int(found[3])}
            elif (found := LONGEST.fullmatch(part)) and int(found[1]):
                chosen |= {"longest": int(found[1])}
            else:
                raise ValueError(f"{part[:40]!r} is not a rule by which games end early: {USAGE}")
        return cls(**chosen)


@dataclass(frozen=True)
class Ending:
    """End of a game that the rules of chess alone did not end."""

    score: float  # white's: 0, 1/2 or 1
    termination: str  # as the tag of a PGN has it
    reason: str


class Adjudicator:
    """Hears what both engines think of a game, and says when it is over."""

    def __init__(self, rules: Rules):
        self.rules = rules
        self._scores: tuple[deque[int | None], deque[int | None]] = (
            deque(maxlen=max(rules.resign_moves, 1)),
            deque(maxlen=max(rules.resign_moves, 1)),
        )
        self._level = 0

    def hear(self, colour: int, score: int | None, ply: int, quiet: int) -> Ending | None:
        """Take note of the score (for its own side) with which an engine made the move that led to this ply."""
        rules = self.rules
        self._scores[colour].append(score)
        if quiet == 0 or score is None or abs(score) > rules.draw_score or (ply - 1) // 2 < rules.draw_after:
            self._level = 0
        else:
            self._level += 1
        if rules.resign_moves:
            for loser in (0, 1):
                if self._all(loser, -1) and self._all(1 - loser, 1):
                    reason = f"{SIDES[loser]} is lost, as both say"
                    return Ending(float(loser), "adjudication", reason)
        if rules.draw_plies and self._level >= rules.draw_plies:
            return Ending(0.5, "adjudication", "a draw, as both say")
        return Ending(0.5, "adjudication", f"a draw after {ply} plies") if ply >= rules.longest else None

    def _all(self, colour: int, sign: int) -> bool:
        """True if a side has seen itself ahead (1) or behind (-1) by enough for long enough."""
        scores = self._scores[colour]
        enough = self.rules.resign_score
        return len(scores) == self.rules.resign_moves and all(s is not None and sign * s >= enough for s in scores)
