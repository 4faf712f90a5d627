"""Nothing leaks under any rule set: whoever heard the same sees the same, is offered the same and is sent the same."""

import random

import numpy as np
import pytest

from fogspiel.core.rng import stream_of
from fogspiel.games.chess.bitboards import KINDS
from fogspiel.games.chess.position import MEN, MOVER, PLY
from fogspiel.kriegspiel.engine import SearchLimit, find_engine
from fogspiel.kriegspiel.game import RULE_SETS, rules
from fogspiel.kriegspiel.game.attempts import MESSAGE, REFUSALS_HEARD
from fogspiel.kriegspiel.protocol import ProtocolReader, ProtocolWriter, house_in, new_line, pairs_in
from fogspiel.kriegspiel.referee import HouseRules, Referee

pytestmark = pytest.mark.thorough

WORLDS, GAMES, PLIES = 12, 6, 50
TRIALS = 30
"""How often another way to sound the same is looked for in a world."""
ONE = SearchLimit(nodes=1)


def begun(name):
    """A game at its beginning."""
    state = np.zeros(rules.STATE, np.int64)
    rules.begin(state, rules.HOME, HouseRules.usual(name).bits)
    return state


def seen_by(state, side):
    seen = np.zeros(rules.VIEW, np.int64)
    rules.view(state, side, seen)
    return seen


def offered(state):
    out = np.zeros(384, np.int64)
    return out[: rules.legal(state, out)].tolist()


def sound(state, action):
    """Do something; what both sides hear of it, or what only the mover hears."""
    mover, ply = int(state[MOVER]), int(state[PLY])
    rules.apply(state, action)
    turn = state[rules.TURNS + rules.TURN * mover :][: rules.TURN].tolist()
    if action == rules.ANY:
        return ("answer", turn[rules.ANSWER])
    if state[PLY] == ply:
        return ("refused",)
    said = state[rules.SAID + MESSAGE * mover :][:MESSAGE].tolist()
    return ("moved", *said, turn[rules.PROMOTED], int(state[rules.END]))


def public(state, heard):
    """Whether the other side hears it."""
    return heard[0] != "refused" or bool(state[rules.SWITCHES] & REFUSALS_HEARD)


def whole_turn(state, rng):
    """The other side plays a turn with whatever attempts; what is heard of it."""
    heard = []
    while not heard or heard[-1][0] != "moved":
        heard.append(sound(state, rng.choice(offered(state))))
    return [event for event in heard if public(state, event)]


def same_turn(world, heard, rng):
    """A copy of a world in which the other side plays some turn that sounds the same, or None."""
    world = world.copy()
    for event in heard:
        for _ in range(TRIALS):
            trial = world.copy()
            asks = event[0] == "answer"
            choices = [action for action in offered(trial) if (action == rules.ANY) == asks]
            if choices and sound(trial, rng.choice(choices)) == event:
                world = trial
                break
        else:
            return None
    return world


def compare(real, worlds, side):
    """All worlds look alike to the side, offer it the same, and send it the same lines."""
    seen, own_turn = seen_by(real, side), real[MOVER] == side and not real[rules.END]
    actions = offered(real) if own_turn else []
    lines = ProtocolWriter().turn(seen, actions)
    for world in worlds:
        assert seen_by(world, side).tobytes() == seen.tobytes()
        assert not own_turn or offered(world) == actions
        assert ProtocolWriter().turn(seen_by(world, side), offered(world) if own_turn else []) == lines


def hidden(state, side):
    """Where the other side's men are."""
    return tuple(int(state[kind] & state[MEN + 1 - side]) for kind in range(KINDS))


def followed(name, seed):
    """Follow a game together with others that sound the same to one side; how many looks at a different board."""
    rng, side, real = random.Random(f"{name} {seed}"), seed % 2, begun(name)
    worlds, different = [real.copy() for _ in range(WORLDS)], 0
    while not real[rules.END] and real[PLY] < PLIES and worlds:
        compare(real, worlds, side)
        different += sum(hidden(world, side) != hidden(real, side) for world in worlds)
        if real[MOVER] == side:
            action = rng.choice(offered(real))
            heard = sound(real, action)
            worlds = [world for world in worlds if sound(world, action) == heard]
        else:
            heard = whole_turn(real, rng)
            worlds = [world for world in (same_turn(world, heard, rng) for world in worlds) if world is not None]
        worlds += [rng.choice(worlds).copy() for _ in range(WORLDS - len(worlds)) if worlds]
    compare(real, worlds, side)
    return different


@pytest.mark.parametrize("name", RULE_SETS)
def test_games_that_sound_the_same_look_the_same_and_send_the_same_lines(name):
    assert sum(followed(name, seed) for seed in range(GAMES)) > 100


@pytest.mark.parametrize("name", RULE_SETS)
def test_a_refused_attempt_is_heard_where_the_rules_say_so_and_without_its_squares(name):
    views = []
    for attempts in (("e2e4", "e2e3"), ("a1a4", "a1a5")):
        umpire = Referee("4k3/p7/8/8/8/n3n3/4P3/R3K3 w - - 0 1", HouseRules.usual(name))
        before = umpire.view(1)
        assert not any(umpire.attempt(attempt).accepted for attempt in attempts)
        views.append(umpire.view(1))
        assert (views[-1].tobytes() == before.tobytes()) == (name == "icc")
    assert views[0].tobytes() == views[1].tobytes()


@pytest.mark.parametrize("name", RULE_SETS)
def test_the_lines_hold_the_whole_view_under_every_rule_set(name):
    house = HouseRules.usual(name)
    given = pairs_in(new_line(0, house, ONE, 1).split()[1:])
    assert house_in(given) == house and given["rules"] == name
    for seed in range(3):
        rng, fen = random.Random(seed), "r3k2r/pPp2ppp/8/3pP3/4p3/8/PPPP1PpP/R3K2R w KQkq d6 0 9" if seed else None
        umpire, reporters = Referee(fen, house), (ProtocolWriter(), ProtocolWriter())
        listeners = ProtocolReader(0, house.bits), ProtocolReader(1, house.bits)
        while not umpire.over and umpire.plies < 90:
            side = umpire.turn
            for line in reporters[side].turn(umpire.view(side), umpire.actions):
                assert len(line) <= 2500 and line.isascii()
                word, *rest = line.split(" ")
                listeners[side].hear(word, rest)
            assert listeners[side].seen.tobytes() == umpire.view(side).tobytes()
            assert listeners[side].actions == umpire.actions
            reporters[side].last = rng.choice(umpire.actions)
            umpire.attempt(reporters[side].last)
        assert sum(umpire.refused) > 5


@pytest.mark.parametrize("name", ("hs", "minimax"))
def test_an_engine_tries_the_same_in_games_that_sound_the_same(name):
    """Under Berkeley rules it does not matter what was taken: the engine is not told."""
    tried = []
    for fen in ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "4k3/8/8/3n4/4P3/8/8/4K3 w - - 0 1"):
        umpire, engine = (
            Referee(fen, HouseRules.usual("berkeley")),
            find_engine(name)(SearchLimit(nodes=40), stream_of(5)),
        )
        engine.begin(0)
        engine.follow(umpire.view(0), umpire.actions[0])
        engine.last = 28 + 64 * 35
        umpire.attempt("e4d5")
        umpire.attempt("e8e7")
        tried.append(engine.choose(umpire.view(0), umpire.actions))
    assert tried[0] == tried[1]
