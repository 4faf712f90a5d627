"""Checker of refutations of sure wins at phantom ponnuki, with its own rules and no code shared with the search.

    {"format": "fogspiel refutation 1", "game": "phantom-ponnuki-5x5", "lower": "0", "upper": "..",
     "opening": 12, "beliefs": [[own, world, ..], ..], "digest": ".."}

A belief is Black's stones and possible sets of White's stones, as many as Black's, with Black to move. Sets of stones
are integers, bit row * columns + column for each cell. The certificate states that Black has no sure win from any of
its beliefs: for every strategy there are a world and replies by which White does not lose.

A belief is refuted by earlier ones, in any orientation of the board. It suffices that for every cell at which Black's
stone is legal in some of the worlds, White survives it in one of these ways:

- Among the worlds in which the game continues, each followed by any legal reply, are all worlds of an earlier belief.
- White wins at once, or with perfect information, in one of the worlds. A small search finds this.

Illegal tries need no proof. Black makes the same tries in all worlds of a belief up to the first one that is legal in
some of them, and from there on White survives in these. Without such a try Black has lost.

The last belief is the claim: no sure win in the whole game (no stones), or after an opening that White knows (one
stone, and some first stones of White). It bounds Black's value: each pure strategy loses to some world and replies,
and White hits these if it chooses among the worlds and its free cells at random. "upper" is 1 - 1 / the number of
choices.

"opening" is null, or in the whole game a cell from which Black wins with perfect information. Then Black's random play
after it happens to be perfect with probability 1 / the number of its choices (Lemma 4 of Teytaud and Teytaud 2011),
which is "lower". Otherwise "lower" is 0.

Rules: a stone that captures wins; suicide without capture is illegal, and announced like an occupied cell; a player
without a legal move loses; no passes.
"""

import re
from collections.abc import Iterator
from fractions import Fraction
from math import prod
from typing import Any

from .primitives import (
    Bounds,
    Certificate,
    cells_of,
    check_digest,
    check_head,
    demand,
    go_on,
    probability,
    quoted,
    turns_of,
)

FORMAT = "fogspiel refutation 1"
GAME = re.compile(r"phantom-ponnuki-([2-9])x([2-9])")
MAX_CELLS = 36
MAX_WORLDS = 200_000  # of all beliefs together; 5x5 has 4,500
BUDGETS = (16, 256, 4096)  # positions of the small search per world, in rounds
MAX_KNOWN = 1 << 20  # positions that the small search remembers
OPENING_BUDGET = 10**8  # positions after the opening; C3 on 5x5 has 190,000


class RefutationCertificate(Certificate):
    opening: int | None
    beliefs: list[list[int]]


