"""Requests of runs: the names that are data, written out, and one model from which everything else is made."""

from itertools import product
from pathlib import Path
from typing import Annotated, Literal

import pytest
import typer
from fastapi import FastAPI
from pydantic import Field
from typer.testing import CliRunner

from fogspiel import __version__
from fogspiel.cli.app import asking
from fogspiel.core.agents import PolicyJson
from fogspiel.core.explain import Explanation
from fogspiel.core.game import known_game
from fogspiel.core.picture import BoardPicture, Cards, Chess, Facts, Messages, Text
from fogspiel.kriegspiel.analysis import AttemptValue, PositionAnalysis
from fogspiel.kriegspiel.engine import SearchLimit
from fogspiel.kriegspiel.game import HouseRules
from fogspiel.kriegspiel.match import EngineMatch, EngineSpec, GameStatistics, code_of
from fogspiel.kriegspiel.parameters import FogWeights
from fogspiel.kriegspiel.requests import AnalysisRequest, EngineRequest, ProblemsRequest
from fogspiel.resistance.requests import BalanceRequest
from fogspiel.runs.kind import kind_of_request
from fogspiel.runs.kinds.match import MatchKind
from fogspiel.runs.report import Chart, CurvePoint, Table
from fogspiel.runs.request import StoredAgent, fits
from fogspiel.runs.requests import BoundsRequest as BoundsRequest
from fogspiel.runs.requests import MatchRequest
from fogspiel.runs.requests import PaperRequest as PaperRequest
from fogspiel.runs.requests import ProgramRequest as ProgramRequest
from fogspiel.runs.requests import RoundRobinRequest as RoundRobinRequest
from fogspiel.runs.requests import SolveRequest as SolveRequest
from fogspiel.runs.requests import TuneRequest as TuneRequest
from fogspiel.runs.store import Store
from fogspiel.runs.tuning_run import StepRow
from fogspiel.solving.bounds import Ledger
from fogspiel.solving.methods import Solution
from fogspiel.solving.sources import find_source
from fogspiel.web.requests import drawn_fields

STORE = Path("nowhere.db")


class LimitedRequest(MatchRequest):
    """A match with one option more, said in one place."""

    until: Annotated[float | None, Field(gt=0, title="Width", description="Stop at an interval so narrow.")] = None


class LimitedKind(MatchKind):
    request = LimitedRequest


