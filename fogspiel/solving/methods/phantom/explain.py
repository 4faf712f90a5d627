"""An optimal strategy of a phantom game as text and small boards, from its certificate.

Tries that win or fail for sure (Lemma 3) are stated once for all turns; the rest of Black's strategy in phantom
tic-tac-toe is a dozen lines.
"""

from fractions import Fraction
from itertools import groupby
from typing import Any, NamedTuple

from ....core.behaviour_policy import (
    ActionProbabilities,
    ExactOrFloat,
    InformationState,
    Probabilities,
    check_probabilities,
)
from ....core.game import Game
from ....games.boards.board import BOARDS
from ...policies.policy_files import PolicyTable
from ...proofs.checkers.phantom import (
    NOWHERE,
    PLAYERS,
    Situation,
    board_of,
    cell_of,
    image,
    known_cells,
    own_stones,
    situation_of,
    verify,
)
from ...proofs.checkers.primitives import Board, cells_of
from .policies import situation_seen, state_after
from .private_histories import INFOSET, SEQUENCE, TURN, Histories, geometry
from .solver import SOLVABLE, find_form

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


# The decisions of a phantom game as questions, each once: without the order of tries, up to symmetry.
#
# A cell that wins, unless it is occupied, is tried before anything else (Lemma 3 of Teytaud and Teytaud 2011), so there
# is no question as long as there is one, nor where a single cell can be tried. Answers apply to all images of a
# question and to all orders of its tries.


def questions(game: Game) -> list[InformationState]:
    """One information state for each decision of a classical game."""
    form, moves = find_form(game.name), board_of(game.name).symmetries
    found = []
    for player, (side, histories) in enumerate(zip(form.sides, form.histories, strict=True)):
        for place in side.places.tolist():
            situation = _situation(histories, int(place))
            found.append(_state_of(game, player, min(image(situation, moved) for moved in moves)))
    return found


def _situation(histories: Histories, infoset: int) -> Situation:
    turns = [(int(histories.infosets[infoset, INFOSET.tried]), NOWHERE)]
    while (sequence := int(histories.turns[histories.infosets[infoset, INFOSET.turn], TURN.before])) > 0:
        infoset = int(histories.sequences[sequence, SEQUENCE.infoset])
        turns.insert(
            0, (int(histories.infosets[infoset, INFOSET.tried]), int(histories.sequences[sequence, SEQUENCE.cell]))
        )
    return tuple(turns)


def _state_of(game: Game, player: int, situation: Situation) -> InformationState:
    tries = []
    for failed, stone in situation:
        tries += [(cell, 1) for cell in range(failed.bit_length()) if failed >> cell & 1]
        tries += [(stone, 0)] if stone != NOWHERE else []
    return state_after(game, BOARDS[SOLVABLE[game.name][0]], player, tries)


def answered(game: Game, table: PolicyTable) -> Probabilities:
    """Return the policy of answers to questions: they hold for all orders and images.

    Positions reachable only after the opponent misses a win have no question: the policy is uniform there.
    """
    asked_for = _ids_of_questions(game, table)
    moves, wins = board_of(game.name).symmetries, geometry(SOLVABLE[game.name][0]).wins
    known: dict[tuple[int, Situation], dict[int, ExactOrFloat]] = {}

    def shares_at(state: InformationState, situation: Situation) -> dict[int, ExactOrFloat]:
        own = sum(1 << stone for _, stone in situation if stone != NOWHERE)
        winning = [cell for cell in state.actions if wins[state.player, own] >> cell & 1]
        forced = winning if winning or len(state.actions) > 1 else state.actions
        if forced:
            return dict.fromkeys(forced, Fraction(1, len(forced)))
        smallest = min(image(situation, moved) for moved in moves)
        asked = _state_of(game, state.player, smallest)
        if asked.id not in asked_for:
            return dict.fromkeys(state.actions, Fraction(1, len(state.actions)))
        shares = dict(
            zip(asked.actions, check_probabilities(asked, table.probabilities(asked), str(table.file)), strict=True)
        )
        images = [moved for moved in moves if image(situation, moved) == smallest]
        # Several images where the situation is symmetric itself: the answer holds for all of them alike
        return {
            cell: sum((shares[moved[cell]] for moved in images), Fraction(0)) / len(images) for cell in state.actions
        }

    def probabilities(state: InformationState) -> ActionProbabilities:
        situation = situation_seen(state.view)
        if (state.player, situation) not in known:
            known[state.player, situation] = shares_at(state, situation)
        return known[state.player, situation]

    return probabilities


def _ids_of_questions(game: Game, table: PolicyTable) -> set[str]:
    """Return the ids of all questions; reject answers to other questions."""
    states = questions(game)
    known = {name for state in states for name in (state.id, state.line)}
    for (_, name), rows in table.rows.items():
        if name not in known:
            raise ValueError(f"{table.file}, {rows[0][0]}: there is no question {name!r} about {game.name}")
    return {state.id for state in states}
