"""Worker processes: answers in order whatever the workers do, and nothing left behind."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import support
from support.commands import heed_interruption
from support.levels import default_cases

from fogspiel.process import worker_pool
from fogspiel.process.line_process import WorkerFault, demand_program, split_command
from fogspiel.process.worker_pool import WorkerPool

WORKER = Path(support.__file__).parent / "line_worker.py"
GAMES = [{"a": {"x": n}, "b": {"x": 2 * n}, "seed": n, "swap": bool(n % 2)} for n in range(23)]
TRUE = [(n * 7 + 2 * n * 3 + n + n % 2) % 3 / 2 for n in range(23)]
"""What the worker of the tests answers when it goes right."""
SLOW = ["hang", "hang-with-child", "late"]
WAYS = [*SLOW, "die", "flood", "nonsense", "no-score", "nan", "infinite", "text", "true", "null", "other", "range"]
WAYS += ["deep", "extra", "binary"]
SOME = ["hang", "die", "nonsense", "other", "extra"]
"""Ways to go wrong that differ for the pool; the others are further answers that are refused."""


def within(_, answer):
    if not 0 <= answer["score"] <= 1:
        raise WorkerFault(f"has scored {answer['score']}")


def pool(tmp_path, way, times, workers=2, **more):
    words = [sys.executable, "-S", str(WORKER), way, str(tmp_path / "count"), str(times)]
    seconds = 1.0 if way in SLOW else 60.0
    return WorkerPool(words, workers, **{"seconds": seconds, "title": "the worker"} | more)


@pytest.fixture(autouse=True)
def _patience(monkeypatch):
    monkeypatch.setattr(worker_pool, "START_SECONDS", 0.0)


def scores(found):
    return [answer["score"] for answer in found]


def gone(pid):
    """Whether a process has ended, now or in a moment."""
    for _ in range(200):
        try:
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").exists() and Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z":
                return True
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize("workers", default_cases([2], [1, 2, 5, 40]))
def test_answers_come_in_the_order_of_the_games_whatever_the_number_of_workers(tmp_path, workers):
    with pool(tmp_path, "well", 0, workers) as workers:
        for _ in range(3):
            assert scores(workers.ask([json.dumps(game) for game in GAMES], within)) == TRUE


@pytest.mark.thorough
@pytest.mark.parametrize("way", default_cases(SOME, WAYS))
def test_a_worker_that_goes_wrong_twice_is_replaced_and_no_answer_is_lost_or_mistaken(tmp_path, way):
    told = []
    with pool(tmp_path, way, 2, on_fault=told.append) as workers:
        assert scores(workers.ask([json.dumps(game) for game in GAMES], within)) == TRUE
    assert len(told) >= 2 and all("repeated" in sentence for sentence in told)
    assert way in SLOW or len(told) == 2


SENTENCES = {
    "die": "the worker has ended with exit code 3, and the last line of its stderr is 'out of cheese'; this game has",
    "hang": 'the worker has not answered within 1 s; this game has gone wrong 3 times: .*"seed": [0-9]+, "swap"',
    "late": "has not answered within 1 s",
    "flood": "has written 1,.* bytes without the end of a line",
    "nonsense": "has answered 'hello there', which is not JSON",
    "no-score": "which has no score: it must be a number",
    "nan": "which has no score",
    "infinite": "which has no score",
    "text": "which has no score",
    "true": "which has no score",
    "null": "which has no score",
    "other": "has answered for game -5 when it was asked for",
    "range": "has scored 1.5",
    "deep": "which is not JSON",
    "extra": "has written more than a line for a game, then '0.5', 3 times: it must write one line",
    "binary": "which is not JSON",
}


@pytest.mark.thorough
@pytest.mark.parametrize("way", default_cases(SOME, SENTENCES))
def test_a_game_that_goes_wrong_three_times_stops_everything_with_a_sentence(tmp_path, way):
    workers = pool(tmp_path, way, 1000)
    with pytest.raises(ValueError, match=SENTENCES[way]) as caught:
        workers.ask([json.dumps(game) for game in GAMES], within)
    assert "\n" not in str(caught.value)


def test_a_worker_that_reports_an_error_stops_everything_with_its_sentence():
    words = [sys.executable, "-S", "-c", 'input(); print(\'{"error": "there is no option Foo"}\')']
    with WorkerPool(words) as workers, pytest.raises(ValueError, match=r"^there is no option Foo$"):
        workers.ask(["{}"], within)


@pytest.mark.thorough
def test_children_of_a_worker_that_hangs_die_with_it(tmp_path):
    with pool(tmp_path, "hang-with-child", 1, 1) as workers:
        workers.ask([json.dumps(GAMES[2])], within)
    assert gone(int((tmp_path / "count.child").read_text()))


def test_a_pool_that_was_closed_or_stopped_starts_again(tmp_path):
    workers = pool(tmp_path, "die", 3)
    with pytest.raises(ValueError, match="exit code 3"):
        workers.ask([json.dumps(GAMES[2])], within)
    assert scores(workers.ask([json.dumps(GAMES[2])], within)) == TRUE[2:3]
    workers.close()
    workers.close()


def test_a_worker_that_dies_between_two_batches_is_replaced(tmp_path):
    told = []
    with pool(tmp_path, "well", 0, 1, on_fault=told.append) as workers:
        workers.ask([json.dumps(GAMES[0])], within)
        os.kill(workers._idle[0].process.pid, signal.SIGKILL)
        assert scores(workers.ask([json.dumps(game) for game in GAMES], within)) == TRUE
    assert len(told) == 1 and "was killed by signal 9" in told[0]


SCRIPT = """
import json, sys
from fogspiel.process.worker_pool import WorkerPool
words = [sys.executable, "-S", {worker!r}, "hang-with-child", {count!r}, "1000"]
workers = WorkerPool(words, 1, seconds=600.0)
workers.ask([json.dumps({game!r})], lambda *_: None)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_is_left_when_the_parent_is_interrupted_or_killed(tmp_path, number):
    script = SCRIPT.format(worker=str(WORKER), count=str(tmp_path / "count"), game=GAMES[2])
    parent = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.DEVNULL, preexec_fn=heed_interruption)
    child = tmp_path / "count.child"
    while not (child.exists() and child.read_text()):
        assert parent.poll() is None
        time.sleep(0.02)
    parent.send_signal(number)
    parent.wait(20)
    assert gone(int(child.read_text()))
    left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
    assert str(tmp_path / "count") not in left


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["/no/such/program"], "the program /no/such/program cannot be started .there is no such program"),
        (["no-such-program-anywhere"], "cannot be started .there is no such program"),
        (["/tmp"], "cannot be started .it is a folder"),
        ([__file__], "cannot be started .it may not be executed"),
        ([], "the command is empty"),
    ],
)
def test_a_program_that_cannot_be_started_is_refused_before_anything_is_asked(words, sentence):
    with pytest.raises(ValueError, match=sentence):
        demand_program(words)


def test_an_executable_that_the_system_cannot_run_is_a_sentence(tmp_path):
    path = tmp_path / "program"
    path.write_bytes(b"\x7fELF nothing")
    path.chmod(0o755)
    with WorkerPool([str(path)]) as workers, pytest.raises(ValueError, match=f"{path} cannot be started"):
        workers.ask(["{}"], within)


def test_a_command_is_split_as_a_shell_does():
    assert split_command("prog --name 'two words'") == ["prog", "--name", "two words"]
    with pytest.raises(ValueError, match="is not a command"):
        split_command("prog 'open")
