"""Gambit's file formats: extensive form (.efg) and strategic form (.nfg), read and written.

Spaces and line ends have no meaning outside quotes. In quotes, \\" is a quote and \\\\ a backslash; any other backslash
stands for itself. Numbers are integers, decimals or fractions, and read exactly.
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import NamedTuple
from unicodedata import combining, normalize

import numpy as np

from ..core.find import MAX_BYTES
from ..core.untrusted_input import read_bytes
from ..solving.methods.normal_form import payoff_table, plans, strategies
from ..solving.tree import LEAF, TooLarge, Tree, chance_moves, sequence_form
from ..solving.tree.builder import (
    DEFAULT_MOST,
    NO_PAY,
    PLAYERS,
    LabelledTree,
    Labels,
    Pay,
    TreeBuilder,
    distinct,
    exact_probabilities,
    numbered,
    too_large,
)

TOKEN = re.compile(r'\s*+(?:("(?:[^"\\]++|\\.)*+")|([{},])|([^\s{},"]++)|(\Z))', re.S)
NUMBER = re.compile(r"[+-]?(?:\d+/\d+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?)", re.A)
WHOLE = re.compile(r"\d{1,9}", re.A)
ESCAPED = re.compile(r'\\([\\"])')
DIVIDED_BY_ZERO = re.compile(r"/0+$")
LONGEST_NUMBER = 40
# Substitutes in names for characters that Gambit rejects; it cannot read a backslash before a quote.
SPELLED = str.maketrans({"♠": "s", "♥": "h", "♦": "d", "♣": "c", "’": "'", "–": "-", "\\": "/"})
TEXT, MARK, WORD, END = 1, 2, 3, 4


number = lru_cache(1024)(Fraction)  # the exact value of a numeral; the same few occur again and again


class TokenStream:
    """The tokens of a file, with one token of lookahead and errors that name the line."""

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
        """Remember this line for errors in the entry that starts here."""
        self._entry = self._at

    def entry(self, at: int | None = None) -> str:
        return f"{self.source}, line {self._text.count(chr(10), 0, self._entry if at is None else at) + 1}"

    def refusal(self, sentence: str) -> ValueError:
        return ValueError(f"{self.entry(self._at)}: {sentence}")

    def unexpected(self, wanted: str) -> ValueError:
        if self.kind == END:
            return self.refusal(f"the file ends early, where {wanted} should be")
        token = self.token if len(self.token) <= 40 else self.token[:37] + "..."
        return self.refusal(f"here is {token!r}, where {wanted} should be")

    def on(self, mark: str) -> bool:
        return self.kind == MARK and self.token == mark

    def take(self, mark: str, wanted: str) -> None:
        if not self.on(mark):
            raise self.unexpected(wanted)
        self._advance()

    def skip(self, mark: str) -> None:
        if self.on(mark):
            self._advance()

    def taken(self, kind: int, wanted: str) -> str:
        if self.kind != kind:
            raise self.unexpected(wanted)
        token = self.token
        self._advance()
        return token

    def next_text(self, wanted: str) -> str:
        text = self.taken(TEXT, wanted)[1:-1]
        return ESCAPED.sub(r"\1", text) if "\\" in text else text

    def skip_text(self, wanted: str) -> str:
        """Return the text in quotes that comes next, or an empty one if there is none."""
        return self.next_text(wanted) if self.kind == TEXT else ""

    def next_whole(self, wanted: str) -> int:
        if self.kind != WORD or not WHOLE.fullmatch(self.token):
            raise self.unexpected(wanted)
        return int(self.taken(WORD, wanted))

    def next_number(self, wanted: str) -> Fraction:
        if self.kind != WORD or not NUMBER.fullmatch(self.token) or len(self.token) > LONGEST_NUMBER:
            raise self.unexpected(wanted)
        if DIVIDED_BY_ZERO.search(self.token):
            raise self.refusal(f"{self.token} divides by 0")
        return number(self.taken(WORD, wanted))

    def next_texts(self, wanted: str) -> tuple[str, ...]:
        self.take("{", f"an opening brace before {wanted}")
        texts = []
        while not self.on("}"):
            texts.append(self.next_text(f"{wanted} in quotes, or a closing brace"))
        self._advance()
        return tuple(texts)

    def next_pay(self) -> tuple[Fraction, Fraction]:
        """Return the payoffs of both players before a closing brace, with or without commas."""
        payoffs = []
        while not self.on("}"):
            payoffs.append(self.next_number("a payoff or a closing brace"))
            self.skip(",")
        if len(payoffs) != 2:
            raise self.refusal(f"here are {len(payoffs)} payoffs, but there are two players")
        self._advance()
        return payoffs[0], payoffs[1]


def heading(script: TokenStream, kind: str, version: str, form: str) -> tuple[str, tuple[str, str]]:
    for wanted in ((kind,), (version,), ("R", "D")):
        if script.kind != WORD or script.taken(WORD, "") not in wanted:
            raise ValueError(f"{script.source} does not begin with {kind} {version} R: it is no Gambit {form} file")
    title = script.next_text("the title of the game in quotes")
    players = script.next_texts("the name of a player")
    if len(players) != 2:
        raise script.refusal(f"only games of two players can be solved, but this one names {len(players)}")
    return title, (players[0], players[1])


def file_text(path: str | Path) -> str:
    path = Path(path)
    try:
        return read_bytes(path, "the game", MAX_BYTES, "that is too large to be read").decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text: byte {error.start + 1} cannot be read") from None


def plain(text: str) -> str:
    """Return a text as Gambit accepts it in a name: printable ASCII in one line, with single spaces."""
    letters = [letter for letter in normalize("NFKD", text.translate(SPELLED)) if not combining(letter)]
    ascii_text = "".join(letters).encode("ascii", "replace").decode()
    return " ".join("".join(letter if letter.isprintable() else " " for letter in ascii_text).split())


def quote(text: str) -> str:
    return '"' + plain(text).replace('"', '\\"') + '"'


def brace(items: Sequence[str]) -> str:
    return "{ " + " ".join(items) + " }"


# Gambit's extensive-form files, `EFG 2 R` and `EFG 2 D`: read into a tree, and written from one.
#
#     c "name" infoset "infoset's name" { "action" probability .. } outcome "outcome's name" { payoff, payoff }
#     p "name" player infoset "infoset's name" { "action" .. } outcome "outcome's name" { payoff, payoff }
#     t "name" outcome "outcome's name" { payoff, payoff }
#
# Nodes come in preorder. What follows the number of an infoset or outcome may be left out once it has been given;
# outcome 0 is none. Payoffs on the path to a leaf add up. Written by the format's description in Gambit's manual.


def read_efg(path: str | Path, most: int = DEFAULT_MOST) -> LabelledTree:
    return from_efg(file_text(path), str(path), most)


def from_efg(text: str, source: str = "the text", most: int = DEFAULT_MOST) -> LabelledTree:
    """Return the game in a text of Gambit's extensive form; errors name `source`, and `most` limits the nodes."""
    script = TokenStream(text, source)
    title, players = heading(script, "EFG", "2", "extensive-form")
    script.skip_text("a comment")
    plant, known = TreeBuilder(source, most, script.entry), Known({}, {})
    while not plant.complete:
        script.begin_entry()
        if script.kind != WORD:
            raise script.unexpected("the next node, c, p or t,")
        letter = script.taken(WORD, "a node")
        if letter not in NODES:
            raise ValueError(f"{script.entry()}: here is {letter[:40]!r}, where the next node, c, p or t, should be")
        script.next_text("the name of the node in quotes")
        NODES[letter](script, plant, known)
    if script.kind != END:
        raise script.refusal("every node of the tree is there, but the file goes on")
    return plant.described(title or Path(source).stem, players)


