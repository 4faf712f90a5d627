"""What users give is printed as text: square brackets and colons are no styles and no pictures."""

import io
import sys

import pytest
from rich.console import Console

from fogspiel.cli import console
from fogspiel.cli.work import resume_command

STRANGE = ["[bold]x[/bold]", "[/]", "[/nothing]", "[red", ":fire:", "{task.nothing}", "[link=file:///x]y"]


@pytest.fixture
def shown(monkeypatch):
    """What is printed on a terminal."""
    page = io.StringIO()
    terminal = Console(file=page, force_terminal=True, width=300, soft_wrap=True, markup=False, emoji=False)
    monkeypatch.setattr(console, "err", terminal)
    monkeypatch.setattr(console, "out", terminal)
    monkeypatch.setattr(console, "wide", terminal)
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


@pytest.mark.parametrize("words", STRANGE)
def test_the_consoles_take_nothing_for_markup(capsys, words):
    for printer in (console.out, console.err, console.wide):
        printer.print(words)
    told = capsys.readouterr()
    assert told.out == f"{words}\n{words}\n" and told.err == f"{words}\n"


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
