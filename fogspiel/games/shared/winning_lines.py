"""Winning cells of a board game: lines of tic-tac-toe, the path between two edges of hex, captures of ponnuki."""

from collections import deque
from collections.abc import Collection

from .boards import hex_spread, outline

# The lines of tic-tac-toe as bits of its nine cells, row by row.
LINES = (0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)


def lines_of_three(stones: int) -> int:
    """The bits of all lines of tic-tac-toe that a player has."""
    found = 0
    for line in LINES:
        found |= line if stones & line == line else 0
    return found


def hex_path(rows: int, columns: int, player: int, stones: int) -> int:
    """The bits of a shortest path of a player's stones from one of its edges to the other; 0 where there is none."""
    left, right, top, bottom, full = outline(rows, columns)
    begin, goal = (top, bottom) if player == 0 else (left, right)
    bits = [1 << cell for cell in range(rows * columns)]
    queue = deque(bit for bit in bits if bit & begin & stones)
    paths = {bit: bit for bit in queue}
    while queue:
        bit = queue.popleft()
        if bit & goal:
            return paths[bit]
        around = int(hex_spread(bit, columns, left, right, full)) & stones
        for following in bits:
            if around & following and following not in paths:
                paths[following] = paths[bit] | following
                queue.append(following)
    return 0


def captured_cells(rows: int, columns: int, stones: Collection[int], others: Collection[int]) -> set[int]:
    """The cells of all chains of a player's stones that have no liberty; `others` are the stones of the other."""
    captured, left = set[int](), set(stones)
    while left:
        chain, waiting, breathes = set[int](), [left.pop()], False
        while waiting:
            cell = waiting.pop()
            chain.add(cell)
            for beside in _neighbours(rows, columns, cell):
                if beside in left:
                    left.remove(beside)
                    waiting.append(beside)
                breathes |= beside not in stones and beside not in others
        captured |= set() if breathes else chain
    return captured


def _neighbours(rows: int, columns: int, cell: int) -> list[int]:
    """The cells above, below and beside a cell."""
    row, column = divmod(cell, columns)
    around = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return [up * columns + right for up, right in around if 0 <= up < rows and 0 <= right < columns]
