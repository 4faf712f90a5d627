"""Guess Who: the characters that are still possible."""

import numpy as np

from ...core.agents import ParametricPolicy, find_policy
from ...core.explain import Explanation, Table, heat_map, percent
from ...core.game import Game
from ...core.picture import BoardPicture, Cell, Facts, Messages, Parts
from . import rules
from .exact import characters_of, exact_score, fill_optimum, player_of, questions_of, rate
from .rules import GOD, STOCHASTIC

IN_A_ROW = 8


def characters(left: int, of: int, title: str, can_ask: bool, look: str) -> BoardPicture:
    """Draw the characters that are still possible; the c-th asks about the first c."""
    cells = []
    for place in range(1, of + 1):
        if place > left:
            cells.append(Cell("", "unknown", None, "ruled out"))
        elif can_ask and place < left:
            cells.append(Cell(str(place), f"{look} face", place, rules.label(place)))
        else:
            cells.append(Cell(str(place), f"{look} face", None, "still possible"))
    rows = tuple(tuple(cells[first : first + IN_A_ROW]) for first in range(0, of, IN_A_ROW))
    return BoardPicture(rows, title)


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    own, other, of, mine, asked = (int(cell) for cell in seen)
    if 1 in (own, other):
        words = "You have found the other's character." if own == 1 else "The other has found yours."
    elif asked:
        words = f"{'Your' if mine else 'The other’s'} question about {asked} characters waits for its answer."
    else:
        words = "Your turn: choose how many characters to ask about." if mine else "The other's turn."
    can_ask = bool(mine) and not asked and 1 not in (own, other)
    facts = Facts((("your search", f"{own} of {of} left"), ("the other's search", f"{other} of {of} left")))
    return Messages((words,)), characters(own, of, "Still possible in your search", can_ask, "own"), facts


def draw_state(game: Game, state: np.ndarray) -> Parts:
    of, asked = int(state[rules.CHARACTERS]), int(state[rules.ASKED])
    left = [int(number) for number in state[rules.POOL : rules.POOL + 2]]
    words = f"Player {state[rules.TURN] + 1} " + (f"asks about {asked}." if asked else "is to ask.")
    boards = tuple(
        characters(left[player], of, f"Search of player {player + 1}", False, ("own", "other")[player])
        for player in range(2)
    )
    return Messages((words,)), *boards


# Explanation: the question in each position, the frequency of optimal ones, and exact scores.

OPPONENTS = ("dichotomy", "OL", "God")
# Typical positions: all characters divided by these, for the player and the opponent.
SHARES = ((1, 1), (1, 2), (1, 4), (1, 8), (2, 1), (4, 1), (8, 1), (2, 2), (4, 4))
STEPS = 16  # rows and columns of a heat map


def explain(game: Game, player: ParametricPolicy, seed: int) -> Explanation:
    """Return the questions compared with those of the player God, and the scores against the paper's players."""
    characters = characters_of(game)
    asked, optimal = (
        questions_of(player_of(one.strategy, one.thetas[0]), characters) for one in (player, find_policy(game, "God"))
    )
    typical = Table(
        f"What {player.name} asks about",
        ("own left", "other's left", "it asks about", "share of the own", "God asks about"),
        tuple(
            (n, m, _question_text(asked[n, m]), percent(_mean(asked[n, m]) / n), _question_text(optimal[n, m]))
            for n, m in ((characters // i, characters // j) for i, j in SHARES)
        ),
    )
    scores = []
    for name in OPPONENTS:
        other = find_policy(game, name)
        if STOCHASTIC in (player.strategy, other.strategy):  # an exact score takes half a minute
            scores.append((name, f"{rate(player, other, characters):.6f}", "computed in floating point"))
        else:
            exact = exact_score(game, player, other)
            short = str(exact) if len(str(exact)) < 24 else "long, rounded here"
            scores.append((name, f"{float(exact):.6f}", short))
    table = Table(f"What {player.name} scores, by calculation", ("against", "score", "as a fraction"), tuple(scores))
    left = [max(2, characters * step // STEPS) for step in range(1, STEPS + 1)]
    maps = {player.name: _shares(asked, left), "God": _shares(optimal, left)}
    most = max(float(shares.max()) for shares in maps.values())
    title = "share of the n own characters that it asks about; n downwards, the other's m across"
    pictures = tuple(heat_map(f"{name}: {title}", grid.tolist(), left, left, most) for name, grid in maps.items())
    return Explanation(_sentences(player, asked, characters), (typical, table), pictures)


def _mean(weights: np.ndarray) -> float:
    return float(np.arange(len(weights)) @ weights.astype(float) / weights.sum(dtype=float))


def _question_text(weights: np.ndarray) -> str:
    possible = np.nonzero(weights)[0].tolist()
    return str(possible[0]) if len(possible) == 1 else f"{possible[0]} to {possible[-1]}, mean {_mean(weights):.1f}"


def _sentences(player: ParametricPolicy, asked: np.ndarray, characters: int) -> tuple[str, ...]:
    quarter = characters // 4
    level, ahead, behind = (
        f"{_question_text(asked[n, m])} ({percent(_mean(asked[n, m]) / n)})"
        for n, m in ((characters, characters), (quarter, characters), (characters, quarter))
    )
    first = (
        f"With {characters} characters left on both sides {player.name} asks about {level}, ahead with {quarter} "
        f"against {characters} about {ahead}, behind with {characters} against {quarter} about {behind}."
    )
    if player.strategy is GOD:
        rule = "God is optimal: it halves, but with more than 2^(k+1) left it asks about 2^k only, where 2^k < m <= "
        return (f"{rule}2^(k+1) and m is what the other has left.", first)
    share = _optimal_share(asked, characters)
    second = f"Its question is an optimal one in {percent(share)} of all positions with 2 to {characters} left each"
    return (first, second + (", on average over its draws." if player.strategy is STOCHASTIC else "."))


def _optimal_share(asked: np.ndarray, characters: int) -> float:
    """Return the fraction of optimal questions (those with the highest stake), all positions weighted equally."""
    stakes, questions = (np.zeros((characters + 1, characters + 1), np.int64) for _ in range(2))
    fill_optimum(stakes, questions)
    shares = []
    for n in range(2, characters + 1):
        for m in range(2, characters + 1):
            best = n * m - stakes[m, 1:n] - stakes[m, n - 1 : 0 : -1] == stakes[n, m]
            weights = asked[n, m, 1:n].astype(float)
            shares.append(weights[best].sum() / weights.sum())
    return float(np.mean(shares))


def _shares(asked: np.ndarray, left: list[int]) -> np.ndarray:
    """Return the mean of c/n in a selection of positions."""
    return np.array([[_mean(asked[n, m]) / n for m in left] for n in left])


# Rules of Guess Who for a first-time player.

HOW_TO_PLAY = (
    "Each player has a secret character, and searches for the other's among those on the board.",
    "In turn ask a question about some of the characters that are still possible in your search.",
    "Any set of them can be asked about, so only their number matters: you choose how many.",
    "If the answer is yes, these are left; if it is no, the others are.",
    "A question about few characters is bold: it seldom gets a yes, but then much is won.",
    "Both players see how many characters are left in both searches.",
    "Who has a single character left first has found it and wins.",
)


# News: the answers.


def chance_words(game: Game, state: np.ndarray, action: int, side: int) -> str:
    mover, asked = int(state[rules.TURN]), int(state[rules.ASKED])
    left = asked if action < asked else int(state[rules.POOL + mover]) - asked
    whose = "you have" if mover == side else "the other has"
    return f"{'Yes' if action < asked else 'No'}: {whose} {left} left."
