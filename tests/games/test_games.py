"""The contract, over every registered game."""

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from support.every_game import (
    every_fused_game,
    every_game,
    every_resampled_game,
    every_tunable_game,
    tunable_games_of_each_family,
)
from support.golden_records import FOLDER, GAMES, SEED, sample_records

from fogspiel.core.agents import (
    exact_score,
    find_policy,
    fixed_baseline,
    policies_in_turn,
    policy_names,
    redrawn_baseline,
)
from fogspiel.core.compile.cache import describe
from fogspiel.core.compile.kernel import COMPILED
from fogspiel.core.game import OVER, UNIFORM, Strategy, known_game, nothing_hidden, parameters_of
from fogspiel.core.rng import random_below, stream_of
from fogspiel.core.session import record_game, replay, view_of
from fogspiel.core.simulate import PolicyMatch

TESTS = Path(__file__).parents[1]


def uniform_records(game, count=5):
    uniform = find_policy(game, UNIFORM.name)
    return [record_game(game, uniform, uniform, 11, number) for number in range(count)]


@every_game
def test_a_record_replays_to_its_end_and_score(game):
    for record, score in uniform_records(game):
        last = list(replay(game, record))[-1]
        assert last.mover == OVER
        assert game.rules.score(last.state) == score
        assert 0 <= score < len(game.payoffs)


@every_game
def test_actions_are_never_missing_and_never_repeated(game):
    for record, _ in uniform_records(game):
        for position in list(replay(game, record))[:-1]:
            assert position.actions
            assert len(set(position.actions)) == len(position.actions) <= game.sizes.actions


@every_game
def test_rules_ask_but_only_apply_changes_the_state(game):
    record, _ = uniform_records(game, 1)[0]
    for position in list(replay(game, record))[:200]:
        before = position.state.copy()
        view_of(game, position.state, 0)
        view_of(game, position.state, 1)
        game.rules.mover(position.state)
        if position.mover != OVER:
            game.rules.legal(position.state, np.zeros(game.sizes.actions, np.int64))
        assert (position.state == before).all()


@every_game
def test_what_may_be_tried_follows_from_the_view(game):
    known: dict[tuple, list[int]] = {}
    for record, _ in uniform_records(game, 20):
        for position in replay(game, record):
            if position.mover in (0, 1):
                seen = view_of(game, position.state, position.mover).tobytes()
                assert known.setdefault((position.mover, seen), position.actions) == position.actions


SOME = 60
"""Positions of a game that are looked at."""


