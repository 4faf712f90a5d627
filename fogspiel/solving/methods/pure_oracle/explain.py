"""The optimal mixtures of a plans certificate as text: their use, and the first tries of their heaviest plans."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np

from ....core.agents import PlayerAgent
from ....core.rng import random_below, random_unit
from ....games.boards.board import BOARDS, Board
from ....games.phantom.rules import COUNTED, SEEN_PLAYER, SEEN_RECORD, TURNS
from ...proofs.checkers.pure_strategies import (
    PLAYERS,
    PhantomRules,
    PlanNode,
    PlansCertificate,
    plan_of,
    rules_of,
    verify,
)
from .double_oracle import SOLVABLE

SHOWN, DEPTH = 5, 3  # number of plans of a side, and of their tries, that are shown by default


def explain(document: Any, everything: bool = False) -> list[str]:
    """Describe both strategies: their value, their use, and the first tries of the plans, by descending weight."""
    value, _ = verify(document)
    rules, board = rules_of(document["game"]), BOARDS[SOLVABLE[document["game"]][0]]
    return [
        f"{document['game']} ({rules.variant}): Black gets {value} = {float(value):.6f} on average or more, White "
        f"{float(1 - value):.6f}, whatever the other side does (a win counts 1, a draw 1/2).",
        "Before each game draw one of the plans of your side by lot, with the chances before them, then turn or mirror "
        f"it at random, all {len(rules.board.symmetries)} ways alike.",
        "In a plan, [..] is what to try after a failure, and what comes after a comma follows if the stone stays.",
        *(line for player in (0, 1) for line in side_lines(rules, board, player, document, everything)),
    ]


def side_lines(rules: PhantomRules, board: Board, player: int, document: Any, everything: bool) -> list[str]:
    entries = sorted(((int(weight), text) for text, weight in document[PLAYERS[player]].items()), reverse=True)
    total = sum(weight for weight, _ in entries)
    shown = entries if everything else entries[:SHOWN]
    part = "" if everything else f"; the heaviest {len(shown)}, their first {DEPTH} tries"
    lines = ["", f"{PLAYERS[player].capitalize()}, {len(entries)} plans{part}:"]
    for weight, text in shown:
        plan = plan_of(rules, player, text)
        words = plan_words(board, plan, rules.board.cells if everything else DEPTH)
        lines.append(f"{float(Fraction(weight, total)):>7.2%}  {words}")
    return lines


def plan_words(board: Board, plan: PlanNode, depth: int) -> str:
    """Format a plan to this depth: the cell, in brackets what follows a failure, and what follows the stone."""
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


# Playing a plans certificate: a plan is drawn before the game, turned at random, and followed.

Plans = tuple[list[PlanNode], list[float]]  # the plans of one side, with their cumulative probabilities


class Follower:
    """Player that follows the strategies of a certificate, in either seat."""

    def __init__(self, rules: PhantomRules, sides: tuple[Plans, Plans], stream: np.ndarray) -> None:
        self.rules, self.sides, self.stream = rules, sides, stream

    def begin(self, side: int) -> None:
        plans, cumulated = self.sides[side]
        place = int(np.searchsorted(cumulated, random_unit(self.stream) * cumulated[-1], "right"))
        self.plan = plans[min(place, len(plans) - 1)]
        self.moved = self.rules.board.symmetries[int(random_below(self.stream, len(self.rules.board.symmetries)))]

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        turns, player = int(seen[TURNS]), int(seen[SEEN_PLAYER])
        record = seen[SEEN_RECORD : SEEN_RECORD + 2 * turns].reshape(-1, 2).tolist()
        counts = seen[SEEN_RECORD + 2 * turns :].tolist()
        plan: PlanNode | None = self.plan
        turn = 0
        while True:
            assert plan is not None
            cell = self.moved[plan.cell]
            stone, failed = record[turn]
            if stone == cell:
                plan = plan.after[counts[turn + player] if seen[COUNTED] else 1]
                turn += 1
            elif failed >> cell & 1:
                plan = plan.after[0]
                turn += self.rules.variant == "abrupt"
            else:
                return cell


def follower(name: str, document: PlansCertificate) -> PlayerAgent:
    rules = rules_of(document["game"])
    black, white = (plans_of(rules, player, document) for player in (0, 1))
    return PlayerAgent(name, lambda stream: Follower(rules, (black, white), stream))


def plans_of(rules: PhantomRules, player: int, document: PlansCertificate) -> Plans:
    entries = document["black"] if PLAYERS[player] == "black" else document["white"]
    weights = list(map(int, entries.values()))
    shares = [weight / sum(weights) for weight in weights]
    return [plan_of(rules, player, text) for text in entries], list(accumulate(shares))
