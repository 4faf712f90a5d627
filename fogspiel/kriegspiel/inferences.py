"""Implications of the referee's messages by an engine's belief: as sentences, and as probabilities of squares."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..core.agents import Player
from ..core.rng import stream_of
from ..core.session import Session
from ..games.chess.bitboards import BETWEEN, KINDS, KING, KNIGHT, PAWN, bit, kind_on, rows_of
from ..games.chess.fen import NAMES, directions_in, move_name, square_name
from ..games.chess.moves import LIMITS, attackers, is_legal, restrict
from ..games.chess.position import MEN, PASSANT, end_of, king_of, occupied, start_of
from .decisions import Decision, last_message
from .engine import SearchLimit, engine_agent, engines, find_engine, parse_engine, takes_by_pawn
from .engines.fog import Fog
from .engines.mcts import MatrixEngine
from .engines.minimax import Minimax
from .engines.sampling import PoolSampler, Sampler
from .game import refused_moves, rules, squares_in, tries_text
from .game.attempts import CHECKS, SQUARE, TAKEN, TRIES, TRIES_OTHERWISE
from .protocol import own_board
from .referee import WILD_16, HouseRules, kriegspiel_from
from .search.gain_tables import DOUBT

SHOWN = 4  # squares or men named in a sentence before "and N more"
LOOKED_AT = 500  # boards inspected one by one, the likeliest first
DIGITS = 3


class Boards(NamedTuple):
    """Distinct boards, and the share of each."""

    cells: np.ndarray
    shares: np.ndarray


def chances(boards: Boards, sets: np.ndarray) -> np.ndarray:
    return np.asarray(boards.shares @ rows_of(sets))


PIECE = "piece"  # any man except pawn and king


def belief_in(boards: Boards, colour: int) -> dict[str, list[float]]:
    """Return the probabilities by kind of man of a colour, and of any piece, for the 64 squares from a1 to h8."""
    theirs = boards.cells[:, MEN + colour]
    maps = {name: chances(boards, boards.cells[:, kind] & theirs) for kind, name in enumerate(NAMES)}
    maps[PIECE] = np.sum([maps[NAMES[kind]] for kind in range(KNIGHT, KING)], axis=0)
    return {name: [round(float(chance), DIGITS) for chance in row] for name, row in maps.items()}


def percent(chance: float) -> str:
    """Format a probability: `62 %`."""
    if 0 < chance < 0.01:
        return "under 1 %"
    return "over 99 %" if 0.99 < chance < 0.9999 else f"{100 * chance:.0f} %"


def listed(found: Sequence[tuple[str, float]]) -> str:
    """Format names with their probabilities, the likeliest first: `g8 62 %, h8 20 % and 3 more`."""
    ranked = sorted((one for one in found if one[1] > 0), key=lambda one: -one[1])
    words = ", ".join(f"{name} {percent(chance)}" for name, chance in ranked[:SHOWN])
    return f"{words} and {len(ranked) - SHOWN} more" if len(ranked) > SHOWN else words


def imply(seen: np.ndarray, boards: Boards, kings: int | None = None) -> Iterator[str]:
    """Yield the knowledge at a decision, one sentence each; `kings` is the exact set of squares of a lone king."""
    if len(boards.cells) == 0:
        yield "The engine has no board in mind that explains all that was said"
        return
    order = np.argsort(-boards.shares, kind="stable")[:LOOKED_AT]
    likely = Boards(boards.cells[order], boards.shares[order] / boards.shares[order].sum())
    squares = squares_in(kings or 0)
    if kings is None:
        yield of_king(seen, boards)
    elif len(squares) == 1:
        yield f"The other king stands alone, on {squares[0]}"
    else:
        yield f"The other king stands alone, on one of {len(squares)} squares: {', '.join(squares)}"
    message = last_message(seen)
    if message[TAKEN]:
        yield of_taker(seen, boards, message[SQUARE])
    if message[CHECKS]:
        yield from of_checks(seen, likely, message[CHECKS])
    if message[TRIES]:
        yield of_tries(seen, likely, message[TRIES])
    for move in refused_moves(seen[rules.REFUSALS]):
        yield from of_refusal(seen, boards, move)


def of_king(seen: np.ndarray, boards: Boards) -> str:
    theirs = boards.cells[:, MEN + 1 - seen[rules.SEEN_PLAYER]]
    where = chances(boards, boards.cells[:, KING] & theirs)
    squares = [(square_name(square), float(where[square])) for square in range(64)]
    many = sum(chance > 0 for _, chance in squares)
    if many == 1:
        return f"The other king is on {listed(squares).split()[0]} on all boards"
    return f"The other king is on one of {many} squares: {listed(squares)}"


def of_taker(seen: np.ndarray, boards: Boards, square: int) -> str:
    there = bit(square)
    kinds = [(name, float(boards.shares @ ((boards.cells[:, kind] & there) != 0))) for kind, name in enumerate(NAMES)]
    if not any(chance for _, chance in kinds):
        return f"A man was lost on {square_name(square)}, and the taker stands elsewhere (en passant)"
    return f"What took on {square_name(square)} is a man of this kind: {listed(kinds)}"


def of_checks(seen: np.ndarray, boards: Boards, checks: int) -> Iterator[str]:
    side, found = int(seen[rules.SEEN_PLAYER]), dict[str, float]()
    for board, share in zip(boards.cells, boards.shares, strict=True):
        men = int(attackers(board, king_of(board, side), 1 - side, occupied(board))) % 2**64
        for square in (square for square in range(64) if men >> square & 1):
            name = f"{NAMES[int(kind_on(board, square))]} {square_name(square)}"
            found[name] = found.get(name, 0.0) + float(share)
    how = " and ".join("by a knight" if name == "knight" else f"on the {name}" for name in directions_in(checks))
    if found:
        yield f"The check {how} comes from one of these: {listed(list(found.items()))}"


def of_tries(seen: np.ndarray, boards: Boards, tries: int) -> str:
    pawns, limits = int(seen[rules.SEEN_MEN + PAWN]), np.empty(LIMITS, np.int64)
    captures = {
        (start_of(move), end_of(move)): move for move in Decision(seen, None).actions if takes_by_pawn(pawns, move)
    }
    found = dict.fromkeys(captures, 0.0)
    for board, share in zip(boards.cells, boards.shares, strict=True):
        restrict(board, limits)
        for squares, move in captures.items():
            found[squares] += float(share) * bool(is_legal(board, limits, move))
    names = [(move_name(start + 64 * end), chance) for (start, end), chance in found.items()]
    switches = int(seen[rules.SEEN_SWITCHES])
    words = "1 pawn capture is legal" if tries == 1 else f"{tries} pawn captures are legal"
    if switches & TRIES_OTHERWISE:
        told = tries_text(tries, switches)
        words = told[0].upper() + told[1:]
    return f"{words}: {listed(names) or 'on no board one that can still be tried'}"


def of_refusal(seen: np.ndarray, boards: Boards, move: int) -> Iterator[str]:
    """Describe the possible obstacle of a refused attempt; captures by pawns, knights and the king are omitted."""
    start, end = start_of(move), end_of(move)
    pushed = int(seen[rules.SEEN_MEN + PAWN]) >> start & 1 and (end - start) % 8 == 0
    way = int(BETWEEN[start, end] | (bit(end) if pushed else 0)) % 2**64
    where = chances(boards, boards.cells[:, MEN + 1 - seen[rules.SEEN_PLAYER]])
    names = listed([(square_name(square), float(where[square])) for square in range(64) if way >> square & 1])
    if names:
        yield f"{move_name(move)} was refused; chances of a man in its way: {names}"


# Engine's table of the attempts of a decision; the only module that reads it from each kind of engine.
#
#     los, aosp, hs    evaluate boards that were drawn; each counts once
#     fog              evaluates weighted boards, here every attempt on each of them
#     fog, endgames    against a lone king there are no values, but the exact set of its possible squares

LOOSE_BOARDS = 1000  # boards of the last observation drawn for an engine without a pool
Analyst = Sampler | Fog  # engines with a belief over boards


class AttemptTable(NamedTuple):
    gains: np.ndarray  # a row per evaluated board, a column per attempt, ILLEGAL where it is not legal
    offered: np.ndarray
    boards: Boards
    choice: int
    weights: np.ndarray  # number of drawn boards that each row represents
    # The engine's own ranks of the attempts, the greatest first, if they differ from their values.
    ranks: np.ndarray | None = None
    doubt: float = DOUBT  # pseudo-boards on which an attempt is assumed average
    kings: int | None = None  # possible squares of the opponent's lone king, if it has no other man


def make_engine(words: str, effort: SearchLimit, seed: int, side: int) -> Analyst:
    engine = find_engine(words)(effort, stream_of(seed, side))
    if not isinstance(engine, Analyst):
        makers = engines().items()
        known = [name for name, maker in makers if isinstance(maker, type) and issubclass(maker, Analyst)]
        raise ValueError(f"{words} keeps no boards in mind: an analysis needs one of {', '.join(known)}")
    if isinstance(engine, Fog):
        engine.thorough = True
    engine.begin(side)
    return engine


def look(engine: Analyst, decision: Decision) -> AttemptTable:
    """Evaluate a decision with an engine, which then continues with the attempt made."""
    engine.renew()  # every attempt is analysed for as long as a move
    choice = engine.choose(decision.seen, decision.actions)
    engine.last = decision.action
    if engine.ending:
        kings, nothing = engine.ending.squares, np.empty((0, 0), np.int32)
        boards = lone_king_boards(decision.seen, kings)
        return AttemptTable(nothing, np.empty(0, np.int64), boards, choice, np.empty(0), kings=kings)
    if isinstance(engine, Fog):
        rows = slice(engine.evaluated)
        boards = distinct_boards(engine.belief.boards, engine.belief.weights)
        table = engine.gains[rows].copy(), engine.offered.copy(), boards, choice, engine.drawn[rows].copy()
        return AttemptTable(*table, engine.ranks.copy(), engine.parameters.doubt)
    gains = engine.gains[: engine.evaluated].copy()
    loose = boards_of(engine, LOOSE_BOARDS, decision.seen)
    different = distinct_boards(loose, np.ones(len(loose)))
    return AttemptTable(gains, engine.offered.copy(), different, choice, np.ones(len(gains)))


def boards_of(engine: Sampler, count: int, seen: np.ndarray) -> np.ndarray:
    """Return the pool of an engine, or this many boards of the last observation."""
    return engine.pool[: engine.count] if isinstance(engine, PoolSampler) else engine.boards(count, seen)


def distinct_boards(boards: np.ndarray, weights: np.ndarray) -> Boards:
    """Merge boards with equal men, castling rights and en passant; each has its share of the weight."""
    first, sums = distinct_rows(boards[:, : PASSANT + 1], weights)
    return Boards(boards[first], sums / max(weights.sum(), np.finfo(float).tiny))


def distinct_rows(rows: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices of the distinct rows, and the sum of the weights of each."""
    cells = np.ascontiguousarray(rows)
    keys = cells.view(np.dtype((np.void, cells.shape[1] * cells.itemsize))).ravel()
    _, first, places = np.unique(keys, return_index=True, return_inverse=True)
    return first, np.bincount(places, weights, len(first))


