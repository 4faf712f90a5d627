"""Export of any fogspiel game to OpenSpiel, for its algorithms, and its policies as agents.

    game = to_openspiel("leduc")                       # also pyspiel.load_game("fogspiel_leduc") from now on
    pyspiel.exploitability(game, pyspiel.UniformRandomPolicy(game))

Actions of players keep their numbers. An outcome of chance is numbered by its place in the list of outcomes, from 0.
Payoffs are shifted so that they add up to 0. An information state is the player's view and its own past actions, as in
`InformationState`, with whose id its string starts; an observation is the player's view. Tensors hold the seat (two
cells), the cells of the view, and for information states the own actions, each plus 1, in their order. Where views have
cells that 32-bit floats cannot hold, every cell is written as four numbers of 16 bits.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.behaviour_policy import (
    ActionProbabilities,
    BehaviourPolicy,
    InformationState,
    MissingState,
    behaviour_policy,
)
from ..core.find import load_game
from ..core.game import CHANCE, OVER, Game, known_game, new_cells, nothing_hidden
from ..core.session import Session, view_of
from .export import FLOAT_CELL, GameLimits, chance_shares, check_actions, largest_cell, measure_limits, zero_sum

PREFIX = "fogspiel_"
FORMS = ("string", "tensor")  # of what a player knows


def import_pyspiel() -> Any:
    try:
        import pyspiel
    except ImportError:
        raise ValueError("OpenSpiel is not installed: pip install 'fogspiel[openspiel]'") from None
    return pyspiel


def to_openspiel(game: Game | str, moves: int | None = None, actions: int | None = None) -> Any:
    """Return the game as a `pyspiel.Game`, which is registered as `fogspiel_NAME`.

    OpenSpiel requires the greatest number of moves in a game and a bound on the numbers of actions. Without `moves` and
    `actions` these are measured (see `measure_limits`); a game that exceeds them ends with a ValueError.
    """
    pyspiel = import_pyspiel()
    found = load_game(game) if isinstance(game, str) else game
    if set(found.name) & set("(),="):
        raise ValueError(f"OpenSpiel cannot load a game called {found.name!r}: leave out brackets, commas and =")
    limits = measure_limits(found, actions, moves)
    kind = _game_type(pyspiel, found, limits)
    pyspiel.register_game(kind, _game_class(pyspiel, found, limits, kind))
    return pyspiel.load_game(kind.short_name)


def information_state_string(state: InformationState) -> str:
    """Return the id of an information state, which identifies it, and then its text."""
    done = ", ".join(map(state.game.label, state.history))
    return f"{state.id} {state.line}" + (f" | you did: {done}" if done else "")


def from_openspiel_policy(game: Game | str, policy: Any) -> BehaviourPolicy:
    """Return a policy for the exported game as an agent: one of `pyspiel`, such as a `TabularPolicy`, or one in Python.

    A policy in Python is called by its `action_probabilities` with an `InformationStateView`, since an agent knows its
    information state but not the state of the game.
    """
    found, name = load_game(game) if isinstance(game, str) else game, f"{type(policy).__name__} of OpenSpiel"
    pyspiel = import_pyspiel()
    in_rows = isinstance(policy, pyspiel.Policy)  # of C++, asked by the string of an information state
    refused = pyspiel.SpielError if in_rows else KeyError  # without a row for a state
    limits = GameLimits() if in_rows else _limits_of(found, policy)

    def probabilities(state: InformationState) -> ActionProbabilities:
        try:
            if in_rows:
                answer = dict(policy.get_state_policy(information_state_string(state)))
            else:
                answer = policy.action_probabilities(InformationStateView(state, limits), state.player)
        except refused:
            answer = {}
        if not answer:
            raise MissingState(f"{name} has no row for {state.line!r} (state {state.id})")
        # OpenSpiel lists actions that are not legal, too, with probability 0
        return {action: float(share) for action, share in answer.items() if action in state.actions or share}

    return behaviour_policy(name, found, probabilities)


def _limits_of(game: Game, policy: Any) -> GameLimits:
    """Return the limits of the exported game that a policy in Python is for."""
    if not hasattr(policy, "action_probabilities"):
        raise ValueError(f"{type(policy).__name__} is not a policy of OpenSpiel: it has no action_probabilities")
    exported = getattr(policy, "game", None)
    if exported is not None and exported.get_type().short_name != PREFIX + game.name:
        raise ValueError(f"the policy is for {exported.get_type().short_name}, not for {PREFIX}{game.name}")
    return getattr(exported, "limits", None) or measure_limits(game)


class InformationStateView:
    """Part of a state that a policy of OpenSpiel may read: the knowledge of the player to move."""

    def __init__(self, state: InformationState, limits: GameLimits):
        self._state, self._limits = state, limits

    def current_player(self) -> int:
        return self._state.player

    def is_terminal(self) -> bool:
        return False

    is_chance_node = is_simultaneous_node = is_terminal

    def num_players(self) -> int:
        return 2

    def num_distinct_actions(self) -> int:
        return self._limits.actions

    def legal_actions(self, player: int | None = None) -> list[int]:
        return sorted(self._state.actions) if player in (None, self._state.player) else []

    def legal_actions_mask(self, player: int | None = None) -> list[int]:
        mask = np.zeros(self._limits.actions, np.int64)
        mask[self.legal_actions(player)] = 1
        return mask.tolist()

    def information_state_string(self, player: int | None = None) -> str:
        return information_state_string(self._own(player))

    def information_state_tensor(self, player: int | None = None) -> Any:
        state = self._own(player)
        return information_tensor(state.player, state.view, state.history, self._limits).tolist()

    def observation_string(self, player: int | None = None) -> str:
        return self._own(player).text

    def observation_tensor(self, player: int | None = None) -> Any:
        state = self._own(player)
        return observation_tensor(state.player, state.view, self._limits).tolist()

    def _own(self, player: int | None) -> InformationState:
        if player not in (None, self._state.player):
            raise ValueError(f"player {self._state.player} does not know what player {player} knows")
        return self._state


# Tensors


def observation_tensor(player: int, view: np.ndarray, limits: GameLimits) -> np.ndarray:
    if limits.wide:
        view = view.astype("<i8").view("<u2")
    elif largest_cell(view) > FLOAT_CELL:
        raise ValueError(f"a view has the cell {largest_cell(view)}, which is too large for the tensors of this game")
    return np.concatenate((np.eye(2, dtype=np.float32)[player], view.astype(np.float32)))


def information_tensor(player: int, view: np.ndarray, history: Sequence[int], limits: GameLimits) -> np.ndarray:
    """Return the observation tensor followed by the player's own actions."""
    done = np.zeros(limits.moves, np.float32)
    done[: len(history)] = np.array(history, np.float32) + 1
    return np.concatenate((observation_tensor(player, view, limits), done))


