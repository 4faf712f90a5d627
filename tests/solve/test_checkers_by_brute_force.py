"""The checkers of trees compute what an enumeration of all pure strategies gives, on small random games.

Games are nested tuples (`support.nested_games`). The enumeration shares nothing with a checker: a strategy is a table
by what a player has seen and done, a best response is the best of all pure strategies.
"""

import json
import random
from fractions import Fraction
from functools import cache
from itertools import product

import pytest
from support.certificates import reseal
from support.nested_games import PENNIES, Choice, Luck, random_trees

from fogspiel.core.game import CHANCE, OVER
from fogspiel.solving.proofs.checkers import quasi_perfect, refined, tree
from fogspiel.solving.proofs.checkers.tree import PositionFacts

NOTHING = Fraction(0)


class Nested:
    """Positions of a nested game, as a checker asks for them."""

    name, version = "nested", 1

    def __init__(self, game):
        self.game = game

    def root(self):
        return self.game

    def look(self, position):
        if isinstance(position, Luck):
            return PositionFacts(CHANCE, [*range(len(position.outcomes))], [p for p, _ in position.outcomes], ())
        if isinstance(position, Choice):
            return PositionFacts(position.player, [*range(len(position.actions))], [], (position.seen,))
        return PositionFacts(OVER, [], [], (), position)

    def after(self, position, action):
        return position.outcomes[action][1] if isinstance(position, Luck) else position.actions[action]


def infosets(game, player):
    """The information states of a player by its past (view, action) pairs and its view: the number of actions."""
    found = {}

    def walk(at, past):
        if isinstance(at, Luck):
            for _, below in at.outcomes:
                walk(below, past)
        elif isinstance(at, Choice):
            if at.player == player:
                found[past, at.seen] = len(at.actions)
            for action, below in enumerate(at.actions):
                walk(below, (*past, (at.seen, action)) if at.player == player else past)

    walk(game, ())
    return found


def payoff(at, plans, pasts=((), ())):
    """The mean payoff of two tables: for each information state the probability of each action."""
    if isinstance(at, Luck):
        return sum(p * payoff(below, plans, pasts) for p, below in at.outcomes)
    if not isinstance(at, Choice):
        return at
    worth, who = NOTHING, at.player
    for action, share in enumerate(plans[who][pasts[who], at.seen]):
        if share:
            past = (*pasts[who], (at.seen, action))
            worth += share * payoff(at.actions[action], plans, (past, pasts[1]) if who == 0 else (pasts[0], past))
    return worth


def pure_plans(game, player):
    states = infosets(game, player)
    for choice in product(*(range(count) for count in states.values())):
        yield {key: [int(a == one) for a in range(states[key])] for key, one in zip(states, choice, strict=True)}


def random_plan(game, player, draw, zeros=True):
    plan = {}
    for key, count in infosets(game, player).items():
        parts = [draw.randint(0 if zeros else 1, 3) for _ in range(count)]
        parts[draw.randrange(count)] += 1
        plan[key] = [Fraction(part, sum(parts)) for part in parts]
    return plan


def rows_of(plan, reached_only=True):
    """A table as the rows of a certificate."""
    rows, numbers = [], {}
    for (past, seen), shares in sorted(plan.items(), key=lambda item: len(item[0][0])):
        if reached_only and not all(plan[past[:step], view][action] for step, (view, action) in enumerate(past)):
            continue
        numbers[past, seen] = len(rows)
        after = [numbers[past[:-1], past[-1][0]], past[-1][1]] if past else None
        actions = [*range(len(shares))]
        rows.append({"after": after, "view": [seen], "actions": actions, "probabilities": [*map(str, shares)]})
    return rows


@cache
def games():
    """Random games with few enough pure strategies to try them all."""
    return [
        game
        for game, _ in random_trees(7, 90, 5)
        if all(1 < sum(1 for _ in zip(range(65), pure_plans(game, player), strict=False)) < 65 for player in (0, 1))
    ][:12]


