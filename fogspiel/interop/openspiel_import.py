"""Import of any two-player zero-sum game of OpenSpiel as a tree, by its name there, for example `leduc_poker`.

OpenSpiel computes in floats. A payoff is read as a simple fraction that rounds to the float, if there is one with a
denominator up to a million, or else as one with a denominator up to a thousand that misses the float by the rounding
errors of a sum, or else as the float itself. Probabilities of chance are read as such fractions if these add
up to 1, else as the floats, divided by their sum. Simultaneous moves become successive moves, unseen. Infosets are
identified by OpenSpiel's information state strings, which are checked for perfect recall.
"""

from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from functools import cache
from importlib import import_module
from math import ulp
from typing import Any

from ..core import NotFound
from ..core.agents import find_policy, policy_names
from ..core.behaviour_policy import MissingState
from ..core.find import load_game
from ..core.game import Game
from ..solving.methods import DEFAULT_MEMORY
from ..solving.policies import as_agent, read_policy
from ..solving.policies.exploitability import behaviour_mixture, behaviour_of, states_of
from ..solving.tree import build_tree, builder
from .openspiel_export import import_pyspiel, information_state_string

NOT_ZERO = 1e-9  # payoffs that should cancel out are floats, and may miss it by this
# The largest denominator of a payoff that is a sum in floats, and its error in units in the last place of the largest
# payoff; where one number in a thousand is as near to such a fraction by accident, the float stays.
SUMMED, ERRORS = 1000, 8
TELLING = 20_000  # nodes between two progress reports
# Receives the number of nodes so far, and the approximate fraction of all histories that has been traversed.
Watch = Callable[[int, float], None]


def from_openspiel(
    name: str, most: int = builder.DEFAULT_MOST, remember: bool = False, watch: Watch = lambda nodes, share: None
) -> builder.LabelledTree:
    """Return the game that OpenSpiel loads by this name, with parameters in brackets; `most` limits its nodes.

    A game with imperfect recall, such as goofspiel without `imp_info`, is rejected; `remember` gives players perfect
    recall.
    """
    pyspiel = import_pyspiel()
    try:
        return _walk(_load(pyspiel, name), name, most, remember, watch)
    except builder.ImperfectRecall as error:
        advice = "give players memory of their moves by --perfect-recall (in Python `remember=True`)"
        raise ValueError(f"{error}; {advice}") from None
    except pyspiel.SpielError as error:
        first_line = (str(error).strip().splitlines() or ["it does not say why"])[0]
        raise ValueError(f"OpenSpiel refuses {name!r}: {first_line}") from None


def _load(pyspiel: Any, name: str) -> Any:
    """Load a game with simultaneous moves made successive, if it is of a kind that can be solved."""
    short = name.split("(")[0].strip()
    if short not in pyspiel.registered_names():
        with suppress(ImportError):  # games in Python register themselves
            import_module("open_spiel.python.games")
    if short not in pyspiel.registered_names():
        raise NotFound(f"OpenSpiel has no game {short!r}: pyspiel.registered_names() lists those it has")
    game = pyspiel.load_game(name)
    kind = game.get_type()
    if game.num_players() != 2:
        raise ValueError(f"only games of two players can be solved, but {name} has {game.num_players()}")
    if kind.utility not in (kind.Utility.ZERO_SUM, kind.Utility.CONSTANT_SUM):
        raise ValueError(f"{name} is not a zero-sum game: only those can be solved")
    if kind.chance_mode == kind.ChanceMode.SAMPLED_STOCHASTIC:
        raise ValueError(f"{name} does not list the moves of chance, it draws them: such a game cannot be solved")
    if kind.dynamics == kind.Dynamics.MEAN_FIELD:
        raise ValueError(f"{name} is a mean-field game: only games of two players can be solved")
    if kind.dynamics == kind.Dynamics.SIMULTANEOUS:
        game = pyspiel.convert_to_turn_based(game)
    return game


