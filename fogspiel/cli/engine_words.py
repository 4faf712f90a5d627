"""Engines at the command line: what names one for tuning, and under which conditions it plays."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

PANEL = "Engines"
GAMES = "Openings from an EPD or PGN file instead of the built-in ones."
RULES = "When a game is decided: resign=1000x3,draw=10x8@40,longest=600, or none."


@dataclass(frozen=True)
class EngineWords:
    """What a run of an engine is named by, when it begins and whenever it goes on."""

    uci: Annotated[
        str | None,
        typer.Option(metavar="COMMAND", help="A chess engine, whose options are tuned.", rich_help_panel=PANEL),
    ] = None
    uci_opponent: Annotated[
        str | None,
        typer.Option(metavar="COMMAND", help="An engine to play against, instead of itself.", rich_help_panel=PANEL),
    ] = None
    kriegspiel: Annotated[
        str | None,
        typer.Option(metavar="ENGINE", help="C or hs: our engine, whose constants are tuned.", rich_help_panel=PANEL),
    ] = None
    openings: Annotated[Path | None, typer.Option(metavar="FILE", help=GAMES, rich_help_panel=PANEL)] = None
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A fixed option of the engine.", rich_help_panel=PANEL),
    ] = None
    opponent_option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A fixed option of the opponent.", rich_help_panel=PANEL),
    ] = None
    pgn: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Add the games to this file.", rich_help_panel=PANEL)
    ] = None

    @property
    def beside(self) -> list[str]:
        """What is named beside the engine, a word each."""
        single = {"uci-opponent": self.uci_opponent, "openings": self.openings}
        words = [f"--{name}={value}" for name, value in single.items() if value is not None]
        words += [f"--option={setting}" for setting in self.option or ()]
        return words + [f"--opponent-option={setting}" for setting in self.opponent_option or ()]


@dataclass(frozen=True)
class EngineLimits(EngineWords):
    """The conditions of the games, which a run keeps."""

    nodes: Annotated[int | None, typer.Option(min=1, help="Nodes per move.", rich_help_panel=PANEL)] = None
    movetime: Annotated[
        int | None, typer.Option(min=1, metavar="MS", help="Milliseconds per move.", rich_help_panel=PANEL)
    ] = None
    depth: Annotated[int | None, typer.Option(min=1, help="Plies to search per move.", rich_help_panel=PANEL)] = None
    clock: Annotated[
        str | None,
        typer.Option(metavar="BASE+INC", help="Seconds per game and move, as 8+0.08.", rich_help_panel=PANEL),
    ] = None
    opening_plies: Annotated[
        int | None, typer.Option(min=1, help="Plies of each game of a PGN file (16).", rich_help_panel=PANEL)
    ] = None
    random_plies: Annotated[
        int | None, typer.Option(min=0, help="Plies drawn by the seed after an opening.", rich_help_panel=PANEL)
    ] = None
    adjudicate: Annotated[str | None, typer.Option(metavar="RULES", help=RULES, rich_help_panel=PANEL)] = None
    seed_option: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The option by which the engine takes a seed.", rich_help_panel=PANEL),
    ] = None

    def facts(self, sort: str) -> dict[str, Any]:
        """The conditions that are given, as a run of this sort of program keeps them."""
        names = ("nodes", "movetime", "depth", "clock", "opening_plies", "random_plies", "adjudicate", "seed_option")
        values = (
            self.nodes, self.movetime, self.depth, self.clock,
            self.opening_plies, self.random_plies, self.adjudicate, self.seed_option,
        )  # fmt: skip
        given: dict[str, Any] = {name: value for name, value in zip(names, values, strict=True) if value is not None}
        if sort == "kriegspiel" and "movetime" in given:
            given["time"] = given.pop("movetime") / 1000
        allowed = {"uci": names, "kriegspiel": ("nodes", "time")}.get(sort, ())
        for name in given:
            if name not in allowed:
                raise ValueError(f"--{name.replace('_', '-')} is not for --{sort}: leave it out")
        return given
