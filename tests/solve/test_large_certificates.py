"""Certificates of large trees: lines instead of rows, intervals instead of exact values, tampering of every kind."""

import copy
import json
import time
from fractions import Fraction
from functools import cache

import pytest
from support.certificates import reseal

from fogspiel.core.game import known_game
from fogspiel.runs.kinds.solve import solve_unstored
from fogspiel.runs.requests import SolveRequest
from fogspiel.solving import proofs
from fogspiel.solving.known_values import known_value
from fogspiel.solving.methods import NO_STATE, run_to_end
from fogspiel.solving.methods.cfr import TreeRegrets
from fogspiel.solving.methods.tree import by_simplex, exact_large_certificate, large_certificate
from fogspiel.solving.proofs import certificate_agent, read_certificate, strategy_rows, verify, write_certificate
from fogspiel.solving.proofs.checkers.tree import EXACT_LARGE_FORMAT as EXACT
from fogspiel.solving.proofs.checkers.tree import LARGE_FORMAT as FORMAT
from fogspiel.solving.reduce import presolve_tree
from fogspiel.solving.sources import KernelSource
from fogspiel.solving.tree import build_tree, sequence_form


@cache
def proof_of(name, iterations=300):
    """The certificate of what regret minimisation finds."""
    game = known_game(name)
    tree = build_tree(game)
    regrets = TreeRegrets(sequence_form(tree), "cfr+")
    regrets.advance(iterations)
    return large_certificate(name, game.version, tree, KernelSource(game, name).knowledge(tree), regrets.average)


@pytest.mark.parametrize(("name", "value"), [("kuhn", -1 / 18), ("leduc", -0.085606424078), ("liars-dice-4", 1 / 16)])
def test_the_interval_of_rounded_strategies_is_proved(name, value):
    lower, upper = verify(json.loads(json.dumps(proof_of(name))))
    assert lower <= value <= upper and upper - lower < 0.01


def test_a_bound_that_is_a_little_too_good_is_refused():
    for claim, step in (("lower", 1), ("upper", -1)):
        body = copy.deepcopy(proof_of("kuhn"))
        numerator, denominator = map(int, body[claim].split("/"))
        body[claim] = body["value"] = f"{numerator + step * denominator // 10**7}/{denominator}"
        with pytest.raises(ValueError, match="does not"):
            verify(reseal(body))


def lines(body, side=0):
    return body["strategies"][side]


def cut(body, side, line, part, text):
    """Put a text in place of a part of a line."""
    parts = lines(body, side)[line].split("|")
    parts[part] = text
    lines(body, side)[line] = "|".join(parts)


