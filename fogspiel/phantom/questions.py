"""The decisions of a phantom game as questions, each asked once: without the order of tries, up to symmetry.

A cell that wins, unless it is taken, is tried before anything else (Lemma 3 of Teytaud and Teytaud 2011), so there is
no question as long as there is one, nor where a single cell can be tried. Answers are followed in all images of a
question and in all orders of its tries.
"""

from fractions import Fraction

from ..core.game import Game
from ..core.state_policy import Answer, InformationState, Probabilities, Share, shares_of
from ..games.shared.boards import BOARDS
from ..solve.checkers.phantom_solution import NOWHERE, Situation, board_of, image
from ..solve.policy_files import Table
from .histories import INFOSET, SEQUENCE, TURN, Histories, geometry
from .play import situation_seen
from .policies import state_after
from .solver import SOLVABLE, find_form


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
    """Return the player's observations at an infoset."""
    turns = [(int(histories.infosets[infoset, INFOSET.tried]), NOWHERE)]
    while (sequence := int(histories.turns[histories.infosets[infoset, INFOSET.turn], TURN.before])) > 0:
        infoset = int(histories.sequences[sequence, SEQUENCE.infoset])
        turns.insert(
            0, (int(histories.infosets[infoset, INFOSET.tried]), int(histories.sequences[sequence, SEQUENCE.cell]))
        )
    return tuple(turns)


def _state_of(game: Game, player: int, situation: Situation) -> InformationState:
    """The information state of a situation, whose failed tries came in the order of their cells."""
    tries = []
    for failed, stone in situation:
        tries += [(cell, 1) for cell in range(failed.bit_length()) if failed >> cell & 1]
        tries += [(stone, 0)] if stone != NOWHERE else []
    return state_after(game, BOARDS[SOLVABLE[game.name][0]], player, tries)


def answered(game: Game, table: Table) -> Probabilities:
    """The policy of answers to questions: they hold for all orders and images.

    There is no question where only an opponent who does not take a win lets the game come to: any cell will do then.
    """
    asked_for = _ids_of_questions(game, table)
    moves, wins = board_of(game.name).symmetries, geometry(SOLVABLE[game.name][0]).wins
    known: dict[tuple[int, Situation], dict[int, Share]] = {}

    def shares_at(state: InformationState, situation: Situation) -> dict[int, Share]:
        own = sum(1 << stone for _, stone in situation if stone != NOWHERE)
        winning = [cell for cell in state.actions if wins[state.player, own] >> cell & 1]
        forced = winning if winning or len(state.actions) > 1 else state.actions
        if forced:
            return dict.fromkeys(forced, Fraction(1, len(forced)))
        smallest = min(image(situation, moved) for moved in moves)
        asked = _state_of(game, state.player, smallest)
        if asked.id not in asked_for:
            return dict.fromkeys(state.actions, Fraction(1, len(state.actions)))
        shares = dict(zip(asked.actions, shares_of(asked, table.probabilities(asked), str(table.file)), strict=True))
        images = [moved for moved in moves if image(situation, moved) == smallest]
        # Several images where the situation is symmetric itself: the answer holds for all of them alike
        return {
            cell: sum((shares[moved[cell]] for moved in images), Fraction(0)) / len(images) for cell in state.actions
        }

    def probabilities(state: InformationState) -> Answer:
        situation = situation_seen(state.view)
        if (state.player, situation) not in known:
            known[state.player, situation] = shares_at(state, situation)
        return known[state.player, situation]

    return probabilities


def _ids_of_questions(game: Game, table: Table) -> set[str]:
    """The ids of all questions; answers to questions that were not asked are refused."""
    states = questions(game)
    known = {name for state in states for name in (state.id, state.line)}
    for (_, name), rows in table.rows.items():
        if name not in known:
            raise ValueError(f"{table.file}, {rows[0][0]}: there is no question {name!r} about {game.name}")
    return {state.id for state in states}
