"""Proof objects in JSON: the strategies behind the guarantees of relaxed games and AND-OR search.

`proofs.checkers.phantom_bounds` defines the entries, and checks them with independent code.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NotRequired, TypedDict

import numpy as np

from ...core.agents import PlayerAgent, draw_index
from ...core.rng import random_below
from ...games.boards.board import Board
from ...games.phantom.look import classical_board
from ...games.phantom.rules import SEEN_RECORD, TURNS
from ..exact import exact_bounds
from ..methods.lp import equilibrium
from ..proofs.checkers import refutation
from ..proofs.checkers.phantom_bounds import (
    FORMAT,
    BoardRules,
    BoundsCertificate,
    guarantees,
    node_of,
    rules_of,
    verify,
)
from ..proofs.checkers.primitives import cells_of, digest_of
from .and_or_search import AndOrSearch
from .information_relaxation import PLANNER, Failed, PrivateTurn, Relaxation, RelaxedGame

Jump = list[list[int | str]]  # continue by earlier nodes: the node, the symmetry that leads to it, the probability
Place = int | Jump | None  # the continuation: a row of the same node, earlier nodes, or none
# For each try: the cell, its probability, and the continuation if it is illegal or legal.
Row = list[list[int | str | Jump | None]]


class NodeJson(TypedDict):
    """A strategy from a belief on, with its guarantee in all worlds alike or in each."""

    own: int
    worlds: list[int]
    worth: NotRequired[str]
    worths: NotRequired[list[int]]
    unit: NotRequired[int]
    rows: list[Row]


class Prover:
    """The nodes of one player's proof: every belief once, successors before it."""

    def __init__(
        self, game: str, relaxation: Relaxation, search: AndOrSearch | None = None, sure: Fraction = Fraction(1)
    ) -> None:
        """Take the decisions of `search`, worth `sure`, instead of the relaxation's AND-OR search if it is given."""
        self.relaxation, self.board, self.sure = relaxation, relaxation.board, sure
        self.search = search or relaxation.search
        self.rules = rules_of(game)
        self.turns = [self.rules.turns.index(shift.tolist()) for shift in self.board.symmetries]
        self.nodes: list[NodeJson] = []
        self.numbers: dict[tuple[int, bytes], int] = {}

    def jump(self, own: int, worlds: np.ndarray) -> Jump:
        """Return the continuation of a belief: the node of its canonical image."""
        number, turn = self.place(own, worlds)
        return [[number, turn, "1"]]

    def place(self, own: int, worlds: np.ndarray) -> tuple[int, int]:
        """Return the number of the node for a belief, and the symmetry that leads to it."""
        sure = self.search.is_sure_win(own, worlds)
        own, worlds, turn = self.search.canonical(own, worlds)
        worlds = worlds if sure else self.relaxation.best(own, worlds)
        key = own, worlds.tobytes()
        if key not in self.numbers:
            self.relaxation.check()
            if sure:
                worth, rows = self.sure, self.sure_rows(own, worlds)
            else:
                worth, rows = self.relaxed_rows(self.relaxation.relaxed_game(own, worlds))
            self.numbers[key] = self.add(own, worlds.tolist(), worth, rows)
        return self.numbers[key], self.turns[turn]

    def worth(self, own: int, worlds: np.ndarray) -> Fraction:
        return Fraction(self.nodes[self.place(own, worlds)[0]]["worth"])

    def add(self, own: int, worlds: list[int], worth: Fraction, rows: list[Row]) -> int:
        self.nodes.append({"own": own, "worlds": worlds, "worth": str(worth), "rows": rows})
        return len(self.nodes) - 1

    def finish(self, rows: list[Row]) -> Fraction:
        """Add the node of the whole game, on a board turned at random, and return its guarantee."""
        rules, worlds, player = self.rules, self.search.beliefs.start.tolist(), self.relaxation.player
        number = self.add(0, worlds, Fraction(0), rows)
        nodes = [node_of(node, k, rules) for k, node in enumerate(self.nodes)]
        worth = min(found for _, found in guarantees(rules, nodes, nodes[number], player, rules.symmetries))
        self.nodes[number]["worth"] = str(worth)
        return worth

    def sure_rows(self, own: int, worlds: np.ndarray) -> list[Row]:
        cell = self.search.winning_try(own, worlds)
        split = self.search.beliefs.split(own, worlds, cell)
        more = own | 1 << cell
        worlds_after = self.search.beliefs.after_answer(more, split.going)[0] if len(split.going) else split.going
        illegal = self.jump(own, split.illegal) if len(split.illegal) else None
        legal: Place = self.jump(more, worlds_after) if len(worlds_after) else None
        rows: list[Row] = [[[cell, "1", illegal, legal]]]
        if len(split.going) and not len(worlds_after):  # the opponent's next stone loses: a row that is never reached
            rows[0][0][3] = 1
            rows.append([[cell, "1", None, None]])
        return rows

    def relaxed_rows(self, game: RelaxedGame) -> tuple[Fraction, list[Row]]:
        """Return an optimal strategy of a relaxed game in fractions, with its guarantee."""
        found = equilibrium(game.form(self.relaxation.worths(game)))
        used = set(game.used_assumptions(found.behaviours[0]))
        form = game.form([self.worth(*belief) if a in used else Fraction(0) for a, belief in enumerate(game.assumed)])
        found = equilibrium(form)
        exact = exact_bounds(form, found.primal_player, found.point)
        writer = _RowWriter(self, game, exact.behaviours[0])
        writer.write(0)
        return exact.lower, writer.rows


