"""Shared parts of the checkers: refusal of a certificate, and the reading of its head, digest and fractions."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from math import inf, lcm
from time import monotonic, process_time
from typing import Any, TypedDict

Body = Mapping[str, Any]  # a certificate as JSON has it, which may be anything else
Bounds = tuple[Fraction, Fraction]  # what the first player gets at least by one strategy, and at most by the other


class Certificate(TypedDict):
    """Common content of the certificates of all formats; fractions are text."""

    format: str
    game: str
    lower: str
    upper: str
    digest: str  # of all the rest


class SolutionCertificate(Certificate):
    """A certificate that also names a value between its bounds, and the version of the rules."""

    rules: int | str
    value: str


SHOWN = 40  # how many characters of something wrong are quoted
FRACTION = re.compile(r"(0|-?[1-9][0-9]*)(?:/([1-9][0-9]*))?")
# Digits that Python turns into a number at once, and characters that a fraction may have.
SHORT, LONGEST = 4000, 100_000


def quoted(thing: object) -> str:
    """Something wrong, fit for a sentence: a long number is not even written down."""
    if isinstance(thing, Fraction):
        digits = max(abs(thing.numerator), thing.denominator).bit_length() * 3 // 10
        return str(thing) if digits < SHOWN else f"a fraction of some {digits:,} digits"
    if isinstance(thing, str):
        return repr(thing if len(thing) <= SHOWN else thing[: SHOWN - 2] + "..")
    return repr(thing)[:SHOWN] if isinstance(thing, int | float | bool | None) else f"a {type(thing).__name__}"


def refusal(sentence: str) -> ValueError:
    """The error that a certificate proves nothing."""
    return ValueError(f"the certificate is not valid: {sentence}")


def demand(condition: object, sentence: str) -> None:
    """Refuse the certificate unless the condition holds."""
    if not condition:
        raise refusal(sentence)


def check_head(body: Any, keys: Iterable[str], wanted: str) -> None:
    """Demand exactly these keys, and this format."""
    listed = sorted(keys)
    demand(isinstance(body, dict) and sorted(map(str, body)) == listed, f"it must have exactly the keys {listed}")
    demand(body["format"] == wanted, f"its format is {quoted(body['format'])}, not {wanted!r}")


def digest_of(body: Mapping[str, object]) -> str:
    """The digest of everything in a certificate but the digest."""
    rest = {key: value for key, value in body.items() if key != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def check_digest(body: Mapping[str, object]) -> None:
    """Demand the digest that fits."""
    demand(body["digest"] == digest_of(body), "it was changed after it was written (its digest does not fit)")


def fraction(text: Any, what: str) -> Fraction:
    """A fraction in the one way it is written: in lowest terms, without blanks; its form is looked at first."""
    go_on()
    found = FRACTION.fullmatch(text) if isinstance(text, str) and len(text) <= LONGEST else None
    number = Fraction(_whole(found[1]), _whole(found[2] or "1")) if found else None
    if found is None or number is None or number.denominator != _whole(found[2] or "1") or found[2] == "1":
        raise refusal(f"{what} is {quoted(text)}, not a fraction in lowest terms")
    return number


def _whole(digits: str) -> int:
    """A whole number of any length: Python itself refuses long ones."""
    if len(digits) <= SHORT:
        return int(digits)
    half = len(digits) // 2
    head, tail = _whole(digits[:-half]), _whole(digits[-half:])
    power: int = 10**half
    return head * power + (-tail if digits[0] == "-" else tail)


def probability(text: Any, what: str) -> Fraction:
    """A fraction from 0 to 1."""
    number = fraction(text, what)
    demand(0 <= number <= 1, f"{what} is {quoted(text)}, not between 0 and 1")
    return number


def total(numbers: Iterable[Fraction]) -> Fraction:
    """The sum, which may grow long if the denominators have nothing in common."""
    found = Fraction(0)
    for number in numbers:
        go_on()
        found += number
    return found


def common_denominator(numbers: Iterable[Fraction]) -> int:
    """The least common multiple of the denominators, which may grow long as well."""
    found = 1
    for number in numbers:
        go_on()
        found = lcm(found, number.denominator)
    return found


# The work that a check may take


MOST_SECONDS = 600.0  # CPU seconds for one certificate unless the user grants more; the longest that we ship takes 63
# When the work must end at the earliest, and the CPU time at which it must end.
_ends: ContextVar[tuple[float, float]] = ContextVar("_ends", default=(inf, inf))


@contextmanager
def limit_work(seconds: float) -> Iterator[None]:
    """Let the checks inside take so many CPU seconds and no more."""
    before = _ends.set((monotonic() + seconds, process_time() + seconds))
    try:
        yield
    finally:
        _ends.reset(before)


def go_on() -> None:
    """Refuse a certificate whose check takes more work than it may; to be called in everything that repeats."""
    soonest, end = _ends.get()
    if monotonic() > soonest and process_time() > end:  # CPU time takes five times as long to ask for
        raise refusal(
            "checking it takes more CPU time than it may; if you trust where it is from, grant more by --time"
        )
