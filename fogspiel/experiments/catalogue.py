"""The experiments that are stored job by job, by name."""

from . import beyond, kriegspiel, section5, table2, table3
from .stored import Experiment

EXPERIMENTS = {
    "table2": Experiment(table2.batches, table2.report),
    "table3": Experiment(table3.batches, table3.report),
    "beyond": Experiment(beyond.batches, beyond.report),
    "kriegspiel": Experiment(kriegspiel.batches, kriegspiel.report),
    "section5": Experiment(section5.batches, lambda request, rows: section5.report(rows, request.quick, request.seed)),
}


def experiment_named(name: str) -> Experiment:
    """The experiment of that name, or a ValueError that lists the names there are."""
    try:
        return EXPERIMENTS[name]
    except KeyError:
        raise ValueError(f"there is no experiment {name!r}: the experiments are {', '.join(EXPERIMENTS)}") from None
