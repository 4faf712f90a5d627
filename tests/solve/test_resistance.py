"""The Resistance solved: published sizes and values, brute force on tiny tables, and certificates that cannot lie."""

import copy
import json
import subprocess
import sys
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise

import numpy as np
import pytest
from support.certificates import reseal
from support.levels import default_cases
from support.pure_plans import pure_strategy

from fogspiel.core.game import CHANCE, OVER, known_game
from fogspiel.core.rng import stream_of
from fogspiel.core.session import view_of
from fogspiel.resistance import certificate as proofs
from fogspiel.resistance.certificate import answers, at_tails, oracle, solve, steps
from fogspiel.resistance.checkers.resistance import Resistance, verify
from fogspiel.resistance.explain import example_lines, plan_lines, spies_lines
from fogspiel.resistance.game import SETUPS, Setup, rules
from fogspiel.resistance.linear_program import TABLES, SpyProgram, letters, strategy_of
from fogspiel.resistance.orbits import all_plans, missions, ones, split
from fogspiel.resistance.player import resistance_choice, spies_choice
from fogspiel.resistance.variants import NEVER, opening, row
from fogspiel.solving.methods.lp import equilibrium
from fogspiel.solving.tree.sequence_form import Treeplex, merge

PUBLISHED = {5: "-2/5", 6: "-1/3", 7: "-17/35", 8: "-19/28"}
"""Bossle 2018, table 6.1, prints -0.4, -0.333, -0.486 and -0.679."""
VALUES = PUBLISHED | {9: "-3/7", 10: "-2/3", 11: "-16/33", 12: "-149/495", 13: "-673/1287"}

TINY = [
    Setup(3, 1, (1, 2, 2), (1, 1, 1), points=2),
    Setup(4, 1, (2, 2, 2), (1, 1, 1), points=2),
    Setup(4, 2, (2, 2, 3), (1, 2, 1), points=2),
    Setup(3, 1, (1, 1, 2, 2, 2), (1, 1, 1, 1, 1)),
    Setup(3, 2, (1, 2, 2, 2, 2), (1, 1, 1, 2, 1)),
    Setup(4, 1, (2, 3, 1), (1, 1, 1), points=2),
    Setup(4, 2, (2, 3, 2), (1, 2, 1), points=2),
    Setup(4, 2, (2, 2, 3), (1, 1, 2), points=2),
    Setup(3, 1, (1, 1, 1, 2, 1), (1, 1, 1, 1, 1)),
    Setup(4, 2, (1, 1, 2, 3, 1), (1, 1, 1, 2, 1)),
    Setup(3, 1, (1, 1, 2, 1, 1, 2, 1), (1, 1, 1, 1, 1, 1, 1), points=4),
]


@cache
def proof(players):
    """The certificate for that many players, as JSON stores it."""
    return json.dumps(solve(SETUPS[players]))


def certificate(players):
    return json.loads(proof(players))


# Sizes


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("players", "orbits", "sizes"),
    [
        (5, [1, 3, 15, 107, 923], (747, 6_248, 32_903, 65_807, 65_866)),
        (6, [1, 3, 18, 202, 2_366], (1_335, 15_488, 112_835, 225_671, 227_089)),
        (7, [1, 3, 25, 386, 8_894], (2_481, 55_788, 901_066, 1_802_133, 1_815_874)),
        (8, [1, 4, 48, 1_028, 34_680], (6_475, 214_450, 6_307_313, 12_614_627, 12_663_278)),
        (9, [1, 4, 55, 1_828, 112_537], (11_317, 686_420, 23_241_240, 46_482_481, 47_734_998)),
        (10, [1, 4, 58, 2_508, 236_964], (15_415, 1_437_074, 128_722_741, 257_445_483, 260_989_105)),
    ],
)
@pytest.mark.slice("papers")
def test_the_game_up_to_relabelling_has_the_known_sizes(players, orbits, sizes):
    from fogspiel.papers.bossle2018.full_sequence_form import full_sizes, mission_orbits

    assert mission_orbits(SETUPS[players]) == orbits
    assert full_sizes(SETUPS[players]) == sizes


