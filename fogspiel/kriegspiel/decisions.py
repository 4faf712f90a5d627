"""Views and attempts of one player of Kriegspiel: the whole input of an analysis.

A decision is a view and an attempt. Decisions come from a record, which the referee replays; from a game filtered for
that player, which is followed on the board of the own men; or from a view typed by hand.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..core.game import new_cells
from ..games.chess.bitboards import KING, NO_SQUARE, PAWN, ROOK
from ..games.chess.fen import CASTLES, DIRECTIONS, LETTERS, SIDES, parse_square, square_name
from ..games.chess.moves import MAX_ATTEMPTS
from ..games.chess.position import KING_HOME, POSITION, ROOK_HOME, end_of, start_of
from .game import ICC, rules
from .game.attempts import MESSAGE, PAWN_TAKEN, PIECE_TAKEN, move_own, refuse
from .pgn import PgnGame, lose_announced
from .protocol import SIDE_WORDS, SILENCE, ProtocolReader, own_board
from .referee import WILD_16, HouseRules, Message, Referee

LAST_RANKS = 0xFF000000000000FF
MIDDLE = 20  # assumed number of plies where a typed view gives none


@dataclass(frozen=True)
class Decision:
    """A player's view and its attempt; None if it is still to choose."""

    seen: np.ndarray
    action: int | None

    @property
    def ply(self) -> int:
        return int(self.seen[rules.SEEN_PLY])

    @property
    def actions(self) -> list[int]:
        """Possible attempts: they follow from the view alone, by the list of the rules."""
        seen, state, out = self.seen, new_cells(rules.STATE), new_cells(MAX_ATTEMPTS)
        side = int(seen[rules.SEEN_PLAYER])
        said, turn = rules.SAID + MESSAGE * (1 - side), rules.TURNS + rules.TURN * side
        state[:POSITION] = own_board(seen)
        state[rules.SWITCHES] = seen[rules.SEEN_SWITCHES]
        state[said : said + MESSAGE] = seen[rules.OTHER_MESSAGE]
        state[rules.REFUSED : rules.REFUSED + 64] = seen[rules.REFUSALS]
        state[turn : turn + rules.TURN] = seen[rules.OWN_TURN]
        return [int(action) for action in out[: rules.legal(state, out)]]


def replayed_decisions(
    record: Sequence[int], side: int, fen: str | None = None, switches: HouseRules = WILD_16
) -> tuple[list[Decision], list[np.ndarray]]:
    """Return a side's decisions in a record, the pending one included, and the true board of each."""
    umpire = Referee(fen, switches)
    found, truth = list[Decision](), list[np.ndarray]()
    for action in (*record, None):
        if umpire.mover == side:
            found.append(Decision(umpire.view(side), action))
            truth.append(umpire.state[:POSITION].copy())
        if action is not None:
            umpire.attempt(action)
    return found, truth


def filtered_decisions(reading: PgnGame) -> list[Decision]:
    """Return the decisions of the player for whom a game was filtered, the pending one included."""
    if reading.switches.rules != ICC:
        raise ValueError(
            f"the game is filtered by the rules {reading.switches.rules}, and filtered games are analysed by the rules "
            f"{ICC} alone: give the whole game, or RUN:K"
        )
    view = OwnView(SIDE_WORDS.index(reading.viewer), reading.switches.bits)
    found = list[Decision]()
    for place, (tried, message) in enumerate(zip(reading.attempts, reading.messages, strict=True)):
        if place % 2 == view.side:
            found += view.refuse_all(tried[:-1])
            found.append(Decision(view.seen.copy(), tried[-1]))
            view.accept(tried[-1], message)
        else:
            view.hear(message)
    if len(reading.messages) % 2 == view.side and reading.result == "*":
        found += view.refuse_all(reading.refused_last)
        found.append(Decision(view.seen.copy(), None))
    return found


class OwnView:
    """One side's view, updated by its own attempts and the messages it receives."""

    def __init__(self, side: int, switches: int):
        self.side = side
        self.seen = np.zeros(rules.VIEW, np.int64)
        self.seen[rules.SEEN_PLAYER], self.seen[rules.SEEN_SWITCHES] = side, switches
        self.seen[rules.OWN_MEN] = rules.HOME[: KING + 1] & rules.HOME[KING + 1 + side]
        self.seen[rules.SEEN_RIGHTS] = rules.OWN_RIGHTS[side]
        self.seen[rules.OWN_MESSAGE] = self.seen[rules.OTHER_MESSAGE] = SILENCE

    def refuse_all(self, tried: Sequence[int]) -> Iterator[Decision]:
        for action in tried:
            yield Decision(self.seen.copy(), action)
            refuse(self.seen[rules.REFUSALS], start_of(action), end_of(action))

    def accept(self, action: int, message: Message) -> None:
        self.seen[rules.REFUSALS] = 0
        move_own(self.seen[rules.OWN_MEN], self.side, action)
        self._go_on(message, rules.OWN_MESSAGE, rules.SEEN_TAKEN + 2)

    def hear(self, message: Message) -> None:
        if message.square is not None:
            lose_announced(self.seen[rules.OWN_MEN], self.side, parse_square(message.square))
        self._go_on(message, rules.OTHER_MESSAGE, rules.SEEN_TAKEN)

    def _go_on(self, message: Message, place: slice, taken: int) -> None:
        seen = self.seen
        seen[place] = cells_of(message)
        if message.taken:
            seen[taken + (message.taken != "pawn")] += 1
        seen[rules.SEEN_PLY] += 1
        seen[rules.SEEN_MOVER] = 1 - message.colour
        for castle in (2 * self.side, 2 * self.side + 1):
            if not may_castle(seen[rules.OWN_MEN], castle):
                seen[rules.SEEN_RIGHTS] &= ~(1 << castle)


