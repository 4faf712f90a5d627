"""Competitions: entries of every sort, the protocol's lines, faults, secrecy, replays and resumption."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from support.commands import COMMAND
from support.every_game import every_game
from support.own_game import OWN_RPS
from support.web_client import open_client

from fogspiel.core.agents import Forfeit
from fogspiel.core.find import load_game
from fogspiel.core.game import CHANCE, known_game
from fogspiel.core.rng import stream_of
from fogspiel.core.session import Session, replay
from fogspiel.process import entry_server
from fogspiel.runs import entries
from fogspiel.runs.entries import Entry, ProgramPlayer, play_block
from fogspiel.runs.kind import Context, Outputs, execute
from fogspiel.runs.kinds import round_robin
from fogspiel.runs.kinds.compete import KIND, CompeteRequest
from fogspiel.runs.request import StoredAgent
from fogspiel.runs.store import Store
from fogspiel.solving.policies import table_json
from fogspiel.solving.policies.state_sheets import information_states

PAGE = Path(__file__).parents[2] / "docs" / "game-protocol.md"
HANG = "import time\n\n\ndef play(turn):\n    time.sleep(600)\n"
CHEAT = "def play(turn):\n    return 99\n"
LAST = "def play(turn):\n    print('not a line of the protocol')\n    return turn.actions[-1]\n"


def block_of(language):
    (text,) = re.findall(rf"^```{language}.*?\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    return text


def write_uniform(file, game):
    rows = [(state, [Fraction(1, len(state.actions))] * len(state.actions)) for state in information_states(game, 1.0)]
    file.write_text(json.dumps(table_json(game, rows)))


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "entries"
    made.mkdir()
    return made


class Recorded:
    """A program whose lines are kept, and whose answers are drawn."""

    name = "recorded"

    def __init__(self, seed, answer=None):
        self.heard, self.drawn, self.answer = [], random.Random(seed), answer

    def say(self, *lines):
        self.heard += lines

    def last_line(self, asked, word, patience):
        if self.answer is not None:
            return self.answer
        turn = self.heard[max(place for place, line in enumerate(self.heard[:-1]) if not line.startswith("action")) :]
        return f"play {self.drawn.choice([line.split()[1] for line in turn if line.startswith('action')])}"

    def failure(self, what):
        return ValueError(f"the entry {self.name!r} {what}")


# Secrecy


def told_in(game, draws, moves):
    """Both programs' lines in a random game of some moves, and the key of all that each of them may know."""
    session = Session(game)
    programs = Recorded(1), Recorded(2)
    players = [ProgramPlayer(game, program, 1e9, 7) for program in programs]
    known = [[], []]
    for side, player in enumerate(players):
        session.seat(player, side)
    views = [session.view(side).tolist() for side in (0, 1)]
    while (mover := session.mover) >= CHANCE and len(session.record) < moves:
        if mover == CHANCE:
            action = session.draw_chance(draws)
        else:
            players[mover].clock = 1e9
            known[mover].append(("turn", tuple(session.actions)))
            action = players[mover].choose(session.view(mover), session.actions)
            known[mover].append(("own", action))
        session.apply(action)
        for side in (0, 1):
            if (now := session.view(side).tolist()) != views[side]:
                views[side] = now
                known[side].append(("view", tuple(now)))
    return session.record, [(tuple(known[side]), tuple(programs[side].heard)) for side in (0, 1)]


HIDING = 40  # random games of a few moves


@every_game
def test_programs_that_know_the_same_are_sent_the_same_bytes(game):
    heard, records = defaultdict(set), defaultdict(set)
    for number in range(HIDING):
        record, sides = told_in(game, stream_of(5, number), 1 + number % 8)
        for side, (known, lines) in enumerate(sides):
            heard[side, known].add(lines)
            records[side, known].add(tuple(record))
    assert all(len(lines) == 1 for lines in heard.values())
    if game.resample and game.name in ("kuhn", "leduc", "phantom-ttt", "war"):
        assert any(len(several) > 1 for several in records.values())  # something was hidden


def test_nothing_is_sent_while_the_opponent_thinks_and_each_change_of_the_view_is_a_line():
    game, program = known_game("phantom-ttt"), Recorded(1)
    session, player = Session(game), ProgramPlayer(game, program, 5.0, 7)
    session.seat(player, 1)
    session.apply(0)
    sent = len(program.heard)
    player.choose(session.view(1), session.actions)
    assert sent == 1 and program.heard[0].startswith("new game phantom-ttt side 1 clock 5000 seed 7")
    assert [line.split()[0] for line in program.heard[1:]].count("view") == 1


