"""Quality of beliefs: engines follow games of other engines, and their beliefs are compared with the full state.

    python benchmarks/kriegspiel_belief.py hs@0.1s fog@0.1s [--games 12] [--seed 7] [--store runs.db --run NAME]
                                           [--output docs/results/kriegspiel-belief.json]

The games are played for the purpose, by `C` and `minimax`, in every other two games as they stray from their default
openings, or are the first ones of a stored match. No weights may have been learned from them: those of the package come
from games of seed 11. Each engine follows both sides of each game. It receives all announcements and does not search,
so its effort only sets the size of its belief. A turn is evaluated whenever the side may attempt a move, also after
illegal attempts. Printed for each part of the game:

    loss    mean log-loss per square of "an opposing piece stands here", own squares excluded, probabilities clipped
    king    mean probability of the square of the opposing king
    there   share of turns in which the true board is among the boards
    rank    median place of the true board among the boards by weight, where it is among them
    boards  mean number of distinct boards
    ms      CPU milliseconds per turn

Boards are distinct if a piece stands elsewhere or is of another kind: not all boards store the opponent's castling
rights. Duplicate boards of a pool are merged. Engines without boards cannot be compared here.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import _results

from fogspiel.core.game import known_game
from fogspiel.core.rng import stream_of
from fogspiel.core.session import Session
from fogspiel.games.chess.bitboards import KING, rows_of
from fogspiel.games.chess.position import MEN, MOVER
from fogspiel.kriegspiel.engine import STRAY, SearchLimit, find_engine, parse_engine
from fogspiel.kriegspiel.engines.fog import Fog
from fogspiel.kriegspiel.engines.sampling import PoolSampler
from fogspiel.kriegspiel.game import rules
from fogspiel.kriegspiel.kinds import match_of
from fogspiel.kriegspiel.referee import Referee, play_game
from fogspiel.runs.store import Store, StoreError

FIRST_PLIES = (0, 20, 40, 60, 90)
"""First plies of the parts of a game."""
PLAYERS = {"C": SearchLimit(nodes=3000), "minimax": SearchLimit(nodes=1000)}
LONGEST = 200
"""Maximum length of a generated game in plies."""
TRAINING_SEED = 11
CLIP = 0.02
SQUARES = 64
CELLS = MOVER
"""First cells of a position, which distinguish boards: the pieces by kind and by colour."""
BOARD = np.dtype((np.void, CELLS * np.dtype(np.int64).itemsize))

Believer = Fog | PoolSampler
"""Engines that maintain boards through a game."""


@dataclass(frozen=True)
class Look:
    """A belief in one turn, compared with the full state."""

    loss: float
    king: float
    rank: int | None
    """Place of the true board among the boards, 1 for the heaviest; None if it is not among them."""
    boards: int


@dataclass
class Part:
    looks: list[Look] = field(default_factory=list)
    seconds: float = 0.0


@dataclass(frozen=True)
class Quality:
    """Aggregated measures of the turns of a part."""

    turns: int
    loss: float
    king: float
    there: float
    rank: float | None
    boards: float
    ms: float


def believer(words: str, *path: int) -> Believer:
    """Return the named engine with a separate random stream, if it maintains boards."""
    name, effort = parse_engine(words)
    player = find_engine(name)(effort, stream_of(*path))
    if not isinstance(player, Believer):
        raise ValueError(f"{words} keeps no boards through a game: compare hs, aosp or fog")
    return player


def weighted_boards(engine: Believer) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct boards of an engine and their weights, which sum to 1."""
    if isinstance(engine, Fog):
        boards, weights = engine.belief.boards, engine.belief.weights
    else:
        boards, weights = engine.pool[: engine.count], np.ones(engine.count)
    cells = np.ascontiguousarray(boards[:, :CELLS])
    _, first, where = np.unique(cells.view(BOARD).ravel(), return_index=True, return_inverse=True)
    total = np.bincount(where, weights, len(first))
    return cells[first], total / max(total.sum(), np.finfo(float).tiny)


def look_at(boards: np.ndarray, weights: np.ndarray, state: np.ndarray, side: int) -> Look:
    theirs = boards[:, MEN + 1 - side]
    men, king = (weights @ rows_of(each) for each in (theirs, boards[:, KING] & theirs))
    true, own, true_king = rows_of(
        np.array([state[MEN + 1 - side], state[MEN + side], state[KING] & state[MEN + 1 - side]])
    )
    chances = np.clip(men, CLIP, 1 - CLIP)
    losses = -np.log(np.where(true, chances, 1 - chances))
    here = np.flatnonzero((boards == state[:CELLS]).all(1))
    rank = int((weights > weights[here[0]]).sum()) + 1 if len(here) else None
    return Look(float(losses[own == 0].sum() / SQUARES), float(king @ true_king), rank, len(boards))


