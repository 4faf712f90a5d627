"""One game of two chess engines by our own referee, and its PGN.

An engine that plays an illegal move, or none, loses, as does one whose clock has run out; one that does not answer at
all, or ends, is a fault, which is not a result.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...games.chess.chess_game import ChessGame, numbered_moves
from ...games.chess.fen import SIDES, START, parse_move
from ...games.chess.movetext import RESULTS, ROSTER, fill_movetext, tag_lines
from .adjudication import Adjudicator, Ending, Rules
from .openings import Opening
from .uci_limits import Limit
from .uci_player import Thought, UciPlayer

NORMAL, INFRACTION, FORFEIT = "normal", "rules infraction", "time forfeit"


@dataclass(frozen=True)
class Conditions:
    """Conditions of every game."""

    limit: Limit = field(default_factory=Limit)
    rules: Rules = field(default_factory=Rules)
    grace: float = 0.1  # seconds that a clock may be overrun: the way of a line to the engine and back


@dataclass(frozen=True)
class Outcome:
    """A finished game."""

    opening: Opening
    moves: tuple[int, ...]  # those of the opening too
    ending: Ending


def play_game(players: Sequence[UciPlayer], opening: Opening, conditions: Conditions) -> Outcome:
    """A game of White and Black, who were told that it begins."""
    game, judge, limit = opening.game(), Adjudicator(conditions.rules), conditions.limit
    has_clock = limit.kind == "clock"
    left = [limit.amount / 1000 if has_clock else 0.0] * 2
    ending: Ending | None = None
    while game.ending is None and ending is None:
        colour = game.turn
        thought = players[colour].think(game.uci_position, limit, (left[0], left[1]), left[colour])
        left[colour] -= thought.seconds
        if has_clock and left[colour] < -conditions.grace:
            ending = Ending(float(colour), FORFEIT, f"the time of {SIDES[colour]} is over")
        else:
            left[colour] = max(left[colour], 0.0) + limit.increment / 1000
            ending = _move(game, thought) or judge.hear(colour, thought.score, game.ply, game.quiet)
    if game.ending is not None:
        ending = Ending(game.score, NORMAL, game.ending)
    assert ending is not None
    return Outcome(opening, tuple(game.moves), ending)


def _move(game: ChessGame, thought: Thought) -> Ending | None:
    """Make the move of an engine; one that it may not make loses the game."""
    side = SIDES[game.turn]
    try:
        move = parse_move(thought.move)
    except ValueError:
        said = f"{thought.move[:20]!r} as its move" if thought.move else "no move"
        return Ending(float(game.turn), INFRACTION, f"{side} gives {said}")
    if move not in game.legal:
        return Ending(float(game.turn), INFRACTION, f"{side} plays {thought.move}, which is illegal")
    game.make(move)
    return None


def write_game(outcome: Outcome, names: Sequence[str], values: Sequence[Mapping[str, object]], number: int) -> str:
    """A game as PGN; names and parameters are those of White and Black, the number is its seed."""
    ending = outcome.ending
    result = RESULTS[round(2 * ending.score)]
    tags = ROSTER | {"Event": "fogspiel tune", "Round": str(number), "White": names[0], "Black": names[1]}
    tags |= {"Result": result, "PlyCount": str(len(outcome.moves)), "Termination": ending.termination}
    if outcome.opening.fen != START:
        tags |= {"SetUp": "1", "FEN": outcome.opening.fen}
    told = "; ".join(
        f"{side}: {', '.join(f'{name} = {value}' for name, value in own.items())}"
        for side, own in zip(SIDES, values, strict=True)
        if own
    )
    words = [comment(told)] if told else []
    words += [*numbered_moves(outcome.opening.fen, outcome.moves), comment(ending.reason), result]
    return "\n".join(tag_lines(tags)) + "\n\n" + fill_movetext(words) + "\n"


def comment(text: str) -> str:
    """A comment of a PGN, which a brace would end."""
    return "{" + text.replace("{", "(").replace("}", ")") + "}"
