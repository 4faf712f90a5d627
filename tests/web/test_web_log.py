"""The log tells the public moves of the other side and what chance turned up, and the end shows what won."""

import random
import re

import pytest
from support.web_client import begin, open_client, play

from fogspiel.core.agents import PlayerAgent, find_policy
from fogspiel.core.game import draw_state, known_game
from fogspiel.core.picture import BoardPicture
from fogspiel.core.session import PersonSession, Session
from fogspiel.games.boards.board import captured_cells
from fogspiel.games.chess.position import PLY
from fogspiel.games.war import rules as war
from fogspiel.games.war.strategy import card_name
from fogspiel.kriegspiel.game import last_message, parse_attempt
from fogspiel.runs.agent_parser import find_agent
from fogspiel.web.session_json import Transcript

AMBIGUOUS = "plays a card"
"""What is said where the open cards do not tell which one."""


def sessions(name, games=30, avoid=""):
    """Games that were played at random, on both sides, without the action of that label."""
    game = known_game(name)
    for seed in range(games):
        draws = random.Random(seed)
        session = PersonSession(game, find_policy(game, "uniform"), seed % 2, seed)
        while True:
            while session.go_on():
                pass
            if session.over:
                break
            session.act(draws.choice([action for action in session.choices() if game.label(action) != avoid]))
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


def played_cards(before, now, player):
    """The cards that a player has turned up or laid face down, as the umpire knows them."""
    deck, head = war.DECK + war.RING * player, war.HEAD + player
    return [int(now[deck + at % war.RING]) for at in range(int(before[head]), int(now[head]))]