def bounds_of(game, plans):
    """The least that the first plan and the most that the second one allow."""
    low = min(payoff(game, (plans[0], theirs)) for theirs in pure_plans(game, 1))
    return low, max(payoff(game, (mine, plans[1])) for mine in pure_plans(game, 0))


def small(game, plans, lower, upper):
    return {"format": tree.FORMAT, "game": "nested", "rules": 1, "value": str(lower), "lower": str(lower),
            "upper": str(upper), "strategies": [rows_of(plan) for plan in plans]}  # fmt: skip


def line_of(row, unit):
    shares = [Fraction(text) for text in row["probabilities"]]
    scale = unit or 1
    while any((share * scale).denominator > 1 for share in shares):
        assert not unit
        scale += 1
    parts = (row["after"] or [], row["view"], row["actions"], [int(share * scale) for share in shares])
    return "|".join(" ".join(map(str, part)) for part in parts)


def large(game, plans, lower, upper, unit=None):
    body = small(game, plans, lower, upper)
    more = {"denominator": unit} if unit else {}
    strategies = [[line_of(row, unit) for row in rows] for rows in body["strategies"]]
    kind = tree.LARGE_FORMAT if unit else tree.EXACT_LARGE_FORMAT
    return {**body, **more, "format": kind, "strategies": strategies}


@pytest.mark.parametrize("number", range(12))
def test_bounds_are_those_of_all_pure_strategies(number):
    game, draw = games()[number], random.Random(number)
    plans = [random_plan(game, player, draw) for player in (0, 1)]
    lower, upper = bounds_of(game, plans)
    rules, little = Nested(game), Fraction(1, 10**9)
    assert tree.verify(reseal(small(game, plans, lower, upper)), rules) == (lower, upper)
    for unit in (None, 2520 * 13):
        assert tree.verify_large(reseal(large(game, plans, lower, upper, unit)), rules) == (lower, upper)
        assert tree.verify_large(reseal(large(game, plans, lower - 1, upper + 1, unit)), rules)
        for claim in ((lower + little, upper), (lower, upper - little)):
            with pytest.raises(ValueError, match="does not"):
                tree.verify_large(reseal({**large(game, plans, *claim, unit), "value": str(claim[0])}), rules)
    for claim in ((lower + little, upper), (lower, upper - little), (lower - little, upper), (lower, upper + little)):
        with pytest.raises(ValueError, match="it claims the"):
            tree.verify(reseal(small(game, plans, *claim)), rules)
    for value in (lower, (lower + upper) / 2, upper):
        assert tree.verify(reseal(small(game, plans, lower, upper) | {"value": str(value)}), rules)
        assert tree.verify_large(reseal(large(game, plans, lower, upper) | {"value": str(value)}), rules)
    for name, kind in (("small", small), ("large", large)):
        for value in (lower - little, upper + little):
            body = reseal({**kind(game, plans, lower, upper), "value": str(value)})
            with pytest.raises(ValueError, match="its value is not between its bounds"):
                (tree.verify if name == "small" else tree.verify_large)(body, rules)


@pytest.mark.parametrize("number", range(12))
def test_lines_are_a_table_by_knowledge(number):
    game, draw = games()[number], random.Random(number)
    plans = [random_plan(game, player, draw) for player in (0, 1)]
    body = reseal(large(game, plans, *bounds_of(game, plans)))
    for player, plan in enumerate(tree.check_form(body)):
        rows = tree.plan_of(rows_of(plans[player]), "first")
        assert dict(plan) == rows and len(plan) == len(rows)
        assert [*tree.rows_of(body, player)] == json.loads(json.dumps(rows_of(plans[player])))


# Responses to mixtures, the later ones among the earlier ones


