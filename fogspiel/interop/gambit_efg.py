"""Gambit's extensive-form files, `EFG 2 R` and `EFG 2 D`: read into a tree, and written from one.

    c "name" infoset "infoset's name" { "action" probability .. } outcome "outcome's name" { payoff, payoff }
    p "name" player infoset "infoset's name" { "action" .. } outcome "outcome's name" { payoff, payoff }
    t "name" outcome "outcome's name" { payoff, payoff }

Nodes come in preorder. What follows the number of an infoset or outcome may be left out once it has been given;
outcome 0 is none. Outcomes on the way to a leaf are added up. Written by the format's description in Gambit's manual.
"""

from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np

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
)
from ..solving.tree.tree import LEAF, Tree, chance_moves
from .gambit_tokens import END, TEXT, WORD, TokenStream, brace, file_text, heading, plain, quote


def read_efg(path: str | Path, most: int = DEFAULT_MOST) -> LabelledTree:
    """The game in a file of Gambit's extensive form; `most` limits its nodes."""
    return from_efg(file_text(path), str(path), most)


def from_efg(text: str, source: str = "the text", most: int = DEFAULT_MOST) -> LabelledTree:
    """The game in a text of Gambit's extensive form; `source` is what errors call it."""
    script = TokenStream(text, source)
    title, players = heading(script, "EFG", "2", "extensive-form")
    if script.kind == TEXT:
        script.taken_text("a comment")
    plant, known = TreeBuilder(source, most, script.entry), Known({}, {}, {})
    while not plant.complete:
        script.begin_entry()
        if script.kind != WORD:
            raise script.unexpected("the next node, c, p or t,")
        letter = script.taken(WORD, "a node")
        if letter not in NODES:
            raise ValueError(f"{script.entry()}: here is {letter[:40]!r}, where the next node, c, p or t, should be")
        script.taken_text("the name of the node in quotes")
        NODES[letter](script, plant, known)
    if script.kind != END:
        raise script.refusal("every node of the tree is there, but the file goes on")
    return plant.described(title or Path(source).stem, players)


class Offer(NamedTuple):
    """An infoset's name, its actions, and their probabilities if it is chance's."""

    name: str
    actions: tuple[str, ...]
    probabilities: tuple[Fraction, ...] = ()


class EfgOutcome(NamedTuple):
    """An outcome's name and payoffs."""

    name: str
    pay: Pay


class Known(NamedTuple):
    """Definitions so far, by number: players' infosets, chance's infosets, outcomes."""

    infosets: dict[tuple[int, int], Offer]
    chances: dict[int, Offer]
    outcomes: dict[int, EfgOutcome]


def _read_chance(script: TokenStream, plant: TreeBuilder, known: Known) -> None:
    number = script.taken_whole("the number of the infoset")
    before = known.chances.get(number)
    name = script.taken_text("a name") if script.kind == TEXT else ""
    if script.on("{"):
        offer = _taken_chances(script, name)
        if before and before[1:] != offer[1:]:
            raise ValueError(f"{script.entry()}: infoset {number} of chance had other actions or probabilities before")
    elif before:
        offer = before
    else:
        raise script.unexpected(f"the list of actions of infoset {number} of chance, which was not given yet,")
    known.chances.setdefault(number, offer)
    plant.add_chance(offer.actions, offer.probabilities, _taken_outcome(script, known)[1])


def _taken_chances(script: TokenStream, name: str) -> Offer:
    """The actions of chance between braces, each with its probability."""
    script.take("{", "an opening brace")
    actions, probabilities, decimals = [], [], False
    while not script.on("}"):
        actions.append(script.taken_text("an action in quotes, or a closing brace"))
        decimals = decimals or "." in script.token
        probabilities.append(script.taken_number("the probability of the action"))
    if not actions:
        raise script.refusal("chance has no action here: there must be at least one")
    script.take("}", "a closing brace")
    return Offer(name, tuple(actions), tuple(exact_probabilities(probabilities) if decimals else probabilities))


def _read_decision(script: TokenStream, plant: TreeBuilder, known: Known) -> None:
    player = script.taken_whole("the number of the player")
    if player not in (1, 2):
        raise ValueError(f"{script.entry()}: there is no player {player}: the players are 1 and 2")
    number = script.taken_whole("the number of the infoset")
    before = known.infosets.get((player, number))
    name = script.taken_text("a name") if script.kind == TEXT else ""
    if script.on("{"):
        actions = script.taken_texts("an action")
        if not actions:
            raise ValueError(f"{script.entry()}: player {player} has no action here: there must be at least one")
    elif before:
        actions = before.actions
    else:
        raise script.unexpected(f"the list of actions of infoset {number}, which was not given yet,")
    offer = known.infosets.setdefault((player, number), Offer(name or f"({player},{number})", actions))
    plant.add_decision(player - 1, number, offer.name, actions, _taken_outcome(script, known)[1])


def _read_leaf(script: TokenStream, plant: TreeBuilder, known: Known) -> None:
    number, pay = _taken_outcome(script, known)
    name = known.outcomes[number].name if number else ""
    plant.add_leaf(pay, f"outcome {number}" + (f" {name!r}" if name else ""))


NODES = {"c": _read_chance, "p": _read_decision, "t": _read_leaf}


def _taken_outcome(script: TokenStream, known: Known) -> tuple[int, Pay]:
    """The number of an outcome and what it pays, given here or before."""
    number = script.taken_whole("the number of the outcome")
    name = script.taken_text("a name") if script.kind == TEXT else ""
    before = known.outcomes.get(number)
    if script.on("{"):
        script.take("{", "an opening brace")
        pay = script.taken_pay()
        if number == 0:
            raise ValueError(f"{script.entry()}: outcome 0 stands for no payoffs, but has some here: number it from 1")
        if before and before.pay != pay:
            raise ValueError(f"{script.entry()}: outcome {number} had other payoffs before: give it another number")
        known.outcomes.setdefault(number, EfgOutcome(name, pay))
        return number, pay
    if number == 0:
        return number, NO_PAY
    if not before:
        raise script.unexpected(f"the payoffs of outcome {number}, which were not given yet,")
    return number, before.pay


def to_efg(
    tree: Tree, players: tuple[str, str] = PLAYERS, labels: Labels | None = None, total: Fraction = Fraction(0)
) -> str:
    """A tree as a file of Gambit's extensive form; the second player is paid `total` minus the first one's payoff."""
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
