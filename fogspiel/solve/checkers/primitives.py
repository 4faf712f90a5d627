"""What all checkers share: how a certificate is refused, and how its head, its digest and its fractions are read."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, TypedDict

Body = Mapping[str, Any]
"""A certificate as JSON has it, which may be anything else."""
Bounds = tuple[Fraction, Fraction]
"""What the first player gets at least by one strategy, and at most by the other."""


class Certificate(TypedDict):
    """What the certificates of all formats have; fractions are text."""

    format: str
    game: str
    lower: str
    upper: str
    digest: str
    """Of all the rest."""


class SolutionCertificate(Certificate):
    """A certificate that also names a value between its bounds, and the version of the rules."""

    rules: int | str
    value: str


SHOWN = 40
"""How many characters of something wrong are quoted."""


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
    demand(body["format"] == wanted, f"its format is {str(body['format'])[:SHOWN]!r}, not {wanted!r}")


def digest_of(body: Mapping[str, object]) -> str:
    """The digest of everything in a certificate but the digest."""
    rest = {key: value for key, value in body.items() if key != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def check_digest(body: Mapping[str, object]) -> None:
    """Demand the digest that fits."""
    demand(body["digest"] == digest_of(body), "it was changed after it was written (its digest does not fit)")


def fraction(text: Any, what: str) -> Fraction:
    """A fraction in the one way it is written: in lowest terms, without blanks."""
    try:
        number = Fraction(text) if isinstance(text, str) else None
    except (ValueError, ZeroDivisionError):
        number = None
    if number is None or str(number) != text:
        raise refusal(f"{what} is {str(text)[:SHOWN]!r}, not a fraction in lowest terms")
    return number


def probability(text: Any, what: str) -> Fraction:
    """A fraction from 0 to 1."""
    number = fraction(text, what)
    demand(0 <= number <= 1, f"{what} is {text}, not between 0 and 1")
    return number
