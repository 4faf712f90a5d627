"""Training of engines by their own games: the opponent model, and constants tuned by self-play.

Games of a population of engines are stored matches and round robins, so an interrupted or repeated training reuses
them.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..core.rng import stream_of
from ..core.untrusted_input import JsonRecord, parse_json, read_bytes
from ..games.chess.fen import SIDES
from ..games.chess.game import Movetext
from ..process.line_process import Answer, WordParser, game_of, serve, values_in
from ..runs.kind import Row
from ..runs.programs import digest_of
from ..runs.store import Store
from .engine import (
    RUN,
    STRAY,
    EngineFactory,
    SearchLimit,
    Tunable,
    find_engine,
    parse_engine,
    plain_name,
    tunable_engines,
)
from .engines.mcts import ENGINES as MODELLED
from .game import GAMES
from .match import EngineMatch, EngineSpec
from .parameters import BOTH, NO_MODEL, SHAPE, change_of, count_placements, model_of, read_generic, write_model
from .pgn import Unreadable, games_apart, read_text, reading_of, write_pgn
from .referee import LIMIT, Referee, play_game

SUFFIX = ".npz"
# Function that plays a match, or recalls it, and returns the rows of every two engines.
Play = Callable[[EngineMatch], list[list[Row]]]


def rows_in(matches: Iterable[EngineMatch], play: Play) -> list[Row]:
    """Return the rows of matches, sorted by number within each pairing; missing ones are played."""
    return [row for match in matches for met in play(match) for row in sorted(met, key=lambda row: int(row["number"]))]


def check_lesson(engines: Sequence[str], effort: SearchLimit, output: Path, what: str, **numbers: int) -> None:
    """Reject unknown engines, a file that cannot be written, and numbers that are not positive."""
    for name, number in numbers.items():
        if number <= 0:
            raise ValueError(f"--{name} is {number}: it must be a positive number")
    check_output(output, what)
    for words in engines:
        find_engine(parse_engine(words, effort)[0])


def check_output(output: Path, what: str) -> None:
    if output.suffix != SUFFIX:
        raise ValueError(f"--output is {output}: the name of {what} ends with {SUFFIX}")
    if not output.parent.is_dir():
        raise ValueError(f"--output is {output}, but there is no folder {output.parent}: make it first")


# Training of the opponent model: a population of engines plays rounds of games, and placements of men are counted.
#
# The games of a round are stored matches and round robins. In round 0 no engine has a model; in each further round
# those that can use one have that of all games so far. Training ends when a round has hardly changed it.

# Default players, with node limits for some milliseconds per move, as fast as is reasonable for each.
POPULATION = ("minimax@1000n", "C@3000n", "B10@50n")
SETTLED = 0.03  # mean total-variation change below which training ends


@dataclass(frozen=True)
class Training:
    """Request of a training: the players, the budget, and the sides whose men are counted."""

    engines: tuple[str, ...]  # as text; each of them also strays
    effort: SearchLimit
    games: int  # approximate number of games per round
    rounds: int  # greatest number of rounds
    output: Path
    seed: int = 1
    against: str | None = None  # count the men of this engine only: a model of one opponent
    without: str | None = None  # do not count the men of this engine in any variant: a held-out opponent

    def __post_init__(self) -> None:
        """Check everything first, so that nothing is written for an invalid request."""
        check_lesson(self.engines, self.effort, self.output, "a model", games=self.games, rounds=self.rounds)
        names = [member.engine.removesuffix(f":{NO_MODEL}") for member in self.population(None)]
        plain = list(dict.fromkeys(map(plain_name, names)))
        for what, name, known in (("--against", self.against, names), ("--without", self.without, plain)):
            if name is not None and name not in known:
                raise ValueError(f"{what} is {name!r}: it must be one of {', '.join(known)}")
        if self.without is not None and (self.against is not None or len(plain) == 1):
            raise ValueError("--without leaves nobody to count: leave --against out, and name another engine besides")
        self.matches(0)

    def population(self, model: Path | None) -> list[EngineSpec]:
        """Return every engine as is and straying, with the model if it can use one."""
        members = []
        for words in self.engines:
            name, effort = parse_engine(words, self.effort)
            if plain_name(name) in MODELLED and ":" not in name:
                name = f"{name}:{model or NO_MODEL}"
            members += [EngineSpec(name, effort), EngineSpec(STRAY + name, effort)]
        return members

    def matches(self, number: int) -> list[EngineMatch]:
        """List the pairings of a round: each against each, or, for a model of one opponent, that one against each.

        Every round has its own seed, because engines without a model would repeat the same games.
        """
        members, seed = self.population(self.draft(number - 1) if number else None), self.seed + number
        pairs = list(combinations(members, 2))
        if self.against is not None:
            pairs = [pair for pair in pairs if any(self.counts(member.engine) for member in pair)]
        games = -(-self.games // len(pairs))  # of two engines
        return [EngineMatch(found, games, seed) for found in ([tuple(members)] if self.against is None else pairs)]

    def counts(self, engine: str) -> bool:
        if self.against is not None:
            return engine.partition(":")[0] == self.against.partition(":")[0]
        return plain_name(engine) != self.without

    def count(self, rows: Sequence[Row]) -> np.ndarray:
        total = np.zeros(SHAPE, np.int64)
        for row in rows:
            counted = [self.counts(seat["engine"]) for seat in row["seats"]]
            for game in row["games"]:
                total += count_placements(game["record"], [side for side in BOTH if counted[game["white"] ^ side]])
        return total

    def draft(self, number: int) -> Path:
        return self.output.with_name(f"{self.output.stem}-{number}{SUFFIX}")


class Round(NamedTuple):
    number: int
    games: int  # all games so far
    change: float | None  # change of the model in this round; None for the first

    @property
    def settled(self) -> bool:
        return self.change is not None and self.change < SETTLED


def train(training: Training, play: Play) -> Iterator[Round]:
    """Play and count, round by round; write the model after each, and the final one under the requested name."""
    counts, games = np.zeros(SHAPE, np.int64), 0
    model: np.ndarray | None = None
    for number in range(training.rounds):
        rows = rows_in(training.matches(number), play)
        counts += training.count(rows)
        games += 2 * len(rows)
        before, model = model, model_of(counts)
        for path in (training.draft(number), training.output):
            write_model(model, path)
        found = Round(number, games, None if before is None else change_of(before, model))
        yield found
        if found.settled:
            return


# The opponent model from games of people (section 5: "a database of about 12 000 games"), of all or of one player.

MAX_HALF_MOVES = 2000  # longer games are skipped; the longest of a chess server have some hundred


@dataclass
class PeopleGames:
    """Counts of the placements in PGN files, and a sentence per game that was skipped."""

    player: str | None = None  # count this player's men only; otherwise everyone's
    games: int = 0  # number of games counted
    others: int = 0  # number of readable games that the player did not play
    skipped: list[str] = field(default_factory=list)
    counts: np.ndarray = field(default_factory=lambda: np.zeros(SHAPE, np.int64))

    def add(self, path: Path) -> Iterator[int]:
        """Count the games of a file; yield the number of games read so far."""
        text = read_text(path)
        try:
            for number, game in games_apart(text):
                fault = game.fault if isinstance(game, Unreadable) else self._count(game, number)
                if fault is not None:
                    self.skipped.append(f"{path.name}, {fault}")
                yield self.games + self.others + len(self.skipped)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None

    def _count(self, game: Movetext, number: int) -> str | None:
        """Count a game; return the fault of one that cannot be counted."""
        wanted = [
            side
            for side, colour in zip(BOTH, SIDES, strict=True)
            if self.player is None or game.tags.get(colour, "").casefold() == self.player.casefold()
        ]
        if len(game.half_moves) > MAX_HALF_MOVES:
            return f"game {number} (line {game.line}): more than {MAX_HALF_MOVES:,} half-moves"
        try:
            reading = reading_of(game, number)
        except ValueError as error:
            return str(error) if "line " in str(error) else f"{error} (line {game.line})"
        if reading.viewer != "umpire" or reading.fen is not None or not reading.attempts:
            return f"game {number} (line {game.line}): not a whole game from the first move, with the moves of both"
        if wanted:
            self.counts += count_placements(reading.record, wanted)
        self.games, self.others = self.games + bool(wanted), self.others + (not wanted)
        return None

    def model(self) -> np.ndarray:
        """Return the model of the games; a colour that the player never had is that of the generic model."""
        if not self.counts.any():
            whose = "" if self.player is None else f" of {self.player}"
            raise ValueError(f"there is no game{whose} to learn from: name other files or another --player")
        return model_of(self.counts, read_generic())


# Self-play for a tuner.

LONGEST = 400  # plies after which a game is drawn
STEP = 0.25  # relevant change, as a share of the default value
WIDE = 5.0  # range of a constant in our parameter files, as a factor of the default value
WIDEST = 100.0  # upper limit of a constant, as a factor of the default value; the lower limit is 0
SHARES = frozenset(
    {
        "line_share", "knight_share", "damping", "pin", "king_control", "retaliation", "checker_taken",
        "checker_taken_by_king", "recapture", "capture", "line_spread", "knight_spread", "pawn_wall", "hope",
        "retaliation_control", "advance_early", "patience",
    }
)  # fmt: skip
"""Constants that are probabilities or parts of a whole."""
BOARDS = {"new": (200, 5000), "thin": (1, 200), "kept": (20, 4000)}  # limits of numbers of boards


def parameters_of_engine(name: str) -> dict[str, dict[str, Any]]:
    """Return the constants of an engine as tables of a parameter file: default, limits, and relevant change."""
    tables: dict[str, dict[str, Any]] = {}
    for constant, start in _tunable(name).constants.to_json().items():
        if constant in BOARDS:
            low, high = BOARDS[constant]
            limits: dict[str, Any] = {"low": low, "high": high, "whole": True}
        else:
            limits = {"low": start / WIDE, "high": 1.0 if constant in SHARES else start * WIDE}
        tables[constant] = {"start": start, **limits, "scale": start * STEP}
    return tables


def parameter_text(name: str) -> str:
    return (
        "\n\n".join(
            "\n".join([f"[{constant}]", *(f"{key} = {json.dumps(value)}" for key, value in table.items())])
            for constant, table in parameters_of_engine(name).items()
        )
        + "\n"
    )


def permitted(name: str) -> dict[str, dict[str, Any]]:
    return {
        constant: table
        if constant in BOARDS
        else {**table, "low": 0.0, "high": 1.0 if constant in SHARES else table["start"] * WIDEST}
        for constant, table in parameters_of_engine(name).items()
    }


def demand_constants(name: str, tables: Mapping[str, Mapping[str, Any]]) -> None:
    """Reject tables that name no constant of the engine, or whose limits are too wide."""
    known = permitted(name)
    for constant, table in tables.items():
        own = _known(name, constant, known)
        for value in table.get("choices", [table["start"], table.get("low"), table.get("high")]):
            _number(constant, "without a limit" if value is None else value, own)
        if own.get("whole") and not table.get("whole") and "choices" not in table:
            raise ValueError(f"{constant} is a whole number: add whole = true")


def _known(name: str, constant: str, tables: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the table of a constant; suggest similar names in a ValueError."""
    if constant not in tables:
        near = get_close_matches(str(constant), tables, n=3)
        known = f"did you mean {' or '.join(near)}?" if near else f"it has {', '.join(tables)}"
        raise ValueError(f"{name} has no constant {str(constant)[:40]}: {known}")
    return tables[constant]