Chances = tuple[Fraction, ...]


class Known(NamedTuple):
    """Definitions so far, by number: infosets, by player and number, 0 for chance; outcomes with their names."""

    infosets: dict[tuple[int, int], tuple[str, tuple[str, ...], Chances]]  # name, actions, probabilities
    outcomes: dict[int, tuple[str, Pay]]


def _read_chance(script: TokenStream, plant: TreeBuilder, known: Known) -> None:
    _, _, actions, probabilities = _taken_infoset(script, known, 0)
    plant.add_chance(actions, probabilities, _taken_outcome(script, known)[1])


def _read_decision(script: TokenStream, plant: TreeBuilder, known: Known) -> None:
    player = script.next_whole("the number of the player")
    if player not in (1, 2):
        raise ValueError(f"{script.entry()}: there is no player {player}: the players are 1 and 2")
    number, name, actions, _ = _taken_infoset(script, known, player)
    plant.add_decision(player - 1, number, name, actions, _taken_outcome(script, known)[1])


def _taken_infoset(script: TokenStream, known: Known, player: int) -> tuple[int, str, tuple[str, ...], Chances]:
    """Return the number of an infoset, its first name, its actions, and the probabilities of those of chance (0)."""
    number = script.next_whole("the number of the infoset")
    before = known.infosets.get((player, number))
    name = script.skip_text("a name") or f"({player},{number})"
    probabilities: Chances = ()
    if script.on("{"):
        actions, probabilities = (script.next_texts("an action"), ()) if player else _taken_chances(script)
        if not actions:
            raise ValueError(f"{script.entry()}: player {player} has no action here: there must be at least one")
        if not player and before and before[1:] != (actions, probabilities):
            raise ValueError(f"{script.entry()}: infoset {number} of chance had other actions or probabilities before")
    elif before:
        _, actions, probabilities = before
    else:
        whose = "" if player else " of chance"
        raise script.unexpected(f"the list of actions of infoset {number}{whose}, which was not given yet,")
    name, _, _ = known.infosets.setdefault((player, number), (name, actions, probabilities))
    return number, name, actions, probabilities


