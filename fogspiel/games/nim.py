"""Nim with heaps of 1, 3, 5 and 7, misère: taking the last object loses.

Data sheet of a state (int64 cells)
    0 MOVER     the player to move
    1 HEAP      objects in each of the four heaps
Data sheet of a view: 1 if the move is one's own (else 0), then the heaps: nothing is hidden.

Action 8 * heap + number: take 1 or more objects from one heap; actions are listed by heap, then by number.
A position has the index h1 + 2 h2 + 8 h3 + 48 h4, unique for all fillings of the heaps; 0 is the end.
"""

from fractions import Fraction
from functools import cache

import numpy as np

from ..core.agents import REDRAWN, BestResponseScore, ParametricPolicy, find_policy, members_of, reply_to_members
from ..core.compile.kernel import inlined, kernel
from ..core.explain import Explanation, Table, percent
from ..core.game import LOSS, OVER, UNIFORM, WIN, Game, Rules, Sizes, Strategy, nothing_hidden, nothing_to_prepare
from ..core.picture import BoardPicture, Cell, Messages, Parts

MOVER, HEAP = 0, 1
SEEN_MINE, SEEN_HEAP = 0, 1
FULL = (1, 3, 5, 7)
HEAPS = len(FULL)
STEP = (1, 2, 8, 48)  # stride of each heap in the index of a position
POSITIONS = 383  # the positions in which a player is to move, 1..383


# The six rules


@kernel
def start(state):
    state[MOVER] = 0
    for heap in range(HEAPS):
        state[HEAP + heap] = FULL[heap]


@inlined
def index(cells, first):
    return cells[first] + 2 * cells[first + 1] + 8 * cells[first + 2] + 48 * cells[first + 3]


@kernel
def mover(state):
    return OVER if index(state, HEAP) == 0 else state[MOVER]


@kernel
def legal(state, out):
    count = 0
    for heap in range(HEAPS):
        for taken in range(1, state[HEAP + heap] + 1):
            out[count] = 8 * heap + taken
            count += 1
    return count


