"""The checkers of games on boards compute what plain play of random strategies gives, on the smallest boards.

Plain play keeps lists of possible courses, tries every cell, passes over nothing and merges nothing.
"""

import random
from fractions import Fraction

import pytest
from support.certificates import reseal

from fogspiel.solving.proofs.checkers import phantom, pure_strategies

BOARDS = ["phantom-ttt-2x2-2", "dark-hex-2x2", "phantom-ttt-2x3-2", "dark-hex-2x3", "dark-hex-3x2", "phantom-ttt-1x5-3"]
HALF = Fraction(1, 2)


def bits(stones):
    return sum(1 << cell for cell in stones)


def cells_in(mask):
    return {cell for cell in range(mask.bit_length()) if mask >> cell & 1}


class PlainPlay:
    """The most that the player of a seat scores against a planner, whose courses are (stones, memory, weight).

    `moves(memory)` gives the planner's cells with their probabilities, `heard(memory, cell, failed)` what it remembers
    after a try, and `told(memory, tries)` after the turn of the other.
    """

    def __init__(self, board, seat, planner, variant="classical", first=None):
        self.board, self.seat, self.planner, self.variant = board, seat, planner, variant
        self.cells = set(range(board.cells))
        self.first = self.cells if first is None else first

    def won(self, player, stones):
        return self.board.won[player][bits(stones)]

    def score(self, memory):
        start = [(frozenset(), memory, Fraction(1))]
        if self.seat == 0:
            return self.best(frozenset(), frozenset(), 0, start)
        paid, told = self.answers(frozenset(), start)
        assert paid == 0
        return sum(self.best(frozenset(), frozenset(), 0, left) for left in told.values())

    def answers(self, own, courses):
        """The planner's turn: half points that are sure now, and the courses by what is announced."""
        paid, told, waiting = Fraction(0), {}, [(course, 1) for course in courses]
        while waiting:
            (stones, memory, weight), count = waiting.pop()
            for cell, share in self.planner.moves(memory).items():
                failed, reach = cell in own, weight * share
                after = stones if failed else stones | {cell}
                course = after, self.planner.heard(memory, cell, failed), reach
                if failed and self.variant != "abrupt":
                    waiting.append((course, count + 1))
                elif not failed and self.won(1 - self.seat, after):
                    continue
                elif len(after) + len(own) == len(self.cells):
                    paid += reach / 2
                else:
                    told.setdefault(count if self.variant == "numturns" else 0, []).append(course)
        return paid, told

    def best(self, own, known, tries, courses):
        """The most from the player's next try on."""
        found = []
        for cell in self.cells - own - known:
            if not own and self.seat == 0 and cell not in self.first:
                continue
            stays = [course for course in courses if cell not in course[0]]
            fails = [course for course in courses if cell in course[0]]
            worth, more = Fraction(0), own | {cell}
            if self.won(self.seat, more):
                worth, stays = sum((weight for _, _, weight in stays), worth), []
            elif len(more) + (len(stays[0][0]) if stays else 0) == len(self.cells):
                worth, stays = sum((weight / 2 for _, _, weight in stays), worth), []
            worth += self.turned(more, known, tries + 1, stays) if stays else 0
            if fails and self.variant == "abrupt":
                worth += self.turned(own, known | {cell}, tries + 1, fails)
            elif fails:
                worth += self.best(own, known | {cell}, tries + 1, fails)
            found.append(worth)
        return max(found)

    def turned(self, own, known, tries, courses):
        paid, told = self.answers(own, [(s, self.planner.told(memory, tries), w) for s, memory, w in courses])
        return paid + sum(self.best(own, known, 0, left) for left in told.values())


# Behaviour strategies


