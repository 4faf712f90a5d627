"""Checker of bounds on classical phantom games of boards, with separate rules and no code shared with the search.

    {"format": "fogspiel phantom bounds 2", "game": "phantom-ponnuki-4x4", "lower": "3/4", "upper": "22/25",
     "black": [node, ..], "white": [node, ..], "digest": ".."}

Black's nodes prove the lower bound, White's the upper one (White guarantees itself 1 - upper). A node is a strategy
of its player for some turns, from one of its turns on, with its guarantee:

    {"own": stones, "worlds": [stones, ..], "worths": [integer, ..], "unit": 100000, "rows": [row, ..]}

with one value ("worth") for each of its worlds, a multiple of 1 / unit, or one `"worth": "1/2"` for all of them instead
of worths and unit (the only form in format 1).

Sets of stones are integers, bit row * columns + column for each cell. A row is a list of [cell, probability, illegal,
legal]: the player's try, and the continuation if the try is illegal (at once) or legal (at its next turn). A
continuation is null (the player gives up), the number of a row of the same node, or a list of [node, turn,
probability]: from there the player follows an earlier node, with the cells permuted by symmetry `turn` (in ponnuki
0 .. 7: transpose if turn >= 4, then turn % 4 quarter turns; only 0, 2, 5 and 7 unless the board is square; on other
boards the number of a permutation, in lexicographic order, of those that map the game to itself). That pays the
node's value in the world of the opponent's stones, if the player's stones are the node's, and nothing otherwise. The
value of a node in a world is its payoff there against an opponent who knows that world and the player's stones (Lemma
2 of Teytaud and Teytaud 2011); after that the opponent learns nothing but the results of its own tries. The value of
the whole game is that of its worst world.

The last node is the whole game: no stones, no world but the empty one for Black, one black stone anywhere for White.
The board is first transformed by a random symmetry, all equally likely (Lemma 1). No nodes prove nothing: 0, 1.

Rules of ponnuki: a stone that captures wins; suicide without capture is illegal, and announced like an occupied cell; a
player without a legal move loses. Tic-tac-toe and hex have the rules of `primitives`; a board from a file that the user
has named has the rule and the symmetries of that file. No cell is tried twice in one turn. A draw counts one half.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from math import lcm
from typing import Any, NamedTuple

from .primitives import (
    OWN_FATES,
    Bounds,
    Certificate,
    Responder,
    board_named,
    check_digest,
    check_head,
    common_denominator,
    demand,
    go_on,
    own_rule,
    probability,
    quoted,
    refusal,
    total,
)

FORMAT, FORMER = "fogspiel phantom bounds 2", "fogspiel phantom bounds 1"
FORMATS = FORMAT, FORMER
NODE, VECTOR = {"own", "worlds", "worth", "rows"}, {"own", "worlds", "worths", "unit", "rows"}
MAX_UNIT = 10**12
MAX_BITS = 1 << 20  # of the unit of a node; those that we ship have some hundred
NAME = re.compile(r"phantom-ponnuki-([2-9]|1[0-2])x([2-9]|1[0-2])")
MAX_CELLS = 25
MAX_LISTED = 16  # cells of a board of tic-tac-toe or hex, of which all sets of stones are listed
CLASSICAL = "classical"
ILLEGAL, LEGAL, WINS, DRAWS, LOSES = "illegal", "legal", "wins", "draws", "loses"

GIVEN_UP = -1  # continuations as numbers: a row, GIVEN_UP, or FIRST_JUMP and below for the jumps of a node
FIRST_JUMP = -2

Row = list[tuple[int, Fraction, int, int]]


class BoundsCertificate(Certificate):
    black: list[Any]
    white: list[Any]


class Node(NamedTuple):
    own: int
    worths: dict[int, Fraction]  # by world
    rows: list[Row]
    jumps: list[list[tuple[int, int, Fraction]]]


class Stand(NamedTuple):
    """Possible position of the player at the opponent's move: stones, continuation, the board's turn, probability."""

    own: int
    place: int
    turn: int
    weight: int  # its probability, in units


def size_of(game: Any) -> tuple[int, int]:
    """Return the rows and columns of a game by name."""
    found = NAME.fullmatch(game) if isinstance(game, str) else None
    if found is None or int(found[1]) * int(found[2]) > MAX_CELLS:
        what = f"phantom-ponnuki-ROWSxCOLUMNS with sides from 2 on and up to {MAX_CELLS} cells"
        raise refusal(f"its game is {quoted(game)}, not {what}")
    return int(found[1]), int(found[2])


def is_bounded(game: str) -> bool:
    """True if a game is a phantom ponnuki of this file."""
    try:
        return bool(size_of(game))
    except ValueError:
        return False


class BoardRules(ABC):
    """A board game on sets of stones as integers: its effects of a stone, and its symmetries by number."""

    cells: range
    symmetries: list[int]  # numbers in `turns`
    turns: list[list[int]]  # permutations of the cells
    inverse: dict[int, int]

    @abstractmethod
    def outcome(self, player: int, own: int, other: int, cell: int) -> str:
        """Return the effect of a player's stone."""

    def image(self, stones: int, turn: int) -> int:
        """Return the image of a set of stones, computed once."""
        found = self._images.get((stones, turn))
        if found is None:
            found = sum(1 << self.turns[turn][c] for c in self.cells if stones >> c & 1)
            self._images[stones, turn] = found
        return found

    def settle(self) -> None:
        """Find the inverse of every symmetry."""
        self._images: dict[tuple[int, int], int] = {}
        self.inverse = {
            turn: self.turns.index([self.turns[turn].index(cell) for cell in self.cells]) for turn in self.symmetries
        }


