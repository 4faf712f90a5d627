"""Permutation tic-tac-toe in words: the orders as numbered boards, exact scores, and the best replies."""

from fractions import Fraction

from ...core.agents import Policy, find_policy
from ...core.explanation import Explanation, Picture, Table, percent
from ...core.game import UNIFORM, Game
from .exact import exact_score, exploitability_of, law_against_random, laws, replies
from .rules import CELLS, EQUILIBRIUM

SEATS = ("moving first", "moving second")
SIDE = 3


def explain(game: Game, player: Policy, seed: int) -> Explanation:
    """Both orders (the heaviest ones of a mixture), what they score against random ones, and who beats them most."""
    orders = laws(player)
    assert orders is not None
    best, pictures = replies(player), []
    for law, seat in zip(orders, SEATS, strict=True):
        order = max(law, key=lambda cells: law[cells])
        often = "" if len(law) == 1 else f", the likeliest of {len(law)} orders ({percent(float(law[order]))})"
        pictures.append(_board(f"{player.name} {seat}{often}", order))
    for reply, seat, against in zip(best, SEATS, SEATS[::-1], strict=True):
        title = f"best reply {seat}, scores {float(reply.score):.4f} against {player.name} {against}"
        pictures.append(_board(title, reply.cells))
    rows = [
        (seat, *_score_cells(law_against_random(law, number)))
        for number, (law, seat) in enumerate(zip(orders, SEATS, strict=True))
    ]
    rows.append(("both", *_score_cells(exact_score(game, player, find_policy(game, UNIFORM.name)))))
    title = f"What {player.name} scores against random orders, exactly"
    sentences = (_sentence(player), *explain_mixture(player))
    return Explanation(sentences, (Table(title, ("seat", "score", "as a fraction"), tuple(rows)),), tuple(pictures))


def explain_mixture(player: Policy) -> tuple[str, ...]:
    """Describe the best opponent's gain over 1/2 against all of a player."""
    cost = exploitability_of(player)
    exactly = str(cost) if len(str(cost)) < 24 else f"{float(cost):.6f}"
    draws = player.strategy is EQUILIBRIUM or len(player.thetas) > 1
    known = f"Who knows {player.name}" + (", but not what it draws," if draws else "")
    return (f"{known} scores at most {0.5 + float(cost):.6f}: exploitability {exactly}.",)


def _sentence(player: Policy) -> str:
    if player.strategy is EQUILIBRIUM:
        return f"{player.name} draws its order by a mixture that nobody beats; the boards show the likeliest orders."
    assert player.strategy.words is not None
    return f"{player.name} {player.strategy.words(player.thetas[0])}."


def _score_cells(exact: Fraction) -> tuple[str, str]:
    return f"{float(exact):.6f}", str(exact) if len(str(exact)) < 24 else "long, rounded here"


def _board(title: str, order: tuple[int, ...]) -> Picture:
    """The cells numbered by their place in the order."""
    places = [order.index(cell) + 1 for cell in range(CELLS)]
    rows = [places[start : start + SIDE] for start in range(0, CELLS, SIDE)]
    lines = tuple(" ".join(map(str, row)) for row in rows)
    return Picture(title, lines, ("1", "2", "3"), ("A", "B", "C"), tuple(tuple(map(float, row)) for row in rows))
