"""Players at the referee: the same games as the compiled loop, and solved tables that are followed."""

from itertools import product

import numpy as np
import pytest
from support.certificates import uniform_certificate

from fogspiel.core.agents import fixed, in_turn, mixture, named, redrawn
from fogspiel.core.game import game_named
from fogspiel.core.players import drawn, entrant_of, follower_of
from fogspiel.core.referee import Refereed, played
from fogspiel.core.rng import stream_of
from fogspiel.core.simulate import SEATS, Match, positions
from fogspiel.stats.evaluate import match_of


@pytest.mark.parametrize("name", ["nim", "morra", "pig", "kuhn"])
@pytest.mark.parametrize("seats", ["swapped", "alternating", "coin"])
def test_refereed_games_are_the_games_of_the_compiled_loop(name, seats):
    game = game_named(name)
    second = named(game, "uniform")
    first = fixed(game, 3) if game.strategy else second
    scores = Refereed(game, entrant_of(first), entrant_of(second)).scores(17, 0, 20, seats)
    assert (scores == Match(game, first, second).scores(17, 0, 20, seats)).all()


def contenders(game):
    """One of every kind."""
    thetas = np.array([fixed(game, seed).thetas[0] for seed in range(4)])
    return {
        "alone": fixed(game, 5),
        "uniform": named(game, "uniform"),
        "mixed": mixture(game, thetas, [0.1, 0.4, 0.2, 0.3]),
        "in turn": in_turn(game, thetas),
        "redrawn": redrawn(game),
    }


@pytest.mark.parametrize("name", ["nim", "morra", "batawaf", "permutation-ttt"])
def test_every_kind_of_contender_plays_its_games_of_the_compiled_loop(name):
    game = game_named(name)
    found = contenders(game)
    for one, other in product(found, repeat=2):
        match, refereed = (way(game, found[one], found[other]) for way in (Match, Refereed))
        for seats in SEATS:
            scores = match.scores(17, 3, 12, seats)
            assert (refereed.scores(17, 3, 12, seats) == scores).all(), (one, other, seats)


def test_an_entrant_meets_the_members_that_the_compiled_loop_would_draw():
    game = game_named("morra")
    uniform = named(game, "uniform")
    for contender in contenders(game).values():
        scores = match_of(game, entrant_of(uniform), contender).scores(8, 0, 20)
        assert (scores == Match(game, uniform, contender).scores(8, 0, 20)).all()


def test_a_solved_table_is_followed_in_either_seat():
    game = game_named("leduc")
    follower = follower_of("table", uniform_certificate("leduc")["strategies"])
    uniform = entrant_of(named(game, "uniform"))
    scores = Refereed(game, follower, uniform).scores(1, 0, 100)
    assert ((scores >= 0) & (scores < len(game.payoffs))).all()


def test_records_of_the_referee_replay():
    game = game_named("kuhn")
    follower = follower_of("table", uniform_certificate("kuhn")["strategies"])
    one, two = follower.player(stream_of(1, 1)), follower.player(stream_of(1, 2))
    record, score = played(game, (one, two), stream_of(1, 0))
    *_, last = positions(game, record)
    assert game.rules.score(last.state) == score


def test_an_action_that_is_not_possible_is_refused():
    class Cheat:
        def begin(self, side):
            pass

        def choose(self, seen, actions):
            return 99

    with pytest.raises(ValueError, match="player 1 of kuhn tried 99"):
        played(game_named("kuhn"), (Cheat(), Cheat()), stream_of(1, 0))


def test_actions_that_are_never_played_are_never_drawn():
    stream = stream_of(4)
    found = {drawn([0.0, 0.3, 0.0, 0.7, 0.0], stream) for _ in range(500)}
    assert found == {1, 3}