def may_castle(men: np.ndarray, castle: int) -> bool:
    """True if king and rook stand where this castling right requires."""
    home, corner = int(KING_HOME[castle // 2]), int(ROOK_HOME[castle // 2, castle % 2])
    return bool(int(men[KING]) >> home & int(men[ROOK]) >> corner & 1)


def cells_of(message: Message) -> list[int]:
    """Return a message as the cells of a view; raise ValueError if it is incomplete."""
    if message.taken not in (None, "pawn", "piece"):
        raise ValueError("the game does not tell whether a pawn or a piece was taken: its comments must say so")
    if set(message.checks) - set(DIRECTIONS):
        raise ValueError("the game does not tell on which diagonal check was given: write `long` or `short diagonal`")
    taken = 0 if message.taken is None else PAWN_TAKEN if message.taken == "pawn" else PIECE_TAKEN
    square = NO_SQUARE if message.square is None else parse_square(message.square)
    checks = sum(1 << DIRECTIONS.index(name) for name in message.checks)
    return [taken, square, checks, message.tries]


def described_decision(
    side: int,
    men: str,
    last: str = "",
    lost: str = "0,0",
    taken: str = "0,0",
    castling: str = "-",
    refused: str = "",
    ply: int | None = None,
) -> Decision:
    """Return the pending decision of a view in the vocabulary of the engine protocol."""
    listener, ply = ProtocolReader(side), MIDDLE + side if ply is None else ply
    _check_words(side, men, lost, taken, castling, ply)
    if last.split() and last.split()[0] not in ("taken", "check", "tries"):
        raise ValueError(f"the last message is {last!r}: write it as in `taken pawn d5 check file tries 2`")
    try:
        listener.hear("moved", last.split())
        told = f"ply {ply} men {men} castling {castling} lost {lost} taken {taken}"
        listener.hear("view", told.split())
        for move in refused.replace(",", " ").split():
            listener.hear("illegal", [move])
    except (ValueError, LookupError) as error:
        raise ValueError(f"the view cannot be read ({error}): write it as in docs/kriegspiel-protocol.md") from None
    seen = listener.seen
    _check_men(side, seen)
    return Decision(seen, None)


def _check_words(side: int, men: str, lost: str, taken: str, castling: str, ply: int) -> None:
    foreign = [letter for letter in men if letter.lower() in LETTERS and letter.isupper() == bool(side)]
    if foreign:
        raise ValueError(
            f"the men have a {foreign[0]!r}, which is not {SIDES[side]}'s: write {SIDES[side]}'s own men only, "
            f"as {'capitals' if side == 0 else 'small letters'}"
        )
    for name, pair in (("lost", lost), ("taken", taken)):
        numbers = pair.split(",")
        if len(numbers) != 2 or not all(number.isascii() and number.isdigit() for number in numbers):
            raise ValueError(f"{name} is {pair!r}: it must be pawns and pieces, as in 2,1")
        if int(numbers[0]) > 8 or int(numbers[1]) > 15 or sum(map(int, numbers)) > 15:
            raise ValueError(f"{name} is {pair!r}: a side has at most 8 pawns and 15 men besides its king to lose")
    own = CASTLES[2 * side : 2 * side + 2]
    if castling not in ("-", own, *own):
        raise ValueError(f"castling is {castling!r}: it must be {own}, {own[0]}, {own[1]} or -")
    if ply < 0 or ply % 2 != side:
        raise ValueError(f"ply is {ply}: {SIDES[side]} moves after an {('even', 'odd')[side]} number of plies")


def _check_men(side: int, seen: np.ndarray) -> None:
    men = [int(there) % 2**64 for there in seen[rules.OWN_MEN]]
    if men[KING].bit_count() != 1 or men[PAWN].bit_count() > 8 or sum(there.bit_count() for there in men) > 16:
        raise ValueError(f"{SIDES[side]} must have one king, at most eight pawns and at most 16 men")
    if men[PAWN] & LAST_RANKS:
        raise ValueError("pawns cannot stand on the first or the last rank")
    square = int(seen[rules.SEEN_OTHER + 1])
    if square != NO_SQUARE and any(there >> square & 1 for there in men):
        raise ValueError(f"a man was taken on {square_name(square)}, where an own man stands: take it off")
    for castle in (2 * side, 2 * side + 1):
        if int(seen[rules.SEEN_RIGHTS]) >> castle & 1 and not may_castle(seen[rules.OWN_MEN], castle):
            raise ValueError(f"the castling right {CASTLES[castle]} needs king and rook at home: leave it out")


def last_message(seen: np.ndarray) -> list[int]:
    return [int(cell) for cell in seen[rules.OTHER_MESSAGE]]