# Lines of a program


def malformed(count):
    drawn = random.Random(4)
    for number in range(count):
        text = "".join(chr(drawn.choice([*range(1, 10), *range(32, 127), 0x3B1, 0x1F600])) for _ in range(number % 70))
        yield drawn.choice(
            (text, f"play {text}", f"play {drawn.randrange(3, 10**20)}", f"play -{number}", "play", "play 1 2")
        )


@pytest.mark.parametrize("count", [200, pytest.param(2_000, marks=pytest.mark.thorough)])
def test_malformed_lines_are_one_sentence_each(count):
    game = known_game("kuhn")
    session = Session(game)
    for action in (0, 1):
        session.apply(action)
    reasons = set()
    for line in malformed(count):
        player = ProgramPlayer(game, Recorded(1, line), 5.0, 7)
        player.begin(0)
        if line in ("play 0", "play 1"):
            continue
        with pytest.raises(Forfeit) as fault:
            player.choose(session.view(0), session.actions)
        assert "\n" not in str(fault.value) and len(str(fault.value)) < 400
        reasons.add(fault.value.reason)
    assert reasons == {"a line that is no action", "an impossible action"}


def test_the_server_of_a_function_tells_it_views_words_actions_and_the_clock():
    seen, said = [], []

    def play(turn):
        seen.append((turn.game, turn.side, turn.view, list(turn.views), turn.text, turn.labels, turn.clock))
        return turn.random.choice(turn.actions)

    lines = [
        "new game g side 1 clock 5000 seed 3", "view 1 2", "view 1 3", "see a | b", "action 4 pass on", "action 7 bet",
        "go clock 4000", "go clock 3000", "quit", "never read",
    ]  # fmt: skip
    with pytest.raises(IndexError):  # without a list of actions
        entry_server.serve(play, lines, said.append)
    assert seen[0] == ("g", 1, [1, 3], [[1, 2], [1, 3]], "a | b", ["pass on", "bet"], 4.0)
    assert said == [f"play {random.Random(3).choice([4, 7])}"]


# Programs


def function_entry(file, text):
    file.write_text(text)
    return Entry(file.stem, entries.FUNCTION, "d", (sys.executable, entry_server.__file__, str(file)))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (HANG, "no action in time"),
        (CHEAT, "an impossible action"),
        ("def play(turn):\n    return 'x'\n", "a line that is no action"),
        ("def play(turn):\n    raise SystemExit(3)\n", "the program has ended"),
        ("import os\n\n\ndef play(turn):\n    os.kill(os.getpid(), 9)\n", "the program has ended"),
        ("import os\n\n\ndef play(turn):\n    while True: os.write(5, b'x' * 9999)\n", "the program has ended"),
    ],
)
def test_an_entry_with_a_fault_loses_its_games_and_is_not_started_for_ever(tmp_path, text, reason):
    game = known_game("kuhn")
    pair = function_entry(tmp_path / "bad.py", text), function_entry(tmp_path / "good.py", LAST)
    games = play_block(game, pair, 1, 1, 0, 4, 0.5, tmp_path)
    assert [one["score"] for one in games] == [0] * 8
    assert [one["ending"] for one in games[:3]] == [f"forfeit: {reason}"] * 3
    assert {one["ending"] for one in games[3:]} == {"forfeit: too many faults before"}


@pytest.mark.thorough
def test_a_program_that_prints_without_end_loses_by_its_clock(tmp_path):
    file = tmp_path / "flood.py"
    file.write_text(
        "import sys\n"
        "for line in sys.stdin:\n"
        "    if line.startswith('fogspiel'): print('fogspielok 1', flush=True)\n"
        "    while line.startswith('go'): print('play', 'x' * 70000)\n"
    )
    flood = Entry("flood", entries.PROGRAM, "d", (sys.executable, str(file)))
    games = play_block(known_game("kuhn"), (flood, flood), 1, 1, 0, 1, 0.5, tmp_path)
    assert {one["ending"].partition(": ")[0] for one in games} == {"forfeit"}


# Competitions


