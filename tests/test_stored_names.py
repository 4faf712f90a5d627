"""Stored and printed names are literals: renaming a class, a field or a file changes no data."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from typer.main import get_command

import fogspiel
from fogspiel.cli.app import FORMER_COMMANDS, FORMER_OPTIONS, app
from fogspiel.cli.commands.maintenance import Check
from fogspiel.core.agents import POLICY_KEYS, policy_json_in
from fogspiel.core.compile.cache import code_digest
from fogspiel.core.explain import Explanation, TextChart
from fogspiel.core.explain import Table as ExplanationTable
from fogspiel.core.picture import BoardPicture, Cards, Cell, Chess, Facts, Messages, Race, Stakes, Text, picture_json
from fogspiel.core.plugins import modules
from fogspiel.core.untrusted_input import JsonRecord
from fogspiel.kriegspiel.analysis import AttemptValue, Phase, PositionAnalysis
from fogspiel.kriegspiel.engine import SearchLimit
from fogspiel.kriegspiel.game import HouseRules
from fogspiel.kriegspiel.match import GameStatistics
from fogspiel.kriegspiel.parameters import (
    FogWeights,
    MatrixParameters,
    SamplingParameters,
    read_fog_weights,
    write_fog_weights,
)
from fogspiel.kriegspiel.pgn import CheckedGame
from fogspiel.kriegspiel.problems.generator import Candidate
from fogspiel.kriegspiel.problems.solution import Branch, SolutionStep
from fogspiel.papers.ciancarini2010.abstract_model import PrintedConstants
from fogspiel.resistance.certificate import SolverStep
from fogspiel.resistance.commands import REWRITE
from fogspiel.runs.kind import kinds
from fogspiel.runs.report import Chart, CurvePoint, Series, Table
from fogspiel.runs.store.rows import Summary
from fogspiel.runs.tuning_run import StepRow
from fogspiel.solving.bounds import Ledger
from fogspiel.solving.contract import Examination, Finding
from fogspiel.solving.known_values import CertificateRecord
from fogspiel.solving.methods import Solution
from fogspiel.solving.methods.double_oracle import Growth
from fogspiel.solving.methods.mccfr import SampledBounds
from fogspiel.solving.methods.permutation import Round
from fogspiel.stats.evaluate import Spread
from fogspiel.web.pages.strategies import Sheet
from fogspiel.web.run_list import RunLine

PACKAGE = Path(fogspiel.__file__).parent
OPTIONS = Path(__file__).parent / "golden" / "options.json"
SUMMARY = "name game method state steps games score interval created seen seconds search"
KEYS = {
    Cell: "text look action name",
    BoardPicture: "rows title shape row_names column_names ships turned in_hand seat fleet",
    Stakes: "own other rows",
    Race: "rows",
    Cards: "title cards together seat",
    Facts: "rows title",
    Messages: "lines title",
    Text: "text",
    Chess: "men side turn refused tries checks captured words counts over answer",
    ExplanationTable: "title columns rows",
    TextChart: "title lines rows columns grid",
    Explanation: "sentences tables pictures",
    AttemptValue: "move legal value error gain",
    PositionAnalysis: (
        "ply side men heard refused boards evaluated choice attempts implied belief tried accepted cost cost_error "
        "reasons"
    ),
    SearchLimit: "seconds nodes threads outside",
    Phase: "plies decisions log_loss even_log_loss king_rank king_chance",
    GameStatistics: "plies refused_per_move nodes_per_move endings seconds_per_move",
    MatrixParameters: (
        "line_share knight_share damping pin king_control retaliation checker_taken checker_taken_by_king "
        "hazard_pawn hazard_piece hazard_king recapture piece_activity line_spread knight_spread pawn_wall "
        "model_scale exploration hope value_knight value_bishop value_rook value_queen value_pawn value_their_pawn "
        "value_their_piece advance mobility confinement centre approach mate protection retaliation_control "
        "king_escape advance_early patience king_danger repetition"
    ),
    SamplingParameters: "new thin kept stale",
    PrintedConstants: "retaliation checker_taken capture exploration damping line_spread knight_spread",
    CheckedGame: "number line white black viewer moves refused fault",
    Branch: "answer reply kings next",
    SolutionStep: "attempt branches",
    Candidate: "problem material tries refusals asks quiet",
    HouseRules: "promotion_tries passant_square fifty repetition material rules",
    Round: "number sizes lower upper added certificate",
    StepRow: "accepted games population sigma events theta newcomers weights value budget final",
    Table: "name title columns rows note",
    Series: "name x y low high",
    Chart: "name title x y series kind note group",
    Summary: SUMMARY,
    CurvePoint: "at value low high accepted population words",
    SolverStep: "number rows lower upper seconds plans certificate",
    Growth: "number generated lower upper added behaviours gap",
    Finding: "rule sentence change record place",
    Examination: "findings positions longest mean unfinished traces",
    SampledBounds: "lower upper cuts looks iterations next_look",
    Solution: "value lower upper exact solver sizes certificate score interval",
    CertificateRecord: "digest bytes file playable",
    RunLine: f"{SUMMARY} kind title worth age last_seen trouble resume note",
    Sheet: "sentences tables pictures lines",
}
"""The keys of every record, in the order of its fields."""
REFLECTION = re.compile(r"\basdict\(|_asdict\(|\bvars\(|__annotations__|__dataclass_fields__|__slots__|__name__\.lower")
NO_DATA = {
    "cli/app.py",  # gives Typer the parameters of a command
    "core/untrusted_input.py",  # JsonRecord itself
    "core/compile/cache.py",  # the globals of a kernel
    "core/game.py",  # the attributes of a module of a game
    "core/simulate.py",  # the fields of Rules and Sizes are the contract of a game
    "solving/contract/__init__.py",
}


@pytest.mark.parametrize(("record", "keys"), KEYS.items(), ids=str)
def test_the_keys_of_a_record_are_these(record, keys):
    assert tuple(keys.split()) == record.KEYS


def test_every_record_is_in_this_list():
    declaration = re.compile(r"^    (?:\w+, )?KEYS\b.* = ", re.MULTILINE)
    listed = [found for path in PACKAGE.rglob("*.py") for found in declaration.findall(path.read_text("utf-8"))]
    assert len(listed) == len(KEYS)


def test_data_does_not_take_its_names_from_classes_and_fields():
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if REFLECTION.search(path.read_text(encoding="utf-8")) and PACKAGE / "runs" / "kinds" not in path.parents
    }
    assert found <= NO_DATA, "write the keys as literals: see JsonRecord"


def test_a_renamed_field_keeps_its_key():
    @dataclass(frozen=True)
    class Renamed(JsonRecord):
        KEYS = ("old", "rest")

        new: int
        rest: tuple["Renamed", ...] = ()

    body = {"old": 1, "rest": ({"old": 2, "rest": ()},)}
    assert Renamed(1, (Renamed(2),)).to_json() == body
    assert Renamed.from_json({"old": 3}) == Renamed(3)
    with pytest.raises(TypeError):
        Renamed.from_json({"old": 3, "other": 4})


def test_the_kinds_of_picture_parts_are_these():
    cell = {"text": "x", "look": "", "action": None, "name": ""}
    parts = (BoardPicture(((Cell("x"),),)), Cards("", ()), Facts(()), Messages(()), Text("t"), Chess("." * 64, 0, True))
    found = picture_json(parts)
    assert [part["kind"] for part in found] == ["board", "cards", "facts", "words", "text", "chess"]
    assert found[0]["rows"] == ((cell,),)


def test_the_parts_of_a_report_are_these():
    assert (Table.PART, Chart.PART) == ("table", "chart")


def test_a_point_says_nothing_of_what_is_not_known():
    assert CurvePoint(3, 0.5).to_json() == {"at": 3, "value": 0.5}


def test_the_keys_of_named_tuples_are_these():
    assert list(Check("w", True, "d").to_json()) == ["what", "ok", "detail", "hint"]
    assert list(Spread(0.0, 0.0, 0.0, 0.0).to_json()) == ["median", "low", "high", "confidence"]


def test_the_keys_of_saved_bounds_and_of_policies_are_these():
    assert list(Ledger("ttt").to_json()) == [
        "game", "lower", "upper", "done", "black", "white", "known", "points", "seconds",
    ]  # fmt: skip
    assert POLICY_KEYS == ("theta", "thetas", "weights", "digest")
    assert policy_json_in({"theta": [1.0], "weights": None, "other": 2}) == {"theta": [1.0]}


def test_the_arrays_of_a_file_of_weights_are_these(tmp_path):
    write_fog_weights(read_fog_weights(), tmp_path / "fog.npz")
    with np.load(tmp_path / "fog.npz") as kept:
        assert kept.files == ["replies", "worths"] and len(FogWeights._fields) == 2


def test_the_names_and_methods_of_kinds_of_runs_are_these():
    found = {name: kind.method for name, kind in kinds().items()}
    assert found == {
        "analysis": "analysis",
        "balance": "balance",
        "bounds": "bounds",
        "compete": "compete",
        "constants": "constants",
        "diagnose": "diagnose",
        "experiment": "paper",
        "exploit": "exploit",
        "kriegspiel": "kriegspiel",
        "match": "match",
        "problems": "problems",
        "program": "program",
        "program_match": "program-match",
        "report": "report",
        "round_robin": "tournament",
        "sampled_exploit": "sampled-exploit",
        "solve": "solve",
        "tune": "",
        "tune_seeds": "tune-seeds",
        "verify": "verify",
    }


def test_the_code_of_an_engine_is_known_by_what_it_does_not_by_where_it_stands(tmp_path):
    def digest(name, *lines):
        (tmp_path / name).write_text("\n".join(lines))
        return code_digest(tmp_path / name)

    plain = digest("a.py", "X = 1", "def f(x):", "    return x + X")
    assert digest("b.py", '"""Prose."""', "X = 1  # why", "def f(x):", '    """More."""', "    return (x + X)") == plain
    (tmp_path / "one.py").write_text("X = 1")
    assert digest("c.py", "from one import X", "def f(x):", "    return x + X") == plain
    assert digest("d.py", "X = 2", "def f(x):", "    return x + X") != plain
    assert digest("e.py", "X = 1.0", "def f(x):", "    return x + X") != plain


def options_of(command, words=""):
    """The options of a command and of those below it, by the words of each."""
    yield words, sorted(name for part in command.params for name in (*part.opts, *part.secondary_opts) if "-" in name)
    for name, below in getattr(command, "commands", {}).items():
        yield from options_of(below, f"{words} {name}".strip())


def test_every_command_and_option_of_the_command_line_is_still_there():
    list(modules("cli.commands"))
    found = dict(options_of(get_command(app)))
    for words, options in json.loads(OPTIONS.read_text()).items():
        known = set(found[FORMER_COMMANDS.get(words, words)])
        known |= set(found.get(f"{words} resistance", ()))  # a command for one game
        known |= {old for old, news in FORMER_OPTIONS.items() if known & set(news.split())}
        known |= {"--missions", "--spies", "--fails"} if words in REWRITE else set()
        assert set(options) <= known, f"fogspiel {words} lost an option: Typer names it by its parameter"