@kernel
def apply(state, action):
    state[HEAP + action // 8] -= action % 8
    state[MOVER] = 1 - state[MOVER]


@kernel
def view(state, player, out):
    out[SEEN_MINE] = 1 if state[MOVER] == player else 0
    for heap in range(HEAPS):
        out[SEEN_HEAP + heap] = state[HEAP + heap]


@kernel
def score(state):
    return WIN if state[MOVER] == 0 else LOSS  # the opponent took the last object


# The strategy: a value for every position; leave the opponent the one with the smallest


@kernel
def prepare(theta, plan):
    """Write the values by index; the end has an infinite one, so a player removes the last object only if forced."""
    plan[0] = np.inf
    for position in range(1, len(plan)):
        plan[position] = theta[position - 1]


@inlined
def best_move(plan, cells, first):
    """Return the action that leaves the position with the smallest value, the first of equals."""
    position = index(cells, first)
    best, least = -1, np.inf
    for heap in range(HEAPS):
        for taken in range(1, cells[first + heap] + 1):
            value = plan[position - STEP[heap] * taken]
            if value < least or best < 0:
                best, least = 8 * heap + taken, value
    return best


@kernel
def choose(seen, actions, plan, stream):
    return best_move(plan, seen, SEEN_HEAP)


@kernel
def play(state, plan_0, plan_1, chance, stream_0, stream_1):
    start(state)
    while index(state, HEAP) > 0:
        apply(state, best_move(plan_0 if state[MOVER] == 0 else plan_1, state, HEAP))
    return score(state)


# Perfect play: Bouton 1901, misère


def lost(a: int, b: int, c: int, d: int) -> bool:
    """True if the player to move loses against perfect play: as in normal Nim while there is a heap of two or more."""
    if max(a, b, c, d) > 1:
        return a ^ b ^ c ^ d == 0
    return (a + b + c + d) % 2 == 1


lost_in_kernels = inlined(lost)


@kernel
def choose_perfect(seen, actions, plan, stream):
    """Return the first move that leaves a lost position, or else the first move."""
    heaps = seen[SEEN_HEAP:].copy()
    for i in range(len(actions)):
        heap, taken = actions[i] // 8, actions[i] % 8
        heaps[heap] -= taken
        if lost_in_kernels(heaps[0], heaps[1], heaps[2], heaps[3]):
            return actions[i]
        heaps[heap] += taken
    return actions[0]


# Text


def heaps_of(position: int) -> tuple[int, ...]:
    return tuple(position // step % (full + 1) for step, full in zip(STEP, FULL, strict=True))


def label(action: int) -> str:
    return f"take {action % 8} from heap {action // 8 + 1}"


def heaps_text(heaps: np.ndarray) -> str:
    return "\n".join(f"heap {number}: {'|' * int(objects)}" for number, objects in enumerate(heaps, 1))


def show(seen: np.ndarray) -> str:
    return heaps_text(seen[SEEN_HEAP:]) + ("\nyour move" if seen[SEEN_MINE] else "\nthe other's move")


def reveal(state: np.ndarray) -> str:
    return f"{heaps_text(state[HEAP:])}\nplayer {state[MOVER] + 1} to move"


def describe(theta: np.ndarray) -> str:
    assert NIM.strategy is not None
    won, mistakes = mistakes_of(actions_of(NIM.strategy, theta))
    return f"keeps the win in {won - len(mistakes)} of {won} won positions"


EXACT = tuple(0.0 if lost(*heaps_of(position)) else 1.0 for position in range(1, POSITIONS + 1))

SOURCE = (
    "Cauwet & Teytaud 2018 give the number of parameters, 383, which is that of the positions of Nim with heaps of 1, "
    "3, 5 and 7. Ours: misère play, the order of the positions, moving to the smallest value, and ties (lowest heap, "
    "then fewest objects). perfect plays by Bouton's rule; exact is the same player as a value function, 0 for a "
    "position that is lost for the player to move and 1 for the others."
)

GAMES = (
    Game(
        name="nim",
        title="Nim 1-3-5-7, misère",
        family="nim",
        category="Dice and heaps",
        rules=Rules(start, mover, legal, apply, view, score),
        resample=nothing_hidden,
        sizes=Sizes(HEAP + HEAPS, SEEN_HEAP + HEAPS, sum(FULL)),
        show=show,
        reveal=reveal,
        label=label,
        source=SOURCE,
        strategy=Strategy(
            "value of every position",
            tuple("-".join(map(str, heaps_of(position))) for position in range(1, POSITIONS + 1)),
            POSITIONS + 1,
            prepare,
            choose,
            describe=describe,
        ),
        policies={"exact": EXACT, "perfect": Strategy("perfect", (), 1, nothing_to_prepare, choose_perfect)},
        policy_notes={"perfect": "never errs"},
        play=play,
    ),
)


# Nim solved: the value of every position, the quality of a value function, and exact scores.
#
# Positions are analysed backwards from the end by the rules alone, without Bouton's theorem.

NIM = GAMES[0]
ALL_POSITIONS = range(1, POSITIONS + 1)


@cache
def moves(position: int) -> dict[int, int]:
    """Return the actions in a position, each with the index of the position it leads to."""
    return {
        8 * heap + taken: position - STEP[heap] * taken
        for heap, objects in enumerate(heaps_of(position))
        for taken in range(1, objects + 1)
    }


@cache
def lost_indices() -> frozenset[int]:
    """Return the indices of positions lost for the player to move: every move leaves a won one.

    The end is won for the player to move, as the opponent has just removed the last object.
    """
    lost: set[int] = set()
    for position in ALL_POSITIONS:
        if lost.isdisjoint(moves(position).values()):
            lost.add(position)
    return frozenset(lost)


def actions_of(strategy: Strategy, theta: np.ndarray) -> list[int]:
    """Return a deterministic player's action in each position, by its index (0 at the end)."""
    plan, stream, seen = strategy.plan_for(theta), np.zeros(1, np.uint64), np.ones(SEEN_HEAP + len(FULL), np.int64)
    chosen = [0]
    for position in ALL_POSITIONS:
        seen[SEEN_HEAP:] = heaps_of(position)
        chosen.append(int(strategy.choose(seen, np.array(list(moves(position))), plan, stream)))
    return chosen


def mistakes_of(chosen: list[int]) -> tuple[int, list[int]]:
    """Return the number of won positions, and those of them in which the chosen action gives the win away."""
    lost = lost_indices()
    won = [position for position in ALL_POSITIONS if position not in lost]
    return len(won), [position for position in won if moves(position)[chosen[position]] not in lost]


Play = list[dict[int, Fraction]]  # for each position the probabilities of the positions a player leaves


def _plays(player: ParametricPolicy) -> list[tuple[Fraction, Play]]:
    members = members_of(player, Fraction)
    if player.selection == REDRAWN:
        raise ValueError("the exact score of a redrawn value function at nim is not known: play games instead")
    if player.strategy is UNIFORM:
        equal = [{after: Fraction(1, len(moves(p))) for after in moves(p).values()} for p in (0, *ALL_POSITIONS)]
        return [(Fraction(1), equal)]
    if player.strategy not in (NIM.strategy, NIM.policies["perfect"]):
        raise ValueError(f"{player.name} is not a player of nim whose moves are known")
    found = []
    for weight, theta in members:
        chosen = actions_of(player.strategy, theta)
        play: Play = [{}, *({moves(position)[chosen[position]]: Fraction(1)} for position in ALL_POSITIONS)]
        found.append((weight, play))
    return found


def _wins(first: Play, second: Play) -> tuple[Fraction, Fraction]:
    """Return each player's winning probability when it moves first from the initial position."""
    wins, others = [Fraction(1)], [Fraction(1)]  # at the end the player to move has won
    for position in ALL_POSITIONS:
        wins.append(sum((chance * (1 - others[after]) for after, chance in first[position].items()), Fraction(0)))
        others.append(sum((chance * (1 - wins[after]) for after, chance in second[position].items()), Fraction(0)))
    return wins[-1], others[-1]


def exact_score(game: Game, first: ParametricPolicy, second: ParametricPolicy) -> Fraction:
    """Return the exact score of `first` against `second`, averaged over both starting orders."""
    total, others = Fraction(0), _plays(second)
    for weight, play in _plays(first):
        for weight_other, other in others:
            wins, wins_other = _wins(play, other)
            total += weight * weight_other * (1 + wins - wins_other) / 2
    return total


def best_replies(game: Game, player: ParametricPolicy) -> list[BestResponseScore]:
    """Return the best response to one member at a time: it would have to infer a mixture's member from its moves."""
    return [reply_to_members(player, lambda theta: _reply_score(player.strategy, theta))]


def _reply_score(strategy: Strategy, theta: np.ndarray) -> float:
    """Solve backwards from the end: the response needs one winning move, the player has only the one it makes."""
    chosen = actions_of(strategy, theta)
    own, other = [1.0], [0.0]  # the response's score when it is to move, and when the player is
    for position in ALL_POSITIONS:
        after = moves(position)
        own.append(max(other[left] for left in after.values()))
        other.append(own[after[chosen[position]]])
    return (own[-1] + other[-1]) / 2


# Drawings: the heaps as rows of tokens.

TOKEN = "●"


def heaps(numbers: list[int], can_take: bool) -> BoardPicture:
    """Draw a row for each heap; a token takes itself and all to the right of it."""
    rows = []
    for heap, number in enumerate(numbers):
        tokens = []
        for place in range(number):
            action = 8 * heap + number - place
            tokens.append(Cell(TOKEN, "token", action if can_take else None, label(action)))
        rows.append(tuple(tokens))
    return BoardPicture(tuple(rows), "Heaps", row_names=tuple(str(heap) for heap in range(1, len(numbers) + 1)))


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    numbers = [int(number) for number in seen[SEEN_HEAP:]]
    mine = bool(seen[SEEN_MINE])
    if not any(numbers):
        end = "You have won." if mine else "You have lost: who takes the last object loses."
        return Messages((end,)), heaps(numbers, False)
    words = "Your move: a token takes itself and all to the right of it." if mine else "The other's move."
    return Messages((words,)), heaps(numbers, True)


def draw_state(game: Game, state: np.ndarray) -> Parts:
    words = Messages((f"Player {state[MOVER] + 1} to move.",))
    return words, heaps([int(number) for number in state[HEAP:]], False)


# Explanation: won positions preserved, the first move, and the score against perfect play.

SHOWN = 8  # mistakes listed


def explain(game: Game, player: ParametricPolicy, seed: int) -> Explanation:
    chosen, lost = actions_of(player.strategy, player.thetas[0]), lost_indices()
    won, mistakes = mistakes_of(chosen)
    kept = won - len(mistakes)
    # The initial position is lost for the player to move, so the perfect player wins whenever it moves second.
    second = 2 * exact_score(game, player, find_policy(game, "perfect"))
    sentences = (
        f"{player.name} keeps the win in {kept} of {won} won positions ({percent(kept / won)}).",
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


SCENE = "dice"
HOW_TO_PLAY = (
    "Four heaps of 1, 3, 5 and 7 objects lie on the table.",
    "In turn take one or more objects from a single heap.",
    "Who takes the last object loses (misère).",
    "Click on an object to take it and all to the right of it.",
    "Nothing is hidden and there is no luck: from every position one side can force a win.",
)
