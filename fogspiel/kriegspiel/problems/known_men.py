"""White's knowledge of a set of boards: the certain men, and the possible ones."""

from dataclasses import dataclass

from ...games.chess.fen import square_name
from .problem import fen_of_board, letters_of
from .solver import Boards

NOBODY, KING_MAYBE, SOMEBODY_MAYBE = ".", "?", "*"


@dataclass(frozen=True)
class KnownMen:
    """Squares from a1 to h8."""

    certain: str  # the letter of the man that stands on a square of every board, `.` elsewhere
    # The other squares on which somebody may stand, each with the letters of those who may; the king comes first.
    possible: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        """The board in letters: `?` where the king may be, `*` where only another man may be."""
        letters, maybe = list(self.certain), dict(self.possible)
        for square in range(64):
            if men := maybe.get(square_name(square)):
                letters[square] = KING_MAYBE if "k" in men else SOMEBODY_MAYBE
        ranks = [f"{rank + 1}  {' '.join(letters[8 * rank : 8 * rank + 8])}" for rank in range(7, -1, -1)]
        return "\n".join([*ranks, "   a b c d e f g h"])


def known_men(boards: Boards) -> KnownMen:
    """Return the certain and the possible men if the true board is one of these."""
    drawn = [letters_of(fen_of_board(board).split()[0]) for board in boards]
    certain, possible = "", []
    for square, there in enumerate(zip(*drawn, strict=True)):
        kinds = set(there)
        certain += there[0] if len(kinds) == 1 else NOBODY
        if len(kinds) > 1:
            possible.append((square_name(square), "".join(sorted(kinds - {NOBODY}, key="kqrbnp".index))))
    return KnownMen(certain, tuple(possible))
