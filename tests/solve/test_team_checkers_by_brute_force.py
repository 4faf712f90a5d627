"""The checkers of The Resistance compute what labelled players reach, for random strategies at tiny tables.

Here players have names, lots are drawn one by one, and every mission of labelled players is tried; the checkers work
with one mission of each kind.
"""

import random
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb

import pytest

from fogspiel.resistance.checkers import lone_spies
from fogspiel.resistance.checkers.resistance import Resistance, Spies
from fogspiel.resistance.game import SETUPS, Setup

TABLES = [
    Setup(3, 1, (1, 2, 1, 2, 1), (1, 1, 1, 1, 1)),
    Setup(3, 2, (2, 1, 2, 1, 2), (1, 1, 2, 1, 1)),
    Setup(3, 2, (1, 2, 1, 1, 2), (1, 1, 1, 1, 2)),
    Setup(4, 2, (2, 1, 2), (2, 1, 1), points=2),
    Setup(4, 1, (2, 1, 2), (1, 1, 1), points=2),
]


class Labelled:
    """A table of named players, whose groups are tuples in the order of a history."""

    def __init__(self, setup):
        self.setup, self.everyone = setup, (tuple(range(setup.players)),)
        self.spies = [frozenset(spies) for spies in combinations(range(setup.players), setup.spies)]

    def missions(self, groups, size):
        """The kinds of missions, as numbers for the groups."""
        return [numbers for numbers in product(*(range(len(g) + 1) for g in groups)) if sum(numbers) == size]

    def draws(self, groups, numbers):
        """Every mission of labelled players of a kind; all are equally likely."""
        parts = [combinations(group, number) for group, number in zip(groups, numbers, strict=True)]
        return [frozenset().union(*chosen) for chosen in product(*parts)]

    def split(self, groups, mission):
        halves = [half for g in groups for half in ([p for p in g if p in mission], [p for p in g if p not in mission])]
        return tuple(tuple(half) for half in halves if half)

    def is_clean(self, round_, mission, spies):
        return len(mission & spies) < self.setup.needed[round_]

    def ends(self, score):
        """The first round of a plan, None before one is followed, and whether all its missions must be clean."""
        if max(score) < self.setup.points - 1:
            return None, False
        behind = score[1] == self.setup.points - 1
        return (self.setup.rounds - 1 if behind and self.setup.nested else sum(score)), behind


def text(numbers):
    return ",".join(map(str, numbers))


def after(score, passed):
    return (score[0] + passed, score[1] + (not passed))


def mixture(draw, options, most=3):
    parts = {option: draw.randint(1, 4) for option in draw.sample(options, min(len(options), draw.randint(1, most)))}
    return {option: str(Fraction(part, sum(parts.values()))) for option, part in parts.items()}


def random_resistance(table, draw):
    """A row for every history that the strategy can come to."""
    rows, setup = {}, table.setup

    def fill(history, groups, score):
        first, _ = table.ends(score)
        if first is not None:
            plans = []
            for _ in range(4):
                words, parts = [], groups
                for round_ in range(first, setup.rounds):
                    numbers = draw.choice(table.missions(parts, setup.sizes[round_]))
                    words.append(text(numbers))
                    parts = table.split(parts, table.draws(parts, numbers)[0])
                plans.append(" ".join(words))
            rows[history] = mixture(draw, sorted(set(plans)))
            return
        kinds = {text(numbers): numbers for numbers in table.missions(groups, setup.sizes[sum(score)])}
        rows[history] = mixture(draw, sorted(kinds))
        for name in rows[history]:
            parts = table.split(groups, table.draws(groups, kinds[name])[0])
            for passed in (True, False):
                fill(f"{history} {name}{'-+'[passed]}".strip(), parts, after(score, passed))

    fill("", table.everyone, (0, 0))
    return rows


