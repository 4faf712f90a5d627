"""What a chess engine tells of its options, and whether parameters fit them."""

import os
import shutil
import tomllib

import pytest

from fogspiel.tuning.programs.parameters import Parameters
from fogspiel.tuning.programs.uci_match import EngineOptions, Option, options_of, parameter_table, parse_option

LINES = {
    "option name Hash type spin default 16 min 1 max 33554432": Option("Hash", "spin", "16", 1, 33554432),
    "option name Use the type of book type check default true": Option("Use the type of book", "check", "true"),
    "option name Style type combo default Risky var Solid var Risky var Very Wild": Option(
        "Style", "combo", "Risky", choices=("Solid", "Risky", "Very Wild")
    ),
    "option name Clear Hash type button": Option("Clear Hash", "button"),
    "option name File type string default ": Option("File", "string"),
    "option name Odd type spin default many min few max 3": Option("Odd", "spin", "many", None, 3),
    "option name Nothing": None,
    "option name Strange type dial default 3": None,
}
ENGINE = EngineOptions("Some Engine", tuple(option for option in LINES.values() if option))


@pytest.mark.parametrize("line, option", LINES.items())
def test_the_lines_of_an_engine_are_understood(line, option):
    assert parse_option(line) == option


def test_a_table_begins_with_the_defaults_and_fits():
    text = parameter_table(ENGINE, ["hash", "Style"])
    tables = tomllib.loads(text)
    assert tables["Hash"] == {"start": 16, "low": 1, "high": 33554432, "whole": True, "scale": "log"}
    assert tables["Style"] == {"start": "Risky", "choices": ["Solid", "Risky", "Very Wild"]}
    ENGINE.demand(Parameters.of(tables))


@pytest.mark.parametrize("name, because", [("Clear Hash", "a button"), ("File", "a text"), ("Odd", "has no default")])
def test_what_cannot_be_tuned_has_no_table(name, because):
    with pytest.raises(ValueError, match=because):
        parameter_table(ENGINE, [name])


@pytest.mark.parametrize(
    "tables, because",
    [
        ({"Hsh": {"start": 1}}, "has no option 'Hsh': did you mean Hash"),
        ({"Hash": {"start": 16, "low": 1, "high": 64}}, "add whole = true"),
        ({"Hash": {"start": 16, "low": 0, "high": 64, "whole": True}}, "has 0 as its low, but .* 1 .. 33554432"),
        ({"Hash": {"start": 16, "low": 1, "whole": True}}, "has no high, but"),
        ({"Style": {"start": "Solid", "choices": ["Solid", "Mad"]}}, "cannot be set to 'Mad'"),
        ({"Style": {"start": 1}}, "is a number, but the option is one of"),
    ],
)
def test_parameters_that_do_not_fit_are_one_sentence(tables, because):
    with pytest.raises(ValueError, match=because):
        ENGINE.demand(Parameters.of(tables))


def test_real_numbers_fit_an_option_that_is_a_text():
    parameters = Parameters.of({"File": {"start": 0.5, "low": 0, "high": 1}})
    ENGINE.demand(parameters)
    assert ENGINE.texts({"file": 0.1}) == {"File": "0.1"}


def test_stockfish_tells_its_options():
    program = shutil.which("stockfish", path=f"{os.environ['PATH']}:/usr/games")
    if program is None:
        pytest.skip("stockfish is not installed")
    found = options_of([program])
    assert found.name.startswith("Stockfish") and found["skill level"].high == 20
    assert "start = 20\nlow = 0\nhigh = 20\nwhole = true" in parameter_table(found, ["Skill Level"])


def test_a_logarithmic_scale_is_proposed_for_wide_positive_ranges():
    spins = "Hash type spin default 16 min 1 max 33554432", "Skill type spin default 3 min 0 max 9000"
    lines = [f"option name {spin}" for spin in spins]
    tables = [option.table() for line in lines if (option := parse_option(line)) is not None]
    assert [table.get("scale") for table in tables] == ["log", None]
    assert Parameters.of({"Hash": tables[0]}).members[0].log