def lone_king_boards(seen: np.ndarray, kings: int) -> Boards:
    """Return the own men with a lone king on each of these squares, with equal shares."""
    squares = [square for square in range(64) if kings >> square & 1]
    boards = np.tile(own_board(seen), (len(squares), 1))
    there = np.array([bit(square) for square in squares], np.int64)
    boards[:, KING] |= there
    boards[:, MEN + 1 - seen[rules.SEEN_PLAYER]] = there
    return Boards(boards, np.full(len(squares), 1 / max(len(squares), 1)))


# Belief maps of every kind of engine, throughout a finished game.
#
# The record is replayed with a fresh engine of the same kind, which follows its moves without searching; its belief is
# read after every message. Matrices are reproduced exactly. A metaposition only has possible squares, so its men are
# spread evenly over them. Boards are counted by their weights; they are drawn again, so they are similar but not the
# same.

BOARDS = 200  # boards of the last observation drawn for an engine without a pool
# It does not search, and a pool of this limit, one or two thousand boards, is enough to count.
LIGHT = SearchLimit(nodes=200)
PIECES = slice(KNIGHT, KING)  # the kinds from knight to queen

Belief = list[list[float]]  # probabilities for the 64 squares from a1 to h8 of the king, a pawn and a piece


def beliefs(words: str, side: int, record: Sequence[int], switches: HouseRules = WILD_16) -> list[Belief | None]:
    """Return the beliefs of the engine that `words` name, on this side, before each move and after the last.

    None before its first decision, and always for a player without a belief or that is not an engine.
    """
    try:
        name, _ = parse_engine(words)
        engine = engine_agent(name, LIGHT).new_player(stream_of(0, side))
    except ValueError:
        engine = None
    if not isinstance(engine, MatrixEngine | Minimax | Sampler | Fog):
        return [None] * (len(record) + 1)
    session = Session(kriegspiel_from(switches=switches))
    engine.begin(side)
    found: list[Belief | None] = []
    belief: Belief | None = None
    for action in record:
        if session.mover == side:
            seen = session.view(side)
            engine.follow(seen, action)
            belief = belief_of(engine, seen)
        found.append(belief)
        session.apply(action)
    return [*found, belief]


