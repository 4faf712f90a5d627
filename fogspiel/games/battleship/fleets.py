"""Random Battleship fleets: ships of 5, 4, 3 and 2 in this order, each drawn by a softmax over its free placements.

The logit of a placement is the mean weight of its squares' classes, plus `contact` times the fraction of its squares
that touch an earlier ship. Given shots, placements with a miss are excluded and each hit explained adds 3. (A hit
explained by an earlier ship lies under that ship, so every hit on a free placement is still unexplained.)

Squares that the eight symmetries of the sea map onto each other form a class: 0 the corners .. 14 the middle.
"""

import math

import numpy as np

from ...core.compile.kernel import inlined, kernel, ones
from ...core.rng import random_unit
from .rules import FIRST, HIT, LENGTHS, LYING, MISS, PLACEMENTS, SEEN_HITS, SEEN_SHIP, SEEN_TARGET, SHIPS, SIDE, SQUARES

# Tables


def class_of(square: int) -> int:
    u, v = (min(place, SIDE - 1 - place) for place in divmod(square, SIDE))
    return max(u, v) * (max(u, v) + 1) // 2 + min(u, v)


CLASS = np.array([class_of(square) for square in range(SQUARES)])
CLASSES = 15


def near(squares: list[int]) -> list[int]:
    """Return the squares that share an edge with one of these."""
    steps = [(square, square % SIDE + step) for square in squares for step in (-1, 1)]
    across = [square - square % SIDE + column for square, column in steps if 0 <= column < SIDE]
    down = [square + step for square in squares for step in (-SIDE, SIDE) if 0 <= square + step < SQUARES]
    return sorted({*across, *down})


HALF = 5 * SIDE


