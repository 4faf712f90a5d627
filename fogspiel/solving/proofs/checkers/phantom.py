"""Checker of solved phantom games (tic-tac-toe and hex on up to nine cells): rules, strategies, and best response.

Position. Two sets of stones, Black's and White's, each the bits of an integer: cell = row * columns + column. Black
moves first. In a turn the player tries cells until one is empty; the stone stays there. The referee says of each try
whether the cell was occupied, and nothing else. A win counts 1, a draw 1/2, for Black.

Observation. A situation is a player's whole observation: for each turn the set of failed tries and the cell of the
stone, at last the failed tries of this turn with the cell NOWHERE.

Strategy. A probability for each cell in each situation. The certificate (`methods.phantom` explains its rows) gives it
for one of all images of a situation under the symmetries of the board, the smallest; in a situation without a row the
player tries the first cell that it does not know to be occupied. A last empty cell is no choice.

Value. Let one player, the planner, play a fixed strategy. Its possible situations form a tree; the weight of a node is
the product of the probabilities of its choices. The opponent, the answerer, does not see the node. It knows its own
stones, and by its tries a set of nodes that are possible: the worlds. The answerer's future depends on
nothing else in its past, so the best that it can reach is

    value(own, worlds) = best over the cells that are free in some world of
        what is paid where the game ends by the stone or by the planner's answer
        + value(own, the worlds where the cell is occupied)
        + value(own + cell, the worlds after the planner's answer to the stone)

where every payment is multiplied by the weight of its node. In a game with an opening Black's first stone goes to a
cell of this kind, one of the images of the cell that the game's name ends with. No order of tries is merged, no
symmetry used, no try forced; `primitives.Responder` passes over cells that cannot be better than the best so far.
Weights are integers, over one denominator, and payments half points.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, reduce
from operator import or_
from typing import Any

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
    common_denominator,
    demand,
    fraction,
    go_on,
    prove_bounds,
    quoted,
    refusal,
    total,
)
from .primitives import OPENING as OPENING

FORMAT = "fogspiel phantom certificate 1"
RULES = 1  # the version of the rules in this file
BLACK, WHITE = 0, 1
PLAYERS = ("black", "white")
NOWHERE = -1

# The (failed set, cell) of each turn; at last the failed set of this turn with the cell NOWHERE.
Situation = tuple[tuple[int, int], ...]
Strategy = dict[Situation, dict[int, Fraction]]


class PhantomCertificate(SolutionCertificate):
    """The strategies of "black" and "white": rows of a history, the failed tries, and the probability of each cell."""

    strategies: dict[str, list[list[Any]]]


# The rules


MAX_CELLS = 9


def board_of(game: str) -> Board:
    """Return the board of a classical game by name, with or without an opening."""
    found = board_named(game.partition(OPENING)[0], MAX_CELLS)
    if found is None or found[1] != "classical":
        raise refusal(
            f"its game is {quoted(game)}, not classical phantom tic-tac-toe or dark hex on up to {MAX_CELLS} cells"
        )
    return found[0]


# Situations


def own_stones(situation: Situation) -> int:
    return sum(1 << cell for _, cell in situation if cell != NOWHERE)


def known_cells(situation: Situation) -> int:
    return reduce(or_, (failed for failed, _ in situation), own_stones(situation))


def image(situation: Situation, moved: tuple[int, ...]) -> Situation:
    """Return the situation after a symmetry, which moves cell c to moved[c]."""
    return tuple(
        (sum(1 << moved[c] for c in cells_of(failed)), cell if cell == NOWHERE else moved[cell])
        for failed, cell in situation
    )


# Reading a strategy


def strategy_of(board: Board, player: int, rows: Any) -> Strategy:
    """Return one player's strategy in the certificate, by situations in their smallest image."""
    who = PLAYERS[player]
    demand(isinstance(rows, list), f"the strategy of {who} is not a list of rows")
    strategy: Strategy = {}
    for number, row in enumerate(rows):
        place = f"row {number} of {who}"
        demand(isinstance(row, list) and len(row) == 3, f"{place} is not a history, failed tries and probabilities")
        history, failed, listed = row
        demand(isinstance(history, str) and isinstance(failed, str), f"{place} has a history that is not text")
        demand(isinstance(listed, dict) and len(listed) > 0, f"{place} has no probabilities")
        situation = situation_of(board, player, history, failed, place)
        what = f"a probability in {place}"
        shares = {cell_of(board, name, place): fraction(share, what) for name, share in listed.items()}
        known = known_cells(situation)
        demand(not any(known >> cell & 1 for cell in shares), f"{place} names a cell that is known to be taken")
        whole = min(shares.values()) > 0 and total(shares.values()) == 1
        demand(whole, f"the probabilities in {place} do not make up 1")
        for moved in board.symmetries:
            turned = image(situation, moved)
            demand(turned >= situation, f"{place} is not the smallest of its images")
            same = {moved[cell]: share for cell, share in shares.items()}
            demand(turned != situation or same == shares, f"the probabilities in {place} are not symmetric")
        demand(situation not in strategy, f"{place} repeats an earlier row")
        strategy[situation] = shares
    return strategy


