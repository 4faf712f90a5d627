"""The search as an opponent on the page: eight levels for every game, and no search beyond the page's limits."""

import json
import time

import pytest
from support.web_client import begin, open_client, play, wait_for_work

from fogspiel.core.game import known_game
from fogspiel.search import LEVELS
from fogspiel.solving.bounds.any_game import powers_words
from fogspiel.web.opponents import LEVELS as STRENGTHS
from fogspiel.web.opponents import demand_opponent
from fogspiel.web.session_store import is_thinker, slot_seconds

WORDS = [f"search:level={number}" for number in range(1, len(LEVELS) + 1)]


@pytest.fixture
def client(tmp_path):
    with open_client(tmp_path) as client:
        yield client


@pytest.mark.parametrize("name", ["leduc-13", "pig", "phantom-ponnuki-7x7"])
def test_every_game_offers_the_levels_from_the_strongest_to_the_weakest(client, name):
    offered = client.get(f"/api/games/{name}/opponents").json()["opponents"]
    levels = [opponent for opponent in offered if opponent["words"] in WORDS]
    assert sorted(opponent["words"] for opponent in levels) == WORDS
    assert {opponent["level"] for opponent in levels} == set(STRENGTHS[1:])
    assert offered == sorted(offered, key=lambda opponent: STRENGTHS.index(opponent["level"]))


@pytest.mark.parametrize("name", ["leduc-13", "pig"])
def test_uniform_stands_below_all_levels_which_descend(client, name):
    words = [offer["words"] for offer in client.get(f"/api/games/{name}/opponents").json()["opponents"]]
    assert [each for each in words if each in WORDS] == WORDS[::-1]
    assert words.index("uniform") > words.index("search:level=1")


def test_the_page_of_a_game_lists_its_powers_as_show_and_check_do(client, fogspiel):
    found = wait_for_work(client, "/api/games/kuhn/powers").json()["powers"]
    assert found == powers_words(known_game("kuhn")) and "`solve`" in found[0]
    assert 'id="powers-list"' in client.get("/games/kuhn").text
    assert json.loads(fogspiel("show", "kuhn", "--json").stdout)["powers"] == found


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["leduc-13", "pig", "phantom-ponnuki-7x7", "liars-dice-2x6", "four-in-a-row"])
@pytest.mark.parametrize("side", [0, 1])
def test_a_game_against_search_begins_within_two_seconds_of_the_click(tmp_path, name, side):
    """Warm, with the real slots of replies; the fastest of three, because a test machine has other work."""
    taken = []
    with open_client(tmp_path, slot_seconds) as client:
        for _ in range(4):
            began = time.monotonic()
            assert begin(client, game=name, against="search:level=4", side=side)["choices"]
            taken.append(time.monotonic() - began)
    assert min(taken[1:]) < 2.0, taken


def test_games_with_engines_offer_those_alone(client):
    offered = client.get("/api/games/kriegspiel/opponents").json()["opponents"]
    assert not [opponent for opponent in offered if opponent["words"].startswith("search")]


@pytest.mark.parametrize("words", ["search:level=1", "search:nodes=500,opponent=uniform"])
def test_a_person_plays_against_a_level(client, words):
    session = play(client, game="leduc-13", against=words, side=1)
    assert session["against"] == words and session["over"]


@pytest.mark.parametrize("words", ["search", "search:level=8"])
def test_the_page_of_strategies_says_what_the_search_does(client, words):
    found = wait_for_work(client, f"/api/strategies/pig?player={words}").json()
    assert "searches by the rules" in found["sentences"][0]
    assert is_thinker(known_game("pig"), words) and not is_thinker(known_game("pig"), "hold20")


@pytest.mark.parametrize(
    "words", ["search:nodes=50000000", "search:time=3600", "search:opponent=x.py:f", "search:level=9", "search:x=1"]
)
def test_other_searches_are_refused_in_a_sentence(words):
    with pytest.raises(ValueError, match=r"\w.*: \w|not more"):
        demand_opponent(known_game("pig"), words)
