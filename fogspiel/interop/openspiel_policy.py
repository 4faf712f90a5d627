"""Policies and solutions of ours as tables of OpenSpiel, for the games that `openspiel_export` exports."""

from typing import Any

from ..core.agents import find_policy, policy_names
from ..core.behaviour_policy import BehaviourPolicy, ExactOrFloat, InformationState, MissingState
from ..core.find import load_game
from ..core.game import Game
from ..solving.policies.exploitability import behaviour_mixture, behaviour_of, mixed_behaviour, states_of
from ..solving.policies.policy_files import as_agent, read_policy
from ..solving.solution import DEFAULT_MEMORY
from ..solving.tree.tree import build_tree
from .openspiel_export import import_pyspiel, information_state_string


def to_openspiel_policy(game: Game | str, policy: Any, memory: float = DEFAULT_MEMORY) -> Any:
    """A policy, in both seats, as a `pyspiel.TabularPolicy` with a row for every information state.

    It is an agent, a name, a file, a solution, or a function of states. The tree of the game must fit into `memory`
    (GiB). At states that the policy never comes to by its own play and has no answer for, any action is equally likely;
    a mixture has answers only where it comes to.
    """
    pyspiel = import_pyspiel()
    found = load_game(game) if isinstance(game, str) else game
    if isinstance(policy, str):
        policy = find_policy(found, policy) if policy in policy_names(found) else read_policy(found, policy)
    tree, law = build_tree(found, memory), behaviour_mixture(found, as_agent(found, policy))
    states, rows = states_of(found, tree), {}
    for player in (0, 1):
        members = [(share, behaviour_of(tree, states, player, member, "refuse")) for share, member in law]
        behaviour = mixed_behaviour(tree, player, members)
        for infoset in tree.numbers(player).tolist():
            first, state = int(tree.first[infoset]), states[infoset]
            shares = list(behaviour[first : first + len(state.actions)])
            if len(law) == 1:
                shares = _shares_there(law[0][1], state, shares)
            named = zip(state.actions, map(float, shares), strict=True)
            rows[information_state_string(state)] = sorted(named)
    return pyspiel.TabularPolicy(rows)


def _shares_there(
    policy: BehaviourPolicy, state: InformationState, otherwise: list[ExactOrFloat]
) -> list[ExactOrFloat]:
    try:
        return policy.shares(state)
    except MissingState:
        return otherwise