class ListedRules(BoardRules):
    """Tic-tac-toe or hex, whose winner's stones alone tell that it has won."""

    def __init__(self, cells: int, symmetries: Sequence[Sequence[int]], won: Sequence[Sequence[bool]]) -> None:
        self.cells, self.won, self.full = range(cells), won, (1 << cells) - 1
        self.turns = sorted(list(row) for row in symmetries)
        self.symmetries = list(range(len(self.turns)))
        self.settle()

    def outcome(self, player: int, own: int, other: int, cell: int) -> str:
        if (own | other) >> cell & 1:
            return ILLEGAL
        own |= 1 << cell
        if self.won[player][own]:
            return WINS
        return DRAWS if own | other == self.full else LEGAL


class FileRules(BoardRules):
    """A board of a file that the user has named: its rule, and its symmetries as far as the proof needs them."""

    def __init__(self, cells: int, symmetries: Sequence[Sequence[int]], rule: Callable[..., int]) -> None:
        self.cells, self.turns = range(cells), sorted(list(row) for row in symmetries)
        self.symmetries, self.rule = list(range(len(self.turns))), cache(rule)
        self.settle()

    def outcome(self, player: int, own: int, other: int, cell: int) -> str:
        found = self.rule(player, own, other, cell)
        for turn, row in enumerate(self.turns):
            same = self.rule(player, self.image(own, turn), self.image(other, turn), row[cell]) == found
            demand(same, "a symmetry of the board does not map the game to itself")
        return WORDS[found]


WORDS = dict(zip(OWN_FATES, (ILLEGAL, LEGAL, WINS, DRAWS, LOSES), strict=True))


def rules_of(game: Any) -> BoardRules:
    """Return the rules of a classical phantom game by name; raise ValueError for others."""
    own = own_rule(game, MAX_CELLS, CLASSICAL)
    if own is not None:
        return FileRules(*own)
    found = None if is_bounded(game) else board_named(game, MAX_LISTED)
    if found is not None and found[1] == CLASSICAL:
        return ListedRules(found[0].cells, found[0].symmetries, found[0].won)
    return PonnukiRules(*size_of(game))


