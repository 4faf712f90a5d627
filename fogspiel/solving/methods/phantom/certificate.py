"""The solution of a phantom game in JSON; its checker reads it and returns the bounds it proves.

    format, game, rules     the format, the game, and the version of its rules
    value, lower, upper     Black's value, and the strategies' guarantees: Black's minimum and maximum
    strategies              {"black": [row, ..], "white": [row, ..]}
    digest                  of all the rest

A row is [history, failed, {cell: probability}]: after the turns of the history and the failed tries in this turn, the
player names the cells with these probabilities. A history is a list of turns, "A1 B1,B2:C1" is a stone on A1 and then,
after failures on B1 and B2, one on C1. Rows are stored up to symmetry: of all images of history and failed tries the
one whose turns, the earliest first, have the smallest (failed set, cell), and at last the smallest failed set, where
cell is row * columns + column and a set is the sum of 2 ** cell. The probabilities of a row are invariant under every
symmetry that fixes its history and failed tries. Without a row the player names the first cell that it does not know.
"""

from fractions import Fraction
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from ....games.phantom.look import GAMES
from ...proofs.checkers.phantom import (
    FORMAT,
    OPENING,
    PLAYERS,
    PhantomCertificate,
    Situation,
    board_of,
    cell_of,
    image,
    known_cells,
    own_stones,
    situation_of,
    verify,
)
from ...proofs.checkers.primitives import Board, cells_of, digest_of
from ...sources import GameSource
from .. import Solution, SolveOptions, SolverState, Work
from . import PhantomSolution, RealisationPlan, solve_in_steps
from .bilinear_form import BilinearForm
from .private_histories import INFOSET, SEQUENCE, TURN, geometry

Row = list[Any]


def make_certificate(solution: PhantomSolution) -> PhantomCertificate:
    if solution.form.variant != "classical":
        raise ValueError(f"certificates are for classical games, but {solution.game} is {solution.form.variant}")
    rows = [strategy_rows(solution.form, player, plan) for player, plan in enumerate(solution.plans)]
    body: PhantomCertificate = {
        "format": FORMAT,
        "game": solution.game,
        "rules": next(game.version for game in GAMES if game.name == solution.game.partition(OPENING)[0]),
        "value": str((solution.lower + solution.upper) / 2),
        "lower": str(solution.lower),
        "upper": str(solution.upper),
        "strategies": {"black": rows[0], "white": rows[1]},
        "digest": "",
    }
    body["digest"] = digest_of(body)
    return body


def solve(source: GameSource, options: SolveOptions, saved: SolverState) -> Work:
    """Solve a phantom game; the state is that of its regrets."""
    solver = "PCFR+ on private histories, then exactly on the supports"
    found = yield from solve_in_steps(source.name, close=0.0 if options.exact else options.gap, state=saved.state)
    sizes = {**found.form.sizes, "iterations": found.iterations}
    if found.form.variant == "classical":
        return Solution.proved(solver, sizes, make_certificate(found))
    return Solution.bounded(solver, sizes, float(found.lower), float(found.upper))


def history_text(form: BilinearForm, player: int, sequence: int) -> str:
    """Format the turns of a history, by its number among the histories."""
    histories, words = form.histories[player], []
    while sequence > 0:
        infoset = histories.infosets[histories.sequences[sequence, SEQUENCE.infoset]]
        failed = set_text(form, int(infoset[INFOSET.tried]))
        stone = form.board.cell_name(int(histories.sequences[sequence, SEQUENCE.cell]))
        words.append(f"{failed}:{stone}" if failed else stone)
        sequence = int(histories.turns[infoset[INFOSET.turn], TURN.before])
    return " ".join(reversed(words))


def set_text(form: BilinearForm, mask: int) -> str:
    return ",".join(map(form.board.cell_name, cells_of(mask)))


