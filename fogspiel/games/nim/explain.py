"""Nim in words: won positions kept, the first move, and the score against perfect play."""

from ...core.agents import Policy, find_policy
from ...core.explanation import Explanation, Table, percent
from ...core.game import Game
from .exact import ALL_POSITIONS, actions_of, exact_score, lost_indices, moves
from .rules import heaps_of, label

SHOWN = 8  # mistakes that are listed


def explain(game: Game, player: Policy, seed: int) -> Explanation:
    """Compare a value function with perfect play."""
    chosen, lost = actions_of(player.strategy, player.thetas[0]), lost_indices()
    won = [position for position in ALL_POSITIONS if position not in lost]
    mistakes = [position for position in won if moves(position)[chosen[position]] not in lost]
    kept = len(won) - len(mistakes)
    # The start is lost for the player to move, so the perfect player wins whenever it moves second.
    second = 2 * exact_score(game, player, find_policy(game, "perfect"))
    sentences = (
        f"{player.name} keeps the win in {kept} of {len(won)} won positions ({percent(kept / len(won))}).",
        f"From 1-3-5-7 it begins with: {label(chosen[-1])}.",
        f"Against the perfect player it wins {percent(0)} moving first, which nobody can better, "
        f"and {percent(float(second))} moving second.",
    )
    if not mistakes:
        return Explanation(sentences)
    rows = []
    for position in mistakes[:SHOWN]:
        right = [label(action) for action, after in moves(position).items() if after in lost]
        rows.append(("-".join(map(str, heaps_of(position))), label(chosen[position]), " or ".join(right)))
    title = f"The {min(SHOWN, len(mistakes))} smallest of its {len(mistakes)} mistakes in won positions"
    return Explanation(sentences, (Table(title, ("heaps", "it does", "right is"), tuple(rows)),))
