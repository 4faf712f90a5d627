"""Checker of mixtures of pure strategies of phantom games: the rules, the plans, and the best response to them.

Rules. Two players put stones on a board and do not see each other's; Black moves first. The player to move tries a cell
where it has no stone and has not failed before. If the opponent has a stone there the try fails, which is announced
only to the player to move. Variants: "classical", that player tries again; "abrupt", the turn is over; "numturns", as
classical, but the number of tries of the turn is announced to the opponent. The game ends with a winning stone or a
full board. A win counts 1, a draw 1/2, for Black.

Plan. A pure strategy assigns a cell to each sequence of observations: a failure, or the stone stayed (and the opponent
then took 1, 2, .. tries, in numturns). It is written as a text, a letter per cell (a is the first), in this order: the
cell; the plan after a failure; the plan after a stone and one try of the opponent, after two tries, and so on. Plans
that can never be followed are left out: after more failures than there are enemy stones, or tries than the opponent can
take, after a winning stone, and after a full board.

Certificate. A dict of

    format, game, rules     the format, the game, and the version of its rules
    value, lower, upper     Black's score as fractions: its guaranteed minimum and maximum
    black, white            {plan: weight}; the probability of a plan is its weight, an integer, over their sum
    digest                  of all the rest

A plan stands for all its images under the symmetries of the board, each equally likely.

Value. The answerer does not know which plan the opponent, the planner, follows. Each plan that is consistent with the
answerer's observations is a world: the planner's stones, the rest of the plan, and its weight. The most that the
answerer can reach is

    value(own, known, worlds) = best over the cells not known to be occupied of
        what is paid where the game ends by the stone or by the planner's next turn
        + the sum of value(.. the consistent worlds) over the answerer's observations

No symmetry is used for the answerer. `primitives.Responder` passes over cells that cannot be better than the best so
far. In the classical variant, where failures cost nothing and are not announced to the opponent, a cell is also passed
over if it is occupied in all worlds, or if another cell wins wherever it is free, which is then tried before. Weights
are integers, and payments half points.
"""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from .primitives import (
    DRAW,
    WIN,
    Board,
    BoardResponder,
    Bounds,
    SolutionCertificate,
    board_named,
    cells_of,
    check_digest,
    check_head,
    check_rules,
    demand,
    go_on,
    prove_bounds,
    quoted,
    refusal,
)

FORMAT = "fogspiel plans certificate 1"
RULES = 1  # the version of the rules in this file
BLACK, WHITE = 0, 1
PLAYERS = ("black", "white")
WHOLE = re.compile("[1-9][0-9]*")
# Limits: the plans of a player, the letters of all of them, and the digits of a weight.
MAX_PLANS, MAX_LETTERS, MAX_DIGITS = 4000, 500_000, 400


class PlansCertificate(SolutionCertificate):
    black: dict[str, str]
    white: dict[str, str]


class PhantomRules(NamedTuple):
    board: Board
    variant: str


class PlanNode(NamedTuple):
    """The rest of a pure strategy: the cell, and the plan after each observation."""

    cell: int
    after: "tuple[PlanNode | None, ...]"


class World(NamedTuple):
    """Possible course of the planner: its stones, the rest of its plan, its image of the cells, the weight."""

    stones: int
    plan: PlanNode | None
    moved: tuple[int, ...]
    weight: int


# The rules


MAX_CELLS = 12


def rules_of(game: Any) -> PhantomRules:
    found = board_named(game, MAX_CELLS)
    if found is None:
        raise refusal(f"its game is {quoted(game)}, not phantom tic-tac-toe or dark hex on up to {MAX_CELLS} cells")
    return PhantomRules(*found)


# Reading a plan


def plan_of(rules: PhantomRules, player: int, text: str) -> PlanNode:
    letters = iter(text)
    found = _read(rules, player, letters, 0, 0, 0)
    demand(found is not None and next(letters, None) is None, f"the plan {quoted(text)} is longer than a plan can be")
    assert found is not None
    return found


def _read(
    rules: PhantomRules, player: int, letters: Iterator[str], own: int, known: int, suffered: int
) -> PlanNode | None:
    """Parse the rest of a plan with these stones and failures, after `suffered` failures of the opponent."""
    stones, failures = own.bit_count(), known.bit_count()
    if rules.variant == "abrupt":
        possible = stones + failures < rules.board.cells
    else:
        enemies = stones + player
        possible = failures <= enemies and stones + enemies < rules.board.cells
    if not possible:
        return None
    letter = next(letters, "")
    cell = ord(letter) - ord("a") if letter else -1
    demand(0 <= cell < rules.board.cells, f"a plan has {quoted(letter)} where a cell should be")
    bit = 1 << cell
    demand(not (own | known) & bit, f"a plan of {PLAYERS[player]} tries {letter!r} again")
    after = [_read(rules, player, letters, own, known | bit, suffered)]
    own |= bit
    if rules.board.won[player][own]:
        return PlanNode(cell, (after[0],))
    most = own.bit_count() - suffered + 1 if rules.variant == "numturns" else 1
    for tries in range(1, most + 1):
        after.append(_read(rules, player, letters, own, known, suffered + tries - 1))
    return PlanNode(cell, tuple(after))


