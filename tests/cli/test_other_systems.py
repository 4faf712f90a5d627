"""Every command works where only POSIX systems have something: no alarm, no fork, no fcntl, no /proc."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from support import no_posix

from fogspiel import cli
from fogspiel.cli.app import app
from fogspiel.solving.known_values import shipped_certificate

PACKAGE = Path(cli.__file__).parents[1]
TEXT_CALLS, LIMITED = {"read_text", "write_text"}, "untrusted_input"  # of which the last reads UTF-8 only


def every_command():
    """The words of every command and subcommand."""
    cli.load_commands([])

    def below(command, words):
        yield words
        for name, inner in getattr(command, "commands", {}).items():
            yield from below(inner, [*words, name])

    return list(below(typer.main.get_command(app), []))


def outcomes(tmp_path, commands, **environment):
    """How commands ended in a process that hides what only POSIX systems have."""
    file = tmp_path / "commands.json"
    file.write_text(json.dumps([[str(word) for word in words] for words in commands]), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, no_posix.__file__, str(file)],
        cwd=tmp_path,
        env=os.environ | {"FOGSPIEL_STORE": str(tmp_path / "runs.db"), "PYTHONPATH": str(PACKAGE.parent)} | environment,
        capture_output=True,
        encoding="utf-8",
        timeout=590,
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == len(commands)
    return found


SMALL = [
    ["games"],
    ["show", "pig"],
    ["values", "kuhn", "--verify"],
    ["verify", shipped_certificate("kuhn")],
    ["explain", shipped_certificate("kuhn")],
    ["match", "pig", "hold20", "uniform", "--games", "100"],
    ["solve", "rps"],
    ["runs"],
    ["resume", "rps-1"],
    ["export", "rps-1"],
    ["play", "rps", "--seed", "1"],
    ["states", "kuhn", "--output", "questions.jsonl"],
]


@pytest.mark.thorough
def test_small_commands_run_without_what_only_posix_has(tmp_path):
    for found in outcomes(tmp_path, SMALL):
        expected = {"play": (0, 130)}.get(found["words"][0], (0,))
        assert found["code"] in expected and "Traceback" not in found["err"], found


@pytest.mark.slow
def test_every_command_runs_without_what_only_posix_has(tmp_path):
    helps = [[*words, "--help"] for words in every_command()]
    work = [
        ["tune", "pig", "--games", "2000", "--report-games", "200", "--threads", "1"],
        ["tune", "pig", "--games", "2000", "--report-games", "200", "--seeds", "2", "--processes", "1"],
        ["round-robin", "rps-half", "uniform", "solved", "--games", "20", "--output", "out"],
        ["bounds", "phantom-ponnuki-2x2"],
        ["exploit", "kuhn", "uniform"],
        ["new", "mine.py"],
        ["check", "mine.py"],
        ["export-game", "kuhn", "--output", "kuhn.efg"],
        ["solve", "kuhn.efg"],
        ["diagnose", "pig-1"],
        ["doctor"],
        ["kriegspiel", "match", "greedy", "random", "--games", "2"],
    ]
    for found in outcomes(tmp_path, [*helps, *work]):
        assert found["code"] == 0 and "Traceback" not in found["err"], found


@pytest.mark.thorough
def test_a_narrow_locale_is_no_reason_to_fail(tmp_path):
    commands = [["show", "kriegspiel"], ["games"], ["show", "war"], ["explain", shipped_certificate("morra")]]
    narrow = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for found in outcomes(tmp_path, commands, **narrow):
        assert found["code"] == 0 and "Traceback" not in found["err"], found


@pytest.mark.thorough
def test_text_files_are_read_and_written_with_an_encoding():
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_bytes())):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute | ast.Name):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
            given = {keyword.arg for keyword in node.keywords}
            if name in TEXT_CALLS and isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) != LIMITED:
                assert "encoding" in given, f"{file}, line {node.lineno}"
            if "text" in given or "universal_newlines" in given:
                assert "encoding" in given or name not in ("run", "Popen"), f"{file}, line {node.lineno}"