def belief_of(engine: Player, seen: np.ndarray) -> Belief | None:
    if isinstance(engine, MatrixEngine):
        chances = engine.prob
    elif isinstance(engine, Minimax):
        chances = spread_evenly(engine.meta, engine.side)
    elif isinstance(engine, Sampler):
        boards = boards_of(engine, BOARDS, seen)
        if len(boards) == 0:
            return None
        chances = count_boards(boards, np.full(len(boards), 1 / len(boards)), 1 - engine.side)
    elif isinstance(engine, Fog) and engine.belief.count:
        chances = count_boards(engine.belief.boards, engine.belief.weights, 1 - engine.side)
    else:
        return None
    return [[round(float(chance), DIGITS) for chance in row] for row in np.clip(chances, 0.0, 1.0)]


def spread_evenly(meta: np.record, side: int) -> np.ndarray:
    """Spread the men of a metaposition evenly over their possible squares, by kind."""
    theirs = rows_of(meta.theirs)
    if side:  # a metaposition is turned so that the own men go up
        theirs = theirs.reshape(KINDS, 8, 8)[:, ::-1].reshape(KINDS, 64)
    may = np.array([theirs[KING], theirs[PAWN], theirs[PIECES].any(0)], float)
    share = np.array([1.0, meta.their_pawns, meta.their_pieces]) / np.maximum(may.sum(1), 1.0)
    return np.asarray(may * share[:, None])


def count_boards(boards: np.ndarray, weights: np.ndarray, colour: int) -> np.ndarray:
    pieces = np.bitwise_or.reduce(boards[:, PIECES], axis=1)
    sets = np.array([boards[:, KING], boards[:, PAWN], pieces]) & boards[:, MEN + colour]
    return np.asarray(weights @ rows_of(sets))
