"""The constants of Kriegspiel engines, tuned through the same door as outside programs."""

import io
import json
import tomllib

import pytest

from fogspiel.kriegspiel.engine import SearchLimit, tunable_engines
from fogspiel.kriegspiel.parameters import MatrixParameters, SamplingParameters
from fogspiel.kriegspiel.pgn import read_pgn
from fogspiel.kriegspiel.training import (
    SelfPlay,
    demand_constants,
    main,
    parameter_text,
    parameters_of_engine,
    permitted,
)
from fogspiel.process.line_process import answers
from fogspiel.tuning.programs.parameters import Parameters as Space


def ask(match, **request):
    """The answer to one request."""
    return json.loads(next(answers(match.answer, io.StringIO(json.dumps(request) + "\n"))))


@pytest.mark.parametrize("engine", tunable_engines())
def test_a_game_of_two_sets_of_constants_is_the_same_whenever_it_is_played(engine):
    match = SelfPlay(engine, SearchLimit(nodes=20), 30)
    request = {"a": {}, "b": {}, "seed": 3, "swap": False, "id": 9}
    found = ask(match, **request)
    (game,) = read_pgn(found["pgn"])
    assert found["score"] in (0, 0.5, 1) and found["id"] == 9 and len(game.messages) > 4
    assert found == ask(match, **request)
    assert ask(match, **{**request, "swap": True})["pgn"] != found["pgn"]


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


@pytest.mark.parametrize("engine", tunable_engines())
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
