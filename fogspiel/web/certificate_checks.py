"""Certificates on the page: which run has one, and the question whether one holds, asked in a process of its own."""

import json

from ..core.find import spec_of
from ..runs.kind import kind_of
from ..runs.store import Json, Run
from ..solving.proofs.checkers.primitives import fraction
from .questions import FILE, Answer, Question

SECONDS, MEBIBYTES, GIBIBYTES = 120, 64, 2
"""The limits of a check: CPU time, the size of the file, memory."""
LONG = 40
"""Letters of a fraction from which on it is shown as a decimal number."""


def certificate_of(run: Run) -> Json | None:
    """The certificate of a run, if it has one."""
    return kind_of(run).certificate(run) if run.finished else None


def certificate_text(body: Json) -> str:
    """A certificate as its file has it."""
    return json.dumps(body, separators=(",", ":")) + "\n"


def check_question(content: bytes, game: str | None = None) -> Question:
    """The question whether a certificate holds; only the rules of a game that the user has brought are named."""
    words = spec_of(game) if game is not None else None
    rules = () if words is None else ("--game", words.absolute)
    limits = ("--time", str(SECONDS), "--size", str(MEBIBYTES), "--memory", str(GIBIBYTES))
    return Question(("verify", "--json", *limits, *rules, "--", FILE), content)


def check_words(answer: Answer) -> str:
    """How far a check is, or what came of it, in a sentence."""
    if answer.state == "refused":
        return f"Refused: {answer.sentence}"
    if answer.facts is None:
        return "The certificate is being checked by the rules of the game alone .."
    facts = answer.facts
    lower, upper = number_words(facts["lower"]), number_words(facts["upper"])
    value = f"is exactly {lower}" if facts["exact"] else f"is between {lower} and {upper}"
    spent = f"{facts['cpu_seconds']:.2f} CPU seconds"
    return f"Valid: the value of {facts['game']} {value}, proved by its two strategies (checked in {spent})."


def number_words(text: str) -> str:
    """A fraction as people read it: the first digits of a long one."""
    number = fraction(text, "a bound")
    if len(text) > LONG:
        return f"{float(number):.9g}.."
    return text if number.denominator == 1 else f"{text} = {float(number):.9g}"