UNITS = 10**9
TAMPERINGS = {
    "no format": lambda b: b.pop("format"),
    "another format": lambda b: b.update(format="fogspiel certificate 1"),
    "a key more": lambda b: b.update(extra=1),
    "another game": lambda b: b.update(game="leduc"),
    "no such game": lambda b: b.update(game="no-such-game"),
    "game is a list": lambda b: b.update(game=["kuhn"]),
    "another version": lambda b: b.update(rules=99),
    "version is text": lambda b: b.update(rules="1"),
    "lower is a float": lambda b: b.update(lower=-0.06),
    "lower is too good": lambda b: b.update(lower="0", value="0"),
    "upper is too good": lambda b: b.update(upper="-1/2", value="-1/2"),
    "upper is not in lowest terms": lambda b: b.update(upper="2/4"),
    "bounds crossed": lambda b: b.update(lower=b["upper"], upper=b["lower"]),
    "value outside": lambda b: b.update(value="5"),
    "value is huge": lambda b: b.update(value="9" * 200_000),
    "denominator 0": lambda b: b.update(denominator=0),
    "denominator negative": lambda b: b.update(denominator=-UNITS),
    "denominator true": lambda b: b.update(denominator=True),
    "denominator huge": lambda b: b.update(denominator=10**400),
    "denominator other": lambda b: b.update(denominator=UNITS + 1),
    "strategies is text": lambda b: b.update(strategies="x"),
    "one strategy": lambda b: b["strategies"].pop(),
    "three strategies": lambda b: b["strategies"].append([]),
    "a strategy is an object": lambda b: b["strategies"].__setitem__(0, {}),
    "a strategy is empty": lambda b: b["strategies"].__setitem__(0, []),
    "strategies exchanged": lambda b: b["strategies"].reverse(),
    "a line is a number": lambda b: lines(b).__setitem__(0, 7),
    "a line is a list": lambda b: lines(b).__setitem__(0, [1, 2]),
    "a line is empty": lambda b: lines(b).__setitem__(0, ""),
    "a line is endless": lambda b: lines(b).__setitem__(0, "1 " * 10**6),
    "a line has letters": lambda b: cut(b, 0, 0, 1, "a b"),
    "a line has other digits": lambda b: cut(b, 0, 0, 1, "٣ ٤"),
    "a line has three parts": lambda b: lines(b).__setitem__(0, lines(b)[0].rpartition("|")[0]),
    "a line has five parts": lambda b: lines(b).__setitem__(0, lines(b)[0] + "|1"),
    "a line twice": lambda b: lines(b).append(lines(b)[0]),
    "the last line missing": lambda b: lines(b).pop(),
    "the first line missing": lambda b: lines(b, 1).pop(0),
    "lines out of order": lambda b: lines(b).reverse(),
    "a line after itself": lambda b: cut(b, 0, len(lines(b)) - 1, 0, f"{len(lines(b)) - 1} 0"),
    "a line after a later one": lambda b: cut(b, 0, 0, 0, "5 0"),
    "a line after an action that is not there": lambda b: cut(b, 0, len(lines(b)) - 1, 0, "0 17"),
    "another view": lambda b: cut(b, 0, 0, 1, "9 9 9"),
    "actions missing": lambda b: cut(b, 0, 0, 2, "0"),
    "an action twice": lambda b: cut(b, 0, 0, 2, "0 0"),
    "other actions": lambda b: cut(b, 0, 0, 2, "7 8"),
    "shares too large in all": lambda b: cut(b, 0, 0, 3, f"{UNITS} 1"),
    "a negative share": lambda b: cut(b, 0, 0, 3, f"{UNITS + 1} -1"),
    "a huge share": lambda b: cut(b, 0, 0, 3, "9" * 30 + " 0"),
    "another strategy": lambda b: [cut(b, 0, k, 3, f"0 {UNITS}") for k in range(len(lines(b)))],
}


SMALL_SHARES = {
    "no share": lambda b: cut(b, 0, 0, 3, "0 0"),
    "a negative share": lambda b: cut(b, 0, 0, 3, "3 -1"),
    "a share of 5,000 digits": lambda b: cut(b, 0, 0, 3, "9" * 5000 + " 0"),
    "a denominator": lambda b: b.update(denominator=UNITS),
    "lower a little too good": lambda b: b.update(lower="-555/10000", value="-555/10000", upper="-555/10000"),
    "another strategy": lambda b: [cut(b, 0, k, 3, "0 1") for k in range(len(lines(b)))],
    "one line of another strategy": lambda b: cut(b, 1, 0, 3, "1 1"),
}
IN_UNITS = ("denominator", "share", "bounds crossed")  # tamperings with shares of a fixed sum, or an interval


@cache
def exact_proof_of(name):
    """The exact certificate of a game, as that of a large tree."""
    source = KernelSource(known_game(name), name)
    reduced = presolve_tree(source.tree(1.0))
    found = run_to_end(by_simplex(reduced, NO_STATE)).exactly()
    head = name, source.version, source.tree(1.0), source.knowledge(source.tree(1.0))
    return exact_large_certificate(*head, reduced.lift(*found.behaviours), found.value)


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_exact_strategies_of_a_large_tree_are_proved(name):
    body = json.loads(json.dumps(exact_proof_of(name)))
    assert body["format"] == EXACT and "denominator" not in body
    assert verify(body) == (known_value(name),) * 2
    agent, (seen, chosen, *_) = certificate_agent("proof", body, known_game(name)), next(strategy_rows(body, 0))
    assert agent.name == "proof" and seen and chosen