class Rules:
    """Ponnuki on sets of stones: the results of a stone, and perfect information within a budget of positions."""

    def __init__(self, rows: int, columns: int) -> None:
        self.cells, self.turns = rows * columns, turns_of(rows, columns)
        self.near = []
        for row in range(rows):
            for column in range(columns):
                beside = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
                self.near.append(sum(1 << r * columns + c for r, c in beside if 0 <= r < rows and 0 <= c < columns))
        self.full, self.left = (1 << self.cells) - 1, 0
        self.known: dict[tuple[int, int], bool] = {}  # by stones of the player to move and of the opponent

    def chain(self, stone: int, stones: int) -> tuple[int, int]:
        """Return the chain of a stone, and all cells beside its stones."""
        chain, front, around = 0, stone, 0
        while front:
            chain |= front
            while front:
                low = front & -front
                around |= self.near[low.bit_length() - 1]
                front ^= low
            front = around & stones & ~chain
        return chain, around

    def last_liberties(self, stones: int, empty: int) -> int:
        """Return the liberties of all chains in atari."""
        found = 0
        while stones:
            chain, around = self.chain(stones & -stones, stones)
            stones &= ~chain
            free = around & empty
            if free & (free - 1) == 0:
                found |= free
        return found

    def captures(self, own: int, other: int, bit: int) -> bool:
        empty, beside = self.full & ~(own | other | bit), self.near[bit.bit_length() - 1] & other
        while beside:
            chain, around = self.chain(beside & -beside, other)
            if not around & empty:
                return True
            beside &= ~chain
        return False

    def is_legal(self, own: int, other: int, bit: int) -> bool:
        if (own | other) & bit:
            return False
        return bool(self.chain(bit, own | bit)[1] & ~(own | other | bit)) or self.captures(own, other, bit)

    def can_move(self, own: int, other: int) -> bool:
        return any(self.is_legal(own, other, 1 << cell) for cell in cells_of(self.full & ~(own | other)))

    def replies(self, own: int, other: int) -> Iterator[int]:
        """Yield the sets of stones of the player to move after each of its stones by which nobody has won."""
        for cell in cells_of(self.full & ~(own | other)):
            bit = 1 << cell
            if (
                self.is_legal(own, other, bit)
                and not self.captures(own, other, bit)
                and self.can_move(other, own | bit)
            ):
                yield own | bit

    def wins(self, own: int, other: int, budget: int) -> bool:
        """True if the player to move is shown to win with perfect information by a search of `budget` positions."""
        self.left = budget
        return self._outcome(own, other) is True

    def loses(self, own: int, other: int, budget: int) -> bool:
        """True if the player to move is shown to lose with perfect information, likewise."""
        self.left = budget
        return self._outcome(own, other) is False

    def _outcome(self, own: int, other: int) -> bool | None:
        """Return True if the player to move wins, False if it loses, None if the budget is spent.

        Recursion adds a stone, so it is at most as deep as the board has cells.
        """
        empty = self.full & ~(own | other)
        if self.last_liberties(other, empty):
            return True  # it captures
        found = self.known.get((own, other))
        if found is not None:
            return found
        self.left -= 1
        if self.left < 0:
            return None
        go_on()
        danger = self.last_liberties(own, empty)
        found = False
        # A stone saves a chain in atari only on its last liberty, as there is nothing to capture; two are too many.
        for bit in self._moves(own, other, danger or empty) if danger & (danger - 1) == 0 else ():
            lost = self._outcome(other, own | bit)
            if lost is None:
                return None
            if not lost:
                found = True
                break
        if len(self.known) < MAX_KNOWN:
            self.known[own, other] = found
        return found

    def _moves(self, own: int, other: int, cells: int) -> list[int]:
        """Return the stones with two liberties or more (others are suicide or captured), best first."""
        ranked = []
        for cell in cells_of(cells):
            bit = 1 << cell
            empty = self.full & ~(own | other | bit)
            free = self.chain(bit, own | bit)[1] & empty
            if free & (free - 1):
                rank, beside = free.bit_count(), self.near[cell] & other
                while beside:
                    chain, around = self.chain(beside & -beside, other)
                    beside &= ~chain
                    rank += 2 * max(0, 8 - (around & empty).bit_count()) + 64 * ((around & empty).bit_count() == 1)
                ranked.append((-rank, bit))
        return [bit for _, bit in sorted(ranked)]


class Refuted:
    """The beliefs refuted so far, in all orientations, by Black's stones."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.single: set[tuple[int, int]] = set()
        self.several: dict[int, list[frozenset[int]]] = {}

    def add(self, own: int, worlds: list[int]) -> None:
        for turn in self.rules.turns:
            image, *images = (sum(1 << turn[cell] for cell in cells_of(stones)) for stones in (own, *worlds))
            if len(images) == 1:
                self.single.add((image, images[0]))
            else:
                self.several.setdefault(image, []).append(frozenset(images))

    def survives(self, own: int, worlds: list[int]) -> bool:
        """True if White, to move in all of these worlds, refutes Black's stones."""
        rules = self.rules
        if any(rules.last_liberties(own, rules.full & ~(own | world)) for world in worlds):
            return True
        after = set[int]()
        for world in worlds:
            go_on()
            after.update(rules.replies(world, own))
        if any((own, world) in self.single for world in after):
            return True
        if any(earlier <= after for earlier in self.several.get(own, ())):
            return True
        return any(rules.wins(world, own, budget) for budget in BUDGETS for world in worlds)

    def demand_refuted(self, own: int, worlds: list[int], name: str) -> None:
        """Reject a belief if Black has a stone by which White is not shown to survive."""
        rules = self.rules
        for cell in cells_of(rules.full & ~own):
            go_on()
            bit = 1 << cell
            legal = [world for world in worlds if rules.is_legal(own, world, bit)]
            going = [w for w in legal if not rules.captures(own, w, bit) and rules.can_move(w, own | bit)]
            demand(not legal or going, f"in {name}, a stone on cell {cell} wins wherever it is legal")
            demand(not legal or self.survives(own | bit, going), f"in {name}, nothing refutes a stone on cell {cell}")