def _taken_chances(script: TokenStream) -> tuple[tuple[str, ...], Chances]:
    script.take("{", "an opening brace")
    actions, probabilities, decimals = [], [], False
    while not script.on("}"):
        actions.append(script.next_text("an action in quotes, or a closing brace"))
        decimals = decimals or "." in script.token
        probabilities.append(script.next_number("the probability of the action"))
    if not actions:
        raise script.refusal("chance has no action here: there must be at least one")
    script.take("}", "a closing brace")
    return tuple(actions), tuple(exact_probabilities(probabilities) if decimals else probabilities)


def _read_leaf(script: TokenStream, plant: TreeBuilder, known: Known) -> None:
    number, pay = _taken_outcome(script, known)
    name = known.outcomes[number][0] if number else ""
    plant.add_leaf(pay, f"outcome {number}" + (f" {name!r}" if name else ""))


NODES = {"c": _read_chance, "p": _read_decision, "t": _read_leaf}


def _taken_outcome(script: TokenStream, known: Known) -> tuple[int, Pay]:
    """Return the number of an outcome and its payoffs, given here or earlier."""
    number = script.next_whole("the number of the outcome")
    name = script.skip_text("a name")
    before = known.outcomes.get(number)
    if script.on("{"):
        script.take("{", "an opening brace")
        pay = script.next_pay()
        if number == 0:
            raise ValueError(f"{script.entry()}: outcome 0 stands for no payoffs, but has some here: number it from 1")
        if before and before[1] != pay:
            raise ValueError(f"{script.entry()}: outcome {number} had other payoffs before: give it another number")
        known.outcomes.setdefault(number, (name, pay))
        return number, pay
    if number == 0:
        return number, NO_PAY
    if not before:
        raise script.unexpected(f"the payoffs of outcome {number}, which were not given yet,")
    return number, before[1]