VERSIONS = {"rules": 1, "fogspiel": __version__}
TUNING = TuneRequest("batawaf", "iterative", games=1000)
VECTOR = [0.5, -1.25, 3.0]
ROWS = {
    "match": (
        lambda: MatchRequest("batawaf", *agents("0.5,-1.25,3", "random"), 5, 2000, "coin").to_json(),
        {"game": "batawaf", "method": "match", "first": "0.5,-1.25,3", "first_theta": VECTOR}
        | {"second": "random", "second_theta": [50.0, 0.0, 0.0], "seed": 5, "games": 2000, "seats": "coin"}
        | VERSIONS,
    ),
    "tournament": (
        lambda: RoundRobinRequest("batawaf", agents("0.5,-1.25,3", "uniform"), 2000, 4).to_json(),
        {"game": "batawaf", "method": "tournament"}
        | {"players": [{"name": "0.5,-1.25,3", "theta": VECTOR}, {"name": "uniform"}], "games": 2000, "seed": 4}
        | VERSIONS,
    ),
    "tune": (
        TUNING.to_json,
        {"game": "batawaf", "method": "iterative", "race": "count-mixture", "delta": 0.05, "epsilon": 0.01}
        | {"observation": "pair", "baseline": "redrawn", "seed": 1, "games": 1000, "seconds": None}
        | {"report_games": 20000, "final": True}
        | VERSIONS,
    ),
    "tune-seeds": (
        lambda: TuneRequest(**dict(TUNING) | {"seeds": 3}).to_json(),
        {"game": "batawaf", "method": "tune-seeds", "race": "count-mixture", "delta": 0.05, "epsilon": 0.01}
        | {"observation": "pair", "baseline": "redrawn", "seed": 1, "games": 1000, "seconds": None}
        | {"report_games": 20000, "final": True}
        | VERSIONS
        | {"search": "iterative", "seeds": 3},
    ),
    "program": (
        lambda: ProgramRequest("function", "abc", [{"name": "x", "start": 1.0, "low": 0.0, "high": 2.0}]).to_json(),
        {"game": "function", "method": "program", "sort": "function", "digest": "abc"}
        | {"parameters": [{"name": "x", "start": 1.0, "low": 0.0, "high": 2.0}], "search": "auto"}
        | {"race": "count-mixture", "delta": 0.05, "epsilon": 0.01, "observation": "pair", "seed": 1}
        | {"games": 20000, "seconds": None, "range": None, "alone": False, "facts": {}, "fogspiel": __version__},
    ),
    "solve": (
        lambda: SolveRequest("kuhn", "lp", exact=True).to_json(find_source("kuhn")),
        {"game": "kuhn", "solver": "lp", "exact": True, "gap": 1e-06, "memory": 4.0, "source": "kuhn"}
        | {"method": "solve"}
        | VERSIONS,
    ),
    "sampling": (
        lambda: SolveRequest("kuhn", "external-sampling", seed=3, iterations=10).to_json(find_source("kuhn")),
        {"game": "kuhn", "solver": "external-sampling", "exact": False, "gap": 1e-06, "memory": 4.0, "seed": 3}
        | {"iterations": 10, "seconds": None, "source": "kuhn", "method": "solve"}
        | VERSIONS,
    ),
    "bounds": (
        lambda: BoundsRequest("phantom-ponnuki-2x2").to_json(),
        {"game": "phantom-ponnuki-2x2", "seconds": 300.0, "memory": 1.0, "method": "bounds"} | VERSIONS,
    ),
    "informed bounds": (
        lambda: BoundsRequest("phantom-ponnuki-2x2", informed="once:2").to_json(),
        {"game": "phantom-ponnuki-2x2", "seconds": 300.0, "memory": 1.0, "informed": "once:2", "method": "bounds"}
        | VERSIONS,
    ),
    "balance": (
        lambda: BalanceRequest("resistance", 6, 2, 2, 3, nearest=3).to_json(),
        {"game": "resistance", "method": "balance"}
        | {"space": {"players": 6, "spies": 2, "smallest": 2, "largest": 3, "stars": [[1] * 5, [1, 1, 1, 2, 1]]}}
        | {"nearest": 3}
        | VERSIONS,
    ),
    "problems": (
        lambda: ProblemsRequest(10).to_json() | {"code": ""},
        {"game": "kriegspiel", "method": "problems", "candidates": 10, "seed": 1, "code": ""} | VERSIONS,
    ),
    "analysis": (
        lambda: AnalysisRequest((), 0, ("Anna", "Ben"), "fog", SearchLimit(nodes=5), 1).to_json() | {"decisions": ""},
        {"game": "kriegspiel", "method": "analysis", "decisions": "", "side": 0, "names": ["Anna", "Ben"]}
        | {"engine": "fog", "code": code_of("fog")}
        | {"effort": {"seconds": None, "nodes": 5, "threads": 1, "outside": False}, "seed": 1}
        | VERSIONS,
    ),
    "paper": (
        lambda: PaperRequest("table2", quick=True, seeds=2).to_json(),
        {"game": "table2", "method": "paper", "quick": True, "seeds": 2, "race": "count-mixture", "scale": 1.0}
        | {"seed": 1, "fogspiel": __version__},
    ),
    "kriegspiel": (
        lambda: EngineMatch(
            (EngineSpec("C", SearchLimit(nodes=5)), EngineSpec("fog", SearchLimit(0.1))), 4, 1, 30
        ).to_json(),
        {"game": "kriegspiel", "method": "kriegspiel"}
        | {"players": [{"engine": "C", "seconds": None, "nodes": 5, "threads": 1}]}
        | {"codes": [code_of("C"), code_of("fog")], "games": 4, "seed": 1, "longest": 30, "stop": False}
        | {"switches": {"promotion_tries": "once", "passant_square": "victim", "fifty": True}}
        | VERSIONS,
    ),
}
"""For each kind a request, and the first row of its run as stores hold it."""
ROWS["kriegspiel"][1]["players"].append({"engine": "fog", "seconds": 0.1, "nodes": None, "threads": 1})
ROWS["kriegspiel"][1]["switches"].update(repetition=True, material=True)
FIELDS = {
    StepRow: "accepted games population sigma events theta newcomers weights value budget final",
    Solution: "value lower upper exact solver sizes certificate score interval",
    HouseRules: "promotion_tries passant_square fifty repetition material rules",
    SearchLimit: "seconds nodes threads outside",
    PositionAnalysis: "ply side men heard refused boards evaluated choice attempts implied belief tried accepted cost "
    "cost_error reasons",
    AttemptValue: "move legal value error gain",
    GameStatistics: "plies refused_per_move nodes_per_move endings seconds_per_move",
    Ledger: "game lower upper done black white known points seconds refutation",
    Explanation: "sentences tables pictures",
    CurvePoint: "at value low high accepted population words",
    PolicyJson: "theta thetas weights digest",
    FogWeights: "replies worths",
}
"""Classes whose keys, or fields where they have none, stand in stored rows, files or answers: renaming changes data."""
PARTS = {BoardPicture: "board", Cards: "cards", Facts: "facts", Messages: "words", Text: "text", Chess: "chess"}


