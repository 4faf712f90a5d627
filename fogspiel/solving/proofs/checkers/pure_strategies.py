"""The checker of mixtures of pure strategies of phantom games: the rules, the plans, and the best answer to them.

Rules. Two players put stones on a board and do not see each other's; Black begins. The mover tries a cell where it
has no stone and has not failed before. If the other player has a stone there the try fails, which only the mover is
told. Variants: "classical", the mover tries again; "abrupt", the turn is over; "numturns", as classical, but the other
player is told how many tries the turn took. The game ends with a winning stone or a full board. A win counts 1, a draw
1/2, for Black.

Plan. A pure strategy says which cell to try after all that its player was told: a failure, or the stone stayed (and
the other player then took 1, 2, .. tries, in numturns). It is written as a text, a letter per cell (a is the first),
in this order: the cell; the plan after a failure; the plan after a stone and one try of the other player, after two
tries, and so on. Plans that can never be followed are left out: after more failures than there are enemy stones, or
tries than the other player can take, after a winning stone, and after a full board.

Certificate. A dict of

    format, game, rules     what it is, of which game, and of which version of the rules
    value, lower, upper     Black's score as fractions: what it gets at least, what it is held to
    black, white            {plan: weight}; the probability of a plan is its weight, a whole number, over their sum
    digest                  of all the rest

A plan stands for all its images under the symmetries of the board, each equally likely.

Value. The answerer does not know which plan the other player, the planner, follows. Each plan that may be followed, as
far as the answerer was told, is a world: the planner's stones, what is left of the plan, and its weight. The most that
the answerer can reach is

    value(own, known, worlds) = best over the cells not known to be taken of
                                what is paid where the game ends by the stone or by the planner's next turn
                                + the sum of value(.. the worlds where it is told so) over what the answerer may be told

No symmetry is used for the answerer. A cell is passed over only when to win all games that can still be won would be
no better than the best cell so far; and in the classical variant, where failures cost nothing and nobody else hears of
them, if it is taken in all worlds, or if another cell wins wherever it is free, which is then tried before. Weights
are whole numbers, and payments half points.
"""

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from .primitives import Bounds, SolutionCertificate, check_digest, check_head, demand, fraction, go_on, quoted

FORMAT = "fogspiel plans certificate 1"
RULES = 1  # the version of the rules that are written down here
BLACK, WHITE = 0, 1
PLAYERS = ("black", "white")
WIN, DRAW = 2, 1  # half points for a win and a draw
WHOLE = re.compile("[1-9][0-9]*")
# Limits: the plans of a player, the letters of all of them, and the digits of a weight.
MOST_PLANS, MOST_LETTERS, MOST_DIGITS = 4000, 500_000, 400


class PlansCertificate(SolutionCertificate):
    """The mixtures of both players: the weight of each plan."""

    black: dict[str, str]
    white: dict[str, str]


class PhantomRules(NamedTuple):
    """The rules of one game."""

    cells: int
    variant: str
    symmetries: list[tuple[int, ...]]  # where each of them takes the cells
    won: tuple[list[bool], list[bool]]  # for each player and each set of stones (bits): whether they win


class PlanNode(NamedTuple):
    """The rest of a pure strategy: the cell, and what comes after each thing that its player may be told."""

    cell: int
    after: "tuple[PlanNode | None, ...]"


class World(NamedTuple):
    """Possible course of the planner: its stones, the rest of its plan, its image of the cells, the weight."""

    stones: int
    plan: PlanNode | None
    moved: tuple[int, ...]
    weight: int


# The rules


def cells_of(stones: int) -> list[int]:
    """The cells of a set."""
    return [cell for cell in range(stones.bit_length()) if stones >> cell & 1]


def tic_tac_toe_rules(variant: str) -> PhantomRules:
    """Three stones in a row, a column or a diagonal win; the square has eight symmetries."""
    lines = [{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}]
    won = [any(line <= set(cells_of(stones)) for line in lines) for stones in range(1 << 9)]
    turned = [tuple(range(9))]
    for _ in range(3):
        turned.append(tuple(turned[-1][3 * column + 2 - row] for row in range(3) for column in range(3)))
    mirrored = [tuple(turn[3 * row + 2 - column] for row in range(3) for column in range(3)) for turn in turned]
    return PhantomRules(9, variant, turned + mirrored, (won, won))


