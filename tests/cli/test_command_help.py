"""What `--help` shows: every command in its group, with an example that the command line takes."""

import shlex
import subprocess
import sys

import pytest
import typer

from fogspiel.cli import load_commands
from fogspiel.cli.app import EXAMPLES, app

load_commands([])
COMMANDS = typer.main.get_command(app)


def words_of_commands(group=COMMANDS, before=""):
    for name, command in group.commands.items():
        yield before + name
        if hasattr(command, "commands"):
            yield from words_of_commands(command, f"{before}{name} ")


def test_every_command_has_an_example_and_every_example_a_command():
    assert set(words_of_commands()) == set(EXAMPLES)


@pytest.mark.parametrize("words", EXAMPLES)
def test_examples_are_taken_by_the_command_line(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").touch()  # files that are not there are refused while words are read
    example = EXAMPLES[words][1]
    assert f"{example} ".startswith(f"{words} ")
    left, command = shlex.split(example), COMMANDS
    while hasattr(command, "commands") and left and left[0] in command.commands:
        command, left = command.commands[left[0]], left[1:]
    own = f"{command.name} {left[0]}" if left else ""  # a command that a slice has for one game
    COMMANDS.commands.get(own, command).make_context("fogspiel", left)


def test_no_arguments_give_help_and_no_error():
    for words in ([], ["kriegspiel"]):
        done = subprocess.run([sys.executable, "-m", "fogspiel.cli", *words], capture_output=True, text=True)
        assert done.returncode == 0 and "Usage" in done.stdout and not done.stderr


@pytest.mark.thorough
def test_names_are_whole_at_eighty_columns(monkeypatch):
    done = subprocess.run(
        [sys.executable, "-m", "fogspiel.cli", "--help"], capture_output=True, text=True, env={"COLUMNS": "80"}
    )
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert all(f" {words} " in done.stdout for words in EXAMPLES if " " not in words)


NO_JSON = {"kriegspiel engine"}
"""It speaks the protocol of docs/kriegspiel-protocol.md on stdout."""


@pytest.mark.parametrize("words", EXAMPLES)
def test_every_command_has_json(words):
    command = COMMANDS.commands.get(words, COMMANDS)  # "balance resistance" is one command
    for word in words.split() if command is COMMANDS else ():
        command = command.commands[word]
    if not hasattr(command, "commands"):
        found = {option for parameter in command.params for option in parameter.opts}
        assert ("--json" in found) != (words in NO_JSON)
