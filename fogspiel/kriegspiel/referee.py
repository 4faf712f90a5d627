"""The referee: one game of Kriegspiel as friendly objects around the rules.

referee = Referee()
referee.attempt("e2e4").accepted     # True: the referee says "White moved"
referee.attempts()[:3]               # what Black may try
referee.view(BLACK)                  # everything that Black knows, for a player
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np

from ..core.agents import Forfeit, Player
from ..core.game import DRAW, LOSS, WIN, Game
from ..core.heartbeat import beat
from ..core.session import Session, finish_game
from ..games.chess.attempts import attempt_squares
from ..games.chess.fen import NAMES, SIDES, fen_of, move_name, parse_move, position_of, square_name
from ..games.chess.men import KING, PAWN, QUEEN, kind_on
from ..games.chess.messages import CHECKS, MESSAGE, PAWN_TAKEN, SQUARE, TAKEN, TRIES
from ..games.chess.move_code import end_of, move_of, promotion_of, start_of
from ..games.chess.movetext import RESULTS, UNFINISHED
from ..games.chess.position import MEN, MOVER, PLY, POSITION, RIGHTS
from ..games.chess.words import directions_in, message_text
from ..games.kriegspiel import rules
from ..games.kriegspiel.words import ENDINGS, GAMES

GAME = GAMES[0]
LIMIT = "the limit of plies"
MOVES = move_of(63, 63, QUEEN) + 1
"""Moves are numbers below this one."""
NO_CHANCE = np.zeros(1, np.uint64)
"""The stream of chance in a game without chance."""


@dataclass(frozen=True)
class Switches:
    """The rules that houses differ in."""

    promotion_tries: str = "once"
    """A capture by which a pawn promotes is one try (`once`) or four (`per_piece`)."""
    passant_square: str = "victim"
    """A capture en passant is announced on the square of the taken pawn (`victim`) or of the taking one (`arrival`)."""
    fifty: bool = True
    """A hundred plies without a capture or a pawn move are a draw."""
    repetition: bool = True
    """The third occurrence of a position is a draw."""
    material: bool = True
    """Men that cannot mate are a draw."""

    def __post_init__(self) -> None:
        for name, values in {"promotion_tries": ("once", "per_piece"), "passant_square": ("victim", "arrival")}.items():
            if getattr(self, name) not in values:
                raise ValueError(f"{name} is {getattr(self, name)!r}: it must be {' or '.join(values)}")
        for name in ("fifty", "repetition", "material"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name} is {getattr(self, name)!r}: it must be true or false")

    @property
    def bits(self) -> int:
        """The switches as the rules keep them."""
        return (
            rules.PROMOTIONS_COUNT_FOUR * (self.promotion_tries == "per_piece")
            | rules.PASSANT_AT_ARRIVAL * (self.passant_square == "arrival")
            | rules.NO_FIFTY * (not self.fifty)
            | rules.NO_REPETITION * (not self.repetition)
            | rules.NO_MATERIAL * (not self.material)
        )

    def to_json(self) -> dict[str, bool | str]:
        """The switches by name."""
        return asdict(self)


WILD_16 = Switches()


@dataclass(frozen=True)
class Message:
    """What the referee says to both players after a move."""

    colour: int
    """Whose move it was."""
    taken: str | None
    """`pawn` or `piece`."""
    square: str | None
    """Where it was taken."""
    checks: tuple[str, ...]
    """The directions of check to the side that is to move now."""
    tries: int
    """How many legal captures that side's pawns have."""
    text: str
    """The whole message in words."""


def message_of(cells: Sequence[int], colour: int) -> Message:
    """A message as data and as text."""
    taken = None if not cells[TAKEN] else "pawn" if cells[TAKEN] == PAWN_TAKEN else "piece"
    square = square_name(int(cells[SQUARE])) if taken else None
    return Message(
        colour, taken, square, tuple(directions_in(cells[CHECKS])), int(cells[TRIES]), message_text(cells, colour)
    )


@dataclass(frozen=True)
class Answer:
    """The referee's answer to an attempt: a message to both, or a refusal that the other side does not hear."""

    accepted: bool
    message: Message | None
    text: str


def message_in(state: np.ndarray) -> Message:
    """What the referee said last, in a state of the game."""
    last = 1 - int(state[MOVER])
    return message_of(state[rules.SAID + MESSAGE * last : rules.SAID + MESSAGE * (last + 1)].tolist(), last)


def answer_in(state: np.ndarray, plies: int) -> Answer:
    """The answer to an attempt that has led to this state; so many plies were made before it."""
    if state[PLY] == plies:
        return Answer(False, None, "illegal move")
    message, end = message_in(state), int(state[rules.END])
    return Answer(True, message, message.text + (f"; {ENDINGS[end]}" if end else ""))


def kriegspiel_from(fen: str | None = None, switches: Switches = WILD_16) -> Game:
    """The game by the rules of a house, from a position."""
    position = rules.HOME if fen is None else position_of(fen)
    return replace(GAME, rules=GAME.rules._replace(start=lambda state: rules.begin(state, position, switches.bits)))


