"""Morra in words: what is shown, what is expected, and what that costs."""

from ...core.agents import Policy
from ...core.explanation import Explanation, Table, heat_map, percent
from ...core.game import Game
from .exact import best_response, exploitability, law, marginals
from .rules import CALLS, FINGERS, label, words


def explain(game: Game, player: Policy, seed: int) -> Explanation:
    """The two marginals, which are all that matters, and the best reply to them."""
    theta = player.thetas[0]
    shown, expected = marginals(theta)
    cost = exploitability(theta)
    nonsense = max(0.0, 1.0 - float(expected.sum()))
    if cost:
        exactly = f" = {cost}" if len(str(cost)) < 24 else ""
        reply = f"The best reply is to {label(best_response(theta))}; it scores {0.5 + float(cost):.6f}, so the "
        reply += f"exploitability is {float(cost):.6f}{exactly}."
    else:
        reply = "Nobody scores more than 1/2 against it: its exploitability is exactly 0."
    wrong = "Calls that cannot be right, as the other would have to show fewer than 0 or more than 5 fingers"
    sentences = (f"{player.name} {words(theta)}.", f"{wrong}: {percent(nonsense)}.", reply)
    rows = tuple((f, percent(shown[f]), percent(expected[f])) for f in range(FINGERS))
    table = Table(f"The fingers of {player.name}", ("fingers", "shows them", "expects them"), rows)
    chances = [[float(chance) for chance in law(theta)[CALLS * f : CALLS * (f + 1)]] for f in range(FINGERS)]
    title = "Probability of each throw: fingers downwards, call across"
    picture = heat_map(title, chances, range(FINGERS), range(CALLS), max(map(max, chances)))
    return Explanation(sentences, (table,), (picture,))
