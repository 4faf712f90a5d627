"""What played games are compared with."""

from fractions import Fraction

from fogspiel.core.simulate import PolicyMatch


def scores_agree(game, first, second, exact, pairs=100_000):
    """Whether played games score within four standard errors of the exact value."""
    means = PolicyMatch(game, first, second).scores(7, 0, pairs).mean(axis=1) / 2
    return abs(means.mean() - float(exact)) <= 4 * means.std() / pairs**0.5


def referee(grid, first, second):
    """The first player's score when two permutations of the cells play each other, in the words of the paper."""
    stones, orders = [set(), set()], [list(first), list(second)]
    for turn in range(grid.cells):
        mover = turn % 2
        cell = next(c for c in orders[mover] if c not in stones[0] | stones[1])
        stones[mover].add(cell)
        if any(set(line) <= stones[mover] for line in grid.lines):
            return Fraction(1 - mover)
    return Fraction(1, 2)


def aligned(stones):
    """Whether four of these (column, row) pairs are in a line."""
    steps = ((1, 0), (0, 1), (1, 1), (1, -1))
    return any(all((c + i * dc, r + i * dr) in stones for i in range(4)) for c, r in stones for dc, dr in steps)