def hex_rules(rows: int, columns: int, variant: str) -> PhantomRules:
    """Black joins the first row to the last, White the first column to the last; a half turn keeps both aims.

    A cell touches its neighbours along rows and columns, and along the diagonal up and to the right.
    """
    cells = rows * columns

    def joined(stones: int, start: set[int], goal: set[int]) -> bool:
        left = set(cells_of(stones))
        chain = left & start
        front = list(chain)
        while front:
            row, column = divmod(front.pop(), columns)
            beside = ((0, 1), (0, -1), (1, 0), (-1, 0), (-1, 1), (1, -1))
            near = {
                columns * (row + r) + column + c for r, c in beside if 0 <= row + r < rows and 0 <= column + c < columns
            }
            front += near & left - chain
            chain |= near & left
        return bool(chain & goal)

    top, bottom = set(range(columns)), set(range(cells - columns, cells))
    left, right = set(range(0, cells, columns)), set(range(columns - 1, cells, columns))
    black = [joined(stones, top, bottom) for stones in range(1 << cells)]
    white = [joined(stones, left, right) for stones in range(1 << cells)]
    return PhantomRules(cells, variant, [tuple(range(cells)), tuple(range(cells - 1, -1, -1))], (black, white))


GAMES: dict[str, Callable[[], PhantomRules]] = {
    "phantom-ttt-abrupt": lambda: tic_tac_toe_rules("abrupt"),
    "phantom-ttt-numturns": lambda: tic_tac_toe_rules("numturns"),
    "dark-hex-3x3-abrupt": lambda: hex_rules(3, 3, "abrupt"),
    "dark-hex-4x3": lambda: hex_rules(3, 4, "classical"),
    "dark-hex-3x4": lambda: hex_rules(4, 3, "classical"),
}


@cache
def rules_of(game: str) -> PhantomRules:
    """The rules of a game."""
    return GAMES[game]()


# Reading a plan


def plan_of(rules: PhantomRules, player: int, text: str) -> PlanNode:
    """The plan that a text describes, letter by letter."""
    letters = iter(text)
    found = _read(rules, player, letters, 0, 0, 0)
    demand(found is not None and next(letters, None) is None, f"the plan {quoted(text)} is longer than a plan can be")
    assert found is not None
    return found


def _read(
    rules: PhantomRules, player: int, letters: Iterator[str], own: int, known: int, suffered: int
) -> PlanNode | None:
    """The rest of a plan with these stones and failures, if the other one failed so often."""
    stones, failures = own.bit_count(), known.bit_count()
    if rules.variant == "abrupt":
        possible = stones + failures < rules.cells
    else:
        enemies = stones + player
        possible = failures <= enemies and stones + enemies < rules.cells
    if not possible:
        return None
    letter = next(letters, "")
    cell = ord(letter) - ord("a") if letter else -1
    demand(0 <= cell < rules.cells, f"a plan has {quoted(letter)} where a cell should be")
    bit = 1 << cell
    demand(not (own | known) & bit, f"a plan of {PLAYERS[player]} tries {letter!r} again")
    after = [_read(rules, player, letters, own, known | bit, suffered)]
    own |= bit
    if rules.won[player][own]:
        return PlanNode(cell, (after[0],))
    most = own.bit_count() - suffered + 1 if rules.variant == "numturns" else 1
    for tries in range(1, most + 1):
        after.append(_read(rules, player, letters, own, known, suffered + tries - 1))
    return PlanNode(cell, tuple(after))


def worlds_of(rules: PhantomRules, player: int, entries: Any) -> list[World]:
    """The plans of a player and their images, before the first try."""
    who = PLAYERS[player]
    right = isinstance(entries, dict) and 0 < len(entries) <= MOST_PLANS
    demand(right, f"the strategy of {who} must map 1 to {MOST_PLANS} plans to weights")
    demand(sum(map(len, entries)) <= MOST_LETTERS, f"the plans of {who} have more than {MOST_LETTERS} letters together")
    worlds = []
    for text, weight in entries.items():
        go_on()
        whole = isinstance(weight, str) and len(weight) <= MOST_DIGITS and WHOLE.fullmatch(weight) is not None
        demand(whole, f"a weight of {who} is {quoted(weight)}, not a whole number > 0 of {MOST_DIGITS} digits at most")
        plan = plan_of(rules, player, text)
        worlds += [World(0, plan, moved, int(weight)) for moved in rules.symmetries]
    return worlds


# The best answer


