"""Kriegspiel rule sets by name: the referee's announcements under each, and their default switches."""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Self

from ...core.compile.kernel import kernel
from ...core.untrusted_input import JsonRecord
from ...games.chess.bitboards import NO_SQUARE, PAWN, bit
from ...games.chess.moves import restrict
from ...games.chess.position import end_of, victim_square
from .attempts import (
    CHECKS,
    MAN_TAKEN,
    NOTHING_TAKEN,
    PASSANT_TAKEN,
    PAWN_TAKEN,
    PIECE_TAKEN,
    SQUARE,
    TAKEN,
    TRIES,
    capturing_pawns,
    directions,
    pawn_tries,
)

# Announcements of the referee under each rule set, and the test of a board against them.
#
# A rule set is a set of the bits below; without any of them the rules are those of the Internet Chess Club. The referee
# and every belief use the same kernels: a board fits if the referee would announce exactly the received messages.

# Switches, in which house rules differ.
PROMOTIONS_COUNT_FOUR, PASSANT_AT_ARRIVAL, NO_FIFTY, NO_REPETITION, NO_MATERIAL = 1, 2, 4, 8, 16
# Captured kinds are not announced; tries are not announced, or only their existence, or by squares.
KIND_HIDDEN, TRIES_HIDDEN, TRIES_YES_NO, TRIES_BY_SQUARE = 32, 64, 128, 256
# A side may ask whether its pawns can capture; if so it must capture with one, not only try; refusals are public.
MAY_ASK, MUST_TAKE, REFUSALS_HEARD = 512, 1024, 2048
# Promotions and captures en passant are announced; stalemate loses; only 2,000 quiet plies are a draw.
PROMOTION_SAID, PASSANT_SAID, STALEMATE_LOSES, LONG_LIMIT = 4096, 8192, 16384, 32768
TRIES_OTHERWISE = TRIES_HIDDEN | TRIES_YES_NO | TRIES_BY_SQUARE
# The bits that make a rule set, without the switches.
RULE_SET = ~(PROMOTIONS_COUNT_FOUR | PASSANT_AT_ARRIVAL | NO_FIFTY | NO_REPETITION | NO_MATERIAL) & 0xFFFF
# Numbers of tries in a belief that was not told the number: nothing announced, or only their existence.
UNKNOWN, SOME = -1, -2


@kernel
def announced_kind(board, victim, end, switches):
    """Return the announcement about the man on `victim`, about to be captured by a move to `end`."""
    if switches & PASSANT_SAID and victim != end:
        return PASSANT_TAKEN
    if switches & KIND_HIDDEN:
        return MAN_TAKEN
    return PAWN_TAKEN if board[PAWN] & bit(victim) else PIECE_TAKEN


@kernel
def announce_capture(board, move, switches, out):
    """Write the announcement about the man that a legal move is about to capture, or its absence."""
    victim, end = victim_square(board, move), end_of(move)
    out[TAKEN], out[SQUARE] = NOTHING_TAKEN, NO_SQUARE
    if victim != NO_SQUARE:
        out[TAKEN] = announced_kind(board, victim, end, switches)
        out[SQUARE] = end if switches & PASSANT_AT_ARRIVAL else victim


@kernel
def announced_tries(board, limits, switches):
    """Return the announcement about pawn captures: a number, 0 or 1, a set of pawns, or nothing."""
    if switches & TRIES_OTHERWISE == 0:
        return pawn_tries(board, limits, switches & PROMOTIONS_COUNT_FOUR)
    if switches & TRIES_HIDDEN:
        return 0
    takers = capturing_pawns(board, limits)
    return takers if switches & TRIES_BY_SQUARE else 1 if takers else 0


@kernel
def fits_capture(board, move, message, switches):
    """True if the announced capture fits a legal move that is about to be made."""
    victim = victim_square(board, move)
    if victim == NO_SQUARE:
        return message[TAKEN] == NOTHING_TAKEN
    end = end_of(move)
    if message[SQUARE] != (end if switches & PASSANT_AT_ARRIVAL else victim):
        return False
    return message[TAKEN] == announced_kind(board, victim, end, switches)


@kernel
def fits_position(board, message, limits, switches):
    """True if the announced checks and tries fit a board after the move; fill in the limits."""
    restrict(board, limits)
    return directions(board, limits) == message[CHECKS] and announced_tries(board, limits, switches) == message[TRIES]


@kernel
def known_tries(message, switches):
    """Return the number of tries by a message, or UNKNOWN or SOME."""
    if switches & TRIES_HIDDEN:
        return UNKNOWN
    if switches & TRIES_OTHERWISE and message[TRIES] != 0:
        return SOME
    return message[TRIES]


@kernel
def tries_fit(tries, known):
    return known == UNKNOWN or (tries > 0 if known == SOME else tries == known)


ICC = "icc"
NEAR = 0.5  # minimum similarity of a suggested name


@dataclass(frozen=True)
class RuleSet:
    name: str
    title: str
    about: str  # one sentence for people
    bits: int
    fifty: bool = True  # true if fifty quiet moves are a draw by default
    repetition: bool = True
    passant_square: str = "victim"