def write_entries(folder, game):
    """Five entries of a folder; `search` is the sixth."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    text = block_of("c")
    assert text.count("\n") <= 40
    (folder.parent / "anything.c").write_text(text)
    subprocess.run([compiler, "-Wall", "-Werror", "-o", folder / "in-c", folder.parent / "anything.c"], check=True)
    (folder / "function.py").write_text(block_of("python"))
    (folder / "hangs.py").write_text(HANG)
    (folder / "cheats.py").write_text(CHEAT)
    write_uniform(folder / "table.json", game)


def processes_of(folder):
    """The running processes whose command names the folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes()
        except OSError:
            continue
        if str(folder).encode() in words and b"compete" not in words:
            found.append(words)
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("source", ["leduc", "own"])
def test_six_entries_compete_and_nothing_hangs_or_is_left_over(source, folder, tmp_path, answer, fogspiel):
    if source == "own":
        (tmp_path / "own.py").write_text(OWN_RPS)
        source = f"{tmp_path / 'own.py'}:own-rps"
    game = load_game(source)
    write_entries(folder, game)
    (folder / "notes.txt").write_text("no entry")
    words = ("compete", str(folder), "--game", source, "--with", "search:nodes=100", "--games", "60", "--clock", "0.6")
    found = answer(*words, "--output", str(tmp_path / "report"), "--processes", "2")
    assert processes_of(folder) == []
    by_name = {entry["name"]: entry for entry in found["entries"]}
    assert by_name.keys() == {"in-c", "function", "hangs", "cheats", "table", "search:nodes=100"}
    assert set(found["ranking"][-2:]) == {"hangs", "cheats"}
    assert [one["file"] for one in found["skipped"]] == ["notes.txt"]
    for name, entry in by_name.items():
        assert (entry["forfeits"] > 0) == (name in ("hangs", "cheats"))
    exact = by_name["table"]["exact"]
    assert exact == str(fogspiel_loss(game, folder / "table.json")) and by_name["in-c"]["exact"] is None
    assert "Forfeits" in (tmp_path / "report" / f"competition-{game.name}.html").read_text()
    with Store.open(tmp_path / "runs.db", write=False) as store:
        run = store.read(found["run"])
    games = KIND._games(run)
    assert len(games) == found["games"]
    for row, one in games:  # every stored game is legal, and its payoff is that of the rules
        *_, last = replay(game, one["record"])
        if one["ending"] is None:
            score = int(game.rules.score(last.state))
            assert one["score"] == (game.max_score - score if one["seat"] else score)
        else:
            assert row["first"] in ("hangs", "cheats") or row["second"] in ("hangs", "cheats")
    named = ("--source", source) if ":" in source else ()
    shown = fogspiel("export", found["run"], "--game", "1", *named)
    assert shown.returncode == 0 and shown.stdout.splitlines()[-1].startswith("payoff of the first seat")
    assert b"entries/" not in json.dumps(run.steps).encode()  # no path in a row


def fogspiel_loss(game, file):
    from fogspiel.runs.agent_parser import exploitability

    return exploitability(game, str(file)).exploitability


