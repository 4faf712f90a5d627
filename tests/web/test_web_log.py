"""The log tells the public moves of the other side and what chance turned up, and the end shows what won."""

import random

import pytest
from support.web_client import begin, open_client, play

from fogspiel.core.agents import find_policy
from fogspiel.core.drawing import draw_state
from fogspiel.core.game import CHANCE, find_game
from fogspiel.core.person_session import PersonSession
from fogspiel.core.picture import Board
from fogspiel.core.session import Session
from fogspiel.games.war import rules as war
from fogspiel.web.transcript import Transcript

AMBIGUOUS = "plays a card"
"""What is said where the open cards do not tell which one."""


def sessions(name, games=30):
    """Games that were played at random, on both sides."""
    game = find_game(name)
    for seed in range(games):
        draws = random.Random(seed)
        session = PersonSession(game, find_policy(game, "uniform"), seed % 2, seed)
        while True:
            while session.go_on():
                pass
            if session.over:
                break
            session.act(draws.choice(session.choices()))
        yield session


def log_of(session):
    """The lines of the log, as they are when the game is over."""
    return [(line["who"], line["words"]) for line in Transcript().lines(session, thinking=False)]


def moves_of_other(session):
    """What the other did, in words, and how much of that before the person's first action."""
    again, found, before, begun = Session(session.game), [], 0, False
    for action in session.record:
        if again.mover == 1 - session.side:
            found.append(session.game.label(action))
            before += not begun
        begun |= again.mover == session.side
        again.apply(action)
    return found, before


@pytest.mark.parametrize("name", ["flip", "morra", "rps", "rps-half", "leduc"])
def test_every_public_move_of_the_other_is_in_the_log(name):
    ambiguous = 0
    for session in sessions(name):
        moves, early = moves_of_other(session)
        told = [words for who, words in log_of(session) if who == "other"]
        known = moves[early:] if name == "flip" else moves
        assert len(told) == len(known)
        ambiguous += told.count(AMBIGUOUS)
        assert all(one in (other, AMBIGUOUS) for one, other in zip(told, known, strict=True)), (told, known)
    assert ambiguous < 20


def test_the_log_of_flip_tells_the_cards_that_are_opened():
    lines = [words for session in sessions("flip", 10) for who, words in log_of(session) if who == "referee"]
    for words in ("You open ", "The other opens ", "Both have passed: "):
        assert any(line.startswith(words) for line in lines)


@pytest.mark.parametrize("name", ["resistance5", "resistance8"])
def test_the_log_of_the_resistance_tells_missions_and_their_ends(name):
    for session in sessions(name, 10):
        lines = log_of(session)
        ends = [words for who, words in lines if words.startswith("Mission ")]
        assert len(ends) == session.state[12] and lines[-1][1].endswith(" won.")
        if session.side == 1:
            assert [words for who, words in lines if who == "other"] == moves_of_other(session)[0]


@pytest.mark.parametrize("name", ["batawaf", "war"])
def test_the_log_of_war_tells_the_tricks(name):
    for session in sessions(name, 4):
        lines, again, packets = log_of(session), Session(session.game), []
        for action in session.record:
            is_new = again.mover == session.side and not again.state[war.TOP] + again.state[war.BOTTOM]
            packets += [int(again.state[war.PACKET])] if is_new and again.mover != CHANCE else []
            again.apply(action)
        told = [words for _, words in lines if words.startswith("You win ")]
        assert [len(words.split(": ")[1].split()) for words in told] == packets
        lost = sum(int(words.split()[1]) for who, words in lines if who == "other")
        won = sum(packets) // 2
        half = int(session.state[war.CARDS]) // 2
        left = int(session.state[war.HELD + session.side]) + int(session.state[war.PACKET]) // 2
        assert half + won - lost >= left
        assert lines[-1][1].startswith("The game is over: ")


def winning_cells(game, state):
    """The cells that the picture of a state marks as winning."""
    boards = [part for part in draw_state(game, state) if isinstance(part, Board)]
    return [cell for row in boards[0].rows for cell in row if "winning" in cell.look.split()]


@pytest.mark.parametrize(
    "name", ["dark-hex-3x3", "dark-hex-4x3", "dark-hex-3x4", "phantom-ttt", "permutation-ttt", "four-in-a-row-4x4"]
)
def test_what_won_is_marked_at_the_end(name):
    marked = 0
    for session in sessions(name, 12):
        game, cells = session.game, winning_cells(session.game, session.state)
        drawn = session.score not in (0, game.top)
        assert bool(cells) != drawn
        marked += len({cell.text for cell in cells})
        assert len({cell.text for cell in cells}) <= 1
        if name.startswith("dark-hex"):
            rows, columns = {cell.name[1] for cell in cells}, {cell.name[0] for cell in cells}
            across = rows if cells[0].text == "X" else columns
            assert len(cells) >= len(across) == (int(name[-1]) if cells[0].text == "X" else int(name[-3]))
    assert marked


def test_the_last_stone_on_a_board_of_hexagons_is_marked(tmp_path):
    with open_client(tmp_path) as client:
        session = begin(client, game="dark-hex-3x3", against="uniform", side=0)
        cell = session["choices"][4]["action"]
        after = client.post(f"/api/play/{session['key']}", json={"action": cell, "moment": session["moment"]}).json()
        assert [1, cell // 3, cell % 3] in after["latest"] or after["thinking"]
        over = play(client, 2, game="dark-hex-3x3", against="uniform", side=0)
        looks = [one["look"] for part in over["truth"] for row in part.get("rows", []) for one in row if "look" in one]
        assert sum("winning" in look for look in looks) >= 3
