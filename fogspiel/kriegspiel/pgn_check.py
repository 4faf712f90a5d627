"""Check of a PGN file's games by our referee: legal moves, equal messages, confirmed refusals."""

from collections.abc import Iterator
from dataclasses import dataclass

from ..core.untrusted_input import JsonRecord
from ..games.chess.fen import SIDES
from ..games.chess.san import RESULTS, UNFINISHED, Movetext
from .pgn import PgnGame, Unreadable, games_apart, parse_message, reading_of
from .referee import Message, Referee

DIAGONALS = ("long diagonal", "short diagonal")


@dataclass(frozen=True)
class CheckedGame(JsonRecord):
    """A game of a file, and its fault in one sentence, or None."""

    KEYS = ("number", "line", "white", "black", "viewer", "moves", "refused", "fault")

    number: int
    line: int
    white: str
    black: str
    viewer: str | None  # point of view: `umpire`, `white` or `black`; None if unreadable
    moves: int
    refused: int
    fault: str | None


def check_pgn(text: str) -> Iterator[CheckedGame]:
    for number, game in games_apart(text):
        if isinstance(game, Unreadable):
            yield CheckedGame(number, game.line, "?", "?", None, 0, 0, game.fault)
        else:
            yield check_pgn_game(game, number)


def check_pgn_game(game: Movetext, number: int) -> CheckedGame:
    white, black = (game.tags.get(side, "?") for side in SIDES)
    try:
        reading = reading_of(game, number)
    except ValueError as error:
        line = "" if "line " in str(error) else f" (line {game.line})"
        return CheckedGame(number, game.line, white, black, None, len(game.half_moves), 0, f"{error}{line}")
    refused = sum(max(len(tried) - 1, 0) for tried in reading.attempts) + len(reading.refused_last)
    fault = fault_in(game, reading, number)
    return CheckedGame(number, game.line, white, black, reading.viewer, len(reading.messages), refused, fault)


def fault_in(game: Movetext, reading: PgnGame, number: int) -> str | None:
    """Return the first fault of a game whose moves are legal."""
    if reading.dropped:
        text = reading.dropped[0]
        return (
            f"game {number} (line {game.line}): {text!r} is said to have been refused, but would be accepted there or "
            "cannot be tried"
        )
    if reading.viewer != "umpire":  # there are only messages to check
        return None
    ours = "Rules" in game.tags
    first = Referee(reading.fen).plies
    for place, ((text, said), message) in enumerate(zip(game.half_moves, reading.messages, strict=True)):
        wrong = difference(said, message, ours)
        if wrong:
            move = f"move {(first + place) // 2 + 1} of {SIDES[message.colour]}, {text!r} (line {game.lines[place]})"
            return f"game {number}, {move}: {wrong}"
    umpire = Referee(reading.fen, reading.switches)
    for action in reading.record:
        umpire.attempt(action)
    if umpire.over and reading.result not in (RESULTS[umpire.payoff_index], UNFINISHED):
        right = f"{RESULTS[umpire.payoff_index]} by {umpire.ending}"
        return f"game {number} (line {game.line}): its result is {reading.result}, and on the board it ends {right}"
    return None


def difference(said: str, message: Message, whole: bool) -> str | None:
    """Describe the difference of a comment from the referee's message; omissions count only in complete comments."""
    told = parse_message(said, message.colour)
    elsewhere = (told.square or whole) and told.square != message.square
    if elsewhere or ((told.taken in ("pawn", "piece") or whole) and told.taken != message.taken):
        return f"the comment says {_capture(told)}, the referee {_capture(message)}"
    heard = message.checks
    if "diagonal" in told.checks:  # the Maryland form does not distinguish diagonals
        heard = tuple(dict.fromkeys("diagonal" if name in DIAGONALS else name for name in heard))
    if (told.checks or whole) and set(told.checks) != set(heard):
        return f"the comment says {_checks(told.checks)}, the referee {_checks(heard)}"
    if (told.tries or whole) and told.tries != message.tries:
        return f"the comment says {told.tries} pawn tries, the referee {message.tries}"
    return None


def _capture(message: Message) -> str:
    return f"{message.taken} taken on {message.square}" if message.taken else "that nothing was taken"


def _checks(names: tuple[str, ...]) -> str:
    return f"check ({', '.join(names)})" if names else "that there is no check"