def packets_of(session):
    """For each packet that the person won: its cards, the own ones among them, and the own ones lost before it."""
    again, played, found = Session(session.game), [], []
    for action in session.record:
        state = again.state.copy()
        if again.mover == session.side and not state[war.TOP] + state[war.BOTTOM]:
            packet = state[war.WON : war.WON + int(state[war.PACKET])].tolist()
            own, lost = played[len(played) - len(packet) // 2 :], played[: len(played) - len(packet) // 2]
            found.append((packet, own, lost))
            played = []
        again.apply(action)
        played += played_cards(state, again.state, session.side)
    return found


def values_of(session, words):
    """The values of the cards that are named in words."""
    names = [card_name(int(session.state[war.VALUES]), value) for value in range(int(session.state[war.VALUES]))]
    return [names.index(word) for word in words.split() if word in names]


@pytest.mark.parametrize("name", ["batawaf", "war"])
def test_the_log_of_war_tells_the_tricks_and_the_cards(name):
    battles = 0
    for session in sessions(name, 4):
        lines, packets = log_of(session), packets_of(session)
        told = [words.split(": ")[1].rstrip(".") for _, words in lines if words.startswith("You win ")]
        assert len(told) == len(packets)
        for words, (packet, own, _) in zip(told, packets, strict=True):
            assert sorted(values_of(session, words)) == packet
            if words.startswith("your "):
                assert values_of(session, words.split(" take")[0]) == sorted(own)
                battles += len(packet) > 2
        assert lines[-1][1].startswith("The game is over: ")
    assert battles


@pytest.mark.parametrize("name", ["batawaf", "war"])
def test_the_log_of_war_names_the_lost_cards_that_were_put_back_before(name):
    """Without shuffling these are all but the dealt ones, which nobody has seen."""
    named = 0
    for session in sessions(name, 4, avoid="shuffle the packet"):
        lines = iter([words for who, words in log_of(session) if who == "other"])
        unseen = int(session.state[war.CARDS]) // 2
        for _, own, lost in packets_of(session):
            dealt = min(unseen, len(lost))
            unseen -= min(unseen, len(lost) + len(own))
            if lost:
                count, _, cards = next(lines).partition(": ")
                assert count == f"wins {len(lost)} of your cards"
                assert values_of(session, cards.partition(" (")[0]) == lost[dealt:]
                assert cards.endswith(f" ({dealt} unseen)") or not cards or dealt == 0
                named += len(lost) - dealt
        assert next(lines, None) is None
    assert named > 20


def marked_cells(game, state, look):
    """The cells that the picture of a state marks so."""
    boards = [part for part in draw_state(game, state) if isinstance(part, BoardPicture)]
    return [cell for row in boards[0].rows for cell in row if look in cell.look.split()]


@pytest.mark.parametrize(
    "name", ["dark-hex-3x3", "dark-hex-4x3", "dark-hex-3x4", "phantom-ttt", "permutation-ttt", "four-in-a-row-4x4"]
)
def test_what_won_is_marked_at_the_end(name):
    marked = 0
    for session in sessions(name, 12):
        game, cells = session.game, marked_cells(session.game, session.state, "winning")
        drawn = session.payoff_index not in (0, game.max_score)
        assert bool(cells) != drawn
        marked += len({cell.text for cell in cells})
        assert len({cell.text for cell in cells}) <= 1
        if name.startswith("dark-hex"):
            rows, columns = {cell.name[1] for cell in cells}, {cell.name[0] for cell in cells}
            across = rows if cells[0].text == "X" else columns
            assert len(cells) >= len(across) == (int(name[-1]) if cells[0].text == "X" else int(name[-3]))
    assert marked


@pytest.mark.parametrize("name", ["phantom-ponnuki-3x3", "phantom-ponnuki-4x4", "phantom-ponnuki-6x6"])
def test_what_was_captured_is_marked_at_the_end(name):
    captures = 0
    for session in sessions(name, 20):
        game, again = session.game, Session(session.game)
        for action in session.record:
            assert not marked_cells(game, again.state, "captured")
            again.apply(action)
        cells, label = marked_cells(game, session.state, "captured"), game.label(session.record[-1])
        (last,) = [
            cell for look in ("own", "other") for cell in marked_cells(game, session.state, look) if label in cell.name
        ]
        if not cells:  # the loser had no legal cell left
            continue
        captures += 1
        assert {cell.text for cell in cells} == {"O" if session.payoff_index == game.max_score else "X"} != {last.text}
        assert all(cell.name.endswith(", captured") for cell in cells)
        near = [abs(ord(label[0]) - ord(cell.name[0])) + abs(int(label[1]) - int(cell.name[1])) for cell in cells]
        assert 1 in near
    assert captures > 10


def test_chains_without_liberties_are_captured_whole():
    """Two stones in a corner are taken, their neighbour with a liberty of its own is not."""
    assert captured_cells(3, 3, [0, 1], [2, 3, 4]) == {0, 1}
    assert captured_cells(3, 3, [0, 1, 8], [2, 3, 4]) == {0, 1}
    assert captured_cells(3, 3, [0, 1], [2, 3]) == set()
    assert captured_cells(3, 3, [0, 8], [1, 3, 5, 7]) == {0, 8}


def test_the_last_stone_on_a_board_of_hexagons_is_marked(tmp_path):
    with open_client(tmp_path) as client:
        session = begin(client, game="dark-hex-3x3", against="uniform", side=0)
        cell = session["choices"][4]["action"]
        after = client.post(f"/api/play/{session['key']}", json={"action": cell, "moment": session["moment"]}).json()
        assert [1, cell // 3, cell % 3] in after["latest"] or after["thinking"]
        over = play(client, 2, game="dark-hex-3x3", against="uniform", side=0)
        looks = [one["look"] for part in over["truth"] for row in part.get("rows", []) for one in row if "look" in one]
        assert sum("winning" in look for look in looks) >= 3


class Script:
    """A player who makes these moves of Kriegspiel."""

    def __init__(self, moves):
        self.moves = [parse_attempt(move) for move in moves.split()]

    def begin(self, side):
        pass

    def choose(self, seen, actions):
        return self.moves.pop(0)


def moves_played(session):
    """Who made each move of a game of Kriegspiel, and on which square something was taken."""
    again, found = Session(session.game), []
    for action in session.record:
        before, mover = int(again.state[PLY]), again.mover
        again.apply(action)
        if again.state[PLY] > before:
            taken = re.search(r"taken on (..)", last_message(again.state))
            found.append((("White", "Black")[mover], taken and taken.group(1)))
    return found


def moves_logged(session):
    """The same by the log."""
    told = [words for who, words in log_of(session) if who == "referee"]
    found = [re.match(r"(White|Black) moved(?:.* taken on (..))?", words) for words in told]
    return [match.groups() for match in found if match]


def test_the_log_of_kriegspiel_has_every_move_that_was_played_and_no_other():
    ends = set()
    for session in sessions("kriegspiel", 5):
        assert moves_logged(session) == moves_played(session)
        ends.add(log_of(session)[-1][1])
    assert all(words.startswith("The game is over: ") for words in ends)


@pytest.mark.parametrize("side", [0, 1])
def test_a_move_that_mates_is_the_last_one_of_the_log(side):
    mine, others = ["e2e4 d1h5 f1c4 h5f7", "e7e5 b8c6 g8f6"][:: 1 - 2 * side]
    session = PersonSession(known_game("kriegspiel"), PlayerAgent("script", lambda stream: Script(others)), side, 1)
    for move in mine.split():
        while session.go_on():
            pass
        session.act(parse_attempt(move))
    while session.go_on():
        pass
    assert session.over and moves_logged(session) == moves_played(session) and len(moves_played(session)) == 7
    lines = [words for _, words in log_of(session)]
    assert lines[-1] == "The game is over: checkmate." and lines[-2].startswith("White moved, pawn taken on f7")


MATE_SEED = 3
"""A seed with which `random` walks into the scholar's mate."""


@pytest.mark.interpreted
def test_the_log_of_kriegspiel_ends_with_the_mate_and_no_move_after_it():
    game = known_game("kriegspiel")
    session = PersonSession(game, find_agent(game, "random", None, MATE_SEED), 0, MATE_SEED)
    for wanted in ("e2e4", "d1h5", "f1c4", "h5f7"):
        while session.go_on():
            pass
        session.act(next(action for action in session.choices() if game.label(action) == wanted))
    lines = log_of(session)
    after = lines[lines.index(("you", "h5f7")) + 1 :]
    assert [words.partition(",")[0] for _, words in after] == ["White moved", "The game is over: checkmate."]
