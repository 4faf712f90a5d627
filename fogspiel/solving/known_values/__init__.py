"""Games with known values: the value, its certificate, its first publication, and our contribution.

The index and the certificates, unless they are large, are stored in this folder. Reading them needs the standard
library only; `verify_shipped` checks a certificate by the rules.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Self

from ...core.untrusted_input import JsonRecord
from ..proofs.checkers.primitives import Bounds

FOLDER = Path(__file__).parent
INDEX = FOLDER / "index.json"
POINTS, SIGNS = "win 1, draw 1/2, loss 0", "win 1, draw 0, loss -1"  # the payoffs of games that are won, drawn or lost
COLUMNS = ("game", "value", "win 1, loss -1", "certificate", "first published", "ours")
DIGITS = 12  # fractions too long for a table cell are shown with this many digits
ROOM = 24

SIMPLE = 20  # denominators up to which people read a fraction


@dataclass(frozen=True)
class CertificateRecord(JsonRecord):
    """Index entry of a certificate; `file` is its name if it is shipped."""

    KEYS = ("digest", "bytes", "file", "playable")

    digest: str
    bytes: int
    file: str | None
    playable: bool = True  # true if it holds strategies that can be played; a proof of bounds does not


@dataclass(frozen=True)
class KnownValue:
    """Known value of one game; values are the first player's, in the game's own payoffs."""

    game: str
    lower: Fraction
    upper: Fraction
    payoffs: str
    certificate: CertificateRecord | None
    make: str | None  # the command that computes the value, and writes the certificate if there is one
    check: str | None  # the command that checks the certificate
    published: str  # who published the value first, as far as we know
    ours: str
    # Values of the game after some first moves, which have no separate certificates.
    openings: Mapping[str, Fraction]

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Self:
        try:
            certificate = body["certificate"]
            return cls(
                **{name: body[name] for name in ("game", "payoffs", "make", "check", "published", "ours")},
                lower=Fraction(body["lower"]),
                upper=Fraction(body["upper"]),
                certificate=None if certificate is None else CertificateRecord.from_json(certificate),
                openings={move: Fraction(value) for move, value in body.get("openings", {}).items()},
            )
        except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
            raise ValueError(f"an entry of the known values is damaged ({error!r}): install again") from None

    def to_json(self) -> dict[str, Any]:
        signed = self.signed
        return {
            "game": self.game,
            "value": None if self.value is None else str(self.value),
            "lower": str(self.lower),
            "upper": str(self.upper),
            "payoffs": self.payoffs,
            "signed": None if signed is None else [str(bound) for bound in signed],
            "certificate": None if self.certificate is None else self.certificate.to_json(),
            "make": self.make,
            "check": self.check,
            "published": self.published,
            "ours": self.ours,
            "openings": {move: str(value) for move, value in self.openings.items()},
        }

    @property
    def value(self) -> Fraction | None:
        return self.lower if self.lower == self.upper else None

    @property
    def signed(self) -> Bounds | None:
        """The bounds if a win counts 1 and a loss -1, for games that are won, drawn or lost."""
        if self.payoffs == POINTS:
            return 2 * self.lower - 1, 2 * self.upper - 1
        return (self.lower, self.upper) if self.payoffs == SIGNS else None

    @property
    def shares(self) -> Bounds | None:
        """The bounds of the first player's share of wins, a draw counting half, for the same games."""
        signed = self.signed
        return None if signed is None else ((1 + signed[0]) / 2, (1 + signed[1]) / 2)

    @property
    def words(self) -> str:
        """The value in plain words: who wins, and how often or how much."""
        if self.shares is not None:
            return share_words(*self.shares)
        return f"Worth {words_of(self.lower, self.upper)}" if self.value is None else point_words(self.value)

    @property
    def shipped(self) -> Path | None:
        file = self.certificate.file if self.certificate else None
        return FOLDER / file if file else None

    def row(self) -> tuple[str, ...]:
        signed = "" if self.signed is None else words_of(*self.signed)
        proof = "none"
        if self.certificate is not None:
            proof = f"{self.certificate.bytes / 1000:,.1f} kB" + ("" if self.certificate.file else ", not shipped")
        return self.game, words_of(self.lower, self.upper), signed, proof, self.published, self.ours

    def lines(self) -> list[str]:
        worth = interval_words(self.lower, self.upper)
        lines = [f"{self.game} is worth {worth} to the first player", f"payoffs: {self.payoffs}"]
        if self.signed is not None and self.payoffs != SIGNS:
            lines += [f"with {SIGNS}: {interval_words(*self.signed)}"]
        lines += [f"opening {move}: {value}" for move, value in self.openings.items()]
        lines += [f"first published: {self.published}", f"ours: {self.ours}"]
        if self.certificate is not None:
            lines += [f"certificate: {self.shipped or 'not shipped'} ({self.certificate.bytes:,} bytes)"]
            lines += [f"its digest: {self.certificate.digest}"]
        commands = {"make it": self.make, "check it": self.check}
        return lines + [f"{what}: {command}" for what, command in commands.items() if command]


