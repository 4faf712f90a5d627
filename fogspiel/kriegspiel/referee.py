"""The referee: one game of Kriegspiel, an object interface to the rules.

referee = Referee()
referee.attempt("e2e4").accepted     # True: the referee says "White moved"
referee.attempts()[:3]               # what Black may try
referee.view(BLACK)                  # Black's whole view, for a player
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np

from ..core.agents import Forfeit, Player
from ..core.compile.kernel import ones
from ..core.game import DRAW, LOSS, WIN, Game
from ..core.session import Session, finish_game
from ..games.chess.bitboards import KING, PAWN, QUEEN, kind_on
from ..games.chess.fen import NAMES, SIDES, directions_in, fen_of, move_name, position_of, square_name
from ..games.chess.game import RESULTS, UNFINISHED
from ..games.chess.position import MEN, MOVER, PLY, POSITION, RIGHTS, end_of, move_of, promotion_of, start_of
from ..process.heartbeat import beat
from . import game
from .engine import TimeControl, tell_clock
from .engines.fog import Fog
from .game import ENDINGS, GAMES, QUESTION, attempt_name, attempts, message_text, parse_attempt, rules, squares_in
from .game import WILD_16 as WILD_16
from .game import HouseRules as HouseRules
from .game.attempts import CHECKS, MESSAGE, PASSANT_TAKEN, PIECE_TAKEN, SQUARE, TAKEN, TRIES
from .parameters import phase_of_men, read_fog_weights

GAME = GAMES[0]
LIMIT = "the limit of plies"
TIME_UP = "time forfeit"  # ending of a game lost on time, and its Termination in PGN
MOVES = QUEEN + 1 << 12  # moves are numbers below this one
NO_CHANCE = np.zeros(1, np.uint64)  # the stream of chance in a game without chance


@dataclass(frozen=True)
class Message:
    """Announcement of the referee to both players after a move."""

    colour: int  # side that moved
    taken: str | None  # `pawn` or `piece`, or `man` where the rules reveal no more
    square: str | None  # square of the capture
    checks: tuple[str, ...]  # directions of check to the side to move now
    tries: int  # number of legal captures by that side's pawns; 1 if only their existence is announced
    text: str  # whole message as text
    squares: tuple[str, ...] = ()  # pawns that have captures, where the rules name them
    promoted: bool = False  # true if a promotion was announced
    en_passant: bool = False  # true if the capture was announced as en passant
    refused: tuple[int, int] = (0, 0)  # numbers of public refusals, before the question and after it
    asked: str | None = None  # answer to the question whether any pawn can capture, if it was asked: yes or no


TAKEN_WORDS = {PIECE_TAKEN: "piece", attempts.MAN_TAKEN: "man"}


@dataclass(frozen=True)
class Answer:
    """The referee's answer to an attempt: a message to both, a refusal, or yes or no to a question."""

    accepted: bool
    message: Message | None
    text: str


def message_in(state: np.ndarray) -> Message:
    last, told, switches = 1 - int(state[MOVER]), state.tolist(), int(state[rules.SWITCHES])
    cells = told[rules.SAID + MESSAGE * last :][:MESSAGE]
    turn = told[rules.TURNS + rules.TURN * last :][: rules.TURN]
    squares = tuple(squares_in(cells[TRIES])) if switches & attempts.TRIES_BY_SQUARE else ()
    taken = TAKEN_WORDS.get(cells[TAKEN], "pawn") if cells[TAKEN] else None
    return Message(
        colour=last,
        taken=taken,
        square=square_name(cells[SQUARE]) if taken else None,
        checks=tuple(directions_in(cells[CHECKS])),
        tries=min(len(squares), 1) if switches & attempts.TRIES_BY_SQUARE else cells[TRIES],
        text=message_text(cells, last, turn, switches),
        squares=squares,
        promoted=bool(turn[rules.PROMOTED]),
        en_passant=cells[TAKEN] == PASSANT_TAKEN,
        refused=(turn[rules.REFUSED_BEFORE], turn[rules.REFUSED_AFTER]),
        asked=game.ANSWERS.get(turn[rules.ANSWER]),
    )


def answer_in(state: np.ndarray, plies: int, action: int) -> Answer:
    """Return the answer to an attempt that has led to this state; `plies` moves were made before it."""
    if action == rules.ANY:
        return Answer(False, None, game.ANSWERS[int(state[rules.TURNS + rules.TURN * state[MOVER] + rules.ANSWER])])
    if state[PLY] == plies:
        return Answer(False, None, "illegal move")
    message, end = message_in(state), int(state[rules.END])
    return Answer(True, message, message.text + (f"; {ENDINGS[end]}" if end else ""))