def _walk(game: Any, name: str, most: int, remember: bool, watch: Watch) -> builder.LabelledTree:
    """Return the tree of all histories of a game; data that the histories of an infoset share is requested once."""
    kind = game.get_type()
    again, told = kind.information != kind.Information.PERFECT_INFORMATION, kind.provides_information_state_string
    if again and not told:
        raise ValueError(f"{name} does not tell what its players know (no information state strings)")
    plant = builder.TreeBuilder(name, most, lambda: name, remember)
    constant = Fraction(game.utility_sum() or 0).limit_denominator(builder.SIMPLE)
    middle, largest = float(constant), max(abs(game.min_utility()), abs(game.max_utility()))
    named: dict[tuple[int, str], tuple[list[int], str, tuple[str, ...]]] = {}
    drawn: dict[tuple[str, ...], tuple[str, ...]] = {}
    ahead, shares = [game.new_initial_state()], [1.0]
    nodes, walked = 0, 0.0
    while ahead:
        state, share = ahead.pop(), shares.pop()
        nodes += 1
        if nodes % TELLING == 0:
            watch(nodes, walked)
        if state.is_terminal():
            walked += share
            first, second = state.returns()
            if abs(first + second - middle) > NOT_ZERO:
                raise ValueError(f"{name} pays {first} and {second} at one end, which is not a sum of {constant}")
            plant.add_leaf(_pay(first, constant, largest))
            continue
        player = state.current_player()
        if player < 0:
            outcomes = state.chance_outcomes()
            actions = [action for action, _ in outcomes]
            names = _action_names(state, player, actions)
            plant.add_chance(drawn.setdefault(names, names), probabilities(tuple(p for _, p in outcomes)))
        else:
            actions, key = state.legal_actions(), state.information_state_string() if told else state.history_str()
            found = named.get((player, key))
            if found is None or found[0] != actions:
                found = actions, builder.one_line(key), _action_names(state, player, actions)
                if again:
                    named.setdefault((player, key), found)
            plant.add_decision(player, key, found[1], found[2])
        shares.extend([share / len(actions)] * len(actions))
        ahead.extend([state.child(action) for action in reversed(actions)])
    return plant.described(name, builder.PLAYERS)


def _action_names(state: Any, player: int, actions: list[int]) -> tuple[str, ...]:
    return tuple(state.action_to_string(player, action) for action in actions)


@cache
def _pay(first: float, constant: Fraction, largest: float) -> tuple[Fraction, Fraction]:
    payoff = simplest(first, largest)
    return payoff, constant - payoff


def simplest(value: float, largest: float) -> Fraction:
    """Return the simple fraction that a payoff was rounded from, or the float; no payoff exceeds `largest`."""
    simple = Fraction(value).limit_denominator(builder.SIMPLE)
    if float(simple) == value:
        return simple
    simple, error = Fraction(value).limit_denominator(SUMMED), ERRORS * ulp(largest)
    summed = error * 1000 * SUMMED**2 < 1 and abs(float(simple) - value) <= error
    return simple if summed else Fraction(value)


@cache
def probabilities(floats: tuple[float, ...]) -> tuple[Fraction, ...]:
    exact = builder.exact_probabilities([Fraction(value) for value in floats])
    return tuple(value / sum(exact) for value in exact)


# Policies and solutions of ours as tables of OpenSpiel, for the games that `openspiel_export` exports.


def to_openspiel_policy(game: Game | str, policy: Any, memory: float = DEFAULT_MEMORY) -> Any:
    """Return a policy, in both seats, as a `pyspiel.TabularPolicy` with a row for every information state.

    It is an agent, a name, a file, a solution, or a function of states. The tree of the game must fit into `memory`
    (GiB). At states that the policy never reaches by its own play and has no probabilities for, all actions are equally
    likely; a mixture has probabilities only where it reaches.
    """
    pyspiel = import_pyspiel()
    found = load_game(game) if isinstance(game, str) else game
    if isinstance(policy, str):
        policy = find_policy(found, policy) if policy in policy_names(found) else read_policy(found, policy)
    tree, law = build_tree(found, memory), behaviour_mixture(found, as_agent(found, policy))
    states, rows = states_of(found, tree), {}
    for player in (0, 1):
        behaviour = behaviour_of(tree, states, player, law, "refuse")
        for infoset in tree.numbers(player).tolist():
            first, state = int(tree.first[infoset]), states[infoset]
            shares = behaviour[first : first + len(state.actions)]
            if len(law) == 1:
                with suppress(MissingState):
                    shares = law[0][1].action_probabilities(state)
            named = zip(state.actions, map(float, shares), strict=True)
            rows[information_state_string(state)] = sorted(named)
    return pyspiel.TabularPolicy(rows)
