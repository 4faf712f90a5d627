"""Playing a phantom certificate: the view is turned to the image that has a row, and the choice is turned back."""

from collections.abc import Sequence

import numpy as np

from ..core.agents import PlayerAgent, draw_index
from ..core.state_policy import Answer, InformationState, Probabilities
from ..games.phantom.rules import SEEN_PLAYER, SEEN_RECORD, SEEN_TURN
from ..solve.checkers.phantom_solution import (
    NOWHERE,
    PLAYERS,
    Board,
    PhantomCertificate,
    Situation,
    Strategy,
    board_of,
    image,
    strategy_of,
)


def situation_seen(seen: np.ndarray) -> Situation:
    """Return a player's knowledge at its turn, in the form of a certificate's rows."""
    turn = int(seen[SEEN_TURN]) // 2
    record = seen[SEEN_RECORD : SEEN_RECORD + 2 * (turn + 1)].reshape(-1, 2).tolist()
    past = [(failed, stone) for stone, failed in record[:turn]]
    return (*past, (record[turn][1], NOWHERE))


class Follower:
    """Follows the strategies of a certificate, in either seat."""

    def __init__(self, board: Board, strategies: tuple[Strategy, Strategy], stream: np.ndarray) -> None:
        self.board, self.strategies, self.stream = board, strategies, stream

    def begin(self, side: int) -> None:
        """Nothing is to be remembered: the view tells all."""

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        situation, strategy = situation_seen(seen), self.strategies[int(seen[SEEN_PLAYER])]
        smallest, moved = min((image(situation, moved), moved) for moved in self.board.symmetries)
        shares = strategy.get(smallest)
        if shares is None:
            return int(actions[0])
        cells = list(shares)
        chosen = cells[draw_index([float(shares[cell]) for cell in cells], self.stream)]
        return int(moved.index(chosen))


def probabilities_of(document: PhantomCertificate) -> Probabilities:
    """Return a certificate's probabilities at every information state."""
    board = board_of(document["game"])
    strategies = [strategy_of(board, p, document["strategies"][PLAYERS[p]]) for p in (0, 1)]

    def probabilities(state: InformationState) -> Answer:
        situation = situation_seen(state.view)
        smallest, moved = min((image(situation, moved), moved) for moved in board.symmetries)
        shares = strategies[state.player].get(smallest)
        if shares is None:
            return {state.actions[0]: 1}
        return {moved.index(cell): share for cell, share in shares.items()}

    return probabilities


def follower(name: str, document: PhantomCertificate) -> PlayerAgent:
    """An agent that plays by a certificate."""
    board = board_of(document["game"])
    black, white = (strategy_of(board, p, document["strategies"][PLAYERS[p]]) for p in (0, 1))
    return PlayerAgent(name, lambda stream: Follower(board, (black, white), stream))
