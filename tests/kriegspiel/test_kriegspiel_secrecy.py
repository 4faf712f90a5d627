"""Nothing leaks: whoever heard the same sees the same, and a player holds nothing by which to reach the referee."""

import gc
import random

import numpy as np
import pytest

from fogspiel.core.agents import find_policy
from fogspiel.core.game import known_game
from fogspiel.core.rng import stream_of
from fogspiel.core.session import play_game as refereed
from fogspiel.core.simulate import PolicyMatch
from fogspiel.games.chess.bitboards import KINDS
from fogspiel.games.chess.moves import LIMITS, MAX_MOVES, legal_moves, restrict
from fogspiel.games.chess.position import MEN, MOVER, PLY
from fogspiel.kriegspiel.game import rules
from fogspiel.kriegspiel.referee import Referee, play_game

GAME = known_game("kriegspiel")
WORLDS = 24
"""How many games a side cannot tell apart from the real one are followed."""


def seen_by(state, side):
    seen = np.zeros(rules.VIEW, np.int64)
    rules.view(state, side, seen)
    return seen.tobytes()


def offered(state):
    out = np.zeros(GAME.sizes.actions, np.int64)
    return out[: rules.legal(state, out)].tolist()


def legal(state):
    limits, out = np.zeros(LIMITS, np.int64), np.zeros(MAX_MOVES, np.int64)
    restrict(state, limits)
    return out[: legal_moves(state, limits, out)].tolist()


def answer(state, action):
    """What a referee says to an attempt, from the rules' own numbers: nothing, or a message and perhaps an end."""
    mover, before = int(state[MOVER]), int(state[PLY])
    rules.apply(state, action)
    if state[PLY] == before:
        return None
    said = rules.SAID + 4 * mover
    return [*state[said : said + 4].tolist(), int(state[rules.END])]


def other_world(state, heard, rng):
    """A copy in which the other side makes some move of its own of which the same is heard, or None."""
    moves = legal(state)
    rng.shuffle(moves)
    for move in moves:
        world = state.copy()
        for attempt in rng.sample(offered(world), min(2, len(offered(world)))):
            trial = world.copy()
            if answer(trial, attempt) is None:  # what he is refused on the way is not heard
                world = trial
        if answer(world, move) == heard:
            return world
    return None


def compare(real, worlds, side):
    """All worlds look alike to the side, and offer it the same."""
    seen, actions = seen_by(real, side), offered(real)
    for world in worlds:
        assert seen_by(world, side) == seen
        assert real[MOVER] != side or offered(world) == actions


def hidden(state, side):
    """Where the other side's men are."""
    return tuple(int(state[kind] & state[MEN + 1 - side]) for kind in range(KINDS))


def followed(seed, side, plies):
    """Follow a game together with others that sound the same to one side; how many looks at a different board."""
    rng, real = random.Random(seed), np.zeros(rules.STATE, np.int64)
    rules.start(real)
    worlds, different = [real.copy() for _ in range(WORLDS)], 0
    while not real[rules.END] and real[PLY] < plies:
        compare(real, worlds, side)
        different += sum(hidden(world, side) != hidden(real, side) for world in worlds)
        if real[MOVER] == side:
            action = rng.choice(offered(real))
            heard = answer(real, action)
            worlds = [world for world in worlds if answer(world, action) == heard]
        else:
            heard = answer(real, rng.choice(legal(real)))
            moved = (other_world(world, heard, rng) for world in worlds)
            worlds = [world for world in moved if world is not None]
        if not worlds:
            break
        worlds = [rng.choice(worlds).copy() for _ in range(WORLDS)] if len(worlds) < WORLDS // 2 else worlds
    compare(real, worlds, side)
    return different


def test_games_that_sound_the_same_look_the_same():
    assert sum(followed(seed, seed % 2, 60) for seed in range(16)) > 3000


class Vandal:
    """Plays at random, and writes into everything that it was given."""

    def __init__(self, seed):
        self.rng = random.Random(seed)

    def begin(self, side):
        pass

    def choose(self, seen, actions):
        action = self.rng.choice(list(actions))
        seen[:] = -1
        actions[:] = [0]
        return action


class Decent(Vandal):
    """Plays the same game and writes nothing."""

    def choose(self, seen, actions):
        return self.rng.choice(list(actions))


def test_writing_into_what_a_player_was_given_changes_nothing():
    games = [play_game((kind(1), kind(2)), Referee()) for kind in (Vandal, Decent)]
    assert games[0].record == games[1].record and games[0].fen == games[1].fen
    chance = stream_of(1, 0)
    assert refereed(GAME, (Vandal(1), Vandal(2)), chance) == refereed(GAME, (Decent(1), Decent(2)), chance)


class Cheat(Decent):
    """Writes a move of its own on the list, and plays it."""

    def choose(self, seen, actions):
        actions.append(63 * 65)
        return 63 * 65


def test_a_move_that_a_player_put_on_the_list_is_refused():
    with pytest.raises(ValueError, match="is not among"):
        refereed(GAME, (Cheat(1), Cheat(2)), stream_of(1, 0))
    with pytest.raises(ValueError, match="h8h8: White has no man on h8"):
        play_game((Cheat(1), Cheat(2)), Referee())


class Spy(Decent):
    """Looks for the referee behind everything that it was given."""

    def __init__(self, seed, umpire):
        super().__init__(seed)
        self.umpire, self.looks = umpire, 0

    def choose(self, seen, actions):
        assert seen.base is None and seen.flags.owndata and not np.shares_memory(seen, self.umpire.state)
        assert all(type(action) is int for action in actions)
        assert not any(found is self.umpire.state for found in gc.get_referents(seen, actions))
        self.looks += 1
        return super().choose(seen, actions)


def test_nothing_that_a_player_is_given_leads_to_the_board():
    umpire = Referee()
    spies = Spy(1, umpire), Spy(2, umpire)
    play_game(spies, umpire, 60)
    assert min(spy.looks for spy in spies) >= 30


def test_a_refused_attempt_is_not_heard_by_the_other_side():
    umpire = Referee("4k3/8/8/8/8/4n3/4P3/K7 w - - 0 1")
    before = umpire.view(1)
    assert not umpire.attempt("e2e4").accepted and not umpire.attempt("e2e3").accepted
    assert umpire.view(1).tobytes() == before.tobytes() != umpire.view(0).tobytes()


def test_a_view_holds_no_man_of_the_other_side():
    rng = random.Random(3)
    for _ in range(5):
        umpire = Referee()
        while not umpire.over:
            for side in (0, 1):
                men = umpire.view(side)[rules.SEEN_MEN : rules.SEEN_MEN + KINDS]
                assert np.bitwise_or.reduce(men) == umpire.state[MEN + side]
            umpire.attempt(rng.choice(umpire.actions))


def test_the_fused_game_of_uniform_players_is_the_game_of_the_rules():
    uniform = find_policy(GAME, "uniform")
    fused, plain = PolicyMatch(GAME, uniform, uniform), PolicyMatch(GAME, uniform, uniform, fused=False)
    assert fused.fused and not plain.fused
    assert (fused.scores(21, 0, 300) == plain.scores(21, 0, 300)).all()
