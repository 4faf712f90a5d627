"""A vertex of a linear programme in fractions: the equations of its basis, solved by sparse elimination."""

from fractions import Fraction
from heapq import heapify, heappop, heappush

Row = dict[int, Fraction]
"""The coefficients of an equation, by unknown."""


def solution(rows: list[Row], right: list[Fraction]) -> dict[int, Fraction]:
    """The only solution of as many equations as unknowns: always the shortest equation next (Markowitz 1957)."""
    rows, right = [dict(row) for row in rows], list(right)
    users: dict[int, set[int]] = {}
    for number, row in enumerate(rows):
        for unknown in row:
            users.setdefault(unknown, set()).add(number)
    queue = [(len(row), number) for number, row in enumerate(rows)]
    heapify(queue)
    done: list[tuple[int, int]] = []
    waiting = set(range(len(rows)))
    while queue:
        length, number = heappop(queue)
        if number not in waiting or length != len(rows[number]):
            continue
        waiting.remove(number)
        pivot_row = rows[number]
        pivot = min(pivot_row, key=lambda unknown: (len(users[unknown] & waiting), unknown))
        done.append((number, pivot))
        for other in sorted(users[pivot] & waiting):
            factor = rows[other].pop(pivot) / pivot_row[pivot]
            for unknown, value in pivot_row.items():
                if unknown == pivot:
                    continue
                left = rows[other].pop(unknown, 0) - factor * value
                if left:
                    rows[other][unknown] = left
                    users[unknown].add(other)
                else:
                    users[unknown].discard(other)
            right[other] -= factor * right[number]
            heappush(queue, (len(rows[other]), other))
    found: dict[int, Fraction] = {}
    for number, pivot in reversed(done):
        rest = sum((value * found[unknown] for unknown, value in rows[number].items() if unknown != pivot), Fraction(0))
        found[pivot] = (right[number] - rest) / rows[number][pivot]
    return found


def vertex(
    rows: list[tuple[list[int], list[int]]], basic: list[int], tight: list[int], cost: int
) -> tuple[dict[int, Fraction], dict[int, Fraction]]:
    """The basic columns and the multipliers of the tight rows of min column[cost] over rows >= 0 with column 0 at 1."""
    equations: list[Row] = []
    right: list[Fraction] = []
    columns: dict[int, Row] = {column: {} for column in basic}
    for number in tight:
        entries = dict(zip(*rows[number], strict=True))
        equations.append({column: Fraction(value) for column, value in entries.items() if column in columns})
        right.append(Fraction(-entries.get(0, 0)))
        for column, value in equations[-1].items():
            columns[column][number] = value
    prices = [Fraction(int(column == cost)) for column in basic]
    return solution(equations, right), solution(list(columns.values()), prices)