def test_an_option_is_said_once_and_found_everywhere():
    taken = []
    app = typer.Typer()
    app.command()(asking(LimitedRequest)(lambda asked: taken.append(asked)))
    words = ["war", "random", "uniform", "--until", "0.5", "--games", "20"]
    assert CliRunner().invoke(app, words).exit_code == 0 and taken[0]["until"] == 0.5
    assert "interval so narrow" in CliRunner().invoke(app, ["--help"]).stdout
    with pytest.raises(ValueError, match=r"--until is -1\.0: it must be a positive number"):
        CliRunner().invoke(app, [*words[:3], "--until", "-1"], catch_exceptions=False)
    request = LimitedRequest(**taken[0])
    row = request.to_json()
    assert row["until"] == 0.5 and LimitedRequest.from_json(row) == request
    assert LimitedRequest.from_json(MatchRequest("war", "random", "uniform").to_json()).until is None
    assert request.command == "fogspiel match war random uniform --seed 1 --games 20 --until 0.5"
    kind = LimitedKind()
    assert ("Width", "0.5") in kind.request_lines(row) and kind.form_of(row)["until"] == "0.5"
    assert kind.command(row) == request.command
    (drawn,) = (one for one in drawn_fields(LimitedRequest, {}) if one["name"] == "until")
    assert (drawn["label"], drawn["type"], drawn["hint"]) == ("Width", "number", "Stop at an interval so narrow.")
    site = FastAPI()

    def begin(order: LimitedRequest):
        return order.until

    site.post("/runs")(begin)
    assert "until" in site.openapi()["components"]["schemas"]["LimitedRequest"]["properties"]


def agents(*words):
    return tuple(StoredAgent.of(known_game("batawaf"), one, STORE, 5) for one in words)


@pytest.mark.parametrize("kind", ROWS)
def test_the_first_row_of_a_run_has_the_keys_of_stores_in_their_order(kind):
    make, row = ROWS[kind]
    assert list(make().items()) == list(row.items())
    assert kind_of_request("own-1", row).request is not None