class Referee(Session):
    """One game, its true position, and everything that was tried."""

    def __init__(self, fen: str | None = None, switches: Switches = WILD_16):
        super().__init__(kriegspiel_from(fen, switches))
        self.switches, self.first = switches, self.plies
        self.refused = [0, 0]
        """How many attempts of White and of Black were refused."""
        self.forfeit: str | None = None
        """Why the side to move has lost without being mated, if it has."""

    @property
    def turn(self) -> int:
        """Whose move it is, or would be if the game were not over: 0 White, 1 Black."""
        return int(self.state[MOVER])

    @property
    def ending(self) -> str | None:
        """How the game ended."""
        return f"forfeit: {self.forfeit}" if self.forfeit else ENDINGS.get(int(self.state[rules.END]))

    @property
    def score(self) -> int:
        """White's score: 0 loss, 1 draw, 2 win; a game that is not over counts as drawn."""
        if self.forfeit:
            return LOSS if self.turn == 0 else WIN
        return int(rules.score(self.state)) if self.over else DRAW

    @property
    def plies(self) -> int:
        """Moves made so far."""
        return int(self.state[PLY])

    @property
    def fen(self) -> str:
        """The true position."""
        return fen_of(self.state[:POSITION])

    @property
    def message(self) -> Message:
        """What the referee said last: of the last move, or of the position in which the game begins."""
        said = message_in(self.state)
        if self.plies > self.first:
            return said
        return replace(said, text=said.text.replace(f"{SIDES[said.colour]} moved", f"{SIDES[self.turn]} begins", 1))

    def attempts(self) -> list[str]:
        """What the mover may try, in UCI."""
        return [move_name(action) for action in self.actions]

    def view(self, side: int) -> np.ndarray:
        """Everything that a side knows, and nothing else."""
        if side not in (0, 1):
            raise ValueError(f"there is no side {side}: 0 is White and 1 is Black")
        return super().view(side)

    def apply(self, action: int) -> None:
        """Make a move that can be tried, or count it as refused."""
        before, side = self.plies, self.turn
        super().apply(action)
        self.refused[side] += self.plies == before

    def attempt(self, move: str | int) -> Answer:
        """Try a move: made if it is legal, refused if not; a ValueError if it can never be tried."""
        action = parse_move(move) if isinstance(move, str) else int(move)
        if action not in self.actions:
            raise ValueError(self.why_impossible(action))
        before = self.plies
        self.apply(action)
        return answer_in(self.state, before)

    def why_impossible(self, action: int) -> str:
        """Why an attempt is not on the list, from what its player knows."""
        return why_impossible(self.state, action, self.actions)


def why_impossible(state: np.ndarray, action: int, actions: Sequence[int]) -> str:
    """Why an attempt is not on the list of the mover's actions, from what its player knows."""
    if state[rules.END]:
        return f"the game is over ({ENDINGS[int(state[rules.END])]}): nothing can be tried any more"
    if not 0 <= action < MOVES:
        return f"{action} is not the number of a move: they are 0 to {MOVES - 1}"
    name, start, end, side = move_name(action), start_of(action), end_of(action), int(state[MOVER])
    own, kind = int(state[MEN + side]), int(kind_on(state, start))
    if not own >> start & 1:
        return f"{name}: {SIDES[side]} has no man on {square_name(start)}"
    if int(state[rules.REFUSED + start]) >> end & 1:
        return f"{name} was refused already in this turn: try something else"
    if any(move_of(start, end, 0) == move_of(start_of(other), end_of(other), 0) for other in actions):
        if promotion_of(action):
            return f"{name}: no pawn promotes by this move, so write {name[:4]}"
        return f"{name}: say what the pawn becomes, as in {name}q"
    if own >> end & 1:
        return f"{name}: an own man stands on {square_name(end)}"
    alone = attempt_squares(kind, start, side, np.int64(1) << start, state[RIGHTS], 1)
    if not int(alone) >> end & 1:
        if kind == KING and abs(end - start) == 2:
            return f"{name}: {SIDES[side]} has no right to castle there"
        return f"{name} is not how a {NAMES[kind]} moves"
    if kind == PAWN and (end - start) % 8:
        return f"{name}: the referee has announced no pawn tries, so no pawn can take"
    return f"{name}: an own man is in the way"


@runtime_checkable
class Attendant(Protocol):
    """A player that is told more than the others: the rules of the house before a game, and how it ended."""

    def hear_rules(self, switches: Switches) -> None:
        """The rules, before the game begins."""

    def hear_end(self, seen: np.ndarray, result: str, ending: str) -> None:
        """The end of the game: what the player sees then, the result as in PGN, and why in words."""


def play_game(players: tuple[Player, Player], referee: Referee, longest: int | None = None) -> Referee:
    """Let two players finish a game, or play up to so many plies, after which it counts as drawn."""

    def goes_on() -> bool:
        beat()
        return longest is None or referee.plies < longest

    for player in players:
        if isinstance(player, Attendant):
            player.hear_rules(referee.switches)
    result, ending = UNFINISHED, "the game was broken off"
    try:
        finish_game(referee, players, NO_CHANCE, goes_on)
        result, ending = RESULTS[referee.score], referee.ending or LIMIT
    except Forfeit as fault:
        referee.forfeit = fault.reason
        result, ending = RESULTS[referee.score], f"forfeit: {fault.reason}"
    finally:
        for side, player in enumerate(players):
            if isinstance(player, Attendant):
                player.hear_end(referee.view(side), result, ending)
    return referee
