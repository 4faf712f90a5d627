"""Gambit's strategic-form files, `NFG 1 R` and `NFG 1 D`: read into a tree, and written from a small one.

    NFG 1 R "title" { "player" "player" } { { "row" .. } { "column" .. } } "comment" payoffs

Instead of names there may be the two numbers of strategies. The payoffs are either a list, both players' for each
cell, or a list of outcomes between braces and then one number of an outcome for each cell, 0 for none. In both cases
the first player's strategy changes fastest. Written by the format's description in Gambit's manual.
"""

from fractions import Fraction
from pathlib import Path

from ..solving.methods.lemke_howson import payoff_table, plans, strategies
from ..solving.tree.builder import DEFAULT_MOST, NO_PAY, PLAYERS, LabelledTree, Labels, Pay, TreeBuilder, numbered
from ..solving.tree.tree import TooLarge, Tree, sequence_form
from .gambit_tokens import END, TEXT, TokenStream, brace, file_text, heading, quote

MAX_CELLS = 1_000_000  # cells of the largest table that is written


def read_nfg(path: str | Path, most: int = DEFAULT_MOST) -> LabelledTree:
    """The game in a file of Gambit's strategic form; `most` limits the nodes of its tree."""
    return from_nfg(file_text(path), str(path), most)


def from_nfg(text: str, source: str = "the text", most: int = DEFAULT_MOST) -> LabelledTree:
    """The game in a text of Gambit's strategic form: the second player chooses after the first, unseen."""
    script = TokenStream(text, source)
    title, players = heading(script, "NFG", "1", "strategic-form")
    rows, columns = _taken_strategies(script, most)
    if script.kind == TEXT:
        script.taken_text("a comment")
    script.begin_entry()
    cells = (_taken_outcomes if script.on("{") else _taken_payoffs)(script, len(rows) * len(columns))
    if script.kind != END:
        raise script.refusal("every cell of the table is there, but the file goes on")
    plant = TreeBuilder(source, most, script.entry)
    plant.add_decision(0, 0, players[0], rows)
    for row, row_name in enumerate(rows):
        plant.add_decision(1, 0, players[1], columns)
        for column, column_name in enumerate(columns):
            plant.add_leaf(cells[row + column * len(rows)], f"{row_name!r} against {column_name!r}")
    return plant.described(title or Path(source).stem, players)


def _taken_strategies(script: TokenStream, most: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the strategies of both players, between braces, or their numbers."""
    script.take("{", "an opening brace before the strategies")
    names: list[tuple[str, ...]] = []
    sizes: list[int] = []
    for player in (1, 2):
        if script.on("{"):
            names.append(script.taken_texts("the name of a strategy"))
            sizes.append(len(names[-1]))
        else:
            names.append(())
            sizes.append(script.taken_whole(f"the number of strategies of player {player}, or their names in braces,"))
        if not sizes[-1]:
            raise script.refusal(f"player {player} has no strategy: there must be at least one")
    script.take("}", "a closing brace after the strategies of both players")
    if 1 + sizes[0] * (1 + sizes[1]) > most:
        raise TooLarge(
            f"{script.source} has more than {most:,} nodes: raise --memory (or `most`), or take a smaller game"
        )
    rows, columns = (given or tuple(str(k + 1) for k in range(size)) for given, size in zip(names, sizes, strict=True))
    return rows, columns


def _taken_payoffs(script: TokenStream, count: int) -> list[Pay]:
    """The payoffs of that many cells, both players' for each."""
    cells = []
    for _ in range(count):
        first = script.taken_number("a payoff of the first player")
        script.skip(",")
        cells.append((first, script.taken_number("a payoff of the second player")))
        script.skip(",")
    return cells


def _taken_outcomes(script: TokenStream, count: int) -> list[Pay]:
    """The payoffs of that many cells, by way of a list of outcomes."""
    script.take("{", "an opening brace before the outcomes")
    pays: list[Pay] = [NO_PAY]
    while not script.on("}"):
        script.take("{", "an outcome in braces, or a closing brace,")
        if script.kind == TEXT:
            script.taken_text("the name of an outcome")
        pays.append(script.taken_pay())
    script.take("}", "a closing brace")
    cells = []
    for _ in range(count):
        number = script.taken_whole("the number of an outcome")
        if number >= len(pays):
            raise script.refusal(f"there is no outcome {number}: the outcomes are 1 to {len(pays) - 1}, and 0 for none")
        cells.append(pays[number])
    return cells


def to_nfg(
    tree: Tree, players: tuple[str, str] = PLAYERS, labels: Labels | None = None, total: Fraction = Fraction(0)
) -> str:
    """The reduced normal form of a tree as a file of Gambit's strategic form.

    A strategy is named by its action in each of the player's infosets, * where its own choices do not lead.
    """
    form, labels = sequence_form(tree), labels or numbered(tree)
    height, width = (strategies(treeplex) for treeplex in form.treeplexes)
    if height * width > MAX_CELLS:
        raise TooLarge(
            f"the normal form of {tree.title} has {_thousands(height)} by {_thousands(width)} strategies, more than "
            f"{MAX_CELLS:,} cells: write it as .efg instead"
        )
    listed = [plans(treeplex) for treeplex in form.treeplexes]
    names = [brace([quote(_name(tree, labels, player, plan)) for plan in listed[player]]) for player in (0, 1)]
    lines = [
        f"NFG 1 R {quote(tree.title)} {brace([quote(player) for player in players])}",
        "",
        brace(names),
        '""',
        "",
    ]
    for column in zip(*payoff_table(form, *listed), strict=True):
        pays = [Fraction(cell, form.denominator) for cell in column]
        lines.append(" ".join(f"{pay} {total - pay}" for pay in pays))
    return "\n".join(lines) + "\n"


def _thousands(number: int) -> str:
    return f"{number:,}" if number < 10**15 else "more than 10^15"


def _name(tree: Tree, labels: Labels, player: int, plan: tuple[int, ...]) -> str:
    """The actions of a plan in the order of the player's infosets."""
    chosen = set(plan)
    parts = []
    for i in tree.numbers(player).tolist():
        taken = [slot for slot in range(tree.count[i]) if tree.first[i] + slot in chosen]
        parts.append(labels.actions[i][taken[0]] if taken else "*")
    return "/".join(parts)