def restricted(game, past, seen, player, plan, mixture):
    """The payoffs below an information state, with the other's weights and the player's own table from there on."""

    def walk(at, own, theirs, weights, inside):
        if not any(weights):
            return NOTHING
        if isinstance(at, Luck):
            return sum(walk(below, own, theirs, [p * w for w in weights], inside) for p, below in at.outcomes)
        if not isinstance(at, Choice):
            return sum(weights) * at if inside else NOTHING
        worth = NOTHING
        for action, below in enumerate(at.actions):
            if at.player == player:
                here = inside or (own, at.seen) == (past, seen)
                forced = not here and len(own) < len(past) and (at.seen, action) == past[len(own)]
                if forced or (here and plan[own, at.seen][action]):
                    worth += walk(below, (*own, (at.seen, action)), theirs, weights, here)
            else:
                shares = [w * table[theirs, at.seen][action] for w, (table, _) in zip(weights, mixture, strict=True)]
                worth += walk(below, own, (*theirs, (at.seen, action)), shares, inside)
        return worth

    return walk(game, (), (), [weight for _, weight in mixture], False)


@pytest.mark.parametrize("number", range(12))
@pytest.mark.parametrize("player", [0, 1])
def test_responses_to_mixtures_are_the_best_of_all_pure_strategies(number, player):
    game, draw, rules = games()[number], random.Random(number), Nested(games()[number])
    theirs = [random_plan(game, 1 - player, draw) for _ in range(3)]
    uniform = {key: [Fraction(1, count)] * count for key, count in infosets(game, 1 - player).items()}
    weight = Fraction(draw.randint(1, 5), 3)
    levels = [[(theirs[0], Fraction(1))], [(uniform, Fraction(1)), (theirs[1], weight)], [(theirs[2], NOTHING)]]
    parsed = [
        [(None if plan is uniform else tree.plan_of(rows_of(plan, False), "first"), share) for plan, share in level]
        for level in levels
    ]
    best = max if player == 0 else min
    every = [*pure_plans(game, player)]

    def scores(mine):
        both = [[(mine, plan) if player == 0 else (plan, mine) for plan, _ in level] for level in levels]
        return tuple(
            sum(share * payoff(game, pair) for pair, (_, share) in zip(pairs, level, strict=True))
            for pairs, level in zip(both, levels, strict=True)
        )

    found = best(map(scores, every))
    for mine in [random_plan(game, player, draw), *draw.sample(every, min(len(every), 4)), best(every, key=scores)]:
        rows = tree.plan_of(rows_of(mine, False), "first")
        assert refined.Responder(rules, player, parsed, rows, exact=False).total() == found
        right = True
        for past, seen in mine:
            worths = {
                action: best(
                    tuple(restricted(game, past, seen, player, plan, level) for level in levels)
                    for plan in every
                    if plan[past, seen][action]
                )
                for action in range(len(mine[past, seen]))
            }
            top = best(worths.values())
            right &= all(worths[action] == top for action, share in enumerate(mine[past, seen]) if share)
        if right:
            assert refined.Responder(rules, player, parsed, rows).total() == found
        else:
            with pytest.raises(ValueError, match="is not a best response"):
                refined.Responder(rules, player, parsed, rows).total()
        for plan in theirs:
            visited = [set(), set()]
            value = refined.expected_value(rules, player, rows, tree.plan_of(rows_of(plan), "first"), visited)
            assert value == payoff(game, (mine, plan) if player == 0 else (plan, mine))
            own = refined.reached(rows)
            assert {row for row, _ in own.values()} >= visited[player] and len(own) == len(rows_of(mine))
            assert refined.expected_value(rules, player, own, None) == payoff(
                game, (mine, uniform) if player == 0 else (uniform, mine)
            )


# Refinements with a safety, by hand
#
# In matching pennies both stated opponents play heads three times of four. Who may lose half a point plays heads (the
# second player tails) as often, and scores a quarter. The proof is an opponent who plays tails, with weight 1/2: a
# strategy that plays heads with probability x gets (2 x - 1) / 2 from the stated one and 1 - 2 x from the other.


def coin(heads):
    return [{"after": None, "view": [""], "actions": [0, 1], "probabilities": [str(heads), str(1 - Fraction(heads))]}]