class Answerer:
    """The player in that seat, who looks for the best answer to what the other one may do."""

    def __init__(self, rules: PhantomRules, seat: int) -> None:
        self.rules, self.full = rules, (1 << rules.cells) - 1
        self.mine, self.theirs = rules.won[seat], rules.won[1 - seat]

    def turn(self, world: World, own: int) -> tuple[int, World | None, int]:
        """The planner's turn: half points if the game ends, else the world after it and how many tries it took."""
        stones, plan, moved, weight = world
        tries = 0
        while True:
            assert plan is not None
            cell = moved[plan.cell]
            tries += 1
            if own >> cell & 1:
                if self.rules.variant == "abrupt":
                    return 0, World(stones, plan.after[0], moved, weight), tries
                plan = plan.after[0]
                continue
            stones |= 1 << cell
            if self.theirs[stones]:
                return 0, None, tries
            if stones | own == self.full:
                return DRAW * weight, None, tries
            # What comes after a stone depends, in numturns, on the answerer's next turn
            rest = plan if self.rules.variant == "numturns" else plan.after[1]
            return 0, World(stones, rest, moved, weight), tries

    def cells(self, own: int, known: int, worlds: list[World]) -> list[int]:
        """The cells that may be the best to try."""
        closed = own | known
        if self.rules.variant != "classical":
            return cells_of(self.full & ~closed)
        taken = self.full
        for world in worlds:
            taken &= world.stones
        free = cells_of(self.full & ~closed & ~taken)
        winning = [cell for cell in free if self.mine[own | 1 << cell]]
        return winning[:1] or free

    def hopes(self, worlds: list[World]) -> int:
        """Half points if every game that may still be won were won, and every other one drawn."""
        return sum((WIN if self.mine[self.full & ~world.stones] else DRAW) * world.weight for world in worlds)

    def attempt(self, own: int, cell: int, tries: int, worlds: list[World]) -> tuple[int, dict[int, list[World]]]:
        """Half points of the games that end when a cell is tried, and the worlds by what the answerer is told."""
        points = 0
        told: dict[int, list[World]] = {}
        bit = 1 << cell
        more = own | bit
        counted, abrupt = self.rules.variant == "numturns", self.rules.variant == "abrupt"
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
                    world = world._replace(plan=world.plan.after[tries])
                paid, following, number = self.turn(world, more if stays else own)
                points += paid
                if following is not None:
                    told.setdefault((number if counted else 1) if stays else 0, []).append(following)
        return points, told

    def best(self, own: int, known: int, tries: int, worlds: list[World], bar: int) -> int:
        """The most half points from these worlds, if that is above the bar, else the bar."""
        go_on()
        ways = []
        for cell in self.cells(own, known, worlds):
            points, told = self.attempt(own, cell, tries + 1, worlds)
            hopes = [(self.hopes(some), number) for number, some in told.items()]
            ways.append((points + sum(hope for hope, _ in hopes), cell, points, hopes, told))
        for limit, cell, points, hopes, told in sorted(ways, key=lambda way: -way[0]):
            if limit <= bar:
                break
            bit = 1 << cell
            for hope, number in sorted(hopes):
                limit -= points + hope  # what the others may still bring
                some = told[number]
                if number == 0:
                    points += self.best(own, known | bit, tries + 1, some, bar - points - limit)
                else:
                    points += self.best(own | bit, known, 0, some, bar - points - limit)
                limit += points
                if limit <= bar:
                    break
            bar = max(bar, limit)
        return bar


def best_score(rules: PhantomRules, seat: int, worlds: list[World]) -> Fraction:
    """The most that the player in that seat scores against plans of the other one."""
    weight, answerer = sum(world.weight for world in worlds), Answerer(rules, seat)
    if seat == WHITE:
        worlds = [following for world in worlds if (following := answerer.turn(world, 0)[1]) is not None]
    return Fraction(answerer.best(0, 0, 0, worlds, -1), WIN * weight)


def verify(body: Any) -> Bounds:
    """The value, as two equal bounds, that a certificate proves; a ValueError says why it proves nothing."""
    check_head(body, PlansCertificate.__required_keys__, FORMAT)
    known = isinstance(body["game"], str) and body["game"] in GAMES
    demand(known, f"its game must be one of {', '.join(GAMES)}, not {quoted(body['game'])}")
    right = body["rules"] == RULES and type(body["rules"]) is int
    demand(right, f"it must be of version {RULES} of the rules, not {quoted(body['rules'])}")
    check_digest(body)
    value, lower, upper = (fraction(body[name], "the " + name) for name in ("value", "lower", "upper"))
    both = f"both bounds, {quoted(lower)} and {quoted(upper)}, are equal to it"
    demand(lower == value == upper, f"{quoted(value)} is proved only if {both}")
    rules = rules_of(body["game"])
    black, white = (worlds_of(rules, player, body[who]) for player, who in enumerate(PLAYERS))
    least = 1 - best_score(rules, WHITE, black)
    demand(least == lower, f"Black's strategy secures {quoted(least)}, but it claims {quoted(lower)}")
    most = best_score(rules, BLACK, white)
    demand(most == upper, f"White's strategy concedes {quoted(most)}, but it claims {quoted(upper)}")
    return lower, upper
