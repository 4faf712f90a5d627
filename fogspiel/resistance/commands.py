"""Commands of The Resistance."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from ..cli.app import EXAMPLES, SOLVE, AsJson, Stop, StorePath, app, asking, warn_of_former
from ..cli.console import print_json
from ..cli.execute import RunOptions, print_run, start_run
from .requests import BalanceRequest

EXAMPLES["balance resistance"] = (SOLVE, "balance resistance --players 7")
NUMBERS = ("--missions", "--spies", "--fails")  # options of a variant, whose name contains these numbers too


def vary_words(words: list[str]) -> list[str]:
    """Return the arguments of a command with a variant's name in place of the options that give its numbers."""
    from .game import vary

    given, left, rest = dict[str, str](), list[str](), iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if name in NUMBERS:
            given[name] = value if equals else next(rest, "")
        else:
            left.append(word)
    plain = [place for place, word in enumerate(left) if not word.startswith("-")]
    if not given or not plain:
        return words
    missions, spies, fails = map(given.get, NUMBERS)
    if spies is not None and not spies.lstrip("-").isdecimal():
        raise ValueError(f"--spies is {spies[:80]!r}: it must be a whole number")
    place = next((one for one in plain if left[one].startswith("resistance")), plain[0])
    left[place] = vary(left[place], missions, None if spies is None else int(spies), fails)
    warn_of_former(", ".join(given), left[place])
    return left


REWRITE = {"solve": vary_words, "explain": vary_words}


def show_rules(seed: int) -> Iterator[str]:
    from ..solving.known_values import find_known, verify_shipped
    from .explain import rule_lines, teams_line
    from .game import SETUPS
    from .orbits import team_rule

    setup = SETUPS[TOUR_PLAYERS]
    lower, _ = verify_shipped(find_known(f"resistance{TOUR_PLAYERS}"))
    wins = (lower + 1) / 2
    teams = f"{TOUR_PLAYERS} players, {setup.spies} of them spies"
    yield f"{teams}: the resistance wins {wins} of the games, proved just now."
    yield "The resistance. " + teams_line(setup, team_rule(setup).teams)
    yield "The spies. " + " ".join(rule_lines(setup, wins)[:2])


TOUR_PLAYERS = 7
TOUR = {"resistance": Stop("The Resistance: an optimal rule of one sentence for each team", 1, show_rules)}

# fogspiel balance.


@app.command("balance resistance")
@asking(BalanceRequest)
def balance(
    asked: dict[str, Any],
    certificates: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Write a certificate of each.")] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Sweep the mission tables of The Resistance and print those that are nearest to fair, with exact values.

    All tables of five missions, with and without a star on the fourth, or with --fails those that take these sabotages.
    """
    from ..cli import console
    from ..solving.proofs import write_certificate
    from .certificate import solve
    from .kinds import outcome_of, tables_of

    began, files, options = time.process_time(), dict[str, str](), RunOptions(store, as_json)
    run = start_run(BalanceRequest(**asked).to_json(), options, once=True)
    if certificates is not None:
        tables = tables_of(run.result or {})
        with console.progress("certificates") as bar:
            for number, table in enumerate(tables):
                bar.show(number / len(tables), table.name, None)
                files[table.name] = str(certificates / f"{table.name}.json")
                write_certificate(solve(table.setup), Path(files[table.name]))
    if as_json:
        return print_json(outcome_of(run, files, time.process_time() - began))
    print_run(run, options)
    if files:
        console.out.print(f"{len(files)} certificates in {certificates}; check one with: fogspiel verify FILE")
    return None
