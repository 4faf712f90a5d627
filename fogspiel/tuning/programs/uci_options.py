"""Options of a chess engine: its report of them, checks of values and parameters, and a parameter file."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from ...games.chess.game import UciEngine
from .parameters import Parameter, Parameters

OPTION = re.compile(r"option name (.+?) type (spin|check|combo|string|button)\b(.*)")
FIELD = re.compile(r"\b(default|min|max|var)\b((?:(?!\b(?:default|min|max|var)\b).)*)")
SWITCH = {True: "true", False: "false"}
MAX_LISTED = 12
EMPTY = "<empty>"  # UCI's empty string


@dataclass(frozen=True)
class Option:
    name: str
    type: str
    default: str = ""
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        if self.type == "spin":
            limits = (str(end) if end is not None else "any" for end in (self.low, self.high))
            return f"a whole number, {' .. '.join(limits)}"
        return {"check": "true or false", "combo": f"one of {', '.join(self.choices)}", "string": "a text"}.get(
            self.type, "a button, which has no value"
        )

    def text(self, value: object) -> str:
        found = self._text(value)
        if found is None:
            raise ValueError(f"the option {self.name} cannot be set to {value!r}: it is {self.words}")
        return found

    def _text(self, value: object) -> str | None:
        if self.type == "check":
            return SWITCH[value] if isinstance(value, bool) else value if value in SWITCH.values() else None  # type: ignore[return-value]
        if self.type == "spin":
            return self._number_text(value)
        if self.type == "combo":
            same = [choice for choice in self.choices if choice.lower() == str(value).lower()]
            return same[0] if same else None
        if self.type != "string":
            return None
        words = (
            SWITCH[value] if isinstance(value, bool) else f"{value:.10g}" if isinstance(value, float) else str(value)
        )
        return (words or EMPTY) if words.isprintable() else None  # a line end would start another command

    def _number_text(self, value: object) -> str | None:
        try:
            number = float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else None
        except (ValueError, OverflowError):
            return None
        if number is None or not number.is_integer():
            return None
        fits = (self.low is None or number >= self.low) and (self.high is None or number <= self.high)
        return str(int(number)) if fits else None

    @property
    def can_be_tuned(self) -> bool:
        number = (
            self.type == "spin" and _whole(self.default) is not None and (self.low is None or self.low != self.high)
        )
        return number or self.type == "check" or (self.type == "combo" and len(self.choices) > 1)

    def table(self) -> dict[str, Any]:
        """Return a table of a parameter file that starts at the default, or raise a ValueError."""
        if self.type == "spin":
            start = _whole(self.default)
            limits = {"low": self.low, "high": self.high}
            known = {key: value for key, value in limits.items() if value is not None}
            if start is None:
                raise ValueError(f"the option {self.name} has no default: write its table by hand, with start")
            return {"start": start, **known, "whole": True}
        if self.type == "check":
            return {"start": self.default == "true", "choices": [False, True]}
        if self.type == "combo" and len(self.choices) > 1:
            return {"start": self.default, "choices": list(self.choices)}
        raise ValueError(f"the option {self.name} is {self.words}: only numbers, switches and choices can be tuned")


def _whole(words: str | None) -> int | None:
    try:
        return int(words) if words else None
    except ValueError:
        return None


def parse_option(line: str) -> Option | None:
    found = OPTION.fullmatch(" ".join(line.split()))
    if found is None:
        return None
    name, kind, rest = found.groups()
    fields = FIELD.findall(rest)
    single = {key: value.strip() for key, value in fields}
    choices = tuple(value.strip() for key, value in fields if key == "var")
    return Option(name, kind, single.get("default", ""), _whole(single.get("min")), _whole(single.get("max")), choices)


@dataclass(frozen=True)
class EngineOptions:
    name: str
    options: tuple[Option, ...]

    def __getitem__(self, name: str) -> Option:
        """Return the option of a name, ignoring case, or raise a ValueError with similar names."""
        for option in self.options:
            if option.name.lower() == name.lower():
                return option
        names = [option.name for option in self.options]
        near = get_close_matches(name.lower(), {known.lower(): known for known in names}, n=3)
        like = [known for known in names if known.lower() in near]
        meant = f"did you mean {' or '.join(like)}? " if like else ""
        listed = ", ".join(names[:MAX_LISTED]) + (", .." if len(names) > MAX_LISTED else "")
        raise ValueError(
            f"the engine {self.name} has no option {name[:60]!r}: {meant}it has {listed or 'no options at all'}"
        )

    @property
    def tunable(self) -> list[str]:
        """The names of those that a parameter file can have: numbers, switches and choices."""
        return [option.name for option in self.options if option.can_be_tuned]

    def texts(self, values: Mapping[str, object]) -> dict[str, str]:
        return {self[name].name: self[name].text(value) for name, value in values.items()}

    def demand(self, parameters: Parameters) -> None:
        """Raise a ValueError for parameters that the engine lacks, or whose values it may reject."""
        for member in parameters.members:
            _demand_fit(self[member.name], member)


def _demand_fit(option: Option, member: Parameter) -> None:
    if member.choices:
        for choice in member.choices:
            option.text(choice)
        return
    if option.type not in ("spin", "string"):
        raise ValueError(f"the parameter {member.name} is a number, but the option is {option.words}: give its choices")
    if option.type == "spin" and not member.whole:
        raise ValueError(f"the parameter {member.name} sets an option that is {option.words}: add whole = true")
    if option.type == "spin":
        for key, mine, theirs in (("low", member.low, option.low), ("high", member.high, option.high)):
            outside = mine is None or (theirs is not None and (mine < theirs if key == "low" else mine > theirs))
            if theirs is not None and outside:
                has = "no" if mine is None else f"{mine:g} as its"
                raise ValueError(f"the parameter {member.name} has {has} {key}, but the option is {option.words}")


def engine_options(engine: UciEngine) -> EngineOptions:
    names = [line.removeprefix("id name ") for line in engine.handshake if line.startswith("id name ")]
    found = (parse_option(line) for line in engine.handshake if line.startswith("option "))
    return EngineOptions(names[0] if names else engine.name, tuple(option for option in found if option))


def options_of(command: str | Sequence[str], patience: float = 10.0) -> EngineOptions:
    """Start an engine, read its identity and options, and end it."""
    engine = UciEngine(command, patience)
    try:
        return engine_options(engine)
    finally:
        engine.close()


def parameter_table(options: EngineOptions, names: Iterable[str]) -> str:
    """Return a parameter file for these options of an engine, with its defaults as `start`."""
    tables = []
    for name in names:
        option = options[name]
        # Strings, numbers, switches and lists of them are written alike in JSON and TOML.
        lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in option.table().items()]
        tables.append("\n".join([f"[{json.dumps(option.name, ensure_ascii=False)}]", *lines]))
    return "\n\n".join(tables) + "\n"
