"""The optimal mixtures of a plans certificate in words: how to use them, and how their heaviest plans begin."""

from fractions import Fraction
from typing import Any

from ...games.shared.boards import BOARDS, Board
from ...solve.checkers.plans_certificate import PLAYERS, Plan, Rules, plan_of, rules_of, verify
from .double_oracle import SOLVABLE

SHOWN, DEPTH = 5, 3  # how many plans of a side are shown, and how many of their tries, unless everything is wanted


def explain(document: Any, everything: bool = False) -> list[str]:
    """Both strategies: what they are worth, how to use them, and how the plans begin, from the heaviest on."""
    value, _ = verify(document)
    rules, board = rules_of(document["game"]), BOARDS[SOLVABLE[document["game"]][0]]
    return [
        f"{document['game']} ({rules.variant}): Black gets {value} = {float(value):.6f} on average or more, White "
        f"{float(1 - value):.6f}, whatever the other side does (a win counts 1, a draw 1/2).",
        "Before each game draw one of the plans of your side by lot, with the chances before them, then turn or mirror "
        f"it at random, all {len(rules.symmetries)} ways alike.",
        "In a plan, [..] is what to try after a failure, and what comes after a comma follows if the stone stays.",
        *(line for player in (0, 1) for line in side_lines(rules, board, player, document, everything)),
    ]


def side_lines(rules: Rules, board: Board, player: int, document: Any, everything: bool) -> list[str]:
    """Describe the beginnings of one side's plans, from the heaviest on."""
    entries = sorted(((int(weight), text) for text, weight in document[PLAYERS[player]].items()), reverse=True)
    total = sum(weight for weight, _ in entries)
    shown = entries if everything else entries[:SHOWN]
    part = "" if everything else f"; the heaviest {len(shown)}, their first {DEPTH} tries"
    lines = ["", f"{PLAYERS[player].capitalize()}, {len(entries)} plans{part}:"]
    for weight, text in shown:
        plan = plan_of(rules, player, text)
        words = plan_words(board, plan, rules.cells if everything else DEPTH)
        lines.append(f"{float(Fraction(weight, total)):>7.2%}  {words}")
    return lines


def plan_words(board: Board, plan: Plan, depth: int) -> str:
    """A plan so many tries deep: the cell, in brackets what follows a failure, and what follows the stone."""
    words = board.cell_name(plan.cell)
    if depth == 1:
        return words
    if plan.after[0] is not None:
        words += f" [{plan_words(board, plan.after[0], depth - 1)}]"
    stays = [plan_words(board, rest, depth - 1) for rest in plan.after[1:] if rest is not None]
    if len(stays) > 1:
        numbered = (f"{tries}: {rest}" for tries, rest in enumerate(stays, 1))
        return f"{words}, by the other's tries ({'; '.join(numbered)})"
    return f"{words}, {stays[0]}" if stays else words
