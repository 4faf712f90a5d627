"""War and Batawaf in words: how the won cards come back."""

from ...core.agents import Policy
from ...core.explanation import Cell, Explanation, Table, percent
from ...core.game import Game
from ..shared.sampling import plan_of
from .strategy import PLAN_FORWARD, PLAN_SHUFFLE, in_order, words

PACKETS = (2, 4, 6)  # the usual numbers of won cards: those of a trick without a battle, and two more


def explain(game: Game, player: Policy, seed: int) -> Explanation:
    """Describe the frequency of each order, and with four parameters the orders themselves."""
    theta, plan = player.thetas[0], plan_of(player)
    shuffled, forward, backward = plan[PLAN_SHUFFLE], plan[PLAN_FORWARD] - plan[PLAN_SHUFFLE], 1 - plan[PLAN_FORWARD]
    best_first = shuffled / 2 + (forward if in_order(plan, 2, 0) == 1 else backward)
    sentences = [
        f"{player.name} {words(theta)}.",
        f"Of two won cards the better one goes back first, and so is played first: {percent(best_first)}.",
    ]
    if len(theta) == 3:
        return Explanation(tuple(sentences))
    rows: list[tuple[Cell, ...]] = []
    for packet in PACKETS:
        order = [int(in_order(plan, packet, i)) + 1 for i in range(packet)]
        rows.append((packet, *(" ".join(map(str, way)) for way in (order, order[::-1]))))
    title = "Its own order of the won cards, the one played first in front: 1 is the lowest card"
    columns = ("won cards", f"its own order {percent(forward)}", f"reversed {percent(backward)}")
    return Explanation(tuple(sentences), (Table(title, columns, tuple(rows)),))
