"""Bounds on any game: tables of both sides, best responses by two ways, and the certificate that proves them."""

import json
import random
from base64 import b64decode, b64encode
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from fogspiel.core.agents import find_policy
from fogspiel.core.compile.kernel import kernel
from fogspiel.core.find import forget_games, load_game, write_template
from fogspiel.core.game import USER_GAMES, known_game
from fogspiel.core.rng import stream_of
from fogspiel.core.session import Session, finish_game
from fogspiel.runs.kinds.solve import solve_game
from fogspiel.solving.bounds.any_game import bound
from fogspiel.solving.methods import NO_STATE, SolveOptions, SolverState, run_to_end
from fogspiel.solving.methods.informed_opponent import solve as informed
from fogspiel.solving.methods.mccfr import solve as sample
from fogspiel.solving.policies.best_response import exploitability
from fogspiel.solving.proofs import certificate_agent, verify
from fogspiel.solving.proofs.checkers.primitives import digest_of
from fogspiel.solving.proofs.checkers.table_bounds import FORMAT
from fogspiel.solving.sources import KernelSource
from fogspiel.solving.tree import build_tree, session_at

VALUES = {"kuhn": Fraction(-1, 18), "leduc": Fraction(-856064, 10**7), "liars-dice-4": Fraction(1, 16)}


def source(name):
    return KernelSource(known_game(name), name)


def sampled(name, iterations=20_000, memory=1.0):
    options = SolveOptions(gap=1e-9, iterations=iterations, seed=3, memory=memory)
    return run_to_end(sample("external-sampling", source(name), options, NO_STATE))


def informed_about(name, iterations=64):
    return run_to_end(informed(source(name), SolveOptions(iterations=iterations), NO_STATE))


@pytest.mark.parametrize("name", ["kuhn", "leduc", "liars-dice-4"])
def test_sampled_tables_prove_an_interval_that_contains_the_value(name):
    found = sampled(name)
    lower, upper = verify(found.certificate)
    assert lower <= VALUES[name] <= upper and upper - lower < Fraction(1, 2)
    assert found.certificate["format"] == FORMAT and found.interval == (float(lower), float(upper))


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_an_opponent_who_sees_the_state_bounds_the_value(name):
    found = informed_about(name)
    lower, upper = verify(found.certificate)
    assert lower < VALUES[name] < upper


def test_the_bound_is_the_value_of_the_game_in_which_the_opponent_sees_everything():
    """Leduc as seen by an opponent who looks into all cards, solved as a tree of its own."""
    game = known_game("leduc")

    def shown_to(player):
        view, cells = game.rules.view, game.sizes.state

        @kernel
        def see(state, who, out):
            if who == player:
                for cell in range(cells):
                    out[cell] = state[cell]
            else:
                view(state, who, out)
                for cell in range(14, cells):
                    out[cell] = 0

        return see

    values = []
    for player in (1, 0):
        rules = game.rules._replace(view=shown_to(player))
        open_game = replace(game, rules=rules, sizes=game.sizes._replace(view=game.sizes.state))
        values.append(solve_game(open_game, solver="lp").score)
    lower, upper = informed_about("leduc", 512).interval
    assert values[0] - 0.02 < lower <= values[0] + 1e-6 and values[1] - 1e-6 <= upper < values[1] + 0.02


def shares_of(certificate, owner, path):
    """The probabilities of a table after the views and actions of its owner: written here by the format's text."""
    side, game = certificate["sides"][owner], known_game(certificate["game"])
    mask = 2**64 - 1

    def mix(z):
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & mask
        return z ^ (z >> 31)

    def salt(i):
        seed = mix(mix((2009 + GOLDEN) & mask) ^ 0)
        return mix(mix((seed + GOLDEN) & mask) ^ (i * GOLDEN & mask)) | 1

    past = salt(game.sizes.view + 1 - owner)
    for view, slot in path:
        key = mix((past + sum(int(cell) % 2**64 * salt(i) for i, cell in enumerate(view))) & mask)
        past = mix((key + (slot + 1) * GOLDEN) & mask)
    keys = np.frombuffer(b64decode(side["keys"]), "<u8").tolist()
    counts = np.frombuffer(b64decode(side["counts"]), "<u2").tolist()
    weights = np.frombuffer(b64decode(side["weights"]), "<u2").tolist()
    if key not in keys:
        return None
    place = keys.index(key)
    begin = sum(counts[:place])
    row = weights[begin : begin + counts[place]]
    return [Fraction(weight, sum(row)) for weight in row]


