"""Common syntax of Gambit's file formats: quoted texts, braces, numbers, and the heading.

Spaces and line ends mean nothing outside quotes. In quotes, \\" is a quote and \\\\ a backslash; any other backslash
stands for itself. Numbers are whole, decimal or rational, and read exactly.
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from unicodedata import combining, normalize

from ..core.find import MAX_BYTES
from ..core.untrusted_input import read_bytes

TOKEN = re.compile(r'\s*+(?:("(?:[^"\\]++|\\.)*+")|([{},])|([^\s{},"]++)|(\Z))', re.S)
NUMBER = re.compile(r"[+-]?(?:\d+/\d+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?)", re.A)
WHOLE = re.compile(r"\d{1,9}", re.A)
ESCAPED = re.compile(r'\\([\\"])')
DIVIDED_BY_ZERO = re.compile(r"/0+$")
LONGEST_NUMBER = 40
# What stands in a name for letters that Gambit does not accept; it cannot read a backslash before a quote.
SPELLED = str.maketrans({"♠": "s", "♥": "h", "♦": "d", "♣": "c", "’": "'", "–": "-", "\\": "/"})
TEXT, MARK, WORD, END = 1, 2, 3, 4


number = lru_cache(1024)(Fraction)  # the exact value of a numeral; the same few occur again and again


class TokenStream:
    """The tokens of a file, one ahead, and sentences that say in which line something is wrong."""

    def __init__(self, text: str, source: str):
        self._text, self.source = text, source
        self._at = self._after = self._entry = 0
        self.kind, self.token = END, ""
        self._advance()

    def _advance(self) -> None:
        found = TOKEN.match(self._text, self._after)
        if found is None:
            self._at = self._text.index('"', self._after)
            raise self.refusal("the text in quotes that begins here does not end")
        self.kind = found.lastindex or END
        self._at, self._after, self.token = found.start(self.kind), found.end(), found.group(self.kind)

    def begin_entry(self) -> None:
        """Remember this line as that of the entry which is read next."""
        self._entry = self._at

    def entry(self) -> str:
        """The file and the line of the entry."""
        return f"{self.source}, line {self._text.count(chr(10), 0, self._entry) + 1}"

    def refusal(self, sentence: str) -> ValueError:
        """The error that something is wrong with the token."""
        return ValueError(f"{self.source}, line {self._text.count(chr(10), 0, self._at) + 1}: {sentence}")

    def unexpected(self, wanted: str) -> ValueError:
        """The error that the token is not what is wanted."""
        if self.kind == END:
            return self.refusal(f"the file ends early, where {wanted} should be")
        token = self.token if len(self.token) <= 40 else self.token[:37] + "..."
        return self.refusal(f"here is {token!r}, where {wanted} should be")

    def on(self, mark: str) -> bool:
        """True if the next token is this mark."""
        return self.kind == MARK and self.token == mark

    def take(self, mark: str, wanted: str) -> None:
        """Go past a mark."""
        if not self.on(mark):
            raise self.unexpected(wanted)
        self._advance()

    def skip(self, mark: str) -> None:
        """Go past a mark if it is there."""
        if self.on(mark):
            self._advance()

    def taken(self, kind: int, wanted: str) -> str:
        """The next token, which must be of this kind, and is left behind."""
        if self.kind != kind:
            raise self.unexpected(wanted)
        token = self.token
        self._advance()
        return token

    def taken_text(self, wanted: str) -> str:
        """The next token, a text in quotes, without them."""
        text = self.taken(TEXT, wanted)[1:-1]
        return ESCAPED.sub(r"\1", text) if "\\" in text else text

    def taken_whole(self, wanted: str) -> int:
        """The next token, a whole number from 0."""
        if self.kind != WORD or not WHOLE.fullmatch(self.token):
            raise self.unexpected(wanted)
        return int(self.taken(WORD, wanted))

    def taken_number(self, wanted: str) -> Fraction:
        """The next token, any number."""
        if self.kind != WORD or not NUMBER.fullmatch(self.token) or len(self.token) > LONGEST_NUMBER:
            raise self.unexpected(wanted)
        if DIVIDED_BY_ZERO.search(self.token):
            raise self.refusal(f"{self.token} divides by 0")
        return number(self.taken(WORD, wanted))

    def taken_texts(self, wanted: str) -> tuple[str, ...]:
        """The texts between braces."""
        self.take("{", f"an opening brace before {wanted}")
        texts = []
        while not self.on("}"):
            texts.append(self.taken_text(f"{wanted} in quotes, or a closing brace"))
        self._advance()
        return tuple(texts)

    def taken_pay(self) -> tuple[Fraction, Fraction]:
        """The payoffs of both players before a closing brace, with or without commas."""
        payoffs = []
        while not self.on("}"):
            payoffs.append(self.taken_number("a payoff or a closing brace"))
            self.skip(",")
        if len(payoffs) != 2:
            raise self.refusal(f"here are {len(payoffs)} payoffs, but there are two players")
        self._advance()
        return payoffs[0], payoffs[1]


def heading(script: TokenStream, kind: str, version: str, form: str) -> tuple[str, tuple[str, str]]:
    """The title and the players at the beginning of a file of this kind."""
    for wanted in ((kind,), (version,), ("R", "D")):
        if script.kind != WORD or script.taken(WORD, "") not in wanted:
            raise ValueError(f"{script.source} does not begin with {kind} {version} R: it is no Gambit {form} file")
    title = script.taken_text("the title of the game in quotes")
    players = script.taken_texts("the name of a player")
    if len(players) != 2:
        raise script.refusal(f"only games of two players can be solved, but this one names {len(players)}")
    return title, (players[0], players[1])


def file_text(path: str | Path) -> str:
    """The text of a file, or a ValueError that says why it cannot be read."""
    path = Path(path)
    try:
        return read_bytes(path, "the game", MAX_BYTES, "that is too large to be read").decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text: byte {error.start + 1} cannot be read") from None


def plain(text: str) -> str:
    """A text as Gambit accepts it in a name: printable ASCII in one line, with single spaces."""
    letters = [letter for letter in normalize("NFKD", text.translate(SPELLED)) if not combining(letter)]
    ascii_text = "".join(letters).encode("ascii", "replace").decode()
    return " ".join("".join(letter if letter.isprintable() else " " for letter in ascii_text).split())


def quote(text: str) -> str:
    """A text in quotes, made plain."""
    return '"' + plain(text).replace('"', '\\"') + '"'


def brace(items: Sequence[str]) -> str:
    """Items between braces."""
    return "{ " + " ".join(items) + " }"