ODD = (None, True, 5, -1, 2**70, 0.5, "x", [], ["x"], [None], [[1]], {}, {"x": 1}, {"KEYS": []}, [{"name": 5}])


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ROWS)
def test_a_forged_key_of_a_first_row_is_one_sentence_or_has_the_type_of_the_models_field(kind):
    _, row = ROWS[kind]
    known = kind_of_request("own-1", row)
    types = known.row_types()
    assert types.keys() >= {"rules", "fogspiel"} and len(types) > 3
    for key, odd in product(types.keys() - {"method"}, ODD):  # the method names the kind
        if fits(odd, types[key]):
            assert kind_of_request("own-1", row | {key: odd}) is known
        else:
            with pytest.raises(
                ValueError, match=rf"the request of run own-1 cannot be read: `{key}` is .*delete the run"
            ):
                kind_of_request("own-1", row | {key: odd})
    for key in types.keys() - {"method", "game"}:
        assert not fits({"x": 1}, types[key]) or key in ("facts", "proves")  # whose models check them
        assert not fits(2**70, types[key])


def test_types_of_stored_values_are_those_of_json():
    for annotation, good, bad in (
        (int, (0, -5, 2**62), (True, 0.5, "1", None, 2**63)), (float, (1, 0.5), (True, "1", None, 10**400)),
        (bool, (True,), (1, 0, None)), (Literal["pair"], ("pair", "x"), (1, None)), (int | None, (None, 3), ("3", 0.5)),
        (tuple[float, float] | None, (None, [0, 1.5]), ([True], (0, 1), "01")), (list[list[int]], ([], [[1]]), ([1],)),
        (SearchLimit, ({"nodes": 1}, {}), ({"nodes": "x"}, {"x": 1}, {"threads": None}, [], {"KEYS": []})),
    ):  # fmt: skip
        assert all(fits(value, annotation) for value in good) and not any(fits(value, annotation) for value in bad)


DEFAULT = (
    MatchRequest("war", "random", "uniform"), RoundRobinRequest("war", ("random", "uniform")),
    TuneRequest("war", games=2), TuneRequest("war", games=2, seeds=2), SolveRequest("kuhn"),
    SolveRequest("kuhn", "external-sampling"),
    BoundsRequest("phantom-ponnuki-2x2"), PaperRequest("table2"), BalanceRequest("resistance", 6), ProblemsRequest(),
    EngineRequest(players=("random", "greedy")), ProgramRequest("function", "abc", ROWS["program"][1]["parameters"]),
)  # fmt: skip
"""Requests in which nothing is said that need not be."""


@pytest.mark.parametrize("request_", DEFAULT, ids=lambda request: type(request).__name__)
def test_a_row_of_usual_values_can_be_read(request_):
    assert kind_of_request("own-1", request_.to_json()).request is type(request_)


@pytest.mark.parametrize("known", FIELDS, ids=lambda known: known.__name__)
def test_fields_that_are_data_keep_their_names(known):
    assert " ".join(getattr(known, "KEYS", known.__annotations__)) == FIELDS[known]


def test_parts_of_pictures_and_reports_keep_their_names():
    assert {part: part.KIND for part in PARTS} == PARTS
    assert (Table.PART, Chart.PART) == ("table", "chart")


def test_exploit_and_verify_are_stored_where_a_store_is_named_and_only_there(answer, refused, tmp_path):
    words, store = ("exploit", "kuhn", "uniform", "--worst", "1"), tmp_path / "kept.db"
    plain = answer(*words)
    assert answer("runs")["runs"] == []
    assert {**answer(*words, "--store", store), "cpu_seconds": 0} == {**plain, "cpu_seconds": 0}
    answer(*words, "--store", store)
    checked = answer("verify", "kuhn", "--store", store)
    assert [run["method"] for run in answer("runs", "--store", store)["runs"]] == ["exploit", "verify"]
    shown = answer("export", "kuhn-1", "--store", store)
    assert shown["ask"]["policy"] == "uniform" and shown["result"]["nash_conv"] == plain["nash_conv"]
    assert answer("resume", "kuhn-2", "--store", store)["lower"] == checked["lower"]
    with Store.open(store, write=True) as runs:
        name = runs.create(shown["ask"]).name
    refused("resume", name, "--store", store, because="fogspiel exploit kuhn uniform --worst 1")