def kriegspiel_from(fen: str | None = None, switches: HouseRules = WILD_16) -> Game:
    """Return the game by house rules, from a position."""
    position = rules.HOME if fen is None else position_of(fen)
    title = GAME.title if switches.rules == game.ICC else f"Kriegspiel ({game.RULE_SETS[switches.rules].title} rules)"
    begun = GAME.rules._replace(start=lambda state: rules.begin(state, position, switches.bits))
    return replace(GAME, title=title, rules=begun)


def switches_in(state: np.ndarray) -> HouseRules:
    return HouseRules.from_bits(int(state[rules.SWITCHES]))


class Referee(Session):
    """One game: its true position, and every attempt."""

    def __init__(self, fen: str | None = None, switches: HouseRules = WILD_16):
        super().__init__(kriegspiel_from(fen, switches))
        self.switches, self.first = switches, self.plies
        self.refused = [0, 0]  # illegal attempts of White and of Black
        self.forfeit: str | None = None  # reason why the side to move has lost without being mated, if it has

    @property
    def turn(self) -> int:
        """Side to move, also if the game is over: 0 White, 1 Black."""
        return int(self.state[MOVER])

    @property
    def ending(self) -> str | None:
        if self.forfeit:
            return TIME_UP if self.forfeit == TIME_UP else f"forfeit: {self.forfeit}"
        return ENDINGS.get(int(self.state[rules.END]))

    @property
    def payoff_index(self) -> int:
        """White's score: 0 loss, 1 draw, 2 win; a game that is not over counts as drawn."""
        if self.forfeit:
            return LOSS if self.turn == 0 else WIN
        return int(rules.score(self.state)) if self.over else DRAW

    @property
    def plies(self) -> int:
        return int(self.state[PLY])

    @property
    def fen(self) -> str:
        return fen_of(self.state[:POSITION])

    @property
    def message(self) -> Message:
        """Last announcement of the referee: of the last move, or of the initial position."""
        said = message_in(self.state)
        if self.plies > self.first:
            return said
        return replace(said, text=said.text.replace(f"{SIDES[said.colour]} moved", f"{SIDES[self.turn]} begins", 1))

    def attempts(self) -> list[str]:
        return [attempt_name(action) for action in self.actions]

    def view(self, side: int) -> np.ndarray:
        """Return a side's view: everything that it knows, and nothing else."""
        if side not in (0, 1):
            raise ValueError(f"there is no side {side}: 0 is White and 1 is Black")
        return super().view(side)

    def apply(self, action: int) -> None:
        """Make a possible attempt: a legal move is played, any other counted as refused."""
        before, side = self.state[PLY], self.state[MOVER]
        super().apply(action)
        self.refused[side] += bool(self.state[PLY] == before and action != rules.ANY)

    def attempt(self, move: str | int) -> Answer:
        """Try a move: played if it is legal, refused if not; raise ValueError if it can never be tried."""
        action = parse_attempt(move) if isinstance(move, str) else int(move)
        if action not in self.actions:
            raise ValueError(self.illegal_reason(action))
        before = self.plies
        self.apply(action)
        return answer_in(self.state, before, action)

    def illegal_reason(self, action: int) -> str:
        return why_impossible(self.state, action, self.actions)


def why_impossible(state: np.ndarray, action: int, actions: Sequence[int]) -> str:
    """Explain from the player's knowledge why an attempt is not among the actions of the side to move."""
    if state[rules.END]:
        return f"the game is over ({ENDINGS[int(state[rules.END])]}): nothing can be tried any more"
    if action == rules.ANY:
        if state[rules.SWITCHES] & attempts.MAY_ASK:
            return f"{QUESTION}: the referee has answered this in this turn already"
        return f"{QUESTION}: nobody may ask whether pawns can take by the rules {switches_in(state).rules}"
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
    alone = attempts.attempt_squares(kind, start, side, np.int64(1) << start, state[RIGHTS], 1)
    if not int(alone) >> end & 1:
        if kind == KING and abs(end - start) == 2:
            return f"{name}: {SIDES[side]} has no right to castle there"
        return f"{name} is not how a {NAMES[kind]} moves"
    if rules.must_take(state):
        return f"{name}: a pawn can take, so one must try it"
    if kind == PAWN and (end - start) % 8:
        if state[rules.SAID + MESSAGE * (1 - side) + TRIES]:
            return f"{name}: the referee has announced no pawn try from {square_name(start)}"
        if state[rules.SWITCHES] & attempts.MAY_ASK:
            return f"{name}: no pawn can take, as the referee has answered"
        return f"{name}: the referee has announced no pawn tries, so no pawn can take"
    return f"{name}: an own man is in the way"


