"""The rules of a house: a rule set, and the switches that houses differ in."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from ..core.untrusted_input import JsonRecord
from .game import rule_sets
from .game.rule_sets import ICC, RULE_SETS, find_rule_set, rule_set_of

WORDS = {"promotion_tries": ("once", "per_piece"), "passant_square": ("victim", "arrival")}
FLAGS = ("fifty", "repetition", "material")


@dataclass(frozen=True)
class HouseRules(JsonRecord):
    """The rules that houses differ in."""

    KEYS = ("promotion_tries", "passant_square", "fifty", "repetition", "material", "rules")

    promotion_tries: str = "once"  # a capture by which a pawn promotes is one try (`once`) or four (`per_piece`)
    passant_square: str = "victim"
    fifty: bool = True  # a hundred plies without a capture or a pawn move are a draw
    repetition: bool = True  # the third occurrence of a position is a draw
    material: bool = True  # men that cannot mate are a draw
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
        """The rule set and the switches as the rules keep them."""
        return (
            RULE_SETS[self.rules].bits
            | rule_sets.PROMOTIONS_COUNT_FOUR * (self.promotion_tries == "per_piece")
            | rule_sets.PASSANT_AT_ARRIVAL * (self.passant_square == "arrival")
            | rule_sets.NO_FIFTY * (not self.fifty)
            | rule_sets.NO_REPETITION * (not self.repetition)
            | rule_sets.NO_MATERIAL * (not self.material)
        )

    @classmethod
    def from_bits(cls, bits: int) -> Self:
        """The rules that a state or a view keeps."""
        return cls(
            "per_piece" if bits & rule_sets.PROMOTIONS_COUNT_FOUR else "once",
            "arrival" if bits & rule_sets.PASSANT_AT_ARRIVAL else "victim",
            not bits & rule_sets.NO_FIFTY,
            not bits & rule_sets.NO_REPETITION,
            not bits & rule_sets.NO_MATERIAL,
            rule_set_of(bits).name,
        )

    @classmethod
    def usual(cls, rules: str, chosen: Mapping[str, Any] | None = None) -> Self:
        """A rule set with its usual switches, but for those that are chosen; what is None is not."""
        found = find_rule_set(rules)
        usual = {"fifty": found.fifty, "repetition": found.repetition, "passant_square": found.passant_square}
        own = {name: value for name, value in (chosen or {}).items() if value is not None}
        return cls.from_json({**usual, **own, "rules": found.name})

    def to_json(self) -> dict[str, bool | str]:
        """The switches by name; the rules of the Internet Chess Club go without saying."""
        kept = super().to_json()
        rules = kept.pop("rules")
        return kept if rules == ICC else {"rules": rules, **kept}

    @property
    def chosen(self) -> dict[str, bool | str]:
        """The switches that are not the usual ones of the rule set."""
        usual = type(self).usual(self.rules).to_json()
        return {name: value for name, value in self.to_json().items() if value != usual[name]}


WILD_16 = HouseRules()