GOLDEN = 0x9E3779B97F4A7C15


@pytest.mark.parametrize("name", ["kuhn", "liars-dice-4"])
def test_the_bounds_are_those_of_the_tree_for_the_same_tables(name):
    """Histories of the tree, keys and best responses written apart from the checker."""
    found, game = sampled(name, 800), known_game(name)
    tree = build_tree(game)
    behaviours = [np.ones(1 + int(tree.count[tree.owner == player].sum())) for player in (0, 1)]
    for infoset, owner in enumerate(tree.owner.tolist()):
        path, node = [], int(tree.samples[infoset])
        slot = 0
        while node >= 0:
            if tree.label[node] >= 0 and tree.owner[tree.label[node]] == owner:
                path.insert(0, (session_at(game, tree, node).view(owner).tolist(), slot))
            slot, node = int(tree.slot[node]), int(tree.parent[node])
        first, count = int(tree.first[infoset]), int(tree.count[infoset])
        shares = shares_of(found.certificate, owner, path) or [Fraction(1, count)] * count
        behaviours[owner][first : first + count] = list(map(float, shares))
    judged = exploitability(tree, *behaviours)
    assert found.interval == pytest.approx((judged.lower, judged.upper), abs=1e-6)


# Tampering


def sealed(body):
    return body | {"digest": digest_of(body)}


def changed_column(side, name, kind, change):
    column = np.frombuffer(b64decode(side[name]), kind).copy()
    change(column)
    return side | {name: b64encode(column.tobytes()).decode()}


def with_side(body, owner, side):
    return body | {"sides": [side if k == owner else one for k, one in enumerate(body["sides"])]}


