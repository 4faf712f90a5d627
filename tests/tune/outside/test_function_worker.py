"""The worker that serves a Python function."""

import json
import subprocess
import sys

import pytest

from fogspiel.process.worker_pool import WorkerPool
from fogspiel.tuning.programs import function_worker
from fogspiel.tuning.programs.contest import Scale, demand_function, worker_words


def within(_, answer):
    """Any number will do."""


def asked(path, *requests, **more):
    with WorkerPool(worker_words(str(path), Scale(**more))) as workers:
        return [answer["score"] for answer in workers.ask([json.dumps(request) for request in requests], within)]


def game(x, y, seed=1, swap=False):
    return {"a": {"x": x}, "b": {"x": y}, "seed": seed, "swap": swap}


def test_what_a_function_prints_or_reads_does_not_touch_the_protocol(tmp_path):
    path = tmp_path / "f.py"
    path.write_text(
        "import os, subprocess, sys\nprint('loaded')\n"
        "def play(a, b, seed):\n    print('{\"score\": 0}')\n    os.write(1, b'1\\n')\n"
        "    subprocess.run(['echo', '1'])\n    assert sys.stdin.read() == ''\n    return 0.5\n"
    )
    assert asked(path, game(1, 2), game(2, 1)) == [0.5, 0.5]


def test_a_swapped_game_is_played_by_b_first_and_scored_for_a(tmp_path):
    path = tmp_path / "f.py"
    path.write_text("def play(a, b, seed):\n    return a['x'] - b['x']\n")
    more = {"low": -10.0, "high": 30.0, "graded": True}
    assert asked(path, game(5, 2), game(5, 2, swap=True), **more) == [3.0, 23.0]  # 20 - (2 - 5)


def test_the_folder_of_the_file_can_be_imported_from_and_ours_cannot(tmp_path):
    (tmp_path / "beside.py").write_text("value = 0.5\n")
    path = tmp_path / "f.py"
    path.write_text("import beside\ndef play(a, b, seed):\n    return beside.value\n")
    assert asked(path, game(1, 2)) == [0.5]
    path.write_text("import line_workers\ndef play(a, b, seed):\n    return 0\n")
    with pytest.raises(ValueError, match="No module named 'line_workers'"):
        demand_function(str(path), Scale())


def test_an_error_in_the_function_is_told_with_its_last_line(tmp_path):
    path = tmp_path / "f.py"
    path.write_text("def play(a, b, seed):\n    return 1 / 0\n")
    with pytest.raises(ValueError, match=r"exit code 1, and the last line of its stderr is 'ZeroDivisionError: div"):
        asked(path, game(1, 2))


@pytest.mark.parametrize(
    ("source", "name", "sentence"),
    [
        ("def other(a, b, seed): pass", "play", "has no play: name a function that it has"),
        ("def play(a, b, seed:\n  pass", "play", "cannot be run: SyntaxError in line 1"),
        ("def play(a, seed): pass", "play", r"takes \(a, seed\): it must take \(a, b, seed\), or be called with"),
        ("def play(a, b, c, d): pass", "play", r"it must take \(a, b, seed\)"),
        ("play = 3", "play", "play of .* is no function"),
        ("import nowhere_at_all", "play", "cannot be run: ModuleNotFoundError: No module named"),
        ("raise SystemExit('enough')", "play", "cannot be run: SystemExit: enough"),
        ("import os; os._exit(7)", "play", "ends Python with exit code 7 when it is loaded"),
    ],
)
def test_a_file_without_the_right_function_is_a_sentence_at_the_start(tmp_path, source, name, sentence):
    path = tmp_path / "f.py"
    path.write_text(source)
    with pytest.raises(ValueError, match=sentence) as caught:
        demand_function(f"{path}:{name}", Scale())
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("nofile.py:play", "there is no file"),
        ("f.txt:play", "is not a function: write FILE.py"),
        ("play", "is not a function: write FILE.py"),
    ],
)
def test_words_that_name_no_function_are_a_sentence(words, sentence):
    with pytest.raises(ValueError, match=sentence):
        demand_function(words, Scale())


def test_alone_a_function_takes_two_arguments(tmp_path):
    path = tmp_path / "f.py"
    path.write_text("def play(a, seed):\n    return a['x'] + seed\n")
    assert asked(path, {"a": {"x": 3}, "seed": 4}, low=0.0, high=9.0, graded=True, single=True) == [7.0]
    path.write_text("def play(a, b, seed): pass\n")
    with pytest.raises(ValueError, match=r"it must take \(a, seed\)$"):
        demand_function(str(path), Scale(single=True))


def test_a_worker_imports_neither_the_package_nor_numpy(tmp_path):
    path = tmp_path / "f.py"
    path.write_text(
        "import sys\ndef play(a, b, seed):\n    return any(x in sys.modules for x in ('fogspiel', 'numpy'))\n"
    )
    assert asked(path, game(1, 2)) == [0.0]


def test_the_module_serves_by_its_name_too(tmp_path):
    path = tmp_path / "f.py"
    path.write_text("def play(a, b, seed):\n    return 1\n")
    words = [sys.executable, "-m", function_worker.__name__, str(path)]
    done = subprocess.run(words, input=json.dumps(game(1, 2) | {"id": 8}) + "\n", capture_output=True, text=True)
    assert json.loads(done.stdout) == {"score": 1.0, "id": 8}
