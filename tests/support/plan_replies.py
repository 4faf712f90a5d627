"""A second checker of plans certificates, from the rules alone: plain recursion over all that a replier may try.

It shares nothing with `fogspiel`: stones are letters, and a mixture is one tree of nested dictionaries. A try is passed
over only if to win all games after it would be no better than another one. Of first tries that symmetry makes equal
one is enough, since the mixture is symmetric.
"""

from fractions import Fraction
from functools import cache

LINES = ("abc", "def", "ghi", "adg", "beh", "cfi", "aei", "ceg")
TURN, MIRROR = str.maketrans("abcdefghi", "gdahebifc"), str.maketrans("abcdefghi", "cbafedihg")


class TicTacToe:
    """Three in a line."""

    cells = "abcdefghi"

    @cache  # noqa: B019 (there are few boards)
    def wins(self, player, stones):
        return any(set(line) <= set(stones) for line in LINES)

    def images(self, text):
        for _ in range(4):
            text = text.translate(TURN)
            yield text
            yield text.translate(MIRROR)


class Hex:
    """Black joins the rows, White the columns."""

    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.cells = "".join(chr(97 + cell) for cell in range(rows * columns))
        self.known = {}

    def wins(self, player, stones):
        key = player, stones
        if key not in self.known:
            places = {divmod(ord(stone) - 97, self.columns) for stone in stones}
            reached = {place for place in places if place[player] == 0}
            while True:
                more = {
                    (r, c) for r, c in places
                    if {(r, c - 1), (r, c + 1), (r - 1, c), (r + 1, c), (r - 1, c + 1), (r + 1, c - 1)} & reached
                }  # fmt: skip
                if more <= reached:
                    break
                reached |= more
            last = (self.rows, self.columns)[player] - 1
            self.known[key] = any(place[player] == last for place in reached)
        return self.known[key]

    def images(self, text):
        yield text
        yield text.translate(str.maketrans(self.cells, self.cells[::-1]))


BOARDS = {
    "phantom-ttt-abrupt": (TicTacToe, (), "abrupt"),
    "phantom-ttt-numturns": (TicTacToe, (), "numturns"),
    "dark-hex-3x3-abrupt": (Hex, (3, 3), "abrupt"),
    "dark-hex-4x3": (Hex, (3, 4), "classical"),
    "dark-hex-3x4": (Hex, (4, 3), "classical"),
}


class Mixture:
    """All plans of a player and their images, merged: at a node, for each cell, a weight and the nodes that follow."""

    def __init__(self, board, variant, player, entries):
        self.board, self.variant, self.player, self.root = board, variant, player, {}
        for text, weight in entries.items():
            for image in board.images(text):
                self.letters = iter(image)
                self.merge(self.root, int(weight), "", "", 0)
        self.total = sum(weight for weight, _ in self.root.values())

    def merge(self, node, weight, own, failed, suffered):
        """Add what a plan does after its player has these stones and failures."""
        if self.variant == "abrupt":
            ended = len(own) + len(failed) == len(self.board.cells)
        else:
            enemies = len(own) + self.player
            ended = len(failed) > enemies or len(own) + enemies >= len(self.board.cells)
        if ended:
            return
        cell = next(self.letters)
        entry = node.setdefault(cell, [0, {}])
        entry[0] += weight
        self.merge(entry[1].setdefault(0, {}), weight, own, failed + cell, suffered)
        stones = "".join(sorted(own + cell))
        if not self.board.wins(self.player, stones):
            most = len(stones) - suffered + 1 if self.variant == "numturns" else 1
            for tries in range(1, most + 1):
                self.merge(entry[1].setdefault(tries, {}), weight, stones, failed, suffered + tries - 1)


def most_half_points(mixture):
    """The most half points of the other player against a mixture, of all its weight."""
    board, variant, primal_player = mixture.board, mixture.variant, mixture.player
    replier, everywhere = 1 - primal_player, len(board.cells)

    def planner_turn(node, stones, own, tries):
        """All that may come of a turn: what it pays, or the entry, the stones and the number of tries after it."""
        for cell, (weight, following) in node.items():
            if cell in own:
                if variant == "abrupt":
                    yield 0, (weight, following, 0, stones), tries
                else:
                    yield from planner_turn(following[0], stones, own, tries + 1)
                continue
            more = "".join(sorted(stones + cell))
            if board.wins(primal_player, more):
                yield 0, None, tries
            elif len(more) + len(own) == everywhere:
                yield weight, None, tries
            else:
                yield 0, (weight, following, 1, more), tries

    def best(own, failed, tries, worlds):
        """The most half points at a history: a world is a weight, what follows, the last outcome, and the stones."""
        ways = []
        for cell in board.cells:
            if cell in own or cell in failed or (not own and not failed and cell != min(board.images(cell))):
                continue
            if variant == "classical" and all(cell in world[3] for world in worlds):
                continue  # it would fail for sure, tell nothing, and cost nothing
            points, told = attempt(own, tries, worlds, cell)
            running = sum(world[0] for after in told.values() for world in after)
            ways.append((points + 2 * running, cell, points, told))
        found = -1
        for limit, cell, points, told in sorted(ways, key=lambda way: -way[0]):
            if limit <= found:
                break
            more = "".join(sorted(own + cell))
            for heard, after in told.items():
                points += best(more, failed, 0, after) if heard else best(own, failed + cell, tries + 1, after)
            found = max(found, points)
        return found

    def attempt(own, tries, worlds, cell):
        """What ended games pay when a cell is tried, and the worlds by what the replier hears."""
        points, told = 0, {}
        more = "".join(sorted(own + cell))
        wins = board.wins(replier, more)
        for world in worlds:
            weight, following, outcome, stones = world
            free = cell not in stones
            if free and wins:
                points += 2 * weight
            elif free and len(more) + len(stones) == everywhere:
                points += weight
            elif not free and variant != "abrupt":
                told.setdefault(0, []).append(world)
            else:
                said = tries + 1 if variant == "numturns" and outcome else outcome
                for paid, after, number in planner_turn(following[said], stones, more if free else own, 1):
                    points += paid
                    if after is not None:
                        heard = (number if variant == "numturns" else 1) if free else 0
                        told.setdefault(heard, []).append(after)
        return points, told

    start = (mixture.total, {0: mixture.root, 1: mixture.root}, 0, "")
    if replier == 0:
        return best("", "", 0, [start])
    return best("", "", 0, [after for _, after, _ in planner_turn(mixture.root, "", "", 1)])


def bounds_of(body, board, variant):
    """What the two mixtures of a certificate secure."""
    black, white = (Mixture(board, variant, player, body[who]) for player, who in enumerate(("black", "white")))
    return (
        1 - Fraction(most_half_points(black), 2 * black.total),
        Fraction(most_half_points(white), 2 * white.total),
    )


def bounds_of_game(body):
    """What a certificate of a game of the package secures."""
    kind, sizes, variant = BOARDS[body["game"]]
    return bounds_of(body, kind(*sizes), variant)