def won_against(table, rows, spies):
    """The probability that the resistance wins against these spies, who sabotage where it is best for them."""

    def plan(words, round_, groups, behind):
        if not words:
            return Fraction(behind)
        missions = table.draws(groups, tuple(map(int, words[0].split(","))))
        total = Fraction(0)
        for mission in missions:
            if table.is_clean(round_, mission, spies) == behind:
                total += plan(words[1:], round_ + 1, table.split(groups, mission), behind)
            else:
                total += not behind
        return total / len(missions)

    def walk(history, groups, score):
        first, behind = table.ends(score)
        total = Fraction(0)
        for name, share in rows[history].items():
            if first is not None:
                total += Fraction(share) * plan(name.split(" "), first, groups, behind)
                continue
            missions = table.draws(groups, tuple(map(int, name.split(","))))
            for mission in missions:
                ways = [True] if table.is_clean(sum(score), mission, spies) else [True, False]
                parts = table.split(groups, mission)
                worths = [walk(f"{history} {name}{'-+'[p]}".strip(), parts, after(score, p)) for p in ways]
                total += Fraction(share) * min(worths) / len(missions)
        return total

    return walk("", table.everyone, (0, 0))


def random_spies(table, draw):
    """The probability of a sabotage, for every situation and every type of spies who can."""
    rows = {}

    def fill(history, groups, score, alive):
        if table.ends(score)[0] is not None:
            return
        round_ = sum(score)
        for numbers in table.missions(groups, table.setup.sizes[round_]):
            mission, way = table.draws(groups, numbers)[0], f"{history} {text(numbers)}".strip()
            parts = table.split(groups, mission)
            able = [spies for spies in alive if not table.is_clean(round_, mission, spies)]
            types = sorted({text(len(spies & set(part)) for part in parts) for spies in able})
            if types:
                rows[way] = {kind: draw.choice(["0", "1", "1/2", "1/3", "3/4"]) for kind in types}
            for passed in (True, False):
                fill(way + "-+"[passed], parts, after(score, passed), alive if passed else able)

    fill("", table.everyone, (0, 0), table.spies)
    return rows


def best_against(table, rows):
    """The most that missions of labelled players win against the spies' rows."""
    sizes, players = table.setup.sizes, range(table.setup.players)

    @cache
    def every(round_):
        return [frozenset(mission) for mission in combinations(players, sizes[round_])]

    def walk(history, groups, score, weights):
        round_, (first, behind) = sum(score), table.ends(score)
        if first is not None:
            enough = all if behind else any
            return max(
                sum(
                    weight
                    for spies, weight in weights.items()
                    if enough(table.is_clean(r, m, spies) for r, m in enumerate(missions, round_))
                )
                for missions in product(*map(every, range(round_, table.setup.rounds)))
            )
        found = []
        for mission in every(round_):
            parts, way = (
                table.split(groups, mission),
                f"{history} {text(len(mission & set(g)) for g in groups)}".strip(),
            )
            failed = {}
            for spies, weight in weights.items():
                if not table.is_clean(round_, mission, spies):
                    failed[spies] = weight * Fraction(rows[way][text(len(spies & set(part)) for part in parts)])
            passed = {spies: weight - failed.get(spies, 0) for spies, weight in weights.items()}
            found.append(
                walk(way + "+", parts, after(score, True), passed) + walk(way + "-", parts, after(score, False), failed)
            )
        return max(found)

    return walk("", table.everyone, (0, 0), dict.fromkeys(table.spies, Fraction(1)))


@pytest.mark.parametrize("setup", TABLES, ids=str)
@pytest.mark.parametrize("seed", range(2))
def test_strategies_of_teams_are_worth_what_labelled_players_reach(setup, seed):
    table, draw = Labelled(setup), random.Random(f"{setup} {seed}")
    resistance, spies = random_resistance(table, draw), random_spies(table, draw)
    won = sum(won_against(table, resistance, one) for one in table.spies)
    assert Resistance(setup, resistance).payoff() == 2 * won / len(table.spies) - 1
    assert Spies(setup, spies).payoff() == 2 * best_against(table, spies) / len(table.spies) - 1
    for strategy, rows in ((Resistance, resistance), (Spies, spies)):
        for situation, row in rows.items():
            with pytest.raises(ValueError, match="says nothing about the situation"):
                strategy(setup, {place: one for place, one in rows.items() if place != situation}).payoff()
            with pytest.raises(ValueError, match=r"must be positive and sum to 1|the spies' types at"):
                strategy(setup, rows | {situation: dict([*row.items()][1:])}).payoff()
        with pytest.raises(ValueError, match="which cannot come up"):
            strategy(setup, rows | {"9": {}}).payoff()
    assert len(table.spies) == comb(setup.players, setup.spies)