def worlds_of(rules: PhantomRules, player: int, entries: Any) -> list[World]:
    who = PLAYERS[player]
    right = isinstance(entries, dict) and 0 < len(entries) <= MAX_PLANS
    demand(right, f"the strategy of {who} must map 1 to {MAX_PLANS} plans to weights")
    demand(sum(map(len, entries)) <= MAX_LETTERS, f"the plans of {who} have more than {MAX_LETTERS} letters together")
    worlds = []
    for text, weight in entries.items():
        go_on()
        whole = isinstance(weight, str) and len(weight) <= MAX_DIGITS and WHOLE.fullmatch(weight) is not None
        demand(whole, f"a weight of {who} is {quoted(weight)}, not a whole number > 0 of {MAX_DIGITS} digits at most")
        plan = plan_of(rules, player, text)
        worlds += [World(0, plan, moved, int(weight)) for moved in rules.board.symmetries]
    return worlds


# The best response


Place = tuple[int, int, int]  # the answerer's own stones, the cells where it failed, and the tries of its turn so far


class Answerer(BoardResponder[Place, World]):
    """The player in that seat, who best-responds to the opponent's plans."""

    def __init__(self, rules: PhantomRules, seat: int) -> None:
        super().__init__(rules.board, seat)
        self.variant = rules.variant

    def turn(self, world: World, own: int) -> tuple[int, World | None, int]:
        """Play the planner's turn: return half points if the game ends, else the next world and the number of tries."""
        stones, plan, moved, weight = world
        tries = 0
        while True:
            assert plan is not None
            cell = moved[plan.cell]
            tries += 1
            if own >> cell & 1:
                if self.variant == "abrupt":
                    return 0, World(stones, plan.after[0], moved, weight), tries
                plan = plan.after[0]
                continue
            stones |= 1 << cell
            if self.theirs[stones]:
                return 0, None, tries
            if stones | own == self.full:
                return DRAW * weight, None, tries
            # In numturns the plan after a stone depends on the answerer's next turn
            rest = plan if self.variant == "numturns" else plan.after[1]
            return 0, World(stones, rest, moved, weight), tries

    def tries(self, position: Place, worlds: Sequence[World]) -> list[int]:
        own, known, _ = position
        if self.variant != "classical":
            return cells_of(self.full & ~(own | known))
        free = self.open_cells(own | known, worlds)
        return [cell for cell in free if self.mine[own | 1 << cell]][:1] or free

    def attempt(self, position: Place, cell: int, worlds: list[World]) -> tuple[int, list[tuple[Place, list[World]]]]:
        own, known, tries = position
        points = 0
        told: dict[int, list[World]] = {}
        bit = 1 << cell
        more = own | bit
        counted, abrupt = self.variant == "numturns", self.variant == "abrupt"
        wins, full = self.mine[more], self.full
        for world in worlds:
            stays = not world.stones & bit
            if stays and wins:
                points += WIN * world.weight
            elif stays and world.stones | more == full:
                points += DRAW * world.weight
            elif not stays and not abrupt:
                told.setdefault(0, []).append(world)
            else:
                if counted and world.stones:
                    assert world.plan is not None
                    world = world._replace(plan=world.plan.after[tries + 1])
                paid, following, number = self.turn(world, more if stays else own)
                points += paid
                if following is not None:
                    told.setdefault((number if counted else 1) if stays else 0, []).append(following)
        failed, stayed = (own, known | bit, tries + 1), (more, known, 0)
        return points, [(stayed if number else failed, left) for number, left in told.items()]


def best_score(rules: PhantomRules, seat: int, worlds: list[World]) -> Fraction:
    weight, answerer = sum(world.weight for world in worlds), Answerer(rules, seat)
    if seat == WHITE:
        worlds = [following for world in worlds if (following := answerer.turn(world, 0)[1]) is not None]
    return Fraction(answerer.best((0, 0, 0), worlds), WIN * weight)


def verify(body: Any) -> Bounds:
    """Return the value, as two equal bounds, that a certificate proves; raise ValueError if it proves nothing."""
    check_head(body, PlansCertificate.__required_keys__, FORMAT)
    rules = rules_of(body["game"])
    check_rules(body, RULES)
    check_digest(body)
    black, white = (worlds_of(rules, player, body[who]) for player, who in enumerate(PLAYERS))
    return prove_bounds(
        body,
        ("Black's", "White's"),
        lambda: 1 - best_score(rules, WHITE, black),
        lambda: best_score(rules, BLACK, white),
    )