def words_of(lower: Fraction, upper: Fraction) -> str:
    """Format a value or an interval for tables; `..` marks digits left out."""
    return short(lower) if lower == upper else f"{short(lower)} to {short(upper)}"


def interval_words(lower: Fraction, upper: Fraction) -> str:
    return f"exactly {lower}" if lower == upper else f"between {lower} and {upper}"


def short(number: Fraction) -> str:
    text = str(number)
    if len(text) <= ROOM:
        return text
    whole = abs(number.numerator) * 10**DIGITS // number.denominator
    sign = "-" if number < 0 else ""
    return f"{sign}{whole // 10**DIGITS}.{whole % 10**DIGITS:0{DIGITS}}.."


@cache
def _index() -> tuple[KnownValue, ...]:
    try:
        entries = json.loads(INDEX.read_text(encoding="utf-8"))["values"]
    except (OSError, ValueError, KeyError) as error:
        raise ValueError(f"the index of known values, {INDEX}, cannot be read ({error}): install again") from None
    return tuple(KnownValue.from_json(entry) for entry in entries)


def known_values() -> dict[str, KnownValue]:
    """Return every game whose value is known or bounded by a proof, by its name in the catalogue."""
    return {known.game: known for known in _index()}


SEATS = "The first player", "The second player"
NEAR = Fraction(1, 50)  # shares this close to one half are called almost fair


def share_words(lower: Fraction, upper: Fraction, names: Sequence[str] = SEATS) -> str:
    """Return bounds of the first player's share of wins (a draw counts half) in plain words."""
    if lower < Fraction(1, 2) < upper:
        return "Neither side can force a win" if lower > 0 and upper < 1 else "Nobody knows who wins"
    ahead, least = (0, lower) if lower + upper > 1 else (1, 1 - upper)
    if lower == upper == Fraction(1, 2):
        return "The game is fair"
    if least == 1:
        return f"{names[ahead]} always wins"
    simple = least.denominator <= SIMPLE
    often = f"{least.numerator} of {least.denominator}" if simple else f"{100 * float(least):.0f} of 100"
    words = f"{names[ahead]} wins {often}"
    if lower < upper:
        return f"{words} at least"
    return f"Almost fair: {words[0].lower()}{words[1:]}" if least - Fraction(1, 2) < NEAR else words


def point_words(value: Fraction, names: Sequence[str] = SEATS) -> str:
    """Return a value in points in plain words."""
    if value == 0:
        return "The game is fair"
    gain = abs(value)
    points, games = (gain.numerator, gain.denominator) if gain.denominator <= SIMPLE else (round(1000 * gain), 1000)
    return f"{names[value < 0]} wins {points:,} {'point' if points == 1 else 'points'} in {games:,} games"


def find_known(game: str) -> KnownValue:
    """Return the known value of a game, or raise ValueError with similar names."""
    found = known_values()
    if game in found:
        return found[game]
    alike = get_close_matches(game, found)
    hint = f"did you mean {' or '.join(alike)}?" if alike else "`fogspiel values` lists the games whose values are"
    raise ValueError(f"no value of {game!r} is known here: {hint}")


def known_value(game: str) -> Fraction | None:
    known = known_values().get(game)
    return known.value if known else None


def shipped_certificate(game: str) -> Path | None:
    """Return the path of a game's shipped certificate, if there is one."""
    known = known_values().get(game)
    return known.shipped if known else None


def shipped_solution(game: str) -> Path | None:
    """Return the path of a game's shipped certificate, if its strategies can be played."""
    known = known_values().get(game)
    return known.shipped if known and known.certificate and known.certificate.playable else None


def verify_shipped(known: KnownValue) -> Bounds:
    """Return the bounds that a shipped certificate proves; raise ValueError if they differ from the index."""
    from ..proofs import read_certificate, verify

    path, certificate = known.shipped, known.certificate
    if path is None or certificate is None:
        made = f"make it with `{known.make}` and check it with `{known.check}`"
        instead = made if certificate else "its value is known in another way"
        raise ValueError(f"no certificate of {known.game} comes with the package: {instead}")
    body = read_certificate(path)
    listed = known.game, certificate.digest, certificate.bytes
    if (body["game"], body.get("digest"), path.stat().st_size) != listed:
        raise ValueError(f"the certificate {path} is not the one that the index of known values lists: install again")
    proved = verify(body)
    if proved != (known.lower, known.upper):
        told, listed_value = words_of(*proved), words_of(known.lower, known.upper)
        raise ValueError(f"the certificate {path} proves {told}, but the index of known values says {listed_value}")
    return proved