def pennies(**parts):
    half = coin("1/2")
    refinement = {"opponent": [coin("3/4"), coin("3/4")], "safety": "1/2", "scores": ["1/4", "-1/4"],
                  "weights": ["1/2", "1/2"], "proofs": [coin(0), coin(0)],
                  "strategies": [coin("3/4"), coin("1/4")], **parts}  # fmt: skip
    return {"format": refined.FORMAT, "game": "nested", "rules": 1, "value": "0", "lower": "0", "upper": "0",
            "strategies": [half, half], "refinement": refinement}  # fmt: skip


class Pennies(Nested):
    def look(self, position):
        found = super().look(position)
        return found._replace(view=(0,)) if found.view else found


def judged(body):
    text = json.dumps(body).replace('[""]', "[0]")
    return refined.verify(reseal(json.loads(text)), Pennies(PENNIES))


# In floating point: less is risked than may be, and half a point more might be scored by the proof of weight 1.
LOOSE = {"strategies": [coin("5/8"), coin("3/8")], "scores": ["1/8", "-1/8"], "weights": ["1", "1"],
         "secured": ["-1/4", "1/4"], "slack": ["5/8", "5/8"]}  # fmt: skip


def test_safe_refinements_by_hand_are_proved():
    assert judged(pennies()) == judged(pennies(**LOOSE)) == (0, 0)
    assert judged(pennies(strategies=[coin("5/8"), coin("1/4")], scores=["1/8", "-1/4"], safety="1/2",
                          secured=["-1/4", "1/2"], slack=["0", "0"])) == (0, 0)  # fmt: skip
    uneven = {**pennies(**LOOSE), "strategies": [coin("3/8"), coin("5/8")], "lower": "-1/4", "upper": "1/4"}
    changed = {**uneven["refinement"], "safety": "0", "secured": ["-1/4", "1/4"]}
    assert judged({**uneven, "refinement": changed}) == (Fraction(-1, 4), Fraction(1, 4))
    with pytest.raises(ValueError, match="a refinement needs an exact value"):
        judged({**pennies(), "strategies": [coin("3/8"), coin("5/8")], "lower": "-1/4", "upper": "1/4"})


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize(
    ("parts", "name", "wrong", "sentence"),
    [
        ({}, "strategies", coin("7/8"), "player secures -?3/4"),
        ({}, "strategies", coin("1/8"), "player secures -?3/4"),
        ({}, "strategies", coin("5/8"), "player scores"),
        ({}, "scores", "1/5", "player scores"),
        ({}, "weights", "1/3", "is not a best response"),
        ({}, "weights", "2/3", "is not a best response"),
        ({}, "weights", "-1/2", "weights is negative"),
        ({}, "proofs", coin(1), "is not a best response"),
        ({}, "proofs", coin("1/8"), "is not a best response"),
        ({}, "safety", "1/4", "player secures"),
        ({}, "safety", "3/4", "may score"),
        (LOOSE, "slack", "1/2", "may score"),
        (LOOSE, "slack", "3/4", "may score"),
        (LOOSE, "slack", "-5/8", "may score"),
        (LOOSE, "secured", "-1/8", "player secures"),
        (LOOSE, "secured", "1/8", "player secures"),
        (LOOSE, "secured", "-3/8", "player secures"),
        (LOOSE, "secured", "3/8", "player secures"),
        (LOOSE, "scores", "1/9", "player scores"),
        (LOOSE, "safety", "1/8", "player secures"),
    ],
)
def test_no_part_of_a_safe_refinement_may_differ(parts, name, wrong, sentence, side):
    body = pennies(**parts)
    part = body["refinement"]
    part[name] = wrong if name == "safety" else [*part[name][:side], wrong, *part[name][side + 1 :]]
    with pytest.raises(ValueError, match=sentence):
        judged(body)