def to_efg(
    tree: Tree, players: tuple[str, str] = PLAYERS, labels: Labels | None = None, total: Fraction = Fraction(0)
) -> str:
    """Return a tree as a file of Gambit's extensive form; both players' payoffs add up to `total`."""
    labels = labels or numbered(tree)
    names = distinct([plain(name) for name in labels.infosets], tree.owner.tolist())
    chances = chance_moves(tree)
    number = {int(i): k + 1 for player in (0, 1) for k, i in enumerate(tree.numbers(player))}
    deciding = [
        f'p "" {owner + 1} {number[i]} {quote(names[i])} {brace([quote(a) for a in labels.actions[i]])} 0'
        for i, owner in enumerate(tree.owner.tolist())
    ]
    used = np.unique(LEAF - tree.label[tree.leaves]).tolist()
    ending = {}
    for outcome, index in enumerate(used, 1):
        pay = tree.payoffs[index]
        ending[index] = f't "" {outcome} {quote(str(pay))} {{ {pay}, {total - pay} }}'
    lines = [f"EFG 2 R {quote(tree.title)} {brace([quote(player) for player in players])}", '""', ""]
    for node, label in enumerate(tree.label.tolist()):
        if label >= 0:
            lines.append(deciding[label])
        elif label <= LEAF:
            lines.append(ending[LEAF - label])
        else:
            chance_prob = chances.pop(node)
            moves = labels.chance.get(node) or [str(slot + 1) for slot in range(len(chance_prob))]
            listed = [f"{quote(move)} {p}" for move, p in zip(moves, chance_prob, strict=True)]
            lines.append(f'c "" {node + 1} "" {brace(listed)} 0')
    return "\n".join(lines) + "\n"


# Gambit's strategic-form files, `NFG 1 R` and `NFG 1 D`: read into a tree, and written from a small one.
#
#     NFG 1 R "title" { "player" "player" } { { "row" .. } { "column" .. } } "comment" payoffs
#
# Instead of names there may be the two numbers of strategies. The payoffs are either a list, both players' for each
# cell, or a list of outcomes between braces and then one number of an outcome for each cell, 0 for none. In both cases
# the first player's strategy changes fastest. Written by the format's description in Gambit's manual.

MAX_CELLS = 1_000_000  # cells of the largest table that is written


# A picture of a small tree, from the left to the right, with dashed lines between the nodes of one infoset.

MOST_DRAWN = 60  # nodes
STEP, LINE, MARGIN = 150, 22, 30  # pixels between generations and between leaves, and around the tree
BEND = 12  # pixels by which the line of an infoset bends more than the one before
COLOURS = ("#2563a8", "#b3402e")  # of the two players; chance is grey


