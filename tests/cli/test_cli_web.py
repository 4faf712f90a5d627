"""fogspiel web: it serves this machine, says where, and ends when it is told to."""

import json
import os
import signal
import socket
import urllib.error
import urllib.request

import pytest
from support.web_site import running

from fogspiel.cli.commands.web import games_path, hosts_of


def asked(address, path, body=None):
    content = None if body is None else json.dumps(body).encode()
    question = urllib.request.Request(address + path, content, {"content-type": "application/json"})
    with urllib.request.urlopen(question, timeout=30) as answer:
        return json.load(answer)


@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_says_where_it_is_and_ends_cleanly(tmp_path, number):
    with running(tmp_path) as (process, address):
        assert address.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(address, timeout=30) as page:
            assert page.status == 200 and b"fogspiel" in page.read()
        process.send_signal(number)
        assert process.wait(20) == 0
        assert "games and runs are saved" in process.stderr.read()


@pytest.mark.thorough
def test_it_says_where_it_is_to_programs(tmp_path):
    with running(tmp_path, "--json") as (_, address):
        shown = address.partition('"')[0]
        with urllib.request.urlopen(shown, timeout=30) as page:
            assert page.status == 200


@pytest.mark.thorough
def test_a_game_is_found_again_after_the_server_was_killed(tmp_path):
    with running(tmp_path) as (process, address):
        scene = asked(address, "api/play", {"game": "phantom-ttt", "against": "uniform"})
        while scene["thinking"]:
            scene = asked(address, f"api/play/{scene['key']}")
        move = {"action": scene["choices"][0]["action"], "moment": scene["moment"]}
        scene = asked(address, f"api/play/{scene['key']}", move)
        while scene["thinking"]:
            scene = asked(address, f"api/play/{scene['key']}")
        os.kill(process.pid, signal.SIGKILL)
        process.wait(20)
    with running(tmp_path) as (_, address):
        again = asked(address, f"api/play/{scene['key']}")
        while again["thinking"]:
            again = asked(address, f"api/play/{scene['key']}")
    assert again == scene
    assert games_path(tmp_path / "runs.db").exists()


def test_a_port_that_is_taken_is_not_replaced_by_another(fogspiel):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        outcome = fogspiel("web", "--no-open", "--port", port)
    assert outcome.returncode == 2 and len(outcome.stderr.splitlines()) == 1
    assert f"port {port} of 127.0.0.1 cannot be used" in outcome.stderr


@pytest.mark.parametrize(("host", "words"), [("0.0.0.0", "add --token"), ("no such host", "add --token")])
def test_other_machines_are_not_let_in_without_a_token(host, words, fogspiel):
    outcome = fogspiel("web", "--no-open", "--host", host)
    assert outcome.returncode == 2 and words in outcome.stderr


@pytest.mark.thorough
def test_who_has_the_token_is_let_in(tmp_path):
    with running(tmp_path, "--token") as (_, address):
        bare, _, token = address.partition("?token=")
        assert len(token) == 24
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(bare, timeout=30)
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with browser.open(address, timeout=30) as page:
            assert page.status == 200 and page.url == bare


def test_the_page_answers_to_its_own_names():
    assert hosts_of("127.0.0.1", 80) >= {"127.0.0.1:80", "localhost", "127.0.0.1"}
    assert hosts_of("127.0.0.1", 8765) == {"127.0.0.1:8765", "localhost:8765"}
    assert hosts_of("192.0.2.7", 8765) == {"192.0.2.7:8765"}
    assert hosts_of("::1", 8765) >= {"[::1]:8765", "localhost:8765"}
    assert "localhost:8765" in hosts_of("0.0.0.0", 8765)
