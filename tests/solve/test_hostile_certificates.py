"""No certificate makes a command work for ever, fill the memory, or print a page of what it says."""

import copy
import json
import os
import time
from pathlib import Path

import pytest
from support.certificates import reseal, uniform_certificate

from fogspiel.solving.known_values import shipped_certificate
from fogspiel.solving.proofs import verify
from fogspiel.solving.proofs.checkers import phantom_bounds
from fogspiel.solving.proofs.checkers.primitives import fraction, go_on, limit_work, quoted

HUGE = ["1e999999999", "9" * 1_000_000, "1/" + "9" * 1_000_000, "0." + "1" * 1_000_000, "x" * 1_000_000, " 1", "1_0"]


def shipped(game):
    return json.loads(shipped_certificate(game).read_text(encoding="utf-8"))


def written(tmp_path, body, name="c.json"):
    path = tmp_path / name
    path.write_text(body if isinstance(body, str) else json.dumps(body), encoding="utf-8")
    return path


def numbers_of(body):
    """The number texts of a certificate of any format, one of each sort: (container, key)."""
    if "strategies" in body and isinstance(body["strategies"], list):
        yield body["strategies"][0][0]["probabilities"], 0
    if "black" in body:
        yield body["black"][0], "worth"
        yield body["black"][0]["rows"][0][0], 1
    for side in ("first", "resistance", "spies"):
        if side in body:
            table = body[side] if side == "first" else next(iter(body[side].values()))
            yield table, next(iter(table))
    yield body, "lower"


@pytest.mark.parametrize("game", ["kuhn", "phantom-ponnuki-2x2", "permutation-ttt", "resistance5", "phantom-ttt"])
@pytest.mark.parametrize("number", HUGE, ids=[text[:12] for text in HUGE])
def test_the_form_of_a_number_is_looked_at_before_it_is_built(game, number):
    for place in range(len(list(numbers_of(shipped(game))))):
        body = shipped(game)
        container, key = list(numbers_of(body))[place]
        container[key] = number
        with pytest.raises(ValueError, match="certificate is not valid") as caught:
            verify(reseal(body), seconds=20)
        assert len(str(caught.value)) < 400 and "CPU" not in str(caught.value)


def endless_bounds(size=5):
    """A small proof whose rows are passed through in 2 ** 60 ways."""
    again = [[[0, "1/2", row + 1, None], [0, "1/2", row + 1, None]] for row in range(60)]
    node = {"own": 2, "worlds": [1], "worth": "0", "rows": [*again, [[0, "1", None, None]]]}
    body = {"format": phantom_bounds.FORMAT, "game": f"phantom-ponnuki-{size}x{size}", "lower": "0", "upper": "1"}
    return reseal(body | {"black": [node], "white": [], "digest": ""})


def test_a_small_proof_that_takes_endless_work_is_refused(tmp_path, refused):
    began = time.process_time()
    with pytest.raises(ValueError, match="takes more CPU time than it may"):
        verify(endless_bounds(), seconds=0.1)
    assert time.process_time() - began < 3
    proof = written(tmp_path, endless_bounds())
    refused("verify", proof, "--seconds", 0.1, because=("takes more CPU time than it may", "--seconds"))


def test_fractions_whose_sums_grow_without_end_are_stopped():
    primes = [number for number in range(2, 4000) if all(number % k for k in range(2, int(number**0.5) + 1))]
    body = copy.deepcopy(uniform_certificate("kuhn"))
    strange = {"actions": primes, "probabilities": [f"1/{2**prime - 1}" for prime in primes]}  # nothing in common
    body["strategies"][0][0] |= strange
    with pytest.raises(ValueError, match="takes more CPU time than it may"):
        verify(reseal(body), seconds=0.05)


def test_the_limit_of_work_ends_with_the_check():
    with pytest.raises(ValueError, match="CPU time"), limit_work(-1):
        go_on()
    go_on()


def test_long_fractions_are_read_whatever_python_allows():
    number = fraction("-" + "7" * 20_000 + "/" + "8" * 19_999 + "9", "it")
    assert number.denominator % 10 == 9 and number.numerator % 10 == 3  # -77..7 mod 10
    assert quoted(number) == "a fraction of some 19,931 digits"


UNREADABLE = {
    "nested too deeply": '{"game": "kuhn", "x":' * 100_000,
    "twice": '{"game": "kuhn", "game": "leduc"}',
    "NaN, but a number must be finite": '{"game": "kuhn", "lower": NaN}',
    "must be finite": '{"game": "kuhn", "lower": 1e999}',
    "digits": '{"game": "kuhn", "lower": ' + "9" * 1_000_000 + "}",
}