class _RowWriter:
    def __init__(self, prover: Prover, game: RelaxedGame, behaviour: list[Fraction]) -> None:
        self.prover, self.game, self.behaviour = prover, game, behaviour
        self.side = prover.relaxation.sides[PLANNER]
        self.infosets = list(game.infosets)
        self.rows: list[Row] = []

    def shares_at(self, infoset: int) -> list[tuple[int, Fraction]]:
        first = int(self.game.treeplexes[PLANNER].first[infoset])
        shares = enumerate(self.game.choices[infoset], first)
        return [(choice, self.behaviour[sequence]) for sequence, choice in shares if self.behaviour[sequence]]

    def write(self, infoset: int) -> int:
        """Return the number of the row for an infoset; its successor rows come later."""
        (turn, failed), number = self.infosets[infoset], len(self.rows)
        self.rows.append([])
        for cell, share in self.shares_at(infoset):
            illegal = self.place(turn, (*failed, cell))
            following = turn.next.get((failed, cell))
            legal = None if following is None else self.place(following, ())
            self.rows[number].append([cell, str(share), illegal, legal])
        return number

    def place(self, turn: PrivateTurn, failed: Failed) -> Place:
        worlds = self.side.worlds_left(turn, failed)
        if not len(worlds):
            return None
        if self.side.is_sure_win(turn, failed):
            return self.prover.jump(turn.own, worlds)
        infoset = self.game.infosets.get((turn, failed))
        if infoset is None:
            return None
        if not self.game.is_end(turn):
            return self.write(infoset)
        shares = self.shares_at(infoset)
        return [[*self.prover.place(*self.game.assumed[number]), str(share)] for number, share in shares] or None


def make_certificate(
    game: str, lower: Fraction, black: list[NodeJson], upper: Fraction, white: list[NodeJson]
) -> BoundsCertificate:
    body: BoundsCertificate = {
        "format": FORMAT,
        "game": game,
        "lower": str(lower),
        "upper": str(upper),
        "black": black,
        "white": white,
        "digest": "",
    }
    body["digest"] = digest_of(body)
    return body


# A proof of bounds as text: its result, the first moves of each player, and with --all every belief.


def explain(body: Any, everything: bool = False) -> list[str]:
    """Return the bounds of a certificate, after checking it, and the strategies behind them."""
    lower, upper = verify(body)
    board = classical_board(body["game"])
    width = "" if lower == upper else f" (width {float(upper - lower):.6f})"
    lines = [
        f"{body['game']}: Black gets {_number(lower)} on average or more, at most {_number(upper)}{width}; "
        "a win counts 1, a loss 0.",
        "A proof is a list of nodes: each is a strategy for some turns from a belief on, with what it guarantees there "
        "against an opponent who knows the belief. Its last node is the whole game.",
    ]
    for side, worth in (("black", lower), ("white", 1 - upper)):
        lines += ["", *_side_lines(side.capitalize(), body[side], worth, board, everything)]
    return lines


def explain_refutation(body: Any) -> list[str]:
    """Return a refutation as text, after checking it: the claim, and its beliefs by the number of Black's stones."""
    lower, upper = refutation.verify(body)
    own, *worlds = body["beliefs"][-1]
    where = "" if not own else f" after an opening, White's first stone on one of {len(worlds)} cells"
    counts = Counter(len(list(cells_of(stones))) for stones, *_ in body["beliefs"])
    sizes = ", ".join(f"{count} with {stones}" for stones, count in sorted(counts.items()))
    return [
        f"{body['game']}: Black has no sure win{where}. It gets {lower} on average or more, at most {upper}.",
        f"The refutation has {len(body['beliefs'])} beliefs of Black ({sizes} black stones). In each of them, White "
        "survives every stone of Black in some world: at once, with open eyes, or by replies that lead to an earlier "
        "belief. The last belief is the claim.",
    ]