class Situations:
    """A random strategy of a phantom game, the same in situations that a symmetry makes equal.

    A memory is a list of turns: the failed tries and the stone, -1 in the turn that is being played.
    """

    def __init__(self, board, player, draw, first):
        self.board, self.player, self.draw, self.first, self.rows = board, player, draw, first, {}

    def images(self, memory):
        for number, turned in enumerate(self.board.symmetries):
            yield tuple((bits(turned[c] for c in cells_in(f)), turned[s] if s >= 0 else s) for f, s in memory), number

    def known(self, memory):
        return bits({stone for _, stone in memory if stone >= 0} | set().union(*(cells_in(f) for f, _ in memory)))

    def moves(self, memory):
        smallest, number = min(self.images(memory))
        turned, free = self.board.symmetries[number], set(range(self.board.cells)) - cells_in(self.known(memory))
        if len(free) == 1 or len(memory) > self.board.cells // 2:
            return {min(free): Fraction(1)}
        if smallest not in self.rows:
            self.rows[smallest] = self.drawn(smallest)
        shares = self.rows[smallest]
        if shares is None:
            return {min(free): Fraction(1)}
        return {cell: shares[turned[cell]] for cell in free if turned[cell] in shares}

    def drawn(self, memory):
        """Probabilities of the cells, equal for those that a symmetry of the memory exchanges; now and then none."""
        free = set(range(self.board.cells)) - cells_in(self.known(memory))
        if len(memory) == 1 and self.player == 0:
            free &= self.first
        elif self.draw.random() < 0.15:
            return None
        same = [self.board.symmetries[number] for image, number in self.images(memory) if image == memory]
        parts = {}
        for cell in sorted(free):
            alike = min(turned[cell] for turned in same)
            parts[cell] = parts[alike] if alike in parts else self.draw.choice((0, 1, 1, 2))
        if not any(parts.values()):
            parts = dict.fromkeys(free, 1)
        return {cell: Fraction(part, sum(parts.values())) for cell, part in parts.items() if part}

    def heard(self, memory, cell, failed):
        *past, (tried, _) = memory
        return (*past, (tried | 1 << cell, -1)) if failed else (*past, (tried, cell), (0, -1))

    def told(self, memory, tries):
        return memory

    def text(self):
        """The rows of a certificate."""
        names = [chr(65 + cell % self.board.columns) + str(1 + cell // self.board.columns)
                 for cell in range(self.board.cells)]  # fmt: skip
        for memory, shares in self.rows.items():
            words = [",".join(names[c] for c in cells_in(failed)) for failed, _ in memory]
            past = [f"{word}:{names[stone]}" if word else names[stone]
                    for word, (_, stone) in zip(words, memory[:-1], strict=False)]  # fmt: skip
            if shares is not None:
                yield [" ".join(past), words[-1], {names[cell]: str(share) for cell, share in shares.items()}]


@pytest.mark.parametrize("name", BOARDS)
@pytest.mark.parametrize("seed", range(2))
def test_a_strategy_guarantees_what_plain_play_leaves(name, seed):
    board, draw = phantom.board_of(name), random.Random(f"{name} {seed}")
    begin = draw.randrange(board.cells)
    opening = {turned[begin] for turned in board.symmetries}
    for player in (0, 1):
        for first in (set(range(board.cells)), opening):
            planner = Situations(board, player, draw, first)
            left = PlainPlay(board, 1 - player, planner, first=first).score(((0, -1),))
            strategy = phantom.strategy_of(board, player, [*planner.text()])
            assert strategy == {memory: shares for memory, shares in planner.rows.items() if shares is not None}
            found = phantom.guaranteed_value(board, player, strategy, first)
            assert found == (1 - left if player == 0 else left)
    black = Situations(board, 0, draw, set(range(board.cells)))
    if len(opening) < len(black.moves(((0, -1),))):
        with pytest.raises(ValueError, match="not of the opening"):
            phantom.guaranteed_value(board, 0, {((0, -1),): black.rows[((0, -1),)]}, opening)


@pytest.mark.parametrize("name", ["dark-hex-2x2", "dark-hex-3x2", "phantom-ttt-1x5-3"])
def test_a_certificate_of_two_strategies_proves_an_interval(name):
    board, draw = phantom.board_of(name), random.Random(name)
    sides, proved = {}, []
    for player, who in enumerate(("black", "white")):
        planner = Situations(board, player, draw, set(range(board.cells)))
        left = PlainPlay(board, 1 - player, planner).score(((0, -1),))
        sides[who] = [*planner.text()]
        proved.append(1 - left if player == 0 else left)
    body = {"format": phantom.FORMAT, "game": name, "rules": 1, "strategies": sides, "value": str(proved[0]),
            "lower": str(proved[0]), "upper": str(proved[1])}  # fmt: skip
    assert phantom.verify(reseal(body)) == tuple(proved) and proved[0] < proved[1]
    assert phantom.verify(reseal({**body, "value": str(proved[1])})) == tuple(proved)
    for change in ({"lower": str(proved[1])}, {"upper": str(proved[0])}, {"value": str(proved[1] + 1)}):
        with pytest.raises(ValueError, match=r"but it claims|not between its bounds"):
            phantom.verify(reseal(body | change))


# Mixtures of pure strategies


class Plans:
    """A mixture of random plans: nested (cell, plan after a failure, {tries of the other: plan after that})."""

    def __init__(self, board, player, variant, draw):
        self.board, self.player, self.variant, self.draw = board, player, variant, draw
        self.weights = {}
        while len(self.weights) < 3:
            plan = self.drawn(frozenset(), frozenset(), 0)
            self.weights[self.text(plan)] = (plan, draw.randint(1, 4))

    def drawn(self, own, known, suffered):
        """A plan from here on, None if the player never gets here."""
        enemies = len(own) + self.player
        if self.variant == "abrupt":
            if len(own | known) == self.board.cells:
                return None
        elif len(known) > enemies or len(own) + enemies >= self.board.cells:
            return None
        cell = self.draw.choice(sorted(set(range(self.board.cells)) - own - known))
        failed, more = self.drawn(own, known | {cell}, suffered), own | {cell}
        if self.board.won[self.player][bits(more)]:
            return cell, failed, {}
        most = len(more) - suffered + 1 if self.variant == "numturns" else 1
        return cell, failed, {n: self.drawn(more, known, suffered + n - 1) for n in range(1, most + 1)}

    def text(self, plan):
        if plan is None:
            return ""
        cell, failed, stayed = plan
        return chr(97 + cell) + self.text(failed) + "".join(map(self.text, stayed.values()))

    def moves(self, memory):
        turned, plan = memory
        return {turned[plan[0]]: 1}

    def courses(self):
        total = len(self.board.symmetries) * sum(weight for _, weight in self.weights.values())
        return [
            (frozenset(), (turned, plan), Fraction(weight, total))
            for plan, weight in self.weights.values()
            for turned in self.board.symmetries
        ]

    def heard(self, memory, cell, failed):
        turned, plan = memory
        if not failed:
            return turned, plan[2]
        return turned, plan[1]

    def told(self, memory, tries):
        turned, plan = memory
        if isinstance(plan, dict):  # after a stone the plan goes on with the tries of the other
            plan = plan[tries if self.variant == "numturns" else 1]
        return turned, plan


@pytest.mark.parametrize("variant", ["", "-abrupt", "-numturns"])
@pytest.mark.parametrize("name", BOARDS)
@pytest.mark.parametrize("seed", range(2))
def test_plans_leave_what_plain_play_gets_from_them(name, variant, seed):
    rules, draw = pure_strategies.rules_of(name + variant), random.Random(f"{name} {variant} {seed}")
    assert rules.variant == (variant[1:] or "classical")
    for player in (0, 1):
        plans = Plans(rules.board, player, rules.variant, draw)
        play, courses = PlainPlay(rules.board, 1 - player, plans, rules.variant), plans.courses()
        if player == 0:
            _, told = play.answers(frozenset(), courses)
            left = sum(play.best(frozenset(), frozenset(), 0, part) for part in told.values())
        else:
            left = play.best(frozenset(), frozenset(), 0, courses)
        entries = {text: str(weight) for text, (_, weight) in plans.weights.items()}
        worlds = pure_strategies.worlds_of(rules, player, entries)
        assert pure_strategies.best_score(rules, 1 - player, worlds) == left
        for text in entries:
            with pytest.raises(ValueError, match="longer than a plan can be"):
                pure_strategies.plan_of(rules, player, text + "a")
            with pytest.raises(ValueError, match="where a cell should be"):
                pure_strategies.plan_of(rules, player, text[:-1])


def test_weights_of_plans_are_whole_numbers_within_limits(monkeypatch):
    rules = pure_strategies.rules_of("dark-hex-2x2")
    (text,) = [*Plans(rules.board, 0, "classical", random.Random(1)).weights][:1]
    worlds = pure_strategies.worlds_of(rules, 0, {text: "9" * 400})
    assert [world.moved for world in worlds] == rules.board.symmetries and worlds[0].weight == int("9" * 400)
    for weight in ("9" * 401, "0", "01", "-1", "1/2", "", 1, None, ["1"], True, "\u0661", " 1"):
        with pytest.raises(ValueError, match=r"whole number > 0 of 400 digits"):
            pure_strategies.worlds_of(rules, 0, {text: weight})
    for entries in ({}, [], None, text, [text]):
        with pytest.raises(ValueError, match="must map 1 to 4000 plans to weights"):
            pure_strategies.worlds_of(rules, 0, entries)
    with pytest.raises(ValueError, match="must map 1 to 4000 plans"):
        pure_strategies.worlds_of(rules, 0, dict.fromkeys(map(str, range(4001)), "1"))
    monkeypatch.setattr(pure_strategies, "MAX_LETTERS", len(text))
    assert pure_strategies.worlds_of(rules, 0, {text: "1"})
    with pytest.raises(ValueError, match="letters together"):
        pure_strategies.worlds_of(rules, 0, {text: "1", "a": "1"})
    for game in ("dark-hex-4x4", "phantom-ponnuki-2x2", None, ["dark-hex-2x2"]):
        with pytest.raises(ValueError, match="on up to 12 cells"):
            pure_strategies.rules_of(game)
