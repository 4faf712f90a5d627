"""Proof objects: the strategies behind the guarantees of `window` and `surewin`, as `proof` checks them."""

from fractions import Fraction
from typing import Any

import numpy as np

from ..solve.checkers.phantom_bounds import FORMAT, Checker, Node, Rules, digest_of, node_of
from ..solve.fractions import exact_of
from ..solve.lp import equilibrium
from .and_or_search import SureWin
from .information_relaxation import Decision, Failed, Turn, Window, Windows

Jump = list[list[Any]]


class Prover:
    """The nodes of one player's proof: every belief once, those it leads to before it."""

    def __init__(self, windows: Windows) -> None:
        self.windows, self.board, self.search = windows, windows.board, windows.search
        turns = Rules(self.board.rows).turns
        self.turns = [turns.index(shift.tolist()) for shift in self.board.symmetries]
        self.bodies: list[dict[str, Any]] = []
        self.numbers: dict[tuple[int, bytes], int] = {}

    def take_over(self, search: SureWin) -> None:
        """Use what another search has decided."""
        self.search = self.windows.search = search

    def jump(self, own: int, worlds: np.ndarray) -> Jump:
        """How to go on with a belief: by the node of its canonical image."""
        number, turn = self.placed(own, worlds)
        return [[number, turn, "1"]]

    def placed(self, own: int, worlds: np.ndarray) -> tuple[int, int]:
        """The number of the node for a belief, and the turn that leads to it."""
        sure = self.search.sure(own, worlds)
        own, worlds, turn = self.search.canonical(own, worlds)
        worlds = worlds if sure else self.windows.best(own, worlds)
        key = own, worlds.tobytes()
        if key not in self.numbers:
            if sure:
                worth, rows = Fraction(1), self._sure_rows(own, worlds)
            else:
                worth, rows = self.window_rows(self.windows.window(own, worlds))
            self.numbers[key] = self.add(own, worlds.tolist(), worth, rows)
        return self.numbers[key], self.turns[turn]

    def worth(self, own: int, worlds: np.ndarray) -> Fraction:
        """What the node of a belief guarantees."""
        return Fraction(self.bodies[self.placed(own, worlds)[0]]["worth"])

    def add(self, own: int, worlds: list[int], worth: Fraction, rows: list[Any]) -> int:
        """The number of a new node."""
        self.bodies.append({"own": own, "worlds": worlds, "worth": str(worth), "rows": rows})
        return len(self.bodies) - 1

    def finish(self, rows: list[Any]) -> Fraction:
        """Add the node of the whole game, on a board turned at random; what it guarantees."""
        size, worlds = self.board.rows, self.search.beliefs.start.tolist()
        number = self.add(0, worlds, Fraction(0), rows)
        nodes: list[Node] = [node_of(body, k, size) for k, body in enumerate(self.bodies)]
        worth = Checker(size, nodes).worth(nodes[number], range(8))
        self.bodies[number]["worth"] = str(worth)
        return worth

    def _sure_rows(self, own: int, worlds: np.ndarray) -> list[Any]:
        """The try that wins for sure, and how it goes on."""
        cell = self.search.choice(own, worlds)
        split = self.search.beliefs.split(own, worlds, cell)
        illegal = self.jump(own, split.illegal) if len(split.illegal) else None
        legal = None
        if len(split.going):
            after, _ = self.search.beliefs.answered(own | 1 << cell, split.going)
            legal = self.jump(own | 1 << cell, after)
        return [[[cell, "1", illegal, legal]]]

    def window_rows(self, window: Window) -> tuple[Fraction, list[Any]]:
        """An optimal strategy of a window in fractions, with what it guarantees."""
        found = equilibrium(window.form(self.windows.worths(window)))
        used = set(window.used(found.behaviours[0]))
        worths = [self.worth(*window.assumed[a]) if a in used else Fraction(0) for a in range(len(window.assumed))]
        form = window.form(worths)
        found = equilibrium(form)
        exact = exact_of(form, found.planner, found.point)
        return exact.lower, self.rows(window, exact.behaviours[0])

    def rows(self, window: Window, behaviour: list[Fraction]) -> list[Any]:
        """The rows of a strategy for a window: those that it can reach."""
        writer = Writer(self, window, behaviour)
        writer.row(0)
        return writer.rows


class Writer:
    """The decisions of a window that a strategy reaches, written as rows."""

    def __init__(self, prover: Prover, window: Window, behaviour: list[Fraction]) -> None:
        self.prover, self.window, self.behaviour = prover, window, behaviour
        self.side = prover.windows.sides[0]
        self.numbers = {(id(d.turn), d.failed): k for k, d in enumerate(window.decisions)}
        self.rows: list[Any] = []

    def chosen(self, number: int) -> list[tuple[int, Fraction]]:
        """What the strategy does at a decision, with probabilities."""
        decision, first = self.window.decisions[number], int(self.window.plexes[0].first[number])
        return [(t, self.behaviour[first + k]) for k, t in enumerate(decision.tries) if self.behaviour[first + k]]

    def row(self, number: int) -> int:
        """The number of the row for a decision; rows it leads to come later."""
        decision, place = self.window.decisions[number], len(self.rows)
        self.rows.append([])
        for cell, share in self.chosen(number):
            illegal = self.place(decision.turn, (*decision.failed, cell))
            legal = self.after(decision, cell)
            self.rows[place].append([cell, str(share), illegal, legal])
        return place

    def after(self, decision: Decision, cell: int) -> Any:
        """Where to go on after a legal try."""
        following = decision.turn.next.get((decision.failed, cell))
        return None if following is None else self.place(following, ())

    def place(self, turn: Turn, failed: Failed) -> Any:
        """Where to go on at a decision: a row, earlier nodes, or nowhere."""
        worlds = self.side.left(turn, failed)
        if not len(worlds):
            return None
        if self.side.sure(turn, failed):
            return self.prover.jump(turn.own, worlds)
        number = self.numbers.get((id(turn), failed))
        if number is None:
            return None
        if not self.window.decisions[number].assumptions:
            return self.row(number)
        jump = []
        for assumption, share in self.chosen(number):
            node, turned = self.prover.placed(*self.window.assumed[assumption])
            jump.append([node, turned, str(share)])
        return jump or None


def document(game: str, lower: Fraction, black: list[Any], upper: Fraction, white: list[Any]) -> dict[str, Any]:
    """The proof that the value of a game is between two bounds."""
    body = {
        "format": FORMAT,
        "game": game,
        "lower": str(lower),
        "upper": str(upper),
        "black": black,
        "white": white,
    }
    return body | {"digest": digest_of(body)}