# The interface of OpenSpiel


def _game_type(pyspiel: Any, game: Game, limits: GameLimits) -> Any:
    kind = pyspiel.GameType
    open_views = game.resample is nothing_hidden
    return kind(
        short_name=PREFIX + game.name,
        long_name=game.title,
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC if limits.draws else kind.ChanceMode.DETERMINISTIC,
        information=kind.Information.PERFECT_INFORMATION if open_views else kind.Information.IMPERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        **{f"provides_{what}_{form}": True for what in ("information_state", "observation") for form in FORMS},
    )


def _game_class(pyspiel: Any, game: Game, limits: GameLimits, kind: Any) -> Any:
    info = pyspiel.GameInfo(
        num_distinct_actions=limits.actions,
        max_chance_outcomes=game.sizes.actions if limits.draws else 0,
        num_players=2,
        min_utility=zero_sum(game, 0)[0],
        max_utility=zero_sum(game, game.max_score)[0],
        utility_sum=0.0,
        max_game_length=limits.moves,
    )
    state_class = _state_class(pyspiel, game, limits)

    class ExportedGame(pyspiel.Game):  # type: ignore[misc]
        def __init__(self, params: Mapping[str, Any] | None = None):
            super().__init__(kind, info, params or {})
            self.limits = limits

        def __reduce__(self) -> Any:
            return game_at, (game.name, limits.moves, limits.actions)

        def new_initial_state(self) -> Any:
            return state_class(self)

        def max_chance_nodes_in_history(self) -> int:
            return limits.draws

        def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
            return Observer(pyspiel, game, limits, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False))

    return ExportedGame