@pytest.mark.parametrize(
    ("players", "resistance", "spies"),
    [(5, 75, 136), (6, 87, 219), (7, 115, 540), (8, 211, 1_594), (9, 239, 1_917), (10, 251, 3_453)],
)
def test_few_decisions_are_left_when_forced_moves_are_played(players, resistance, spies):
    game = opening(SETUPS[players])
    assert (len(game.infosets) + len(game.tails), len(game.spy_parent)) == (resistance, spies)


@pytest.mark.parametrize(
    ("players", "all_", "distinct", "best"),
    [(5, 5_538, 1_023, 719), pytest.param(6, 14_196, 3_006, 1_596, marks=pytest.mark.slow)],
)
def test_the_plans_that_are_not_dominated_are_among_those_of_the_oracle(players, all_, distinct, best):
    """All lists of missions are tried at each tail, also those that are not nested when the spies lack one point."""
    game, found, kept = opening(SETUPS[players]), 0, [0, 0]
    for tail in game.tails:
        columns, ours = set(), set()
        here = tail.sequence[tail.sequence != NEVER]
        for plan in all_plans(tail.groups, SETUPS[players].sizes[sum(tail.score) :]):
            found += 1
            clean = [ones(game.sets & m) < SETUPS[players].needed[i] for i, m in enumerate(plan, sum(tail.score))]
            won = np.any(clean, axis=0) if tail.ahead else np.all(clean, axis=0)
            columns.add(tuple(np.bincount(tail.sequence[won & (tail.sequence != NEVER)], minlength=here.max() + 1)))
        sizes = SETUPS[players].sizes[sum(tail.score) :] if tail.ahead else SETUPS[players].sizes[-1:]
        for plan in all_plans(tail.groups, sizes):
            sequences, counts = row(game, tail, plan)
            ours.add(tuple(np.bincount(sequences, counts, here.max() + 1).astype(int)))
        table = np.array(sorted(columns))
        dominated = [bool(((table >= line).all(axis=1) & (table > line).any(axis=1)).any()) for line in table]
        undominated = {tuple(line) for line, worse in zip(table, dominated, strict=True) if not worse}
        assert undominated <= ours <= columns
        kept = [kept[0] + len(columns), kept[1] + len(undominated)]
    assert (found, *kept) == (all_, distinct, best)


@pytest.mark.slice("papers")
def test_labelled_players_make_the_tree_of_the_paper():
    from fogspiel.papers.bossle2018.full_sequence_form import labelled_sizes

    rounds = labelled_sizes(SETUPS[8])
    assert sum(part.apart for part in rounds) == pytest.approx(8.5e11, rel=0.01)
    assert sum(part.states for part in rounds) == pytest.approx(6.46e11, rel=0.001)
    assert all(later.apart > 50 * earlier.apart for earlier, later in pairwise(rounds))


@pytest.mark.slice("papers")
def test_the_sizes_of_labelled_players_are_those_of_a_walk():
    from fogspiel.papers.bossle2018.full_sequence_form import labelled_sizes

    setup = Setup(4, 2, (2, 2, 3), (1, 2, 1), points=2)
    found = np.zeros((3, 3), int)
    for spies in combinations(range(4), 2):
        walk = [(0, 0)]
        for won, lost in walk:
            found[won + lost, 0] += 1
            for mission in combinations(range(4), setup.sizes[won + lost]):
                able = len(set(mission) & set(spies)) >= setup.needed[won + lost]
                found[won + lost, 1] += 1
                found[won + lost, 2] += able
                walk += [s for s in ((won + 1, lost), (won, lost + 1))[: 1 + able] if max(s) < 2]
    counted = [(line.spy_waits, line.spy_missions, line.spy_choices) for line in labelled_sizes(setup)]
    assert found.tolist() == [list(line) for line in counted]


@pytest.mark.slice("papers")
def test_definition_5_has_a_node_for_each_knowledge_state():
    from fogspiel.papers.bossle2018.full_sequence_form import labelled_sizes

    setup = Setup(4, 2, (2, 2, 3), (1, 1, 1), points=2)
    known = set()
    for spies in combinations(range(4), 2):
        walk = [((), (0, 0))]
        for seen, (won, lost) in walk:
            known |= {(view, seen) for view in ("resistance", spies)}
            if max(won, lost) == setup.points:
                continue
            for mission in combinations(range(4), setup.sizes[won + lost]):
                able = len(set(mission) & set(spies)) >= setup.needed[won + lost]
                known |= {(view, (*seen, mission)) for view in ("resistance", spies)}
                ends = (("+", (won + 1, lost)), ("-", (won, lost + 1)))[: 1 + able]
                walk += [((*seen, mission, outcome), score) for outcome, score in ends]
    assert len(known) == sum(part.states for part in labelled_sizes(setup))


