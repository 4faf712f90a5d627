"""Whatever call fails, whenever the power goes: a store is never refused for ever, and no committed row is lost."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import shim

pytestmark = pytest.mark.skipif(shim.compiler() is None, reason="the shim needs Linux and a C compiler")


Tell = Callable[..., list[dict[str, Any]]]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shim.build(tmp_path_factory.mktemp("shim"))


@pytest.fixture
def tell(library: Path, tmp_path: Path) -> Tell:
    """What a script finds out, a line of JSON each; also printed, for -s."""

    def run(script: str, *words: object) -> list[dict[str, Any]]:
        lines = shim.run_preloaded(library, script, tmp_path, *words).splitlines()
        print(*lines, sep="\n")
        return [json.loads(line) for line in lines]

    return run


def demand_nothing_wrong(found: list[dict[str, Any]]) -> None:
    assert [line for line in found if line["wrong"]] == []


@pytest.mark.thorough
@pytest.mark.parametrize("operation", ["create", "append", "repair", "backup", "delete"])
def test_a_store_survives_some_failing_calls(tell: Tell, operation: str) -> None:
    found = tell("every_call.py", 3, operation)
    demand_nothing_wrong(found)
    assert sum(line["refused"] + line["killed"] for line in found) > 5


def test_a_store_half_made_on_a_full_disk_is_made_when_there_is_room(tell: Tell) -> None:
    (found,) = tell("every_call.py", sys.maxsize, "create:FULL")
    demand_nothing_wrong([found])
    assert found["refused"] > 40


def test_20_power_cuts_lose_at_most_the_last_second(tell: Tell) -> None:
    (found,) = tell("power_cuts.py", 20, 3)
    demand_nothing_wrong([found])
    assert found["most_rows_lost"] <= found["rows_per_second"]


@pytest.mark.slow
def test_a_store_survives_whatever_call_fails(tell: Tell) -> None:
    found = tell("every_call.py", sys.maxsize)
    demand_nothing_wrong(found)
    assert sum(line["tried"] for line in found) == sum(line["calls"] for line in found) > 5000


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_500_power_cuts_lose_at_most_the_last_second(tell: Tell, seed: int) -> None:
    (found,) = tell("power_cuts.py", 500, seed)
    demand_nothing_wrong([found])
    assert 10 < found["most_rows_lost"] <= found["rows_per_second"]