def strategy_rows(form: BilinearForm, player: int, plan: RealisationPlan) -> list[Row]:
    """Return the rows of a plan: at each reached turn first the tries that Lemma 3 forces, then the choices."""
    side, histories, rows = form.sides[player], form.histories[player], []
    opened = set()
    for infoset in range(side.infosets):
        chosen = range(int(side.first[infoset]), int(side.first[infoset] + side.count[infoset]))
        total = sum(int(plan.weights[s]) for s in chosen)
        if not total:
            continue
        place = int(side.places[infoset])
        turn, tried = (int(histories.infosets[place, column]) for column in (INFOSET.turn, INFOSET.tried))
        if turn not in opened:
            opened.add(turn)
            rows += forced_rows(form, player, turn)
        cells = form.board.cells
        shares: dict[int, Fraction] = {}
        children = histories.child[place * cells : (place + 1) * cells, 0]
        for s in chosen:
            members = np.flatnonzero(children == side.numbers[s]).tolist()
            share = Fraction(int(plan.weights[s]), total * len(members))
            shares |= dict.fromkeys(members, share) if share else {}
        rows.append(_row(form, player, turn, tried, shares))
    for sequence in np.flatnonzero(plan.weights).tolist():  # turns that are won at once have no infosets
        ahead = histories.sequences[side.numbers[sequence]]
        for turn in range(ahead[SEQUENCE.first_turn], ahead[SEQUENCE.first_turn] + ahead[SEQUENCE.turns]):
            if turn not in opened:
                rows += forced_rows(form, player, turn)
    return rows


def forced_rows(form: BilinearForm, player: int, turn: int) -> list[Row]:
    """Return the rows before the first choice of a turn: the winning cells are tried, with equal probabilities."""
    histories, image = form.histories[player], geometry(form.name).image
    before = histories.sequences[histories.turns[turn, TURN.before]]
    columns = SEQUENCE.stones, SEQUENCE.failed, SEQUENCE.stabiliser
    stones, failed, stabiliser = (int(before[column]) for column in columns)
    forced = int(histories.turns[turn, TURN.forced])
    opposing = stones.bit_count() + player
    if stones.bit_count() + opposing == form.board.cells - 1:
        return []  # a single empty cell is no choice
    rows = []
    for tried in (mask for mask in range(forced) if mask & ~forced == 0):
        smallest = all(image[g, tried] >= tried for g in range(len(image)) if stabiliser >> g & 1)
        if smallest and (failed | tried).bit_count() <= opposing:
            left = cells_of(forced & ~tried)
            rows.append(_row(form, player, turn, tried, dict.fromkeys(left, Fraction(1, len(left)))))
    return rows


def _row(form: BilinearForm, player: int, turn: int, tried: int, shares: dict[int, Fraction]) -> Row:
    named = {form.board.cell_name(cell): str(share) for cell, share in sorted(shares.items())}
    sequence = int(form.histories[player].turns[turn, TURN.before])
    return [history_text(form, player, sequence), set_text(form, tried), named]


# An optimal strategy as text and small boards, from its certificate.
#
# Tries that win or fail for sure (Lemma 3) are stated once for all turns; the rest of Black's strategy in phantom
# tic-tac-toe is a dozen lines.


MARKS = "XO"
ORDINALS = ("first", "second", "third", "fourth", "fifth")
# Names of the cells of an empty board, by the smallest cell of each kind.
KINDS = {"ttt": {0: "a corner", 1: "an edge", 4: "the centre"}}


class CertificateRow(NamedTuple):
    situation: Situation
    own: int
    known: int
    odds: dict[int, Fraction]


def explain(document: Any, everything: bool = False) -> list[str]:
    """Describe Black's strategy with small boards, and all of White's too if `everything`."""
    lines = strategy_lines(document)
    return [*lines, "", *strategy_lines(document, "white", boards=False)] if everything else lines