def halved(column):
    column[len(column) // 2 :] = 1


def swapped(column):
    column[[0, -1]] = column[[-1, 0]]


def tamperings(body):
    """Forty wrong certificates, all but the first ten sealed again."""
    draws = random.Random(1)
    for _ in range(10):
        text = json.dumps(body)
        places = [k for k, sign in enumerate(text) if sign.isdigit()]
        place = draws.choice(places)
        yield json.loads(text[:place] + str((int(text[place]) + 1) % 10) + text[place + 1 :])
    for name, shift in (("lower", 1), ("lower", -1), ("upper", 1), ("upper", -1)):
        for by in (Fraction(1, 100), Fraction(1, 10**6)):
            yield sealed(body | {name: str(Fraction(body[name]) + shift * by)})
    yield sealed(body | {"value": "5"})
    yield sealed(body | {"game": "leduc"})
    yield sealed(body | {"game": 7})
    yield sealed(body | {"rules": 2})
    yield sealed(body | {"format": "fogspiel table bounds 2"})
    yield sealed(body | {"sides": body["sides"][:1]})
    yield sealed(body | {"sides": body["sides"][::-1]})
    yield sealed({key: value for key, value in body.items() if key != "value"})
    for owner in (0, 1):
        side = body["sides"][owner]
        yield sealed(with_side(body, owner, None))
        yield sealed(with_side(body, owner, side | {"opponent": "blind"}))
        yield sealed(with_side(body, owner, side | {"opponent": "informed"}))
        yield sealed(with_side(body, owner, side | {"cut": "1/2"}))
        yield sealed(with_side(body, owner, side | {"keys": side["keys"] + "!"}))
        yield sealed(with_side(body, owner, side | {"counts": side["counts"][:-4]}))
        yield sealed(with_side(body, owner, changed_column(side, "weights", "<u2", halved)))
    yield sealed(with_side(body, 0, changed_column(body["sides"][0], "keys", "<i8", swapped)))


def test_forty_tamperings_are_refused():
    body = json.loads(json.dumps(sampled("liars-dice-4", 3000).certificate))
    assert verify(body)
    wrong = list(tamperings(body))
    assert len(wrong) == 40 + 1
    for number, other in enumerate(wrong):
        assert other != body
        with pytest.raises(ValueError, match=r"."):
            print(number, verify(other))


def test_rows_that_are_never_reached_are_refused():
    body = json.loads(json.dumps(sampled("kuhn", 500).certificate))
    side = body["sides"][0]
    more = {
        "keys": np.append(np.frombuffer(b64decode(side["keys"]), "<i8"), 2**63 - 1),
        "counts": np.append(np.frombuffer(b64decode(side["counts"]), "<u2"), 1).astype("<u2"),
        "weights": np.append(np.frombuffer(b64decode(side["weights"]), "<u2"), 1).astype("<u2"),
    }
    padded = side | {name: b64encode(column.tobytes()).decode() for name, column in more.items()}
    with pytest.raises(ValueError, match="never reached"):
        verify(sealed(with_side(body, 0, padded)))


# One command for any game


def bounds_of(name, **options):
    return run_to_end(bound(source(name), SolveOptions(**options), NO_STATE))


def test_a_game_that_fits_is_solved_as_solve_does():
    found = bounds_of("kuhn")
    assert found.exact and found.value == "-1/18" and verify(found.certificate) == (VALUES["kuhn"],) * 2


def test_where_nothing_fits_the_payoffs_are_all_that_the_certificate_proves():
    found = bounds_of("battleship", seconds=5.0, memory=0.02)
    assert found.interval == (0.0, 1.0) and found.certificate["sides"] == [None, None]
    assert verify(found.certificate)[:2] == (0, 1)


def test_the_better_side_of_both_opponents_is_taken(monkeypatch):
    monkeypatch.setattr("fogspiel.solving.bounds.any_game.SOLVABLE", 1)
    found = bounds_of("leduc", iterations=300)
    both = [informed_about("leduc", 300).interval, sampled_with_seed_0("leduc", 300).interval]
    assert found.interval == (max(both[0][0], both[1][0]), min(both[0][1], both[1][1]))
    assert verify(found.certificate)[0] <= VALUES["leduc"] <= verify(found.certificate)[1]


def sampled_with_seed_0(name, iterations):
    return run_to_end(sample("external-sampling", source(name), SolveOptions(iterations=iterations), NO_STATE))


def test_interruptions_do_not_change_a_bit(monkeypatch):
    monkeypatch.setattr("fogspiel.solving.bounds.any_game.SOLVABLE", 1)
    monkeypatch.setattr("fogspiel.solving.methods.mccfr.SLICE", 1000)
    monkeypatch.setattr("fogspiel.solving.methods.mccfr.SAVING_SECONDS", 0.0)
    options = SolveOptions(iterations=200)
    whole, state, stops = bounds_of("leduc", iterations=200), None, 0
    while True:
        work = bound(source("leduc"), options, SolverState((), state))
        try:
            for _ in range(5):
                step = next(work)
                state = step.state or state
        except StopIteration as end:
            assert stops >= 3 and end.value.to_json() == whole.to_json()
            return
        stops += 1


def test_the_tables_play_what_they_prove():
    """Against uniform players the table gets at least its bound, within the error of that many games."""
    game = known_game("leduc")
    agent, games = certificate_agent("table", sampled("leduc", 3000).certificate, game), 600
    uniform, total = find_policy(game, "uniform"), 0.0
    for number in range(games):
        players = [one.new_player(stream_of(5, number, side)) for side, one in enumerate((agent, uniform))]
        session = Session(game)
        finish_game(session, players, stream_of(5, number, 2), lambda: True)
        total += float(game.payoffs[session.payoff_index])
    assert total / games > 0.2


def test_a_game_of_the_users_gets_bounds(tmp_path, monkeypatch):
    monkeypatch.setattr("fogspiel.solving.bounds.any_game.SOLVABLE", 1)
    write_template(tmp_path / "bluff.py")
    game = load_game(tmp_path / "bluff.py")
    found = run_to_end(bound(KernelSource(game, str(tmp_path / "bluff.py")), SolveOptions(iterations=2000), NO_STATE))
    forget_games()
    assert not USER_GAMES
    with pytest.raises(ValueError, match="source"):
        verify(found.certificate)
    lower, upper = verify(found.certificate, str(tmp_path / "bluff.py"))
    assert lower <= Fraction(1, 3) <= upper and upper - lower < Fraction(1, 4)