def test_two_fractions_of_each_are_needed():
    for name in ("scores", "weights", "secured", "slack"):
        for wrong in (["1"], ["1", "1", "1"], "11", None):
            with pytest.raises(ValueError, match=f"its {name} must be two fractions"):
                judged(pennies(**{**LOOSE, name: wrong}))


# Locks


def lockable():
    """Games with a player whose information states are told apart by its actions and its view at the last."""
    for game, player in product(games(), (0, 1)):
        states = [(tuple(action for _, action in past), seen) for past, seen in infosets(game, player)]
        if len(states) == len(set(states)):
            yield game, player


@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("weight", ["0", "1/3", "1"])
def test_locks_hold_with_their_weight(number, weight):
    game, player, draw, share = *[*lockable()][number], random.Random(number), Fraction(weight)
    free = [{key: [Fraction(1, n)] * n for key, n in infosets(game, side).items()} for side in (0, 1)]
    held = random_plan(game, player, draw)
    locked = dict(draw.sample(sorted(held.items()), max(1, len(held) // 2)))
    rows = [
        {"history": [action for _, action in past], "view": [seen], "actions": [*range(len(shares))],
         "probabilities": [*map(str, shares)]}
        for (past, seen), shares in locked.items()
    ]  # fmt: skip
    rules = refined.locked_game(Nested(game), {"weight": weight, "rows": [rows, []] if player == 0 else [[], rows]})
    other = random_plan(game, 1 - player, draw)
    opponent = tree.plan_of(rows_of(other, False), "first")
    plans = [free[player] | locked, other], [free[player], other]
    worths = [payoff(game, pair if player == 0 else pair[::-1]) for pair in plans]
    assert rules.version == 1 and rules.name == "nested"
    assert refined.expected_value(rules, 1 - player, opponent, None) == share * worths[0] + (1 - share) * worths[1]
    best = max if player == 0 else min
    every = [*pure_plans(game, player)]
    with_locks = best(payoff(game, (plan | locked, other) if player == 0 else (other, plan | locked)) for plan in every)
    without = best(payoff(game, (plan, other) if player == 0 else (other, plan)) for plan in every)
    expected = share * with_locks + (1 - share) * without
    levels = [[(opponent, Fraction(1))]]
    assert refined.Responder(rules, player, levels, {}, False).total() == (expected,)


# Trembles
#
# A card is an ace one time of three. Who sees it stops, or offers by mistake; the other one hears of an offer and
# guesses the card, and wins a unit if that is right. Stopping is best, and the better guess is that of the likelier
# mistake, however unlikely both are.

OFFER = [Choice(1, 5, [Fraction(-1), Fraction(0)]), Choice(1, 5, [Fraction(0), Fraction(-1)])]
CARDS = Luck([(Fraction(share, 3), Choice(0, card, [Fraction(0), OFFER[card]])) for card, share in ((0, 1), (1, 2))])


def state(view, probabilities, plan):
    """A row of a strategy and its tremble; a polynomial is the list of its coefficients."""
    head = {"after": None, "view": [view], "actions": [0, 1]}
    return {**head, "probabilities": [*map(str, probabilities)]}, {**head, "plan": [[*map(str, one)] for one in plan]}


def rest(polynomial):
    """What is left of 1."""
    return [1 - polynomial[0], *(-coefficient for coefficient in polynomial[1:])]


def cards(ace, other, guess, tremble):
    """Rows and trembles of both players; the second guesses an ace with probability `guess`."""
    first = [state(card, (1, 0), (rest(mistake), mistake)) for card, mistake in ((0, ace), (1, other))]
    second = [state(5, (guess, 1 - guess), (tremble, rest(tremble)))]
    plans = [tree.plan_of([row for row, _ in side], "first") for side in (first, second)]
    return plans, [[json.loads(json.dumps(part)) for _, part in side] for side in (first, second)]


def check_cards(plans, trembles):
    quasi_perfect.check_quasi_perfect(Nested(CARDS), trembles, plans)


@pytest.mark.parametrize("seed", range(40))
def test_the_guess_is_that_of_the_likelier_mistake(seed):
    """Polynomials are compared by their first coefficients as numbers are at a very small e."""
    draw, small = random.Random(seed), Fraction(1, 10**4)
    ace, other = ([0, *(draw.randint(0, 3) for _ in range(3))] for _ in range(2))
    ace[draw.randint(1, 3)] += 1
    other[draw.randint(1, 3)] += draw.choice((1, 1, ace[1] or 1))
    if seed % 4 == 0:
        other, ace = ace, [2 * coefficient for coefficient in ace]  # a tie
    guess = draw.choice([Fraction(0), Fraction(1), Fraction(1, 3)])
    slope = draw.choice((1, 2)) if guess == 0 else -1 if guess == 1 else draw.choice((-1, 1))
    tremble = [guess, slope]
    likely = [
        share * sum(coefficient * small**power for power, coefficient in enumerate(mistake))
        for share, mistake in ((1, ace), (2, other))
    ]
    right = guess == 1 if likely[0] > likely[1] else guess == 0 if likely[0] < likely[1] else True
    plans, trembles = cards(ace, other, guess, tremble)
    if right:
        check_cards(plans, trembles)
        return
    with pytest.raises(ValueError, match="row 0 of the second player is not best against errors"):
        check_cards(plans, trembles)


def test_an_offer_is_a_mistake_and_must_have_no_share():
    plans, trembles = cards([0, 1], [0, 1], Fraction(0), [0, 1])
    row, part = state(0, (Fraction(1, 2), Fraction(1, 2)), ([Fraction(1, 2)], [Fraction(1, 2)]))
    mixed = [[json.loads(json.dumps(part)), trembles[0][1]], trembles[1]]
    rows = [row, state(1, (1, 0), ([1, -1], [0, 1]))[0]]
    with pytest.raises(ValueError, match="row 0 of the first player is not best against errors"):
        check_cards([tree.plan_of(rows, "first"), plans[1]], mixed)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda sides: sides.pop(), "must hold the trembles of two strategies"),
        (lambda sides: sides.__setitem__(0, {}), "the trembles of the first player are not a list"),
        (lambda sides: sides.__setitem__(1, None), "the trembles of the second player are not a list"),
        (lambda sides: sides[1].pop(), "the second player has rows without trembles"),
        (lambda sides: sides[0].pop(), "the first player has rows without trembles"),
        (lambda sides: sides[0].reverse(), "not that of the same row"),
        (lambda sides: sides[0].append(sides[0][0]), "repeats an earlier one or has no row"),
        (lambda sides: sides[0][0].update(view=[7]), "repeats an earlier one or has no row"),
        (lambda sides: sides[0][0].update(actions=[1, 0]), "not that of the same row"),
        (lambda sides: sides[0][0].update(actions=[0, 2]), "not that of the same row"),
        (lambda sides: sides[0][0].update(after=[0, 1]), "comes after no earlier one"),
        (lambda sides: sides[0][0].update(more=1), "must have exactly the keys"),
        (lambda sides: sides[0][0].update(plan=[["1", "-1"], ["0", "2"]]), "do not add up to the one before"),
        (lambda sides: sides[0][0].update(plan=[["1", "-1"], ["1/9", "1"]]), "do not add up to the one before"),
        (lambda sides: sides[0][0].update(plan=[["1"], ["0"]]), "is not positive for small e"),
        (lambda sides: sides[0][0].update(plan=[["1", "1"], ["0", "-1"]]), "is not positive for small e"),
        (lambda sides: sides[0][0].update(plan=[["1", "1"], ["0", "0", "-1", "9"]]), "is not positive for small e"),
        (lambda sides: sides[0][0].update(plan=[["0", "1"], ["1", "-1"]]), "does not tend to the strategy"),
        (lambda sides: sides[0][0].update(plan=[["1/2"], ["1/2"]]), "does not tend to the strategy"),
        (lambda sides: sides[0][0].update(plan=[[], ["1"]]), "no list of coefficients"),
        (lambda sides: sides[0][0].update(plan=["1", ["1"]]), "no list of coefficients"),
        (lambda sides: sides[0][0].update(plan=[["1"] + ["0"] * 1000, ["0"]]), "no list of coefficients"),
        (lambda sides: sides[0][0].update(plan=[["1", "-2/2"], ["0", "1"]]), "not a fraction in lowest terms"),
    ],
)
def test_a_tremble_is_looked_at(change, sentence):
    plans, trembles = cards([0, 1], [0, 1], Fraction(0), [0, 1])
    check_cards(plans, trembles)
    change(trembles)
    with pytest.raises(ValueError, match=sentence):
        check_cards(plans, trembles)


