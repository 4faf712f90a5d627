"""The strategies of a certificate, decision by decision: what the player sees, each action with its probability, reach.

Reach is the player's own part: the probability that it plays so as to get there, if chance and the other player let it.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from ..solving.proofs.certificate_files import problem_of
from ..solving.proofs.checkers.primitives import MOST_SECONDS, demand, limit_work
from ..solving.proofs.checkers.tree import FORMAT, SIDES, plan_of

PAGE = 40
"""Decisions on one page."""
LONG = 12
"""Letters of a fraction from which on it is shown as a decimal number."""


class Share(NamedTuple):
    """An action with its probability, for people and as a number."""

    action: str
    words: str
    number: float


class StrategyRow(NamedTuple):
    """What a player sees, after which own action, what it does then, and how likely its own play leads there."""

    number: int
    before: int | None
    """The number of its own decision before that one."""
    did: str
    """What it did there."""
    sees: str
    shares: tuple[Share, ...]
    reach: float

    @property
    def mixed(self) -> bool:
        """Whether chance has a part in what it does."""
        return sum(share.number > 0 for share in self.shares) > 1


class DecisionPage(NamedTuple):
    """Some decisions of one player, and how many there are."""

    side: int
    decisions: Sequence[StrategyRow]
    found: int
    total: int
    number: int
    pages: int


def has_rows(certificate: Mapping[str, Any]) -> bool:
    """Whether a certificate lists decisions one by one."""
    return certificate.get("format") == FORMAT


def decisions_of(certificate: Mapping[str, Any], side: int) -> list[StrategyRow]:
    """Every decision of one player, earlier ones before those that follow from them."""
    problem, rows = problem_of(certificate, None), certificate["strategies"][side]
    found: list[StrategyRow] = []
    with limit_work(MOST_SECONDS):
        plans = plan_of(rows, SIDES[side]).values()
    for number, (row, (_, plan)) in enumerate(zip(rows, plans, strict=True)):
        seen, names = problem.words(row["view"], row["actions"])
        after, before, reach = row["after"], None, 1.0
        if after is not None:
            place = after[0]
            demand(0 <= place < number, f"row {number} of the {SIDES[side]} player comes after no earlier row")
            before = found[place]
            earlier = rows[place]["actions"].index(after[1])
            reach = before.reach * before.shares[earlier].number
        shares = tuple(
            Share(name, _words(plan[act]), float(plan[act])) for name, act in zip(names, row["actions"], strict=True)
        )
        did = before.shares[earlier].action if before is not None else ""
        lines = "\n".join(line.rstrip() for line in seen.splitlines() if line.strip())
        found.append(StrategyRow(number + 1, before and before.number, did, lines, shares, reach))
    return found


def page_of(decisions: Sequence[StrategyRow], side: int, words: str, order: str, number: int) -> DecisionPage:
    """The decisions that have all these words in what is seen or done, a page of them."""
    wanted = words.casefold().split()

    def passes(decision: StrategyRow) -> bool:
        text = " ".join((decision.sees, decision.did, *(share.action for share in decision.shares if share.number)))
        return all(word in text.casefold() for word in wanted)

    found = [decision for decision in decisions if passes(decision) and (order != "mixed" or decision.mixed)]
    if order == "reach":
        found.sort(key=lambda decision: -decision.reach)
    pages = max(1, -(-len(found) // PAGE))
    number = min(number, pages)
    shown = found[(number - 1) * PAGE : number * PAGE]
    return DecisionPage(side, shown, len(found), len(decisions), number, pages)


def _words(share: Fraction) -> str:
    """A probability as people read it."""
    return str(share) if len(str(share)) < LONG else f"{float(share):.6f}"
