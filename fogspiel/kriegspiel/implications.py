"""Implications of the referee's messages by an engine's boards: as sentences, and as probabilities."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..games.chess.bits import BETWEEN, bit
from ..games.chess.fen import NAMES, move_name, square_name
from ..games.chess.limits import LIMITS, attackers, restrict
from ..games.chess.men import KING, KNIGHT, PAWN, kind_on
from ..games.chess.messages import CHECKS, SQUARE, TAKEN, TRIES
from ..games.chess.move_code import end_of, start_of
from ..games.chess.moves import is_legal
from ..games.chess.position import MEN, king_of, occupied
from ..games.chess.words import directions_in
from ..games.kriegspiel import rules
from ..games.kriegspiel.announcements import TRIES_OTHERWISE
from ..games.kriegspiel.words import squares_in, tries_text
from .own_decisions import Decision, last_message, refused_moves

SHOWN = 4  # squares or men that a sentence names before it says how many more there are
LOOKED_AT = 500  # boards that are looked at one by one, the likeliest first
DIGITS = 3


class Boards(NamedTuple):
    """Different boards, and the share of each."""

    cells: np.ndarray
    shares: np.ndarray


def chances(boards: Boards, sets: np.ndarray) -> np.ndarray:
    """The chance of each of the 64 squares to be in a set that every board has one of."""
    octets = np.ascontiguousarray(sets).view(np.uint8).reshape(len(sets), 8)
    return np.asarray(boards.shares @ np.unpackbits(octets, axis=1, bitorder="little"))


PIECE = "piece"  # what is no pawn and no king


def belief_in(boards: Boards, colour: int) -> dict[str, list[float]]:
    """The chance of every kind of man of a colour, and of a piece of any kind, for the 64 squares from a1 to h8."""
    theirs = boards.cells[:, MEN + colour]
    maps = {name: chances(boards, boards.cells[:, kind] & theirs) for kind, name in enumerate(NAMES)}
    maps[PIECE] = np.sum([maps[NAMES[kind]] for kind in range(KNIGHT, KING)], axis=0)
    return {name: [round(float(chance), DIGITS) for chance in row] for name, row in maps.items()}


def percent(chance: float) -> str:
    """A chance in words: `62 %`."""
    if 0 < chance < 0.01:
        return "under 1 %"
    return "over 99 %" if 0.99 < chance < 0.9999 else f"{100 * chance:.0f} %"


def listed(found: Sequence[tuple[str, float]]) -> str:
    """Names with their chances, the likeliest first: `g8 62 %, h8 20 % and 3 more`."""
    ranked = sorted((one for one in found if one[1] > 0), key=lambda one: -one[1])
    words = ", ".join(f"{name} {percent(chance)}" for name, chance in ranked[:SHOWN])
    return f"{words} and {len(ranked) - SHOWN} more" if len(ranked) > SHOWN else words


def imply(seen: np.ndarray, boards: Boards, kings: int | None = None) -> Iterator[str]:
    """List the knowledge at a decision, one sentence each; `kings` is the exact set of squares of a lone king."""
    if len(boards.cells) == 0:
        yield "The engine has no board in mind that explains all that was said"
        return
    likely = likeliest(boards)
    yield of_king(seen, boards) if kings is None else of_lone_king(kings)
    message = last_message(seen)
    if message[TAKEN]:
        yield of_taker(seen, boards, message[SQUARE])
    if message[CHECKS]:
        yield from of_checks(seen, likely, message[CHECKS])
    if message[TRIES]:
        yield of_tries(seen, likely, message[TRIES])
    for move in refused_moves(seen):
        yield from of_refusal(seen, boards, move)


def likeliest(boards: Boards) -> Boards:
    """The boards with the greatest shares, as many as can be looked at one by one."""
    order = np.argsort(-boards.shares, kind="stable")[:LOOKED_AT]
    shares = boards.shares[order]
    return Boards(boards.cells[order], shares / shares.sum())


def of_king(seen: np.ndarray, boards: Boards) -> str:
    """Describe the possible squares of the other king."""
    theirs = boards.cells[:, MEN + 1 - seen[rules.SEEN_PLAYER]]
    where = chances(boards, boards.cells[:, KING] & theirs)
    squares = [(square_name(square), float(where[square])) for square in range(64)]
    many = sum(chance > 0 for _, chance in squares)
    if many == 1:
        return f"The other king is on {listed(squares).split()[0]} on all boards"
    return f"The other king is on one of {many} squares: {listed(squares)}"


def of_lone_king(kings: int) -> str:
    """Describe the possible squares of a king that has lost all its men."""
    squares = squares_in(kings)
    where = squares[0] if len(squares) == 1 else f"one of {len(squares)} squares: {', '.join(squares)}"
    return f"The other king stands alone, on {where}"


def of_taker(seen: np.ndarray, boards: Boards, square: int) -> str:
    """Describe the possible capturer of an own man."""
    there = bit(square)
    kinds = [(name, float(boards.shares @ ((boards.cells[:, kind] & there) != 0))) for kind, name in enumerate(NAMES)]
    if not any(chance for _, chance in kinds):
        return f"A man was lost on {square_name(square)}, and the taker stands elsewhere (en passant)"
    return f"What took on {square_name(square)} is a man of this kind: {listed(kinds)}"


def of_checks(seen: np.ndarray, boards: Boards, checks: int) -> Iterator[str]:
    """Describe the men that give check."""
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
    """Describe the own pawns that can take."""
    pawns, limits = int(seen[rules.SEEN_MEN + PAWN]), np.empty(LIMITS, np.int64)
    captures = {
        (start_of(move), end_of(move)): move
        for move in Decision(seen, None).actions
        if pawns >> start_of(move) & 1 and (end_of(move) - start_of(move)) % 8
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
    """Describe the possible obstacle of a refused attempt; captures by pawns, knights and the king are left out."""
    start, end = start_of(move), end_of(move)
    pushed = int(seen[rules.SEEN_MEN + PAWN]) >> start & 1 and (end - start) % 8 == 0
    way = int(BETWEEN[start, end] | (bit(end) if pushed else 0)) % 2**64
    where = chances(boards, boards.cells[:, MEN + 1 - seen[rules.SEEN_PLAYER]])
    names = listed([(square_name(square), float(where[square])) for square in range(64) if way >> square & 1])
    if names:
        yield f"{move_name(move)} was refused; chances of a man in its way: {names}"
