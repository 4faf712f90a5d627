"""A person against an engine in a terminal: lines in, lines out, nothing hidden told before the game is over."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..core.agents import Player
from ..games.chess.fen import SIDES, move_name, parse_move
from ..games.chess.position import BLACK, KINDS, PAWN, QUEEN, WHITE, end_of, start_of
from ..games.chess.words import board_text
from ..games.kriegspiel import rules
from ..games.kriegspiel.words import reveal, show
from .pgn import RESULTS, UNFINISHED, turns_of
from .referee import Answer, Referee

HELP = """a move      both squares, as e2e4; castling is the king's move, e1g1; a promoting pawn becomes a queen
            unless you say otherwise, as in e7e8n
tries       try your pawns' captures one after the other until one is accepted
board       your men, what the referee said, what was refused
resign      give the game up
help        this list
Ctrl-D      leave; the game is saved"""


@dataclass(frozen=True)
class Outcome:
    """How a game at the terminal ended."""

    umpire: Referee
    side: int
    how: str
    """How it ended in words."""
    result: str
    """As in PGN."""
    interrupted: bool = False
    failed: bool = False


class Resigned(Exception):
    """The person gives up."""


class Failed(Exception):
    """The engine cannot go on, as when it asks a program that has ended."""


def play_in_terminal(
    engine: Player, side: int, umpire: Referee, lines: Iterator[str], tell: Callable[[str], None]
) -> Outcome:
    """Let a person play a game; the lines end when he leaves."""
    engine.begin(1 - side)
    tell(f"You are {SIDES[side]}. Say a move, or help.")
    if side == WHITE:
        tell(board_of(umpire, side))
    try:
        while not umpire.over:
            if umpire.mover == side:
                _take_turn(umpire, side, lines, tell)
            else:
                _answer(engine, umpire, tell)
    except Resigned:
        return Outcome(umpire, side, f"{SIDES[side]} resigns", RESULTS[0] if side == WHITE else RESULTS[2])
    except Failed as failure:
        return Outcome(umpire, side, str(failure), UNFINISHED, failed=True)
    except StopIteration:
        return Outcome(umpire, side, "you left it", UNFINISHED)
    except KeyboardInterrupt:
        return Outcome(umpire, side, "you interrupted it", UNFINISHED, interrupted=True)
    return Outcome(umpire, side, str(umpire.ending), RESULTS[umpire.score])


def _answer(engine: Player, umpire: Referee, tell: Callable[[str], None]) -> None:
    """Let the engine try until it has moved; the person hears of the move only."""
    accepted = False
    while not accepted:
        try:
            attempt = engine.choose(umpire.view(umpire.mover), umpire.actions())
        except ValueError as error:
            raise Failed(str(error)) from error
        accepted = umpire.attempt(attempt).accepted
    if not umpire.over:
        tell(board_of(umpire, umpire.mover))
        tell(f"The referee: {umpire.message.text}.")


def board_of(umpire: Referee, side: int) -> str:
    """The men of one side."""
    men = umpire.view(side)[rules.SEEN_MEN : rules.SEEN_MEN + KINDS]
    return board_text(men.tolist(), -1 if side == WHITE else 0)


def _take_turn(umpire: Referee, side: int, lines: Iterator[str], tell: Callable[[str], None]) -> None:
    """Listen to the person until a move is made."""
    while True:
        said = " ".join(next(lines).split()).lower()
        if not said:
            continue
        if said == "help":
            tell(HELP)
        elif said == "board":
            tell(show(umpire.view(side)))
        elif said == "resign":
            raise Resigned
        elif said == "tries":
            if _try_captures(umpire, tell):
                return
        else:
            try:
                answer = umpire.attempt(_attempt_named(said, umpire))
            except ValueError as error:
                tell(f"{error}.")
                continue
            tell(_verdict(said, answer))
            if answer.accepted:
                return


def _attempt_named(said: str, umpire: Referee) -> int:
    """The attempt that a person means; a pawn that promotes to nothing in particular becomes a queen."""
    action = parse_move(said.replace("-", ""))
    queen = action + 4096 * QUEEN
    return queen if action < 4096 and queen in umpire.actions() else action


def _verdict(said: str, answer: Answer) -> str:
    return f"The referee: {answer.text}." if answer.accepted else f"The referee: illegal move ({said})."


def _try_captures(umpire: Referee, tell: Callable[[str], None]) -> bool:
    """Try the captures of all pawns in order; whether one was accepted."""
    pawns = int(umpire.state[PAWN])
    captures = [
        action
        for action in umpire.actions()
        if pawns >> start_of(action) & 1 and (end_of(action) - start_of(action)) % 8 and action >> 12 in (0, QUEEN)
    ]
    if not captures:
        tell("No pawn of yours can take anything: the referee has announced no tries.")
    for action in captures:
        answer = umpire.attempt(action)
        tell(_verdict(move_name(action), answer))
        if answer.accepted:
            return True
    return False


def epilogue(umpire: Referee) -> str:
    """The umpire's board and the whole record, for both to see when the game is over."""
    again = Referee(switches=umpire.switches)
    turns, left = turns_of(umpire.record, again)
    lines = ["The umpire's board:", reveal(umpire.state), "All that was tried:"]
    for place, turn in enumerate(turns):
        number = f"{place // 2 + 1}{'.' if turn.colour == WHITE else '...'}"
        refused = f" (refused: {' '.join(turn.refused)})" if turn.refused else ""
        words = turn.message.text.split(", ")[1:]
        lines.append(f"{number:>6} {turn.short}{refused}{': ' + ', '.join(words) if words else ''}")
    if left:
        lines.append(f"       refused after the last move: {' '.join(left)}")
    return "\n".join(lines)


def parse_side(name: str) -> int:
    """White or Black."""
    if name.lower() not in ("white", "black"):
        raise ValueError(f"--as is {name!r}: it must be white or black")
    return WHITE if name.lower() == "white" else BLACK
