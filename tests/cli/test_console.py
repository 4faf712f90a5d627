"""What users give is printed as text: square brackets and colons are no styles and no pictures."""

import io
import sys

import pytest
from rich.console import Console

from fogspiel.cli import console
from fogspiel.cli.commands.solve import SPARE
from fogspiel.cli.execute import resume_command
from fogspiel.core.agents import policy_names
from fogspiel.core.game import list_games
from fogspiel.solving.known_values import COLUMNS, known_values

STRANGE = ["[bold]x[/bold]", "[/]", "[/nothing]", "[red", ":fire:", "{task.nothing}", "[link=file:///x]y"]


@pytest.fixture
def shown(monkeypatch):
    """What is printed on a terminal."""
    page = io.StringIO()
    terminal = Console(file=page, force_terminal=True, width=300, soft_wrap=True, markup=False, emoji=False)
    monkeypatch.setattr(console, "err", terminal)
    monkeypatch.setattr(console, "out", terminal)
    return page


@pytest.mark.parametrize("words", STRANGE)
def test_lines_tables_bars_and_remarks_show_what_they_are_given(shown, words):
    console.table(words, [words], [[words]])
    assert shown.getvalue().count(words) == 3
    with console.progress(words) as bar:
        bar.show(0.5, words, 10)
    with console.status(words) as say:
        say(words)
    assert shown.getvalue().count(words) > 3


def print_at(width, monkeypatch, *table):
    """A table as a terminal of this width shows it."""
    page = io.StringIO()
    terminal = Console(file=page, force_terminal=True, color_system=None, width=width, soft_wrap=True, markup=False)
    monkeypatch.setattr(console, "out", terminal)
    console.table(*table)
    return page.getvalue()


GAMES = [(game.name, game.title, 3, ", ".join(policy_names(game))) for game in list_games().values()]


def test_no_table_breaks_a_name_at_eighty_columns(monkeypatch):
    shown = print_at(80, monkeypatch, "Games", ("name", "title", "parameters", "players"), GAMES)
    assert max(map(len, shown.splitlines())) <= 80
    assert {row[0] for row in GAMES} <= set(shown.split())
    assert {word for row in GAMES for word in row[3].split()} <= set(shown.split())
    rows = [known.row() for known in known_values().values()]
    shown = print_at(80, monkeypatch, "Values", COLUMNS, rows, SPARE)
    assert max(map(len, shown.splitlines())) <= 80 and {row[0] for row in rows} <= set(shown.split())


def test_a_table_that_does_not_fit_is_told_row_by_row(monkeypatch):
    shown = print_at(30, monkeypatch, "T", ("name", "long", "none"), [("a-name-of-some-length", "x" * 25, "")])
    assert shown.splitlines() == ["T", "a-name-of-some-length", f"  long: {'x' * 25}"]


def test_where_stdout_is_no_terminal_a_row_is_a_line_without_frames(capsys):
    console.table("Games", ("name", "title", "parameters", "players"), GAMES)
    title, head, *lines = capsys.readouterr().out.splitlines()
    assert title == "Games" and head.split() == ["name", "title", "parameters", "players"] and len(lines) == len(GAMES)
    assert all(line.startswith(row[0]) and line.endswith(row[3]) for line, row in zip(lines, GAMES, strict=True))


@pytest.mark.parametrize("words", STRANGE)
def test_the_consoles_take_nothing_for_markup(capsys, words):
    for printer in (console.out, console.err):
        printer.print(words)
    told = capsys.readouterr()
    assert told.out == f"{words}\n" and told.err == f"{words}\n"


def test_a_store_in_a_folder_with_brackets_is_named_as_it_is(tmp_path, fogspiel):
    store = tmp_path / "[bold] [/x]" / "runs.db"
    told = fogspiel("runs", "--store", store)
    assert told.returncode == 0 and str(store) in told.stdout.replace("\n", "")
    made = fogspiel("solve", "rps", "--store", store)
    assert made.returncode == 0 and "[bold] [/x]" in made.stdout
    assert "[bold] [/x]" in " ".join(fogspiel("runs", "--store", store).stdout.split())
    again = fogspiel("resume", "rps-1", "--store", store)
    assert again.returncode == 0 and "rps-1 is finished" in again.stderr
    assert str(store) in resume_command("rps-1", store)


def test_a_remark_comes_now_and_then_where_stderr_is_no_terminal(monkeypatch, capsys):
    now = [0.0]
    monkeypatch.setattr(console.time, "monotonic", lambda: now[0])
    with console.progress("[run]") as bar:
        for second in range(100):
            now[0] = float(second)
            bar.show(None, f"at {second}", None)
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["[run]: at 30", "[run]: at 60", "[run]: at 90"]
    assert sys.stderr is not None