def _tunable(name: str) -> Tunable:
    known = tunable_engines()
    if name not in known:
        raise ValueError(f"the constants of {name[:40]!r} cannot be tuned: choose {' or '.join(known)}")
    return known[name]


@dataclass(frozen=True)
class SelfPlay:
    """An engine that plays against itself with other constants."""

    engine: str
    effort: SearchLimit
    longest: int = LONGEST

    def answer(self, request: object) -> Answer:
        """Play the requested game; return the score of a, and the game."""
        asked, seed, swap = game_of(request)
        sets = [constants_with(self.engine, values_in(asked, key)) for key in ("a", "b")]
        make = _tunable(self.engine).make
        streams = (stream_of(seed % 2**64, int(swap), who) for who in (0, 1))
        one, other = (make(self.effort, stream, parameters=own) for stream, own in zip(streams, sets, strict=True))
        referee = play_game((other, one) if swap else (one, other), Referee(), self.longest)
        names = [f"{self.engine} ({letter})" for letter in ("ba" if swap else "ab")]
        tags = {"Event": "fogspiel tune", "Round": str(seed), "White": names[0], "Black": names[1]}
        for key in "ab":
            tags[f"Parameters_{key}"] = json.dumps(asked[key])
        tags["Termination"] = "normal" if referee.ending else "adjudication"
        white = referee.payoff_index / 2
        pgn = write_pgn(referee.record, tags, result=None if referee.ending else "1/2-1/2")
        return {"score": 1 - white if swap else white, "pgn": pgn, "ending": referee.ending or LIMIT}


