"""PGN as text, whatever the game: tags, half-moves with their comments, results."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import fill

WIDTH = 79
RESULTS = ("0-1", "1/2-1/2", "1-0")
UNFINISHED = "*"
# The tags that every PGN has, in their order; the result is the last of them.
ROSTER = {"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?", "White": "?", "Black": "?"}
TOKEN = re.compile(
    r"""\s+ | (?P<comment>\{[^}]*\}) | ;(?P<line>[^\n]*) | (?P<tag>\[\s*\w+\s+"(?:\\.|[^"\\])*"\s*\])
    | (?P<open>\() | (?P<close>\)) | \$\d+ | (?P<result>(?:1-0|0-1|1/2-1/2|\*)(?!\S)) | \d+\.+ | \d+(?=\s)
    | (?P<move>[^\s{}();\[\]]+)""",
    re.VERBOSE,
)


@dataclass
class Movetext:
    """A game as it was written: tags, and half-moves with their comments."""

    tags: dict[str, str] = field(default_factory=dict)
    half_moves: list[tuple[str, str]] = field(default_factory=list)  # each with all that is said of it
    result: str | None = None
    line: int = 1  # where it begins in its file
    lines: list[int] = field(default_factory=list)  # where each half-move stands


def games_in(text: str) -> Iterator[Movetext]:
    """The games of a PGN file, as they are written."""
    game, place, depth, line = Movetext(), 0, 0, 1
    while place < len(text):
        token = TOKEN.match(text, place)
        if token is None:
            raise ValueError(f"line {line} of the PGN cannot be read from {text[place : place + 20]!r} on")
        here, line, place = line, line + text.count("\n", place, token.end()), token.end()
        kind, word = token.lastgroup, token.group().strip()
        if kind == "tag" and depth == 0:
            if game.half_moves or game.result:
                yield game
                game = Movetext(line=here)
            elif not game.tags:
                game.line = here
            name, _, value = word[1:-1].strip().partition('"')
            game.tags[name.strip()] = re.sub(r"\\(.)", r"\1", value.rstrip()[:-1])
        elif kind in ("open", "close"):  # a variation: nothing of it was played
            depth = max(depth + (1 if kind == "open" else -1), 0)
        elif depth == 0 and kind == "move":
            if not game.tags and not game.half_moves:
                game.line = here
            game.half_moves.append((word, ""))
            game.lines.append(here)
        elif depth == 0 and kind in ("comment", "line") and game.half_moves:
            move, said = game.half_moves[-1]
            game.half_moves[-1] = move, f"{said} {' '.join(word.strip('{};').split())}".strip()
        elif depth == 0 and kind == "result":
            game.result = word
    if game.tags or game.half_moves:
        yield game


def tag_lines(tags: Mapping[str, str]) -> list[str]:
    """The lines of tags."""
    lines = []
    for key, value in tags.items():
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'[{key} "{escaped}"]')
    return lines


def fill_movetext(words: Sequence[str]) -> str:
    """Moves and comments in lines of the usual width."""
    return fill(" ".join(words), WIDTH, break_long_words=False, break_on_hyphens=False)
