"""Beliefs, engines and records under every rule set."""

import random
from dataclasses import replace

import numpy as np
import pytest
from support.levels import default_cases

from fogspiel.core.rng import stream_of
from fogspiel.games.chess.bitboards import KINDS
from fogspiel.games.chess.position import MEN, POSITION
from fogspiel.kriegspiel.beliefs.board_filter import keep_where_accepted
from fogspiel.kriegspiel.engine import SearchLimit, find_engine
from fogspiel.kriegspiel.game import RULE_SETS, rules
from fogspiel.kriegspiel.game.attempts import MESSAGE
from fogspiel.kriegspiel.pgn import read_pgn, write_pgn
from fogspiel.kriegspiel.referee import HouseRules, Referee, play_game

pytestmark = pytest.mark.thorough

OTHERS = [name for name in RULE_SETS if name != "icc"]
FENS = (None, "r3k2r/pPp2ppp/8/3pP3/4p3/8/PPPP1PpP/R3K2R w KQkq d6 0 9", "4k3/8/8/8/1pPpPp2/8/P2P2P1/4K3 b - c3 0 20")


@pytest.mark.parametrize("name", RULE_SETS)
def test_the_true_board_fits_what_is_said_and_stays_in_the_pool(name):
    rng, bits = random.Random(name), HouseRules.usual(name).bits
    for seed in range(12):
        umpire = Referee(FENS[seed % len(FENS)], HouseRules.usual(name))
        for _ in range(80):
            if umpire.over:
                break
            action, pool, colour = rng.choice(umpire.actions), umpire.state[None, :POSITION].copy(), umpire.turn
            if not umpire.attempt(action).accepted:
                continue
            message = umpire.state[rules.SAID + MESSAGE * colour :][:MESSAGE].copy()
            assert keep_where_accepted(pool, np.ones(1), 1, action, message, bits) == 1
            assert (pool[0] == umpire.state[:POSITION]).all()


@pytest.mark.parametrize("name", OTHERS)
def test_a_metaposition_holds_the_true_men_under_every_rule_set(name):
    missed = looks = 0
    for seed in range(4):
        umpire = Referee(switches=HouseRules.usual(name))
        players = [
            find_engine(engine)(SearchLimit(nodes=20), stream_of(seed, n))
            for n, engine in enumerate(("minimax", "random"))
        ]
        for side, player in enumerate(players):
            player.begin(side)
        while not umpire.over and umpire.plies < 60:
            side = umpire.turn
            action = players[side].choose(umpire.view(side), umpire.actions)
            if side == 0:
                black = umpire.state[MEN + 1]
                missed += sum(bool(umpire.state[kind] & black & ~players[0].meta.theirs[kind]) for kind in range(KINDS))
                looks += KINDS
            umpire.attempt(action)
    assert looks > 300 and missed <= looks // 100


ENGINES = ("random", "greedy", "los", "aosp", "hs", "minimax", "C", "stray-C")
SLOW_ENGINES = ("A", "B1", "B3", "B7", "B10")


def play_all(name, engines, nodes, longest):
    """Let engines play each against the next one, both colours, under a rule set."""
    for number, engine in enumerate(engines):
        for white in (0, 1):
            names = (engine, engines[(number + 1) % len(engines)])[:: -1 if white else 1]
            players = [
                find_engine(one)(SearchLimit(nodes=nodes), stream_of(number, side)) for side, one in enumerate(names)
            ]
            umpire = play_game(tuple(players), Referee(switches=HouseRules.usual(name)), longest)
            assert umpire.over or umpire.plies == longest
            assert umpire.forfeit is None


@pytest.mark.parametrize("name", default_cases(["icc", "rand"], RULE_SETS, others="slow"))
def test_engines_play_by_every_rule_set(name):
    play_all(name, ENGINES, 30, 60)


@pytest.mark.slow
@pytest.mark.parametrize("name", RULE_SETS)
def test_all_engines_play_whole_games_by_every_rule_set(name):
    play_all(name, (*ENGINES, *SLOW_ENGINES), 60, 3000)


# Records


@pytest.mark.parametrize("viewer", ("umpire", "white", "black"))
@pytest.mark.parametrize("name", RULE_SETS)
def test_a_game_is_written_and_read_again(name, viewer):
    rng, umpire = random.Random(name), Referee(switches=HouseRules.usual(name))
    messages = []
    while not umpire.over and umpire.plies < 80:
        answer = umpire.attempt(rng.choice(umpire.actions))
        messages += [answer.message] if answer.message else []
    text = write_pgn(umpire.record, viewer=viewer, switches=umpire.switches)
    assert f'[Rules "{RULE_SETS[name].title}"]' in text
    (found,) = read_pgn(text)
    assert found.switches == umpire.switches and not found.dropped
    for heard, message in zip(found.messages, messages, strict=True):
        assert replace(heard, text="") == replace(message, text="")
    if viewer == "umpire":
        assert found.record == umpire.record