class PonnukiRules(BoardRules):
    """Ponnuki on a board."""

    def __init__(self, rows: int, columns: int) -> None:
        self.rows, self.columns, self.cells = rows, columns, range(rows * columns)
        places = [(row, column) for row in range(rows) for column in range(columns)]
        beside = ((0, 1), (1, 0), (0, -1), (-1, 0))
        self.near = [[(r + a) * columns + c + b for a, b in beside if (r + a, c + b) in places] for r, c in places]
        self.symmetries = list(range(8)) if rows == columns else [0, 2, 5, 7]
        self.turns = [
            [self._cell_after(r, c, turn) for r, c in places] if turn in self.symmetries else [] for turn in range(8)
        ]
        self.fate = cache(self._fate)
        self.settle()

    def outcome(self, player: int, own: int, other: int, cell: int) -> str:
        return self.fate(own, other, cell)

    def _cell_after(self, row: int, column: int, turn: int) -> int:
        rows, columns = self.rows, self.columns
        if turn >= 4:
            row, column, rows, columns = column, row, columns, rows
        for _ in range(turn % 4):
            row, column, rows, columns = column, rows - 1 - row, columns, rows
        return row * columns + column

    def breathes(self, stones: int, others: int, cell: int) -> bool:
        """True if the chain of the stone on the cell has a liberty."""
        chain, waiting = {cell}, [cell]
        while waiting:
            for beside in self.near[waiting.pop()]:
                if not (stones | others) >> beside & 1:
                    return True
                if stones >> beside & 1 and beside not in chain:
                    chain.add(beside)
                    waiting.append(beside)
        return False

    def place_stone(self, own: int, other: int, cell: int) -> str:
        """Return the effect of a stone, before the test whether the opponent can move."""
        if (own | other) >> cell & 1:
            return ILLEGAL
        own |= 1 << cell
        if any(other >> c & 1 and not self.breathes(other, own, c) for c in self.near[cell]):
            return WINS
        return LEGAL if self.breathes(own, other, cell) else ILLEGAL

    def _fate(self, own: int, other: int, cell: int) -> str:
        """Return the effect of a stone: it also wins if the opponent is left without a legal move."""
        found = self.place_stone(own, other, cell)
        if found == LEGAL and all(self.place_stone(other, own | 1 << cell, reply) == ILLEGAL for reply in self.cells):
            return WINS
        return found