@pytest.mark.thorough
@pytest.mark.parametrize("because", UNREADABLE)
@pytest.mark.parametrize("command", [("verify",), ("explain",), ("exploit", "kuhn"), ("match", "kuhn", "uniform")])
def test_json_that_would_cost_much_is_refused_by_every_command(tmp_path, refused, command, because):
    refused(*command, written(tmp_path, UNREADABLE[because]), because=because)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes or devices here")
@pytest.mark.parametrize("words", [("verify",), ("explain",), ("match", "pig", "random"), ("exploit", "kuhn")])
def test_pipes_and_devices_are_refused_at_once(tmp_path, refused, words):
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "zero.json").symlink_to("/dev/zero")
    for name in ("pipe.json", "zero.json"):
        refused(*words, tmp_path / name)


def test_a_large_file_is_read_only_if_it_is_granted(tmp_path, refused, answer):
    proof = shipped_certificate("kuhn").read_text(encoding="utf-8") + " " * 2_000_000
    path = written(tmp_path, proof)
    refused("verify", path, "--max-mib", 1, because=("larger than 1,048,576 bytes", "--max-mib"))
    assert answer("verify", path, "--max-mib", 3)["valid"] and answer("verify", path)["valid"]


@pytest.mark.parametrize("option", ["seconds", "max-mib", "memory"])
def test_limits_must_be_positive(refused, option):
    refused("verify", shipped_certificate("kuhn"), f"--{option}", 0, because="it must be a positive number")


@pytest.mark.thorough
@pytest.mark.parametrize("key", ["format", "game", "rules", "lower", "value", "digest", "strategies", "x" * 1_000_000])
@pytest.mark.parametrize("wrong", ["y" * 1_000_000, ["z"] * 100_000], ids=["text", "list"])
def test_no_megabyte_is_echoed(tmp_path, refused, key, wrong):
    body = copy.deepcopy(uniform_certificate("kuhn")) | {key: wrong}
    refused("verify", written(tmp_path, reseal(body) if key != "digest" else body))
    refused("explain", written(tmp_path, body)) if key in ("format", "game", "strategies") else None


TABLE = {"format": "fogspiel policy 1", "game": "kuhn"}


@pytest.mark.parametrize("number", [*HUGE[:5], 10**400], ids=lambda number: str(number)[:12])
def test_numbers_of_a_table_are_looked_at_before_they_are_built(tmp_path, refused, number):
    rows = [{"id": "p1-2213c56f841aa983", "probabilities": {"bet": number, "pass": "0"}}]
    table = written(tmp_path, TABLE | {"rows": rows}, "table.json")
    refused("exploit", "kuhn", table, "--missing", "uniform", because="the probability of bet")


@pytest.mark.slice("kriegspiel")
def test_a_model_that_unpacks_to_a_huge_array_is_refused(tmp_path):
    import numpy as np

    from fogspiel.kriegspiel.parameters import read_model

    path = tmp_path / "bomb.npz"
    with path.open("wb") as file:
        np.savez_compressed(file, model=np.zeros(1 << 24, np.float16))
    assert path.stat().st_size < 100_000
    with pytest.raises(ValueError, match="is not a model") as caught:
        read_model(Path(path))
    assert "an array of" in str(caught.value.__cause__)


@pytest.mark.thorough
def test_bounds_are_explained_by_file_and_by_run(tmp_path, answer, fogspiel):
    lines = answer("explain", shipped_certificate("phantom-ponnuki-3x3"))["lines"]
    assert "Black gets 1 on average" in lines[0] and any("try B2" in line for line in lines)
    assert "nothing is proved" in lines[-1]
    run = answer("bounds", "phantom-ponnuki-2x2")["run"]
    told = fogspiel("explain", run)
    assert told.returncode == 0 and told.stdout.startswith("phantom-ponnuki-2x2: Black gets")
    assert len(answer("explain", run, "--all")["lines"]) > len(answer("explain", run)["lines"])


@pytest.mark.parametrize(
    "game",
    [
        "resistance5",
        "phantom-ttt",
        pytest.param("permutation-ttt", marks=pytest.mark.thorough),
        "phantom-ponnuki-2x2",
        "kuhn",
    ],
)
def test_a_certificate_with_parts_missing_is_not_explained(tmp_path, refused, game):
    for key in sorted(set(shipped(game)) - {"value", "lower", "upper", "digest", "rules"}):
        body = shipped(game)
        body[key] = {} if key != "game" else "kuhn-2"
        refused("explain", written(tmp_path, reseal(body)))
