"""Playing a plans certificate: a plan is drawn before the game, turned at random, and followed."""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from ...core.agents import PlayerAgent
from ...core.rng import below, unit
from ...games.phantom.rules import COUNTED, SEEN_PLAYER, SEEN_RECORD, TURNS
from ...solve.checkers.plans_certificate import PLAYERS, Plan, PlansCertificate, Rules, plan_of, rules_of

Plans = tuple[list[Plan], list[float]]  # the plans of one side, and for each the probability of it or one before it


class Follower:
    """Follows the strategies of a certificate, in either seat."""

    def __init__(self, rules: Rules, sides: tuple[Plans, Plans], stream: np.ndarray) -> None:
        self.rules, self.sides, self.stream = rules, sides, stream

    def begin(self, side: int) -> None:
        plans, cumulated = self.sides[side]
        place = int(np.searchsorted(cumulated, unit(self.stream) * cumulated[-1], "right"))
        self.plan = plans[min(place, len(plans) - 1)]
        self.moved = self.rules.symmetries[int(below(self.stream, len(self.rules.symmetries)))]

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        """Follow the plan through all that was told so far."""
        turns, player = int(seen[TURNS]), int(seen[SEEN_PLAYER])
        record = seen[SEEN_RECORD : SEEN_RECORD + 2 * turns].reshape(-1, 2).tolist()
        counts = seen[SEEN_RECORD + 2 * turns :].tolist()
        plan: Plan | None = self.plan
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
    """An agent that plays by a certificate."""
    rules = rules_of(document["game"])
    black, white = (plans_of(rules, player, document) for player in (0, 1))
    return PlayerAgent(name, lambda stream: Follower(rules, (black, white), stream))


def plans_of(rules: Rules, player: int, document: PlansCertificate) -> Plans:
    """The strategy of one side, ready to be drawn from."""
    entries = document["black"] if PLAYERS[player] == "black" else document["white"]
    weights = list(map(int, entries.values()))
    shares = [weight / sum(weights) for weight in weights]
    return [plan_of(rules, player, text) for text in entries], list(accumulate(shares))