class Opponent(Responder[int, Stand]):
    """The opponent of the player of a node, who knows its own stones, its position, and a set of stands, the worlds.

    Its gain is the probability that the player does not win, draws counted half. Weights are integers in units of
    1 / `unit`, twice a common denominator of all products of probabilities from the first row on.
    """

    def __init__(self, rules: BoardRules, nodes: list[Node], node: Node, player: int) -> None:
        self.rules, self.nodes, self.node, self.player = rules, nodes, node, player
        jumps = [
            common_denominator(
                share * worth for number, _, share in jump for worth in set(nodes[number].worths.values())
            )
            for jump in node.jumps
        ]
        units: list[int] = []  # of the rows from the last one on
        for row in reversed(node.rows):
            unit = 1
            for _, share, *places in row:
                go_on()
                later = [
                    1 if p == GIVEN_UP else jumps[FIRST_JUMP - p] if p < 0 else units[len(node.rows) - 1 - p]
                    for p in places
                ]
                unit = lcm(unit, share.denominator * lcm(*later))
                demand(unit.bit_length() <= MAX_BITS, "its probabilities have no small common denominator")
            units.append(unit)
        self.unit = 2 * units[-1]

    def turn(self, position: int, stands: list[Stand]) -> tuple[int, list[Stand]]:
        """Play the player's turn against the opponent's stones; return the opponent's gain and the stands after it."""
        gained, waiting, going = 0, list(stands), dict[tuple[int, int, int], int]()
        while waiting:
            go_on()
            own, place, turn, weight = waiting.pop()
            seen = self.rules.image(position, turn)
            if place == GIVEN_UP:
                gained += weight
            elif place <= FIRST_JUMP:
                gained += weight - int(weight * self.jump_worth(self.node.jumps[FIRST_JUMP - place], own, seen))
            else:
                for cell, share, illegal, legal in self.node.rows[place]:
                    fate = self.rules.outcome(self.player, own, seen, cell)
                    part = weight * share.numerator // share.denominator
                    if fate == ILLEGAL:
                        waiting.append(Stand(own, illegal, turn, part))
                    elif fate == DRAWS:
                        gained += part // 2
                    elif fate == LOSES or (fate == LEGAL and legal == GIVEN_UP):
                        gained += part
                    elif fate == LEGAL:
                        after = own | 1 << cell, legal, turn
                        going[after] = going.get(after, 0) + part
        return gained, [Stand(*after, weight) for after, weight in going.items()]

    def jump_worth(self, jump: list[tuple[int, int, Fraction]], own: int, seen: int) -> Fraction:
        gained = Fraction(0)
        for number, turn, share in jump:
            go_on()
            node = self.nodes[number]
            if self.rules.image(own, turn) == node.own:
                gained += share * node.worths.get(self.rules.image(seen, turn), 0)
        return gained

    def unturned(self, stand: Stand) -> int:
        """Return the player's stones in the opponent's orientation of the board."""
        return self.rules.image(stand.own, self.rules.inverse[stand.turn])

    def tries(self, position: int, worlds: Sequence[Stand]) -> list[int]:
        """Return the tries to consider: one that is illegal in all stands reveals nothing."""
        fate, others = self.fate, {self.unturned(stand) for stand in worlds}
        found = [
            cell
            for cell in self.rules.cells
            if not position >> cell & 1 and any(fate(position, other, cell) != ILLEGAL for other in others)
        ]
        demand(found, "the opponent has no move where it should have one")
        return found

    def fate(self, own: int, other: int, cell: int) -> str:
        return self.rules.outcome(1 - self.player, own, other, cell)

    def hope(self, worlds: Sequence[Stand]) -> int:
        return sum(stand.weight for stand in worlds)

    def attempt(self, position: int, cell: int, worlds: list[Stand]) -> tuple[int, list[tuple[int, list[Stand]]]]:
        gained = 0
        illegal, legal = list[Stand](), list[Stand]()
        for stand in worlds:
            fate = self.fate(position, self.unturned(stand), cell)
            if fate in (WINS, DRAWS):
                gained += stand.weight if fate == WINS else stand.weight // 2
            elif fate != LOSES:
                (illegal if fate == ILLEGAL else legal).append(stand)
        more, going = self.turn(position | 1 << cell, legal)
        outcomes = [(position, illegal), (position | 1 << cell, going)]
        return gained + more, [outcome for outcome in outcomes if outcome[1]]


def guarantees(
    rules: BoardRules, nodes: list[Node], node: Node, player: int, turns: Sequence[int]
) -> Iterator[tuple[int, Fraction]]:
    """Yield a node's value in each of its worlds, if the board is first transformed by one of `turns` at random."""
    opponent = Opponent(rules, nodes, node, player)
    for world in node.worths:
        gained, going = opponent.turn(world, [Stand(node.own, 0, turn, opponent.unit) for turn in turns])
        gained += opponent.best(world, going) if going else 0
        yield world, 1 - Fraction(gained, len(turns) * opponent.unit)


def whole(number: Any, below: int) -> bool:
    return type(number) is int and 0 <= number < below


