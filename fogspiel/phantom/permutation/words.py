"""An optimal strategy of permutation tic-tac-toe in words and numbered boards, from its certificate."""

from fractions import Fraction
from typing import Any

from ...solve.checkers.permutation_certificate import TTT, verify

# How many orders of a side are shown unless all are wanted, and how many boards stand next to each other.
SHOWN, ABREAST = 6, 6


def explain(document: Any, everything: bool = False) -> list[str]:
    """Both strategies: how to use them, and the orders from the heaviest on, all of them if everything is wanted."""
    value, _ = verify(document)
    return [
        f"permutation-ttt: moving first one gets {value} = {float(value):.6f} on average or more, moving second "
        f"{float(1 - value):.6f}, whatever the other does (a win counts 1, a draw 1/2).",
        "Before each game draw one of the boards of your side by lot, with the chances above them, then turn and "
        "mirror it at random, all eight ways alike. Your stones go to its cells by number; taken ones are skipped.",
        *(line for side in ("first", "second") for line in side_lines(side, document[side], everything)),
    ]


def side_lines(side: str, entries: dict[str, str], everything: bool) -> list[str]:
    """The orders of one side, from the heaviest on."""
    orders = sorted(((Fraction(share), order) for order, share in entries.items()), key=lambda one: (-one[0], one[1]))
    shown = orders if everything else orders[:SHOWN]
    together = float(sum(share for share, _ in shown))
    part = (
        ""
        if len(shown) == len(orders)
        else f"; the heaviest {len(shown)}, of which one is drawn {together:.1%} of the time"
    )
    lines = ["", f"Moving {side}, {len(orders)} orders{part}:"]
    for at in range(0, len(shown), ABREAST):
        some = shown[at : at + ABREAST]
        boards = [numbered(order) for _, order in some]
        lines += ["", "   ".join(f"{float(share):>7.2%}" for share, _ in some)]
        lines += ["   ".join(f"  {row}" for row in rows) for rows in zip(*boards, strict=True)]
    return lines


def numbered(order: str) -> list[str]:
    """The rows of a board from the top, every cell with its place in the order."""
    places = [str(order.index(str(cell)) + 1) for cell in range(TTT.cells)]
    return [" ".join(places[at : at + TTT.columns]) for at in range(0, TTT.cells, TTT.columns)]