def to_svg(
    tree: Tree, players: tuple[str, str] = PLAYERS, labels: Labels | None = None, total: Fraction = Fraction(0)
) -> str:
    """Return a tree of at most 60 nodes as a picture in SVG; both players' payoffs add up to `total`."""
    if tree.nodes > MOST_DRAWN:
        raise ValueError(f"{tree.title} has {tree.nodes:,} nodes: a picture has at most {MOST_DRAWN}, .efg takes more")
    labels, chances = labels or numbered(tree), chance_moves(tree)
    places: dict[int, tuple[int, float]] = {}  # the generation of a node, and its height in leaves
    infosets: dict[int, list[int]] = {}
    lines, marks = list[str](), list[str]()
    node, leaves = 0, 0

    def at(number: int) -> tuple[float, float]:
        depth, height = places[number]
        return MARGIN + STEP * depth, MARGIN + LINE * height

    def draw(depth: int) -> int:
        """Draw the next node in preorder and all below it; return its number."""
        nonlocal node, leaves
        number, label, node = node, int(tree.label[node]), node + 1
        if label <= LEAF:
            pay = tree.payoffs[LEAF - label]
            places[number], leaves = (depth, leaves), leaves + 1
            x, y = at(number)
            marks.append(f'<text x="{x + 4:g}" y="{y + 4:g}">{pay}, {total - pay}</text>')
            return number
        if label >= 0:
            owner, moves = int(tree.owner[label]), [escape(move) for move in labels.actions[label]]
            infosets.setdefault(label, []).append(number)
            colour, title = COLOURS[owner], f"{players[owner]}: {labels.infosets[label]}"
        else:
            shares = chances[number]
            names = labels.chance.get(number) or [str(slot + 1) for slot in range(len(shares))]
            moves = [f"{escape(name)} ({share})" for name, share in zip(names, shares, strict=True)]
            colour, title = "#777", "chance"
        below = [draw(depth + 1) for _ in moves]
        places[number] = depth, (places[below[0]][1] + places[below[-1]][1]) / 2
        x, y = at(number)
        for child, move in zip(below, moves, strict=True):
            (right, high), middle = at(child), 0.55
            words = f'x="{x + middle * (right - x):g}" y="{y + middle * (high - y) - 3:g}"'
            lines.append(f'<path d="M{x:g} {y:g}L{right:g} {high:g}" stroke="{colour}"/>')
            marks.append(f'<text {words} text-anchor="middle" fill="{colour}">{move}</text>')
        marks.append(f'<circle cx="{x:g}" cy="{y:g}" r="5" fill="{colour}"><title>{escape(title)}</title></circle>')
        return number

    draw(0)
    drawn = dict.fromkeys(range(1 + max(depth for depth, _ in places.values())), 0)  # infosets of each generation
    for label, members in infosets.items():
        if len(members) > 1:
            first, *rest = sorted(map(at, members), key=lambda point: point[1])
            depth, path, high = places[members[0]][0], f"M{first[0]:g} {first[1]:g}", first[1]
            drawn[depth] += 1
            bend = BEND * drawn[depth]  # so that interleaved infosets stay apart
            for x, y in rest:
                path, high = f"{path}Q{x - bend:g} {(high + y) / 2:g} {x:g} {y:g}", y
            colour = COLOURS[int(tree.owner[label])]
            lines.append(f'<path class="infoset" d="{path}" stroke="{colour}" stroke-dasharray="4 4" fill="none"/>')
    wide = 2 * MARGIN + STEP * max(depth for depth, _ in places.values()) + 60
    size = f'width="{wide}" height="{2 * MARGIN + LINE * leaves}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="11">'
    return "\n".join([head, f"<title>{escape(tree.title)}</title>", *lines, *marks, "</svg>"]) + "\n"


def read_nfg(path: str | Path, most: int = DEFAULT_MOST) -> LabelledTree:
    return from_nfg(file_text(path), str(path), most)


class Bimatrix(NamedTuple):
    """A game in strategic form, of any sum: both players' payoffs by cell, the first player's strategy fastest."""

    title: str
    players: tuple[str, str]
    strategies: tuple[tuple[str, ...], tuple[str, ...]]
    cells: list[Pay]

    def payoffs(self, player: int) -> list[list[Fraction]]:
        """Return the table of a player, a row for each strategy of the first."""
        height = len(self.strategies[0])
        return [[cell[player] for cell in self.cells[row::height]] for row in range(height)]

    @property
    def first(self) -> list[list[Fraction]]:
        return self.payoffs(0)

    @property
    def second(self) -> list[list[Fraction]]:
        return self.payoffs(1)

    @property
    def constant_sum(self) -> bool:
        return len({first + second for first, second in self.cells}) == 1

    def expected(self, player: int, rows: Sequence[Fraction], columns: Sequence[Fraction]) -> Fraction:
        """Return the payoff of a player for two mixtures."""
        table = self.payoffs(player)
        parts = (x * y * cell for x, row in zip(rows, table, strict=True) for y, cell in zip(columns, row, strict=True))
        return sum(parts, Fraction(0))


def read_bimatrix(path: str | Path, most: int = DEFAULT_MOST) -> Bimatrix:
    return _bimatrix(TokenStream(file_text(path), str(path)), most)


def _bimatrix(script: TokenStream, most: int) -> Bimatrix:
    title, players = heading(script, "NFG", "1", "strategic-form")
    rows, columns = _taken_strategies(script, most)
    script.skip_text("a comment")
    script.begin_entry()
    cells = (_taken_outcomes if script.on("{") else _taken_payoffs)(script, len(rows) * len(columns))
    if script.kind != END:
        raise script.refusal("every cell of the table is there, but the file goes on")
    return Bimatrix(title or Path(script.source).stem, players, (rows, columns), cells)