# Values


def labelled_form(setup):
    """The sequence form of the game with labelled players, by brute force and without any of the package's orbits."""
    crews = {m: [frozenset(c) for c in combinations(range(setup.players), m)] for m in {*setup.sizes, setup.spies}}
    treeplexes: list[dict] = [{}, {}]
    sequences, leaves = [1, 1], []

    def infoset(player, name, parent, count):
        if name not in treeplexes[player]:
            treeplexes[player][name] = (parent, sequences[player], count)
            sequences[player] += count
        return treeplexes[player][name][1]

    def play(spies, past, x, y):
        won = sum(success for _, success in past)
        if max(won, len(past) - won) == setup.points:
            leaves.append((x, y, 1 if won == setup.points else -1))
            return
        options = crews[setup.sizes[len(past)]]
        first = infoset(0, past, x, len(options))
        for slot, mission in enumerate(options):
            if len(mission & spies) < setup.needed[len(past)]:
                play(spies, (*past, (mission, True)), first + slot, y)
            else:
                mine = infoset(1, (spies, past, mission), y, 2)
                play(spies, (*past, (mission, True)), first + slot, mine)
                play(spies, (*past, (mission, False)), first + slot, mine + 1)

    for spies in crews[setup.spies]:
        play(spies, (), 0, 0)
    rows, columns, payoffs = (np.array(part) for part in zip(*leaves, strict=True))
    made = tuple(Treeplex(*np.array(list(treeplex.values())).T) for treeplex in treeplexes)
    return merge(made, rows, columns, payoffs, len(crews[setup.spies]))


@pytest.mark.thorough
@pytest.mark.parametrize("setup", default_cases(TINY[:-1], TINY), ids=str)
@pytest.mark.slice("papers")
def test_tiny_tables_have_the_value_that_brute_force_finds(setup):
    from fogspiel.papers.bossle2018.full_sequence_form import full_form

    document = solve(setup)
    assert float(verify(document)[0]) == pytest.approx(equilibrium(labelled_form(setup)).value, abs=1e-9)
    assert float(verify(document)[1]) == pytest.approx(equilibrium(full_form(setup)).value, abs=1e-9)


@pytest.mark.parametrize("players", [5, 6, 7, 8])
def test_published_values_come_out_and_are_proved(players):
    assert verify(certificate(players)) == (Fraction(PUBLISHED[players]),) * 2


@pytest.mark.slow
@pytest.mark.parametrize("players", [9, 10, 11, 12, 13])
def test_larger_tables_are_solved_and_proved(players):
    assert verify(certificate(players)) == (Fraction(VALUES[players]),) * 2


@pytest.mark.thorough
@pytest.mark.slice("papers")
def test_the_papers_own_form_has_the_same_value():
    from fogspiel.papers.bossle2018.full_sequence_form import full_form

    form = full_form(SETUPS[5])
    assert form.sizes == {"infosets": [747, 32_903], "sequences": [6_248, 65_807], "nonzeros": 65_866}
    assert equilibrium(form).value == pytest.approx(-0.4, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("players", "nonzeros"), [(6, 227_089), (7, 1_815_121)])
@pytest.mark.slice("papers")
def test_the_papers_own_form_has_the_same_value_for_more_players(players, nonzeros):
    """With 7 players 753 leaves share an entry of the matrix: a fourth mission may have one spy on it or none."""
    from fogspiel.papers.bossle2018.full_sequence_form import full_form, full_sizes

    form, sizes = full_form(SETUPS[players]), full_sizes(SETUPS[players])
    assert form.sizes == {"infosets": [sizes[0], sizes[2]], "sequences": [sizes[1], sizes[3]], "nonzeros": nonzeros}
    assert equilibrium(form, method="ipm").value == pytest.approx(float(Fraction(PUBLISHED[players])), abs=1e-6)


# The lazy solver