def test_zeros_at_the_end_of_a_polynomial_change_nothing():
    plans, trembles = cards([0, 1], [0, 1], Fraction(0), [0, 1])
    trembles[0][0]["plan"] = [["1", "-1"] + ["0"] * 998, ["0", "1", "0"]]
    check_cards(plans, trembles)
    assert quasi_perfect.trimmed([Fraction(0), Fraction(2), Fraction(0)]) == (0, 2) and quasi_perfect.trimmed([]) == ()
    assert quasi_perfect.sign((Fraction(0), Fraction(-2), Fraction(3))) < 0 == quasi_perfect.sign((Fraction(0),))
    assert quasi_perfect.added([(Fraction(1),), (Fraction(-1), Fraction(2))]) == (0, 2)


def test_strategies_and_trembles_have_a_row_for_every_information_state_and_no_other():
    plans, trembles = cards([0, 1], [0, 1], Fraction(0), [0, 1])
    _, part = state(9, (1, 0), ([1, -1], [0, 1]))
    for player, side in enumerate(("first", "second")):
        more = [plan | {(None, (9,)): (len(plan), {0: Fraction(1), 1: Fraction(0)})} if p == player else plan
                for p, plan in enumerate(plans)]  # fmt: skip
        parts = [[*rows, json.loads(json.dumps(part))] if p == player else rows for p, rows in enumerate(trembles)]
        with pytest.raises(ValueError, match=f"the {side} player has rows that are no information states"):
            check_cards(more, parts)
    half = [dict([*plans[0].items()][:1]), plans[1]]
    with pytest.raises(ValueError, match="the first player has no row for"):
        check_cards(half, [trembles[0][:1], trembles[1]])
    with pytest.raises(ValueError, match="of the first player has other actions"):
        wide = Luck([(p, Choice(0, card.seen, [*card.actions, Fraction(0)])) for card, p in
                     ((below, p) for p, below in CARDS.outcomes)])  # fmt: skip
        quasi_perfect.check_quasi_perfect(Nested(wide), trembles, plans)


def test_a_plan_goes_on_after_a_mistake_of_its_own():
    """Who goes on by mistake has a second choice, whose polynomials add up to that of the mistake."""
    game = Choice(0, 0, [Fraction(1), Choice(0, 1, [Fraction(-2), Fraction(-3)])])
    rows = [state(0, (1, 0), ([1, -1], [0, 1])), state(1, (1, 0), ([0, 1, -1], [0, 0, 1]))]
    for row, part in rows[1:]:
        row["after"] = part["after"] = [0, 1]
    trembles = [[json.loads(json.dumps(part)) for _, part in rows], []]
    plans = [tree.plan_of([row for row, _ in rows], "first"), {}]
    quasi_perfect.check_quasi_perfect(Nested(game), trembles, plans)
    trembles[0][1]["plan"] = [["0", "0", "1"], ["0", "1", "-1"]]
    worse = plans[0] | {((0, 1), (1,)): (1, {0: Fraction(0), 1: Fraction(1)})}
    with pytest.raises(ValueError, match="row 1 of the first player is not best"):
        quasi_perfect.check_quasi_perfect(Nested(game), trembles, [worse, {}])