def test_a_file_of_lines_is_read_line_by_line(tmp_path, monkeypatch):
    monkeypatch.setattr(proofs, "read_bytes", None)
    for size in (proofs.CHUNK, 300):
        monkeypatch.setattr(proofs, "CHUNK", size)
        for body in (exact_proof_of("kuhn"), proof_of("kuhn")):
            write_certificate(body, tmp_path / "kuhn.json")
            assert read_certificate(tmp_path / "kuhn.json") == json.loads((tmp_path / "kuhn.json").read_text()) == body


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"],["', '"],["x', "line 0 of strategy 2 is not in whole numbers"),
        ('"]],', '"],', "not in whole numbers"),
        ('"],["', '"] , ["', "not in whole numbers"),
        ('"]],', '"]],"strategies":[],', "'strategies' twice"),
        ('"]],', '"]],"more":{', "it is not JSON"),
        ('","', '" "', "line 0 of strategy 1 is not in whole numbers"),
        ('","', '","' + "1" * 200_000, "not in whole numbers"),
        ("}", "}}", "it is not JSON"),
        ('"digest"', '"game"', "'game' twice"),
    ],
)
def test_a_damaged_file_of_lines_is_refused_in_a_sentence(tmp_path, old, new, told):
    path, text = tmp_path / "kuhn.json", json.dumps(exact_proof_of("kuhn"), separators=(",", ":"))
    head, begin, tail = text.partition('"strategies":[[')
    path.write_text(head + begin + tail.replace(old, new, 1))
    with pytest.raises(ValueError, match=told):
        read_certificate(path)


def test_lines_beyond_the_limit_of_size_are_not_read(tmp_path):
    body = exact_proof_of("kuhn")
    write_certificate({**body, "strategies": [body["strategies"][0] * 20_000, []]}, tmp_path / "kuhn.json")
    with pytest.raises(ValueError, match=r"larger than 104,857 bytes: grant more by `fogspiel verify --max-mib MIB`"):
        read_certificate(tmp_path / "kuhn.json", 0.1)


@pytest.mark.parametrize(
    ("proof", "tamper"),
    [
        *(pytest.param(proof_of, tamper, id=name) for name, tamper in TAMPERINGS.items()),
        *(pytest.param(exact_proof_of, tamper, id=f"exact, {name}") for name, tamper in SMALL_SHARES.items()),
        *(
            pytest.param(exact_proof_of, tamper, id=f"exact, {name}")
            for name, tamper in TAMPERINGS.items()
            if name not in SMALL_SHARES and not any(word in name for word in IN_UNITS)
        ),
    ],
)
def test_tampering_is_refused_in_a_sentence_within_a_second(proof, tamper):
    body = json.loads(json.dumps(proof("kuhn")))
    tamper(body)
    began = time.process_time()
    with pytest.raises(ValueError) as caught:
        verify(reseal(body))
    assert len(str(caught.value)) < 400 and "\n" not in str(caught.value)
    assert time.process_time() - began < 1


def test_a_digest_that_does_not_fit_is_refused():
    body = json.loads(json.dumps(proof_of("kuhn")))
    body["lower"] = "-1"
    with pytest.raises(ValueError, match="changed after it was written"):
        verify(body)


def test_the_strategies_play_and_are_explained():
    body = proof_of("leduc")
    agent = certificate_agent("proof", body, known_game("leduc"))
    assert agent.name == "proof"
    seen, chosen, _ = next(strategy_rows(body, 0))
    assert "your card" in seen and chosen


@pytest.mark.thorough
def test_a_tree_of_more_than_a_million_nodes_has_an_exact_certificate():
    found = solve_unstored(SolveRequest("leduc-13", exact=True))
    assert found.sizes["nodes"] > 10**6 and found.certificate["format"] == EXACT
    assert verify(found.certificate) == (Fraction(found.value),) * 2


@pytest.mark.slow
def test_a_tree_of_more_than_a_million_nodes_has_a_certificate():
    found = solve_unstored(SolveRequest("leduc-13"))
    assert found.sizes["nodes"] > 10**6 and found.certificate["format"] == FORMAT
    lower, upper = verify(found.certificate)
    assert upper - lower < 1e-8