def follow(engine: Believer, side: int, record: Sequence[int], parts: Sequence[Part]) -> None:
    session = Session(known_game("kriegspiel"))
    engine.begin(side)
    for action in record:
        if session.mover == side:
            seen = session.view(side)
            began = time.process_time()
            engine.follow(seen, action)
            spent = time.process_time() - began
            part = parts[np.searchsorted(FIRST_PLIES, seen[rules.SEEN_PLY], "right") - 1]
            part.seconds += spent
            part.looks.append(look_at(*weighted_boards(engine), session.state, side))
        session.apply(action)


def quality_of(part: Part) -> Quality | None:
    looks = part.looks
    if not looks:
        return None
    ranks = [look.rank for look in looks if look.rank is not None]
    return Quality(
        turns=len(looks),
        loss=float(np.mean([look.loss for look in looks])),
        king=float(np.mean([look.king for look in looks])),
        there=len(ranks) / len(looks),
        rank=float(np.median(ranks)) if ranks else None,
        boards=float(np.mean([look.boards for look in looks])),
        ms=1000 * part.seconds / len(looks),
    )


def measure(words: str, records: Sequence[Sequence[int]], seed: int) -> list[Quality | None]:
    parts = [Part() for _ in FIRST_PLIES]
    follow(believer(words, seed), 0, records[0], [Part() for _ in FIRST_PLIES])  # compiles
    for number, record in enumerate(records):
        for side in (0, 1):
            follow(believer(words, seed, number, side), side, record, parts)
    whole = Part([look for part in parts for look in part.looks], sum(part.seconds for part in parts))
    return [*map(quality_of, parts), quality_of(whole)]


def play_games(count: int, seed: int) -> Iterator[list[int]]:
    """Yield the records of games of other engines, colours in turn."""
    for number in range(count):
        stray = STRAY if number // 2 % 2 else ""
        one, other = (
            find_engine(stray + name)(effort, stream_of(seed, number, who))
            for who, (name, effort) in enumerate(PLAYERS.items())
        )
        yield play_game((other, one) if number % 2 else (one, other), Referee(), LONGEST).record
        print(f"game {number + 1} of {count}", end="\r", file=sys.stderr, flush=True)


def stored_games(path: Path, name: str, count: int) -> list[list[int]]:
    with Store.open(path, write=False) as store:
        run = store.read(name)
    request = match_of(run)
    if request.seed == TRAINING_SEED:
        raise ValueError(f"run {name} has the seed {TRAINING_SEED}, that of the games that weights were learned from")
    return [game["record"] for rows in request.rows(run) for row in rows for game in row["games"]][:count]


def phase_names() -> list[str]:
    ends = [f"-{after - 1}" for after in FIRST_PLIES[1:]] + ["+"]
    return [f"{first}{end}" for first, end in zip(FIRST_PLIES, ends, strict=True)] + ["all"]


def print_table(words: str, found: Sequence[Quality | None]) -> None:
    for phase, quality in zip(phase_names(), found, strict=True):
        if quality:
            rank = "-" if quality.rank is None else f"{quality.rank:,.0f}"
            print(
                f"| {words} | {phase} | {quality.turns} | {quality.loss:.4f} | {quality.king:.3f} "
                f"| {quality.there:.3f} | {rank} | {quality.boards:,.0f} | {quality.ms:.2f} |",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engines", nargs="+", metavar="ENGINE")
    parser.add_argument("--games", type=int, default=12)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--store", type=Path, help="take the games from a run of this store")
    parser.add_argument("--run", help="the name of the run, such as kriegspiel-1")
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    if asked.seed == TRAINING_SEED:
        parser.error(f"the weights of fog come from games of seed {TRAINING_SEED}: take another one")
    if (asked.store is None) != (asked.run is None):
        parser.error("a store and a run belong together: give both or neither")
    if asked.games < 1:
        parser.error(f"there must be a game at least, not {asked.games}")
    try:
        for words in asked.engines:
            believer(words, asked.seed)
        records = (
            stored_games(asked.store, asked.run, asked.games)
            if asked.store
            else list(play_games(asked.games, asked.seed))
        )
        print("| engine | plies | turns | loss | king | there | rank | boards | ms |\n" + "|---" * 9 + "|")
        results = {}
        for words in asked.engines:
            found = measure(words, records, asked.seed)
            print_table(words, found)
            results[words] = {
                phase: asdict(quality) for phase, quality in zip(phase_names(), found, strict=True) if quality
            }
    except (ValueError, StoreError) as error:
        parser.error(str(error))
    if asked.output:
        given = {"games": len(records), "seed": asked.seed, "run": asked.run}
        _results.write(asked.output, given | {"engines": results})


if __name__ == "__main__":
    main()