@runtime_checkable
class LifecyclePlayer(Protocol):
    """A player that also receives the house rules before a game, and its result."""

    def hear_rules(self, switches: HouseRules) -> None:
        """Receive the rules before the game starts."""

    def hear_end(self, seen: np.ndarray, result: str, ending: str) -> None:
        """Receive the end of the game: the last view, the result as in PGN, and the reason as text."""


class SideClock:
    """Time of one side: seconds spent, and with a time control the seconds left."""

    def __init__(self, control: TimeControl | None = None):
        self.control, self.spent, self.turn = control, 0.0, -1
        self.left = control.seconds if control else float("inf")

    def start(self, ply: int) -> None:
        """Start an attempt; the first one of a move follows the increment for the last move."""
        if self.control and ply != self.turn >= 0:
            self.left += self.control.increment
        self.turn = ply

    def spend(self, seconds: float) -> None:
        self.spent += seconds
        self.left -= seconds

    @property
    def is_up(self) -> bool:
        return self.left <= 0


class TimedPlayer:
    """A player with its clock: engines spend CPU time of their thread, programs that of their own clock."""

    def __init__(self, player: Player, clock: SideClock):
        self.player, self.clock = player, clock

    def begin(self, side: int) -> None:
        self._tell()
        self.player.begin(side)

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        self.clock.start(int(seen[rules.SEEN_PLY]))
        self._tell()
        effort = getattr(self.player, "effort", None)
        now = getattr(self.player, "own_clock", None) or (effort.now if effort else time.perf_counter)
        began = now()
        try:
            action = self.player.choose(seen, actions)
        finally:
            self.clock.spend(now() - began)
        if self.clock.is_up:
            raise Forfeit("its time is up", TIME_UP)
        return action

    def _tell(self) -> None:
        if self.clock.control:
            tell_clock(self.player, self.clock.left, self.clock.control.increment)


def play_game(
    players: tuple[Player, Player],
    referee: Referee,
    longest: int | None = None,
    clocks: tuple[SideClock, SideClock] | None = None,
) -> Referee:
    """Let two players finish a game; after `longest` plies it counts as drawn. White's clock is the first."""

    def goes_on() -> bool:
        beat()
        return longest is None or referee.plies < longest

    for player in players:
        if isinstance(player, LifecyclePlayer):
            player.hear_rules(referee.switches)
    result, ending = UNFINISHED, "the game was broken off"
    seats = (TimedPlayer(players[0], clocks[0]), TimedPlayer(players[1], clocks[1])) if clocks else players
    try:
        try:
            finish_game(referee, seats, NO_CHANCE, goes_on)
        except Forfeit as fault:
            referee.forfeit = fault.reason
        result, ending = RESULTS[referee.payoff_index], referee.ending or LIMIT
    finally:
        for side, player in enumerate(players):
            if isinstance(player, LifecyclePlayer):
                player.hear_end(referee.view(side), result, ending)
    return referee


# Draw offers: an engine accepts if it is worse by its own belief.
#
# Only `fog` has a value of the position itself: the mean material on the boards consistent with its messages, by the
# values of men in Kriegspiel. Every other engine declines, and so does `fog` against a lone king.

BOARDS = 200  # heaviest boards that are evaluated


def accepts_draw(player: Player) -> bool:
    """True if a player that has just chosen its move would prefer a draw."""
    advantage = material_advantage(player)
    return advantage is not None and advantage < 0


def material_advantage(player: Player) -> float | None:
    """Return the material advantage by its belief, in centipawns; None if unknown."""
    engine = getattr(player, "engine", player)  # unwrap a straying one
    if not isinstance(engine, Fog) or engine.ending or not engine.belief.count:
        return None
    boards, weights = engine.belief.boards, engine.belief.weights
    heaviest = weights.argsort()[-BOARDS:]
    worths = read_fog_weights().worths[phase_of_men(ones(boards[0, MEN] | boards[0, MEN + 1]))]
    own, other = MEN + engine.side, MEN + 1 - engine.side
    total = 0.0
    for board, weight in zip(boards[heaviest], weights[heaviest], strict=True):
        more = (ones(board[kind] & board[own]) - ones(board[kind] & board[other]) for kind in range(KING))
        total += float(weight) * sum(float(worth) * men for worth, men in zip(worths, more, strict=False))
    return total / float(weights[heaviest].sum())