def _number(bound: Fraction) -> str:
    return str(bound) if bound.denominator == 1 else f"{bound} = {float(bound):.6f}"


def _side_lines(name: str, nodes: list[Any], worth: Fraction, board: Board, everything: bool) -> list[str]:
    if not nodes:
        return [f"{name}: nothing is proved but that it gets 0 or more."]
    lines = [
        f"{name} gets {_number(worth)} or more, by {len(nodes)} nodes. It turns and mirrors the board at random, all "
        f"{len(board.symmetries)} ways alike; then, from the first row on:",
        *_row_lines(nodes[-1]["rows"], board),
    ]
    for number, node in enumerate(nodes[:-1] if everything else ()):
        own = " ".join(board.cell_name(cell) for cell in range(board.cells) if node["own"] >> cell & 1) or "no stones"
        worlds = f"{len(node['worlds'])} possible positions of the opponent"
        lines += [f"node {number}: with {own}, {worlds}, it gets {_worths(node)}:"]
        lines += _row_lines(node["rows"], board)
    if not everything and len(nodes) > 1:
        lines.append(f"  and {len(nodes) - 1} nodes to go on by: add --all")
    return lines


def _worths(node: Any) -> str:
    if "worth" in node:
        return _number(Fraction(node["worth"]))
    worths = sorted({Fraction(worth, node["unit"]) for worth in node["worths"]})
    if len(worths) == 1:
        return _number(worths[0])
    return f"{float(worths[0]):.6f} to {float(worths[-1]):.6f}, by position"


def _row_lines(rows: list[Any], board: Board) -> list[str]:
    lines = []
    for number, row in enumerate(rows):
        for cell, share, illegal, legal in row:
            chance = "" if share == "1" else f" with probability {share}"
            lines.append(
                f"  row {number}: try {board.cell_name(cell)}{chance}; if it is illegal, {_place(illegal)}; "
                f"if it stays, {_place(legal)}"
            )
    return lines


def _place(place: Any) -> str:
    if place is None:
        return "give up"
    if isinstance(place, int):
        return f"go on at row {place}"
    return "go on by " + " or ".join(
        f"node {node}" + ("" if share == "1" else f" ({share})") for node, _, share in place
    )


# Playing a proof of bounds


class ProofPlayer:
    """Player that follows the nodes of a proof in either seat; where the proof gives up it tries the first cell."""

    def __init__(self, rules: BoardRules, sides: tuple[list[NodeJson], list[NodeJson]], stream: np.ndarray) -> None:
        self.rules, self.sides, self.stream = rules, sides, stream

    def begin(self, side: int) -> None:
        self.nodes, self.node, self.tried = self.sides[side], len(self.sides[side]) - 1, -1
        self.place: Place = 0 if self.nodes else None
        turn = self.rules.symmetries[int(random_below(self.stream, len(self.rules.symmetries)))]
        self.shift = self.rules.turns[turn]  # from cells of the board to those of the node
        self.entry: list[Any] = []

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        while True:
            if self.entry:  # the last try stayed, if the board holds the stone, or it failed
                stones = seen[SEEN_RECORD : SEEN_RECORD + 2 * int(seen[TURNS]) : 2]
                self.place = self.entry[3] if self.tried in stones else self.entry[2]
            if isinstance(self.place, list):
                number, turn, _ = self._draw(self.place)
                self.node, self.place = int(number), 0
                self.shift = [self.rules.turns[int(turn)][cell] for cell in self.shift]
            if self.place is None:
                return int(actions[0])
            self.entry = self._draw(self.nodes[self.node]["rows"][self.place], 1)
            self.tried = self.shift.index(int(self.entry[0]))
            if self.tried in actions:
                return self.tried

    def _draw(self, options: Sequence[Any], share: int = 2) -> Any:
        return options[draw_index([float(Fraction(option[share])) for option in options], self.stream)]


def follower(name: str, body: BoundsCertificate) -> PlayerAgent:
    verify(body)
    rules = rules_of(body["game"])
    return PlayerAgent(name, lambda stream: ProofPlayer(rules, (body["black"], body["white"]), stream))
