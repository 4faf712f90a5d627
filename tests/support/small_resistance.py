"""A small Resistance with labelled players: a few missions, and who has enough points first wins.

State and view: the spies as a mask (0 before the draw, and for the resistance), then the mission of each round as a
mask, then its outcome: 0 not yet, 1 passed, 2 sabotaged. Actions: chance and the resistance choose masks; for the spies
1 << players is to pass and the next number to sabotage. So a permutation of the players permutes actions and views.
"""

from fractions import Fraction

import numpy as np

from fogspiel.core.compile.kernel import kernel
from fogspiel.core.game import CHANCE, OVER, Game, Rules, Sizes
from support.symmetries import Generator


def small_resistance(players, spies, sizes, points):
    """The record of the game."""
    rounds, name = len(sizes), "_".join(map(str, (players, spies, *sizes, points)))
    sizes = np.array(sizes)
    passing = 1 << players

    @kernel
    def start(state):
        for cell in range(1 + 2 * rounds):
            state[cell] = 0

    @kernel
    def mover(state):
        number = passed = failed = 0
        for r in range(rounds):
            number += state[1 + rounds + r] > 0
            passed += state[1 + rounds + r] == 1
            failed += state[1 + rounds + r] == 2
        if state[0] == 0:
            return CHANCE
        if passed == points or failed == points:
            return OVER
        return 1 if state[1 + number] > 0 else 0

    @kernel
    def legal(state, out):
        number = 0
        while number < rounds and state[1 + rounds + number] > 0:
            number += 1
        if state[0] > 0 and state[1 + number] > 0:
            out[0], out[1] = passing, passing + 1
            return 2 if state[0] & state[1 + number] else 1
        size = spies if state[0] == 0 else sizes[number]
        count = 0
        for mask in range(1 << players):
            bits = 0
            for player in range(players):
                bits += (mask >> player) & 1
            if bits == size:
                out[count] = mask
                count += 1
        return count

    @kernel
    def apply(state, action):
        number = 0
        while number < rounds and state[1 + rounds + number] > 0:
            number += 1
        if state[0] == 0:
            state[0] = action
        elif action < passing:
            state[1 + number] = action
        else:
            state[1 + rounds + number] = action - passing + 1

    @kernel
    def view(state, player, out):
        for cell in range(1 + 2 * rounds):
            out[cell] = state[cell]
        if player == 0:
            out[0] = 0

    @kernel
    def score(state):
        passed = 0
        for r in range(rounds):
            passed += state[1 + rounds + r] == 1
        return 1 if passed == points else 0

    return Game(
        name=f"resistance of {name}",
        title="a small Resistance",
        version=1,
        rules=Rules(start, mover, legal, apply, view, score),
        sizes=Sizes(1 + 2 * rounds, 1 + 2 * rounds, 1 << players),
        show=str,
        reveal=str,
        label=str,
        source="",
        payoffs=(Fraction(-1), Fraction(1)),
    )


def swap(players, rounds, one):
    """The generator that exchanges players `one` and `one` + 1."""

    def exchanged(mask):
        both = mask >> one & 3
        return mask ^ (3 << one) if both in (1, 2) else mask

    images = np.array([*map(exchanged, range(1 << players)), 1 << players, (1 << players) + 1])

    def view(player, seen):
        return np.concatenate((images[seen[: 1 + rounds]], seen[1 + rounds :]))

    return Generator(f"exchange of players {one} and {one + 1}", images, view)
