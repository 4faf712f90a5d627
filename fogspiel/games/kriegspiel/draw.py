"""Kriegspiel: the own men and the referee's words; for the umpire all men."""

from collections.abc import Sequence

import numpy as np

from ...core.game import Game
from ...core.picture import Chess, Parts
from ..chess.fen import LETTERS, SIDES, square_name
from ..chess.men import KINDS, KING, PAWN
from ..chess.messages import CHECKS, MESSAGE, SQUARE, TAKEN, TRIES
from ..chess.position import MEN, MOVER, PLY
from ..chess.words import directions_in
from . import rules
from .announcements import KIND_HIDDEN, TRIES_OTHERWISE
from .words import ANSWERS, ENDINGS, last_message, question_words, recent_messages, refused_in, refused_names

SQUARES = 64
PAWNS, PIECES = 8, 7  # what a side has at the start besides its king


def letters(men: Sequence[int], whites: int) -> str:
    """Return the men on a1 to h8 as letters; White's are capitals."""
    found = ["."] * SQUARES
    for kind, letter in enumerate(LETTERS):
        for square in range(SQUARES):
            if int(men[kind]) >> square & 1:
                found[square] = letter.upper() if int(whites) >> square & 1 else letter
    return "".join(found)


def taken_on(messages: Sequence[np.ndarray]) -> str:
    """The square of the latest capture of these messages, the latest first."""
    return next((square_name(int(message[SQUARE])) for message in messages if message[TAKEN]), "")


def _many(men: np.ndarray) -> list[int]:
    return [(int(there) % 2**SQUARES).bit_count() for there in men]


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    """Draw the board and messages as one side sees and hears them."""
    player, mover, switches = (int(seen[cell]) for cell in (rules.SEEN_PLAYER, rules.SEEN_MOVER, rules.SEEN_SWITCHES))
    men = seen[rules.SEEN_MEN : rules.SEEN_MEN + KINDS]
    own, other = (seen[at : at + MESSAGE] for at in (rules.SEEN_OWN, rules.SEEN_OTHER))
    end, turn = int(seen[rules.SEEN_END]), mover == player
    words = [f"{line}." for line in (*recent_messages(seen), *question_words(seen))]
    if end:
        words.append(f"The game is over: {ENDINGS[end]}.")
    many = _many(men)
    counts = (
        ("your pawns", many[PAWN]),
        ("your pieces", sum(many) - many[PAWN] - many[KING]),
        *_left_of_other(seen),
    )
    listens = turn and not end
    return (
        Chess(
            men=letters(men.tolist(), -1 if player == 0 else 0),
            side=player,
            turn=listens,
            refused=refused_in(seen),
            tries=int(other[TRIES]) if listens and not switches & TRIES_OTHERWISE else 0,
            checks=tuple(directions_in(int(other[CHECKS]))) if turn else (),
            captured=taken_on([other, own] if turn else [own, other]),
            words=tuple(words),
            counts=counts,
            over=bool(end),
            answer=ANSWERS.get(int(seen[rules.SEEN_TURN + rules.ANSWER]), "") if listens else "",
        ),
    )


def _left_of_other(seen: np.ndarray) -> tuple[tuple[str, int], ...]:
    """Describe the announced remaining men of the opponent besides its king."""
    pawns, pieces = (int(cell) for cell in seen[rules.SEEN_TAKEN + 2 : rules.SEEN_TAKEN + 4])
    if seen[rules.SEEN_SWITCHES] & KIND_HIDDEN:
        return (("the other's pawns and pieces", PAWNS + PIECES - pieces),)
    return (
        ("the other's pawns", PAWNS - pawns - max(pieces - PIECES, 0)),
        ("the other's pieces", max(PIECES - pieces, 0)),
    )


def draw_state(game: Game, state: np.ndarray) -> Parts:
    """All men, as the umpire sees them."""
    mover, end = int(state[MOVER]), int(state[rules.END])
    messages = [state[rules.SAID + MESSAGE * colour :][:MESSAGE] for colour in (1 - mover, mover)]
    words = [f"{last_message(state)}."] if state[PLY] else []
    if end:
        words.append(f"The game is over: {ENDINGS[end]}.")
    counts = []
    for colour, name in enumerate(SIDES):
        many = _many(state[:KINDS] & state[MEN + colour])
        counts += [(f"{name}'s pawns", many[PAWN]), (f"{name}'s pieces", sum(many) - many[PAWN] - many[KING])]
    return (
        Chess(
            men=letters(state[:KINDS].tolist(), int(state[MEN])),
            side=0,
            turn=False,
            refused=refused_names(state[rules.REFUSED : rules.REFUSED + SQUARES]),
            tries=0 if state[rules.SWITCHES] & TRIES_OTHERWISE else int(messages[0][TRIES]),
            checks=tuple(directions_in(int(messages[0][CHECKS]))),
            captured=taken_on(messages),
            words=tuple(words),
            counts=tuple(counts),
            over=bool(end),
        ),
    )
