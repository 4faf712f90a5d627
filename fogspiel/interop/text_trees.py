"""Two plain-text formats of trees: `.txt` of Waugh's and Kroer's solvers (zerosum), and `.game` of LiteEFG.

Both list the nodes in any order, a line for each, and lines that begin with # are comments. In zerosum a line has the
number of a node, its history in single quotes, and

    a payoff of the first player, or
    the number of outcomes of chance, and for each its name in quotes, the node it leads to and its weight, or
    the player (0 or 1), its infoset, the number of actions, and for each its name in quotes and the node it leads to

after a line with the title and counts. In LiteEFG the name of a node is its history, and infosets have lines:

    node / chance actions heads=0.5 tails=0.5
    node /C:heads player 1 actions l r
    node /C:heads/P1:l leaf payoffs 1=-1 2=1
    infoset unseen nodes /C:heads /C:tails

Written from the public files of github.com/ChrKroer/ExtensiveFormCpp and github.com/liumy2010/LiteEFG.
"""

import re
from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from ..solving.tree.builder import DEFAULT_MOST, PLAYERS, LabelledTree, Pay, TreeBuilder, exact_probabilities
from .gambit import LONGEST_NUMBER, NUMBER, file_text, number

QUOTED = re.compile(r"'([^']*)'|([^\s']+)")
TITLE = re.compile(r"\s*'([^']*)'(?:\s+\d+){8}\s*", re.A)
NODE = re.compile(r"node (\S+) (?:(chance) actions|player ([12]) actions|leaf payoffs)((?: \S+)+)")
INFOSET = re.compile(r"infoset (\S+) nodes((?: \S+)+)")
DIVIDED_BY_ZERO = re.compile(r".*/0+", re.A)


class Entry(NamedTuple):
    """A node of a file: of chance if there are probabilities, a leaf if there is a payoff, else of a player."""

    line: int
    key: Hashable
    actions: tuple[str, ...] = ()
    children: tuple[Hashable, ...] = ()
    player: int = 0
    infoset: Hashable = None
    probabilities: tuple[Fraction, ...] = ()
    pay: Pay | None = None


def read_text_tree(path: str | Path, most: int = DEFAULT_MOST) -> LabelledTree:
    return (from_game if str(path).endswith(".game") else from_zerosum)(file_text(path), str(path), most)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for place, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield place, line.strip()


def _numeral(word: str) -> Fraction:
    if not NUMBER.fullmatch(word) or len(word) > LONGEST_NUMBER or DIVIDED_BY_ZERO.fullmatch(word):
        raise ValueError(f"here is {word[:40]!r}, where a number should be")
    return number(word)


def from_zerosum(text: str, source: str = "the text", most: int = DEFAULT_MOST) -> LabelledTree:
    """Return the game in a text of the zerosum format; errors name `source`, and `most` limits the nodes."""
    lines = _lines(text)
    heading = TITLE.fullmatch(next(lines, (0, ""))[1])
    if heading is None:
        told = "does not begin with a title in single quotes and eight counts"
        raise ValueError(f"{source} {told}: it is no zerosum file")
    return _planted(source, most, heading[1], [_parsed(source, *line, _zerosum_entry) for line in lines])


def _zerosum_entry(place: int, line: str) -> Entry:
    words = [(found[1], "'") if found[2] is None else (found[2], "") for found in QUOTED.finditer(line)]
    texts, quotes = [word for word, _ in words], "".join(quote or "." for _, quote in words)
    if quotes == ".'.":
        first = _numeral(texts[2])
        return Entry(place, texts[0], pay=(first, -first))
    if re.fullmatch(r"\.'\.(?:'\.\.)+", quotes) and texts[2] == str(len(texts) // 3 - 1):
        weights = [*map(_numeral, texts[5::3])]
        if not sum(weights):
            raise ValueError("the weights of chance add up to 0")
        shares = tuple(weight / sum(weights) for weight in weights)
        return Entry(place, texts[0], tuple(texts[3::3]), tuple(texts[4::3]), probabilities=shares)
    if re.fullmatch(r"\.'\.\.\.(?:'\.)+", quotes) and texts[2] in ("0", "1") and texts[4] == str(len(texts) // 2 - 2):
        return Entry(place, texts[0], tuple(texts[5::2]), tuple(texts[6::2]), int(texts[2]), texts[3])
    raise ValueError("the words of this line are those of no leaf, move of chance or decision")


def from_game(text: str, source: str = "the text", most: int = DEFAULT_MOST) -> LabelledTree:
    """Return the game in a text of LiteEFG's format; errors name `source`, and `most` limits the nodes."""
    infosets: dict[Hashable, str] = {}
    nodes = []
    for place, line in _lines(text):
        words = " ".join(line.split())
        if group := INFOSET.fullmatch(words):
            infosets |= dict.fromkeys(group[2].split(), group[1])
        else:
            nodes.append((place, words))
    entries = [_parsed(source, *line, _game_entry) for line in nodes]
    known = [entry._replace(infoset=infosets.get(entry.key, entry.key)) for entry in entries]
    return _planted(source, most, Path(source).stem, known)


def _game_entry(place: int, line: str) -> Entry:
    found = NODE.fullmatch(line)
    if found is None:
        raise ValueError("it is not `node NAME` with `chance actions ..`, `player N actions ..` or `leaf payoffs ..`")
    key, chance, player, rest = found.groups()
    parts = [(word, "", "") if player else word.rpartition("=") for word in rest.split()]
    names, _, values = zip(*parts, strict=True)
    begin = f"{key.rstrip('/')}/{f'P{player}' if player else 'C'}:"
    children = tuple(begin + name for name in names)
    if player:
        return Entry(place, key, names, children, int(player) - 1)
    numbers = tuple(map(_numeral, values))
    if chance:
        return Entry(place, key, names, children, probabilities=tuple(exact_probabilities(numbers)))
    if names != ("1", "2"):
        raise ValueError("a leaf has the payoffs 1=.. 2=.. of both players")
    return Entry(place, key, pay=(numbers[0], numbers[1]))


def _parsed(source: str, place: int, line: str, parse: Callable[[int, str], Entry]) -> Entry:
    try:
        return parse(place, line)
    except ValueError as error:
        raise ValueError(f"{source}, line {place}: {error}") from None


def _planted(source: str, most: int, title: str, entries: list[Entry]) -> LabelledTree:
    """Return the tree of nodes in any order; the root is the one to which no action leads."""
    left = {entry.key: entry for entry in entries}
    led = {child for entry in entries for child in entry.children}
    roots = [entry for entry in entries if entry.key not in led]
    if len(left) < len(entries) or len(roots) != 1:
        told = "a node has two lines" if len(left) < len(entries) else f"{len(roots)} nodes follow no action"
        raise ValueError(f"{source}: {told}: a tree has one line for each node, and one root")
    at = roots[0]
    plant, waiting = TreeBuilder(source, most, lambda: f"{source}, line {at.line}"), [(at, at.key)]
    while waiting:
        above, key = waiting.pop()
        if key not in left:
            raise ValueError(f"{source}, line {above.line}: node {key} has no line, or another action leads to it, too")
        at = left.pop(key)
        if at.pay:
            plant.add_leaf(at.pay, f"node {key}")
        elif at.probabilities:
            plant.add_chance(at.actions, at.probabilities)
        else:
            plant.add_decision(at.player, at.infoset, str(at.infoset), at.actions)
        waiting += [(at, child) for child in reversed(at.children)]
    if left:
        raise ValueError(f"{source}, line {next(iter(left.values())).line}: no history leads to this node")
    return plant.described(title, PLAYERS)
