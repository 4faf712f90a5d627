"""Chess openings: a small book of the package, or the user's EPD or PGN file; a seed selects one.

Engines with node limits repeat their game from the same opening. A book of some hundred lines would give the same few
hundred pairs repeatedly, which would count as more evidence than they are. So a line of the book is followed by some
plies drawn by the seed from those that our search finds almost as good as the best. That gives about 60,000 openings,
half of them balanced within half a pawn, nearly all within two; both games of a pair have the same one.
"""

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np

from ...core.rng import random_below, stream_of
from ...core.untrusted_input import read_bytes
from ...games.chess.fen import START, fen_of, parse_move
from ...games.chess.game import ChessGame
from ...games.chess.position import make
from ...games.chess.san import Movetext, games_in, meant
from ...games.chess.search import value_of

BOOK = Path(__file__).with_name("openings.txt")  # the package's book: a line of moves in UCI for each opening
OWN_PLIES = 3  # drawn after a line of the package's book
PGN_PLIES = 16  # read from each game of a PGN file
# Hundredths of a pawn by which a drawn ply may be worse than the best, and search depth before quiescence.
ALMOST, LOOK = 30, 1
MAX_BYTES = 500_000_000
CHECKED = 2_000  # openings of a file that are checked before the first game; the others when drawn
NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class Opening:
    """A position, and the moves that are made before the engines play."""

    fen: str = START
    moves: tuple[int, ...] = ()

    def game(self) -> ChessGame:
        game = ChessGame(self.fen)
        for move in self.moves:
            game.make(move)
        return game


@dataclass(frozen=True)
class Book:
    """The openings of a file, as text: each is read when it is drawn."""

    path: Path
    entries: Sequence[tuple[int, str]]  # each with its first line number
    form: str
    plies: int = PGN_PLIES
    drawn: int = 0  # plies drawn after each

    def opening(self, seed: int) -> Opening:
        stream = stream_of(seed % 2**64)
        line, text = self.entries[int(random_below(stream, len(self.entries)))]
        found = self._read(line, text)
        return vary(found, self.drawn, stream) if self.drawn else found

    def with_drawn(self, plies: int) -> "Book":
        return replace(self, drawn=plies)

    def check(self) -> None:
        for line, text in islice(self.entries, CHECKED):
            self._read(line, text)

    def _read(self, line: int, text: str) -> Opening:
        try:
            found = {"epd": _epd, "moves": _moves}[self.form](text) if self.form != "pgn" else _game(text, self.plies)
            if found.game().ending is not None:
                raise ValueError("its game is over")
        except ValueError as error:
            raise ValueError(f"the opening on line {line} of {self.path} is of no use: {error}") from None
        return found


def vary(opening: Opening, plies: int, stream: np.ndarray) -> Opening:
    """Return an opening with more plies, each drawn from those that are almost as good as the best."""
    game = opening.game()
    for _ in range(plies):
        values = []
        for move in game.legal:
            after = game.position.copy()
            make(after, move)
            values.append(-value_of(after, LOOK)[0])
        good = [move for move, value in zip(game.legal, values, strict=True) if value >= max(values) - ALMOST]
        game.make(good[int(random_below(stream, len(good)))])
        if game.ending is not None:  # rare: use the opening without drawn plies
            return opening
    return replace(opening, moves=tuple(game.moves))


def own_book() -> Book:
    return _book(BOOK, BOOK.read_text(encoding="utf-8"), "moves", PGN_PLIES, OWN_PLIES)


def book_content(path: Path) -> bytes:
    return read_bytes(path, "the openings", MAX_BYTES, "give a part of them")


def read_book(path: str | Path, plies: int = PGN_PLIES, drawn: int = 0) -> Book:
    """Return the book in a file: PGN, EPD (or FEN), or moves in UCI, detected from its first words."""
    path = Path(path)
    content = book_content(path)
    text = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8-sig", errors="replace").read()
    form = "pgn" if path.suffix.lower() == ".pgn" or text.lstrip().startswith("[") else "epd"
    return _book(path, text, form, plies, drawn)


def _book(path: Path, text: str, form: str, plies: int, drawn: int) -> Book:
    entries: list[tuple[int, str]] = []
    if form == "pgn":
        begins = [found.start() for found in re.finditer(r"^\[Event ", text, re.MULTILINE)] or [0]
        line = 1
        for begin, end in zip([0, *begins[1:]], [*begins[1:], len(text)], strict=True):
            if text[begin:end].strip():
                entries.append((line, text[begin:end]))
            line += text.count("\n", begin, end)
    else:
        for number, row in enumerate(text.splitlines(), 1):
            if row.strip() and not row.startswith("#"):
                entries.append((number, row.strip()))
    if not entries:
        raise ValueError(f"the openings {path} are empty: give an EPD or PGN file with a position or game for each")
    return Book(path, entries, form, plies, drawn)


def _epd(text: str) -> Opening:
    """Return a position: the four fields of an EPD, or the six of a FEN."""
    fields = text.split(";")[0].split()
    counters = fields[4:6] if len(fields) >= 6 and all(map(NUMBER.fullmatch, fields[4:6])) else []
    return Opening(fen_of(ChessGame(" ".join(fields[:4] + counters)).position))


def _moves(text: str) -> Opening:
    return Opening(moves=tuple(parse_move(word) for word in text.split()))


def _game(text: str, plies: int) -> Opening:
    written = next(games_in(text), Movetext())
    game = ChessGame(written.tags.get("FEN", START))
    for word, _ in written.half_moves[:plies]:
        found = meant(word, game.position, game.legal)
        if len(found) != 1:
            raise ValueError(f"{word[:20]!r} is not a legal move in {fen_of(game.position)}")
        game.make(found[0])
    return Opening(game.fen, tuple(game.moves))