def masks(squares: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Return sets of squares as bits of two integers, for the first five rows and the last four.

    No ship is longer than five squares, so its two integers have no bit in common and their union represents it.
    """
    low = [sum(1 << square for square in one if square < HALF) for one in squares]
    high = [sum(1 << square - HALF for square in one if square >= HALF) for one in squares]
    return np.array(low), np.array(high)


LOW, HIGH = masks(PLACEMENTS)
NEAR_LOW, NEAR_HIGH = masks([near(squares) for squares in PLACEMENTS])
CROSSING = LENGTHS[0] + 1


@inlined
def overlap(placement, low, high, near_low, near_high):
    """Count the near squares of a placement; return CROSSING if it covers a forbidden one."""
    if (LOW[placement] & low) | (HIGH[placement] & high) != 0:
        return CROSSING
    return ones((LOW[placement] & near_low) | (HIGH[placement] & near_high))


# The distribution

MANY = FIRST[SHIPS]
FACTORS = MANY
# In a plan: the weight of each placement, then for each ship a factor per number of squares touching earlier ships.
DISTRIBUTION = FACTORS + SHIPS * (CROSSING + 1)
LARGEST = 300.0  # larger parameters are clipped to this, so that no weight below overflows or underflows
# Factor of a placement's weight, by the number of hits that it would explain.
PULL = tuple(math.exp(3.0 * hits) for hits in range(LENGTHS[0] + 1))
TRIES = 20  # maximum number of fleets drawn for each one requested
LIVE, EXPLAINED, OTHER, LISTS, LAID = 0, MANY, 2 * MANY, 3 * MANY, 3 * MANY + 2 * SHIPS + 1
# Integers of a sampler: listed placements, hits each explains, alias of each, offsets of the lists, the fleet drawn.
INTEGERS = LAID + SHIPS
WEIGHT, SUM, SHARE, TOTAL = 0, MANY, 2 * MANY, 3 * MANY
# Reals of a sampler: weights of the listed placements, running sums, acceptance probabilities, totals of ships.
REALS = TOTAL + SHIPS


@inlined
def bound(value, most):
    return min(max(value, -most), most)


@kernel
def prepare_fleets(theta, classes, contact, plan, block):
    """Write the weights of the distribution whose class weights start at `theta[classes]`."""
    for ship in range(SHIPS):
        length, factors = LENGTHS[ship], block + FACTORS + ship * (CROSSING + 1)
        for placement in range(FIRST[ship], FIRST[ship + 1]):
            logit = 0.0
            for i in range(length):
                logit += bound(theta[classes + CLASS[LYING[placement, i]]], LARGEST)
            plan[block + placement] = math.exp(logit / length)
        for touching in range(CROSSING):
            plan[factors + touching] = math.exp(bound(theta[contact], LARGEST) * min(touching, length) / length)
        plan[factors + CROSSING] = 0.0


@kernel
def list_placements(plan, block, seen, integers, reals):
    """List the placements without a miss, by ship, those that explain hits before those that explain none."""
    count, miss_low, miss_high, hit_low, hit_high = 0, 0, 0, 0, 0
    for square in range(SQUARES):
        there, bit = seen[SEEN_TARGET + square], 1 << (square if square < HALF else square - HALF)
        if there == MISS and square < HALF:
            miss_low |= bit
        elif there == MISS:
            miss_high |= bit
        elif there == HIT and square < HALF:
            hit_low |= bit
        elif there == HIT:
            hit_high |= bit
    for ship in range(SHIPS):
        integers[LISTS + 2 * ship] = count
        for placement in range(FIRST[ship], FIRST[ship + 1]):
            explained = overlap(placement, miss_low, miss_high, hit_low, hit_high)
            integers[EXPLAINED + placement] = explained
            if 0 < explained < CROSSING:
                integers[LIVE + count] = placement
                reals[WEIGHT + count] = plan[block + placement] * PULL[explained]
                count += 1
        integers[LISTS + 2 * ship + 1] = count
        for placement in range(FIRST[ship], FIRST[ship + 1]):
            if integers[EXPLAINED + placement] == 0:
                integers[LIVE + count] = placement
                reals[WEIGHT + count] = plan[block + placement]
                count += 1
    integers[LISTS + 2 * SHIPS] = count


@inlined
def first_reaching(sums, first, mark):
    while sums[first] < mark:
        first += 1
    return first


@kernel
def draw_placement(plan, factors, integers, reals, ship, low, high, near_low, near_high, stream):
    """Draw a placement for the next ship from the listed ones, by weight; -1 if none is free."""
    total = 0.0
    for i in range(integers[LISTS + 2 * ship], integers[LISTS + 2 * ship + 2]):
        met = overlap(integers[LIVE + i], low, high, near_low, near_high)
        total += reals[WEIGHT + i] * plan[factors + met]
        reals[SUM + i] = total
    if total == 0.0:
        return -1
    return first_reaching(reals, SUM + integers[LISTS + 2 * ship], (1.0 - random_unit(stream)) * total) - SUM


@kernel
def place(plan, block, seen, ship, stream):
    """Draw a placement for the next ship of the player's own fleet."""
    integers, reals = np.empty(INTEGERS, np.int64), np.empty(REALS)
    list_placements(plan, block, seen, integers, reals)
    low, high, near_low, near_high = 0, 0, 0, 0
    for earlier in range(ship):
        placement = seen[SEEN_SHIP + earlier]
        low |= LOW[placement]
        high |= HIGH[placement]
        near_low |= NEAR_LOW[placement]
        near_high |= NEAR_HIGH[placement]
    factors = block + FACTORS + ship * (CROSSING + 1)
    return integers[LIVE + draw_placement(plan, factors, integers, reals, ship, low, high, near_low, near_high, stream)]


@kernel
def fill_alias_table(integers, reals, ship):
    """Fill Walker's alias table of the placements that explain no hit."""
    first, end, total = integers[LISTS + 2 * ship + 1], integers[LISTS + 2 * ship + 2], 0.0
    for i in range(first, end):
        total += reals[WEIGHT + i]
    reals[TOTAL + ship] = total
    columns = (end - first) / total if end > first else 0.0
    for i in range(first, end):
        reals[SHARE + i] = reals[WEIGHT + i] * columns
        integers[OTHER + i] = i
    heavy = first
    while heavy < end and reals[SHARE + heavy] <= 1:
        heavy += 1
    for column in range(first, end):
        light = column
        # A heavy column that has given away its surplus becomes light; if already passed, it is filled at once.
        while light <= column and heavy < end and reals[SHARE + light] < 1 and integers[OTHER + light] == light:
            integers[OTHER + light] = heavy
            reals[SHARE + heavy] -= 1 - reals[SHARE + light]
            if reals[SHARE + heavy] > 1:
                break
            light = heavy
            while heavy < end and reals[SHARE + heavy] <= 1:
                heavy += 1


PROPOSALS = 32  # draws from the alias table before all placements are weighed


@kernel
def draw_fleet(plan, block, integers, reals, stream):
    """Draw a fleet from the distribution; return the number of ships placed.

    Only placements that explain hits are weighed one by one. The others are the majority, and earlier ships can only
    reduce their weights below the largest factor times the base weight. So they are drawn from the alias table with
    that bound and rejected as necessary (von Neumann's rejection). If that does not succeed soon, all placements are
    weighed. Everything is written out here because a call per ship costs as much as its draw.
    """
    low, high, near_low, near_high = 0, 0, 0, 0
    for ship in range(SHIPS):
        factors = block + FACTORS + ship * (CROSSING + 1)
        first, plain, end = integers[LISTS + 2 * ship], integers[LISTS + 2 * ship + 1], integers[LISTS + 2 * ship + 2]
        highest = max(1.0, plan[factors + LENGTHS[ship]]) if ship > 0 else 1.0
        pulled = 0.0
        for i in range(first, plain):
            met = overlap(integers[LIVE + i], low, high, near_low, near_high)
            pulled += reals[WEIGHT + i] * plan[factors + met]
            reals[SUM + i] = pulled
        whole = pulled + highest * reals[TOTAL + ship]
        found = -1
        for _ in range(PROPOSALS):
            mark = random_unit(stream) * whole
            if mark < pulled:
                found = first
                while reals[SUM + found] < pulled - mark:
                    found += 1
                break
            if plain == end:
                break
            place = random_unit(stream) * (end - plain)
            column = plain + int(place)
            i = column if place - int(place) < reals[SHARE + column] else integers[OTHER + column]
            met = overlap(integers[LIVE + i], low, high, near_low, near_high)
            if random_unit(stream) * highest < plan[factors + met]:
                found = i
                break
        if found < 0:
            found = draw_placement(plan, factors, integers, reals, ship, low, high, near_low, near_high, stream)
            if found < 0:
                return ship
        placement = integers[LIVE + found]
        integers[LAID + ship] = placement
        low |= LOW[placement]
        high |= HIGH[placement]
        near_low |= NEAR_LOW[placement]
        near_high |= NEAR_HIGH[placement]
    return SHIPS


@kernel
def tally_fleets(plan, block, seen, wanted, tally, stream):
    """Draw fleets; count by square those that explain every hit, and after them the others.

    Return the number of fleets that explain every hit.
    """
    integers, reals = np.empty(INTEGERS, np.int64), np.empty(REALS)
    list_placements(plan, block, seen, integers, reals)
    for ship in range(SHIPS):
        fill_alias_table(integers, reals, ship)
    accepted = 0
    for _ in range(TRIES * wanted):
        laid, explained = draw_fleet(plan, block, integers, reals, stream), 0
        for ship in range(laid):
            explained += integers[EXPLAINED + integers[LAID + ship]]
        good = laid == SHIPS and explained == seen[SEEN_HITS]
        for ship in range(laid):
            for i in range(LENGTHS[ship]):
                tally[LYING[integers[LAID + ship], i] + (0 if good else SQUARES)] += 1
        if good:
            accepted += 1
            if accepted == wanted:
                break
    return accepted
