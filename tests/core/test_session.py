"""Players at the referee: the same games as the compiled loop, and solved tables that are followed."""

from itertools import product

import numpy as np
import pytest
from support.certificates import uniform_certificate

from fogspiel.core.agents import (
    PlayerAgent,
    draw_index,
    find_policy,
    fixed_baseline,
    mixture_policy,
    policies_in_turn,
    redrawn_baseline,
)
from fogspiel.core.game import known_game
from fogspiel.core.rng import stream_of
from fogspiel.core.session import AgentMatch, play_game, replay
from fogspiel.core.simulate import SEATS, PolicyMatch
from fogspiel.solving.proofs import certificate_agent
from fogspiel.stats.evaluate import make_match


def sends(policy):
    """The same policy as an agent that is known by its players only."""
    return PlayerAgent(policy.name, policy.new_player)


@pytest.mark.parametrize("name", ["nim", "morra", "pig", "kuhn"])
@pytest.mark.parametrize("seats", ["swapped", "alternating", "coin"])
def test_refereed_games_are_the_games_of_the_compiled_loop(name, seats):
    game = known_game(name)
    second = find_policy(game, "uniform")
    first = fixed_baseline(game, 3) if game.strategy else second
    scores = AgentMatch(game, sends(first), sends(second)).scores(17, 0, 20, seats)
    assert (scores == PolicyMatch(game, first, second).scores(17, 0, 20, seats)).all()


def contenders(game):
    """One of every kind."""
    thetas = np.array([fixed_baseline(game, seed).thetas[0] for seed in range(4)])
    return {
        "alone": fixed_baseline(game, 5),
        "uniform": find_policy(game, "uniform"),
        "mixed": mixture_policy(game, thetas, [0.1, 0.4, 0.2, 0.3]),
        "in turn": policies_in_turn(game, thetas),
        "redrawn": redrawn_baseline(game),
    }


@pytest.mark.parametrize("name", ["nim", "morra", "batawaf", "permutation-ttt"])
def test_every_kind_of_contender_plays_its_games_of_the_compiled_loop(name):
    game = known_game(name)
    found = contenders(game)
    for one, other in product(found, repeat=2):
        match, refereed = (way(game, found[one], found[other]) for way in (PolicyMatch, AgentMatch))
        for seats in SEATS:
            scores = match.scores(17, 3, 12, seats)
            assert (refereed.scores(17, 3, 12, seats) == scores).all(), (one, other, seats)


def test_an_entrant_meets_the_members_that_the_compiled_loop_would_draw():
    game = known_game("morra")
    uniform = find_policy(game, "uniform")
    for contender in contenders(game).values():
        scores = make_match(game, sends(uniform), contender).scores(8, 0, 20)
        assert (scores == PolicyMatch(game, uniform, contender).scores(8, 0, 20)).all()


def test_a_solved_table_is_followed_in_either_seat():
    game = known_game("leduc")
    follower = certificate_agent("table", uniform_certificate("leduc"), game)
    uniform = sends(find_policy(game, "uniform"))
    scores = AgentMatch(game, follower, uniform).scores(1, 0, 100)
    assert ((scores >= 0) & (scores < len(game.payoffs))).all()


def test_records_of_the_referee_replay():
    game = known_game("kuhn")
    follower = certificate_agent("table", uniform_certificate("kuhn"), game)
    one, two = follower.new_player(stream_of(1, 1)), follower.new_player(stream_of(1, 2))
    record, score = play_game(game, (one, two), stream_of(1, 0))
    *_, last = replay(game, record)
    assert game.rules.score(last.state) == score


def test_an_action_that_is_not_possible_is_refused():
    class Cheat:
        def begin(self, side):
            pass

        def choose(self, seen, actions):
            return 99

    with pytest.raises(ValueError, match="player 1 of kuhn tried 99"):
        play_game(known_game("kuhn"), (Cheat(), Cheat()), stream_of(1, 0))


def test_actions_that_are_never_played_are_never_drawn():
    stream = stream_of(4)
    found = {draw_index([0.0, 0.3, 0.0, 0.7, 0.0], stream) for _ in range(500)}
    assert found == {1, 3}
