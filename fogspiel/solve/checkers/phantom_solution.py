"""The second verifier of phantom certificates: the raw rules, and nothing that the solver is built on.

The other player answers a strategy by every sequence of tries that the rules allow: no order is merged, no symmetry
used, no try forced. All numbers are whole: probabilities are brought to one denominator. `certificate` explains the
document; symmetry serves only to look a situation up in it.
"""

from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

import numpy as np

from ...core.kernel import CELLS, NUMBER, TABLE, compiled, kernel_of
from ...games.phantom.words import GAMES
from ...games.shared.boards import BOARDS, DRAWS, FATE, GOES_ON, ILLEGAL, WINS, Board
from .tree_certificate import demand, digest_of, fraction

FORMAT = "fogspiel phantom certificate 1"
KEYS = {"format", "game", "rules", "value", "lower", "upper", "strategies", "digest"}
PLAYERS = ("black", "white")
CLASSICAL = {"phantom-ttt": "ttt", "dark-hex-3x3": "hex-3x3"}
MOST = 2**60
FIRST_ROOM = 1 << 20
DEEPEST = 32
NOBODY = -1

Situation = tuple[tuple[int, int], ...]
"""The (failed set, cell) of each turn; at last the failed set of this turn with the cell NOBODY."""
Strategy = dict[Situation, dict[int, Fraction]]


def verify(document: Any) -> tuple[Fraction, Fraction]:
    """The bounds that a certificate proves; a ValueError says why it proves nothing."""
    demand(isinstance(document, dict) and set(document) == KEYS, f"it must have exactly the keys {sorted(KEYS)}")
    demand(document["format"] == FORMAT, f"its format is {str(document['format'])[:40]!r}, not {FORMAT!r}")
    name = document["game"]
    demand(isinstance(name, str) and name in CLASSICAL, f"its game must be one of {', '.join(CLASSICAL)}")
    version = next(game.version for game in GAMES if game.name == name)
    demand(document["rules"] == version and type(document["rules"]) is int, f"its rules must be version {version}")
    demand(document["digest"] == digest_of(document), "it was changed after it was written (its digest does not fit)")
    both = document["strategies"]
    demand(isinstance(both, dict) and set(both) == set(PLAYERS), "it must hold the strategies of black and white")
    value, lower, upper = (fraction(document[key], key) for key in ("value", "lower", "upper"))
    board = BOARDS[CLASSICAL[name]]
    for player, claim in ((0, lower), (1, upper)):
        proved = guaranteed_value(board, player, strategy_of(board, player, both[PLAYERS[player]]))
        bound = ("lower", "upper")[player]
        demand(proved == claim, f"it claims the {bound} bound {claim}, but {PLAYERS[player]} proves {proved}")
    demand(lower <= value <= upper, "its value is not between its bounds")
    return lower, upper


# Reading a strategy


def strategy_of(board: Board, player: int, rows: Any) -> Strategy:
    """The strategy of one player as the certificate tells it, by situations in their smallest image."""
    who = PLAYERS[player]
    demand(isinstance(rows, list), f"the strategy of {who} is not a list of rows")
    strategy: Strategy = {}
    for number, row in enumerate(rows):
        place = f"row {number} of {who}"
        demand(isinstance(row, list) and len(row) == 3, f"{place} is not a history, failed tries and probabilities")
        history, failed, shares = row
        demand(isinstance(history, str) and isinstance(failed, str), f"{place} has a history that is not text")
        demand(isinstance(shares, dict) and len(shares) > 0, f"{place} has no probabilities")
        situation = situation_of(board, player, history, failed, place)
        odds = {
            cell_of(board, name, place): fraction(share, f"a probability in {place}") for name, share in shares.items()
        }
        known = seen_in(situation)
        demand(not any(known >> cell & 1 for cell in odds), f"{place} names a cell that is known to be taken")
        demand(min(odds.values()) > 0 and sum(odds.values()) == 1, f"the probabilities in {place} do not make up 1")
        for moved in board.symmetries.tolist():
            turned = image(situation, moved)
            demand(turned >= situation, f"{place} is not the smallest of its images")
            same = {moved[cell]: share for cell, share in odds.items()}
            demand(turned != situation or same == odds, f"the probabilities in {place} are not symmetric")
        demand(situation not in strategy, f"{place} repeats an earlier row")
        strategy[situation] = odds
    return strategy


