"""The constants of Kriegspiel engines, tuned through the same door as outside programs."""

import io
import json
import tomllib

import pytest
from support.levels import default_cases

from fogspiel.core.rng import stream_of
from fogspiel.kriegspiel.engine import SearchLimit, engine_file, find_engine, tunable_engines
from fogspiel.kriegspiel.match import EngineSpec, code_of
from fogspiel.kriegspiel.parameters import MatrixParameters, SamplingParameters
from fogspiel.kriegspiel.pgn import read_pgn
from fogspiel.kriegspiel.training import (
    SelfPlay,
    constants_with,
    demand_constants,
    main,
    parameter_text,
    parameters_of_engine,
    permitted,
    with_constants,
)
from fogspiel.process.line_process import answers
from fogspiel.tuning.programs.parameters import Parameters as Space


def ask(match, **request):
    """The answer to one request."""
    return json.loads(next(answers(match.answer, io.StringIO(json.dumps(request) + "\n"))))


@pytest.mark.parametrize("engine", default_cases(["hs"], tunable_engines()))
def test_a_game_of_two_sets_of_constants_is_the_same_whenever_it_is_played(engine):
    match = SelfPlay(engine, SearchLimit(nodes=20), 30)
    request = {"a": {}, "b": {}, "seed": 3, "swap": False, "id": 9}
    found = ask(match, **request)
    (game,) = read_pgn(found["pgn"])
    assert found["score"] in (0, 0.5, 1) and found["id"] == 9 and len(game.messages) > 4
    assert found == ask(match, **request)
    assert ask(match, **{**request, "swap": True})["pgn"] != found["pgn"]


@pytest.mark.thorough
def test_the_constants_change_how_an_engine_plays():
    match = SelfPlay("C", SearchLimit(nodes=20), 30)
    usual = ask(match, a={}, b={}, seed=1, swap=False)
    other = ask(match, a={"value_queen": 1.8, "advance": 0.34}, b={}, seed=1, swap=False)
    assert read_pgn(usual["pgn"])[0].record != read_pgn(other["pgn"])[0].record


@pytest.mark.parametrize("engine, constants", [("C", MatrixParameters()), ("hs", SamplingParameters())])
def test_the_parameter_file_of_an_engine_begins_with_its_constants(engine, constants):
    tables = tomllib.loads(parameter_text(engine))
    assert tables == parameters_of_engine(engine)
    space = Space.of(tables)
    assert space.values(space.start) == vars(constants)


@pytest.mark.parametrize("engine", default_cases(["hs"], tunable_engines()))
@pytest.mark.parametrize("end", ["low", "high"])
def test_an_engine_plays_with_its_constants_at_the_ends_of_what_is_permitted(engine, end):
    values = {name: table[end] for name, table in permitted(engine).items()}
    assert "score" in ask(SelfPlay(engine, SearchLimit(nodes=30), 40), a=values, b={}, seed=1, swap=False)


@pytest.mark.parametrize(
    "values, because",
    [
        ({"pinn": 0.3}, "C has no constant pinn: did you mean pin"),
        ({"pin": 1.5}, "pin cannot be 1.5: it is a number from"),
        ({"pin": "x"}, "pin cannot be 'x'"),
        ({"pin": True}, "pin cannot be True"),
        ({"pin": float("nan")}, "pin cannot be nan"),
        (None, "it must be an object of names and values"),
    ],
)
def test_constants_that_make_no_sense_are_one_sentence(values, because):
    found = ask(SelfPlay("C", SearchLimit(nodes=1), 2), a=values, b={}, seed=1, swap=False)
    assert set(found) == {"error"} and because in found["error"]


@pytest.mark.parametrize(
    "tables, because",
    [
        ({"nwe": {"start": 500}}, "did you mean new"),
        ({"stale": {"start": 40.0, "low": -1.0, "high": 100.0}}, "stale cannot be -1.0: it is a number from 0 to 4000"),
        ({"stale": {"start": 40.0, "low": 10.0}}, "stale cannot be 'without a limit'"),
        ({"new": {"start": 500, "low": 300, "high": 600}}, "new is a whole number: add whole = true"),
        ({"new": {"start": 500, "choices": [500, 9000]}}, "new cannot be 9000"),
    ],
)
def test_parameters_that_do_not_fit_an_engine_are_one_sentence(tables, because):
    demand_constants("hs", parameters_of_engine("hs"))
    with pytest.raises(ValueError, match=because):
        demand_constants("hs", tables)