def constants_with(engine: str, values: Mapping[str, object]) -> JsonRecord:
    """Return a set of constants with defaults for those not named; raise ValueError if one is invalid."""
    tables, known = permitted(engine), dict[str, Any]()
    for name, value in values.items():
        known[name] = _number(name, value, _known(engine, name, tables))
    present = _tunable(engine).constants
    return present.from_json(present.to_json() | known)


def _number(name: str, value: object, table: Mapping[str, Any]) -> float | int:
    whole = bool(table.get("whole"))
    if isinstance(value, int | float) and not isinstance(value, bool) and table["low"] <= value <= table["high"]:
        if not whole:
            return float(value)
        if float(value).is_integer():
            return int(value)
    kind = "a whole number" if whole else "a number"
    raise ValueError(f"{name} cannot be {value!r}: it is {kind} from {table['low']:g} to {table['high']:g}")


# Engines with the constants of a tuning run.
#
# `C:run=NAME` becomes `C:run=NAME;pin=0.3;..` as soon as a command has read the store, so that a match and its workers
# need neither the run nor its store later.

MAX_EXPORT = 1 << 28  # bytes of an exported run


def with_constants(words: str, store: Path | None) -> str:
    """Return an engine's text with the constants of the tuning run, or exported file, that it names."""
    engine, mark, run = words.removeprefix(STRAY).partition(RUN)
    if not mark or ";" in run or store is None:
        return words
    _tunable(engine)
    if run.endswith(".json"):
        found = parse_json(read_bytes(Path(run), "the exported run", MAX_EXPORT, "export the run again"))
        ask = found.get("ask") if isinstance(found, dict) else None
        if not isinstance(ask, dict):
            raise ValueError(f"{run} is no exported run: write one by `fogspiel export RUN --output FILE.json`")
        finished, values = found.get("state") == "finished", found.get("parameters")
    else:
        with Store.open(store, write=False) as runs:
            stored = runs.read(run)
        ask, finished = stored.request, stored.finished
        values = stored.result and stored.result.get("parameters")
    if (ask.get("method"), ask.get("sort"), ask.get("digest")) != ("program", GAMES[0].name, digest_of([engine])):
        raise ValueError(f"run {run} has not tuned {engine}: name a run of `fogspiel tune --kriegspiel {engine}`")
    if not finished or not isinstance(values, dict):
        raise ValueError(f"run {run} is not finished: go on with `fogspiel resume {run} --kriegspiel {engine}`")
    constants_with(engine, values)
    return words + "".join(f";{name}={value!r}" for name, value in values.items())


