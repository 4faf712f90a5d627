"""The Kriegspiel stop of the tour: an engine against itself, both views, and both beliefs."""

from collections.abc import Iterator
from contextlib import contextmanager

from ...core.compile.kernel import is_cold
from ...core.game import known_game
from ...core.rng import stream_of
from ...games.chess.fen import SIDES, square_name
from ..beliefs.board_filter import list_children
from ..engine import SearchLimit, find_engine
from ..inferences import belief_of
from ..referee import Referee, play_game

PLIES, NODES = 24, 2000
ENGINE = "fog"


@contextmanager
def compiled_meanwhile() -> Iterator[None]:
    """Compile the engine in another process meanwhile, unless it is compiled."""
    if not is_cold(list_children):
        yield
        return
    from ..warm_up import finish_compiling, start_compiling

    other = start_compiling(ENGINE)
    try:
        yield
    finally:
        other.terminate()
        finish_compiling(other)


def kriegspiel(seed: int) -> Iterator[str]:
    """Yield what both sides see after some moves, and the truth."""
    make = find_engine(ENGINE)
    players = tuple(make(SearchLimit(nodes=NODES), stream_of(seed, side)) for side in (0, 1))
    referee = play_game((players[0], players[1]), Referee(), PLIES)
    yield f"{ENGINE} against itself, after {PLIES // 2} moves each."
    game = known_game("kriegspiel")
    boards = [*(board_in(game.show(referee.view(side))) for side in (0, 1)), board_in(game.reveal(referee.state))]
    yield from beside(*map("\n".join, zip(("White sees", "Black sees", "the truth"), boards, strict=True)))
    for side, player in enumerate(players):
        belief = belief_of(player, referee.view(side))
        if belief is not None:
            kings = sorted(enumerate(belief[0]), key=lambda place: -place[1])[:3]
            listed = ", ".join(f"{square_name(square)} {chance:.0%}" for square, chance in kings)
            yield f"{SIDES[side].capitalize()} thinks that the other king is on {listed}."


def board_in(text: str) -> str:
    """Return the board in the text of a view or a position: its ranks, and the line of files below them."""
    lines = text.splitlines()
    top = next(number for number, line in enumerate(lines) if line.startswith("8 "))
    return "\n".join(lines[top : top + 9])


def beside(*texts: str) -> Iterator[str]:
    """Yield the lines of several texts side by side."""
    columns = [text.splitlines() for text in texts]
    widths = [max(map(len, column)) for column in columns]
    for number in range(max(map(len, columns))):
        cells = [column[number] if number < len(column) else "" for column in columns]
        yield "   ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
