"""Any game in the terminal: numbers or words in, what one may know out, the truth afterwards."""

import io
import json
import random

import pytest
from support.commands import DOCUMENTED
from support.levels import one_of_each_family

from fogspiel.cli.terminal import Terminal, normal, numbered_list, parse_choice
from fogspiel.core.agents import find_policy
from fogspiel.core.game import known_game, list_games
from fogspiel.core.session import PersonSession


@pytest.fixture
def play(fogspiel, monkeypatch):
    def outcome(lines, *words):
        monkeypatch.setattr("sys.stdin", io.StringIO(lines))
        return fogspiel("play", *words)

    return outcome


def seated(name, side=0, seed=5):
    game = known_game(name)
    return PersonSession(game, find_policy(game, "uniform"), side, seed)


@pytest.mark.interpreted
@pytest.mark.parametrize("name", one_of_each_family(sorted(list_games())))
def test_every_game_can_be_played_by_numbers_to_its_end_or_for_long(name):
    draws, told, sitting = random.Random(1), [], seated(name, 1)

    def lines():
        for _ in range(300):
            yield str(draws.randint(1, len(sitting.choices())))

    terminal = Terminal(sitting, lines(), told.append)
    played = terminal.play()
    ended = played.how in ("you won", "you lost", "a draw")
    assert ended or (played.how == "you left it" and len(sitting.decisions) == 300)
    assert (played.score is None) == (played.how == "you left it")
    assert "The whole truth" in terminal.epilogue()
    assert "".join(told)


@pytest.mark.parametrize("name", one_of_each_family(sorted(list_games())))
def test_every_choice_can_be_said_in_its_own_words(name):
    game, sitting = known_game(name), seated(name)
    while sitting.go_on():
        pass
    for action in sitting.choices():
        assert parse_choice(normal(game.label(action).upper()), sitting.choices(), game.label) == action


def test_a_game_is_played_by_number_label_beginning_and_end(play):
    outcome = play("7\ntake 1 from heap 1\n2 from heap 2\n", "nim", "--against", "perfect", "--seed", 3)
    assert outcome.returncode == 0
    assert "you: take 3 from heap 3" in outcome.stdout and "you: take 1 from heap 1" in outcome.stdout
    assert "The game is over: you left it." in outcome.stdout


def test_what_cannot_be_done_is_said_in_a_sentence_and_the_game_goes_on(play):
    outcome = play("99\nshout\ntake 1\n\n  HELP \nlook\n1\nresign\n", "nim", "--seed", 1)
    assert "99 is not the number of a choice: they are 1 to 16." in outcome.stdout
    assert "'shout' is not one of the choices" in outcome.stdout
    assert "'take 1' may be take 1 from heap 1" in outcome.stdout
    assert "Ctrl-D      leave" in outcome.stdout
    assert "you: take 1 from heap 1" in outcome.stdout and "you resigned" in outcome.stdout


def test_nothing_hidden_is_told_before_the_end():
    """Two deals that differ only in the other's card are told alike until the cards are shown."""
    game = known_game("kuhn")
    heard = {}
    for seed in range(60):
        sitting, told = seated("kuhn", 0, seed), []

        def lines(told=told):
            heard.setdefault(told[-1].splitlines()[0][:12], set()).add("\n".join(told))
            yield "resign"

        Terminal(sitting, lines(), told.append).play()
    assert len(heard) == 3 and all(len(tellings) == 1 for tellings in heard.values())
    assert game.name == "kuhn"


def test_the_seat_can_be_chosen_and_the_same_seed_is_the_same_game(play):
    first, again = (play("1\n1\n1\n1\n", "phantom-ttt", "--seat", "second", "--seed", 8).stdout for _ in range(2))
    assert first == again and "You are the second player" in first and "All that was done:\nthe other:" in first


def test_the_answer_for_programs_is_one_documented_object(play):
    outcome = play("resign\n", "pig", "--against", "hold20", "--seed", 2, "--json")
    found = json.loads(outcome.stdout)
    assert found["how"] == "you resigned" and found["score"] == 0 and found["as"] == "first" and found["actions"] == 0
    assert all(f"`{key}`" in DOCUMENTED for key in found)
    assert "Pig, first to 100" in outcome.stderr


def test_kriegspiel_leads_to_its_own_terminal(play, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcome = play("e2e4\nresign\n", "kriegspiel", "--against", "random")
    assert "You are White" in outcome.stdout and "The referee" in outcome.stdout and list(tmp_path.glob("*.pgn"))


def test_wrong_options_are_refused(refused):
    refused("play", "chess", because="no game")
    refused("play", "nim", "--seat", "third", because="first or second")
    refused("play", "nim", "--against", "nobody", because="not a player")


def test_choices_stand_in_columns():
    lines = numbered_list([f"choice {number}" for number in range(30)]).splitlines()
    assert len(lines) < 8 and all(len(line) <= 100 for line in lines)
