"""Treeplexes that are numbered while a walk over the histories of a small game meets their infosets."""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

import numpy as np

from ..solve.sequence_form import Treeplex

Key = TypeVar("Key", bound=Hashable)
Entry = TypeVar("Entry")


class TreeplexBuilder(Generic[Key]):
    """The infosets of one player, by what the player knows there, in the order in which they are met."""

    def __init__(self) -> None:
        self.numbers: dict[Key, int] = {}
        self.choices: list[list[int]] = []
        self.first: list[int] = []
        self._parent: list[int] = []
        self._sequences = 1

    def infoset(self, known: Key, sequence: int, choices: Callable[[], list[int]]) -> int:
        """The number of an infoset; a new one continues the sequence, and has an action even without choices."""
        number = self.numbers.setdefault(known, len(self._parent))
        if number == len(self._parent):
            self._parent.append(sequence)
            self.first.append(self._sequences)
            self.choices.append(choices())
            self._sequences += max(len(self.choices[-1]), 1)
        return number

    @property
    def treeplex(self) -> Treeplex:
        """The treeplex so far."""
        count = [max(len(choices), 1) for choices in self.choices]
        return Treeplex(*(np.array(column, np.int64) for column in (self._parent, self.first, count)))


def with_entry(pair: tuple[Entry, Entry], player: int, entry: Entry) -> tuple[Entry, Entry]:
    """The pair with one player's entry replaced."""
    return (entry, pair[1]) if player == 0 else (pair[0], entry)