def upper_bound(cells: int, claim: list[int]) -> Fraction:
    """Return the upper bound on Black's value from a refuted belief on, by White's random play."""
    own, *worlds = claim
    return 1 - Fraction(1, len(worlds) * prod(range(cells - 2 * own.bit_count() - 1, 0, -2)))


def lower_bound(cells: int, opening: int | None) -> Fraction:
    """Return the lower bound by Black's random play after an opening that wins with perfect information."""
    return Fraction(0) if opening is None else Fraction(1, prod(range(cells - 2, 0, -2)))


def belief_of(belief: list[int], cells: int, name: str) -> tuple[int, list[int]]:
    """Parse a belief and check its form."""
    demand(all(type(stones) is int and 0 <= stones < 1 << cells for stones in belief), f"{name} is not on the board")
    own, *worlds = belief
    for world in worlds:
        demand(not world & own and world.bit_count() == own.bit_count(), f"a world of {name} is not possible")
    demand(len(set(worlds)) == len(worlds), f"{name} has a world twice")
    return own, worlds


def verify(body: Any) -> Bounds:
    """Return the bounds on Black's value from the last belief on; raise ValueError if a belief is not refuted."""
    check_head(body, RefutationCertificate.__required_keys__, FORMAT)
    game = GAME.fullmatch(body["game"]) if isinstance(body["game"], str) else None
    rows, columns = (int(game[1]), int(game[2])) if game else (0, 0)
    demand(
        0 < rows * columns <= MAX_CELLS,
        f"its game is {quoted(body['game'])}, not phantom ponnuki of up to {MAX_CELLS} cells",
    )
    beliefs, cells = body["beliefs"], rows * columns
    demand(isinstance(beliefs, list) and beliefs, "it has no beliefs")
    demand(all(isinstance(belief, list) and len(belief) > 1 for belief in beliefs), "a belief is not stones and worlds")
    demand(sum(map(len, beliefs)) <= MAX_WORLDS, f"it has more than {MAX_WORLDS:,} worlds")
    parsed = [belief_of(belief, cells, f"belief {number}") for number, belief in enumerate(beliefs)]
    demand(parsed[-1][0].bit_count() <= 1, "its last belief is neither the beginning of the game nor an opening")
    check_digest(body)
    rules, opening = Rules(rows, columns), body["opening"]
    if opening is not None:
        demand(type(opening) is int and 0 <= opening < cells, "its opening is not on the board")
        demand(not parsed[-1][0], "it has an opening, but its last belief is not the beginning of the game")
        demand(rules.loses(0, 1 << opening, OPENING_BUDGET), "its opening is not shown to win with perfect information")
    refuted = Refuted(rules)
    for number, (own, worlds) in enumerate(parsed):
        refuted.demand_refuted(own, worlds, f"belief {number}")
        refuted.add(own, worlds)
    bounds = lower_bound(cells, opening), upper_bound(cells, beliefs[-1])
    for claim, found in zip(("lower", "upper"), bounds, strict=True):
        claimed = probability(body[claim], f"the {claim} bound")
        demand(claimed == found, f"it claims the {claim} bound {quoted(claimed)}, proved is {quoted(found)}")
    return bounds
