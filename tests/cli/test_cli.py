"""The command line as people and programs meet it: every command, every refusal, every interruption."""

import csv
import io
import json
import signal
import subprocess
import sys
import time

import pytest
from support.commands import COMMAND, DOCUMENTED, heed_interruption
from support.levels import default_cases

from fogspiel.core.game import list_games


def test_help_needs_neither_numba_nor_numpy():
    check = (
        "import sys; from fogspiel import cli; from typer.testing import CliRunner; cli.load_commands([]); "
        "from fogspiel.cli.app import app; assert CliRunner().invoke(app, ['--help']).exit_code == 0; "
        "assert not {'numba', 'numpy'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", check], check=True)


@pytest.mark.parametrize(
    "command",
    [
        "games",
        "show",
        "values",
        "match",
        "tune",
        "solve",
        "verify",
        "explain",
        "paper",
        "export-game",
        "bounds",
        "resume",
        "runs",
        "export",
        "tour",
        "compile",
        "doctor",
    ],
)
def test_every_command_has_help(command, fogspiel):
    outcome = fogspiel(command, "--help")
    assert outcome.returncode == 0 and "--json" in outcome.stdout


@pytest.mark.parametrize("command", [COMMAND, [sys.executable, "-m", "fogspiel"]], ids=["script", "module"])
def test_the_program_prints_its_version_and_refuses_in_one_sentence(command):
    """The same through a process of its own, as it is installed; all other tests call what it calls."""
    started = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert started.stdout.startswith("fogspiel ")
    wrong = subprocess.run([*command, "match", "wra", "a", "b", "--json"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2 and "no game" in json.loads(wrong.stdout)["error"]
    assert len(wrong.stderr.splitlines()) == 1


def test_games_lists_every_game_with_its_parameters(answer, fogspiel):
    listed = {game["name"]: game for game in answer("games")["games"]}
    assert list(listed) == list(list_games())
    assert listed["batawaf"]["parameter_names"] == ["A", "B", "C"]
    assert {"war": 3, "war4": 4, "batawaf4": 4, "guesswho128": 4, "guesswho128-stochastic": 5}.items() <= {
        name: game["parameters"] for name, game in listed.items()
    }.items()
    assert "batawaf" in fogspiel("games").stdout


def test_show_draws_a_position_and_says_where_the_game_comes_from(answer, fogspiel):
    shown = answer("show", "war")
    assert "your deck" in shown["view"] and shown["actions"] and "Cauwet" in shown["source"]
    assert "may try" in fogspiel("show", "war").stdout


def test_match_reports_everything_a_script_needs(answer):
    found = answer("match", "batawaf", "descending", "random", "--games", 600, "--seed", 5)
    assert {"game", "first", "second", "score", "interval", "wins", "draws", "losses", "games", "seed"} <= found.keys()
    assert found["games"] == 600 == found["wins"] + found["draws"] + found["losses"]
    assert found["interval"][0] < found["score"] < found["interval"][1]
    assert 0.64 < found["score"] < 0.74
    again = answer("match", "batawaf", "descending", "random", "--games", 600, "--seed", 5, "--threads", 1)
    assert again == found


MATCH = (
    "draws exact first game games interval losses observed outcomes "
    "pair_counts rules rules_version score seats second seed state wins"
)
EXACT = "draws exact first fraction game games interval losses rules rules_version score second seed wins"
GAME = (
    "actions hashed_parameters how_to_play name parameter_names parameters payoffs "
    "players powers rules rules_version source symmetric title view"
)
RUN = (
    "against baseline game games interval kind method opponent proof "
    "race report run score seed state steps theta validation"
)
SNAPSHOTS = [
    (("show", "war"), GAME),
    (("match", "nim", "exact", "uniform", "--games", 10), MATCH),
    (("match", "nim", "exact", "perfect", "--exact"), EXACT),
    (("tune", "nim", "--method", "iterative", "--games", 2000), RUN),
    (("runs",), "runs store"),
    (("export", "nim-1"), "ask game result run state steps theta"),
    (("doctor",), "checks ok repaired"),
]  # fmt: skip


def test_the_keys_of_every_answer_are_those_of_the_documentation(answer):
    for words, keys in SNAPSHOTS:
        found = answer(*words)
        assert " ".join(sorted(found)) == keys, words
        for key in found:
            assert f"`{key}`" in DOCUMENTED, f"docs/json.md does not mention {key}"
    listed = answer("runs")["runs"][0]
    assert (
        " ".join(sorted(listed))
        == "created game games interval kind last_seen method name score seconds seen state steps"
    )


def test_match_takes_numbers_files_and_baselines(tmp_path, answer):
    (tmp_path / "list.json").write_text("[0, 0, 50]")
    (tmp_path / "object.json").write_text('{"game": "batawaf", "theta": [0, 0, 50]}')
    (tmp_path / "plain.txt").write_text("0 0 50\n")
    files = [tmp_path / name for name in ("list.json", "object.json", "plain.txt")]
    scores = {
        answer("match", "batawaf", player, "random", "--games", 200)["score"]
        for player in ("descending", "0,0,50", "-50,-50,0", *files)
    }
    assert len(scores) == 1
    assert answer("match", "batawaf", "fixed", "redrawn", "--games", 100)["games"] == 100
    assert answer("match", "batawaf", "random", "random", "--games", 99)["games"] == 100


def test_exact_rates_come_as_fractions(answer, refused):
    found = answer("match", "guesswho128", "OL", "God", "--exact")
    assert found["score"] == 0.5 and found["fraction"] == "1/2" and found["exact"] is True
    refused("match", "war", "random", "descending", "--exact", because="no exact rate is known for war")


def test_a_run_is_tuned_listed_exported_and_played(tmp_path, answer, fogspiel, refused):
    store = ("--store", tmp_path / "my runs.db")
    found = answer("tune", "batawaf", "--method", "iterative", "--games", 20_000, "--seed", 3, *store)
    assert found["run"] == "batawaf-1" and found["state"] == "finished" and found["games"] <= 20_000
    assert found["interval"][0] < found["score"] < found["interval"][1] and found["against"] == "redrawn"
    (listed,) = answer("runs", *store)["runs"]
    assert listed["name"] == "batawaf-1" and listed["score"] == found["score"] and listed["state"] == "finished"
    exported = answer("export", "batawaf-1", *store)
    assert exported["theta"] == found["theta"] and len(exported["steps"]) == found["steps"]
    fogspiel("export", "batawaf-1", "--output", tmp_path / "run.json", *store)
    by_run = answer("match", "batawaf", "batawaf-1", "random", "--games", 500, *store)["score"]
    by_file = answer("match", "batawaf", tmp_path / "run.json", "random", "--games", 500)["score"]
    assert by_run == by_file
    lines = list(csv.DictReader(io.StringIO(fogspiel("export", "batawaf-1", "--format", "csv", *store).stdout)))
    assert len(lines) == found["steps"] and int(lines[-1]["games"]) <= found["games"]
    assert all(None not in line and None not in line.values() for line in lines)  # as many fields as the header
    again = fogspiel("resume", "batawaf-1", *store)
    assert again.returncode == 0 and "score" in again.stdout and "batawaf-1 is finished" in again.stderr
    assert "batawaf-1" in fogspiel("runs", *store).stdout
    refused("match", "war", "batawaf-1", "random", *store, because="batawaf-1 tuned batawaf, not war")


@pytest.mark.thorough
def test_an_interrupted_run_says_how_to_go_on_and_ends_as_if_left_alone(tmp_path, answer):
    asked = ("tune", "batawaf", "--method", "iterative", "--games", 30_000_000, "--threads", 1)
    for sign in (signal.SIGINT, signal.SIGTERM):
        store = tmp_path / f"{sign}.db"
        child = subprocess.Popen(
            [*COMMAND, *map(str, asked), "--store", str(store), "--json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=heed_interruption,
        )
        deadline = time.monotonic() + 120
        while not (store.exists() and any(run["steps"] for run in answer("runs", "--store", store)["runs"])):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        child.send_signal(sign)
        out, err = child.communicate(timeout=60)
        assert child.returncode == 130
        assert json.loads(out)["resume"] == f"fogspiel resume batawaf-1 --store {store}"
        assert f"fogspiel resume batawaf-1 --store {store}" in err.decode().replace("\n", " ")
        assert b"Traceback" not in err


def test_an_interrupted_match_is_kept_and_goes_on_to_the_same_score(tmp_path, monkeypatch, answer, fogspiel, refused):
    from typer.testing import CliRunner

    from fogspiel import cli
    from fogspiel.cli import console
    from fogspiel.cli.app import app

    store = ("--store", str(tmp_path / "runs.db"))
    asked = ("match", "batawaf", "0,0,9", "random", "--games", "20001", "--threads", "1")
    calls = []

    def interrupt(*_):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(console.Bar, "show", interrupt)
    cli.load_commands([])
    outcome = CliRunner().invoke(app, [*asked, *store, "--json"])
    stopped = json.loads(outcome.stdout.splitlines()[0])
    assert outcome.exit_code == 130 and stopped["state"] == "interrupted" and 0 < stopped["games"] < 20_000
    assert stopped["resume"] == f"fogspiel resume batawaf-1 --store {store[1]}"
    resumed, whole = answer("resume", "batawaf-1", *store), answer(*asked)
    assert resumed["games"] == 20_002
    for key in ("score", "outcomes", "observed"):
        assert resumed[key] == whole[key]
    again = fogspiel("resume", "batawaf-1", *store)
    assert again.returncode == 0 and "is finished" in again.stderr
    refused("match", "batawaf", "batawaf-1", "random", *store, because="has the method match and is not a player")
    assert len(fogspiel("export", "batawaf-1", "--format", "csv", *store).stdout.splitlines()) == 3


WRONG = [
    (("match", "wra", "a", "b"), "no game 'wra'"),
    (("match", "war", "nobody", "random"), "not a player of war"),
    (("match", "war", "1,2", "random"), "takes 3 parameters"),
    (("match", "war", "1,2,nan", "random"), "finite"),
    (("match", "war", "1,2,inf", "random"), "finite"),
    (("match", "war", "no-file.json", "random"), "cannot be read"),
    (("match", "war", "war-7", "random"), "no run named war-7"),
    (("match", "war", "1,2,x" * 200, "random"), "not a player of war"),
    (("match", "war", "random", "random", "--games", "0"), "positive"),
    (("match", "war", "random", "random", "--games", "many"), "--games"),
    (("match", "war", "random", "random", "--seats", "floor"), "--seats"),
    (("match", "war", "random", "random", "--seed", "-1"), "seed"),
    (("match", "war", "random"), "second"),
    (("match", "war", "random", "random", "--gmaes", "5"), "--gmaes"),
    (("show", "chess2"), "no game"),
    (("tune", "chess2"), "no game"),
    (("tune", "war", "--method", "magic"), "no method"),
    (("tune", "war", "--games", "-1"), "positive"),
    (("tune", "war", "--seconds", "0"), "positive"),
    (("tune", "war", "--seconds", "nan"), "positive"),
    (("tune", "war", "--race", "horse"), "no race"),
    (("tune", "war", "--baseline", "nobody"), "no strategy"),
    (("resume", "war-1"), "no run named war-1"),
    (("export", "war-1"), "no run named war-1"),
    (("export", "war-1", "--format", "xml"), "json or csv"),
    (("dance",), "dance"),
]


@pytest.mark.parametrize(("words", "part"), WRONG, ids=[" ".join(words)[:60] for words, _ in WRONG])
def test_wrong_input_gets_one_sentence_and_writes_nothing(words, part, tmp_path, refused):
    refused(*words, because=part)
    assert not list(tmp_path.iterdir())


def test_errors_are_json_for_programs(fogspiel):
    outcome = fogspiel("match", "wra", "a", "b", "--json")
    assert outcome.returncode == 2 and "no game" in json.loads(outcome.stdout)["error"]


def test_stores_that_cannot_be_used_are_refused(tmp_path, refused):
    (tmp_path / "empty.db").write_bytes(b"")
    (tmp_path / "foreign.db").write_text("hello " * 100)
    for store in (tmp_path, tmp_path / "empty.db", tmp_path / "foreign.db"):
        before = store.read_bytes() if store.is_file() else None
        for words in (("tune", "batawaf", "--games", 100), ("runs",), ("resume", "batawaf-1")):
            refused(*words, "--store", store, because=str(store))
        assert before is None or store.read_bytes() == before


def test_doctor_finds_a_healthy_installation_and_a_damaged_store(tmp_path, answer, fogspiel):
    store = ("--store", tmp_path / "runs.db")
    report = answer("doctor", *store)
    assert report["ok"] and {"fogspiel", "numba", "kernel cache", "store"} <= {
        check["what"] for check in report["checks"]
    }
    (tmp_path / "runs.db").write_text("not a store")
    outcome = fogspiel("doctor", *store)
    assert outcome.returncode == 2 and "PROBLEM" in outcome.stdout and "Traceback" not in outcome.stderr


TOLD = ("wins 9/35 of the games", "gets 5/6", "gains 11/12", "best card first", "king on")


@pytest.mark.thorough
@pytest.mark.parametrize("cold", default_cases([False], [False, True]))
def test_the_tour_shows_all_four_systems_and_names_what_comes_next(answer, monkeypatch, cold):
    """A cold engine is compiled by another process meanwhile, so that nobody waits for it at the end."""
    from fogspiel.cli.commands import maintenance
    from fogspiel.kriegspiel.commands import _terminal

    monkeypatch.setattr(_terminal, "is_cold", lambda _: cold)
    monkeypatch.setitem(maintenance.WAR, "games", 60_000)
    monkeypatch.setattr(maintenance, "WAR_GAMES", 4000)
    for name, value in (("PLIES", 6), ("NODES", 50), ("ENGINE", "minimax")):
        monkeypatch.setattr(_terminal, name, value)
    found = answer("tour")
    shown = [" ".join(stop["lines"]) for stop in found["stops"]]
    assert [sentence in lines for sentence, lines in zip(TOLD, shown, strict=True)] == [True] * 5, shown
    assert all(f"`{key}`" in DOCUMENTED for key in (*found, *found["stops"][0]))
    assert all(command.startswith("fogspiel ") for command in found["next"].values())


def test_warm_compiles_what_is_named_and_knows_what_there_is(answer, refused):
    (part,) = answer("compile", "kuhn")["compiled"]
    assert part["name"] == "kuhn" and part["cpu_seconds"] >= 0
    refused("compile", "nosuch", because="there is nothing called 'nosuch' to compile")