def test_a_plan_has_the_missions_that_are_left():
    setup = TABLES[0]
    table = Labelled(setup)
    rows = random_resistance(table, random.Random(1))
    tail = next(history for history in rows if history.count("+") == 2)
    for wrong, sentence in (("1", "must list"), ("9 9 9", "is no mission of"), ("1 2 1 1", "must list")):
        with pytest.raises(ValueError, match=sentence):
            Resistance(setup, rows | {tail: {wrong: "1"}}).payoff()
    for share in ("0", "3/2", "-1", "1/2"):
        with pytest.raises(ValueError, match=r"positive and sum to 1|not between 0 and 1"):
            Resistance(setup, rows | {tail: {next(iter(rows[tail])): share}}).payoff()


# Spies who do not know each other

LONE = [
    Setup(3, 1, (1, 2, 2), (1, 1, 1), points=2),
    Setup(3, 2, (2, 1, 2), (2, 1, 1), points=2),
    Setup(4, 2, (2, 1, 2), (1, 1, 1), points=2),
    Setup(3, 1, (1, 1, 1, 1, 1), (1, 1, 1, 1, 1)),
]


def size_of(setup, score):
    """The size of a mission, and whether it is the last that is picked."""
    last = score[1] == setup.points - 1
    return setup.sizes[-1 if last else sum(score)], last


def lone_resistance(table, draw):
    """A row for every history of missions and numbers of sabotages."""
    rows, setup = {}, table.setup

    def fill(history, groups, score):
        size, last = size_of(setup, score)
        kinds = {text(numbers): numbers for numbers in table.missions(groups, size)}
        rows[history] = mixture(draw, sorted(kinds))
        for name in () if last else rows[history]:
            parts = table.split(groups, table.draws(groups, kinds[name])[0])
            for sabotages in range(setup.spies + 1):
                later = after(score, sabotages < setup.needed[sum(score)])
                if max(later) < setup.points and sabotages <= size:
                    fill(f"{history} {name}:{sabotages}".strip(), parts, later)

    fill("", table.everyone, (0, 0))
    return rows


def outcomes(setup, score, alive, told):
    """The numbers of sabotages with the score and the spies after each."""
    for sabotages in range(setup.spies + 1):
        left = [spies for spies in alive if len(spies & told) == sabotages]
        if left:
            yield sabotages, after(score, sabotages < setup.needed[sum(score)]), left


def subsets(players):
    return [frozenset(chosen) for size in range(len(players) + 1) for chosen in combinations(sorted(players), size)]


def least_won(table, rows):
    """The least that the resistance wins, over all orders for the players of each mission."""
    setup, used = table.setup, set()

    def walk(history, groups, score, alive):
        _, last = size_of(setup, score)
        used.add(history)
        total = Fraction(0)
        for name, share in rows[history].items():
            missions = table.draws(groups, tuple(map(int, name.split(","))))
            for mission in missions:
                if last:
                    worth = sum(not spies & mission for spies in alive)
                else:
                    worth = min(ordered(f"{history} {name}".strip(), groups, score, alive, mission, told)
                                for told in subsets(mission))  # fmt: skip
                total += Fraction(share) * worth / len(missions)
        return total

    def ordered(way, groups, score, alive, mission, told):
        total = Fraction(0)
        for sabotages, later, left in outcomes(setup, score, alive, told):
            if later[0] == setup.points:
                total += len(left)
            elif later[1] < setup.points:
                total += walk(f"{way}:{sabotages}", table.split(groups, mission), later, left)
        return total

    return walk("", table.everyone, (0, 0), table.spies), used


class Orders(dict):
    """Random orders for every situation, drawn when they are first asked for."""

    def __init__(self, draw):
        self.draw = draw

    def at(self, place, options):
        if place not in self:
            self[place] = mixture(self.draw, sorted(options))
        return self[place]