def some_positions(game):
    positions = list(replay(game, uniform_records(game, 1)[0][0]))
    return positions[:: max(1, len(positions) // SOME)]


def legal_actions(game, state):
    out = np.zeros(game.sizes.actions, np.int64)
    return out[: game.rules.legal(state, out)].tolist()


@pytest.mark.slice("kriegspiel")
def test_only_kriegspiel_does_not_say_what_its_players_cannot_see():
    assert [game.name for game in GAMES if game.resample is None] == ["kriegspiel"]


@every_resampled_game
def test_a_resampled_state_looks_the_same_to_its_player(game):
    changed = 0
    for number, position in enumerate(some_positions(game)):
        for player in (0, 1):
            before = position.state.copy()
            other = game.resample(position.state, player, stream_of(5, number, player))
            assert (position.state == before).all() and other is not position.state
            assert (view_of(game, other, player) == view_of(game, position.state, player)).all()
            assert game.rules.mover(other) == position.mover
            if position.mover == player:
                assert legal_actions(game, other) == position.actions
            changed += not np.array_equal(other, position.state)
    assert bool(changed) == (game.resample is not nothing_hidden)


@every_resampled_game
def test_a_resampled_state_can_be_played_to_its_end(game):
    for number, position in enumerate(some_positions(game)[::10]):
        for player in (0, 1):
            stream = stream_of(6, number, player)
            state = game.resample(position.state, player, stream)
            for _ in range(3000):  # War may go on for a million
                if game.rules.mover(state) == OVER:
                    assert 0 <= game.rules.score(state) < len(game.payoffs)
                    break
                actions = legal_actions(game, state)
                game.rules.apply(state, actions[random_below(stream, len(actions))])
            else:
                assert game.family == "war"


def move_men(state, player, rng):
    """Let the other's men at Kriegspiel stand anywhere, as if they had come there in any way."""
    from fogspiel.games.chess.bitboards import KINDS, NO_SQUARE
    from fogspiel.games.chess.position import CLOCK, MEN, MOVER, PASSANT, RIGHTS
    from fogspiel.kriegspiel.game import rules

    own, other = state[MEN + player], state[MEN + 1 - player]
    men = [kind for square in range(64) for kind in range(KINDS) if state[kind] & other & np.int64(1) << square]
    squares = rng.choice([square for square in range(64) if not own >> square & 1], len(men), replace=False)
    state[:KINDS] &= own
    for kind, square in zip(men, squares, strict=True):
        state[kind] |= np.int64(1) << square
    state[MEN + 1 - player] = np.bitwise_or.reduce(np.int64(1) << squares)
    state[RIGHTS] ^= rng.integers(4) << 2 * (1 - player)
    state[PASSANT], state[CLOCK] = rng.choice([NO_SQUARE, *range(16, 24), *range(40, 48)]), rng.integers(100)
    for first, cells in ((rules.LIMITED, rules.KEYS - rules.LIMITED), (rules.KEYS, rules.TURNS - rules.KEYS)):
        state[first : first + cells] = rng.integers(-(2**63), 2**63 - 1, cells)
    if state[MOVER] != player:
        state[rules.REFUSED : rules.REFUSED + 64] = rng.integers(-(2**63), 2**63 - 1, 64)


@pytest.mark.slice("kriegspiel")
def test_the_other_side_of_kriegspiel_does_not_change_the_view():
    game, rng = known_game("kriegspiel"), np.random.default_rng(5)
    for position in list(replay(game, uniform_records(game, 1)[0][0]))[:300]:
        for player in (0, 1):
            other = position.state.copy()
            move_men(other, player, rng)
            assert (view_of(game, other, player) == view_of(game, position.state, player)).all()
            if position.mover == player:
                assert legal_actions(game, other) == position.actions


SLOW = {"battleship", "four"}
"""Families of games that play hundreds, not thousands of games per second."""


@every_game
def test_views_states_and_actions_have_words(game):
    record, _ = uniform_records(game, 1)[0]
    for position in list(replay(game, record))[:300]:
        assert game.reveal(position.state)
        assert game.show(view_of(game, position.state, 0))
        if position.mover in (0, 1):
            labels = [game.label(action) for action in position.actions]
            assert all(labels) and len(set(labels)) == len(labels)


@every_game
def test_payoffs_ascend_in_even_steps(game):
    """So that sums of indices are sums of payoffs, and swapping seats mirrors an index."""
    steps = {after - before for before, after in pairwise(game.payoffs)}
    assert len(steps) == 1 and min(steps) > 0


@every_game
def test_every_named_strategy_plays_only_what_is_possible(game):
    for name in set(policy_names(game)) - {"fixed", "redrawn"}:
        player = find_policy(game, name)
        record, _ = record_game(game, player, find_policy(game, UNIFORM.name), 3, 0)
        assert list(replay(game, record))[-1].mover == OVER


@every_tunable_game
def test_the_compiled_loop_plays_the_recorded_game(game):
    first, second = fixed_baseline(game, SEED), redrawn_baseline(game)
    scores = PolicyMatch(game, first, second).scores(9, 0, 4)
    top = len(game.payoffs) - 1
    for number in range(4):
        assert record_game(game, first, second, 9, number)[1] == scores[number, 0]
    # In a swapped game the draws of the first contender still come first.
    first, second = fixed_baseline(game, SEED), fixed_baseline(game, SEED + 1)
    scores = PolicyMatch(game, first, second).scores(9, 0, 4)
    for number in range(4):
        assert top - record_game(game, second, first, 9, number)[1] == scores[number, 1]


@every_fused_game
def test_the_fused_kernel_scores_as_the_rules_do(game):
    if game.strategy:
        vectors = [name for name, known in game.policies.items() if not isinstance(known, Strategy)]
        pairs = [(fixed_baseline(game, seed), redrawn_baseline(game)) for seed in range(3)]
        pairs += [(fixed_baseline(game, 7), find_policy(game, name)) for name in vectors]
    else:
        pairs = [(find_policy(game, UNIFORM.name),) * 2]
    count = 2000 if COMPILED and game.family in ("guesswho", "morra", "nim", "phantom", "pig") else 60
    for first, second in pairs:
        fused, plain = PolicyMatch(game, first, second), PolicyMatch(game, first, second, fused=False)
        assert fused.fused and not plain.fused
        for seats in ("swapped", "coin"):
            assert (fused.scores(21, 5, count, seats) == plain.scores(21, 5, count, seats)).all()


@pytest.mark.parametrize("name", ["morra", "nim", "permutation-four", "permutation-ttt", "pig"])
def test_players_in_turn_have_no_exact_score(name):
    game = known_game(name)
    player, several = fixed_baseline(game, 1), policies_in_turn(game, np.zeros((2, len(parameters_of(game)))))
    for pair in ((player, several), (several, player)):
        with pytest.raises(ValueError, match="in turn have no single exact score"):
            exact_score(game, *pair)


@tunable_games_of_each_family
def test_threads_and_cuts_do_not_change_scores(game):
    match = PolicyMatch(game, fixed_baseline(game, 1), redrawn_baseline(game))
    slow = game.family in SLOW
    count = 260 if slow else 600
    for seats in ("alternating",) if slow else ("swapped", "alternating", "coin"):
        whole = match.scores(5, 0, count, seats)
        assert (match.scores(5, 0, count, seats, threads=2) == whole).all()
        assert (np.vstack([match.scores(5, 0, 37, seats), match.scores(5, 37, count - 37, seats)]) == whole).all()


@tunable_games_of_each_family
def test_two_equal_players_share_every_pair(game):
    scores = PolicyMatch(game, fixed_baseline(game, 3), fixed_baseline(game, 3)).scores(5, 0, 200)
    assert (scores.sum(axis=1) == len(game.payoffs) - 1).all()


@every_game
def test_golden_records_replay(game):
    path = FOLDER / f"{game.name}-v{game.version}.json"
    assert path.exists(), "no golden record: run tests/golden_records.py, and raise the version if the rules changed"
    golden = json.loads(path.read_text())
    assert golden == sample_records(game)


def kernels_of(game):
    players = [game.strategy, *(player for player in game.policies.values() if isinstance(player, Strategy))]
    yield from (rule for rule in game.rules if rule)
    yield from (kernel for player in players if player for kernel in (player.prepare, player.choose))
    if game.play:
        yield game.play


def test_kernels_that_differ_have_different_keys():
    """Of two kernels that a function makes, Numba may run one in place of the other if they share a key."""
    known = {}
    for game in GAMES:
        for kernel in kernels_of(game):
            function = getattr(kernel, "py_func", kernel)
            closed = tuple(cell.cell_contents for cell in function.__closure__ or ())
            place = function.__module__, function.__qualname__, describe(function)
            same = known.setdefault(place, (function.__code__, closed))
            assert same == (function.__code__, closed), f"{function.__qualname__} has the key of another kernel"


def records_of_a_process(**environment):
    words = [sys.executable, "-m", "support.golden_records", "print"]
    outcome = subprocess.run(words, cwd=TESTS, env=os.environ | environment, capture_output=True, text=True, check=True)
    return json.loads(outcome.stdout)


@pytest.mark.thorough
def test_games_without_the_compiler_are_the_same_games():
    interpreted = records_of_a_process(NUMBA_DISABLE_JIT="1")
    assert interpreted == {game.name: sample_records(game) for game in GAMES}


@pytest.mark.slow
def test_games_with_bounds_checks_are_the_same_games(tmp_path):
    checked = records_of_a_process(NUMBA_BOUNDSCHECK="1", FOGSPIEL_CACHE=str(tmp_path))
    assert checked == {game.name: sample_records(game) for game in GAMES}


def test_an_unknown_game_is_refused_with_the_names_there_are():
    with pytest.raises(ValueError, match=r"no game 'wra'.*war"):
        known_game("wra")
