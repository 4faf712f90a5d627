"""A worker that lets a chess engine play games with its options set to what is asked for.

Run as `python -m fogspiel.tuning.programs.uci_worker --engine COMMAND`, it reads a JSON object per line, `{"a":
{option: value, ..}, "b": {..}, "seed": n, "swap": false}`, and answers with the score of a and the game as PGN, or with
an error of one sentence. With --opponent a plays against that engine as it is. The opening follows from the seed; a has
White unless `swap` is true, or where it is missing the seed is odd. An engine that ends or hangs is started again and
the game repeated, by the rule for all jobs.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...process.guard import ProcessGuard
from ...process.jobs import RetryRule
from ...process.line_process import Answer, ProgramFault, WordParser, game_of, serve, values_in
from .openings import Book, own_book, read_book
from .uci_match import AdjudicationRules, Conditions, GameOutcome, UciLimit, UciPlayer, play_game, write_game

LIMITS = ("nodes", "movetime", "depth")


@dataclass(frozen=True)
class EngineSetup:
    command: str
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass
class EnginePair:
    """Two engines that play one game after the other; they are started at the first request."""

    seats: tuple[EngineSetup, EngineSetup]
    is_sparring: bool  # true if the second is a fixed opponent without parameters
    conditions: Conditions
    book: Book
    patience: float = 10.0
    seed_option: str | None = None  # the option that is set to the seed of a game, for engines that play at random
    _players: list[UciPlayer] = field(default_factory=list)
    _guard: ProcessGuard | None = None

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
        if self._guard is None:
            self._guard = ProcessGuard()
        while len(self._players) < 2:
            seat = self.seats[len(self._players)]
            self._players.append(UciPlayer(seat.command, seat.options, self.patience, self._guard))
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
    return EnginePair(
        (EngineSetup(given.engine, own), EngineSetup(given.opponent or given.engine, other)),
        given.opponent is not None,
        Conditions(
            _limit(given),
            AdjudicationRules.parse(given.adjudicate) if given.adjudicate else AdjudicationRules(),
            given.grace,
        ),
        _book(given),
        given.patience,
        given.seed_option,
    )


def _limit(given: argparse.Namespace) -> UciLimit:
    if given.clock:
        return UciLimit.clock(given.clock)
    return next(
        (UciLimit(kind, getattr(given, kind)) for kind in LIMITS if getattr(given, kind) is not None), UciLimit()
    )


def _book(given: argparse.Namespace) -> Book:
    book = read_book(given.openings, given.opening_plies) if given.openings else own_book()
    if given.random_plies is not None:
        if not 0 <= given.random_plies <= 40:
            raise ValueError(f"--random-plies is {given.random_plies}: it must be 0 to 40")
        book = book.with_drawn(given.random_plies)
    book.check()
    return book


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
