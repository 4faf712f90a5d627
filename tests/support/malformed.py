"""Command lines that are wrong in every way: generated from the commands and their options by a seed."""

import random

import typer

from fogspiel import cli
from fogspiel.cli.app import app

WORDS = [
    "", " ", "-", "--", "---", "-1", "0", "1e999", "nan", "-inf", "9" * 400, "0x10", "1/0", "٣", "kuhn", "pig", "war",
    "no-such-game", "pig-1", "pig-999999999999", "../../etc/passwd", "/dev/null", "/", ".", "~", "x.json", "x.csv",
    "x.jsonl", "x.efg", "x.nfg", "x.py", "x.py:f", ":", "openspiel:", "openspiel:nothing(", "[bold]", "[/]", "[red",
    "{0}", "{task.x}", "%s%n", "\x1b[31m", "\x00", "\n", "é♠", "\udcff", "a" * 300, "a/" * 300, "1,2,3", "1,,", "[1,2",
    "uniform", "fixed", "redrawn", "solved", "first", "second", "auto", "lp", "json", "csv", "rps", "rps-half",
    "greedy", "greedy@x", "C:none", "--json", "--help=1", "--store", "--seed=x", "--games=-5", "--game=x.py", "SIGKILL",
]  # fmt: skip
RIGHT = """
match pig hold20 uniform --games 10 --threads 1
match kuhn uniform uniform --exact
solve rps --method lp
solve x.efg --memory 1
verify x.json --seconds 1
explain x.json
explain pig hold20
exploit kuhn uniform --worst 2
exploit kuhn x.json --missing uniform
tune pig --games 50 --report-games 20 --method naive --threads 1
runs
export pig-1 --format csv
resume pig-1
bounds phantom-ponnuki-2x2 --seconds 0.01
round-robin rps uniform x.csv --games 2
states kuhn --output out.jsonl
check x.py
new y.py
export-game kuhn --output y.efg
diagnose pig-1
values kuhn --verify
show pig --seed 3
games --json
kriegspiel match greedy random --games 1
kriegspiel show pig-1
doctor
"""
"""Command lines that are right, or would be if the files were."""
LONG_WORK = {"web", "tour", "play", "learn"}
"""Commands that wait or work for long if they are given what is right."""


def commands() -> list[tuple[list[str], list[str]]]:
    """The words of every command with its options."""
    cli.load_commands([])
    found = []

    def look(command, words):
        inner = getattr(command, "commands", None)
        options = [name for parameter in command.params for name in parameter.opts if name.startswith("-")]
        found.append((words, options))
        for name in inner or ():
            look(inner[name], [*words, name])

    look(typer.main.get_command(app), [])
    return found


def spoil(source: random.Random, line: list[str]) -> list[str]:
    """A right command line with one or two words changed, dropped, doubled, or added."""
    for _ in range(source.randint(1, 2)):
        at = source.randrange(1, len(line) + 1)
        new = source.choice(([], [source.choice(WORDS)], [source.choice(WORDS)], line[at : at + 1] * 2))
        line = [*line[:at], *new, *line[at + source.randint(0, 1) :]]
    return line


def malformed(seed: int, count: int) -> list[list[str]]:
    """So many command lines, nearly all of them wrong: by chance, and by small changes of right ones."""
    source, known, lines = random.Random(seed), commands(), []
    while len(lines) < count:
        if source.random() < 0.5:
            lines.append(spoil(source, source.choice(RIGHT.strip().splitlines()).split()))
            continue
        words, options = source.choice(known)
        line = list(words)
        for _ in range(source.randrange(5)):
            line.append(source.choice(WORDS))
        for _ in range(source.randrange(4)):
            if options:
                line.append(source.choice(options))
                if source.random() < 0.7:
                    line.append(source.choice(WORDS))
        source.random() < 0.2 and source.shuffle(line)
        if not {"--help", "--version"} & set(line):
            line.insert(source.randint(len(words), len(line)) if words == line[: len(words)] else 0, "--no-such-option")
            source.random() < 0.5 and line.remove("--no-such-option")
        if not LONG_WORK & set(line) or "--no-such-option" in line:
            lines.append(line)
    return lines