def strategy_lines(document: Any, player: str = "black", boards: bool = True) -> list[str]:
    """Describe a player's strategy in a certificate, with boards or with one line for each decision."""
    if player not in PLAYERS:
        raise ValueError(f"there is no player {player!r}: it is {' or '.join(PLAYERS)}")
    lower, upper = verify(document)
    number, board = PLAYERS.index(player), board_of(document["game"])
    secure = lower if number == 0 else 1 - upper
    lines = [
        f"{document['game']} (classical): {player} gets {secure} on average or more, whatever the other side does "
        "(a win counts 1, a draw 1/2).",
        "Turn or mirror the board so that it looks like the one described; if there are several ways, draw lots."
        if len(board.symmetries) > 2
        else "Turn the board upside down if it then looks like the one described; if it does both ways, draw lots.",
        "Always: as long as a cell would win and is not known to be taken, try it first.",
    ]
    advices = [advice for advice in advices_of(board, number, document) if not is_forced(board, number, advice)]
    for item, advice in enumerate(sorted(advices, key=lambda advice: (len(advice.situation), advice.situation)), 1):
        words = f"{item:>3}. {occasion(board, number, advice)}: {choice(board, advice)}."
        picture = board_text(board, number, advice) if boards else []
        lines += [words, *(f"       {row}" for row in picture)]
    return lines


def advices_of(board: Board, player: int, document: Any) -> list[CertificateRow]:
    advices = []
    for number, (history, failed, shares) in enumerate(document["strategies"][PLAYERS[player]]):
        situation = situation_of(board, player, history, failed, f"row {number}")
        own = own_stones(situation)
        odds = {cell_of(board, name, f"row {number}"): Fraction(share) for name, share in shares.items()}
        advices.append(CertificateRow(situation, own, known_cells(situation) & ~own, odds))
    return advices


def is_forced(board: Board, player: int, advice: CertificateRow) -> bool:
    """True if the advice is to try cells that win if they are legal, as the rule for all turns does."""
    return all(board.won[player][advice.own | 1 << cell] for cell in advice.odds)


def named(board: Board, mask: int) -> str:
    names = [board.names[cell] for cell in cells_of(mask)]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def occasion(board: Board, player: int, advice: CertificateRow) -> str:
    words = f"your {ORDINALS[len(advice.situation) - 1]} stone"
    turns = [board.names[cell] for _, cell in advice.situation[:-1]]
    if turns:
        words += f", you have {' then '.join(turns)}"
    if advice.known:
        found = [
            f"{named(board, tries)} in turn {number}" for number, (tries, _) in enumerate(advice.situation, 1) if tries
        ]
        words += f", taken: {', '.join(found)}"
    return words


def choice(board: Board, advice: CertificateRow) -> str:
    kinds: dict[int, list[int]] = {}
    alike = [moved for moved in board.symmetries if image(advice.situation, moved) == advice.situation]
    for cell in sorted(advice.odds):
        kinds.setdefault(min(moved[cell] for moved in alike), []).append(cell)
    words = []
    for smallest, cells in sorted(kinds.items(), key=lambda kind: -advice.odds[kind[1][0]] * len(kind[1])):
        word = " or ".join(board.names[cell] for cell in cells) + (" drawn by lot" if len(cells) > 1 else "")
        if len(advice.situation) == 1 and not advice.known and board.name in KINDS:
            word = KINDS[board.name][smallest] + (" drawn by lot" if len(cells) > 1 else "")
        share = advice.odds[cells[0]] * len(cells)
        words.append(word if share == 1 else f"{word} with probability {share}")
    return "try " + ", ".join(words)


def board_text(board: Board, player: int, advice: CertificateRow) -> list[str]:
    """Draw the board of the player's knowledge, * where it may try, the last row on top; hex leans to the right."""
    marks = [
        MARKS[player] if advice.own >> cell & 1
        else MARKS[1 - player] if advice.known >> cell & 1
        else "*" if cell in advice.odds
        else "."
        for cell in range(board.cells)
    ]  # fmt: skip
    lean = int(board.name.startswith("hex"))
    rows = [list(row) for _, row in groupby(range(board.cells), key=lambda cell: cell // board.columns)]
    return [" " * lean * r + " ".join(marks[cell] for cell in rows[r]) for r in reversed(range(len(rows)))]