def _state_class(pyspiel: Any, game: Game, limits: GameLimits) -> Any:
    players = {CHANCE: pyspiel.PlayerId.CHANCE, OVER: pyspiel.PlayerId.TERMINAL}

    class ExportedState(pyspiel.State):  # type: ignore[misc]
        """A state of a game of fogspiel; OpenSpiel copies and stores its attributes."""

        def __init__(self, exported: Any):
            super().__init__(exported)
            self.cells = new_cells(game.sizes.state)
            self.own: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
            game.rules.start(self.cells)

        def __reduce__(self) -> Any:
            return state_at, (self.get_game(), self.history())

        def _session(self) -> Session:
            session = Session(game)
            session.state = self.cells
            return session

        def current_player(self) -> Any:
            mover = int(game.rules.mover(self.cells))
            return players.get(mover, mover)

        def is_terminal(self) -> bool:
            return bool(game.rules.mover(self.cells) == OVER)

        def _legal_actions(self, player: int) -> list[int]:
            actions = sorted(self._session().actions)
            check_actions(game, actions, limits.actions)
            return actions

        def chance_outcomes(self) -> list[tuple[int, float]]:
            return [(place, share) for place, share in enumerate(chance_shares(self._session())) if share > 0]

        def _apply_action(self, action: int) -> None:
            session = self._session()
            mover, actions = session.mover, session.actions
            possible = range(len(actions)) if mover == CHANCE else actions
            if action not in possible:
                raise ValueError(f"{action} is not possible in {game.name} here: {list(possible)[:12]} are")
            if mover == CHANCE:
                action = actions[action]
            else:
                if sum(map(len, self.own)) == limits.moves:
                    told = f"a game of {game.name} has gone on for {limits.moves} moves, more than it was exported for"
                    raise ValueError(f"{told}: say `moves` in openspiel_game")
                first, second = self.own
                self.own = ((*first, action), second) if mover == 0 else (first, (*second, action))
            game.rules.apply(self.cells, action)

        def _action_to_string(self, player: int, action: int) -> str:
            return f"outcome {action}" if player == pyspiel.PlayerId.CHANCE else game.label(action)

        def returns(self) -> list[float]:
            return list(zero_sum(game, int(game.rules.score(self.cells)))) if self.is_terminal() else [0.0, 0.0]

        def __str__(self) -> str:
            return game.reveal(self.cells)

    return ExportedState


class Observer:
    """Observations of a player, with its own past actions (`perfect_recall`) or without."""

    def __init__(self, pyspiel: Any, game: Game, limits: GameLimits, kind: Any):
        if kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER or not kind.public_info:
            raise ValueError(f"the views of {game.name} have no public and private parts: ask for both together")
        self.game, self.limits, self.recall = game, limits, kind.perfect_recall
        self.tensor = self._tensor(0, new_cells(game.sizes.view), ())
        self.dict = {"information_state" if self.recall else "observation": self.tensor}

    def _tensor(self, player: int, view: np.ndarray, history: Sequence[int]) -> np.ndarray:
        if self.recall:
            return information_tensor(player, view, history, self.limits)
        return observation_tensor(player, view, self.limits)

    def set_from(self, state: Any, player: int) -> None:
        self.tensor[:] = self._tensor(player, view_of(self.game, state.cells, player), state.own[player])

    def string_from(self, state: Any, player: int) -> str:
        known = InformationState(self.game, player, view_of(self.game, state.cells, player), (), state.own[player])
        return information_state_string(known) if self.recall else known.text


# Copies and pickles


def game_at(name: str, moves: int, actions: int) -> Any:
    """Return the exported game of that name; a process that has not exported it does so, with the same limits."""
    pyspiel = import_pyspiel()
    if PREFIX + name in pyspiel.registered_names():
        return pyspiel.load_game(PREFIX + name)
    return to_openspiel(known_game(name), moves, actions)  # a pickle may name no file


def state_at(exported: Any, history: Sequence[int]) -> Any:
    state = exported.new_initial_state()
    for action in history:
        state.apply_action(action)
    return state