def situation_of(board: Board, player: int, history: str, failed: str, place: str) -> Situation:
    """Return the situation of a row, which must be possible given the player's knowledge."""
    turns = []
    taken, found = 0, 0
    words = [*history.split(), f"{failed}:"]
    for number, word in enumerate(words):
        tries, _, stone = word.rpartition(":")
        cells = [cell_of(board, name, place) for name in tries.split(",") if name]
        cell = cell_of(board, stone, place) if stone else NOWHERE
        demand((cell == NOWHERE) == (number == len(words) - 1), f"{place} has a turn without a stone")
        for seen in [*cells, cell] if stone else cells:
            demand(not taken >> seen & 1, f"{place} names a cell twice")
            taken |= 1 << seen
        found += len(cells)
        demand(found <= number + player, f"{place} has more failures than the opponent has stones")
        turns.append((sum(1 << seen for seen in cells), cell))
    demand(len(turns) <= board.cells // 2, f"{place} is about a turn in which there is no choice")
    return tuple(turns)


def cell_of(board: Board, name: Any, place: str) -> int:
    demand(name in board.names, f"{place} speaks of {quoted(name)}, which is no cell")
    return board.names.index(name)


# The planner's tree


@dataclass(eq=False, slots=True)
class Node:
    """A situation that the planner may reach by its strategy, one node for each order of tries."""

    stones: int
    reach: Fraction  # the product of the probabilities of its choices so far
    weight: int = 0  # `reach` times the denominator of the tree
    # Each cell that it may try, with the nodes after the stone stays and after it fails; none where it has no choice.
    tries: list[tuple[int, "Node", "Node"]] = field(default_factory=list)


def nodes_of(board: Board, primal_player: int, strategy: Strategy) -> Iterator[Node]:
    none = Node(0, Fraction(0))

    @cache
    def choice(situation: Situation) -> dict[int, Fraction]:
        """Return the strategy's choice: by the smallest image of a situation, else the first unknown cell."""
        smallest, moved = min((image(situation, moved), moved) for moved in board.symmetries)
        if smallest in strategy:
            return {moved.index(cell): share for cell, share in strategy[smallest].items()}
        known = known_cells(situation)
        return {next(cell for cell in range(board.cells) if not known >> cell & 1): Fraction(1)}

    start: Situation = ((0, NOWHERE),)
    waiting = [(start, Node(0, Fraction(1)))]
    for situation, node in waiting:  # grows as it is read
        go_on()
        yield node
        opposing = len(situation) - 1 + primal_player
        empty = board.cells - node.stones.bit_count() - opposing
        if empty <= 1 or board.won[primal_player][node.stones]:
            continue
        failures = sum(failed.bit_count() for failed, _ in situation)
        *past, (failed, _) = situation
        for cell, share in choice(situation).items():
            stays, fails = Node(node.stones | 1 << cell, node.reach * share), none
            waiting.append(((*past, (failed, cell), (0, NOWHERE)), stays))
            if failures < opposing:
                fails = Node(node.stones, node.reach * share)
                waiting.append(((*past, (failed | 1 << cell, NOWHERE)), fails))
            node.tries.append((cell, stays, fails))


# The best response


class Answerer(BoardResponder[int, Node]):
    """The best-responding opponent of the planner, who puts its first stone, if it is Black, into `first`."""

    def __init__(self, board: Board, seat: int, first: set[int]) -> None:
        super().__init__(board, seat)
        self.begin = first if seat == BLACK else set(range(board.cells))
        self.turn = cache(self._turn)

    def _turn(self, node: Node, own: int) -> tuple[int, list[Node]]:
        """Play the planner's turn against the answerer's stones: return the payments of ended games, and the worlds."""
        if not node.tries:  # the last empty cell, if there is one, is the planner's
            return node.weight * (0 if self.theirs[node.stones | self.full & ~own] else DRAW), []
        worlds: list[Node] = []
        for cell, stays, fails in node.tries:
            if own >> cell & 1:
                worlds += self.turn(fails, own)[1]
            elif not self.theirs[stays.stones]:
                worlds.append(stays)
        return 0, worlds

    def tries(self, position: int, worlds: Sequence[Node]) -> list[int]:
        return [cell for cell in self.open_cells(position, worlds) if position or cell in self.begin]

    def attempt(self, position: int, cell: int, worlds: list[Node]) -> tuple[int, list[tuple[int, list[Node]]]]:
        bit = 1 << cell
        stones, gained = position | bit, 0
        taken: list[Node] = []
        going: list[Node] = []
        for node in worlds:
            if node.stones & bit:
                taken.append(node)
            elif self.mine[stones]:
                gained += node.weight * WIN
            else:
                paid, after = self.turn(node, stones)
                gained += paid
                going += after
        outcomes = [(position, taken), (stones, going)]
        return gained, [outcome for outcome in outcomes if outcome[1]]


def guaranteed_value(board: Board, primal_player: int, strategy: Strategy, first: set[int]) -> Fraction:
    """Return Black's value under the planner's strategy and a best response, with Black's first stone in `first`."""
    nodes = list(nodes_of(board, primal_player, strategy))
    denominator = common_denominator(node.reach for node in nodes)
    for node in nodes:
        go_on()
        node.weight = int(node.reach * denominator)
    begun = {cell for cell, _, _ in nodes[0].tries} if primal_player == BLACK else set[int]()
    demand(begun <= first, "black begins with a cell that is not of the opening")
    answerer = Answerer(board, 1 - primal_player, first)
    paid, worlds = answerer.turn(nodes[0], 0) if primal_player == BLACK else (0, nodes[:1])
    best = Fraction(paid + answerer.best(0, worlds), WIN * denominator)
    return 1 - best if primal_player == BLACK else best


def verify(body: Any) -> Bounds:
    """Return the bounds that a certificate proves; raise ValueError with the reason if it proves nothing."""
    check_head(body, PhantomCertificate.__required_keys__, FORMAT)
    game = body["game"]
    demand(isinstance(game, str), "its game is no name")
    board, (_, opened, cell) = board_of(game), game.partition(OPENING)
    demand(not opened or cell in board.names, f"its opening is {quoted(cell)}, which is no cell")
    check_rules(body, RULES)
    check_digest(body)
    both = body["strategies"]
    demand(isinstance(both, dict) and set(both) == set(PLAYERS), "it must hold the strategies of black and white")
    first = {moved[board.names.index(cell)] for moved in board.symmetries} if cell else set(range(board.cells))

    def proved(player: int) -> Fraction:
        return guaranteed_value(board, player, strategy_of(board, player, both[PLAYERS[player]]), first)

    return prove_bounds(body, ("black's", "white's"), lambda: proved(BLACK), lambda: proved(WHITE), exact=False)
