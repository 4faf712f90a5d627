"""Kriegspiel: chess whose players see only their own men and hear what the referee says.

The rules as kernels and the layout of states and views are in `rules.py`.
"""

import numpy as np

from ...core.game import Game, Rules, Sizes
from ..chess.attempts import MOST_ATTEMPTS
from ..chess.fen import SIDES, fen_of, move_name
from ..chess.men import KINDS
from ..chess.messages import MESSAGE
from ..chess.position import MEN, MOVER, PLY, POSITION
from ..chess.words import board_text, message_text
from . import rules

ENDINGS = {
    rules.CHECKMATE: "checkmate",
    rules.STALEMATE: "stalemate",
    rules.MATERIAL: "a draw: neither side has men enough to mate",
    rules.FIFTY: "a draw: fifty moves without a capture or a pawn move",
    rules.REPETITION: "a draw: the position stands for the third time",
}


def recent_messages(ply: int, own: np.ndarray, other: np.ndarray, player: int, mover: int) -> list[str]:
    """What was said of the last two moves, in their order."""
    lines = [message_text(own.tolist(), player), message_text(other.tolist(), 1 - player)]
    return (lines if mover == player else lines[::-1])[max(2 - ply, 0) :]


def refused_in(cells: np.ndarray) -> tuple[str, ...]:
    """The attempts that were refused in this turn."""
    return tuple(
        move_name(start + 64 * end) for start, ends in enumerate(cells.tolist()) for end in range(64) if ends >> end & 1
    )


def show(seen: np.ndarray) -> str:
    player, mover, ply = (int(seen[cell]) for cell in (rules.SEEN_PLAYER, rules.SEEN_MOVER, rules.SEEN_PLY))
    men = seen[rules.SEEN_MEN : rules.SEEN_MEN + KINDS]
    own, other = (seen[at : at + MESSAGE] for at in (rules.SEEN_OWN, rules.SEEN_OTHER))
    refused = refused_in(seen[rules.SEEN_REFUSED :])
    end = int(seen[rules.SEEN_END])
    lines = [
        f"you are {SIDES[player]}: {ENDINGS[end] if end else 'your move' if mover == player else 'the other moves'}",
        board_text(men.tolist(), -1 if player == 0 else 0),
        *recent_messages(ply, own, other, player, mover),
    ]
    if refused:
        lines.append(f"refused: {' '.join(refused)}")
    lost_pawns, lost_pieces, won_pawns, won_pieces = seen[rules.SEEN_TAKEN : rules.SEEN_TAKEN + 4].tolist()
    lines.append(
        f"you have lost {lost_pawns} pawns, {lost_pieces} pieces; taken {won_pawns} pawns, {won_pieces} pieces"
    )
    return "\n".join(lines)


def reveal(state: np.ndarray) -> str:
    lines = [board_text(state[:KINDS].tolist(), int(state[MEN])), fen_of(state[:POSITION])]
    last = 1 - int(state[MOVER])
    if state[PLY]:
        lines.append(
            message_text(state[rules.SAID + MESSAGE * last : rules.SAID + MESSAGE * (last + 1)].tolist(), last)
        )
    if state[rules.END]:
        lines.append(ENDINGS[int(state[rules.END])])
    return "\n".join(lines)


GAMES = [
    Game(
        name="kriegspiel",
        title="Kriegspiel (Internet Chess Club rules)",
        family="kriegspiel",
        kind="Boards",
        version=1,
        rules=Rules(rules.start, rules.mover, rules.legal, rules.apply, rules.view, rules.score),
        sizes=Sizes(rules.STATE, rules.VIEW, MOST_ATTEMPTS),
        show=show,
        reveal=reveal,
        label=move_name,
        source="The published rules of wild 16; draws by fifty moves and repetition are automatic.",
        play=rules.play,
    )
]
