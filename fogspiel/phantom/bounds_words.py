"""A proof of bounds in words: what it proves, how each player begins, and with --all every belief it passes through."""

from fractions import Fraction
from typing import Any

from ..games.shared.boards import BOARDS, Board
from ..solve.checkers.phantom_bounds import verify

SIDES = ("black", "white")


def explain(body: Any, everything: bool = False) -> list[str]:
    """The bounds that a certificate proves, checked first, and the strategies behind them."""
    lower, upper = verify(body)
    board = BOARDS[body["game"].removeprefix("phantom-")]
    width = "" if lower == upper else f" (width {float(upper - lower):.6f})"
    lines = [
        f"{body['game']}: Black gets {_number(lower)} on average or more, at most {_number(upper)}{width}; "
        "a win counts 1, a loss 0.",
        "A proof is a list of nodes: each is a strategy for some turns from a belief on, with what it guarantees there "
        "against an opponent who knows the belief. Its last node is the whole game.",
    ]
    for side, worth in zip(SIDES, (lower, 1 - upper), strict=True):
        lines += ["", *_side_lines(side.capitalize(), body[side], worth, board, everything)]
    return lines


def _number(bound: Fraction) -> str:
    return str(bound) if bound.denominator == 1 else f"{bound} = {float(bound):.6f}"


def _side_lines(name: str, nodes: list[Any], worth: Fraction, board: Board, everything: bool) -> list[str]:
    """The proof of one player: the first turns, and every node if everything is wanted."""
    if not nodes:
        return [f"{name}: nothing is proved but that it gets 0 or more."]
    head = (
        f"{name} gets {_number(worth)} or more, by {len(nodes)} nodes. It turns and mirrors the board at random, all "
    )
    lines = [head + "eight ways alike; then, from the first row on:", *_row_lines(nodes[-1]["rows"], board)]
    for number in range(len(nodes) - 1) if everything else ():
        node = nodes[number]
        own = " ".join(board.cell_name(cell) for cell in range(board.cells) if node["own"] >> cell & 1) or "no stones"
        worlds = f"{len(node['worlds'])} possible positions of the opponent"
        lines += [f"node {number}: with {own}, {worlds}, it gets {_worths(node)}:"]
        lines += _row_lines(node["rows"], board)
    if not everything and len(nodes) > 1:
        lines.append(f"  and {len(nodes) - 1} nodes to go on by: add --all")
    return lines


def _worths(node: Any) -> str:
    """Describe the value of a node: one for all worlds, or the range from worst to best."""
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
    """Describe the continuation of a strategy."""
    if place is None:
        return "give up"
    if isinstance(place, int):
        return f"go on at row {place}"
    return "go on by " + " or ".join(
        f"node {node}" + ("" if share == "1" else f" ({share})") for node, _, share in place
    )
