"""Whatever call fails, whenever the power goes: a store is never refused for ever, and no committed row is lost."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import shim

pytestmark = pytest.mark.skipif(shim.compiler() is None, reason="the shim needs Linux and a C compiler")


def tell(folder: Path, script: str, *words: object) -> list[dict[str, Any]]:
    """What a script found out, a line of JSON each; also printed, for -s."""
    lines = shim.run_preloaded(folder, script, folder, *words).splitlines()
    print(*lines, sep="\n")
    return [json.loads(line) for line in lines]


def demand_nothing_wrong(found: list[dict[str, Any]]) -> None:
    assert [line for line in found if line["wrong"]] == []


@pytest.mark.parametrize("operation", ["create", "append", "repair", "backup", "delete"])
def test_a_store_survives_some_failing_calls(tmp_path: Path, operation: str) -> None:
    found = tell(tmp_path, "every_call.py", 3, operation)
    demand_nothing_wrong(found)
    assert sum(line["refused"] + line["killed"] for line in found) > 5


def test_20_power_cuts_lose_at_most_the_last_second(tmp_path: Path) -> None:
    (found,) = tell(tmp_path, "power_cuts.py", 20, 3)
    demand_nothing_wrong([found])
    assert found["most_rows_lost"] <= found["rows_per_second"]


@pytest.mark.slow
def test_a_store_survives_whatever_call_fails(tmp_path: Path) -> None:
    found = tell(tmp_path, "every_call.py", sys.maxsize)
    demand_nothing_wrong(found)
    assert sum(line["tried"] for line in found) == sum(line["calls"] for line in found) > 5000


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_500_power_cuts_lose_at_most_the_last_second(tmp_path: Path, seed: int) -> None:
    (found,) = tell(tmp_path, "power_cuts.py", 500, seed)
    demand_nothing_wrong([found])
    assert 10 < found["most_rows_lost"] <= found["rows_per_second"]
