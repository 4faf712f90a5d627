"""A worker that lets a chess engine play games with its options set to what is asked for.

Run as `python -m fogspiel.tuning.programs.uci_worker --engine COMMAND`, it reads a JSON object per line, `{"a":
{option: value, ..}, "b": {..}, "seed": n, "swap": false}`, and answers with the score of a and the game as PGN, or with
an error of one sentence. With --opponent a plays against that engine as it is. The opening follows from the seed; a has
White unless `swap` is true, or where it is missing the seed is odd. An engine that ends or hangs is started again and
the game repeated, by the rule for all jobs.

An opening is from a small book of the package, or from the user's EPD or PGN file. Engines with node limits repeat
their game from the same opening. A book of some hundred lines would give the same few hundred pairs repeatedly, which
would count as more evidence than they are. So a line of the book is followed by some plies drawn by the seed from those
that our search finds almost as good as the best. That gives about 60,000 openings, half of them balanced within half a
pawn, nearly all within two; both games of a pair have the same one.
"""

import io
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

import numpy as np

from ...core.rng import random_below, stream_of
from ...core.untrusted_input import read_bytes
from ...games.chess.fen import START, fen_of, parse_move
from ...games.chess.game import ChessGame, Movetext, games_in, meant
from ...games.chess.position import make
from ...games.chess.search import value_of
from ...process.jobs import RetryRule
from ...process.line_process import Answer, ProgramFault, WordParser, game_of, serve, values_in
from .uci_match import AdjudicationRules, Conditions, GameOutcome, Opening, UciLimit, UciPlayer, play_game, write_game

BOOK = Path(__file__).with_name("openings.txt")  # the package's book: a line of moves in UCI for each opening
OWN_PLIES = 3  # drawn after a line of the package's book
PGN_PLIES = 16  # read from each game of a PGN file
# Hundredths of a pawn by which a drawn ply may be worse than the best, and search depth before quiescence.
ALMOST, LOOK = 30, 1
MAX_BYTES = 500_000_000
CHECKED = 2_000  # openings of a file that are checked before the first game; the others when drawn
NUMBER = re.compile(r"\d+")


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


# Engines

LIMITS = ("nodes", "movetime", "depth")


@dataclass
class EnginePair:
    """Two engines that play one game after the other; they are started at the first request."""

    seats: Sequence[tuple[str, Mapping[str, str]]]  # commands and fixed options
    is_sparring: bool  # true if the second is a fixed opponent without parameters
    conditions: Conditions
    book: Book
    patience: float = 10.0
    seed_option: str | None = None  # the option that is set to the seed of a game, for engines that play at random
    _players: list[UciPlayer] = field(default_factory=list)

    def answer(self, request: object) -> Answer:
        asked, seed, swap = game_of(request)
        values = [values_in(asked, "a"), {} if self.is_sparring else values_in(asked, "b")]
        opening = self.book.opening(seed)
        order = (1, 0) if swap else (0, 1)
        retries = RetryRule()
        while True:
            try:
                players = self._begin(values, seed)
                outcome = play_game([players[who] for who in order], opening, self.conditions)
                return self._result(outcome, values, seed, order)
            except ProgramFault:
                self.close()
                if not retries.repeats(seed):
                    raise

    def _result(
        self, outcome: GameOutcome, values: Sequence[Mapping[str, object]], seed: int, order: Sequence[int]
    ) -> Answer:
        white = outcome.ending.score
        names = [f"{player.name} ({letter})" for player, letter in zip(self._players, "ab", strict=True)]
        if self.is_sparring:
            names = [player.name for player in self._players]
        pgn = write_game(outcome, [names[who] for who in order], [values[who] for who in order], seed)
        return {"score": white if order[0] == 0 else 1 - white, "pgn": pgn}

    def _begin(self, values: Sequence[Mapping[str, object]], seed: int) -> list[UciPlayer]:
        while len(self._players) < 2:
            self._players.append(UciPlayer(*self.seats[len(self._players)], self.patience))
        for player, own in zip(self._players, values, strict=True):
            player.begin({**own, **self._chance(player, seed)})
        return self._players

    def _chance(self, player: UciPlayer, seed: int) -> dict[str, int]:
        """Return the option for the seed, if one is configured: a number within its range."""
        if self.seed_option is None or (self.is_sparring and player is not self._players[0]):
            return {}
        option = player.options[self.seed_option]
        low, high = option.low or 0, 2**31 - 1 if option.high is None else option.high
        return {option.name: low + seed % (high - low + 1)}

    def close(self) -> None:
        for player in self._players:
            player.close()
        self._players.clear()


