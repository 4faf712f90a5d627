"""Players at the referee: the same games as the compiled loop, and solved tables that are followed."""

from fractions import Fraction

import numpy as np
import pytest

from fogspiel.contender import fixed, mixture, named, redrawn
from fogspiel.exact.certificate import certificate, knowledge_of
from fogspiel.exact.response import exact_judgement
from fogspiel.exact.tree import tree_of
from fogspiel.game import game_named
from fogspiel.players import drawn, entrant_of, follower_of
from fogspiel.referee import Refereed, played
from fogspiel.rng import stream_of
from fogspiel.simulate import Match, positions


@pytest.mark.parametrize("name", ["nim", "morra", "pig", "kuhn"])
@pytest.mark.parametrize("seats", ["swapped", "alternating", "coin"])
def test_refereed_games_are_the_games_of_the_compiled_loop(name, seats):
    game = game_named(name)
    second = named(game, "uniform")
    first = fixed(game, 3) if game.strategy else second
    scores = Refereed(game, entrant_of(first), entrant_of(second)).scores(17, 0, 20, seats)
    assert (scores == Match(game, first, second).scores(17, 0, 20, seats)).all()


def test_redrawn_and_mixed_contenders_can_be_refereed():
    game = game_named("morra")
    both = mixture(game, np.array([fixed(game, 1).thetas[0], fixed(game, 2).thetas[0]]), [0.0, 1.0])
    scores = Refereed(game, entrant_of(redrawn(game)), entrant_of(both)).scores(5, 0, 10)
    assert scores.shape == (10, 2)


def uniform_certificate(name):
    game = game_named(name)
    tree = tree_of(game)
    both = [[Fraction(1), *(Fraction(1, int(n)) for n in np.repeat(p.count, p.count))] for p in map(tree.plex, (0, 1))]
    judged = exact_judgement(tree, *both)
    bounds = (judged.lower, judged.upper)
    return certificate(name, game.version, tree, knowledge_of(game, tree), (both[0], both[1]), bounds)


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
