"""Root parallelism: each thread grows a tree of its own, and the visits of the roots are added."""

from collections import Counter

import pytest
from support.levels import default_cases

from fogspiel.core.rng import stream_of
from fogspiel.kriegspiel.engine import SearchLimit, find_engine
from fogspiel.kriegspiel.referee import Referee, play_game

TREES = ("A:none", "B1:none", "C:none")


@pytest.mark.parametrize("name", default_cases(["hs"], [*TREES, "minimax", "los", "aosp", "hs"]))
def test_an_engine_with_two_threads_plays_a_legal_game(name):
    """The umpire raises an error for whatever may not be tried."""
    player = find_engine(name)(SearchLimit(nodes=40, threads=2), stream_of(3, 0))
    other = find_engine("greedy")(SearchLimit(nodes=1), stream_of(3, 1))
    for players in ((player, other), (other, player)):
        umpire = play_game(players, Referee(), 30)
        assert umpire.plies == 30 or umpire.over
    assert player.nodes > 0


@pytest.mark.thorough
@pytest.mark.parametrize("name", TREES)
def test_the_visits_of_both_trees_are_added(name):
    nodes = 600
    umpire = Referee()
    players = [find_engine(name)(SearchLimit(nodes=nodes, threads=threads), stream_of(5)) for threads in (1, 2)]
    tried = []
    for player in players:
        player.begin(0)
        tried.append(player.choose(umpire.view(0), umpire.actions))
    alone, both = players
    first, second = (Counter(both.root_visits(thread)) for thread in (0, 1))
    assert both.nodes == pytest.approx(2 * alone.nodes, rel=0.1)
    assert sum(first.values()) > 0 < sum(second.values()) and first != second  # each with a stream of its own
    total = first + second
    assert total[tried[1]] == max(total[move] for move in umpire.actions)
    assert tried[0] in umpire.actions and first == Counter(alone.root_visits(0))