def node_of(body: Any, number: int, rules: BoardRules, vectors: bool = True) -> Node:
    """Parse a node of the certificate and check its form; `vectors` allows a value for each world."""
    name, cells = f"node {number}", len(rules.cells)
    most = 1 << cells
    keys = VECTOR if vectors and isinstance(body, dict) and "worths" in body else NODE
    demand(isinstance(body, dict) and set(body) == keys, f"{name} must have exactly the keys {sorted(keys)}")
    own, worlds, rows = body["own"], body["worlds"], body["rows"]
    demand(whole(own, most), f"the stones of {name} are not on the board")
    demand(isinstance(worlds, list) and len(worlds) > 0, f"{name} has no worlds")
    demand(all(whole(world, most) and not world & own for world in worlds), f"a world of {name} is not possible")
    demand(isinstance(rows, list) and len(rows) > 0, f"{name} has no rows")
    node = Node(own, worths_of(body, name), [], [])

    def place_of(place: Any) -> int:
        if place is None:
            return GIVEN_UP
        if isinstance(place, list):
            demand(all(isinstance(part, list) and len(part) == 3 for part in place), f"{name} has a broken jump")
            demand(
                all(whole(p[0], number) and whole(p[1], len(rules.turns)) for p in place),
                f"{name} jumps to no earlier node",
            )
            demand(all(p[1] in rules.symmetries for p in place), f"{name} turns a board that is no square on its side")
            jump = [(p[0], p[1], probability(p[2], f"a probability in {name}")) for p in place]
            demand(total(share for _, _, share in jump) == 1, f"the probabilities of a jump in {name} are not 1 in all")
            node.jumps.append(jump)
            return FIRST_JUMP - (len(node.jumps) - 1)
        demand(whole(place, len(rows)), f"{name} goes on at a row that does not exist")
        return int(place)

    for row in rows:
        demand(isinstance(row, list) and len(row) > 0, f"{name} has an empty row")
        demand(all(isinstance(t, list) and len(t) == 4 and whole(t[0], cells) for t in row), f"{name} has a bad try")
        tries = [(t[0], probability(t[1], f"a probability in {name}"), place_of(t[2]), place_of(t[3])) for t in row]
        demand(total(share for _, share, _, _ in tries) == 1, f"the probabilities of a row in {name} are not 1 in all")
        node.rows.append(tries)
    for start, tries in enumerate(node.rows):  # so that every turn and every node ends
        forward = all(place < 0 or place > start for _, _, *places in tries for place in places)
        demand(forward, f"row {start} of {name} leads back to an earlier row")
    return node


def worths_of(body: Any, name: str) -> dict[int, Fraction]:
    worlds, what = body["worlds"], f"the worth of {name}"
    if "worth" in body:
        return dict.fromkeys(worlds, probability(body["worth"], what))
    worths, unit = body["worths"], body["unit"]
    demand(whole(unit, MAX_UNIT) and unit > 0, f"the unit of {name} must be a whole number from 1 on, below {MAX_UNIT}")
    demand(isinstance(worths, list) and len(worths) == len(worlds), f"{name} must have one worth for each world")
    demand(len(set(worlds)) == len(worlds), f"{name} has a world twice")
    demand(all(whole(worth, unit + 1) for worth in worths), f"{what} must be a whole number from 0 to its unit")
    return {world: Fraction(worth, unit) for world, worth in zip(worlds, worths, strict=True)}


def prove_bound(bodies: Any, player: int, rules: BoardRules, vectors: bool) -> Fraction:
    """Return the guarantee of a player's nodes in the whole game."""
    demand(isinstance(bodies, list), "the nodes of a player are not a list")
    if not bodies:
        return Fraction(0)
    nodes: list[Node] = []
    for number, body in enumerate(bodies):
        node = node_of(body, number, rules, vectors)
        last = number == len(bodies) - 1
        for world, found in guarantees(rules, nodes, node, player, rules.symmetries if last else [0]):
            claim = node.worths[world]
            demand(claim <= found, f"node {number} claims {quoted(claim)}, but guarantees {quoted(found)}")
        nodes.append(node)
    begun = {cell: rules.outcome(0, 0, 0, cell) for cell in rules.cells}
    demand(player == 0 or not {WINS, DRAWS} & set(begun.values()), "Black's first stone may end the game")
    start = {0} if player == 0 else {1 << cell for cell, found in begun.items() if found == LEGAL}
    demand(nodes[-1].own == 0 and set(nodes[-1].worths) == start, "the last node is not the beginning of the game")
    return min(nodes[-1].worths.values())


def verify(body: Any) -> Bounds:
    """Return the bounds that a certificate proves; raise ValueError with the reason if it proves nothing."""
    former = isinstance(body, dict) and body.get("format") == FORMER
    check_head(body, BoundsCertificate.__required_keys__, FORMER if former else FORMAT)
    rules = rules_of(body["game"])
    check_digest(body)
    lower = prove_bound(body["black"], 0, rules, not former)
    upper = 1 - prove_bound(body["white"], 1, rules, not former)
    for claim, found in (("lower", lower), ("upper", upper)):
        claimed = probability(body[claim], f"the {claim} bound")
        demand(claimed == found, f"it claims the {claim} bound {quoted(claimed)}, proved is {quoted(found)}")
    return lower, upper
