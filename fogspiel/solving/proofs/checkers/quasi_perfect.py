"""Checker of the claim that two strategies are quasi-perfect (van Damme 1984), part of a refined tree certificate.

    "quasi_perfect": [[tremble, ..], [tremble, ..]]

A tremble is a row of `checkers.tree` with "plan" in place of "probabilities": for each action the probability that the
player takes it and all its own earlier actions, a polynomial in e as a list of fractions, the coefficient of e^0 first.
For small e > 0 all are positive, and they add up to the polynomial of the action before. There is a tremble at every
information state of the player. For e -> 0 they tend to the strategies of the certificate. Each action that these
take is a best one for all small e: against the opponent's polynomials, if the player makes no error from there on.
Polynomials are compared by their first coefficients that differ.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import zip_longest
from typing import Any

from ....core.game import CHANCE, OVER
from .primitives import demand, fraction, go_on
from .tree import SIDES, Positions, Rows, parts_of_row

MAX_DEGREE = 1_000
Polynomial = tuple[Fraction, ...]
ONE: Polynomial = (Fraction(1),)
Trembles = dict[tuple[Any, ...], tuple[int, dict[int, Polynomial]]]


def check_quasi_perfect(game: Positions, sides: Any, plans: Sequence[Rows]) -> None:
    """Raise ValueError unless strategies at all information states are quasi-perfect by these trembles."""
    demand(isinstance(sides, list) and len(sides) == len(SIDES), "it must hold the trembles of two strategies")
    trembles = [trembles_of(rows, plan, side) for rows, plan, side in zip(sides, plans, SIDES, strict=True)]
    for player in range(len(SIDES)):
        check_responses(game, player, trembles[1 - player], plans[player])


def trembles_of(rows: Any, plan: Rows, side: str) -> Trembles:
    """Return the polynomials of a player, which must be a completely mixed plan that tends to its strategy."""
    demand(isinstance(rows, list), f"the trembles of the {side} player are not a list of rows")
    found: Trembles = {}
    reached: dict[tuple[int, int] | None, Polynomial] = {None: ONE}
    for number, row in enumerate(rows):
        go_on()
        place = f"tremble {number} of the {side} player"
        key, actions, listed = parts_of_row(row, "plan", place)
        shares = [polynomial(coefficients, place) for coefficients in listed]
        demand(all(sign(share) > 0 for share in shares), f"a polynomial in {place} is not positive for small e")
        demand(key[0] in reached, f"{place} comes after no earlier one")
        demand(added(shares) == trimmed(reached[key[0]]), f"the polynomials in {place} do not add up to the one before")
        demand(key in plan and key not in found, f"{place} repeats an earlier one or has no row in the strategy")
        own, probabilities = plan[key]
        demand(own == number and list(probabilities) == actions, f"{place} is not that of the same row of the strategy")
        leading = next(row for row in zip_longest(*shares, fillvalue=Fraction(0)) if any(row))
        limits = [share / sum(leading) for share in leading]
        demand(limits == list(probabilities.values()), f"{place} does not tend to the strategy")
        found[key] = number, dict(zip(actions, shares, strict=True))
        reached |= {(number, action): share for action, share in found[key][1].items()}
    demand(len(found) == len(plan), f"the {side} player has rows without trembles")
    return found


def polynomial(coefficients: Any, place: str) -> Polynomial:
    lists = isinstance(coefficients, list) and 0 < len(coefficients) <= MAX_DEGREE
    demand(lists, f"{place} has a polynomial that is no list of coefficients")
    return tuple(fraction(coefficient, f"a coefficient in {place}") for coefficient in coefficients)


def trimmed(share: Sequence[Fraction]) -> Polynomial:
    """Return a polynomial without zeros at its end."""
    return tuple(share[: max((power + 1 for power, number in enumerate(share) if number), default=0)])


def added(shares: Sequence[Polynomial]) -> Polynomial:
    return trimmed([sum(row, Fraction(0)) for row in zip_longest(*shares, fillvalue=Fraction(0))])


def sign(share: Sequence[Fraction]) -> Fraction:
    """Return the first coefficient other than 0, which has the sign of the polynomial for small e."""
    return next(filter(None, share), Fraction(0))


def check_responses(game: Positions, player: int, theirs: Trembles, mine: Rows) -> None:
    """Require that a strategy takes best actions only, against the polynomials of the opponent."""
    degree = max((len(share) for _, shares in theirs.values() for share in shares.values()), default=1)
    side, other, used = SIDES[player], SIDES[1 - player], set()
    better = max if player == 0 else min

    def value(waiting: list[tuple[Any, Fraction, Any, Polynomial]], decision: Any) -> list[Fraction]:
        """Return the value of histories that the player cannot tell apart, with the opponent's last decision."""
        worth, groups = [Fraction(0)] * degree, defaultdict(list)
        while waiting:
            go_on()
            position, weight, last, share = waiting.pop()
            look = game.look(position)
            if look.mover == OVER:
                for power, coefficient in enumerate(share):
                    worth[power] += weight * look.payoff * coefficient
            elif look.mover == player:
                row_of(mine, decision, look.view, look.actions, side)
                groups[look.view].append((position, weight, last, share))
            elif look.mover == CHANCE:
                for action, chance in zip(look.actions, look.chances, strict=True):
                    waiting.append((game.after(position, action), weight * chance, last, share))
            else:
                number, shares = row_of(theirs, last, look.view, look.actions, other)
                for action, reach in shares.items():
                    waiting.append((game.after(position, action), weight, (number, action), reach))
        for view, group in groups.items():
            number, probabilities = mine[decision, view]
            used.add(number)
            values = {
                action: value([(game.after(p, action), w, d, s) for p, w, d, s in group], (number, action))
                for action in probabilities
            }
            best = better(values.values())
            worse = [action for action, chance in probabilities.items() if chance and values[action] != best]
            demand(not worse, f"row {number} of the {side} player is not best against errors of the opponent")
            worth = [one + two for one, two in zip(worth, best, strict=True)]
        return worth

    value([(game.root(), Fraction(1), None, ONE)], None)
    demand(len(used) == len(mine), f"the {side} player has rows that are no information states")


def row_of(rows: Mapping[Any, Any], decision: Any, view: tuple[int, ...], actions: list[int], side: str) -> Any:
    demand((decision, view) in rows, f"the {side} player has no row for {view}")
    number, shares = rows[decision, view]
    demand(list(shares) == actions, f"row {number} of the {side} player has other actions")
    return number, shares