def from_nfg(text: str, source: str = "the text", most: int = DEFAULT_MOST) -> LabelledTree:
    """Return the game in a text of Gambit's strategic form: the second player chooses after the first, unseen."""
    script = TokenStream(text, source)
    title, players, (rows, columns), cells = _bimatrix(script, most)
    plant = TreeBuilder(source, most, script.entry)
    plant.add_decision(0, 0, players[0], rows)
    for row, row_name in enumerate(rows):
        plant.add_decision(1, 0, players[1], columns)
        for column, column_name in enumerate(columns):
            plant.add_leaf(cells[row + column * len(rows)], f"{row_name!r} against {column_name!r}")
    return plant.described(title, players)


def _taken_strategies(script: TokenStream, most: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the strategies of both players, between braces, or their numbers."""
    script.take("{", "an opening brace before the strategies")
    given: list[tuple[str, ...] | range] = []
    for player in (1, 2):
        if script.on("{"):
            given.append(script.next_texts("the name of a strategy"))
        else:
            count = script.next_whole(f"the number of strategies of player {player}, or their names in braces,")
            given.append(range(1, count + 1))
        if not given[-1]:
            raise script.refusal(f"player {player} has no strategy: there must be at least one")
    script.take("}", "a closing brace after the strategies of both players")
    if 1 + len(given[0]) * (1 + len(given[1])) > most:
        raise too_large(script.source, most)
    rows, columns = (tuple(map(str, names)) for names in given)
    return rows, columns


def _taken_payoffs(script: TokenStream, count: int) -> list[Pay]:
    cells = []
    for _ in range(count):
        first = script.next_number("a payoff of the first player")
        script.skip(",")
        cells.append((first, script.next_number("a payoff of the second player")))
        script.skip(",")
    return cells


def _taken_outcomes(script: TokenStream, count: int) -> list[Pay]:
    script.take("{", "an opening brace before the outcomes")
    pays: list[Pay] = [NO_PAY]
    while not script.on("}"):
        script.take("{", "an outcome in braces, or a closing brace,")
        script.skip_text("the name of an outcome")
        pays.append(script.next_pay())
    script.take("}", "a closing brace")
    cells = []
    for _ in range(count):
        number = script.next_whole("the number of an outcome")
        if number >= len(pays):
            raise script.refusal(f"there is no outcome {number}: the outcomes are 1 to {len(pays) - 1}, and 0 for none")
        cells.append(pays[number])
    return cells


def to_nfg(
    tree: Tree, players: tuple[str, str] = PLAYERS, labels: Labels | None = None, total: Fraction = Fraction(0)
) -> str:
    """Return the reduced normal form of a tree as a file of Gambit's strategic form.

    A strategy is named by its action in each of the player's infosets, * in those it cannot reach.
    """
    form, actions = sequence_form(tree), (labels or numbered(tree)).actions

    def name(player: int, chosen: set[int]) -> str:
        parts = []
        for i in tree.numbers(player).tolist():
            taken = [action for s, action in enumerate(actions[i], int(tree.first[i])) if s in chosen]
            parts.append(taken[0] if taken else "*")
        return "/".join(parts)

    height, width = (strategies(treeplex) for treeplex in form.treeplexes)
    if height * width > MAX_CELLS:
        tall, wide = (f"{size:,}" if size < 10**15 else "more than 10^15" for size in (height, width))
        raise TooLarge(
            f"the normal form of {tree.title} has {tall} by {wide} strategies, more than {MAX_CELLS:,} cells: "
            "write it as .efg instead"
        )
    listed = [plans(treeplex) for treeplex in form.treeplexes]
    names = [brace([quote(name(player, set(plan))) for plan in listed[player]]) for player in (0, 1)]
    lines = [f"NFG 1 R {quote(tree.title)} {brace([quote(player) for player in players])}", "", brace(names), '""', ""]
    for column in zip(*payoff_table(form, *listed), strict=True):
        pays = [Fraction(cell, form.denominator) for cell in column]
        lines.append(" ".join(f"{pay} {total - pay}" for pay in pays))
    return "\n".join(lines) + "\n"
