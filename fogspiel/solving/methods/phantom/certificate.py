"""The solution of a phantom game as JSON can store it; its checker reads it back and says what it proves.

    format, game, rules     what it is, of which game, and of which version of the rules
    value, lower, upper     Black's value, and what the strategies guarantee Black at least and at most
    strategies              {"black": [row, ..], "white": [row, ..]}
    digest                  of all the rest

A row is [history, failed, {cell: probability}]: after the turns of the history and the failed tries in this turn, the
player names the cells with these probabilities. A history is a list of turns, "A1 B1,B2:C1" is a stone on A1 and then,
after failures on B1 and B2, one on C1. Rows are kept up to symmetry: of all images of history and failed tries the one
whose turns, the earliest first, have the smallest (failed set, cell), and at last the smallest failed set, where cell
is row * columns + column and a set is the sum of 2 ** cell. The probabilities of a row are kept by every symmetry that
keeps its history and failed tries. Where there is no row the player names the first cell that it does not know.
"""

from fractions import Fraction
from typing import Any

import numpy as np

from ....games.phantom.look import GAMES
from ...proofs.checkers.boards import cells_of
from ...proofs.checkers.phantom import FORMAT, OPENING, PhantomCertificate
from ...proofs.checkers.primitives import digest_of
from .bilinear_form import BilinearForm
from .private_histories import INFOSET, SEQUENCE, TURN, geometry
from .solver import PhantomSolution, RealisationPlan

Row = list[Any]


def certificate(solution: PhantomSolution) -> PhantomCertificate:
    """The solution of a game of the classical variant."""
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


def history_text(form: BilinearForm, player: int, sequence: int) -> str:
    """The turns of a history, by its number among the histories, in words."""
    histories, words = form.histories[player], []
    while sequence > 0:
        infoset = histories.infosets[histories.sequences[sequence, SEQUENCE.infoset]]
        failed = set_text(form, int(infoset[INFOSET.tried]))
        stone = form.board.cell_name(int(histories.sequences[sequence, SEQUENCE.cell]))
        words.append(f"{failed}:{stone}" if failed else stone)
        sequence = int(histories.turns[infoset[INFOSET.turn], TURN.before])
    return " ".join(reversed(words))


def set_text(form: BilinearForm, mask: int) -> str:
    """A set of cells in words."""
    return ",".join(map(form.board.cell_name, cells_of(mask)))


def strategy_rows(form: BilinearForm, player: int, plan: RealisationPlan) -> list[Row]:
    """The rows of a plan: at each turn that is reached first the tries that Lemma 3 forces, then the choices."""
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
    """The rows before the first choice of a turn: the cells that win are tried, each with the same probability."""
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
    """One row in words."""
    named = {form.board.cell_name(cell): str(share) for cell, share in sorted(shares.items())}
    sequence = int(form.histories[player].turns[turn, TURN.before])
    return [history_text(form, player, sequence), set_text(form, tried), named]
