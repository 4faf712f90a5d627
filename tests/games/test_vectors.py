"""Parameter vectors of every game: whatever the numbers, games are played by the rules; bad files get a sentence."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.every_game import by_name, tunable_games_of_each_family
from support.levels import default_cases

from fogspiel.core.agents import vector_policy
from fogspiel.core.game import CHANCE, OVER, known_game, list_games
from fogspiel.core.rng import random_below, stream_of
from fogspiel.core.session import view_of
from fogspiel.core.simulate import PolicyMatch
from fogspiel.runs.agent_parser import MAX_BYTES, parse_agent
from fogspiel.runs.requests import BoundsRequest, MatchRequest, SolveRequest, TuneRequest
from fogspiel.runs.store import Store

EXTREMES = (0.0, -0.0, 5e-324, -5e-324, 2.2e-308, 1e-9, 1.0, -1.0, 36.5, -745.2, 2.0**53, 1e16, 1e308, -1e308)
FEW = {"battleship": (4, 3), "four": (4, 4), "cheat": (10, 12), "war": (8, 8)}
"""Examples and pairs of games in each of them, where games are long."""
MANY = (15, 20)
MAX_MOVES = 150
"""Moves of a game that are looked at one by one."""


def vectors(game):
    """Gaussian vectors, vectors of extreme numbers in any order, and both mixed."""
    count = len(game.strategy.parameters)

    def vector(seed, scale, pool):
        drawn = np.random.default_rng(seed)
        theta = drawn.normal(size=count) * scale
        share = drawn.random(count) < (len(pool) / 4)
        theta[share] = drawn.permutation(np.resize(pool or [0.0], count))[share]
        return theta

    pools = st.lists(st.sampled_from(EXTREMES), max_size=4)
    return st.builds(vector, st.integers(0, 2**32 - 1), st.sampled_from((1e-3, 1.0, 30.0, 1e300)), pools)


def over_vectors(game, check):
    """Check two players and a seed, over and over."""
    examples, _ = FEW.get(game.family, MANY)
    tried = given(vectors(game), vectors(game), st.integers(0, 2**63 - 1))(check)
    settings(max_examples=examples, deadline=None)(tried)()


@pytest.mark.thorough
@tunable_games_of_each_family
def test_any_two_vectors_play_to_a_payoff_and_swapping_them_mirrors_it(game):
    top, (_, pairs) = len(game.payoffs) - 1, FEW.get(game.family, MANY)

    def check(theta, phi, seed):
        one, other = vector_policy(game, theta), vector_policy(game, phi)
        scores = PolicyMatch(game, one, other).scores(seed, 0, pairs)
        assert scores.min() >= 0 and scores.max() <= top
        assert (PolicyMatch(game, one, other).scores(seed, 0, pairs) == scores).all()
        assert (PolicyMatch(game, one, other, fused=False).scores(seed, 0, pairs) == scores).all()
        assert (top - PolicyMatch(game, other, one).scores(seed, 0, pairs)[:, ::-1] == scores).all()

    over_vectors(game, check)


@tunable_games_of_each_family
def test_any_vector_chooses_what_is_possible_by_view_and_stream_alone(game):
    def check(theta, phi, seed):
        rules, family = game.rules, game.strategy
        plans = np.zeros((2, family.plan))
        for numbers, plan in zip((theta, phi), plans, strict=True):
            family.prepare(numbers, plan)
        before, streams = plans.copy(), [stream_of(seed, i) for i in range(3)]
        state, out = np.zeros(game.sizes.state, np.int64), np.zeros(game.sizes.actions, np.int64)
        rules.start(state)
        for _ in range(MAX_MOVES):
            who = int(rules.mover(state))
            if who == OVER:
                break
            actions = out[: rules.legal(state, out)].copy()
            if who == CHANCE:
                action = int(actions[random_below(streams[2], len(actions))])
            else:
                again = streams[who].copy()
                action, same = (
                    int(family.choose(view_of(game, state, who), actions.copy(), plans[who], stream))
                    for stream in (streams[who], again)
                )
                assert action in actions and action == same and streams[who][0] == again[0]
            rules.apply(state, action)
        assert np.array_equal(plans, before, equal_nan=True)

    over_vectors(game, check)


# Parameter files


def spoilt(game):
    """Files that are no parameter vector of the game: a name, the content, and what the sentence says."""
    count = len(game.strategy.parameters)
    fine = [0.5] * count
    listed = json.dumps(fine)

    def with_one(text):
        return "[" + ", ".join([text] + ["1"] * (count - 1)) + "]"

    other = next(name for name in list_games() if name != game.name)
    return {
        "nan.json": (with_one("NaN"), "must be finite"),
        "infinity.json": (with_one("-Infinity"), "must be finite"),
        "overflow.json": (with_one("1e400"), "must be finite"),
        "long.json": (with_one("9" * 5000), "must be finite"),
        "long.txt": (" ".join(["9" * 5000] + ["1"] * (count - 1)), "must be finite"),
        "nan.txt": (" ".join(["nan"] * count), "must be finite"),
        "text.json": (with_one('"1"'), "'1' in its vector, which is not a number"),
        "true.json": (with_one("true"), "True in its vector, which is not a number"),
        "null.json": (with_one("null"), "None in its vector, which is not a number"),
        "nested.json": (f"[{listed}]", "not a number" if count > 1 else "[0.5] in its vector"),
        "text.txt": ("one two three", "neither JSON nor plain numbers"),
        "empty.txt": ("", "neither JSON nor plain numbers"),
        "empty.json": ("{}", "no list of numbers"),
        "object.json": ('{"theta": {"A": 1}}', "no list of numbers"),
        "number.json": ('{"theta": 1}', "no list of numbers"),
        "cut.json": (listed[:-1], "neither JSON nor plain numbers"),
        "cut-object.json": (json.dumps({"game": game.name, "theta": fine})[:-3], "neither JSON nor plain numbers"),
        "deep.json": ("[" * 200_000, "neither JSON nor plain numbers"),
        "deep-object.json": ('{"theta":' * 100_000, "neither JSON nor plain numbers"),
        "few.json": (json.dumps(fine[1:]), f"takes {count} parameters"),
        "many.txt": ("0.5 " * (count + 1), f"takes {count} parameters"),
        "binary.bin": (bytes(range(256)), "neither JSON nor plain numbers"),
        "wide.txt": (listed.encode("utf-16"), "neither JSON nor plain numbers"),
        "other.json": (json.dumps({"game": other, "theta": fine}), f"is for {other!r}, not for {game.name}"),
        "other-long.json": (json.dumps({"game": "x" * 10_000, "theta": fine}), "is for 'xxx"),
        "other-list.json": (json.dumps({"game": [other], "theta": fine}), f"not for {game.name}"),
    }


@tunable_games_of_each_family
def test_spoilt_parameter_files_are_refused_in_one_sentence(game, tmp_path):
    store = tmp_path / "runs.db"
    for name, (content, part) in spoilt(game).items():
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(ValueError) as refusal:
            parse_agent(game, str(path), store, 1)
        sentence = str(refusal.value)
        assert part in sentence and "\n" not in sentence and len(sentence) < 500, (name, sentence)
    with pytest.raises(ValueError, match=r"cannot be read: Is a directory"):
        parse_agent(game, str(tmp_path), store, 1)
    with pytest.raises(ValueError, match="there is no file"):
        parse_agent(game, str(tmp_path / "missing.json"), store, 1)
    assert not store.exists()


TUNABLE = [game for game in list_games().values() if game.strategy]
some_tunable_games = pytest.mark.parametrize(
    "game", default_cases([known_game("nim"), known_game("war")], TUNABLE, "slow"), ids=by_name
)


@some_tunable_games
def test_oversized_parameter_files_are_refused(game, tmp_path, refused):
    path, store = tmp_path / "huge.json", tmp_path / "runs.db"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(ValueError, match="larger than"):
        parse_agent(game, str(path), store, 1)
    refused("match", game.name, path, "uniform", because="larger than")


@some_tunable_games
def test_the_command_line_refuses_spoilt_parameter_files_too(game, tmp_path, refused):
    files = spoilt(game)
    for name in ("true.json", "long.json", "deep.json", "cut.json", "binary.bin", "other.json"):
        content, part = files[name]
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        refused("match", game.name, path, "uniform", because=part)
    refused("match", game.name, tmp_path, "uniform", because="Is a directory")


@tunable_games_of_each_family
def test_good_parameter_files_are_read_in_any_form(game, tmp_path):
    theta = np.random.default_rng(1).normal(size=len(game.strategy.parameters)).tolist()
    whole = [int(10 * number) for number in theta]
    for name, content, meant in (
        ("list.json", json.dumps(theta), theta),
        ("whole.json", json.dumps(whole), whole),
        ("object.json", json.dumps({"game": game.name, "theta": theta}), theta),
        ("lines.txt", "\n".join(map(repr, theta)) + "\n", theta),
        ("commas.csv", ", ".join(map(repr, theta)), theta),
    ):
        (tmp_path / name).write_text(content)
        assert parse_agent(game, str(tmp_path / name), tmp_path / "runs.db", 1).theta == tuple(meant)


@pytest.mark.parametrize("game", [game for game in list_games().values() if not game.strategy], ids=by_name)
def test_games_without_parameters_say_so(game, tmp_path):
    (tmp_path / "list.json").write_text("[1, 2]")
    with pytest.raises(ValueError, match="has no parametric strategy: it can be played by name only"):
        parse_agent(game, "1,2", tmp_path / "runs.db", 1)
    with pytest.raises(ValueError, match=r"is not a policy of .*: a table or a certificate ends with"):
        parse_agent(game, str(tmp_path / "list.json"), tmp_path / "runs.db", 1)
    with pytest.raises(
        ValueError, match=r"'nobody' is not a player of .*: give a name \(.*uniform.*\) or a solved run"
    ):
        parse_agent(game, "nobody", tmp_path / "runs.db", 1)


ASKS = {
    "nim-1": (TuneRequest("nim", games=10), "run nim-1 tuned nim, not {}"),
    "kuhn-1": (SolveRequest("kuhn"), "run kuhn-1 solved version 1 of kuhn, not {}"),
    "war-1": (MatchRequest("war", "random", "uniform"), "run war-1 has the method match and is not a player"),
    "phantom-ponnuki-2x2-1": (BoundsRequest("phantom-ponnuki-2x2"), "has the method bounds and is not a player"),
}


def test_runs_that_are_no_player_of_the_game_are_refused_by_name(tmp_path):
    path = tmp_path / "runs.db"
    with Store.open(path, write=True) as store:
        for name, (ask, _) in ASKS.items():
            with store.create(ask.to_json()) as run:
                assert run.name == name
    for game in list_games().values():
        for name, (ask, sentence) in ASKS.items():
            if game.name != ask.game:
                with pytest.raises(ValueError) as refusal:
                    parse_agent(game, name, path, 1)
                assert sentence.format(game.name) in str(refusal.value)
    with pytest.raises(ValueError, match="nim-1 has not found anything yet: resume it"):
        parse_agent(known_game("nim"), "nim-1", path, 1)
