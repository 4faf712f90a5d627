"""The rule sets of Kriegspiel by name: what the referee says under each, and the switches that are usual there."""

from dataclasses import dataclass
from difflib import get_close_matches

from .announcements import (
    KIND_HIDDEN,
    LONG_LIMIT,
    MAY_ASK,
    MUST_TAKE,
    PASSANT_SAID,
    PROMOTION_SAID,
    REFUSALS_HEARD,
    RULE_SET,
    STALEMATE_LOSES,
    TRIES_BY_SQUARE,
    TRIES_HIDDEN,
    TRIES_YES_NO,
)

ICC = "icc"
NEAR = 0.5  # how similar a name must be to be suggested


@dataclass(frozen=True)
class RuleSet:
    """A rule set."""

    name: str
    title: str
    about: str  # in a sentence for people
    bits: int
    fifty: bool = True  # true if fifty quiet moves are usually a draw
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
    """The rule set of that name, or a ValueError with similar names."""
    words = name.strip().lower().replace("+", " ").replace("_", " ")
    found = RULE_SETS.get("-".join(words.replace("-", " ").split()))
    if found is None:
        near = get_close_matches(words, RULE_SETS, n=2, cutoff=NEAR)
        meant = f"did you mean {' or '.join(near)}? " if near else ""
        raise ValueError(f"there are no Kriegspiel rules {name[:40]!r}: {meant}there are {', '.join(RULE_SETS)}")
    return found


def rule_set_of(switches: int) -> RuleSet:
    """The rule set that a state or a view has among its switches."""
    return next(found for found in RULE_SETS.values() if found.bits == switches & RULE_SET)