@pytest.mark.thorough
def test_a_competition_of_five_hundred_games_resumes_after_a_kill_to_the_same_bytes(folder, tmp_path, answer):
    (folder / "function.py").write_text(block_of("python"))
    (folder / "last.py").write_text(LAST)
    words = [
        "compete", str(folder), "--game", "leduc", "--games", "500", "--no-stop", "--processes", "1",
        "--output", str(tmp_path / "report"),
    ]  # fmt: skip
    stored = []
    for killed in (True, False):
        store = tmp_path / f"{killed}.db"
        whole = [*COMMAND, *words, "--store", str(store), "--json"]
        if killed:
            process = subprocess.Popen(whole, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while not (store.exists() and len(steps_of(store)) >= 3):
                assert process.poll() is None
                time.sleep(0.05)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            assert len(steps_of(store)) < 25
            deadline = time.monotonic() + 10
            while processes_of(folder):
                assert time.monotonic() < deadline, "programs outlived the referee"
                time.sleep(0.1)
        subprocess.run(whole, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with Store.open(store, write=False) as runs:
            run = runs.read("leduc-1")
        assert run.result["games"] == 500
        stored.append(json.dumps([run.request, run.steps, run.result]))
    assert stored[0] == stored[1]


def steps_of(store):
    with Store.open(store, write=False) as runs:
        return runs.read("leduc-1").steps if "leduc-1" in runs.names() else []


def test_a_stored_competition_starts_no_program(folder, tmp_path, refused, monkeypatch):
    monkeypatch.setattr(entries, "_named", {})
    players = ({"name": "a", "sort": "program", "digest": "0"}, {"name": "b", "sort": "function", "digest": "1"})
    request = CompeteRequest(folder=str(folder), game="kuhn", players=players)
    with Store.open(tmp_path / "runs.db", write=True) as store:
        store.create(request.to_json())
    refused("resume", "kuhn-1", because=("a is an entry of a folder", "is read only if you name it"))
    assert CompeteRequest.from_json(request.to_json()) == request


@pytest.mark.thorough
def test_a_page_shows_a_competition_and_neither_begins_nor_resumes_one(tmp_path):
    game, path = known_game("kuhn"), tmp_path / "runs.db"
    found = [entries.agent_entry(name, StoredAgent.of(game, name, path, 1)) for name in ("uniform", "solved")]
    entries.register(found)
    agents, players = tuple(one.agent for one in found), tuple(one.to_json() for one in found)
    unknown = tuple({"name": name, "sort": "program", "digest": "0"} for name in ("ada", "bob"))
    with Store.open(path, write=True) as store:
        request = CompeteRequest(folder="x", game="kuhn", games=4, agents=agents, players=players)
        execute(store.create(request.to_json()), Context(path, 1))
        store.create(CompeteRequest(folder="x", game="kuhn", players=unknown).to_json())
    with open_client(tmp_path) as client:
        run = client.get("/api/runs/kuhn-1").json()
        assert ["Agents of the package", "uniform, solved"] in run["asked"] and run["state"] == "finished"
        assert client.get("/runs/kuhn-1").status_code == client.get("/api/results/kuhn-1").status_code == 200
        assert "names a program or a file" in client.post("/api/runs/kuhn-2/resume").json()["error"]
        asked = {"kind": "compete", "folder": str(tmp_path), "game": "kuhn", "games": "4", "seed": "1"}
        assert client.post("/api/runs", json=asked).status_code == 422


@pytest.mark.thorough
def test_the_time_ends_a_competition_after_its_first_round_and_keeps_what_was_played(tmp_path, monkeypatch):
    game, path, uniform = (
        known_game("kuhn"),
        tmp_path / "runs.db",
        StoredAgent.of(known_game("kuhn"), "uniform", tmp_path, 1),
    )
    found = [entries.agent_entry(name, uniform) for name in "abc"]
    entries.register(found)
    players = tuple(one.to_json() for one in found)
    request = CompeteRequest(folder="x", game=game.name, seconds=1e-9, stop=False, players=players)

    def stop(progress):
        if progress.games == 100:
            raise KeyboardInterrupt

    with Store.open(path, write=True) as store:
        short = store.create(request.to_json())
        assert execute(short, Context(path, 1))["out_of_time"] and len(short.steps) == 3  # a block for each pair
        long = store.create(request.model_copy(update={"seconds": 3600.0, "seed": 2}).to_json())
        with pytest.raises(KeyboardInterrupt):
            execute(long, Context(path, 1, on_progress=stop))
        clock = iter([0.0])
        monkeypatch.setattr(round_robin, "time", SimpleNamespace(monotonic=lambda: next(clock, 1e9)))
        assert execute(long, Context(path, 1))["out_of_time"] and len(long.steps) == 5
        assert "after 3600 seconds of work" in KIND.report(long).paragraphs[0]
        assert KIND.result_json(long, Outputs())["out_of_time"] and KIND._games(long)[-1]


def test_a_folder_without_two_entries_is_refused_and_writes_nothing(folder, tmp_path, fogspiel, refused):
    refused("compete", str(tmp_path / "nosuch"), "--game", "kuhn", because="there is no folder")
    (folder / "table.json").write_text("{}")
    done = fogspiel("compete", str(folder), "--game", "kuhn")
    told = done.stderr.splitlines()
    assert (
        done.returncode == 2 and told[0].startswith("table.json is no entry") and "2 to 100 entries, not 0" in told[1]
    )
    assert not (tmp_path / "runs.db").exists()


def test_equal_deals_are_never_played_from_both_seats(tmp_path):
    write_uniform(tmp_path / "one.json", known_game("leduc"))
    entry = entries.agent_entry("uniform", StoredAgent.of(known_game("leduc"), "uniform", tmp_path, 1))
    games = play_block(known_game("leduc"), (entry, entry), 1, 1, 0, 20, 1.0, tmp_path)
    deals = [tuple(one["record"][:2]) for one in games]
    assert [one["seat"] for one in games] == [0, 1] * 20
    assert np.mean([one == other for one, other in zip(deals[::2], deals[1::2], strict=True)]) < 0.3
