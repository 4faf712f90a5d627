"""The budget of bounds is CPU time: it does not depend on who else uses the machine, and it is kept."""

import time

import pytest

from fogspiel.solving import bounds
from fogspiel.solving.bounds import CpuBudget, OutOfBudget, search_bounds
from fogspiel.solving.methods import run_to_end

pytestmark = pytest.mark.thorough


class Clock:
    """CPU time that passes by a second whenever somebody asks for it, and a clock on the wall that runs away."""

    def __init__(self, monkeypatch):
        self.cpu = self.wall = 0.0
        monkeypatch.setattr(bounds, "process_time", self.ask_cpu)
        monkeypatch.setattr(bounds, "monotonic", self.ask_wall)

    def ask_cpu(self):
        self.cpu += 1
        return self.cpu

    def ask_wall(self):
        self.wall += 10_000
        return self.wall


def test_time_in_which_others_have_the_machine_does_not_count(monkeypatch):
    budget = CpuBudget(0.2, 1.0)
    time.sleep(0.3)
    budget.demand()
    monkeypatch.setattr(bounds, "process_time", lambda: budget.begun + 0.21)
    with pytest.raises(OutOfBudget):
        budget.demand()


def test_memory_counts_too():
    with pytest.raises(OutOfBudget):
        CpuBudget(1e9, 1.0).demand(2**30 + 1)


def test_a_wall_clock_that_runs_away_does_not_change_what_is_proved(monkeypatch):
    found = run_to_end(search_bounds("phantom-ponnuki-2x2"))
    Clock(monkeypatch)
    assert run_to_end(search_bounds("phantom-ponnuki-2x2", seconds=1e6)) == found and found["lower"] != "0"


@pytest.mark.thorough
def test_the_prover_stops_within_the_budget_and_nothing_is_lost(monkeypatch):
    clock = Clock(monkeypatch)
    steps = search_bounds("phantom-ponnuki-4x4", seconds=40.0)
    assert run_to_end(steps)["lower"] == "0" and clock.cpu < 50, "it looks at the clock all the time"


def test_what_earlier_steps_have_used_counts(monkeypatch):
    clock = Clock(monkeypatch)
    steps = search_bounds("phantom-ponnuki-4x4", seconds=1e9)
    saved = next(steps).saved
    steps.close()
    assert saved["seconds"] > 0
    before = clock.cpu
    run_to_end(search_bounds("phantom-ponnuki-4x4", seconds=saved["seconds"] + 30, saved=saved))
    assert clock.cpu - before < 60
    del saved["seconds"]  # a run of before
    next(search_bounds("phantom-ponnuki-4x4", seconds=1e9, saved=saved))