@pytest.mark.parametrize("players", [5, 7, 8])
def test_bounds_close_in_on_the_value(players):
    found, value = list(steps(SETUPS[players])), float(Fraction(VALUES[players]))
    lower, upper = [step.lower for step in found], [step.upper for step in found]
    assert lower == sorted(lower) and upper == sorted(upper, reverse=True)
    assert max(lower) <= value + 1e-9 and min(upper) >= value - 1e-9
    assert [step.rows for step in found[1:]] == [step.rows + len(step.plans) for step in found[:-1]]
    assert [step.certificate is None for step in found] == [True] * (len(found) - 1) + [False]


@pytest.mark.parametrize("stop", [0, 1, 5])
def test_an_interrupted_solve_ends_with_the_same_bytes(stop):
    whole = [step.to_json() for step in steps(SETUPS[7])]
    kept = json.loads(json.dumps(whole[:stop]))
    rest = [step.to_json() for step in steps(SETUPS[7], kept)]
    assert len(rest) == len(whole) - stop
    for before, after in zip(whole[stop:], rest, strict=True):
        before.pop("seconds"), after.pop("seconds")
        assert json.dumps(before) == json.dumps(after)
    assert list(steps(SETUPS[7], whole)) == []


def test_large_numbers_are_weighed_as_small_ones_are():
    judge = oracle(opening(SETUPS[6]))
    rng = np.random.default_rng(1)
    plan = rng.integers(0, 50, 1 + 2 * len(judge.game.spy_parent))
    weights = at_tails(judge.game, plan)
    bars = weights.sum(axis=1) // 3
    worth, chosen = answers(judge, weights, bars)
    large = answers(judge, weights.astype(object) * 10**30, bars.astype(object) * 10**30)
    assert (large[0] == worth.astype(object) * 10**30).all()
    assert (large[1] == chosen).all()


def test_set_ups_with_wrong_numbers_are_refused():
    for setup in (SETUPS[5]._replace(sizes=(2, 3, 2, 6, 3)), SETUPS[5]._replace(points=2), SETUPS[5]._replace(spies=5)):
        with pytest.raises(ValueError, match="it must be"):
            solve(setup)


# The checker


