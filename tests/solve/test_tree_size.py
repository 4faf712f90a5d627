"""The size of a tree is known roughly before it is built; what is far too large is seen at once."""

import time

import pytest

from fogspiel.core.game import known_game
from fogspiel.solving.sources import estimate_histories

KRIEGSPIEL = pytest.param("kriegspiel", marks=pytest.mark.slice("kriegspiel"))


@pytest.mark.parametrize(("name", "nodes"), [("kuhn", 55), ("goofspiel-6", 969_523), ("leduc-13", 1_179_751)])
def test_the_estimate_is_within_a_quarter_of_the_true_size(name, nodes):
    assert estimate_histories(known_game(name), 5_000_000) == pytest.approx(nodes, rel=0.25)


@pytest.mark.parametrize("name", ["war4", KRIEGSPIEL, "phantom-ponnuki-9x9", "four-in-a-row", "battleship"])
def test_a_tree_that_is_far_too_large_is_seen_at_once(name):
    began = time.process_time()
    assert estimate_histories(known_game(name), 5_000_000) is None
    assert time.process_time() - began < 5
