"""The gallery of proved values: on a new machine, in plain words, with proofs to check and to download."""

import re
from fractions import Fraction

import pytest
from support.web_client import checked, open_client

from fogspiel.solving.known_values import known_values, point_words, share_words


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with open_client(tmp_path_factory.mktemp("new")) as client:
        yield client


@pytest.mark.parametrize(
    ("lower", "upper", "words"),
    [
        ("5/6", "5/6", "The first player wins 5 of 6"),
        ("3/10", "3/10", "The second player wins 7 of 10"),
        ("0", "0", "The second player always wins"),
        ("1/2", "1/2", "The game is fair"),
        ("251/516", "251/516", "Almost fair: the second player wins 51 of 100"),
        ("3/4", "4/5", "The first player wins 3 of 4 at least"),
        ("1/9", "1/4", "The second player wins 3 of 4 at least"),
        ("1/9", "8/9", "Neither side can force a win"),
        ("0", "8/9", "Nobody knows who wins"),
    ],
)
def test_shares_are_told_in_plain_words(lower, upper, words):
    assert share_words(Fraction(lower), Fraction(upper)) == words


def test_points_are_told_in_plain_words():
    assert point_words(Fraction(-1, 18)) == "The second player wins 1 point in 18 games"
    assert point_words(Fraction(1, 25)) == "The first player wins 40 points in 1,000 games"


def test_a_new_machine_shows_every_value_and_offers_every_proof(client):
    page = client.get("/certificates").text
    assert page.count('class="card proof"') == len(known_values())
    shipped = [name for name, known in known_values().items() if known.shipped]
    assert sorted(re.findall(r'data-proof="([^"]+)"', page)) == sorted(shipped)
    assert "/certificates" in client.get("/results").text


def test_shipped_certificates_are_downloaded_and_others_refused_in_a_sentence(client):
    body = client.get("/api/values/kuhn/certificate")
    assert body.content == known_values()["kuhn"].shipped.read_bytes()
    assert 'filename="kuhn.json"' in body.headers["content-disposition"]
    for name in ("nim", "nothing", "..%2Findex", "index"):
        answer = client.get(f"/api/values/{name}/certificate")
        assert answer.status_code == 404 and "error" in answer.json()
        assert client.post(f"/api/values/{name}/verify").status_code == 404


@pytest.mark.thorough
def test_a_shipped_certificate_is_checked_from_the_page(client):
    found = checked(client, client.post("/api/values/kuhn/verify"))
    assert found["valid"] and found["facts"]["lower"] == found["facts"]["upper"] == "-1/18"


def test_the_page_of_a_game_has_its_value_its_proof_and_its_variants(client):
    page = client.get("/games/phantom-ttt").text
    assert "The first player wins 5 of 6" in page and 'data-proof="phantom-ttt"' in page
    assert set(re.findall(r'class="card" href="/games/([^"]+)"', page)) == {
        "phantom-ttt",
        "phantom-ttt-abrupt",
        "phantom-ttt-numturns",
    }
    assert "data-proof" not in client.get("/games/nim").text and "always wins" in client.get("/games/nim").text