def situation_of(board: Board, player: int, history: str, failed: str, place: str) -> Situation:
    """The situation that a row speaks of, which must be possible for all that the player knows."""
    turns = []
    taken, found = 0, 0
    for number, word in enumerate([*history.split(), f"{failed}:"]):
        tries, _, stone = word.rpartition(":")
        cells = [cell_of(board, name, place) for name in tries.split(",") if name]
        cell = cell_of(board, stone, place) if stone else NOBODY
        demand((cell == NOBODY) == (number == len(history.split())), f"{place} has a turn without a stone")
        for seen in [*cells, cell] if stone else cells:
            demand(not taken >> seen & 1, f"{place} names a cell twice")
            taken |= 1 << seen
        found += len(cells)
        demand(found <= number + player, f"{place} has more failures than the opponent has stones")
        turns.append((sum(1 << seen for seen in cells), cell))
    demand(len(turns) <= board.cells // 2, f"{place} is about a turn in which there is no choice")
    return tuple(turns)


def cell_of(board: Board, name: Any, place: str) -> int:
    """The cell of that name."""
    names = {board.cell_name(cell): cell for cell in range(board.cells)}
    demand(name in names, f"{place} speaks of {str(name)[:10]!r}, which is no cell")
    return names[name]


def image(situation: Situation, moved: list[int]) -> Situation:
    """The situation after a symmetry."""
    return tuple(
        (sum(1 << moved[c] for c in range(len(moved)) if tries >> c & 1), cell if cell == NOBODY else moved[cell])
        for tries, cell in situation
    )


def seen_in(situation: Situation) -> int:
    """The cells that a player knows to be taken."""
    known = 0
    for tries, cell in situation:
        known |= tries | (0 if cell == NOBODY else 1 << cell)
    return known


# A strategy as all that its player may live through, each order of tries by itself


class Lives(NamedTuple):
    """Everything a player may live through: nodes are his decisions and his turns without one, edges his tries."""

    stones: np.ndarray
    weight: np.ndarray
    first: np.ndarray
    """The edges of node n are first[n] .. first[n + 1] - 1."""
    edges: np.ndarray
    """For each try the cell, the node if the stone stays (or NOBODY, if it wins) and the node if it fails."""
    denominator: int


def lives(board: Board, player: int, strategy: Strategy) -> Lives:
    """All that a player may live through by a strategy, with the weights of his own choices in whole numbers."""
    symmetries = board.symmetries.tolist()
    inverses = [np.argsort(moved).tolist() for moved in board.symmetries]
    choices: Strategy = {}

    def chosen(situation: Situation) -> dict[int, Fraction]:
        """What the strategy says: by the smallest image of a situation, else the first cell that is not known."""
        if situation not in choices:
            g = min(range(len(symmetries)), key=lambda g: image(situation, symmetries[g]))
            row = strategy.get(image(situation, symmetries[g]))
            known = seen_in(situation)
            default = {next(cell for cell in range(board.cells) if not known >> cell & 1): Fraction(1)}
            choices[situation] = {inverses[g][cell]: share for cell, share in row.items()} if row else default
        return choices[situation]

    nodes: list[tuple[Situation, Fraction]] = [(((0, NOBODY),), Fraction(1))]
    first: list[int] = []
    stones: list[int] = []
    edges: list[tuple[int, int, int, Fraction]] = []
    for situation, reach in nodes:  # grows as it is read
        first.append(len(edges))
        own = sum(1 << cell for _, cell in situation if cell != NOBODY)
        stones.append(own)
        opposing = len(situation) - 1 + player
        if own.bit_count() + opposing >= board.cells - 1:
            continue  # a single empty cell is no choice, and after it there is none
        failures = sum(tries.bit_count() for tries, _ in situation)
        tries = situation[-1][0]
        for cell, share in chosen(situation).items():
            stays = fails = NOBODY
            if board.fate(player, own, 0, cell) != WINS:
                stays = len(nodes)
                nodes.append(((*situation[:-1], (tries, cell), (0, NOBODY)), reach * share))
            if failures < opposing:
                fails = len(nodes)
                nodes.append(((*situation[:-1], (tries | 1 << cell, NOBODY)), reach * share))
            edges.append((cell, stays, fails, reach * share))
    denominator = lcm(*(reach.denominator for _, reach in nodes), *(edge[3].denominator for edge in edges))
    demand(denominator < MOST, f"the common denominator {denominator} of a strategy is too large")
    whole = [(*edge[:3], int(edge[3] * denominator)) for edge in edges]
    weights = [int(reach * denominator) for _, reach in nodes]
    return Lives(
        np.array(stones, np.int64),
        np.array(weights, np.int64),
        np.array([*first, len(edges)], np.int64),
        np.array(whole, np.int64).reshape(-1, 4),
        denominator,
    )


# The best answer

# Columns of a frame, a decision of the answering player: his stones, the cells he knows, his worlds (begin and end),
# the end of all worlds in use, the cell he tries, how far this is, the worlds after success (begin and end), the sum of
# this try, the best so far.
OWN, KNOWN, BEGIN, END, TOP, TRY, STAGE, MIDDLE, HIGH, SUM, BEST = range(11)
SPLIT, FAILED, WENT_ON = range(3)
WORST = 2 * MOST


@kernel_of(NUMBER, FATE, NUMBER, NUMBER, CELLS, CELLS, CELLS, TABLE, CELLS, NUMBER, CELLS, NUMBER, CELLS)
def planner_turn(fate, planner, cells, stones, weight, first, edges, inner, node, worlds, top, counters):
    """Let the planner at a node take his turn against the stones counters[0]; returns the new end of the worlds.

    The worlds where the game goes on are added to `worlds`, what Black gets twice in the others to counters[1]. Room
    must be left for the worlds of one turn.
    """
    other = counters[0]
    inner[0] = node
    waiting = 1
    while waiting:
        waiting -= 1
        here = inner[waiting]
        own = stones[here]
        if first[here] == first[here + 1]:  # a single cell is left
            for cell in range(cells):
                fated = fate(planner, own, other, cell)
                if fated == WINS:
                    counters[1] += 2 * weight[here] if planner == 0 else 0
                elif fated != ILLEGAL:
                    counters[1] += weight[here]
        for edge in range(first[here], first[here + 1]):
            fated = fate(planner, own, other, edges[edge, 0])
            if fated == ILLEGAL:
                inner[waiting] = edges[edge, 2]
                waiting += 1
            elif fated == GOES_ON:
                worlds[top] = edges[edge, 1]
                top += 1
            elif fated == DRAWS:
                counters[1] += edges[edge, 3]
            elif planner == 0:
                counters[1] += 2 * edges[edge, 3]
    return top


@kernel_of(NUMBER, FATE, NUMBER, NUMBER, CELLS, CELLS, CELLS, TABLE, TABLE, CELLS)
def best_answer(fate, planner, cells, stones, weight, first, edges, frames, worlds):
    """Twice what Black gets if the other player answers the planner as well as he can; -1 if there is too little room.

    A world is a node of the planner's, who moves after the answering player. Sums are of weights of disjoint lives.
    """
    answering = 1 - planner
    better = 1 if answering == 0 else -1
    inner, counters = np.empty(4 * cells * cells, np.int64), np.zeros(2, np.int64)
    widest = len(first)
    top = 1
    worlds[0] = 0
    if planner == 0:
        top = planner_turn(fate, planner, cells, stones, weight, first, edges, inner, 0, worlds, 0, counters)
    frames[0, OWN], frames[0, KNOWN], frames[0, BEGIN], frames[0, END], frames[0, TOP] = 0, 0, 0, top, top
    frames[0, TRY], frames[0, STAGE], frames[0, BEST] = 0, SPLIT, -better * WORST
    depth = 0
    while True:
        frame = frames[depth]
        own, known, cell = frame[OWN], frame[KNOWN], frame[TRY]
        begin, end = -1, -1  # the worlds of the decision that comes next
        if frame[STAGE] == SPLIT:
            while cell < cells and known >> cell & 1:
                cell += 1
            if cell == cells:
                if depth == 0:
                    return frame[BEST]
                depth -= 1
                frames[depth, SUM] += frame[BEST]
                continue
            if frame[TOP] + 2 * widest > len(worlds):
                return -1
            top = frame[TOP]
            for w in range(frame[BEGIN], frame[END]):
                if fate(answering, own, stones[worlds[w]], cell) == ILLEGAL:
                    worlds[top] = worlds[w]
                    top += 1
            frame[TRY], frame[MIDDLE], frame[STAGE] = cell, top, FAILED
            counters[0], counters[1] = own | 1 << cell, 0
            for w in range(frame[BEGIN], frame[END]):
                node = worlds[w]
                fated = fate(answering, own, stones[node], cell)
                if fated == WINS:
                    counters[1] += 2 * weight[node] if answering == 0 else 0
                elif fated == DRAWS:
                    counters[1] += weight[node]
                elif fated == GOES_ON:
                    top = planner_turn(
                        fate, planner, cells, stones, weight, first, edges, inner, node, worlds, top, counters
                    )
            frame[HIGH], frame[SUM] = top, counters[1]
            begin, end = frame[TOP], frame[MIDDLE]
        elif frame[STAGE] == FAILED:
            frame[STAGE] = WENT_ON
            begin, end, own = frame[MIDDLE], frame[HIGH], own | 1 << cell
        else:
            if better * frame[SUM] > better * frame[BEST]:
                frame[BEST] = frame[SUM]
            frame[TRY], frame[STAGE] = cell + 1, SPLIT
        if end > begin:
            following = frames[depth + 1]
            following[OWN], following[KNOWN], following[BEGIN], following[END] = own, known | 1 << cell, begin, end
            following[TOP], following[TRY], following[STAGE] = frame[HIGH], 0, SPLIT
            following[BEST] = -better * WORST
            depth += 1


def guaranteed_value(board: Board, player: int, strategy: Strategy) -> Fraction:
    """What Black gets if one player keeps to a strategy and the other one answers as well as the rules let him."""
    stones, weight, first, edges, denominator = lives(board, player, strategy)
    fate, frames, room = compiled(board.fate, FATE), np.zeros((DEEPEST, 11), np.int64), FIRST_ROOM
    while True:
        worlds = np.empty(room, np.int64)
        twice = best_answer(fate, player, board.cells, stones, weight, first, edges, frames, worlds)
        if twice >= 0:
            return Fraction(int(twice), 2 * denominator)
        room *= 2