def _setting(text: str) -> tuple[str, str]:
    name, mark, value = text.partition("=")
    if not mark or not name.strip():
        raise ValueError(f"{text[:60]!r} is not an option with its value: write NAME=VALUE")
    return name.strip(), value


def table_from(words: Sequence[str]) -> EnginePair:
    """Return the engines of a command line, or raise a ValueError; no engine is started yet."""
    parser = WordParser(prog="uci_worker", description=__doc__, allow_abbrev=False)
    parser.add_argument("--engine", required=True, metavar="COMMAND", help="the engine whose options are set")
    parser.add_argument("--opponent", metavar="COMMAND", help="an engine to play against, instead of the same engine")
    limits = parser.add_mutually_exclusive_group()
    limits.add_argument("--nodes", type=int, help="nodes per move (10,000 if nothing else is said)")
    limits.add_argument("--movetime", type=int, metavar="MS", help="milliseconds per move")
    limits.add_argument("--depth", type=int, help="plies to search per move")
    limits.add_argument("--clock", metavar="BASE+INC", help="seconds for the game and for each move, as 8+0.08")
    parser.add_argument("--grace", type=float, default=0.1, help="seconds by which a clock may be overrun")
    parser.add_argument("--patience", type=float, default=10.0, help="seconds after which an engine counts as hanging")
    parser.add_argument("--openings", metavar="FILE", help="an EPD or PGN file instead of our own book")
    parser.add_argument("--opening-plies", type=int, default=16, help="plies taken from each game of a PGN file")
    parser.add_argument("--random-plies", type=int, help="plies drawn by the seed after each opening")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="a fixed option")
    parser.add_argument("--opponent-option", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--seed-option", metavar="NAME", help="the option by which an engine takes a seed")
    parser.add_argument("--adjudicate", metavar="RULES", help="resign=1000x3,draw=10x8@40,longest=600, or none")
    given = parser.parse_args(words)
    own = dict(map(_setting, given.option))
    other = dict(map(_setting, given.opponent_option)) if given.opponent else own
    for name in ("grace", "patience", "opening_plies"):
        if not getattr(given, name) > 0:
            raise ValueError(f"--{name.replace('_', '-')} is {getattr(given, name):g}: it must be above 0")
    amounts = [(kind, getattr(given, kind)) for kind in LIMITS if getattr(given, kind) is not None]
    limit = UciLimit.clock(given.clock) if given.clock else UciLimit(*amounts[0]) if amounts else UciLimit()
    rules = AdjudicationRules.parse(given.adjudicate) if given.adjudicate else AdjudicationRules()
    book = read_book(given.openings, given.opening_plies) if given.openings else own_book()
    if given.random_plies is not None:
        if not 0 <= given.random_plies <= 40:
            raise ValueError(f"--random-plies is {given.random_plies}: it must be 0 to 40")
        book = replace(book, drawn=given.random_plies)
    book.check()
    seats = ((given.engine, own), (given.opponent or given.engine, other))
    conditions = Conditions(limit, rules, given.grace)
    return EnginePair(seats, given.opponent is not None, conditions, book, given.patience, given.seed_option)


def main() -> int:
    try:
        table = table_from(sys.argv[1:])
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    serve(table.answer)
    table.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