def test_numbers_of_boards_are_whole():
    found = ask(SelfPlay("hs", SearchLimit(nodes=1), 2), a={"thin": 20.5}, b={}, seed=1, swap=False)
    assert "thin cannot be 20.5: it is a whole number from 1 to 200" in found["error"]


@pytest.mark.parametrize(
    "words, because",
    [
        (["--engine", "D"], "choose C or hs"),
        (["--nodes", "0"], "must be positive"),
        (["--nodes", "1", "--time", "1"], "not allowed with"),
        (["--longest", "0"], "must be 1 or more"),
    ],
)
def test_a_command_line_that_makes_no_sense_is_one_sentence(words, because, capsys):
    assert main(words) == 2
    told = capsys.readouterr().err
    assert because in told and told.count("\n") == 1


def test_the_parameter_file_can_be_printed(capsys):
    assert main(["--engine", "hs", "--parameters"]) == 0
    assert tomllib.loads(capsys.readouterr().out)["stale"]["start"] == 40.0


# Engines with the constants of a tuning run.


@pytest.mark.parametrize("engine", tunable_engines())
def test_an_engine_has_the_constants_behind_its_run_and_stored_games_distinguish_them(engine):
    name, value = next(iter(tunable_engines()[engine].constants.to_json().items()))
    values = [value, value + 1 if isinstance(value, int) else value * 0.9]
    words = [f"{engine}:run=x;{name}={one!r}" for one in values]
    assert len({code_of(engine), *map(code_of, words)}) == 3 and code_of(words[0]) == code_of(f"stray-{words[0]}")
    assert engine_file(words[0]) == engine_file(engine)
    player = find_engine(words[1])(SearchLimit(nodes=1), stream_of(1))
    assert find_engine(f"stray-{words[1]}") and player.begin(0) is None
    assert EngineSpec(words[1], SearchLimit(nodes=1)).name == f"{engine}:run=x (1 node)"
    assert constants_with(engine, {name: values[1]}).to_json()[name] == values[1]


@pytest.mark.parametrize(
    "words, because",
    [
        ("C:run=x", "needs the store of that run"),
        ("C:run=x;pinn=1", "did you mean pin"),
        ("C:run=x;pin=soon", "pin cannot be 'soon'"),
        ("C:run=x;pin=9", "pin cannot be 9.0"),
        ("greedy:run=x;pin=1", "the constants of 'greedy' cannot be tuned"),
    ],
)
def test_a_wrong_run_in_the_text_of_an_engine_is_one_sentence(words, because):
    with pytest.raises(ValueError, match=because):
        find_engine(words)


@pytest.mark.thorough
def test_a_tuned_engine_plays_by_its_run_and_by_the_exported_file(answer, fogspiel, refused, tmp_path):
    file, export = tmp_path / "small.toml", tmp_path / "run.json"
    file.write_text("[capture]\nstart = 0.3\nlow = 0.02\nhigh = 0.9\nscale = 0.05\n")
    tune = ("tune", "--kriegspiel", "C:paper", "--parameters", file, "--games", 20, "--nodes", 5, "--processes", 1)
    run = answer(*tune)["run"]
    fogspiel("export", run, "--output", export)
    match = ("--nodes", 5, "--games", 2, "--processes", 1, "--max-plies", 20)
    for named in (run, export):
        found = answer("kriegspiel", "match", f"C:paper:run={named}", "random", *match)
        assert found["first"]["engine"].startswith(f"C:paper:run={named};capture=")
    assert with_constants(f"stray-C:paper:run={export}", tmp_path).startswith(f"stray-C:paper:run={export};capture=")
    assert with_constants("C:none", tmp_path) == "C:none"
    refused("kriegspiel", "match", "C:paper:run=nowhere", "random", *match, because="there is no run named nowhere")
    refused("kriegspiel", "match", f"C:run={run}", "random", *match, because=f"run {run} has not tuned C")
    refused("kriegspiel", "match", f"hs:run={export}", "random", *match, because="has not tuned hs")
    refused("kriegspiel", "match", "C:run=no.json", "random", *match, because="cannot be read")
    refused("kriegspiel", "match", "greedy:run=x", "random", *match, because="cannot be tuned")
    export.write_text("[1]")
    refused("kriegspiel", "match", f"C:paper:run={export}", "random", *match, because="is no exported run")
