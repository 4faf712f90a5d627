"""The levels of fog: engines with an effort of their own, weaker by random moves, smaller beliefs and fewer nodes."""

import json
from itertools import pairwise

import numpy as np
import pytest

from fogspiel.core.game import known_game
from fogspiel.core.rng import stream_of
from fogspiel.kriegspiel.agents import RATINGS, on_page
from fogspiel.kriegspiel.engine import LEVELS, SearchLimit, Straying, find_engine, parse_engine
from fogspiel.kriegspiel.engines.fog import Fog
from fogspiel.kriegspiel.match import code_of
from fogspiel.kriegspiel.pages.play import PLAY
from fogspiel.kriegspiel.referee import Referee, play_game
from fogspiel.kriegspiel.requests import EngineRequest
from fogspiel.runs.agent_parser import find_agent
from fogspiel.stats import round_robin
from fogspiel.web.opponents import opponents


def test_levels_grow_and_the_highest_is_fog():
    for lower, higher in pairwise(LEVELS):
        assert lower.nodes < higher.nodes and lower.random > higher.random
        assert higher.boards is None or lower.boards <= higher.boards
    name, effort = parse_engine("fog:level=8")
    highest = find_engine(name)
    assert (highest.func, [*highest.keywords]) == (Fog, ["learned"]) and effort.nodes == LEVELS[-1].nodes
    assert code_of("fog:level=8") == code_of("fog")


@pytest.mark.parametrize("number", range(1, len(LEVELS)))
def test_a_level_has_its_nodes_and_boards(number):
    level = LEVELS[number - 1]
    name, effort = parse_engine(f"fog:level={number}", SearchLimit(seconds=3.0))
    player = find_engine(name)(effort, stream_of(1, 0))
    assert isinstance(player, Straying) and isinstance(player.engine, Fog)
    assert effort.nodes == level.nodes and player.engine.belief.size.most == level.boards
    assert player.share == level.random and player.until is None


def test_a_level_makes_random_moves_at_its_share():
    strays = [0, 0]
    for seed in range(4):
        name, effort = parse_engine("fog:level=3")
        player = find_engine(name)(effort, stream_of(seed, 0))
        choose, turns = player.choose, {}

        def watched(seen, actions, choose=choose, turns=turns, player=player):
            action = choose(seen, actions)
            turns[player.turn] = player.strays
            return action

        player.choose = watched
        play_game((player, find_engine("random")(SearchLimit(nodes=1), stream_of(seed, 1))), Referee(), 120)
        strays[0] += sum(turns.values())
        strays[1] += len(turns)
    assert strays[1] > 100 and abs(strays[0] / strays[1] - LEVELS[2].random) < 0.15


@pytest.mark.parametrize("words", ("fog:level=0", "fog:level=9", "fog:level=", "fog:level=x", "fog:level=3@0.1s"))
def test_other_levels_are_refused_in_one_sentence(words):
    with pytest.raises(ValueError, match=r"is not a level: write fog:level=1 to fog:level=8"):
        parse_engine(words)


def test_a_level_in_a_round_robin_is_asked_again_by_its_own_words():
    request = EngineRequest(players=("fog:level=2", "random"), games=2, nodes=5)
    match = request.match()
    assert [seat.effort.nodes for seat in match.seats] == [200, 5]
    assert EngineRequest.of(match).players == ("fog:level=2", "random@5n")
    with pytest.raises(ValueError, match="its own effort"):
        EngineRequest(players=("fog:level=2", "random"), games=2, clock="1+0").match()


def test_ratings_follow_from_the_counts_that_are_kept_with_them():
    kept = json.loads(RATINGS.read_text())["kriegspiel"]
    counts = round_robin.counts_of(1 + len(LEVELS), {(i, j): pairs for i, j, pairs in kept["pairs"]})
    found = round_robin.elo(counts, everywhere=False)
    above, errors = found - found[0], 1.96 * round_robin.elo_errors(counts, found)
    told = np.column_stack([above, above - errors, above + errors])[1:]
    assert np.allclose(told, kept["levels"], atol=0.06)


def test_levels_are_listed_and_offered_with_their_ratings(fogspiel, tmp_path):
    listed = json.loads(fogspiel("kriegspiel", "engines", "--json").stdout)["levels"]
    assert [one["name"] for one in listed] == [f"fog:level={number}" for number in range(1, 9)]
    assert all("[" in one["elo"] for one in listed)
    found = opponents(known_game("kriegspiel"), tmp_path / "runs")
    offered = [one["words"] for one in found if ":level=" in one["words"]]
    assert offered == [one["name"] for one in reversed(listed)]
    assert all(find_agent(known_game("kriegspiel"), words).name == words for words in offered)
    assert on_page(known_game("kriegspiel"), "fog:level=4") and PLAY["kriegspiel"].names_engine(
        "fog:level=4", options=True
    )