def tuned_engine(text: str) -> EngineFactory:
    """Return the engine of a text such as `C:run=NAME;pin=0.3`."""
    engine, _, rest = text.partition(RUN)
    run, *pairs = rest.split(";")
    if not pairs:
        raise ValueError(f"{engine}{RUN}{run[:40]} needs the store of that run: name it in `fogspiel kriegspiel match`")
    values = {name: _parsed(value) for name, _, value in (pair.partition("=") for pair in pairs)}
    return partial(_tunable(engine).make, parameters=constants_with(engine, values))


def _parsed(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def main(words: Sequence[str] | None = None) -> int:
    """Let a Kriegspiel engine play against itself with other constants, for a tuner.

    Run as `python -m fogspiel.kriegspiel.training --engine C --nodes 300`, it reads a JSON object per line, `{"a":
    {constant: value, ..}, "b": {..}, "seed": n, "swap": false}`, and answers with the score of a and the game as PGN,
    or with an error of one sentence. Constants that are not named have their usual value; a has White unless `swap`
    is true. With --parameters it prints a parameter file of all constants of the engine instead.
    """
    parser = WordParser(prog="tuning_worker", description=main.__doc__, allow_abbrev=False)
    parser.add_argument("--engine", default="C", help=f"the engine: {' or '.join(tunable_engines())}")
    effort = parser.add_mutually_exclusive_group()
    effort.add_argument("--nodes", type=int, help="nodes per move")
    effort.add_argument("--time", type=float, metavar="SECONDS", help="seconds per move")
    parser.add_argument("--longest", type=int, default=LONGEST, help="plies after which a game is drawn")
    parser.add_argument("--parameters", action="store_true", help="print a parameter file and end")
    try:
        given = parser.parse_args(words)
        _tunable(given.engine)
        if given.parameters:
            print(parameter_text(given.engine), end="")
            return 0
        if given.nodes is None and given.time is None:
            given.nodes = 300
        if given.longest < 1:
            raise ValueError(f"--longest is {given.longest}: it must be 1 or more")
        match = SelfPlay(given.engine, SearchLimit(given.time, given.nodes), given.longest)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    serve(match.answer)
    return 0


if __name__ == "__main__":
    sys.exit(main())