RULE_SETS = {
    found.name: found
    for found in (
        RuleSet(
            ICC,
            "ICC",
            "captures by pawn or piece, the number of pawn tries, refused attempts in private",
            0,
        ),
        RuleSet(
            "berkeley",
            "Berkeley",
            "captures by their square alone, nothing about pawn captures; both hear of refused attempts",
            KIND_HIDDEN | TRIES_HIDDEN | REFUSALS_HEARD | LONG_LIMIT,
            fifty=False,
            repetition=False,
        ),
        RuleSet(
            "berkeley-any",
            "Berkeley + Any",
            "as Berkeley, but the mover may ask whether any pawn can take, and then must take with one",
            KIND_HIDDEN | TRIES_HIDDEN | REFUSALS_HEARD | LONG_LIMIT | MAY_ASK | MUST_TAKE,
            fifty=False,
            repetition=False,
        ),
        RuleSet(
            "cincinnati",
            "Cincinnati",
            "captures by pawn or piece, whether any pawn can take; both hear of refused attempts",
            TRIES_YES_NO | REFUSALS_HEARD,
        ),
        RuleSet(
            "rand",
            "RAND",
            "captures by pawn or piece, the squares of pawns that can take, promotions; stalemate loses; both hear of "
            "refused attempts",
            TRIES_BY_SQUARE | REFUSALS_HEARD | PROMOTION_SAID | STALEMATE_LOSES,
        ),
        RuleSet(
            "english",
            "English",
            "captures by their square alone and en passant as such; the mover may ask whether any pawn can take, and "
            "then must try one capture; both hear of refused attempts",
            KIND_HIDDEN | TRIES_HIDDEN | REFUSALS_HEARD | MAY_ASK | PASSANT_SAID,
            repetition=False,
            passant_square="arrival",
        ),
    )
}


def find_rule_set(name: str) -> RuleSet:
    """Return the rule set of that name; suggest similar names in a ValueError."""
    words = name.strip().lower().replace("+", " ").replace("_", " ")
    found = RULE_SETS.get("-".join(words.replace("-", " ").split()))
    if found is None:
        near = get_close_matches(words, RULE_SETS, n=2, cutoff=NEAR)
        meant = f"did you mean {' or '.join(near)}? " if near else ""
        raise ValueError(f"there are no Kriegspiel rules {name[:40]!r}: {meant}there are {', '.join(RULE_SETS)}")
    return found


def rule_set_of(switches: int) -> RuleSet:
    return next(found for found in RULE_SETS.values() if found.bits == switches & RULE_SET)


# House rules: a rule set, and the switches in which houses differ.

WORDS = {"promotion_tries": ("once", "per_piece"), "passant_square": ("victim", "arrival")}
FLAGS = ("fifty", "repetition", "material")


@dataclass(frozen=True)
class HouseRules(JsonRecord):
    """House rules: the rule set and its switches."""

    KEYS = ("promotion_tries", "passant_square", "fifty", "repetition", "material", "rules")

    promotion_tries: str = "once"  # a promoting capture is one try (`once`) or four (`per_piece`)
    passant_square: str = "victim"
    fifty: bool = True  # a hundred plies without a capture or a pawn move are a draw
    repetition: bool = True  # the third occurrence of a position is a draw
    material: bool = True  # insufficient mating material is a draw
    rules: str = ICC  # the name of the rule set

    def __post_init__(self) -> None:
        given = super().to_json()
        for name, values in WORDS.items():
            if given[name] not in values:
                raise ValueError(f"{name} is {given[name]!r}: it must be {' or '.join(values)}")
        for name in FLAGS:
            if not isinstance(given[name], bool):
                raise ValueError(f"{name} is {given[name]!r}: it must be true or false")
        if self.rules not in RULE_SETS:
            find_rule_set(self.rules)
            raise ValueError(f"rules is {self.rules!r}: it must be one of {', '.join(RULE_SETS)}")
        if self.promotion_tries != "once" and self.rules != ICC:
            raise ValueError(f"promotion_tries is for the rules {ICC}, which count tries: leave it out here")

    @property
    def bits(self) -> int:
        """The rule set and the switches as stored in states."""
        return (
            RULE_SETS[self.rules].bits
            | PROMOTIONS_COUNT_FOUR * (self.promotion_tries == "per_piece")
            | PASSANT_AT_ARRIVAL * (self.passant_square == "arrival")
            | NO_FIFTY * (not self.fifty)
            | NO_REPETITION * (not self.repetition)
            | NO_MATERIAL * (not self.material)
        )

    @classmethod
    def from_bits(cls, bits: int) -> Self:
        return cls(
            "per_piece" if bits & PROMOTIONS_COUNT_FOUR else "once",
            "arrival" if bits & PASSANT_AT_ARRIVAL else "victim",
            not bits & NO_FIFTY,
            not bits & NO_REPETITION,
            not bits & NO_MATERIAL,
            rule_set_of(bits).name,
        )

    @classmethod
    def usual(cls, rules: str, chosen: Mapping[str, Any] | None = None) -> Self:
        """Return a rule set with its default switches, except those chosen; None means not chosen."""
        found = find_rule_set(rules)
        usual = {"fifty": found.fifty, "repetition": found.repetition, "passant_square": found.passant_square}
        own = {name: value for name, value in (chosen or {}).items() if value is not None}
        return cls.from_json({**usual, **own, "rules": found.name})

    def to_json(self) -> dict[str, bool | str]:
        """Return the switches by name; the rules of the Internet Chess Club are omitted."""
        kept = super().to_json()
        rules = kept.pop("rules")
        return kept if rules == ICC else {"rules": rules, **kept}

    @property
    def chosen(self) -> dict[str, bool | str]:
        """The switches that differ from the defaults of the rule set."""
        usual = type(self).usual(self.rules).to_json()
        return {name: value for name, value in self.to_json().items() if value != usual[name]}


WILD_16 = HouseRules()