def most_won(table, orders):
    """The most that a resistance wins that sees the numbers of sabotages, against orders by lot."""
    setup = table.setup

    def walk(score, known):
        size, last = size_of(setup, score)
        missions = map(frozenset, combinations(range(setup.players), size))
        if last:
            return max(sum(w * sum(not spies & m for spies in alive) for *_, alive, w in known) for m in missions)
        return max(sent(score, known, mission) for mission in missions)

    def sent(score, known, mission):
        won, later = Fraction(0), {}
        for place, finer, alive, weight in known:
            numbers = [len(mission & set(group)) for group in finer]
            here = f"{place} {text(numbers)}".strip()
            options = [text(told) for told in product(*(range(n + 1) for n in numbers))
                       if any(told) or score[0] < setup.points - 1]  # fmt: skip
            for name, share in orders.at(here, options).items():
                going = [tuple(sorted(mission & set(group))) for group in finer]
                ways = table.draws(going, tuple(map(int, name.split(","))))
                for told in ways:
                    parts = table.split(table.split(finer, mission), told)
                    likely = weight * Fraction(share) / len(ways)
                    for sabotages, after_, left in outcomes(setup, score, alive, told):
                        if after_[0] == setup.points:
                            won += likely * len(left)
                        elif after_[1] < setup.points:
                            state = f"{here}/{name}:{sabotages}", parts, left, likely
                            later.setdefault((sabotages, after_), []).append(state)
        return won + sum(walk(after_, states) for (_, after_), states in later.items())

    return walk((0, 0), [("", table.everyone, table.spies, Fraction(1))])


@pytest.mark.parametrize("setup", LONE, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_strategies_of_lone_spies_are_worth_what_labelled_players_reach(setup, seed):
    table, draw = Labelled(setup), random.Random(f"{setup} {seed}")
    rows, orders = lone_resistance(table, draw), Orders(draw)
    won, used = least_won(table, rows)
    rows = {history: row for history, row in rows.items() if history in used}
    assert lone_spies.Resistance(setup, rows).payoff() == 2 * won / len(table.spies) - 1
    idle = text(table.missions(table.everyone, setup.sizes[0])[0])
    first = {idle: "0"} | rows[""] if idle not in rows[""] else rows[""]
    assert lone_spies.Resistance(setup, rows | {"": first}).payoff() == 2 * won / len(table.spies) - 1
    unused = {history: dict.fromkeys(["9" * 3], "0") | row for history, row in rows.items()}
    with pytest.raises(ValueError, match="'999' cannot be done in the situation"):
        lone_spies.Resistance(setup, unused).payoff()
    most = most_won(table, orders)
    assert lone_spies.Spies(setup, dict(orders)).payoff() == 2 * most / len(table.spies) - 1
    for strategy, part in ((lone_spies.Resistance, rows), (lone_spies.Spies, dict(orders))):
        for situation, row in [*part.items()][:8]:
            with pytest.raises(ValueError, match="says nothing about the situation"):
                strategy(setup, {place: one for place, one in part.items() if place != situation}).payoff()
            with pytest.raises(ValueError, match="do not add up to 1"):
                strategy(setup, part | {situation: dict([*row.items()][1:])}).payoff()
            with pytest.raises(ValueError, match="'9,9' cannot be done in the situation"):
                strategy(setup, part | {situation: row | {"9,9": "0"}}).payoff()
        with pytest.raises(ValueError, match="which cannot come up"):
            strategy(setup, part | {"9": {}}).payoff()


def test_somebody_is_ordered_where_the_resistance_lacks_one_point():
    setup = Setup(4, 2, (2, 1, 2), (1, 1, 1), points=2)
    orders = Orders(random.Random(3))
    most_won(Labelled(setup), orders)
    lone_spies.Spies(setup, dict(orders)).payoff()
    tried = {True: 0, False: 0}
    for situation, row in orders.items():
        none = ",".join("0" for _ in next(iter(row)).split(","))
        lacks = situation.count(":0") == 1  # the first mission was clean
        changed = dict(orders) | {situation: {none: "0"} | row}
        tried[lacks] += 1
        if lacks:
            with pytest.raises(ValueError, match="cannot be done in the situation"):
                lone_spies.Spies(setup, changed).payoff()
        else:
            lone_spies.Spies(setup, changed).payoff()
    assert min(tried.values()) > 0


def test_set_ups_of_lone_spies_have_limits():
    assert lone_spies.setup_of("lone-resistance5") == SETUPS[5] and lone_spies.setup_of("lone-resistance6") == SETUPS[6]
    for name, sentence in (
        ("lone-resistance7", "6 players at most"),
        ("resistance5", "does not begin with 'lone-'"),
        (5, "does not begin with 'lone-'"),
        (None, "does not begin with 'lone-'"),
        ("lone-resistance99", "resistance99"),
        ("lone-", ""),
        ("lone-resistance5-2-3-2-3-3-2spies", "which is written lone-resistance5"),
        ("lone-resistance5-3-3-3-3-2-2spies", "largest of the late ones"),
    ):
        with pytest.raises(ValueError, match=f"the certificate is not valid: .*{sentence}"):
            lone_spies.setup_of(name)
