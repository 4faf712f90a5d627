"""A player's observation history: its own distinct views, in order, and nothing else."""

import pytest

from fogspiel.core.agents import find_policy
from fogspiel.core.game import known_game
from fogspiel.core.rng import random_below, stream_of
from fogspiel.core.session import PersonSession, Session, play_game


class Listener:
    """A player that follows a list of actions, or draws them, and notes what it hears."""

    def __init__(self, stream, planned=()):
        self.stream, self.planned, self.heard = stream, list(planned), []

    def begin(self, side):
        self.side = side

    def observe(self, seen):
        self.heard.append(seen.tolist())

    def choose(self, seen, actions):
        return self.planned.pop(0) if self.planned else actions[random_below(self.stream, len(actions))]


def heard_in(game, record):
    """The calls of both players when a record is played."""
    session, players = Session(game), [Listener(stream_of(1)), Listener(stream_of(2))]
    for side, player in enumerate(players):
        session.seat(player, side)
    for action in record:
        session.apply(action)
    return [player.heard for player in players]


def distinct_views(game, record, side):
    session = Session(game)
    views = [session.view(side).tolist()]
    for action in record:
        session.apply(action)
        if (now := session.view(side).tolist()) != views[-1]:
            views.append(now)
    return views[1:]


@pytest.mark.parametrize("name", ["kuhn", "leduc", "phantom-ttt", "liars-dice-4", "goofspiel-4", "guesswho24"])
def test_players_hear_their_distinct_views_in_order(name):
    game = known_game(name)
    players = Listener(stream_of(1)), Listener(stream_of(2))
    record = play_game(game, players, stream_of(3)).record
    for side, player in enumerate(players):
        assert player.heard == distinct_views(game, record, side)


PAIRS = {
    # White never learns which cells Black tried in vain, nor where its stones are.
    "phantom-ttt": ([0, 4, 4, 1], [2, 4, 3]),
    "dark-hex-3x3": ([0, 8, 8, 1], [2, 8, 3]),
    "phantom-ponnuki-3x3": ([0, 8, 8, 2], [2, 8, 4]),
    # Neither player learns the other's bids.
    "goofspiel-4": ([1, 4, 2, 3], [2, 4, 1, 3]),
}


@pytest.mark.parametrize("name", PAIRS)
def test_games_that_a_player_cannot_tell_apart_make_the_same_calls(name):
    game, (one, other) = known_game(name), PAIRS[name]
    assert distinct_views(game, one, 1) == distinct_views(game, other, 1)
    assert heard_in(game, one)[1] == heard_in(game, other)[1]
    assert heard_in(game, one)[0] != heard_in(game, other)[0]


def test_the_other_players_vain_tries_are_not_heard():
    game = known_game("phantom-ttt")
    session, white = Session(game), Listener(stream_of(1))
    session.seat(white, 1)
    for action in (0, 4):
        session.apply(action)
    before = len(white.heard)
    session.apply(4)  # Black tries White's cell
    assert session.mover == 0 and len(white.heard) == before


def test_a_restored_session_lets_its_opponent_hear_the_same():
    game = known_game("phantom-ttt")

    class Agent:
        name = "listener"

        def new_player(self, stream):
            self.player = Listener(stream)
            return self.player

    agent = Agent()
    session = PersonSession(game, agent, 0, 7)
    while not session.over:
        if session.waits_for_person:
            session.act(session.choices()[0])
        else:
            session.go_on()
    first = agent.player.heard
    PersonSession(game, agent, 0, 7, session.record)
    assert agent.player.heard == first == distinct_views(game, session.record, 1)


def test_policies_need_not_listen():
    game = known_game("kuhn")
    players = tuple(find_policy(game, "uniform").new_player(stream_of(side)) for side in (1, 2))
    assert not hasattr(players[0], "observe")
    assert play_game(game, players, stream_of(3)).score in range(5)
