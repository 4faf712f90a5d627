"""Backward induction for games of perfect information (Zermelo 1913; Bossle 2018, section 3.3 and figure 3.1).

Positions are states, not histories: a table holds the exact value of every position and a best action there, and a
position that two histories reach is evaluated once. Perfect information is checked on the way: the view of the player
to move must determine the state. Chance nodes are averaged in fractions. Ties go to the first action in the order of
the rules.
"""

from collections.abc import Generator, Iterator
from fractions import Fraction
from hashlib import blake2b
from typing import Any, NamedTuple

from ...core import TooLarge
from ...core.game import CHANCE, OVER, nothing_hidden
from ..proofs import solution_certificate
from ..proofs.checkers.tree import FORMAT, LARGE_FORMAT, PositionFacts, Positions, Row
from ..sources import GameSource
from . import Solution, SolveOptions, SolverProgress, SolverState, Work

POSITION_BYTES = 700  # of memory for a position: its state, its value and the digest of its view
REPORTED = 20_000  # positions between two reports
MAX_ROWS = 20_000  # decisions of a player in a certificate of rows; above that it has lines
MAX_CHECKED = 1_000_000  # histories against one strategy that a checker traverses in a minute or two
NO_ACTION = -1
Key = bytes | int


class Entry(NamedTuple):
    value: Fraction  # of the first player
    action: int  # a best one of the player to move
    histories: tuple[int, int]  # from here on, where the first or the second player follows its best actions


Table = dict[Key, Entry]


class Frame(NamedTuple):
    """A position on the path from the root whose value is being computed."""

    key: Key
    position: Any
    look: PositionFacts
    after: list[Entry]  # of the positions after its first actions


def suits(source: GameSource) -> bool:
    """True if the rules declare that nothing is hidden, so that `auto` takes this method."""
    return source.game is not None and source.game.resample is nothing_hidden


def key_of(position: Any) -> Key:
    return position if isinstance(position, int) else bytes(position.tobytes())


def entry_of(look: PositionFacts, after: list[Entry]) -> Entry:
    """Return the entry of a position from those of the positions after its actions."""
    all_first, all_second = (1 + sum(entry.histories[player] for entry in after) for player in (0, 1))
    if look.mover == OVER:
        return Entry(look.payoff, NO_ACTION, (1, 1))
    if look.mover == CHANCE:
        mean = sum((share * entry.value for share, entry in zip(look.chances, after, strict=True)), Fraction(0))
        return Entry(mean, NO_ACTION, (all_first, all_second))
    best = (max if look.mover == 0 else min)(range(len(after)), key=lambda slot: after[slot].value)
    histories = 1 + after[best].histories[look.mover]
    chosen = (histories, all_second) if look.mover == 0 else (all_first, histories)
    return Entry(after[best].value, look.actions[best], chosen)


def evaluate(game: Positions, most: int) -> Generator[SolverProgress, None, Table]:
    """Return the table of all positions, by a depth-first traversal that evaluates a position after its successors."""
    table: Table = {}
    views: set[bytes] = set()

    def open_frame(position: Any, key: Key) -> Frame:
        look = game.look(position)
        if look.mover not in (OVER, CHANCE):
            digest = blake2b(repr((look.mover, look.view)).encode(), digest_size=16).digest()
            if digest in views:
                raise ValueError(
                    f"{game.name} has imperfect information: player {look.mover + 1} has one view of two positions; "
                    "solve it by --method lp"
                )
            views.add(digest)
        return Frame(key, position, look, [])

    root = game.root()
    path = [open_frame(root, key_of(root))]
    on_path = {path[0].key}
    while path:
        frame = path[-1]
        if len(frame.after) < len(frame.look.actions):
            following = game.after(frame.position, frame.look.actions[len(frame.after)])
            key = key_of(following)
            if key in table:
                frame.after.append(table[key])
            elif key in on_path:
                raise ValueError(
                    f"{game.name} can return to an earlier position: solve a variant in which positions never recur"
                )
            else:
                path.append(open_frame(following, key))
                on_path.add(key)
            continue
        table[frame.key] = entry_of(frame.look, frame.after)
        on_path.remove(frame.key)
        path.pop()
        if path:
            path[-1].after.append(table[frame.key])
        if len(table) % REPORTED == 0:
            yield SolverProgress(f"{len(table):,} positions")
        if len(table) > most:
            raise TooLarge(
                f"{game.name} has more than {most:,} positions, which is all that fits into the memory limit: "
                "raise --memory, or solve a smaller variant"
            )
    return table


def decisions(
    game: Positions, table: Table, player: int
) -> Iterator[tuple[tuple[int, int] | None, PositionFacts, int]]:
    """Yield the decisions that a player's own play reaches: the one before (its number and action), facts, action."""
    numbers: dict[tuple[tuple[int, int] | None, tuple[int, ...]], int] = {}
    waiting: list[tuple[Any, tuple[int, int] | None]] = [(game.root(), None)]
    met = set()
    while waiting:
        position, before = waiting.pop()
        key, look = key_of(position), game.look(position)
        if look.mover == OVER or (key, before) in met:
            continue
        met.add((key, before))
        if look.mover != player:
            waiting += [(game.after(position, action), before) for action in look.actions]
            continue
        action = table[key].action
        if (before, look.view) not in numbers:
            numbers[before, look.view] = len(numbers)
            yield before, look, action
        waiting.append((game.after(position, action), (numbers[before, look.view], action)))


def certificate(game: Positions, table: Table) -> Any:
    """Return the certificate of both pure strategies, as rows or lines; None if it would take long to check."""
    value, _, histories = table[key_of(game.root())]
    if max(histories) > MAX_CHECKED:
        return None
    found: list[list[Row]] = []
    for player in (0, 1):
        rows: list[Row] = []
        for before, look, action in decisions(game, table, player):
            shares = ["1" if one == action else "0" for one in look.actions]
            after = None if before is None else list(before)
            rows.append({"after": after, "view": list(look.view), "actions": look.actions, "probabilities": shares})
        found.append(rows)
    head = (game.name, game.version, value, value, value)
    if max(map(len, found)) <= MAX_ROWS:
        return solution_certificate(FORMAT, *head, strategies=found)
    return solution_certificate(
        LARGE_FORMAT, *head, denominator=1, strategies=[[*map(line_of, rows)] for rows in found]
    )


def line_of(row: Row) -> str:
    parts = (row["after"] or (), row["view"], row["actions"], row["probabilities"])
    return "|".join(" ".join(map(str, part)) for part in parts)


def solve(source: GameSource, options: SolveOptions, saved: SolverState) -> Work:
    if source.game is None:
        source.tree(options.memory)  # reads a file within the memory limit
    game = source.positions()
    table = yield from evaluate(game, int(options.memory * 2**30 / POSITION_BYTES))
    value = table[key_of(game.root())].value
    yield SolverProgress(f"{len(table):,} positions, certificate", float(value), float(value))
    description, sizes = f"backward induction over {len(table):,} positions", {"positions": len(table)}
    proof = certificate(game, table)
    if proof is not None:
        return Solution.proved(description, sizes, proof)
    text = str(value)
    return Solution(text, text, text, True, description, sizes, None, float(value), (float(value), float(value)))