def test_the_checker_needs_neither_the_solvers_nor_their_libraries():
    code = (
        "import sys, fogspiel.resistance.checkers.resistance\n"
        "bad = [m for m in sys.modules if m.split('.')[0] in ('numpy', 'numba', 'highspy')"
        " or m.startswith(('fogspiel.resistance.', 'fogspiel.solving.')) and not"
        " m.startswith(('fogspiel.resistance.checkers', 'fogspiel.resistance.game', 'fogspiel.solving.proofs'))]\n"
        "sys.exit(str(bad) if bad else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def set_in(document, *path, value):
    """Change one entry."""
    for key in path[:-1]:
        document = document[key]
    document[path[-1]] = value


def without(document, *path):
    """Take one entry out."""
    for key in path[:-1]:
        document = document[key]
    del document[path[-1]]


FAULTS = {
    "another format": lambda d: set_in(d, "format", value="fogspiel resistance certificate 2"),
    "another game": lambda d: set_in(d, "game", value="resistance8"),
    "no such game": lambda d: set_in(d, "game", value="resistance4"),
    "other rules": lambda d: set_in(d, "rules", value=2),
    "rules that are true": lambda d: set_in(d, "rules", value=True),
    "a better lower bound": lambda d: set_in(d, "lower", value="-1/3"),
    "a better upper bound": lambda d: set_in(d, "upper", value="-1/2"),
    "another value": lambda d: set_in(d, "value", value="-16/35"),
    "a number for a value": lambda d: set_in(d, "value", value=-0.4857),
    "a value that is no fraction": lambda d: set_in(d, "value", value="17/0"),
    "no upper bound": lambda d: without(d, "upper"),
    "an unknown key": lambda d: set_in(d, "note", value="trust me"),
    "no spies": lambda d: set_in(d, "spies", value={}),
    "spies that are a list": lambda d: set_in(d, "spies", value=[]),
    "a row that is a list": lambda d: set_in(d, "spies", "2", value=["1"]),
    "other spies at the start": lambda d: set_in(d, "spies", "2", "1,2", value="1"),
    "a chance above 1": lambda d: set_in(d, "spies", "2", "1,2", value="3/2"),
    "a negative chance": lambda d: set_in(d, "spies", "2", "1,2", value="-1/2"),
    "a fraction not in lowest terms": lambda d: set_in(d, "spies", "2", "1,2", value="0/2"),
    "a missing type": lambda d: without(d, "spies", "2", "1,2"),
    "an unknown type": lambda d: set_in(d, "spies", "2", "0,3", value="1"),
    "a missing situation of the spies": lambda d: without(d, "spies", "2+ 2,1"),
    "an unknown situation of the spies": lambda d: set_in(d, "spies", "3", value={"1,2": "1"}),
    "no first mission": lambda d: without(d, "resistance", ""),
    "a first mission half the time": lambda d: set_in(d, "resistance", "", value={"2": "1/2"}),
    "a mission too many": lambda d: set_in(d, "resistance", "", value={"2": "2", "1": "-1"}),
    "a mission of the wrong size": lambda d: set_in(d, "resistance", "", value={"3": "1"}),
    "a mission that is no number": lambda d: set_in(d, "resistance", "", value={"x": "1"}),
    "a plan that is too short": lambda d: set_in(d, "resistance", tail_of(d), value={"1,1,2": "1"}),
    "an unreachable situation": lambda d: set_in(d, "resistance", "3+", value={"1,1": "1"}),
    "a missing plan": lambda d: without(d, "resistance", tail_of(d)),
}


def tail_of(document):
    """A situation in which the resistance lacks one point."""
    return next(history for history in document["resistance"] if history.count("+") == 2)


@pytest.mark.parametrize("fault", FAULTS)
def test_the_checker_refuses(fault):
    document = certificate(7)
    FAULTS[fault](document)
    for changed in (document, reseal(document)):
        with pytest.raises(ValueError, match=r"\w"):
            verify(changed)


@pytest.mark.parametrize("document", [None, [], "certificate", 7, {}])
def test_the_checker_refuses_what_is_no_certificate(document):
    with pytest.raises(ValueError, match="exactly the keys"):
        verify(document)


def test_the_checker_notices_every_change_of_a_mixture_of_the_resistance():
    document = certificate(8)
    for history, mixture in document["resistance"].items():
        for text in mixture:
            other = copy.deepcopy(document)
            other["resistance"][history][text] = "1/7"
            with pytest.raises(ValueError, match="changed after it was written"):
                verify(other)
            with pytest.raises(ValueError, match="sum to 1"):
                verify(reseal(other))


def test_the_checker_is_not_fooled_by_a_bound_that_fits_a_worse_strategy():
    document = certificate(5)
    document["spies"] = {way: dict.fromkeys(kinds, "1") for way, kinds in document["spies"].items()}
    with pytest.raises(ValueError, match="concedes"):
        verify(reseal(document))
    document["upper"] = "0"  # what spies who always sabotage concede
    with pytest.raises(ValueError, match="only if both bounds"):
        verify(reseal(document))


# Plans for people


@pytest.mark.parametrize("players", TABLES)
def test_the_plan_for_people_is_optimal(players):
    setup = SETUPS[players]
    assert Resistance(setup, strategy_of(setup, TABLES[players])).payoff() == Fraction(VALUES[players])


@pytest.mark.parametrize("players", default_cases([5, 6, 7], [5, 6, 7, 8]))
def test_a_plan_without_dice_is_found_among_the_plans_of_the_solver(players):
    setup, known = SETUPS[players], []
    judge = oracle(opening(setup))
    known += proofs.best_plans(judge, proofs.even_spies(judge.game), np.full(len(judge.game.tails), -1.0), most=1)[1]
    for step in steps(setup):
        known += [(tail, tuple(plan)) for tail, *plan in step.plans]
    table = pure_strategy(setup, known, Fraction(VALUES[players]))
    assert Resistance(setup, table).payoff() == Fraction(VALUES[players])
    assert pure_strategy(setup, known, Fraction(VALUES[players]) + Fraction(2, len(judge.game.sets))) is None


def test_the_plan_can_be_read_and_has_a_line_for_every_case():
    lines = plan_lines(SETUPS[5], Fraction(3, 10))
    assert lines[0].startswith("The Resistance with 5 players, 2 of them spies: a plan that wins with probability 3/10")
    assert lines[3] == "round 1: A B"
    assert sum("sabotaged:" in line for line in lines) == 5


def test_the_spies_are_told_what_to_do_in_every_situation():
    document = certificate(7)
    everything = spies_lines(document, everything=True)
    assert sum(line.startswith("  spies: ") for line in everything) == 540
    assert set(spies_lines(document)) < set(everything)
    assert any("sabotage with probability" in line for line in everything)


def test_the_example_of_the_paper_is_told_with_the_odds():
    text = "\n".join(example_lines(certificate(5)))
    assert "round 1, 0:0. The resistance wins with probability 3/10" in text
    assert "in the game A C D went" in text
    assert text.endswith("the spies have three points and win")


# Playing


def played(players, resistance, spies, seed):
    """The score of one game of the rules' kernels."""
    game = known_game(f"resistance{players}")
    chance, first, second = stream_of(seed, 0), stream_of(seed, 1), stream_of(seed, 2)
    state, out = np.zeros(game.sizes.state, np.int64), np.zeros(game.sizes.actions, np.int64)
    game.rules.start(state)
    while (who := game.rules.mover(state)) != OVER:
        actions = out[: game.rules.legal(state, out)]
        if who == CHANCE:
            action = any_action(None, actions, chance)
        else:
            seen = view_of(game, state, who)
            action = resistance(seen, actions, first) if who == 0 else spies(seen, actions, second)
        assert action in actions
        game.rules.apply(state, action)
    return int(game.rules.score(state))


def any_action(seen, actions, stream):
    from fogspiel.core.rng import random_below

    return int(actions[random_below(stream, len(actions))])


@pytest.mark.thorough
@pytest.mark.parametrize("players", [5, 8])
def test_a_solution_scores_its_value_in_play(players):
    document = certificate(players)
    pure = document | {"resistance": strategy_of(SETUPS[players], TABLES[players])}
    chance, games = float(Fraction(VALUES[players]) + 1) / 2, 300
    margin = 4 * (chance * (1 - chance) / games) ** 0.5
    spies = lambda *seen: spies_choice(document, *seen)  # noqa: E731
    for mine in (document, pure):
        resistance = lambda *seen, mine=mine: resistance_choice(mine, *seen)  # noqa: E731
        won = sum(played(players, resistance, spies, seed) for seed in range(games)) / games
        assert abs(won - chance) < margin
        assert sum(played(players, resistance, any_action, seed) for seed in range(games)) / games > chance - margin
    assert sum(played(players, any_action, spies, seed) for seed in range(games)) / games < chance + margin


def test_the_rules_know_when_a_mission_cannot_be_sabotaged():
    game = known_game("resistance7")
    state, out = np.zeros(game.sizes.state, np.int64), np.zeros(game.sizes.actions, np.int64)
    game.rules.start(state)
    game.rules.apply(state, 0b0000111)
    for mission, action in ((0b0011000, rules.PASS), (0b0001110, rules.SABOTAGE), (0b0001110, rules.SABOTAGE)):
        game.rules.apply(state, mission)
        assert game.rules.legal(state, out) == (2 if mission & 0b111 else 1)
        game.rules.apply(state, action)
    game.rules.apply(state, 0b0111001)
    assert game.rules.legal(state, out) == 1, "the fourth mission takes two sabotages"
    assert out[0] == rules.PASS and game.label(rules.PASS) == "let it pass"


def test_letters_are_players_and_groups_split_in_order():
    assert letters(0b10011) == "ABE"
    assert split((0b11111,), 0b00011) == (0b00011, 0b11100)
    assert missions((0b00011, 0b11100), 2) == [0b00011, 0b00101, 0b01100]


def test_the_exact_bounds_of_a_solution_are_those_of_the_solver():
    game = opening(SETUPS[6])
    judge, program = oracle(game), SpyProgram(game)
    program.add(proofs.best_plans(judge, proofs.even_spies(game), np.full(len(game.tails), -1.0), most=1)[1])
    answer = program.solve()
    pair = proofs.exact_pair(judge, program, answer)
    assert pair.lower == pair.upper == 5
    assert proofs.conceded_value(judge, pair.spies, [-1.0] * len(game.tails)) == 5, (
        "also without the bars that save time"
    )
