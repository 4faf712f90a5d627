"""Pages of the site that are made: the commands, as they describe themselves, and the files beside this folder."""

import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
BESIDE = {"CONTRIBUTING.md": "contributing.md", "SECURITY.md": "reporting.md", "CHANGELOG.md": "changes.md"}
"""Files of the repository, and the pages that they become."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made."""
    files.append(File.generated(config, "reference-commands.md", content=commands_page()))
    files.append(File.generated(config, "rules.md", content=rules_page()))
    for name, page in BESIDE.items():
        text = relinked((ROOT / name).read_text(encoding="utf-8"))
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Let pages of this folder link to the files beside it."""
    for name, page in BESIDE.items():
        markdown = markdown.replace(f"](../{name}", f"]({page}")
    return markdown


def relinked(text: str) -> str:
    """A file of the repository with its links as they are from this folder."""
    text = re.sub(r"\]\(docs/", "](", text)
    for name, page in BESIDE.items():
        text = text.replace(f"]({name}", f"]({page}")
    return text


@cache
def commands_page() -> str:
    """All commands with their arguments, options and examples."""
    import typer

    from fogspiel.cli import load_commands
    from fogspiel.cli.app import app

    with patch.object(sys, "argv", ["fogspiel", "--help"]):  # lists of methods are made for who asks
        load_commands([])
    lines = ["# Commands", "", "Made from the commands themselves: what `fogspiel COMMAND --help` says."]
    return "\n".join([*lines, *described(typer.main.get_command(app), "fogspiel")]) + "\n"


@cache
def rules_page() -> str:
    """The rules of every game, for first-time players, by category and family."""
    from fogspiel.core.game import how_to_play, list_games

    families: dict[tuple[str, tuple[str, ...]], list[Any]] = {}
    for game in list_games().values():
        families.setdefault((game.category, how_to_play(game)), []).append(game)
    lines = ["# Rules of the games", "", "Made from the games themselves: what `fogspiel show GAME` prints."]
    for category in sorted({category for category, _ in families}):
        lines += ["", f"## {category}"]
        for (_, rules), games in (entry for entry in families.items() if entry[0][0] == category):
            lines += ["", f"### {in_markdown(games[0].title)}", ""]
            lines += [f"Play it: `fogspiel play {games[0].name}`", "", *(f"- {in_markdown(rule)}" for rule in rules)]
            others = [f"`{game.name}`" for game in games[1:]]
            lines += ["", f"By the same rules: {', '.join(others)}."] if others else []
    return "\n".join(lines) + "\n"


def described(command: Any, words: str) -> Iterator[str]:
    """The sections of a command and of those below it."""
    yield from ("", f"## {words}", "", in_markdown(command.help or ""))
    yield from table("argument", (row for row in map(parameter_row, command.params) if row[0].isupper()))
    yield from table("option", (row for row in map(parameter_row, command.params) if not row[0].isupper()))
    if command.epilog:
        example, *rest = command.epilog.split("\n\n")
        if example.startswith("Example: "):
            yield from ("", "```sh", example.removeprefix("Example: "), "```")
        else:
            rest = [example, *rest]
        for paragraph in rest:
            title = paragraph.endswith(":")
            yield from ("", in_markdown(paragraph), "") if title else (f"- {in_markdown(paragraph)}",)
    for name, inner in getattr(command, "commands", {}).items():
        if not inner.hidden:
            yield from described(inner, f"{words} {name}")


def parameter_row(parameter: Any) -> tuple[str, str, str]:
    """An argument or option: its words, its default, what it does."""
    if parameter.param_type_name == "argument":
        words = str(parameter.metavar or parameter.name).upper()
    else:
        words = ", ".join([*parameter.opts, *parameter.secondary_opts])
    default = parameter.default
    shown = "" if default in (None, False, (), "") or callable(default) else str(getattr(default, "value", default))
    return words, shown, in_markdown(parameter.help or "")


def table(title: str, rows: Iterator[tuple[str, str, str]]) -> Iterator[str]:
    """A table of parameters, or nothing where there are none."""
    found = [f"| `{words}` | {f'`{default}`' if default else ''} | {help} |" for words, default, help in rows]
    if found:
        yield from ("", f"| {title} | default | |", "|---|---|---|", *found)


def in_markdown(text: str) -> str:
    """A text of a command as Markdown would have it: nothing in it is a table, a tag or a reference."""
    for sign in "|<>[]":
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())
