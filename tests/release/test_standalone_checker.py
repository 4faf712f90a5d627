"""One file checks certificates by the standard library alone, in an empty environment."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
import standalone_checker
from support.certificates import reseal, uniform_certificate

from fogspiel.core.game import known_game
from fogspiel.solving.known_values import known_values

MOST_BYTES = 200_000
SHIPPED = {name: known.shipped for name, known in known_values().items() if known.shipped}
QUICK = [
    "kuhn", "rps", "binary-poker", "morra", "tic-tac-toe",
    "goofspiel-4", "leduc", "liars-dice-4", "phantom-ponnuki-2x2", "phantom-ponnuki-3x3",
    "dark-hex-3x3", "phantom-ttt", "phantom-ttt-2x4-3", "dark-hex-4x3", "permutation-ttt",
    "resistance5",
]  # fmt: skip


@pytest.fixture(scope="session")
def archive(tmp_path_factory):
    out = tmp_path_factory.mktemp("standalone") / "verify.pyz"
    assert standalone_checker.build(out) < MOST_BYTES
    return out


def run_alone(archive, *words):
    """Run the file as somebody does who has Python and nothing else: no site packages, no variables, its own folder."""
    command = [sys.executable, "-I", "-S", archive.name, *map(str, words)]
    return subprocess.run(command, cwd=archive.parent, env={}, capture_output=True, text=True, check=False)


def said_of(name):
    lower, upper = known_values()[name].lower, known_values()[name].upper
    return f"valid: the value of {name} " + (
        f"is exactly {lower}" if lower == upper else f"is between {lower} and {upper}"
    )


@pytest.mark.thorough
def test_quick_proofs_of_all_formats_are_checked_without_a_package(archive):
    ended = run_alone(archive, *(SHIPPED[name] for name in QUICK))
    assert ended.returncode == 0 and not ended.stderr
    for name, line in zip(QUICK, ended.stdout.splitlines(), strict=True):
        assert line.startswith(f"{SHIPPED[name].name}: {said_of(name)}")
    formats = {json.loads(path.read_text(encoding="utf-8"))["format"] for path in SHIPPED.values()}
    slow = {"fogspiel phantom bounds 2", "fogspiel refutation 1"}
    assert {json.loads(SHIPPED[name].read_text(encoding="utf-8"))["format"] for name in QUICK} >= formats - slow


@pytest.mark.slow
@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_proof_is_checked_without_a_package(archive, name):
    ended = run_alone(archive, SHIPPED[name])
    assert ended.returncode == 0 and said_of(name) in ended.stdout


@pytest.mark.thorough
def test_what_proves_nothing_is_refused_in_a_sentence(archive, tmp_path):
    good = json.loads(SHIPPED["kuhn"].read_text(encoding="utf-8"))
    wrong = {
        "raised.json": reseal({**good, "lower": "0", "value": "0"}),
        "digest.json": {**good, "digest": "0" * 64},
        "format.json": {**good, "format": ["x"]},
        "tables.json": {**good, "format": "fogspiel table bounds 1"},
        "game.json": reseal({**good, "game": "../kuhn"}),
        "list.json": [good],
    }
    for name, body in wrong.items():
        (tmp_path / name).write_text(json.dumps(body), encoding="utf-8")
    (tmp_path / "twice.json").write_text('{"format": 1, "format": 2}', encoding="utf-8")
    (tmp_path / "deep.json").write_text("[" * 100_000, encoding="utf-8")
    names = [*wrong, "twice.json", "deep.json", "missing.json"]
    ended = run_alone(archive, *(tmp_path / name for name in names), "/dev/zero", SHIPPED["rps"])
    assert ended.returncode == 2 and not ended.stderr
    lines = ended.stdout.splitlines()
    assert len(lines) == len(names) + 2 and "valid: the value of rps is exactly 0" in lines.pop()
    assert not any(": valid" in line for line in lines) and all(len(line) < 700 for line in lines)


@pytest.mark.thorough
def test_the_same_sources_make_the_same_bytes(archive, tmp_path):
    standalone_checker.build(tmp_path / "again.pyz")
    assert (tmp_path / "again.pyz").read_bytes() == archive.read_bytes()


@cache
def plain(name):
    return standalone_checker.alone(known_game(name))


@pytest.mark.parametrize("name", ["kuhn", "goofspiel-4", "leduc", "liars-dice-4", "phantom-ponnuki-2x2", "morra"])
def test_the_plain_kernels_of_a_game_agree_with_the_package(name):
    assert plain(name) is not None


def test_a_kernel_that_differs_is_noticed():
    game = known_game("kuhn")
    record = standalone_checker.write_game(writer := standalone_checker.Writer(), game)
    source = "\n".join([*writer.lines, f"GAMES = {{'kuhn': {record}}}"])
    head = standalone_checker.HEAD.replace("from fogspiel.core.game import Cells, Numbers\n", "")
    assert standalone_checker.agree(game, head + source)
    changed = source.replace("last(state) == BET", "last(state) != BET")
    assert changed != source and not standalone_checker.agree(game, head + changed)


@pytest.mark.thorough
def test_a_proof_that_is_not_shipped_is_checked_too(archive, tmp_path):
    path = tmp_path / "uniform.json"
    path.write_text(json.dumps(uniform_certificate("goofspiel-4")), encoding="utf-8")
    ended = run_alone(archive, path)
    assert ended.returncode == 0, ended.stdout


def test_the_checkers_are_those_of_the_package():
    folder = Path(standalone_checker.ROOT, standalone_checker.PROOFS)
    copied = standalone_checker.texts([standalone_checker.PROOFS])
    assert {path.name for path in folder.glob("*.py")} == {Path(name).name for name in copied}
